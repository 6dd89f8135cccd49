// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/table_difference.hpp"

#include "engine/core/error.hpp"
#include "engine/core/file_content.hpp"
#include "engine/simulation/session/csv.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>
#include <string_view>
#include <vector>

namespace tawara::simulation {
namespace {

constexpr std::size_t most_named = 4;              // columns
constexpr std::ptrdiff_t most_columns = 1'000'000; // of a table, whose fields take 30 bytes or more

/// The fields of a line; quotes around one are taken off (csv_field()).
std::vector<std::string> fields(std::string_view line)
{
    std::vector<std::string> out(1);
    bool quoted = false;
    for (std::size_t k = 0; k < line.size(); ++k)
        if (line[k] == '"' && quoted && k + 1 < line.size() && line[k + 1] == '"')
            out.back() += line[++k];
        else if (line[k] == '"')
            quoted = !quoted;
        else if (line[k] == ',' && !quoted)
            out.emplace_back();
        else if (line[k] != '\r')
            out.back() += line[k];
    return out;
}

/// A table, column by column.
struct Read
{
    std::vector<std::string> head;
    std::vector<std::vector<std::string>> columns;
    std::size_t rows = 0;
};

/// @throws InputError where it cannot be read or has rows of several lengths
/// @param column  alone is kept; empty: all
Read read(const std::filesystem::path& file, const std::string& column)
{
    const auto text = file_content(file);
    Read out;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find('\n', at), text.size());
        const auto line = std::string_view(text).substr(at, end - at);
        if (std::count(line.begin(), line.end(), ',') >= most_columns)
            throw InputError(file.string(), "has more than " + std::to_string(most_columns) +
                                                " columns; tables of runs have fewer");
        auto row = fields(line);
        at = end + 1;
        if (out.head.empty()) {
            out.columns.resize(row.size());
            out.head = std::move(row);
            continue;
        }
        if (row.size() != out.head.size())
            throw InputError(file.string(), "has rows that are longer or shorter than its head");
        for (std::size_t c = 0; c < row.size(); ++c)
            if (column.empty() || out.head[c] == column)
                out.columns[c].push_back(std::move(row[c]));
        ++out.rows;
    }
    return out;
}

/// NaN: the field is empty, or no number.
double number(const std::string& field)
{
    char* end = nullptr;
    const double x = std::strtod(field.c_str(), &end);
    return end == field.c_str() || *end != '\0' ? std::numeric_limits<double>::quiet_NaN() : x;
}

std::vector<double> numbers(const std::vector<std::string>& column)
{
    std::vector<double> out(column.size());
    std::transform(column.begin(), column.end(), out.begin(), number);
    return out;
}

/// "ms" of "activation_ms"; `otherwise` of a name with no such ending.
std::string unit_of(const std::string& name, const std::string& otherwise)
{
    if (name.ends_with("_mV_per_ms"))
        return "mV/ms";
    for (const char* unit : {"ms", "mV", "mm", "uM", "mM"})
        if (name.ends_with(std::string("_") + unit))
            return unit;
    return otherwise;
}

/// Of one column: empty where nothing differs.
std::string column_words(const std::vector<std::string>& a, const std::vector<std::string>& b,
                         const std::string& unit)
{
    if (const auto d = difference(numbers(a), numbers(b)); !d.none())
        return words(d, unit);
    std::size_t others = 0;
    for (std::size_t k = 0; k < a.size(); ++k)
        others += a[k] != b[k] ? 1 : 0;
    return others == 0 ? "" : "other text in " + std::to_string(others) + " rows";
}

} // namespace

Difference difference(std::span<const double> before, std::span<const double> now)
{
    Difference out;
    double sum = 0;
    for (std::size_t k = 0; k < before.size(); ++k) {
        if (std::isnan(before[k]) != std::isnan(now[k]))
            ++out.alone;
        const double d = now[k] - before[k];
        if (std::isnan(d))
            continue;
        sum += d * d;
        out.largest = std::max(out.largest, std::abs(d));
        ++out.both;
    }
    out.rms = out.both > 0 ? std::sqrt(sum / static_cast<double>(out.both)) : 0;
    return out;
}

std::string words(const Difference& d, const std::string& unit)
{
    const auto behind = unit.empty() ? "" : " " + unit;
    std::string out = d.both == 0 ? "no value is in both runs"
                                  : "RMS " + number_text(d.rms, 3) + behind + ", at most " +
                                        number_text(d.largest, 3) + behind;
    if (d.alone > 0)
        out += "; " + std::to_string(d.alone) +
               (d.alone > 1 ? " values are in one run alone" : " value is in one run alone");
    return out;
}

std::string table_difference(const std::filesystem::path& before, const std::filesystem::path& now,
                             const std::string& unit, const std::string& column)
try {
    const auto a = read(before, column), b = read(now, column);
    if (a.head != b.head)
        return "the columns are others";
    if (a.rows != b.rows)
        return "it had " + std::to_string(a.rows) + " rows, and has " + std::to_string(b.rows);
    std::string out;
    std::size_t differ = 0;
    for (std::size_t c = 0; c < a.head.size(); ++c) {
        const auto& name = a.head[c];
        if (!column.empty() && name != column)
            continue;
        const auto how = column_words(a.columns[c], b.columns[c], unit_of(name, unit));
        if (!column.empty())
            return how.empty() ? "by less than the table's last digit" : how;
        if (!how.empty() && ++differ <= most_named)
            out += (out.empty() ? "" : "; ") + name + ": " + how;
    }
    if (!column.empty())
        return "by how much is not known: there is no column " + column;
    if (differ > most_named)
        out += "; and in " + std::to_string(differ - most_named) + " more columns";
    return out.empty() ? "other bytes, and the same values" : out;
} catch (const InputError& e) {
    return "by how much is not known: " + std::string(e.what());
} catch (const std::bad_alloc&) {
    return "by how much is not known: there is not enough memory for both tables";
}

} // namespace tawara::simulation
