// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cli/cell_sparks.hpp"

#include "engine/core/whole_file.hpp"
#include "engine/simulation/observe/spark_csv.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace tawara::cli {
namespace {

using namespace tawara::calcium;

Json known_or_null(double x)
{
    return std::isfinite(x) ? Json(x) : Json(nullptr);
}

Json quartiles_of(const Quantiles& q)
{
    return {{"known", q.count()},
            {"quartile_1", known_or_null(q.at(0.25))},
            {"median", known_or_null(q.at(0.5))},
            {"quartile_3", known_or_null(q.at(0.75))},
            {"exact", q.exact()}};
}

Json statistics_of(const SparkFinder& finder)
{
    const auto& s = finder.statistics();
    const auto& criteria = finder.criteria();
    Json j{
        {"count", s.count},
        {"not_ended", s.unended},
        {"observed_ms", s.observed_ms},
        {"per_cell_and_s", known_or_null(s.per_s())},
        {"per_100_um_and_s", known_or_null(s.per_100_um_and_s(finder.grid(), criteria.spacing_um))},
        {"criteria",
         {{"every_ms", criteria.every_ms},
          {"begins_above_open_RyR", criteria.begins_above},
          {"ends_below_open_RyR", criteria.ends_below}}}};
    for (std::size_t k = 0; k < spark_kinds; ++k)
        j["kinds"][spark_kind_name(static_cast<SparkKind>(k))] = s.kinds[k];
    j["dyads"] = quartiles_of(s.dyads);
    j["amplitude"] = quartiles_of(s.amplitude);
    j["peak_uM"] = quartiles_of(s.peak_uM);
    j["peak_after_ms"] = quartiles_of(s.peak_after_ms);
    j["rise_ms"] = quartiles_of(s.rise_ms);
    j["duration_ms"] = quartiles_of(s.duration_ms);
    j["width_x_um"] = quartiles_of(s.width_x_um);
    j["width_y_um"] = quartiles_of(s.width_y_um);
    j["width_z_um"] = quartiles_of(s.width_z_um);
    return j;
}

void say_sparks(Context& c, const SparkFinder& finder)
{
    const auto& s = finder.statistics();
    std::array<char, 400> line{};
    const auto count = [&](SparkKind k) {
        return static_cast<long long>(s.kinds[static_cast<std::size_t>(k)]);
    };
    std::snprintf(
        line.data(), line.size(),
        "%lld sparks, %lld macro-sparks, %lld waves and %lld synchronous releases in %.6g "
        "ms (%lld not ended): %.4g a cell and s, %.4g in 100 um and s",
        count(SparkKind::spark), count(SparkKind::macrospark), count(SparkKind::wave),
        count(SparkKind::synchronous), s.observed_ms, static_cast<long long>(s.unended), s.per_s(),
        s.per_100_um_and_s(finder.grid(), finder.criteria().spacing_um));
    c.say(line.data());
    if (s.count == 0)
        return;
    std::snprintf(line.data(), line.size(),
                  "medians: %.3g dyads, amplitude %.3g, peak %.3g uM after %.3g ms, rise %.3g ms, "
                  "duration %.3g ms, width along x %.3g um",
                  s.dyads.at(0.5), s.amplitude.at(0.5), s.peak_uM.at(0.5), s.peak_after_ms.at(0.5),
                  s.rise_ms.at(0.5), s.duration_ms.at(0.5), s.width_x_um.at(0.5));
    c.say(line.data());
}

} // namespace

Json write_sparks(Context& c, const std::string& file, PacedCellOptions& o,
                  const std::function<void()>& run)
{
    Json j;
    need_writable_file(file);
    write_whole(file, [&](std::ostream& out) {
        simulation::write_spark_header(out);
        SparkFinder finder(o.grid, spark_criteria(o.parameters),
                           [&](const Spark& s) { simulation::write_spark(out, s); });
        o.sparks = &finder;
        run();
        o.sparks = nullptr;
        say_sparks(c, finder);
        j = statistics_of(finder);
    });
    j["file"] = file;
    return j;
}

} // namespace tawara::cli
