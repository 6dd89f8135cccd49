// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cli/spmv_page.hpp"

#include "engine/simulation/results/drawing.hpp"
#include "engine/simulation/results/report_page.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::cli {
namespace {

using namespace simulation;

constexpr int width = ReportPage::width, left = 130, right = 20, row = 18, foot = 34;

struct Dot
{
    double value = 0;
    std::size_t ink = 0;
    bool filled = true;
};
struct DotRow
{
    std::string name;
    std::vector<Dot> dots;
};

/// Rows of dots over an axis from 0 to the largest.
/// @param mark    a line stands there; 0: none
std::string dot_chart(const std::vector<DotRow>& rows, const std::vector<std::string>& legend,
                      const std::string& axis, double mark)
{
    double most = mark;
    for (const auto& r : rows)
        for (const auto& d : r.dots)
            most = std::max(most, d.value);
    if (!(most > 0))
        return {};
    most *= 1.05;
    const int head = 18, bottom = head + row * static_cast<int>(rows.size());
    Drawing d(width, bottom + foot);
    const auto x = [&](double v) { return left + (width - left - right) * v / most; };
    double at = left;
    for (std::size_t k = 0; k < legend.size(); ++k) {
        d.dot(at, 7, 3.5, inks[k % inks.size()], true);
        d.text(at + 7, 10.5, legend[k], "start", black);
        at += 22 + 6.2 * static_cast<double>(legend[k].size());
    }
    const double step = round_step(most, 8);
    for (double v = 0; v <= most; v += step) {
        d.line(x(v), head, x(v), bottom, pale, 1);
        d.text(x(v), bottom + 13, num(v), "middle", grey);
    }
    if (mark > 0)
        d.line(x(mark), head, x(mark), bottom, "#8c2c1e", 1.2, "4 2");
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const double y = head + row * (static_cast<double>(r) + 0.5);
        d.line(left, y, width - right, y, pale, 1);
        d.text(left - 8, y + 3.5, rows[r].name, "end", black);
        for (const auto& dot : rows[r].dots)
            d.dot(x(dot.value), y, 3.5, inks[dot.ink % inks.size()], dot.filled);
    }
    d.text((left + width - right) / 2.0, bottom + 28, axis, "middle", grey);
    return d.done();
}

/// How many rows have so many entries, in columns; small pictures side by side.
std::string histograms(const Json& matrices)
{
    constexpr int across = 4, gap = 16, height = 96;
    const int each = (width - (across - 1) * gap) / across;
    const int down = (static_cast<int>(matrices.size()) + across - 1) / across;
    Drawing d(width, down * height);
    for (std::size_t k = 0; k < matrices.size(); ++k) {
        const auto& m = matrices[k];
        const std::size_t row = k / across, column = k % across;
        const double x0 = static_cast<double>(column) * (each + gap),
                     y0 = static_cast<double>(row) * height, floor = y0 + height - 24;
        const auto counts = m["histogram"]["rows"].get<std::vector<double>>();
        const double most = *std::max_element(counts.begin(), counts.end());
        const double wide = static_cast<double>(each) / static_cast<double>(counts.size());
        for (std::size_t c = 0; c < counts.size(); ++c) {
            const double tall = 56 * counts[c] / most;
            d.box(x0 + wide * static_cast<double>(c), floor - tall, std::max(0.5, wide - 0.5), tall,
                  inks[0]);
        }
        d.line(x0, floor, x0 + each, floor, grey, 1);
        d.text(x0, y0 + 11, m["matrix"].get<std::string>(), "start", black);
        d.text(x0, floor + 12, num(m["least"].get<double>()), "start", grey);
        d.text(x0 + each, floor + 12, num(m["most"].get<double>()), "end", grey);
    }
    return d.done();
}

/// The devices of a result in their order, as a page calls them.
std::string device_of(const Json& product)
{
    const auto device = product["device"].get<std::string>();
    const auto threads = product.value("threads", 0);
    return device != "cpu"
               ? device
               : "CPU, " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

std::size_t place_in(std::vector<std::string>& all, const std::string& one)
{
    const auto at = std::find(all.begin(), all.end(), one);
    if (at != all.end())
        return static_cast<std::size_t>(at - all.begin());
    all.push_back(one);
    return all.size() - 1;
}

/// A section for each device: a row for each matrix, a dot for each product.
void add_rates(ReportPage& page, const Json& result)
{
    for (const auto& ceiling : result["ceilings"]) {
        const auto device = device_of(ceiling);
        std::vector<std::string> ways;
        std::vector<DotRow> rows;
        for (const auto& m : result["matrices"]) {
            DotRow r{m["matrix"].get<std::string>(), {}};
            for (const auto& p : m["products"])
                if (device_of(p) == device)
                    r.dots.push_back({m["csr_bytes"].get<double>() / p["us"].get<double>() / 1e3,
                                      place_in(ways, p["way"].get<std::string>()),
                                      p["order"] == "own"});
            rows.push_back(r);
        }
        const double triad = ceiling["triad_GB_per_s"].get<double>();
        page.sections.push_back(
            {"Products on " + device,
             dot_chart(rows, ways, "bytes of compressed rows over time [GB/s]", triad),
             {"",
              {},
              {},
              "Filled: in the matrix's own order; outlines: in reverse Cuthill-McKee order. The "
              "dashed line is triad, " +
                  num(triad) + " GB/s."}});
    }
}

void add_costs(ReportPage& page, const Json& result)
{
    std::vector<std::string> orders;
    std::vector<DotRow> rows;
    for (const auto& m : result["matrices"]) {
        DotRow r{m["matrix"].get<std::string>(), {}};
        for (const auto& p : m["products"])
            if (p.contains("layout_us"))
                r.dots.push_back(
                    {p["layout_us"].get<double>() / p["us"].get<double>(),
                     place_in(orders, device_of(p) + ", order " + p["order"].get<std::string>()),
                     true});
        rows.push_back(r);
    }
    page.sections.push_back(
        {"What the layout of ELL-WARP costs",
         dot_chart(rows, orders, "time of the layout over that of a product", 0),
         {"", {}, {}, "An order that has to be found comes on top of it."}});
}

} // namespace

std::string spmv_page(const Json& result)
{
    ReportPage page;
    page.title = "Sparse products";
    page.subtitle = result["precision"].get<std::string>() + " precision";
    add_rates(page, result);
    add_costs(page, result);
    page.sections.push_back(
        {"Entries in a row",
         histograms(result["matrices"]),
         {"", {}, {}, "How many rows have so many entries, from the fewest to the most."}});
    ReportPage::Table table;
    table.title = "Matrices";
    table.head = {"matrix", "rows", "entries", "least", "most", "mean", "deviation"};
    for (const auto& m : result["matrices"])
        table.rows.push_back({m["matrix"].get<std::string>(),
                              std::to_string(m["rows"].get<std::int64_t>()),
                              std::to_string(m["entries"].get<std::int64_t>()),
                              std::to_string(m["least"].get<std::int64_t>()),
                              std::to_string(m["most"].get<std::int64_t>()),
                              num(m["mean"].get<double>()), num(m["deviation"].get<double>())});
    page.wide.push_back(table);
    return to_html(page);
}

} // namespace tawara::cli
