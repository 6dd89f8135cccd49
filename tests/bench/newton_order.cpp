// SPDX-License-Identifier: GPL-3.0-or-later
// Order in space of steps by Newton's method and of explicit ones: a smooth wave (Aliev and
// Panfilov) on bars of finer and finer edges, against explicit steps on the finest.
//     tawara-bench-newton-order [FINEST_EDGE_MM]   1/32 unless given
// One JSON record a line; the first order in time is taken out by steps of two lengths.
#include "tests/bench/built_from.hpp"
#include "tests/device/plane_wave.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>

using namespace tawara;
using namespace tawara::test;

int main(int argc, char** argv)
{
    try {
        const double finest = argc > 1 ? std::atof(argv[1]) : 1.0 / 32;
        using device::Stepping;
        using diffusion::Mass;
        const auto explicit_dt = [](double edge) { return edge * edge; }; // about half the bound
        const auto fine = plane_wave_in_the_limit(
            {finest, Stepping::explicit_, Mass::lumped, explicit_dt(finest), 4 * finest});
        for (const auto stepping : {Stepping::newton, Stepping::explicit_})
            for (const auto mass : {Mass::lumped, Mass::consistent}) {
                PlaneWaveError last;
                for (double edge = 0.5; edge > 3 * finest; edge /= 2) {
                    const double dt =
                        stepping == Stepping::newton ? 0.1 : std::min(0.02, explicit_dt(edge));
                    const auto e =
                        difference(plane_wave_in_the_limit({edge, stepping, mass, dt}), fine);
                    nlohmann::ordered_json j;
                    j["schema"] = 1;
                    j["commit"] = bench::built_from;
                    j["model"] = "aliev_panfilov_1996";
                    j["stepping"] = stepping == Stepping::newton ? "newton" : "explicit";
                    j["mass"] = std::string(diffusion::name(mass));
                    j["edge_mm"] = edge;
                    j["dt_ms"] = {dt, dt / 2};
                    j["against"] = {{"stepping", "explicit"},
                                    {"mass", "lumped"},
                                    {"edge_mm", finest},
                                    {"dt_ms", {explicit_dt(finest), explicit_dt(finest) / 2}}};
                    j["v_rms_mV"] = e.v_mV;
                    j["activation_rms_ms"] = e.activation_ms;
                    if (last.v_mV > 0)
                        j["order"] = {
                            {"v", std::log2(last.v_mV / e.v_mV)},
                            {"activation", std::log2(last.activation_ms / e.activation_ms)}};
                    std::printf("%s\n", j.dump().c_str());
                    std::fflush(stdout);
                    last = e;
                }
            }
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "error: %s\n", e.what());
        return 4;
    }
}
