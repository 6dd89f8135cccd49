// SPDX-License-Identifier: GPL-3.0-or-later
// The real window on the built-in heart for MINUTES (30), worked with all the time: clicks,
// scrubbing, recording, maps, views, edits, back to the start. A record says memory and latency
// every ten seconds; the exit status is 1 when memory or latency grew. Not one of the quick tests.
//
//     gui_soak [MINUTES [RECORD.json]]
#include "app/main_window.hpp"
#include "app/real_engine.hpp"
#include "app/theme.hpp"
#include "tests/gui/watchdog.hpp"
#include "widgets/panels/timeline.hpp"
#include "widgets/panels/transport_bar.hpp"
#include "widgets/panels/view_panel.hpp"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSettings>
#include <QTemporaryDir>
#include <QtTest>

#include <array>
#include <cstdio>
#include <malloc.h>
#include <random>
#include <unistd.h>

using namespace tawara;

namespace {

constexpr double sample_s = 10, settle_s = 300; // what is made once is made by then
// What a run keeps of itself grows with it: samples of probes and leads, beats. After so many acts,
// ten minutes, it begins anew.
constexpr int act_ms = 500, acts_of_a_run = 1200;
constexpr double memory_growth = 0.03, latency_growth_ms = 25;

double resident_mb()
{
    QFile f(QStringLiteral("/proc/self/statm"));
    if (!f.open(QIODevice::ReadOnly))
        return 0;
    return f.readAll().split(' ').value(1).toDouble() * static_cast<double>(sysconf(_SC_PAGESIZE)) /
           1e6;
}

/// What the program holds from malloc: the rest of its memory is pieces that it gave back, and
/// libraries.
double held_mb()
{
#ifdef __GLIBC__
    const auto m = mallinfo2();
    return static_cast<double>(m.uordblks + m.hblkhd) / 1e6;
#else
    return 0;
#endif
}

double median(std::vector<double> v)
{
    if (v.empty())
        return 0;
    std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
    return v[v.size() / 2];
}

/// Mean over the samples from one part of the run to another, after it has settled.
double mean(const QJsonArray& samples, const char* what, double from, double to)
{
    std::vector<double> v;
    for (const QJsonValue s : samples)
        if (s[QLatin1String("s")].toDouble() >= settle_s || samples.size() < 60)
            v.push_back(s[QLatin1String(what)].toDouble());
    const auto n = static_cast<double>(v.size());
    double sum = 0;
    int count = 0;
    for (auto i = static_cast<std::size_t>(from * n); i < static_cast<std::size_t>(to * n); ++i)
        sum += v[i], ++count;
    return count > 0 ? sum / count : 0;
}

/// Does what a person might, one thing after another.
class Hand
{
  public:
    Hand(MainWindow& window, EngineHost& host) : window_(window), host_(host)
    {
        QObject::connect(&host, &EngineHost::stimulated, &window, [this] {
            if (waiting_)
                latency.push_back(static_cast<double>(since_.nsecsElapsed()) / 1e6);
            waiting_ = false;
        });
    }
    void act()
    {
        static constexpr std::array names{"click", "show", "scrub", "follow",
                                          "click", "edit", "undo",  "record"};
        const auto k = static_cast<std::size_t>(n_++) % names.size();
        QElapsedTimer clock;
        clock.start();
        if (n_ % acts_of_a_run == 0)
            host_.reset();
        keep_running();
        if (k == 0 || k == 4)
            click();
        else if (k == 1)
            show();
        else if (k == 2)
            scrub();
        else if (k == 3)
            Q_EMIT window_.findChild<TransportBar*>()->timeline()->followRequested();
        else if (k == 5)
            edit();
        else if (k == 6)
            window_.document()->edits().stack().undo();
        else
            record();
        if (const double ms = static_cast<double>(clock.nsecsElapsed()) / 1e6; ms > longest.ms)
            longest = {ms, names[k]};
    }
    std::vector<double> latency; ///< from the press to the window's notice [ms]
    struct Longest
    {
        double ms = 0;
        const char* what = "";
    };
    Longest longest; ///< what the hand did within one event, at its longest

