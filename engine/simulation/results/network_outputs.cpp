// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/network_outputs.hpp"

#include "engine/cable/growth/network_vtu.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/simulation/observe/network_frame.hpp"
#include "engine/simulation/session/csv.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace tawara::simulation {
namespace {

using NetworkJson = nlohmann::ordered_json;

/// When a point was activated; NaN: never.
double point_ms(const PurkinjeNetwork& n, const cable::NetworkTimes& t, std::size_t point)
{
    const auto node = n.description.cables.compartments.node_of_point[point];
    const double ms = t.node_ms[static_cast<std::size_t>(node)];
    return ms < 0 ? std::numeric_limits<double>::quiet_NaN() : ms;
}

std::string fascicle_of(const cable::Morphology& m, std::size_t point)
{
    const auto kind = m.kind[point];
    return kind >= 0 && kind < cable::fascicles
               ? std::string(cable::name(static_cast<cable::Fascicle>(kind)))
               : std::to_string(kind);
}

/// id, place, fascicle, branch.
std::string point_fields(const PurkinjeNetwork& n, const cable::Branches& branches,
                         std::size_t point)
{
    std::string line = std::to_string(point);
    for (const double x : n.morphology.point_mm[point]) {
        line += ',';
        append_number(line, x, 9);
    }
    return line + "," + fascicle_of(n.morphology, point) + "," + std::to_string(branches.of[point]);
}

/// The least, the middle one and the greatest; nothing of none.
NetworkJson three_of(std::vector<double> v)
{
    if (v.empty())
        return nullptr;
    const auto [least, greatest] = std::minmax_element(v.begin(), v.end());
    return {{"least", *least}, {"median", median(v)}, {"greatest", *greatest}};
}

} // namespace

std::string_view name(Passage p)
{
    constexpr std::array<std::string_view, passages> names{"silent", "waiting", "antegrade",
                                                           "retrograde", "blocked"};
    return names[static_cast<std::size_t>(p)];
}

Passage passage_of(double network_ms, double tissue_ms, double reached_ms)
{
    if (network_ms >= 0 && tissue_ms >= 0)
        return tissue_ms >= network_ms ? Passage::antegrade : Passage::retrograde;
    const double one_ms = std::max(network_ms, tissue_ms);
    if (one_ms < 0)
        return Passage::silent;
    return reached_ms - one_ms < NetworkFrame::may_follow_ms ? Passage::waiting : Passage::blocked;
}

double median(std::vector<double> v)
{
    const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
    std::nth_element(v.begin(), middle, v.end());
    return v.size() % 2 == 1 ? *middle : (*middle + *std::max_element(v.begin(), middle)) / 2;
}

void write_network_csv(const PurkinjeNetwork& n, const cable::NetworkTimes& t,
                       const std::filesystem::path& file)
{
    const auto branches = cable::branches_of(n.morphology);
    write_whole(file, [&](std::ostream& out) {
        out << "id,x_mm,y_mm,z_mm,fascicle,branch,activation_ms\n";
        for (std::size_t i = 0; i < n.morphology.points(); ++i) {
            auto line = point_fields(n, branches, i) + ",";
            append_number(line, point_ms(n, t, i), 10);
            out << line << '\n';
        }
    });
}

void write_network_activation_vtu(const PurkinjeNetwork& n, const cable::NetworkTimes& t,
                                  const Provenance& by, const std::filesystem::path& file)
{
    std::vector<cable::AtPoints> more(2);
    more[0].name = "activation_ms";
    more[1].name = "cut";
    for (std::size_t i = 0; i < n.morphology.points(); ++i) {
        more[0].values.push_back(point_ms(n, t, i));
        more[1].values.push_back(n.cut[i]);
    }
    cable::write_network_vtu(n.morphology, more, file, by.text);
}

void write_junctions_csv(const PurkinjeNetwork& n, const cable::NetworkTimes& t, double reached_ms,
                         const std::filesystem::path& file)
{
    const auto branches = cable::branches_of(n.morphology);
    write_whole(file, [&](std::ostream& out) {
        out << "id,x_mm,y_mm,z_mm,fascicle,branch,purkinje_ms,tissue_ms,delay_ms,passage\n";
        for (std::size_t k = 0; k < n.junction_at.size(); ++k) {
            const double end = t.node_ms[static_cast<std::size_t>(n.description.junctions[k].node)],
                         wall = t.junction_tissue_ms[k];
            auto line = point_fields(n, branches, static_cast<std::size_t>(n.junction_at[k]));
            const double none = std::numeric_limits<double>::quiet_NaN();
            for (const double ms : {end < 0 ? none : end, wall < 0 ? none : wall,
                                    end < 0 || wall < 0 ? none : wall - end}) {
                line += ',';
                append_number(line, ms, 10);
            }
            out << line << "," << name(passage_of(end, wall, reached_ms)) << '\n';
        }
    });
}

NetworkJson network_json(const PurkinjeNetwork& n, const cable::NetworkTimes& t, double reached_ms)
{
    const auto& m = n.morphology;
    double length = 0;
    for (std::size_t i = 0; i < m.points(); ++i)
        length += cable::piece_mm(m, i);
    NetworkJson j = NetworkJson::object();
    j["nodes"] = n.description.cables.compartments.nodes();
    j["branches"] = cable::branches_of(m).count();
    j["length_mm"] = length;
    j["junctions"] = n.description.junctions.size();
    j["ends_without_junction"] = n.unjoined.size();
    j["resistance_kOhm"] = n.description.junctions.front().resistance_kOhm;
    if (n.found)
        j["resistance_search"] = {{"delay_ms", n.found->delay_ms},
                                  {"least_ms", n.found->least_ms},
                                  {"most_ms", n.found->most_ms},
                                  {"junctions", n.found->junctions},
                                  {"blocked", n.found->blocked},
                                  {"blocks_from_kOhm", n.found->blocks_from_kOhm > 0
                                                           ? NetworkJson(n.found->blocks_from_kOhm)
                                                           : NetworkJson(nullptr)}};
    std::array<std::size_t, passages> count{};
    std::vector<double> antegrade, retrograde, activated, walls;
    for (std::size_t k = 0; k < n.description.junctions.size(); ++k) {
        const double end = t.node_ms[static_cast<std::size_t>(n.description.junctions[k].node)],
                     wall = t.junction_tissue_ms[k];
        const auto p = passage_of(end, wall, reached_ms);
        ++count[static_cast<std::size_t>(p)];
        if (p == Passage::antegrade)
            antegrade.push_back(wall - end);
        if (p == Passage::retrograde)
            retrograde.push_back(end - wall);
        if (wall >= 0)
            walls.push_back(wall);
    }
    for (const double ms : t.node_ms)
        if (ms >= 0)
            activated.push_back(ms);
    j["nodes_activated"] = activated.size();
    j["activation_ms"] = three_of(activated);
    j["tissue_at_junctions_ms"] = three_of(walls);
    for (std::size_t k = 0; k < count.size(); ++k)
        j["passages"][std::string(name(static_cast<Passage>(k)))] = count[k];
    j["antegrade_delay_ms"] = three_of(antegrade);
    j["retrograde_delay_ms"] = three_of(retrograde);
    return j;
}

} // namespace tawara::simulation
