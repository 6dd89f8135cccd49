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
    const auto counted = [&](SparkKind k, const char* one, const char* more) {
        const auto n = s.kinds[static_cast<std::size_t>(k)];
        return std::to_string(n) + ' ' + (n == 1 ? one : more);
    };
    std::array<char, 160> line{};
    std::snprintf(line.data(), line.size(),
                  " in %.6g ms (%lld not ended): %.4g a cell and s, %.4g in 100 um and s",
                  s.observed_ms, static_cast<long long>(s.unended), s.per_s(),
                  s.per_100_um_and_s(finder.grid(), finder.criteria().spacing_um));
    c.say(counted(SparkKind::spark, "spark", "sparks") + ", " +
          counted(SparkKind::macrospark, "macro-spark", "macro-sparks") + ", " +
          counted(SparkKind::wave, "wave", "waves") + " and " +
          counted(SparkKind::synchronous, "synchronous release", "synchronous releases") +
          line.data());
    if (s.count == 0)
        return;
    const auto median = [](const Quantiles& q, const char* unit) {
        const double x = q.at(0.5);
        std::array<char, 40> text{};
        std::snprintf(text.data(), text.size(), "%.3g%s", x, unit);
        return std::isfinite(x) ? std::string(text.data()) : std::string("not known");
    };
    c.say("medians: " + median(s.dyads, " dyads") + ", amplitude " + median(s.amplitude, "") +
          ", peak " + median(s.peak_uM, " uM") + " after " + median(s.peak_after_ms, " ms") +
          ", rise " + median(s.rise_ms, " ms") + ", duration " + median(s.duration_ms, " ms") +
          ", width along x " + median(s.width_x_um, " um"));
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
