// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/tissue/junction_search.hpp"

#include "engine/core/error.hpp"
#include "engine/device/stepper.hpp"
#include "engine/simulation/session/csv.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

namespace tawara::simulation {
namespace {

constexpr double cut_out_mm = 8, cable_mm = 12, longest_ms = 60;
constexpr std::size_t most_junctions = 9, most_unknowns = 4000;
constexpr double most_blocked = 0.2; // of the junctions
constexpr double least_kOhm = 1e-2, most_kOhm = 1e6;
constexpr double fine = 0.01; // of the resistance's logarithm
/// Of the interval between these two until it is fine.
const double halvings = std::ceil(std::log2(std::log(most_kOhm / least_kOhm) / fine));

/// The tissue around a place, and one junction's ports in it.
struct CutOut
{
    device::TissueProblem problem;
    device::Ports ports;
    double tissue_uF = 0;
};

void append_port(device::Gather& to, const device::Gather& from, std::size_t k,
                 const std::vector<std::int32_t>& number)
{
    for (auto i = static_cast<std::size_t>(from.first[k]);
         i < static_cast<std::size_t>(from.first[k + 1]); ++i) {
        to.unknown.push_back(number[static_cast<std::size_t>(from.unknown[i])]);
        to.weight.push_back(from.weight[i]);
    }
    to.first.push_back(static_cast<std::int64_t>(to.unknown.size()));
}

CutOut cut_out(const device::TissueProblem& p, const device::Ports& ports, std::size_t junction,
               const Vec3& place)
{
    CutOut out;
    auto& q = out.problem;
    std::vector<std::int32_t> number(p.size(), -1), kept;
    const auto keep = [&](std::size_t u) {
        if (number[u] < 0 && p.has_cells(u)) {
            number[u] = static_cast<std::int32_t>(kept.size());
            kept.push_back(static_cast<std::int32_t>(u));
        }
    };
    std::vector<std::pair<double, std::size_t>> near;
    for (std::size_t u = 0; u < p.size(); ++u)
        if (const double d = norm(p.position_mm[u] - place); d <= cut_out_mm)
            near.emplace_back(d, u);
    if (near.size() > most_unknowns) {
        std::nth_element(near.begin(), near.begin() + most_unknowns, near.end());
        near.resize(most_unknowns);
    }
    for (const auto& [d, u] : near)
        keep(u);
    for (auto i = ports.potential.first[junction]; i < ports.potential.first[junction + 1]; ++i)
        keep(static_cast<std::size_t>(ports.potential.unknown[static_cast<std::size_t>(i)]));
    q.system.scheme = p.system.scheme;
    q.system.alpha.first.push_back(0);
    double fastest = 0;
    for (const auto at : kept) {
        const auto u = static_cast<std::size_t>(at);
        double flow = 0;
        for (auto k = static_cast<std::size_t>(p.system.alpha.first[u]);
             k < static_cast<std::size_t>(p.system.alpha.first[u + 1]); ++k) {
            const auto to = number[static_cast<std::size_t>(p.system.alpha.column[k])];
            if (to < 0)
                continue;
            // k_ij of consistent mass becomes alpha_ij of lumped mass
            const double value = p.system.mass == diffusion::Mass::consistent
                                     ? p.system.alpha.value[k] / p.system.volume[u]
                                     : p.system.alpha.value[k];
            q.system.alpha.column.push_back(to);
            q.system.alpha.value.push_back(value);
            flow += std::abs(value);
        }
        q.system.alpha.first.push_back(static_cast<std::int64_t>(q.system.alpha.column.size()));
        q.system.volume.push_back(p.system.volume[u]);
        q.position_mm.push_back(p.position_mm[u]);
        q.group.push_back(p.group[u]);
        q.type.push_back(p.type[u]);
        fastest = std::max(fastest, flow);
    }
    q.system.stable_dt_ms = fastest > 0 ? 1 / fastest : std::numeric_limits<double>::infinity();
    q.groups = p.groups;
    q.dt_ms = p.dt_ms;
    q.splitting = p.splitting;
    q.substeps = diffusion::choose_substeps(p.dt_ms, q.system.stable_dt_ms);
    q.activation_threshold_mV = p.activation_threshold_mV;
    append_port(out.ports.potential, ports.potential, junction, number);
    append_port(out.ports.current, ports.current, junction, number);
    return out;
}

/// A straight cable of the network's material and cells; the junction at its end.
cable::NetworkDescription straight(const cable::NetworkDescription& like, double tissue_uF,
                                   double kOhm)
{
    const auto& c = like.cables.compartments;
    // the inside of any branch tells a node's capacitance and coupling: the median node has them
    std::vector<std::size_t> order(c.nodes());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto middle = order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2);
    std::nth_element(order.begin(), middle, order.end(), [&](std::size_t a, std::size_t b) {
        return c.capacitance_nF[a] < c.capacitance_nF[b];
    });
    const auto node = *middle;
    const auto parent = static_cast<std::size_t>(std::max(c.tree.parent[node], 0));
    const double step_mm = std::max(norm(c.place_mm[node] - c.place_mm[parent]), 1e-3);
    cable::Morphology m;
    m.parent = {-1, 0};
    m.point_mm = {{0, 0, 0}, {cable_mm, 0, 0}};
    m.radius_um = {c.radius_um[node], c.radius_um[node]};
    m.kind = {0, 0};
    cable::Cutting cutting;
    cutting.space_step_um = 1e3 * step_mm;
    const double r_cm = 1e-4 * c.radius_um[node];
    // g = pi r^2 / (R_i dx): the same material from the node's own numbers
    cutting.material.axial_resistivity_ohm_cm =
        3.14159265358979 * r_cm * r_cm / (0.1 * step_mm * 1e-6 * c.coupling_uS[node]);
    cutting.material.capacitance_uF_per_cm2 =
        1e-3 * c.capacitance_nF[node] / (1e-8 * c.area_um2[node]);
    auto out = like;
    out.cables.compartments = cable::discretise(m, cutting);
    out.cables.type_of_node.clear();
    out.junctions = {
        {static_cast<std::int32_t>(out.cables.compartments.nodes()) - 1, kOhm, tissue_uF}};
    out.stimuli.clear();
    device::StimulusSource start;
    for (std::int32_t i = 0;
         out.cables.compartments.from_root_um[static_cast<std::size_t>(i)] <= 2000; ++i)
        start.unknowns.push_back(i);
    start.amplitude_pA_per_pF = 200;
    start.duration_ms = 2;
    out.stimuli.push_back(start);
    return out;
}

/// From the end's activation to the tissue's; nothing where the tissue is not excited.
/// @param done  part of the search that is
std::optional<double> delay_of(const CutOut& at, const cable::NetworkDescription& like, double kOhm,
                               double done, const Progress& progress)
{
    const auto stepper = device::make_stepper(at.problem, {"cpu", Precision::double_, 1});
    const auto d = straight(like, at.tissue_uF, kOhm);
    auto& part = static_cast<cable::NetworkPart&>(stepper->add_part(
        at.ports, [&](int) { return std::unique_ptr<device::Part>(cable::make_cpu_network(d)); }));
    const auto a_while = std::max<std::int64_t>(1, std::llround(2 / at.problem.dt_ms));
    while (stepper->time_ms() < longest_ms) {
        progress.at(done, "searching for the resistance of the junctions");
        stepper->advance(a_while);
        const auto times = part.times();
        const double end = times.node_ms[static_cast<std::size_t>(d.junctions[0].node)],
                     tissue = times.junction_tissue_ms[0];
        if (end >= 0 && tissue >= 0)
            return tissue - end;
    }
    return {};
}

/// The delays at the junctions that conduct, in order of size; nothing where too many block.
/// @param halved  how often the interval was halved by now
std::vector<double> delays_of(std::span<const CutOut> all, const cable::NetworkDescription& like,
                              double kOhm, int halved, const Progress& progress)
{
    std::vector<double> out;
    const auto may_block = static_cast<std::size_t>(most_blocked * static_cast<double>(all.size()));
    for (std::size_t k = 0; k < all.size(); ++k) {
        if (k - out.size() > may_block)
            return {};
        const double part = halved + static_cast<double>(k) / static_cast<double>(all.size());
        if (const auto delay = delay_of(all[k], like, kOhm, part / halvings, progress))
            out.push_back(*delay);
    }
    if (all.size() - out.size() > may_block)
        return {};
    std::sort(out.begin(), out.end());
    return out;
}

} // namespace

