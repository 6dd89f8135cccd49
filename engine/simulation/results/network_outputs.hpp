// SPDX-License-Identifier: GPL-3.0-or-later
// What a run writes of its Purkinje network.
#pragma once
#include "engine/cable/network/part.hpp"
#include "engine/simulation/results/provenance.hpp"
#include "engine/simulation/tissue/purkinje.hpp"

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

namespace tawara::simulation {

inline constexpr const char* network_csv = "purkinje.csv";
inline constexpr const char* network_vtu = "purkinje.vtu";
inline constexpr const char* junctions_csv = "junctions.csv";

/// How a junction was passed first. antegrade: the wall after the network's end. retrograde: the
/// wall before. blocked: one of both alone was excited. waiting: the same, but less than
/// NetworkFrame::may_follow_ms before the run's end, so that the other may follow. silent: neither
/// was.
enum class Passage { silent, waiting, antegrade, retrograde, blocked };
inline constexpr std::size_t passages = 5;
std::string_view name(Passage p);
/// @param network_ms, tissue_ms  when its end and the tissue around it were excited first; below 0:
///                               never
/// @param reached_ms             how far the run came
Passage passage_of(double network_ms, double tissue_ms, double reached_ms);
/// Of an even count the mean of the middle two. @pre v is not empty
double median(std::vector<double> v);

/// Each point: id, place, fascicle, branch, activation; empty where it never happened.
void write_network_csv(const PurkinjeNetwork& n, const cable::NetworkTimes& t,
                       const std::filesystem::path& file);
/// The same as lines for ParaView.
void write_network_activation_vtu(const PurkinjeNetwork& n, const cable::NetworkTimes& t,
                                  const Provenance& by, const std::filesystem::path& file);
/// Each junction: its point's id, place, fascicle, branch, when the end and the tissue around it
/// were excited first, the delay between, the passage.
void write_junctions_csv(const PurkinjeNetwork& n, const cable::NetworkTimes& t, double reached_ms,
                         const std::filesystem::path& file);

/// The section of report.json.
nlohmann::ordered_json network_json(const PurkinjeNetwork& n, const cable::NetworkTimes& t,
                                    double reached_ms);

} // namespace tawara::simulation
