// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/site_page.hpp"

#include "engine/simulation/results/charts.hpp"
#include "engine/simulation/results/drawing.hpp"
#include "engine/simulation/session/csv.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>

namespace tawara::study {
namespace {

using simulation::Drawing;
using simulation::num;
using simulation::number_text;
using simulation::ReportPage;

constexpr std::size_t most_triangles = 60'000; ///< of a page that can still be opened

/// Of 12 steps, red to blue.
std::string colour(double share)
{
    constexpr int steps = 12;
    const double s =
        std::min(steps - 1.0, std::floor(std::clamp(share, 0.0, 1.0) * steps)) / (steps - 1.0);
    const auto part = [&](double centre) {
        return static_cast<int>(
            std::lround(255 * std::clamp(1.5 - 4 * std::abs(s - centre), 0.0, 1.0)));
    };
    char text[8];
    std::snprintf(text, sizeof text, "#%02x%02x%02x", part(0.15), part(0.5), part(0.85));
    return text;
}

/// How the surface is seen: two axes of the screen, and towards the eye.
struct View
{
    Vec3 right{}, up{}, eye{};
};

std::array<View, 2> views_of(const mesh::TetMesh& m)
{
    std::array<double, 3> size{};
    const std::array axes{&m.x, &m.y, &m.z};
    for (std::size_t k = 0; k < 3; ++k) {
        const auto [low, high] = std::minmax_element(axes[k]->begin(), axes[k]->end());
        size[k] = *high - *low;
    }
    const auto thin =
        static_cast<std::size_t>(std::min_element(size.begin(), size.end()) - size.begin());
    const std::size_t up = thin == 2 ? 1 : 2, right = 3 - thin - up;
    View front, back;
    front.right[right] = 1, front.up[up] = 1;
    front.eye = cross(front.right, front.up);
    back.up = front.up;
    back.right = -1.0 * front.right;
    back.eye = -1.0 * front.eye;
    return {front, back};
}

/// The outline of a sector of a ring; angles in degrees, anticlockwise from the right.
std::string sector(double x, double y, double inner, double outer, double from, double to)
{
    std::string out;
    const auto point = [&](double radius, double degrees) {
        const double a = degrees * std::numbers::pi / 180;
        out += (out.empty() ? "M" : "L") + num(x + radius * std::cos(a)) + " " +
               num(y - radius * std::sin(a));
    };
    constexpr double step = 6;
    for (double a = from; a <= to + 1e-9; a += step)
        point(outer, a);
    for (double a = to; a >= from - 1e-9; a -= step)
        point(inner, a);
    return out;
}

const char* ink_of(const Outcome* o)
{
    if (o == nullptr)
        return "#ffffff";
    switch (*o) {
    case Outcome::sustained:
        return "#d2491a";
    case Outcome::transient:
        return "#f0c060";
    case Outcome::focal:
        return "#9fc0e0";
    case Outcome::none:
    case Outcome::blocked:
        break;
    }
    return "#bcdcc8";
}

void draw_bulls_eye(Drawing& d, const BullsEye& b, double x, double y, double radius)
{
    const auto segment = [&](int number, double inner, double outer, double centre, double width) {
        const auto* of = b.of[static_cast<std::size_t>(number - 1)];
        d.area(sector(x, y, inner, outer, centre - width / 2, centre + width / 2), ink_of(of),
               simulation::grey);
        const double at = inner > 0 ? (inner + outer) / 2 : 0, a = centre * std::numbers::pi / 180;
        d.text(x + at * std::cos(a), y - at * std::sin(a) + 3.5, std::to_string(number), "middle",
               simulation::black);
    };
    constexpr double anterior = 90, sixth = 60, quarter = 90;
    for (int k = 0; k < 6; ++k) {
        segment(1 + k, 0.75 * radius, radius, anterior + sixth * k, sixth);
        segment(7 + k, 0.5 * radius, 0.75 * radius, anterior + sixth * k, sixth);
    }
    for (int k = 0; k < 4; ++k)
        segment(13 + k, 0.25 * radius, 0.5 * radius, anterior + quarter * k, quarter);
    segment(17, 0, 0.25 * radius, 0, 360);
    d.text(x, y + radius + 16, b.caption, "middle", simulation::black);
}

std::string place_text(const Vec3& p)
{
    return number_text(p[0], 4) + ", " + number_text(p[1], 4) + ", " + number_text(p[2], 4) + " mm";
}

void add_rows(ReportPage::Table& table, const SearchResult& r, double cycle_ms)
{
    const auto& w = r.worst;
    for (std::size_t k = 0; k < r.shortest_ms.size(); ++k)
        table.rows.push_back({"S" + std::to_string(k + 2) + ", shortest that captured",
                              number_text(r.shortest_ms[k], 6) + " ms"});
    table.rows.push_back({"Re-entry", name(w.outcome)});
    table.rows.push_back({"Extrastimuli tried", std::to_string(r.trials)});
    if (!w.active())
        return;
    table.rows.push_back({"Intervals", intervals_text(cycle_ms, w) + " ms"});
    table.rows.push_back({"Lasted", number_text(w.duration_ms, 4) + " ms"});
    table.rows.push_back({"Cycle length", number_text(w.reentry.cycle_length_ms, 4) + " ms"});
    if (w.outcome != Outcome::sustained)
        return;
    table.rows.push_back({"Class", w.reentry.monomorphic ? "monomorphic" : "polymorphic"});
    table.rows.push_back(
        {"Variability of cycles", number_text(100 * w.reentry.variability, 3) + " %"});
    table.rows.push_back({"Exit", place_text(w.reentry.exit_mm)});
    if (w.core.kind != "not found")
        table.rows.push_back({"Turns around", w.core.kind + ", " + place_text(w.core.place_mm)});
    if (w.reentry.slow_channel)
        table.rows.push_back({"Slow channel", place_text(w.reentry.channel_mm)});
}

/// Without what was activated longer than a cycle and a tenth before the last: places that the wave
/// left out would take all the colours.
std::vector<double> of_last_cycle(std::vector<double> activated_ms, double cycle_ms)
{
    constexpr double none = std::numeric_limits<double>::quiet_NaN(), whole = 1.1;
    double last = -INFINITY;
    for (const double t : activated_ms)
        last = std::fmax(last, t);
    for (double& t : activated_ms)
        if (cycle_ms > 0 && t < last - whole * cycle_ms)
            t = none;
    return activated_ms;
}

} // namespace

std::string surface_picture(const simulation::Tissue& t, std::span<const double> value,
                            const Vec3& centre_mm)
{
    const auto& s = *t.surface;
    if (s.triangles.size() > most_triangles)
        return {};
    double low = INFINITY, high = -INFINITY;
    for (const double v : value)
        if (!std::isnan(v))
            low = std::min(low, v), high = std::max(high, v);
    const auto of_triangle = [&](std::size_t k) {
        if (!t.on_vertices())
            return value[static_cast<std::size_t>(s.tetrahedron[k])];
        double sum = 0;
        for (const auto v : s.triangles[k])
            sum += value[static_cast<std::size_t>(s.vertices[static_cast<std::size_t>(v)])];
        return sum / 3;
    };
    constexpr double margin = 12, foot = 30;
    const double wide = ReportPage::width / 2.0;
    const auto views = views_of(*t.mesh);
    double x0 = INFINITY, x1 = -x0, y0 = x0, y1 = -x0;
    for (const auto v : s.vertices) {
        const Vec3 p = t.mesh->vertex(static_cast<std::size_t>(v));
        const double x = dot(views[0].right, p), y = dot(views[0].up, p);
        x0 = std::min(x0, x), x1 = std::max(x1, x), y0 = std::min(y0, y), y1 = std::max(y1, y);
    }
    const double scale = (wide - 2 * margin) / std::max(x1 - x0, y1 - y0);
    const double tall = scale * (y1 - y0) + 2 * margin;
    Drawing d(ReportPage::width, static_cast<int>(tall + foot));
    for (std::size_t n = 0; n < views.size(); ++n) {
        const auto& view = views[n];
        const double mid = n == 0 ? (x0 + x1) / 2 : -(x0 + x1) / 2;
        const auto px = [&](const Vec3& p) {
            return wide * (static_cast<double>(n) + 0.5) + scale * (dot(view.right, p) - mid);
        };
        const auto py = [&](const Vec3& p) { return margin + scale * (y1 - dot(view.up, p)); };
        std::vector<std::pair<double, std::size_t>> order;
        const auto corner = [&](std::size_t k, std::size_t c) {
            return t.mesh->vertex(
                static_cast<std::size_t>(s.vertices[static_cast<std::size_t>(s.triangles[k][c])]));
        };
        for (std::size_t k = 0; k < s.triangles.size(); ++k) {
            const Vec3 a = corner(k, 0), b = corner(k, 1), c = corner(k, 2);
            if (dot(cross(b - a, c - a), view.eye) > 0)
                order.emplace_back(dot(a + b + c, view.eye), k);
        }
        std::sort(order.begin(), order.end());
        for (const auto& [depth, k] : order) {
            std::string outline;
            for (std::size_t c = 0; c < 3; ++c)
                outline +=
                    (c == 0 ? "M" : "L") + num(px(corner(k, c))) + " " + num(py(corner(k, c)));
            const double v = of_triangle(k);
            const auto ink = std::isnan(v) ? std::string("#b8b8b8")
                                           : colour((v - low) / std::max(high - low, 1e-9));
            d.area(outline, ink.c_str(), ink.c_str());
        }
        d.dot(px(centre_mm), py(centre_mm), 5, simulation::black, false);
    }
    if (low < high)
        d.text(ReportPage::width / 2.0, tall + 16,
               "activated from " + number_text(low, 5) + " ms (red) to " + number_text(high, 5) +
                   " ms (blue); circle: exit",
               "middle", simulation::grey);
    return d.done();
}

std::string bulls_eyes(std::span<const BullsEye> all)
{
    constexpr int radius = 150, row = 2 * radius + 50, key = 24;
    const int rows = (static_cast<int>(all.size()) + 1) / 2;
    Drawing d(ReportPage::width, rows * row + key);
    for (std::size_t k = 0; k < all.size(); ++k) {
        const std::size_t above = k / 2; // rows
        draw_bulls_eye(d, all[k], ReportPage::width * (k % 2 == 0 ? 0.25 : 0.75),
                       radius + 10 + static_cast<double>(above) * row, radius);
    }
    constexpr Outcome shown[]{Outcome::sustained, Outcome::transient, Outcome::focal,
                              Outcome::none};
    const double y = rows * row + 8;
    double x = 40;
    for (const auto& o : shown) {
        d.box(x, y, 12, 12, ink_of(&o));
        d.text(x + 18, y + 10, o == Outcome::none ? "no re-entry" : name(o), "start",
               simulation::black);
        x += 160;
    }
    return d.done();
}

std::vector<ReportPage::Section> trial_sections(const Trial& t, const simulation::Tissue& tissue,
                                                const ReentryWatch& watch, const std::string& title)
{
    std::vector<ReportPage::Section> out;
    const auto newest = of_last_cycle(watch.newest_before(INFINITY), t.reentry.cycle_length_ms);
    if (auto svg = surface_picture(tissue, newest, t.reentry.exit_mm); !svg.empty())
        out.push_back({title + ": its last cycle (grey: not activated in it)", std::move(svg), {}});
    constexpr int ecg_row = 54;
    if (const auto& ecg = watch.ecg(); !ecg.leads.empty() && ecg.time_ms.size() > 1)
        out.push_back({title + ": electrocardiogram",
                       simulation::ecg_chart(ecg, ReportPage::width,
                                             ecg_row * static_cast<int>(ecg.leads.size())),
                       {}});
    return out;
}

ReportPage site_page(const SiteRecord& r, const Induction& i, const std::string& title,
                     std::vector<ReportPage::Section> sections)
{
    ReportPage page;
    page.title = title;
    page.subtitle = "Programmed stimulation at " + r.site + ", " + place_text(r.place_mm);
    page.key.push_back({name(r.before.worst.outcome), "re-entry", ""});
    if (r.after)
        page.key.push_back({name(r.after->worst.outcome), "re-entry after ablation", ""});
    page.sections = std::move(sections);
    ReportPage::Table table{r.after ? "Before ablation" : "Search", {}, {}, ""};
    add_rows(table, r.before, i.cycle_ms);
    page.results.push_back(std::move(table));
    if (r.after) {
        ReportPage::Table after{"After ablation", {}, {}, ""};
        add_rows(after, *r.after, i.cycle_ms);
        page.results.push_back(std::move(after));
    }
    return page;
}

} // namespace tawara::study
