// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/session/session.hpp"
#include "engine/simulation/session/session_key_json.hpp"

/// The parts of session files that go beyond tissue and pulses: meshes, places, protocols, drugs,
/// electrodes.
namespace tawara::simulation {

/// `mesh`: a file, a slab, a generated heart or the embedded one.
MeshSource mesh_source(const JsonNode& n);

/// Labels: an integer, a list of them, or (where allowed) "*", which gives an empty list.
std::vector<std::int32_t> labels_of(const JsonNode& n, bool all_allowed);
Box box_of(const JsonNode& n);
/// @param object  which of the table's balls it is
Sphere sphere_of(const JsonNode& n, std::string_view object);
Json sphere_json(const Sphere& s);

/// {"label": ..}, {"box_mm": ..}, {"sphere_mm": ..}, {"layer": "endo"}, {"aha_segments": [..]} or
/// {"tetrahedra": [3, [10, 20], ..]} (numbers, and runs of them, both ends included).
Where where_of(const JsonNode& n);
Json where_json(const Where& w);

Protocol protocol_of(const JsonNode& n, double duration_ms);
Json protocol_json(const Protocol& p);

/// {"NAME": factor >= 0, ..}
std::vector<std::pair<std::string, double>> factors_of(const JsonNode& n);
std::vector<Drug> drugs_of(const JsonNode& n);
Json drugs_json(const std::vector<Drug>& drugs);

/// The names of all factors, of regions and of drugs, mean a parameter (need_factor_name()).
/// @param n  the whole session, of which `s` has been read
void check_factor_names(const JsonNode& n, const Session& s);

/// Conductivities along fibre, sheet and normal, each above 0. [S/m]
Vec3 principal(const JsonNode& n);

/// `ecg`: electrodes, leads, frame, every_ms, bath conductivity.
void read_ecg(const JsonNode& n, Session& s);
Json ecg_json(const Session& s);

Json json_point(const Vec3& p);

} // namespace tawara::simulation
