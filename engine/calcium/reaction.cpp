// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/calcium/reaction.hpp"

#include "engine/calcium/cells.hpp"
#include "engine/calcium/paced_cell.hpp"
#include "engine/calcium/picture.hpp"
#include "engine/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace tawara::calcium {
namespace {

/// How many numbers of an array hold a double.
template <class Real>
constexpr std::size_t words = std::is_same_v<Real, double> ? 1 : 2;

/// Doubles of an array: one number each, or the nearest one and what is left.
template <class Real>
double read(const Real* a, std::size_t n, std::size_t i)
{
    if constexpr (words<Real> == 1)
        return a[i];
    else
        return static_cast<double>(a[i]) + static_cast<double>(a[n + i]);
}
template <class Real>
void write(Real* a, std::size_t n, std::size_t i, double x)
{
    a[i] = static_cast<Real>(x);
    if constexpr (words<Real> == 2)
        a[n + i] = static_cast<Real>(x - static_cast<double>(a[i]));
}

/// What a thread needs while it steps a cell.
template <class Real>
struct Desk
{
    explicit Desk(const DyadLayout<Real>& layout)
        : memory(layout.bytes()), arrays(layout.arrays(memory.data())), ahead(layout.room())
    {
    }
    AlignedVector<std::byte> memory;
    DyadArrays<Real> arrays;
    Ahead<Real> ahead;
};

template <class Real>
class DyadReaction final : public cell::Reaction<Real>
{
  public:
    DyadReaction(std::vector<DyadType> types, const Grid& grid, std::uint64_t seed)
        : types_(std::move(types)), grid_(grid), seed_(seed), layout_(grid),
          arrays_(dyad_state_arrays(layout_))
    {
    }
    std::span<const cell::StateArray> arrays() const override { return arrays_; }
    bool needs_unknowns() const override { return true; }
    std::string target() const override { return instruction_set(); }

    void prepare(const cell::ReactionCells<Real>& c) const override
    {
        const auto& a = c.cells;
        Desk<Real> desk(layout_);
        for (std::size_t i = a.begin; i < a.end; ++i) {
            const DyadType& type = types_.at(a.type[i]);
            CellState cell;
            begin(type.parameters, *type.start, layout_, first_dt_ms,
                  RandomPlace{seed_, number(c, i), 0, 0}, cell, desk.arrays);
            put(c, i, cell, desk);
        }
    }
    void set_types(std::span<const cell::CellType> types) override
    {
        std::vector<DyadType> next;
        for (const auto& t : types) {
            next.push_back(dyad_type(t));
            if (next.back().parameters.RyR != types_.front().parameters.RyR)
                throw InputError("cell types", another_RyR);
        }
        types_ = std::move(next);
    }
    void advance(const cell::ReactionCells<Real>& c, const cell::ReactionStep& s) const override
    {
        const auto& a = c.cells;
        Desk<Real> desk(layout_);
        std::vector<CellModel<Real>> models;
        for (const auto& type : types_)
            models.emplace_back(type.parameters, grid_, s.dt_ms);
        for (std::size_t i = a.begin; i < a.end; ++i) {
            if (c.unknown[i] < 0)
                continue;
            CellState cell;
            take(c, i, cell, desk);
            CellStep step;
            step.number = std::llround(s.t_ms / s.dt_ms);
            step.forced = types_.at(a.type[i]).forced_at(s.t_ms + 0.5 * s.dt_ms);
            step.stimulus = a.stimulus ? static_cast<double>(a.stimulus[i]) : 0;
            const RandomPlace at{seed_, number(c, i), static_cast<std::uint64_t>(s.step),
                                 static_cast<std::uint16_t>(s.part)};
            step_cell(models.at(a.type[i]), at, cell, desk.arrays, desk.ahead, step);
            put(c, i, cell, desk);
        }
    }

  private:
    static constexpr std::size_t kept = CellState::count - 1; ///< V is the tissue's
    /// The step of which a start tells when dyads were active last: long ago with any.
    static constexpr double first_dt_ms = 0.005;