  private:
    void keep_running()
    {
        if (host_.status().state == EngineHost::State::running)
            return;
        if (host_.status().state != EngineHost::State::paused)
            host_.reset();
        host_.play();
    }
    void click()
    {
        auto* v = window_.view();
        std::uniform_real_distribution<double> part(0.35, 0.65);
        const QPointF at(part(random_) * v->width(), part(random_) * v->height());
        const QPointF d = v->toDisplay(at);
        if (!v->scene().pick(d.x(), d.y()))
            return;
        since_.start();
        waiting_ = true;
        QTest::mouseClick(v, Qt::LeftButton, {}, at.toPoint());
    }
    void show()
    {
        auto* panel = window_.findChild<ViewPanel*>();
        ViewSettings s = panel->settings();
        ++shown_;
        s.shown[0] = static_cast<Quantity>(shown_ % quantity_count);
        s.count = shown_ % 5 == 3 ? 2 : shown_ % 11 == 7 ? 4 : 1;
        s.cut = shown_ % 7 == 2   ? ViewSettings::Cut::clip
                : shown_ % 7 == 5 ? ViewSettings::Cut::slice
                                  : ViewSettings::Cut::none;
        s.arrows = shown_ % 9 == 4;
        panel->setSettings(s);
        Q_EMIT panel->changed(s);
    }
    void scrub()
    {
        const auto recording = host_.recording();
        if (!recording || recording->frame_count() == 0)
            return;
        std::uniform_int_distribution<std::size_t> any(0, recording->frame_count() - 1);
        Q_EMIT window_.findChild<TransportBar*>()->timeline()->scrubbed(
            recording->time_of(any(random_)));
    }
    void edit()
    {
        window_.document()->edits().edit("conductivity", [](simulation::Session& s) {
            auto& c = s.regions.front().conductivity_S_per_m;
            c.fibre *= 0.9, c.sheet *= 0.9, c.normal *= 0.9;
        });
    }
    void record()
    {
        if (n_ % 64 == 8) // begins anew now and then
            host_.startRecording(1, quint64{256} << 20);
    }

    MainWindow& window_;
    EngineHost& host_;
    std::mt19937 random_{7};
    int n_ = 0, shown_ = 0;
    bool waiting_ = false;
    QElapsedTimer since_;
};

} // namespace

int main(int argc, char** argv)
{
    QSurfaceFormat::setDefaultFormat(viewFormat());
    fake::WatchedApplication app(argc, argv);
    app.setProperty("noHints", true);
    applyTheme(app);
    const double minutes = argc > 1 ? std::atof(argv[1]) : 30;
    const QTemporaryDir settings;
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
    simulation::EngineOptions options;
    options.context = Context::whole_machine();
    EngineHost host(real_engine(options), session_opener(options.context));
    MainWindow window(&host);
    window.setAsking(false);
    window.resize(1280, 800);
    window.show();
    window.open({});
    while (!window.viewController()->ready() || host.status().time_ms <= 0)
        QTest::qWait(100);
    Hand hand(window, host);
    QTimer acts;
    QObject::connect(&acts, &QTimer::timeout, &window, [&] { hand.act(); });
    acts.start(act_ms);
    QElapsedTimer clock;
    clock.start();
    QJsonArray samples;
    while (static_cast<double>(clock.elapsed()) < minutes * 60e3) {
        app.begin();
        const auto drawn = window.view()->framesDrawn();
        QTest::qWait(static_cast<int>(sample_s * 1e3));
        const auto worst = app.end();
        const auto round1 = [](double v) { return std::round(10 * v) / 10; };
        samples.append(QJsonObject{
            {"s", round1(static_cast<double>(clock.elapsed()) / 1e3)},
            {"rss_mb", round1(resident_mb())},
            {"held_mb", round1(held_mb())},
            {"simulated_ms", round1(host.status().time_ms)},
            {"click_ms", round1(median(std::exchange(hand.latency, {})))},
            {"gui_99_ms", round1(app.wall(0.99))},
            {"gui_longest_ms", round1(worst.wall_ms)},
            {"gui_longest", QString::fromStdString(worst.what_wall)},
            {"gui_longest_processor_ms", round1(worst.cpu_ms)},
            {"hand_longest_ms", round1(hand.longest.ms)},
            {"hand_longest", QLatin1String(hand.longest.what)},
            {"frames_per_s",
             round1(static_cast<double>(window.view()->framesDrawn() - drawn) / sample_s)}});
        std::fprintf(
            stderr, "%s\n",
            QJsonDocument(samples.last().toObject()).toJson(QJsonDocument::Compact).data());
        hand.longest = {};
    }
    acts.stop();
    const double early = mean(samples, "rss_mb", 0, 0.25), late = mean(samples, "rss_mb", 0.75, 1);
    const double quick = mean(samples, "click_ms", 0, 0.25),
                 slow = mean(samples, "click_ms", 0.75, 1);
    const bool good = late < (1 + memory_growth) * early && slow < quick + latency_growth_ms;
    QJsonObject record{{"bench", "soak"},
                       {"minutes", minutes},
                       {"renderer", window.view()->glDescription()},
                       {"settle_s", settle_s},
                       {"begins_anew_after_s", acts_of_a_run * act_ms / 1e3},
                       {"rss_mb", QJsonArray{early, late}},
                       {"click_noticed_ms", QJsonArray{quick, slow}},
                       {"good", good},
                       {"samples", samples}};
    QFile out(argc > 2 ? QString::fromLocal8Bit(argv[2]) : QStringLiteral("soak.json"));
    if (!out.open(QIODevice::WriteOnly) ||
        out.write(QJsonDocument(record).toJson(QJsonDocument::Compact)) < 0)
        return 2;
    std::printf("memory %.1f, then %.1f MB; click to notice %.1f, then %.1f ms: %s\n", early, late,
                quick, slow, good ? "flat" : "GROWS");
    return good ? 0 : 1;
}