FoundResistance search_resistance(const device::TissueProblem& p, const device::Ports& ports,
                                  const cable::NetworkDescription& network,
                                  std::span<const Vec3> places_mm, double wanted_ms,
                                  const std::string& file, const Progress& progress)
{
    // junctions from little to much tissue: the last one blocks first
    std::vector<std::size_t> order(network.junctions.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return network.junctions[a].tissue_uF < network.junctions[b].tissue_uF;
    });
    std::vector<CutOut> all;
    const auto tried = std::min(most_junctions, order.size());
    for (std::size_t k = 0; k < tried; ++k) {
        const auto j = order[(2 * k + 1) * order.size() / (2 * tried)];
        all.push_back(cut_out(p, ports, j, places_mm[j]));
        all.back().tissue_uF = network.junctions[j].tissue_uF;
    }
    FoundResistance best;
    best.junctions = static_cast<int>(tried);
    const auto take = [&](double kOhm, const std::vector<double>& delays) {
        best.kOhm = kOhm;
        best.delay_ms = delays[delays.size() / 2];
        best.least_ms = delays.front();
        best.most_ms = delays.back();
        best.blocked = static_cast<int>(tried - delays.size());
    };
    double low = std::log(least_kOhm), high = std::log(most_kOhm);
    for (int k = 0; high - low > fine; ++k) {
        const double middle = 0.5 * (low + high);
        const auto delays = delays_of(all, network, std::exp(middle), k, progress);
        if (delays.empty())
            best.blocks_from_kOhm = std::exp(middle);
        if (!delays.empty() && delays[delays.size() / 2] <= wanted_ms) {
            take(std::exp(middle), delays);
            low = middle;
        } else {
            high = middle;
        }
    }
    constexpr double near = 0.15; // of the delay
    if (best.kOhm > 0 && best.delay_ms > (1 - near) * wanted_ms)
        return best;
    const std::string found =
        best.kOhm > 0 ? "the latest that conducts is " + number_text(best.delay_ms, 3) +
                            " ms, at " + number_text(best.kOhm, 3) + " kOhm"
                      : std::string("no resistance conducts as soon as that: more fibres "
                                    "(purkinje.fibres) or a smaller junctions.radius_mm would");
    throw InputError(file, "/purkinje/junctions/antegrade_ms",
                     "is " + number_text(wanted_ms, 4) +
                         " ms, which no resistance of the junctions gives on this mesh; " + found);
}

} // namespace tawara::simulation
