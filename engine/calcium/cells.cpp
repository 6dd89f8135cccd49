// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/calcium/cells.hpp"

#include "engine/core/error.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace tawara::calcium {
namespace {

std::size_t blocks_of(std::size_t dyads)
{
    return (dyads + block_dyads - 1) / block_dyads;
}

void add(DyadSums& to, const DyadSums& s)
{
    to.open += s.open;
    to.i_Ca += s.i_Ca;
    to.ncx += s.ncx;
    to.pCa += s.pCa;
    to.c_myo += s.c_myo;
    to.camk += s.camk;
    to.release += s.release;
    to.LCC += s.LCC;
    to.RyR += s.RyR;
}

template <class Real>
std::size_t rows_of(const CellModel<Real>& m)
{
    return static_cast<std::size_t>(m.grid.ny) * static_cast<std::size_t>(m.grid.nz);
}

template <class Real>
DyadInput<Real> begin_step(const CellModel<Real>& m, CellState& cell, CellStep& step)
{
    return begin_cell<Real>(m.membrane, cell, static_cast<std::int32_t>(step.number), step.forced,
                            step.membrane);
}

template <class Real>
void end_step(const CellModel<Real>& m, CellState& cell, CellStep& step)
{
    step.dyads = end_cell(m.membrane, cell, step.membrane, step.sums, step.stimulus);
}

} // namespace

template <class Real>
CellModel<Real>::CellModel(const Parameters& p, const Grid& g, double dt_ms)
    : grid(g), membrane(membrane_constants(p, g, dt_ms)), dyad(dyad_constants<Real>(p, g, dt_ms)),
      layout(g)
{
}
template struct CellModel<double>;
template struct CellModel<float>;

template <class Real>
void step_cell(const CellModel<Real>& m, const RandomPlace& at, CellState& cell,
               const DyadArrays<Real>& dyads, Ahead<Real>& ahead, CellStep& step)
{
    const auto in = begin_step(m, cell, step);
    const std::size_t n = m.layout.dyads();
    step.sums = {};
    std::array<DyadSums, 16> some; // a multiple of the blocks that draw side by side
    for (std::size_t b = 0; b < blocks_of(n); b += some.size()) {
        const std::span of = std::span(some).first(std::min(some.size(), blocks_of(n) - b));
        react(m.dyad, in, at, dyads, ahead, b, of, n);
        for (const auto& sums : of)
            add(step.sums, sums);
    }
    diffuse(m.dyad, m.grid, m.membrane.p.closed != 0, ahead, dyads, 0, rows_of(m));
    end_step(m, cell, step);
}
template void step_cell(const CellModel<double>&, const RandomPlace&, CellState&,
                        const DyadArrays<double>&, Ahead<double>&, CellStep&);
template void step_cell(const CellModel<float>&, const RandomPlace&, CellState&,
                        const DyadArrays<float>&, Ahead<float>&, CellStep&);

template <class Real>
Observation observe(const CellModel<Real>& m, const DyadArrays<Real>& a)
{
    Observation o;
    const std::size_t n = m.layout.dyads();
    for (std::size_t i = 0; i < n; ++i) {
        o.c_myo += static_cast<double>(a.c_myo[i]);
        o.c_ss += static_cast<double>(a.c_ss[i]);
        o.c_nsr += a.c_nsr[i];
        o.c_jsr += a.c_jsr[i];
        o.c_d += static_cast<double>(a.c_d[i]);
        o.largest_c_d = std::max(o.largest_c_d, static_cast<double>(a.c_d[i]));
        o.open_RyR += a.O1[i];
        o.active += static_cast<Real>(a.O1[i]) > m.dyad.active ? 1 : 0;
        o.n_ca += static_cast<double>(a.n_ca[i]);
        o.camk_t += static_cast<double>(a.camk_t[i]);
    }
    for (double* mean : {&o.c_myo, &o.c_ss, &o.c_nsr, &o.c_jsr, &o.c_d, &o.n_ca, &o.camk_t})
        *mean /= static_cast<double>(n);
    return o;
}
template Observation observe(const CellModel<double>&, const DyadArrays<double>&);
template Observation observe(const CellModel<float>&, const DyadArrays<float>&);

