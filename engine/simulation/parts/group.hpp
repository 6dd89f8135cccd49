// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/communicator.hpp"
#include "engine/core/error.hpp"

#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tawara::simulation::parts {

/// Processes that do the same thing, each with its part. All call the same functions in the same
/// order. The first one puts together what they say, and answers for all of them where one fails.
/// @thread that of the communicator
class Group
{
  public:
    /// @param ranks  lives as long
    explicit Group(Communicator& ranks) : ranks_(ranks) {}
    int rank() const { return ranks_.rank(); }
    int size() const { return ranks_.size(); }
    bool is_first() const { return rank() == 0; }
    Communicator& ranks() { return ranks_; }

    /// What everybody says comes to the first, and what that makes of it to everybody.
    /// @param make  called in the first process alone, with what each said
    /// @throws Error  of these, what another has failed with (fail()); Elsewhere in all but the
    ///                first
    Bytes together(Bytes here, const std::function<Bytes(const std::vector<Bytes>& all)>& make);
    /// The same without an answer. @return in the first what each said, elsewhere nothing
    std::vector<Bytes> at_first(Bytes here);

    bool any(bool here);
    double sum(double here); ///< in the order of the ranks
    std::vector<double> sums(const std::vector<double>& here);
    double largest(double here);
    std::int64_t count(std::int64_t here); ///< sum

    /// What numbered values of all, in the order of their numbers, come to: piece by piece, so that
    /// nobody has all of them.
    /// @param all     numbers are below
    /// @param number  of what is here, ascending; each number is somebody's
    /// @param make    a message of values [from, to) of those here
    /// @param use     called in the first process for each piece of numbers [first, last), with a
    ///                message of each
    void in_pieces(std::int64_t all, std::span<const std::int64_t> number,
                   const std::function<Bytes(std::size_t from, std::size_t to)>& make,
                   const std::function<void(std::int64_t first, std::int64_t last,
                                            const std::vector<Bytes>& said)>& use);

    /// Work on files that may fail in some of them: what fails is told to all, and all throw the
    /// same. So they go on together, where one has no room on its disk.
    /// @param work  takes no part in anything with others
    /// @throws WriteFailed  in all, where it threw InputError in one; what else it throws, here
    /// alone
    void write(const std::function<void()>& work);

    /// This process has failed: it tells the others where they wait for it next, and all of them
    /// end. Nothing is said to those that the failure came from.
    void fail(const std::exception_ptr& why);

  private:
    void send(Bytes message, std::uint8_t word);
    std::vector<Bytes> collect(Bytes here, std::uint8_t word);
    Bytes heard(int from, std::uint8_t& word);
    [[noreturn]] void throw_failure();

    Communicator& ranks_;
    std::vector<char> ended_ = std::vector<char>(static_cast<std::size_t>(ranks_.size()), 0);
    Bytes failure_;
};

/// A file that one of the processes could not write: all of them know (Group::write()).
struct WriteFailed : InputError
{
    using InputError::InputError;
};

/// Another process has failed, of which the first one tells.
struct Elsewhere : std::exception
{
    const char* what() const noexcept override { return "another rank has failed"; }
};

} // namespace tawara::simulation::parts
