// SPDX-License-Identifier: GPL-3.0-or-later
// A bar of tissue with a cable that ends at its left face.
#pragma once
#include "engine/core/error.hpp"
#include "engine/simulation/run/run.hpp"
#include "engine/simulation/session/session.hpp"

#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

#include <filesystem>
#include <fstream>
#include <string>

namespace tawara::simulation::bar {

namespace fs = std::filesystem;

inline constexpr double bar_mm = 8;

/// What a session has of the network, and the rest around it.
inline std::string session_text(const std::string& purkinje, double end_ms = 60)
{
    return R"({"schema": 1, "mesh": {"slab_mm": [8, 1.5, 1.5], "spacing_mm": 0.5},
  "tissue": {"regions": [{"label": "*", "model": "ten_tusscher_2006", "variant": "epi",
    "conductivity_S_per_m": {"fibre": 0.3, "sheet": 0.1, "normal": 0.1}}]},
  "diffusion": {"scheme": "p1"}, "purkinje": )" +
           purkinje + R"(, "time": {"dt_ms": 0.02, "end_ms": )" + std::to_string(end_ms) + "}}";
}

/// x y z radius parent: from 12 mm to the left of the bar to the middle of its face.
inline constexpr const char* wire =
    "-12 0.75 0.75 0.02 -1\n-6 0.75 0.75 0.02 0\n0 0.75 0.75 0.02 1\n";

struct Bar
{
    QTemporaryDir dir;
    fs::path folder = dir.path().toStdString();

    Bar() { std::ofstream(folder / "wire.txt") << wire; }
    Session session(const std::string& keys, double end_ms = 60) const
    {
        auto s = parse_session(
            session_text(R"({"file": "wire.txt", "length_unit": "mm")" + keys + "}", end_ms),
            "bar.json");
        s.folder = folder;
        return s;
    }
    /// @return the network's section of the report
    QJsonObject run(const Session& s, const char* out, const fs::path& resume = {}) const
    {
        RunOptions o;
        o.out = folder / out;
        o.session_file = "bar.json";
        o.device.devices = "cpu";
        o.resume = resume;
        const auto report = run_session(s, o);
        return QJsonDocument::fromJson(QByteArray::fromStdString(report.json))
            .object()["purkinje"]
            .toObject();
    }
};

} // namespace tawara::simulation::bar
