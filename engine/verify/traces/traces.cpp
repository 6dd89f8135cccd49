// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verify/traces/traces.hpp"

#include "engine/cell/compiler/library.hpp"
#include "engine/cell/compiler/parse/model_text.hpp"
#include "engine/cell/compiler/reference/reference.hpp"
#include "engine/core/error.hpp"
#include "engine/core/file_content.hpp"
#include "engine/core/larger.hpp"
#include "engine/core/resource.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

namespace tawara::verify {

using cell::compiler::CellSystem;
using cell::compiler::read_model;
using cell::compiler::Reference;
using cell::compiler::ReferenceOptions;
using cell::compiler::resolve;
using cell::compiler::ResolveOptions;

std::vector<std::vector<double>> read_table(const std::filesystem::path& file)
{
    std::istringstream in(file_content(file));
    std::vector<std::vector<double>> rows;
    long number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        if (line.empty() || line[0] == '#')
            continue;
        std::vector<double> row;
        std::istringstream cells(line);
        for (std::string c; std::getline(cells, c, ',');) {
            char* end = nullptr;
            row.push_back(std::strtod(c.c_str(), &end));
            if (end == c.c_str())
                throw InputError(file.string(), number,
                                 "column " + std::to_string(row.size()) +
                                     " is no number; want a number for each state");
        }
        if (!rows.empty() && row.size() != rows[0].size())
            throw InputError(file.string(), number,
                             "has " + std::to_string(row.size()) +
                                 " columns where the first row has " +
                                 std::to_string(rows[0].size()));
        rows.push_back(row);
    }
    if (rows.empty())
        throw InputError(file.string(), "has no rows; want a row of all states every 1 ms");
    return rows;
}

std::vector<double> start_of(const CellSystem& s, const std::vector<double>& row)
{
    auto x = s.initial_values();
    std::vector<bool> taken(row.size());
    std::vector<std::size_t> missing;
    for (std::size_t k = 0; k < x.size(); ++k) {
        std::size_t q = 0;
        while (q < row.size() &&
               (taken[q] || std::abs(row[q] - x[k]) > 1e-6 * std::abs(x[k]) + 1e-12))
            ++q;
        if (q == row.size())
            missing.push_back(k);
        else
            taken[q] = true;
    }
    const auto left = std::count(taken.begin(), taken.end(), false);
    if (missing.size() == 1 && left == 1)
        x[missing[0]] = row[static_cast<std::size_t>(std::find(taken.begin(), taken.end(), false) -
                                                     taken.begin())];
    return x;
}

TraceComparison compare_traces(const std::filesystem::path& model,
                               const std::filesystem::path& table, bool own_stimulus,
                               double tolerance)
{
    const auto rows = read_table(table);
    ResolveOptions o;
    o.own_stimulus = own_stimulus;
    const CellSystem s = resolve(read_model(model), o);
    const auto initial = start_of(s, rows[0]);
    ReferenceOptions options;
    options.relative_tolerance = tolerance;
    options.absolute_tolerance = tolerance / 10;
    const auto result = Reference(s).run(s.parameter_values(), initial,
                                         static_cast<double>(rows.size() - 1), 1, options);
    TraceComparison c;
    c.model = model.stem().string();
    c.states = initial.size();
    c.columns = rows.empty() ? 0 : rows[0].size();
    std::vector<bool> taken(c.columns);
    for (std::size_t k = 0; k < initial.size(); ++k) {
        std::size_t best = c.columns;
        double best_rrms = INFINITY, largest = 0, range = 0;
        for (std::size_t q = 0; q < c.columns; ++q) {
            if (taken[q] || std::abs(rows[0][q] - initial[k]) > 1e-6 * std::abs(initial[k]) + 1e-12)
                continue;
            double d2 = 0, r2 = 0, most = 0, low = INFINITY, high = -INFINITY;
            for (std::size_t t = 0; t < rows.size(); ++t) {
                const double r = rows[t][q], d = result[t][k] - r;
                d2 += d * d;
                r2 += r * r;
                most = larger_or_nan(most, std::abs(d));
                low = std::min(low, r);
                high = std::max(high, r);
            }
            const double rrms = r2 > 0 ? 100 * std::sqrt(d2 / r2) : most > 0 ? INFINITY : 0;
            if (rrms < best_rrms) {
                best = q;
                best_rrms = rrms;
                largest = most;
                range = high - low;
            }
        }
        if (best == c.columns)
            continue;
        taken[best] = true;
        ++c.matched;
        // a state that hardly moves is measured against its size: tables have 16 digits
        const double scale = std::max(range, 1e-6 * std::abs(initial[k]));
        const double relative = scale > 0 ? 100 * largest / scale : 0;
        if (k == 0) {
            c.potential_mV = largest;
            c.potential_percent = best_rrms;
        }
        if (relative > c.worst_percent) {
            c.worst_percent = relative;
            c.worst_state = s.states[k].full_name;
        }
        if (best_rrms > c.worst_rrms_percent) {
            c.worst_rrms_percent = best_rrms;
            c.worst_rrms_state = s.states[k].full_name;
        }
    }
    return c;
}

