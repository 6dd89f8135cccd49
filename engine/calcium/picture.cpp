// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/calcium/picture.hpp"

#include "engine/calcium/dyad.hpp"
#include "engine/core/error.hpp"

#include <cstring>
#include <type_traits>

namespace tawara::calcium {
namespace {

/// Numbers of the arrays of one unknown, read one array after the other.
class Numbers
{
  public:
    /// @param words  numbers that hold a double
    Numbers(std::span<const double> numbers, std::size_t words) : left_(numbers), words_(words) {}
    /// The next array, of doubles.
    void doubles(double* to, std::size_t n)
    {
        for (std::size_t i = 0; i < n; ++i)
            to[i] = words_ == 1 ? left_[i] : left_[i] + left_[n + i];
        left_ = left_.subspan(words_ * n);
    }
    /// The next array, of one number each.
    template <class T>
    void plain(T* to, std::size_t n)
    {
        for (std::size_t i = 0; i < n; ++i)
            to[i] = static_cast<T>(left_[i]);
        left_ = left_.subspan(n);
    }
    /// The next array, of two counts of channels each.
    void counts(std::uint8_t* low, std::uint8_t* high, std::size_t n)
    {
        for (std::size_t i = 0; i < n; ++i) {
            const auto both = static_cast<unsigned>(left_[i]);
            low[i] = static_cast<std::uint8_t>(both);
            high[i] = static_cast<std::uint8_t>(both >> 8);
        }
        left_ = left_.subspan(n);
    }

  private:
    std::span<const double> left_;
    std::size_t words_;
};

template <class Real>
std::size_t numbers_of(const Grid& grid)
{
    return cell::numbers_per_unknown(dyad_state_arrays(DyadLayout<Real>(grid)));
}

/// Fills a cell's state of double precision. @return its CellState
CellState take(std::span<const double> numbers, std::size_t words, double v_mV, std::size_t room,
               const DyadArrays<double>& a)
{
    double membrane[CellState::count];
    membrane[0] = v_mV;
    Numbers from(numbers, words);
    from.doubles(membrane + 1, CellState::count - 1);
    from.doubles(a.c_nsr, room);
    from.doubles(a.c_jsr, room);
    for (double* to : {a.c_myo, a.c_ss, a.c_d, a.n_ca, a.camk_t})
        from.plain(to, room);
    std::vector<double> activated(room);
    from.doubles(activated.data(), room);
    from.counts(a.C1, a.O1, room);
    from.counts(a.C2, a.C3, room);
    CellState cell;
    std::memcpy(&cell, membrane, sizeof cell);
    return cell;
}

/// Of the state that a step begins with.
CalciumState calcium_state(const CellModel<double>& m, CellState cell, const DyadArrays<double>& a)
{
    CalciumState out;
    out.dyads = observe(m, a);
    MembraneCurrents currents;
    const auto in = begin_cell<double>(m.membrane, cell, 0, false, currents);
    double i_Ca = 0, release = 0;
    for (std::size_t i = 0; i < m.layout.dyads(); ++i) {
        double n_ca = a.n_ca[i], camk_t = a.camk_t[i];
        const auto o = odds(m.dyad, in, a.c_d[i], a.c_jsr[i], n_ca, camk_t, false);
        i_Ca += (o.plain + m.dyad.phosphorylated * o.phosphorylated) *
                (in.i_Ca_slope * a.c_d[i] + in.i_Ca_offset);
        release += m.dyad.release * a.O1[i] * (1e3 * a.c_jsr[i] - a.c_d[i]);
    }
    out.i_CaL = i_Ca / m.membrane.sums_over;
    out.release_mM_per_ms =
        1e-3 * m.membrane.cleft_per_myo * release * m.membrane.p.full_dyads / m.membrane.sums_over;
    return out;
}

} // namespace

template <class Real>
std::vector<cell::StateArray> dyad_state_arrays(const DyadLayout<Real>& layout)
{
    constexpr std::size_t words = std::is_same_v<Real, double> ? 1 : 2;
    const std::size_t n = layout.room();
    return {{"membrane", words * (CellState::count - 1)},
            {"c_nsr", words * n},
            {"c_jsr", words * n},
            {"c_myo", n},
            {"c_ss", n},
            {"c_d", n},
            {"n_ca", n},
            {"CaMK_t", n},
            {"activated", words * n},
            {"C1_O1", n},
            {"C2_C3", n}};
}
template std::vector<cell::StateArray> dyad_state_arrays(const DyadLayout<double>&);
template std::vector<cell::StateArray> dyad_state_arrays(const DyadLayout<float>&);

DyadPicture dyad_picture(const Parameters& p, const Grid& grid, double dt_ms, double v_mV,
                         std::span<const double> numbers)
{
    const bool single = numbers.size() == numbers_of<float>(grid);
    if (!single && numbers.size() != numbers_of<double>(grid))
        throw Error("the state of a cell of " + std::to_string(grid.count()) + " dyads has " +
                    std::to_string(numbers_of<double>(grid)) + " numbers (" +
                    std::to_string(numbers_of<float>(grid)) + " in single precision), not " +
                    std::to_string(numbers.size()));
    const CellModel<double> m(p, grid, dt_ms);
    AlignedVector<std::byte> memory(m.layout.bytes());
    const auto a = m.layout.arrays(memory.data());
    const CellState cell = take(numbers, single ? 2 : 1, v_mV, m.layout.room(), a);
    DyadPicture out;
    out.grid = grid;
    out.RyR = static_cast<int>(p.RyR);
    out.v_mV = v_mV;
    out.state = calcium_state(m, cell, a);
    const std::size_t n = m.layout.dyads();
    const auto copied = [n](const double* from, double scale) {
        std::vector<float> to(n);
        for (std::size_t i = 0; i < n; ++i)
            to[i] = static_cast<float>(scale * from[i]);
        return to;
    };
    out.c_d_uM = copied(a.c_d, 1);
    out.c_ss_uM = copied(a.c_ss, 1e3);
    out.c_myo_uM = copied(a.c_myo, 1e3);
    out.c_jsr_mM = copied(a.c_jsr, 1);
    out.open_RyR.assign(a.O1, a.O1 + n);
    return out;
}

} // namespace tawara::calcium
