// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/calcium/state.hpp"

#include "engine/calcium/dyad.hpp"
#include "engine/core/error.hpp"
#include "engine/core/nearest.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

namespace tawara::calcium {
namespace {

const std::array list{
    Start{"paced",
          "end of a cycle after 660 beats at 500 ms",
          {.v = -87.337218,
           .Na_i = 7.8792457,
           .K_i = 142.50778,
           .m = 0.021330155,
           .hf = 0.67460089,
           .hs = 0.67441373,
           .j = 0.67282745,
           .hsp = 0.42741477,
           .jp = 0.66771617,
           .mL = 2.1359642e-4,
           .hL = 0.35626719,
           .hLp = 0.1710304,
           .a = 0.0010470213,
           .iF = 0.99949856,
           .iS = 0.24109811,
           .ap = 5.3349767e-4,
           .iFp = 0.99949865,
           .iSp = 0.27403845,
           .d = 2.7394681e-9,
           .ff = 0.99999999,
           .fs = 0.7770518,
           .fcaf = 0.99999999,
           .fcas = 0.96911569,
           .jca = 0.97669776,
           .ffp = 0.9999977,
           .fcafp = 0.99999981,
           .xrf = 0.0069875599,
           .xrs = 0.78227688,
           .xs1 = 0.46590204,
           .xs2 = 2.9851592e-4,
           .xk1 = 0.99693328,
           .camk = 0},
          1.2115469e-4,
          1.2032867e-4,
          2.0489541,
          1.6587258,
          0.010585,
          0.043068},
    Start{"paced_low_IK1",
          "the same with g_K1 x 0.4",
          {.v = -87.165564,
           .Na_i = 7.8659007,
           .K_i = 142.52198,
           .m = 0.021696401,
           .hf = 0.66837296,
           .hs = 0.66788032,
           .j = 0.6640664,
           .hsp = 0.41947842,
           .jp = 0.6555243,
           .mL = 2.2067862e-4,
           .hL = 0.32870585,
           .hLp = 0.15283754,
           .a = 0.0010592964,
           .iF = 0.99948215,
           .iS = 0.23400296,
           .ap = 5.3975552e-4,
           .iFp = 0.99948238,
           .iSp = 0.26318654,
           .d = 2.8536244e-9,
           .ff = 0.99999999,
           .fs = 0.7777051,
           .fcaf = 0.99999999,
           .fcas = 0.96928116,
           .jca = 0.97681062,
           .ffp = 0.99999699,
           .fcafp = 0.99999981,
           .xrf = 0.0096086645,
           .xrs = 0.79407215,
           .xs1 = 0.46518688,
           .xs2 = 3.5970878e-4,
           .xk1 = 0.99698142,
           .camk = 0},
          1.2097217e-4,
          1.2014463e-4,
          2.045913,
          1.6572268,
          0.010524,
          0.042953},
    Start{"code",
          "of the public code: isoproterenol and g_K1 x 0.4, 100 beats at 500 ms and 7 cycles of "
          "rest",
          {.v = -87.4166,
           .Na_i = 5.88383,
           .K_i = 141.712,
           .m = 0.0211631,
           .hf = 0.480144,
           .hs = 0.479739,
           .j = 0.473817,
           .hsp = 0.249023,
           .jp = 0.460561,
           .mL = 0.000210404,
           .hL = 0.296362,
           .hLp = 0.134898,
           .a = 0.00104148,
           .iF = 0.999505,
           .iS = 0.20048,
           .ap = 0.000530675,
           .iFp = 0.999505,
           .iSp = 0.221394,
           .d = 7.36138e-8,
           .ff = 1,
           .fs = 0.692324,
           .fcaf = 1,
           .fcas = 0.933007,
           .jca = 0.955313,
           .ffp = 0.999976,
           .fcafp = 0.999998,
           .xrf = 0.0202163,
           .xrs = 0.821959,
           .xs1 = 0.524584,
           .xs2 = 0.000847115,
           .xk1 = 0.996917,
           .camk = 0},
          9.35235e-5,
          9.42268e-5,
          4.27252,
          3.81969,
          0,
          0.1},
};

} // namespace

std::span<const Start> starts()
{
    return list;
}

const Start& start_named(std::string_view name)
{
    const auto found =
        std::find_if(list.begin(), list.end(), [&](const Start& s) { return name == s.name; });
    if (found != list.end())
        return *found;
    std::vector<std::string> known;
    for (const auto& s : list)
        known.emplace_back(s.name);
    throw InputError("--start " + std::string(name),
                     "is no state that ohara_rudy_dyads_2011 begins with" + hint(name, known));
}

template <class Real>
void begin(const Parameters& p, const Start& start, const DyadLayout<Real>& layout, double dt_ms,
           RandomPlace at, CellState& cell, const DyadArrays<Real>& dyads)
{
    constexpr double rest_ms = 2000;
    const auto fill = [&](auto* to, auto value) {
        std::fill_n(to, layout.room(), static_cast<std::remove_pointer_t<decltype(to)>>(value));
    };
    const double c_d = 1e3 * start.c_ss;
    cell = start.cell;
    cell.camk = start.camk_t + p.camk_0 * (1 - start.camk_t) * c_d / (c_d + p.camk_Ca);
    fill(dyads.c_myo, start.c_myo);
    fill(dyads.c_ss, start.c_ss);
    fill(dyads.c_d, c_d);
    fill(dyads.c_nsr, start.c_nsr);
    fill(dyads.c_jsr, start.c_jsr);
    fill(dyads.n_ca, start.n_ca);
    fill(dyads.camk_t, start.camk_t);
    fill(dyads.activated, -std::lround(rest_ms / dt_ms));
    for (auto* count : {dyads.C1, dyads.O1, dyads.C2, dyads.C3})
        fill(count, 0);
    at.step = 0;
    at.stream = start_stream;
    const double available = start.c_jsr / (start.c_jsr + p.K_inhibit);
    for (std::size_t i = 0; i < layout.dyads(); ++i) {
        const double u = DyadRandom{at, static_cast<std::uint32_t>(i)}(0);
        const double C1 = binomial(p.RyR, available, u).events;
        dyads.C1[i] = static_cast<std::uint8_t>(C1);
        dyads.C2[i] = static_cast<std::uint8_t>(p.RyR - C1);
    }
}
template void begin(const Parameters&, const Start&, const DyadLayout<double>&, double, RandomPlace,
                    CellState&, const DyadArrays<double>&);
template void begin(const Parameters&, const Start&, const DyadLayout<float>&, double, RandomPlace,
                    CellState&, const DyadArrays<float>&);

} // namespace tawara::calcium
