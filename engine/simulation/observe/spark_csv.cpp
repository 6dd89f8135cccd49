// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/observe/spark_csv.hpp"

#include "engine/core/whole_file.hpp"
#include "engine/simulation/session/csv.hpp"

#include <cstdint>
#include <string>

namespace tawara::simulation {
namespace {

constexpr int spark_digits = 6, time_digits = 12;

} // namespace

void write_spark_header(std::ostream& out)
{
    out << "number,start_ms,end_ms,x,y,z,dyads,sites,kind,rest_uM,peak_uM,amplitude,peak_after_ms,"
           "rise_ms,duration_ms,width_x_um,width_y_um,width_z_um,span_x_um,span_y_um,span_z_um\n";
}

void write_spark(std::ostream& out, const calcium::Spark& s)
{
    std::string line = std::to_string(s.number);
    const auto add = [&](double x) {
        line += ',';
        append_number(line, x, spark_digits);
    };
    const auto add_count = [&](std::int64_t x) { line += ',' + std::to_string(x); };
    line += ',' + number_text(s.start_ms, time_digits) + ',';
    if (s.ended())
        line += number_text(s.end_ms, time_digits);
    for (const std::int64_t x :
         {std::int64_t{s.x}, std::int64_t{s.y}, std::int64_t{s.z}, s.dyads, s.sites})
        add_count(x);
    line += std::string(",") + spark_kind_name(s.kind);
    for (const double x :
         {s.rest_uM, s.peak_uM, s.amplitude(), s.peak_after_ms, s.rise_ms, s.duration_ms})
        add(x);
    for (const double x : s.width_um)
        add(x);
    for (const double x : s.span_um)
        add(x);
    out << line << '\n';
}

void write_sparks(const std::filesystem::path& file, std::span<const calcium::Spark> sparks)
{
    write_whole(file, [&](std::ostream& out) {
        write_spark_header(out);
        for (const auto& s : sparks)
            write_spark(out, s);
    });
}

} // namespace tawara::simulation