    static std::uint64_t number(const cell::ReactionCells<Real>& c, std::size_t i)
    {
        return c.unknown[i] < 0 ? 0 : static_cast<std::uint64_t>(c.unknown[i]);
    }
    Real* array(const cell::ReactionCells<Real>& c, std::size_t k, std::size_t i) const
    {
        return c.cells.states[k] + i * arrays_[k].per_unknown;
    }
    /// From the arrays of the unknown in slot i, and back.
    void take(const cell::ReactionCells<Real>& c, std::size_t i, CellState& cell,
              Desk<Real>& d) const
    {
        double membrane[CellState::count];
        membrane[0] = static_cast<double>(c.cells.v[i]);
        for (std::size_t k = 0; k < kept; ++k)
            membrane[k + 1] = read(array(c, 0, i), kept, k);
        std::memcpy(&cell, membrane, sizeof cell);
        const std::size_t n = layout_.room();
        const auto& a = d.arrays;
        Real* const single[] = {a.c_myo, a.c_ss, a.c_d, a.n_ca, a.camk_t};
        for (std::size_t k = 0; k < 5; ++k)
            std::memcpy(single[k], array(c, 3 + k, i), n * sizeof(Real));
        const Real *nsr = array(c, 1, i), *jsr = array(c, 2, i), *activated = array(c, 8, i);
        const Real *low = array(c, 9, i), *high = array(c, 10, i);
        for (std::size_t k = 0; k < n; ++k) {
            a.c_nsr[k] = read(nsr, n, k);
            a.c_jsr[k] = read(jsr, n, k);
            a.activated[k] = static_cast<std::int32_t>(read(activated, n, k));
            const auto first = static_cast<unsigned>(low[k]),
                       second = static_cast<unsigned>(high[k]);
            a.C1[k] = static_cast<std::uint8_t>(first);
            a.O1[k] = static_cast<std::uint8_t>(first >> 8);
            a.C2[k] = static_cast<std::uint8_t>(second);
            a.C3[k] = static_cast<std::uint8_t>(second >> 8);
        }
    }
    void put(const cell::ReactionCells<Real>& c, std::size_t i, const CellState& cell,
             const Desk<Real>& d) const
    {
        double membrane[CellState::count];
        std::memcpy(membrane, &cell, sizeof cell);
        c.cells.v[i] = static_cast<Real>(membrane[0]);
        for (std::size_t k = 0; k < kept; ++k)
            write(array(c, 0, i), kept, k, membrane[k + 1]);
        const std::size_t n = layout_.room();
        const auto& a = d.arrays;
        const Real* const single[] = {a.c_myo, a.c_ss, a.c_d, a.n_ca, a.camk_t};
        for (std::size_t k = 0; k < 5; ++k)
            std::memcpy(array(c, 3 + k, i), single[k], n * sizeof(Real));
        Real *nsr = array(c, 1, i), *jsr = array(c, 2, i), *activated = array(c, 8, i);
        Real *low = array(c, 9, i), *high = array(c, 10, i);
        for (std::size_t k = 0; k < n; ++k) {
            write(nsr, n, k, a.c_nsr[k]);
            write(jsr, n, k, a.c_jsr[k]);
            write(activated, n, k, a.activated[k]);
            low[k] = static_cast<Real>(a.C1[k] + (a.O1[k] << 8));
            high[k] = static_cast<Real>(a.C2[k] + (a.C3[k] << 8));
        }
    }

    std::vector<DyadType> types_;
    Grid grid_;
    std::uint64_t seed_;
    DyadLayout<Real> layout_;
    std::vector<cell::StateArray> arrays_;
};

} // namespace

DyadReactionModel::DyadReactionModel(std::vector<DyadType> types, const Grid& grid,
                                     std::uint64_t seed)
    : types_(std::move(types)), grid_(grid), seed_(seed)
{
}

bool DyadType::forced_at(double t_ms) const
{
    return std::any_of(forced.begin(), forced.end(), [&](const ForcedOpening& f) {
        return t_ms >= f.from_ms && t_ms < f.until_ms;
    });
}

std::string DyadReactionModel::name() const
{
    return dyad_model;
}

std::string DyadReactionModel::identity() const
{
    const auto text = [](auto n) { return std::to_string(n); };
    return name() + ":" + text(grid_.nx) + "x" + text(grid_.ny) + "x" + text(grid_.nz) +
           ",RyR=" + text(static_cast<int>(types_.front().parameters.RyR)) + ",seed=" + text(seed_);
}

std::unique_ptr<cell::Reaction<double>> DyadReactionModel::on_cpu_double() const
{
    return std::make_unique<DyadReaction<double>>(types_, grid_, seed_);
}

std::unique_ptr<cell::Reaction<float>> DyadReactionModel::on_cpu_single() const
{
    return std::make_unique<DyadReaction<float>>(types_, grid_, seed_);
}

} // namespace tawara::calcium
