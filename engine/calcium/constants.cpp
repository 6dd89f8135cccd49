// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/calcium/constants.hpp"

#include "engine/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

namespace tawara::calcium {
namespace {

constexpr double pi = 3.142; // as in the public code

struct Volumes
{
    explicit Volumes(const Parameters& p)
    {
        const double cell = 1000 * pi * p.radius * p.radius * p.length;
        capacitive_cm2 = 2 * (2 * pi * p.radius * p.radius + 2 * pi * p.radius * p.length);
        myo = p.f_myo * cell / p.full_dyads;
        nsr = p.f_nsr * cell / p.full_dyads;
        jsr = p.f_jsr * cell / p.full_dyads;
        ss = p.f_ss * cell / p.full_dyads;
    }
    double capacitive_cm2, myo, nsr, jsr, ss; ///< [uL] of a dyad
};

void check(const Parameters& p, const Grid& g, double dt_ms)
{
    if (g.nx < 1 || g.ny < 1 || g.nz < 1 || g.count() > 1 << 28)
        throw InputError("--dyads",
                         "give three whole numbers from 1 whose product is at most 2^28");
    const double inverse = 1 / (p.spacing * p.spacing);
    const auto axes = [&](double z) {
        return (g.nx > 1 ? 1 : 0) + (g.ny > 1 ? 1 : 0) + (g.nz > 1 ? z : 0);
    };
    const double rates[] = {p.k_open + 1, p.k_close + 1, 1 / p.tau_ss,
                            4 * inverse * std::max(p.D_myo, p.D_ss) * axes(p.D_z),
                            4 * inverse * p.D_nsr * axes(1)};
    double fastest = 0;
    for (const double r : rates)
        fastest = std::max(fastest, r);
    if (!(dt_ms > 0) || !(dt_ms * fastest <= 1.000001)) {
        char text[120];
        std::snprintf(text, sizeof text,
                      "is %.6g ms; the dyads of these parameters need a step above 0, at most %.4g "
                      "ms",
                      dt_ms, 1 / fastest);
        throw InputError("--dt", text);
    }
}

} // namespace

Grid grid_of(std::span<const int> dyads)
{
    if (dyads.size() == 3)
        return {dyads[0], dyads[1], dyads[2]};
    constexpr int across = 10;
    if (dyads.size() != 1)
        throw InputError("--dyads", "has " + std::to_string(dyads.size()) +
                                        " numbers; it should be one (how many dyads) or three "
                                        "(along x, y, z)");
    if (dyads[0] < 1 || dyads[0] % (across * across) != 0)
        throw InputError("--dyads", "is " + std::to_string(dyads[0]) +
                                        "; it should be a multiple of 100 (N / 100 x 10 x 10), or "
                                        "three numbers along x, y, z");
    return {dyads[0] / (across * across), across, across};
}

MembraneConstants membrane_constants(const Parameters& p, const Grid& grid, double dt_ms)
{
    check(p, grid, dt_ms);
    const Volumes v(p);
    MembraneConstants c;
    c.p = p;
    c.dt_ms = dt_ms;
    c.amount = v.capacitive_cm2 / (v.myo * p.full_dyads * faraday_C_per_mol);
    c.dyads = static_cast<double>(grid.count());
    c.cleft_per_myo = p.v_cleft / (v.myo * p.full_dyads);
    c.sums_over = p.sums_over_all != 0 ? p.full_dyads : c.dyads;
    return c;
}

template <class Real>
DyadConstants<Real> dyad_constants(const Parameters& p, const Grid& grid, double dt_ms)
{
    check(p, grid, dt_ms);
    const Volumes v(p);
    const auto real = [](double x) { return static_cast<Real>(x); };
    const double per_current = v.capacitive_cm2 / (p.full_dyads * 2 * faraday_C_per_mol);
    DyadConstants<Real> c{};
    c.open = real(p.k_open * dt_ms);
    c.open_K4 = real(std::pow(p.K_open, 4));
    c.close = real(p.k_close * dt_ms);
    c.inhibit_K8 = real(std::pow(p.K_inhibit, 8));
    c.dt = real(dt_ms);
    c.RyR = real(p.RyR);
    c.active = real(p.active_part * p.RyR);
    c.refractory = static_cast<std::int32_t>(std::lround(p.refractory / dt_ms));
    c.K_mode = real(p.K_mode);
    c.per_LCC = real(1 / p.LCC);
    c.phosphorylated = real(1.1);
    c.LCC = static_cast<int>(p.LCC);
    c.camk_K = real(p.camk_K);
    c.camk_0 = real(p.camk_0);
    c.camk_Ca = real(p.camk_Ca);
    c.camk_a = real(p.camk_a * dt_ms);
    c.camk_b = real(p.camk_b * dt_ms);
    c.lcc_flux = real(-1e3 * per_current / p.v_cleft);
    c.tau_cleft = real(p.tau_cleft);
    c.release = real(p.g_release);
    c.cleft_to_ss = real(dt_ms * 1e-3 * p.v_cleft / v.ss);
    c.cleft_to_jsr = real(dt_ms * 1e-3 * p.v_cleft / v.jsr);
    c.exchange = real(dt_ms / p.tau_ss);
    c.ss_per_myo = real(v.ss / v.myo);
    c.ncx_ss = real(p.g_ncx * p.ncx_ss);
    c.ncx_myo = real(p.g_ncx * (1 - p.ncx_ss));
    c.K_ncx2 = real(p.K_ncx * p.K_ncx);
    c.ss_per_current = real(dt_ms * per_current / v.ss);
    c.myo_per_current = real(dt_ms * per_current / v.myo);
    c.pCa = real(p.g_pCa);
    c.K_pCa = real(p.K_pCa);
    c.ss = {real(p.K_bsr), real(p.bsr * p.K_bsr), real(p.K_bsl), real(p.bsl * p.K_bsl)};
    c.myo = {real(p.K_trpn), real(p.trpn * p.K_trpn), real(p.K_cmdn), real(p.cmdn * p.K_cmdn)};
    c.up = real(p.J_up * dt_ms);
    c.up_phosphorylated = real(p.J_up_phosphorylated * p.J_up * dt_ms);
    c.K_up = real(p.K_up_scale * p.K_up);
    c.K_up_phosphorylated = real(p.K_up_scale * (p.K_up - p.K_up_drop));
    c.leak = real(p.J_leak / p.nsr_full * dt_ms);
    c.nsr_per_myo = real(v.nsr / v.myo);
    c.tr = real(dt_ms / p.tau_tr);
    c.jsr_per_nsr = real(v.jsr / v.nsr);
    c.csqn = real(p.csqn * p.K_csqn);
    c.K_csqn = real(p.K_csqn);
    const int size[3] = {grid.nx, grid.ny, grid.nz};
    for (int axis = 0; axis < 3; ++axis) {
        const double per_D = size[axis] > 1 ? dt_ms / (p.spacing * p.spacing) : 0;
        const double z = axis == 2 ? p.D_z : 1;
        c.spread_myo[axis] = real(per_D * z * p.D_myo);
        c.spread_ss[axis] = real(per_D * z * p.D_ss);
        c.spread_nsr[axis] = per_D * p.D_nsr;
    }
    return c;
}
template DyadConstants<double> dyad_constants(const Parameters&, const Grid&, double);
template DyadConstants<float> dyad_constants(const Parameters&, const Grid&, double);

} // namespace tawara::calcium
