// SPDX-License-Identifier: GPL-3.0-or-later
// What one rank does of a tissue's steps, as the first rank asks for it.
#pragma once
#include "engine/cell/numerics_error.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/units.hpp"
#include "engine/device/halo.hpp"
#include "engine/device/ranks/share.hpp"
#include "engine/device/state_places.hpp"
#include "engine/device/stepper.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tawara::device::ranks {

/// The first word of a message from the first rank. Each but `end` is answered with a message,
/// whose first word says whether it went well.
enum class Ask : std::uint8_t {
    end,     ///< there is no more to do
    parts,   ///< there is nothing to step here: each rank reads its own part of the mesh
    begin,   ///< devices, precision, threads, a share -> what computes, threads
    meet,    ///< the other ranks, once all have begun -> which slower way values take, if any
    forget,  ///< the share
    advance, ///< steps
    add_stimulus,
    remove_stimulus,
    set_types,
    set_probes, ///< every so many steps, unknowns of the share -> V of each at each such step
    take_samples,
    potential,
    state,
    cell_numbers, ///< an unknown of the share
    maps,
    snapshot,
    restore,
    kernels
};

/// How an answer begins.
enum class Answer : std::uint8_t { done, numerics_error, input_error, failed };

/// The halo of a share, through the ranks.
class RankHalo final : public Halo
{
  public:
    RankHalo(const Share& s, Communicator& ranks);
    std::span<const std::int32_t> given() const override { return given_; }
    std::span<const std::int32_t> taken() const override { return taken_; }
    void swap(std::span<const double> give, std::span<double> take, std::size_t each) override;
    bool any(bool here) override { return ranks_.any(here); }
    std::optional<Shelves> shelves() override;
    void meet() override;

  private:
    struct Part
    {
        int rank;
        std::size_t give, take; ///< unknowns
    };
    Communicator& ranks_;
    std::vector<Part> parts_;
    std::vector<std::int32_t> given_, taken_;
    std::vector<Communicator::Exchange> exchanges_;
    std::unique_ptr<SharedMemory> memory_;
    std::vector<double> here_, there_; ///< a number for each part
};

/// A failed step of another rank, told as it was told there.
struct FailedElsewhere : NumericsError
{
    FailedElsewhere(const NumericsError& at, std::string text)
        : NumericsError(at), text_(std::move(text))
    {
    }
    const char* what() const noexcept override { return text_.c_str(); }

  private:
    std::string text_;
};

/// What computes on all ranks: each name once, and what Stepper::meet_others() says.
std::string ranks_text(const std::vector<std::string>& names, const std::string& met);

/// What a step failed with here, by the unknown's number in the whole.
std::string of_whole(std::string text, std::int64_t here, std::int64_t whole);

/// One rank's share of a tissue and what steps it. Numbers of unknowns are the share's, the first
/// own() of which it steps; values that it answers with are of these.
/// @thread that of the communicator
class Member
{
  public:
    /// @param ranks  lives as long
    Member(Communicator& ranks, const Progress& progress) : ranks_(ranks), progress_(progress) {}

    /// Does what a message asks for. Does not throw but DeviceError, of the communicator or of a
    /// GPU in the middle of steps, after which nothing can be asked any more: the other ranks learn
    /// of it.
    Bytes answer(const Bytes& message);
    const Stepper& stepper() const { return *stepper_; }

  private:
    void act(Ask what, Unpack& in, Pack& out); ///< what changes something
    void tell(Ask what, Unpack& in, Pack& out) const;
    /// Others wait for this rank, which cannot come: they end too.
    [[noreturn]] void fail(Ask what, const std::string& why);
    void begin(Unpack& in, Pack& out);
    void put_snapshot(Pack& out) const;
    void take_snapshot(Unpack& in);

    Communicator& ranks_;
    Progress progress_;
    Share share_;
    std::optional<RankHalo> halo_;
    std::unique_ptr<Stepper> stepper_;
    StatePlaces places_;
};

/// Takes part in what the first rank asks for, until that has no more to do.
/// @pre  ranks.rank() > 0
/// @return whether each rank now reads its own part of the mesh, which is no matter of this one
/// @throws DeviceError where another rank has ended
bool serve(Communicator& ranks, const Progress& progress);

/// In the first rank: lets serve() return on all others, each of which goes on with its own part
/// of the mesh.
/// @throws DeviceError where one has ended
void begin_parts(Communicator& ranks);

} // namespace tawara::device::ranks