namespace {

/// A column of a trace.
struct Column
{
    std::size_t state;         ///< of the model
    double unit = 1, from = 0; ///< of the trace: its unit, then its zero, in the model's
    double ours(double theirs) const { return unit * theirs + from; }
};

/// @throws InputError for a state that the model has not
std::vector<Column> columns_of(const CellSystem& s, const std::string& names)
{
    std::vector<Column> out;
    std::istringstream in(names);
    for (std::string name; in >> name;) {
        Column c{s.states.size()};
        if (const auto plus = name.find('+'); plus != std::string::npos) {
            c.from = std::strtod(name.c_str() + plus + 1, nullptr);
            name.resize(plus);
        }
        if (const auto star = name.find('*'); star != std::string::npos) {
            c.unit = std::strtod(name.c_str() + star + 1, nullptr);
            name.resize(star);
        }
        for (std::size_t k = 0; k < s.states.size(); ++k)
            if (s.states[k].name == name)
                c.state = k;
        if (c.state == s.states.size())
            throw InputError(s.name, "has no state " + name + ", which a trace of it has");
        out.push_back(c);
    }
    return out;
}

/// The equations that a trace is of.
CellSystem equations_of(const LibraryTrace& t)
{
    const std::string ours = t.ours;
    if (ours.empty())
        return *cell::compiler::system_of(cell::make_cell_type(t.model, t.variant, {}, {}));
    const auto file = resource(std::string("resources/models/") + t.model + ".mmt");
    auto text = file_content(file);
    const auto at = text.find(ours);
    if (at == std::string::npos || text.find(ours, at + 1) != std::string::npos)
        throw InputError(file.string(), "should have " + ours +
                                            " once; the text of another program's trace has " +
                                            t.theirs + " there");
    text.replace(at, ours.size(), t.theirs);
    return resolve(cell::compiler::parse_mmt(text, file.string()));
}

} // namespace

TraceComparison compare_library(const LibraryTrace& t, const std::filesystem::path& table)
{
    constexpr double second_ms = 1000;
    const auto rows = read_table(table);
    const auto system = equations_of(t);
    const auto type = cell::compiler::cell_type(system, t.variant, {}, {});
    const auto columns = columns_of(system, t.columns);
    if (rows.size() < 2 || rows[0].size() != columns.size())
        throw InputError(table.string(), "has " + std::to_string(rows.size()) + " rows of " +
                                             std::to_string(rows[0].size()) + " columns; want " +
                                             std::to_string(columns.size()) +
                                             " columns, and rows "
                                             "of a second at even times");
    auto initial = type.initial;
    for (std::size_t q = 0; q < columns.size(); ++q)
        initial[columns[q].state] = columns[q].ours(rows[0][q]);
    ReferenceOptions o;
    const double end_ms = t.start_ms + t.duration_ms;
    o.stimulus = [&](double now_ms) {
        return now_ms >= t.start_ms && now_ms < end_ms ? t.stimulus_pA_per_pF : 0;
    };
    o.jumps_ms = {t.start_ms, end_ms};
    const auto ours = Reference(system).run(type.parameters, initial, second_ms,
                                            second_ms / static_cast<double>(rows.size() - 1), o);
    TraceComparison c;
    c.model = t.model;
    c.states = initial.size();
    c.columns = columns.size();
    for (std::size_t q = 0; q < columns.size(); ++q) {
        double off = 0, all = 0, largest = 0;
        for (std::size_t k = 0; k < rows.size(); ++k) {
            const double r = columns[q].ours(rows[k][q]), d = ours.at(k)[columns[q].state] - r;
            off += d * d;
            all += r * r;
            largest = larger_or_nan(largest, std::abs(d));
        }
        const double percent = all > 0 || off != 0 ? 100 * std::sqrt(off / all) : 0;
        ++c.matched;
        if (columns[q].state == 0) {
            c.potential_mV = largest;
            c.potential_percent = percent;
        }
        if (!std::isnan(c.worst_rrms_percent) && !(percent <= c.worst_rrms_percent)) {
            c.worst_rrms_percent = percent;
            c.worst_rrms_state = system.states[columns[q].state].full_name;
        }
    }
    return c;
}

} // namespace tawara::verify
