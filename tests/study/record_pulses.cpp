// SPDX-License-Identifier: GPL-3.0-or-later
// record_pulses RECIPES.json FOLDER [NAME...]: makes the recordings of recordings/README.md, and of
// each a picture to be looked at, FOLDER/NAME.png: V on the surface, row by row from the pulse on,
// then of the last 500 ms; below it V at nine places from the pulse to the end.
#include "engine/core/file_content.hpp"
#include "engine/simulation/observe/pacing.hpp"
#include "engine/simulation/session/intervals.hpp"
#include "engine/simulation/session/session.hpp"
#include "engine/study/reentry_watch.hpp"
#include "tests/study/recorded_pulse.hpp"

#include <QColor>
#include <QDir>
#include <QImage>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

using namespace tawara;
using namespace tawara::study;
using Json = nlohmann::json;

namespace {

constexpr int tile = 100, gap = 4, columns = 16;
constexpr double frame_ms = 20;

QRgb colour(double mV)
{
    const double share = std::clamp((mV + 85) / 115, 0.0, 1.0);
    return QColor::fromHsvF(static_cast<float>(0.67 * (1 - share)), 0.9F,
                            static_cast<float>(0.35 + 0.65 * share))
        .rgb();
}

/// The surface as seen along its thinnest axis (a heart: along y), with the nearest unknown of each
/// pixel; -1: nothing is there.
std::vector<std::int64_t> seen_unknowns(const simulation::Tissue& t)
{
    const auto& m = *t.mesh;
    std::array<double, 3> low{1e9, 1e9, 1e9}, high{-1e9, -1e9, -1e9};
    for (std::size_t v = 0; v < m.vertex_count(); ++v)
        for (std::size_t k = 0; k < 3; ++k) {
            low[k] = std::min(low[k], m.vertex(v)[k]);
            high[k] = std::max(high[k], m.vertex(v)[k]);
        }
    std::size_t thin = 1;
    for (std::size_t k = 0; k < 3; ++k)
        if (high[k] - low[k] < 0.5 * (high[thin] - low[thin]))
            thin = k;
    const std::size_t right = thin == 0 ? 1 : 0, up = thin == 2 ? 1 : 2;
    const double size = std::max(high[right] - low[right], high[up] - low[up]);
    std::vector<std::int64_t> of(tile * tile, -1);
    std::vector<double> depth(of.size(), -1e9);
    const auto& s = *t.surface;
    for (std::size_t k = 0; k < s.triangles.size(); ++k)
        for (int a = 0; a <= 12; ++a)
            for (int b = 0; a + b <= 12; ++b) {
                const std::array<double, 3> w{a / 12.0, b / 12.0, (12 - a - b) / 12.0};
                Vec3 p{};
                std::size_t most = 0;
                for (std::size_t c = 0; c < 3; ++c) {
                    const auto v = s.vertices[static_cast<std::size_t>(s.triangles[k][c])];
                    p = p + w[c] * m.vertex(static_cast<std::size_t>(v));
                    most = w[c] > w[most] ? c : most;
                }
                const int x = static_cast<int>((p[right] - low[right]) / size * (tile - 1)),
                          y = static_cast<int>((high[up] - p[up]) / size * (tile - 1));
                const auto at = static_cast<std::size_t>(y * tile + x);
                const double d = thin == 2 ? p[thin] : -p[thin];
                if (d <= depth[at])
                    continue;
                depth[at] = d;
                of[at] = t.on_vertices()
                             ? s.vertices[static_cast<std::size_t>(s.triangles[k][most])]
                             : s.tetrahedron[k];
            }
    return of;
}

struct Frame
{
    double time_ms;
    std::vector<float> v;
};

QImage picture(const simulation::Tissue& t, const std::vector<Frame>& frames, double end_ms)
{
    const auto pixels = seen_unknowns(t);
    std::vector<const Frame*> shown;
    const auto first = std::min<std::size_t>(frames.size(), 2 * columns);
    for (std::size_t k = 0; k < first; ++k)
        shown.push_back(&frames[k]);
    while (shown.size() % columns != 0)
        shown.push_back(nullptr);
    for (std::size_t k = first; k < frames.size(); ++k)
        if (frames[k].time_ms > end_ms - 500)
            shown.push_back(&frames[k]);
    const int rows = static_cast<int>((shown.size() + columns - 1) / columns), side = tile + gap;
    constexpr int traces = 9, tall = 36;
    QImage image(columns * side, rows * side + traces * tall, QImage::Format_RGB32);
    image.fill(QColor(40, 40, 40));
    for (std::size_t k = 0; k < shown.size(); ++k)
        for (std::size_t p = 0; shown[k] != nullptr && p < pixels.size(); ++p)
            if (pixels[p] >= 0)
                image.setPixel(static_cast<int>(k % columns) * side + static_cast<int>(p % tile),
                               static_cast<int>(k / columns) * side + static_cast<int>(p / tile),
                               std::isnan(shown[k]->v[static_cast<std::size_t>(pixels[p])])
                                   ? qRgb(128, 128, 128)
                                   : colour(static_cast<double>(
                                         shown[k]->v[static_cast<std::size_t>(pixels[p])])));
    return image;
}

void draw_traces(QImage& image, const std::vector<std::array<float, 9>>& rows)
{
    constexpr int tall = 36;
    const int top = image.height() - 9 * tall;
    for (std::size_t r = 0; r < rows.size(); ++r)
        for (std::size_t k = 0; k < 9; ++k) {
            const int x =
                static_cast<int>(r * static_cast<std::size_t>(image.width()) / rows.size());
            const double share = std::clamp((static_cast<double>(rows[r][k]) + 90) / 130, 0.0, 1.0);
            const int y =
                top + tall * static_cast<int>(k) + static_cast<int>((1 - share) * (tall - 2));
            if (!std::isnan(rows[r][k]))
                image.setPixel(x, y, qRgb(240, 240, 240));
            if (r % 100 == 0)
                image.setPixel(x, top + tall * static_cast<int>(k), qRgb(255, 80, 80));
        }
}

void record(const std::string& name, const Json& recipe, const QString& folder)
{
    const auto session = simulation::parse_session(recipe.at("session").dump(), name);
    const auto pulses = recipe.at("pulses_ms").get<std::vector<double>>();
    const double sustained = recipe.at("sustained_ms").get<double>();
    simulation::Simulation s(simulation::build_tissue(session), {});
    ReentryWatch watch(session, s);
    simulation::Pacing pacing(s, name, 0);
    s.add(watch), s.add(pacing);
    pacing.begin(session.stimuli);
    const auto go_to = [&](double ms) {
        while (s.time_ms() < ms - s.dt_ms() / 2)
            s.advance(std::llround((ms - s.time_ms()) / s.dt_ms()));
    };
    RecordedPulse r;
    r.awaited.assign(s.tissue().problem.size(), 0);
    for (std::size_t k = 0; k < pulses.size(); ++k) {
        go_to(pulses[k]);
        if (k > 0)
            r.awaited = awaited_at_pulse(r.awaited, s.stepper().maps().activation_ms);
        s.restart_maps();
    }
    r.pulse_ms = s.time_ms();
    watch.begin(r.awaited, 1e9);
    std::vector<Frame> frames;
    std::vector<std::array<float, 9>> traces;
    const auto n = s.tissue().problem.size();
    constexpr double least_ms = 100;
    for (int ms = 1; ms <= sustained; ++ms) {
        go_to(r.pulse_ms + ms);
        const auto v = simulation::Moment(s).potential();
        auto& row = traces.emplace_back();
        for (std::size_t k = 0; k < 9; ++k)
            row[k] = static_cast<float>(v[(2 * k + 1) * n / 18]);
        if (std::fmod(ms, frame_ms) == 0)
            frames.push_back({s.time_ms(), {v.begin(), v.end()}});
        if (!watch.active() && ms >= least_ms)
            break;
    }
    r.now_ms = s.time_ms(), r.sustained_ms = sustained;
    r.to_its_end = r.now_ms - r.pulse_ms >= sustained - s.dt_ms() / 2;
    const auto after = watch.since(r.pulse_ms, r.now_ms, sustained, r.to_its_end);
    const auto& problem = s.tissue().problem;
    r.position_mm = {problem.position_mm.begin(), problem.position_mm.end()};
    r.volume = problem.system.volume;
    r.first = problem.system.alpha.first;
    r.column = problem.system.alpha.column;
    r.activations = {after.places.activations.begin(), after.places.activations.end()};
    const auto v = verdict(after);
    QFile f(folder + "/" + QString::fromStdString(name) + ".pulse");
    const auto bytes = to_bytes(r);
    if (!f.open(QIODevice::WriteOnly) || f.write(bytes) != bytes.size())
        throw InputError(f.fileName().toStdString(), "cannot be written");
    auto image = picture(s.tissue(), frames, r.now_ms);
    draw_traces(image, traces);
    image.save(folder + "/" + QString::fromStdString(name) + ".png");
    std::printf("%-22s %6zu places, %4lld kB, to %.0f ms: %s, %.0f ms; cycle %.0f ms, variability "
                "%.3f, drift %.3f, exit within %.1f mm, %s\n",
                name.c_str(), r.volume.size(), static_cast<long long>(bytes.size() / 1000),
                r.now_ms - r.pulse_ms, study::name(v.outcome), v.duration_ms,
                v.reentry.cycle_length_ms, v.reentry.variability, v.reentry.drift,
                v.reentry.exit_spread_mm, v.reentry.monomorphic ? "monomorphic" : "polymorphic");
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 3)
        return std::fprintf(stderr, "usage: record_pulses RECIPES.json FOLDER [NAME...]\n"), 2;
    try {
        QDir().mkpath(QString::fromUtf8(argv[2]));
        const auto recipes = Json::parse(file_content(argv[1]));
        for (const auto& [name, recipe] : recipes.at("recordings").items()) {
            if (argc > 3 && std::find(argv + 3, argv + argc, name) == argv + argc)
                continue;
            Json whole = recipe;
            whole["session"] = recipes.at("sessions").at(recipe.at("like").get<std::string>());
            whole["session"].merge_patch(recipe.value("with", Json::object()));
            record(name, whole, QString::fromUtf8(argv[2]));
        }
    } catch (const std::exception& e) {
        return std::fprintf(stderr, "%s\n", e.what()), 1;
    }
    return 0;
}