template <class Real>
double total_calcium(const CellModel<Real>& m, const Parameters& p, const DyadArrays<Real>& a)
{
    const auto bound = [](double buffer, double K, double c) { return buffer * c / (K + c); };
    double sum = 0;
    for (std::size_t i = 0; i < m.layout.dyads(); ++i) {
        const auto myo = static_cast<double>(a.c_myo[i]), ss = static_cast<double>(a.c_ss[i]);
        sum += myo + bound(p.trpn, p.K_trpn, myo) + bound(p.cmdn, p.K_cmdn, myo);
        sum += (ss + bound(p.bsr, p.K_bsr, ss) + bound(p.bsl, p.K_bsl, ss)) * p.f_ss / p.f_myo;
        sum += (a.c_jsr[i] + bound(p.csqn, p.K_csqn, a.c_jsr[i])) * p.f_jsr / p.f_myo;
        sum += a.c_nsr[i] * p.f_nsr / p.f_myo;
    }
    return sum / static_cast<double>(m.layout.dyads());
}
template double total_calcium(const CellModel<double>&, const Parameters&,
                              const DyadArrays<double>&);
template double total_calcium(const CellModel<float>&, const Parameters&, const DyadArrays<float>&);

template <class Real>
Cells<Real>::Cells(const CellModel<Real>& model, std::size_t count, std::uint64_t seed,
                   std::uint64_t first)
    : model_(model), seed_(seed), first_(first), cells_(count), steps_(count),
      memory_(count * model.layout.bytes())
{
}

template <class Real>
void Cells<Real>::begin(const Start& start)
{
    for (std::size_t i = 0; i < size(); ++i)
        calcium::begin(model_.membrane.p, start, model_.layout, model_.membrane.dt_ms,
                       RandomPlace{seed_, first_ + i, 0, 0}, cells_[i], dyads(i));
}

template <class Real>
void Cells<Real>::advance(ThreadPool& pool, std::int64_t step, std::span<const double> stimulus,
                          bool forced)
{
    for (std::size_t i = 0; i < size(); ++i) {
        steps_[i].stimulus = stimulus.empty() ? 0 : stimulus[i];
        steps_[i].number = step;
        steps_[i].forced = forced;
    }
    while (ahead_.size() < std::min<std::size_t>(pool.size(), size()))
        ahead_.emplace_back(model_.layout.room());
    RandomPlace at{seed_, first_, static_cast<std::uint64_t>(step), 0};
    if (size() < pool.size())
        return by_blocks(pool, at);
    pool.for_range(size(), 1, [&](std::size_t begin, std::size_t end, unsigned worker) {
        for (std::size_t i = begin; i < end; ++i) {
            RandomPlace own = at;
            own.unknown += i;
            step_cell(model_, own, cells_[i], dyads(i), ahead_[worker], steps_[i]);
        }
    });
}

/// One cell after the other, each on all threads.
template <class Real>
void Cells<Real>::by_blocks(ThreadPool& pool, RandomPlace at)
{
    const std::size_t n = model_.layout.dyads();
    std::vector<DyadSums> sums(blocks_of(n));
    for (std::size_t i = 0; i < size(); ++i, ++at.unknown) {
        const auto in = begin_step(model_, cells_[i], steps_[i]);
        const auto a = dyads(i);
        pool.for_range(sums.size(), 1, [&](std::size_t begin, std::size_t end, unsigned) {
            react(model_.dyad, in, at, a, ahead_[0], begin,
                  std::span(sums).subspan(begin, end - begin), n);
        });
        pool.for_range(rows_of(model_), 1, [&](std::size_t begin, std::size_t end, unsigned) {
            diffuse(model_.dyad, model_.grid, model_.membrane.p.closed != 0, ahead_[0], a, begin,
                    end);
        });
        steps_[i].sums = {};
        for (const auto& s : sums)
            add(steps_[i].sums, s);
        end_step(model_, cells_[i], steps_[i]);
    }
}

template <class Real>
std::vector<std::byte> Cells<Real>::save() const
{
    const std::size_t membranes = cells_.size() * sizeof(CellState);
    std::vector<std::byte> out(membranes + memory_.size());
    std::memcpy(out.data(), cells_.data(), membranes);
    std::memcpy(out.data() + membranes, memory_.data(), memory_.size());
    return out;
}

template <class Real>
void Cells<Real>::restore(std::span<const std::byte> saved)
{
    const std::size_t membranes = cells_.size() * sizeof(CellState);
    if (saved.size() != membranes + memory_.size())
        throw Error("the saved state is one of other cells");
    std::memcpy(cells_.data(), saved.data(), membranes);
    std::memcpy(memory_.data(), saved.data() + membranes, memory_.size());
}

template class Cells<double>;
template class Cells<float>;

} // namespace tawara::calcium
