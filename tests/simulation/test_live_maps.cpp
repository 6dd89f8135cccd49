// SPDX-License-Identifier: GPL-3.0-or-later
// What is computed beside a run: maps of beats, phase, values inside the wall.
#include "tests/several.hpp"
#include "tests/simulation/live_bar.hpp"
#include "tests/simulation/live_sheet.hpp"

#include "engine/mesh/io/mesh_io.hpp"
#include "engine/simulation/observe/analyst.hpp"
#include "engine/simulation/observe/beat_label.hpp"
#include "engine/simulation/observe/ecg.hpp"
#include "engine/simulation/session/presets.hpp"

#include <QtTest>
#include <cmath>

using namespace tawara;
using namespace tawara::simulation;
using namespace tawara::simulation::test;
using State = Status::State;

namespace {

/// Of the newest load that an inbox tells of; null without one.
std::shared_ptr<const Scene> loaded_scene(Inbox& in)
{
    std::shared_ptr<const Scene> scene;
    for (const auto& event : in.all())
        if (const auto* loaded = std::get_if<Loaded>(&event))
            scene = loaded->scene;
    return scene;
}

} // namespace

class TestLiveMaps : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void mapsOfTwoBeats()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = bar(420);
        auto train = end_of_bar(0);
        train.period_ms = 350;
        train.count = 0;
        s.stimuli = {train};
        in.answer(e.post(Load{s}));
        run_to(e, in, 400);
        in.answer(e.post(WatchMaps{true, 50})); // late: the second beat is known all the same
        std::shared_ptr<const MapFrame> m;
        QTRY_VERIFY((m = e.newest_maps()) && m->time_ms > 399.9);
        QCOMPARE(m->activated, m->unknowns);
        for (std::size_t k = 0; k < m->activation.size(); ++k) {
            // times count from the pulse that began the beat
            QVERIFY2(m->activation[k] > -0.1F && m->activation[k] < 49,
                     qPrintable(QString::number(m->activation[k])));
            QVERIFY(std::abs(m->period[k] - 350) < 20); // the second wave is the slower
            QVERIFY(std::isnan(m->repolarisation[k]) && std::isnan(m->apd90[k])); // not yet
            QCOMPARE(m->activations[k], 2);
        }
        // the front runs along the bar, at the same speed in both beats
        int forward = 0, known = 0;
        for (const auto& v : m->velocity)
            if (!std::isnan(v[0])) {
                ++known;
                forward += v[0] > 0.2F && v[0] < 1.2F;
            }
        QVERIFY(known > 100 && forward > 0.8 * known);
        QCOMPARE(m->beat, 2);
        QCOMPARE(m->beats.size(), std::size_t(2));
        QVERIFY(m->beats[1].from_ms > 349 && m->beats[1].from_ms < 353);
        QCOMPARE(m->beats[1].share, 1.0);
        QVERIFY(!m->beats[1].turns);
        QVERIFY(m->beats[0].pulse_ms == 0.0 && m->beats[1].pulse_ms == 350.0);
        QCOMPARE(beat_label(*m), std::string("beat 2 of 2, since the pulse at 350.0 ms"));
        // the beat before, while the run is paused
        in.answer(e.post(WatchMaps{true, 50, 1}));
        QTRY_VERIFY((m = e.newest_maps()) && m->beat == 1);
        for (std::size_t k = 0; k < m->activation.size(); ++k) {
            QVERIFY(m->activation[k] < 40 && std::isnan(m->period[k]));
            QVERIFY(m->apd90[k] > 250 && m->apd90[k] < 330);
            QVERIFY(std::abs(m->repolarisation[k] - m->activation[k] - m->apd90[k]) < 1e-3F);
        }
        QCOMPARE(beat_label(*m), std::string("beat 1 of 2, since the pulse at 0.0 ms"));
        // the newest whose APD map is whole; a report takes it unasked
        QCOMPARE(m->beats[0].repolarised, 1.0);
        QCOMPARE(m->beats[1].repolarised, 0.0);
        in.answer(e.post(WatchMaps{true, 50, WatchMaps::newest}));
        QTRY_VERIFY((m = e.newest_maps()) && m->beat == 2);
        const QTemporaryDir dir;
        QFile page(dir.filePath("r.html"));
        e.post(Export{"report-html", page.fileName().toStdString()});
        QVERIFY(in.wait([](const Event& x) { return std::holds_alternative<Exported>(x); }));
        QVERIFY(page.open(QIODevice::ReadOnly));
        const QString text = page.readAll();
        QVERIFY2(text.contains("beat 1 of 2, since the pulse at 0.0 ms; newest that repolarised"),
                 qPrintable(text));
        in.answer(e.post(WatchMaps{true, 50, WatchMaps::newest_repolarised}));
        QTRY_VERIFY((m = e.newest_maps()) && m->beat == 1);
        QVERIFY(beat_label(*m).ends_with("; newest that repolarised"));
        const auto beats = e.beats(e.traces()[1].probe);
        QCOMPARE(beats.size(), std::size_t(2));
        QVERIFY(std::abs(beats[1].cycle_ms - 350) < 20);
        QVERIFY(std::abs(beats[1].diastolic_ms - (beats[1].cycle_ms - beats[0].apd90_ms)) < 1e-6);
        in.answer(e.post(WatchMaps{false, 50}));
        QTRY_VERIFY(!e.newest_maps());
    }

    /// Every export of maps is the map on the screen: of that beat, from that pulse on.
    void exportsAreTheMapsShown()
    {
        const QTemporaryDir dir;
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = bar(420);
        auto train = end_of_bar(0);
        train.period_ms = 350;
        train.count = 0;
        s.stimuli = {train, train}; // the second fires when the first has begun the beat already
        s.stimuli[1].start_ms = 0.4;
        in.answer(e.post(Load{s}));
        const auto scene = loaded_scene(in);
        QVERIFY(scene);
        in.answer(e.post(WatchMaps{true, 1}));
        run_to(e, in, 400);
        const auto written = [&](const char* kind, const char* name) {
            const std::filesystem::path file = dir.filePath(name).toStdString();
            in.clear();
            e.post(Export{kind, file});
            if (!in.wait([](const Event& x) { return std::holds_alternative<Exported>(x); }))
                qWarning("%s was not written", kind);
            return file;
        };
        for (const int beat : {1, 2}) {
            in.answer(e.post(WatchMaps{true, 1, beat}));
            std::shared_ptr<const MapFrame> m;
            QTRY_VERIFY((m = e.newest_maps()) && m->beat == beat);
            const auto mesh = mesh::io::read(written("maps-vtu", "m.vtu"), LengthUnit::mm).mesh;
            const auto* activation = mesh.field(beat == 1 ? "activation_ms_beat_1_since_0"
                                                          : "activation_ms_beat_2_since_350");
            const auto* apd = mesh.field(beat == 1 ? "apd90_ms_beat_1" : "apd90_ms_beat_2");
            QVERIFY(activation != nullptr && apd != nullptr);
            QFile dat(QString::fromStdString(written("activation-dat", "a.dat").string()));
            QFile apds(QString::fromStdString(written("apd90-dat", "d.dat").string()));
            QFile csv(QString::fromStdString(written("maps-csv", "m.csv").string()));
            QVERIFY(dat.open(QIODevice::ReadOnly) && apds.open(QIODevice::ReadOnly) &&
                    csv.open(QIODevice::ReadOnly));
            const auto lines = dat.readAll().split('\n'), ends = apds.readAll().split('\n'),
                       rows = csv.readAll().split('\n');
            // readers of tables take the first line for the names of the columns
            QCOMPARE(rows[0], QByteArray("id,x_mm,y_mm,z_mm,activation_ms,repolarisation_ms,"
                                         "apd90_ms,period_ms,velocity_m_per_s,beat,time_zero_ms,"
                                         "region,model,variant"));
            QVERIFY(rows[1].contains(beat == 1 ? ",1,0,0," : ",2,350,0,"));
            int measured = 0;
            const auto& vertices = scene->surface->vertices;
            for (std::size_t k = 0; k < vertices.size(); ++k) {
                const auto v = static_cast<std::size_t>(vertices[k]);
                const auto row = static_cast<qsizetype>(v);
                const float a = m->activation[k];
                QVERIFY(std::abs(activation->values[v] - a) < 1e-3F);
                QVERIFY(std::abs(lines[row].toFloat() - a) < 1e-3F);
                QVERIFY(std::abs(rows[row + 1].split(',')[4].toFloat() - a) < 1e-3F);
                const auto& u = m->velocity[k];
                const float speed = std::hypot(u[0], u[1], u[2]);
                const auto told = rows[row + 1].split(',')[8];
                QVERIFY(std::isnan(speed) ? told.isEmpty()
                                          : std::abs(told.toFloat() - speed) < 1e-4F * speed);
                measured += std::isfinite(speed);
                const float d = m->apd90[k]; // not repolarised yet: nothing
                QCOMPARE(std::isnan(apd->values[v]), std::isnan(d));
                QVERIFY(std::isnan(d) ? ends[row] == "-1"
                                      : std::abs(ends[row].toFloat() - d) < 1e-3F);
            }
            QVERIFY(measured > std::ssize(vertices) / 2);
        }
    }

    /// A pulse that reaches a patch alone is a beat like any other, in every map; the one before it
    /// can still be had whole.
    void localCaptureIsABeat()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = bar(700);
        s.stimuli = {end_of_bar(0)};
        in.answer(e.post(Load{s}));
        in.answer(e.post(WatchMaps{true, 1}));
        run_to(e, in, 420);
        // tissue that has just recovered where the wave began, refractory ahead of it: the middle
        // of a short pulse stays local because the conductivities are taken away
        auto regions = s.regions;
        for (auto& r : regions)
            r.conductivity_S_per_m = {1e-4, 1e-4, 1e-4};
        QVERIFY(in.answer(e.post(SetTissue{regions, {}})).applied);
        QVERIFY(in.answer(e.post(Stimulate{{0, 0, 0}, 2, 2, 60})).applied);
        run_to(e, in, 440);
        std::shared_ptr<const MapFrame> m;
        QTRY_VERIFY((m = e.newest_maps()) && m->time_ms > 439);
        // it did not propagate: nobody who has not chosen it is shown a map without values
        QCOMPARE(m->beats.size(), std::size_t(2));
        QVERIFY(m->beats[0].propagated && !m->beats[1].propagated);
        QCOMPARE(m->beat, 1);
        QVERIFY(beat_label(*m).ends_with("beat 1 of 2, since the pulse at 0.0 ms; newest that "
                                         "propagated"));
        in.answer(e.post(WatchMaps{true, 1, 2}));
        QTRY_VERIFY((m = e.newest_maps()) && m->beat == 2);
        QVERIFY2(m->beats.back().share < 0.5, qPrintable(QString::number(m->beats.back().share)));
        QVERIFY(QString::fromStdString(beat_label(*m)).endsWith(" % of the tissue"));
        int part = 0;
        for (std::size_t k = 0; k < m->activation.size(); ++k) {
            part += std::isfinite(m->activation[k]);
            // no map shows another beat where this one was not
            QVERIFY(std::isfinite(m->activation[k]) || std::isnan(m->apd90[k]));
            QVERIFY(std::isfinite(m->activation[k]) || std::isnan(m->period[k]));
        }
        QVERIFY(part > 0 && part < 0.5 * static_cast<double>(m->activation.size()));
        in.answer(e.post(WatchMaps{true, 1, 1}));
        QTRY_VERIFY((m = e.newest_maps()) && m->beat == 1);
        for (std::size_t k = 0; k < m->activation.size(); ++k)
            QVERIFY(m->activation[k] < 60 && m->apd90[k] > 200);
    }

    /// A run that pauses or ends shows the phase of where it stands.
    void phaseOfTheEnd()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = sheet();
        s.end_ms = 60;
        in.answer(e.post(Load{s}));
        in.answer(e.post(WatchPhase{}));
        run_to(e, in, 33.3);
        QTRY_COMPARE(e.newest_frame()->phase_time_ms, e.status().time_ms);
        in.clear();
        e.post(Play{});
        QVERIFY(in.wait_state(State::finished));
        QTRY_COMPARE(e.newest_frame()->phase_time_ms, e.status().time_ms);
        QCOMPARE(e.status().time_ms, 60.0);
    }

    /// Asked for while paused: the phase of the state as it is.
    void phaseWhilePaused()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = bar(50);
        s.stimuli = {end_of_bar(0)};
        in.answer(e.post(Load{s}));
        const WatchPhase phase{true, {PhasePlane::Kind::delayed, 5}};
        in.answer(e.post(phase)); // nothing has happened yet
        QVERIFY(e.newest_frame() && !e.newest_frame()->phase);
        in.answer(e.post(WatchPhase{false}));
        run_to(e, in, 20);
        in.answer(e.post(phase));
        std::shared_ptr<const Frame> f;
        QTRY_VERIFY((f = e.newest_frame()) && f->phase);
        QVERIFY(std::abs(f->phase_time_ms - 20) < 0.1);
        QVERIFY(*std::max_element(f->phase->begin(), f->phase->end()) > 0);
    }

    void spiralHasOneSingularity()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        in.answer(e.post(FrameInterval{0}));
        in.answer(e.post(Load{sheet()}));
        run_to(e, in, 450);
        in.answer(e.post(WatchPhase{}));
        in.answer(e.post(LimitSpeed{200}));
        in.clear();
        e.post(RunUntil{900});
        std::map<double, std::size_t> lines;
        double x = 0, y = 0;
        while (!in.wait_state(State::paused, 1)) {
            const auto f = e.newest_frame();
            if (f && f->singularities) {
                lines[f->phase_time_ms] = f->singularities->filaments_mm.size();
                QCOMPARE(f->phase->size(), f->values.size());
                for (const auto& p : f->singularities->points_mm)
                    x = p[0], y = p[1];
            }
        }
        std::size_t one = 0;
        for (const auto& [t, n] : lines)
            one += n == 1;
        qInfo("one filament in %zu of %zu frames, last at %.1f, %.1f mm", one, lines.size(), x, y);
        QVERIFY(lines.size() > 60);
        QVERIFY(static_cast<double>(one) > 0.95 * static_cast<double>(lines.size()));
    }

    void volumeComesWithFrames()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = bar();
        s.stimuli = {end_of_bar(0)};
        for (auto scheme : {diffusion::Scheme::p1, diffusion::Scheme::fvm}) {
            s.scheme = scheme;
            in.answer(e.post(Load{s}));
            in.answer(e.post(WatchVolume{}));
            run_to(e, in, 6);
            std::shared_ptr<const Frame> f;
            QTRY_VERIFY((f = e.newest_frame()) && f->volume);
            QCOMPARE(f->volume->size(), std::size_t(25 * 5 * 5));
            QVERIFY(*std::max_element(f->volume->begin(), f->volume->end()) > 0);
        }
    }

    void mapsAndPhaseInsideTheWall()
    {
        for (auto scheme : {diffusion::Scheme::p1, diffusion::Scheme::fvm}) {
            Inbox in;
            Engine e(in.handler(), one_thread());
            auto s = bar();
            s.scheme = scheme;
            s.stimuli = {end_of_bar(0)};
            in.answer(e.post(Load{s}));
            const auto scene = loaded_scene(in);
            QVERIFY(scene);
            in.answer(e.post(WatchMaps{true, 1}));
            in.answer(e.post(WatchPhase{true, {PhasePlane::Kind::delayed, 5}}));
            run_to(e, in, 12);
            std::shared_ptr<const MapFrame> m;
            QTRY_VERIFY((m = e.newest_maps()) && m->activated > 0);
            QVERIFY(!m->volume);
            QVERIFY(e.newest_frame() && !e.newest_frame()->phase_volume);
            // asked for while paused: it comes although nothing runs
            in.answer(e.post(WatchVolume{}));
            QTRY_VERIFY((m = e.newest_maps()) && m->volume);
            std::shared_ptr<const Frame> f;
            QTRY_VERIFY((f = e.newest_frame()) && f->phase_volume && f->volume);
            const auto& surface = *scene->surface;
            QCOMPARE(m->volume->activation.size(), scene->mesh->vertex_count());
            QCOMPARE(f->phase_volume->size(), scene->mesh->vertex_count());
            const auto same = [](float a, float b) { return a == b || (a != a && b != b); };
            for (std::size_t k = 0; k < surface.vertices.size(); ++k) {
                const auto v = static_cast<std::size_t>(surface.vertices[k]);
                QVERIFY(same(m->volume->activation[v], m->activation[k]));
                QVERIFY(same(m->volume->apd90[v], m->apd90[k]));
                QVERIFY(same(m->volume->period[v], m->period[k]));
                QVERIFY(same((*f->phase_volume)[v], (*f->phase)[k]));
            }
            // inside the wave is where its neighbours on the wall say
            int inside = 0;
            for (std::size_t v = 0; v < scene->mesh->vertex_count(); ++v) {
                const Vec3 p = scene->mesh->vertex(v);
                const float a = m->volume->activation[v];
                if (std::find(surface.vertices.begin(), surface.vertices.end(),
                              static_cast<std::int32_t>(v)) != surface.vertices.end() ||
                    !std::isfinite(a))
                    continue;
                for (std::size_t k = 0; k < surface.vertices.size(); ++k) {
                    const Vec3 q =
                        scene->mesh->vertex(static_cast<std::size_t>(surface.vertices[k]));
                    if (norm(q - p) < 0.6 && std::abs(q[0] - p[0]) < 1e-9)
                        inside += std::abs(m->activation[k] - a) < 1.5F;
                }
            }
            QVERIFY(inside > 20);
        }
    }

    /// Of tissue that is activated again and again the map shows the newest time, and says so.
    void aMapOfReentrySaysWhatItShows()
    {
        BeatSpan b{1, 12, 1900, 1, true};
        QCOMPARE(beat_label(b, 1), std::string("newest turn in beat 1 of 1, from 12.0 ms"));
        b.share = 0.2;
        QCOMPARE(beat_label(b, 3),
                 std::string("newest turn in beat 1 of 3, from 12.0 ms, 20 % of the tissue"));
        b.turns = false;
        b.share = 1;
        QCOMPARE(beat_label(b, 1), std::string("beat 1 of 1, from 12.0 ms"));
    }
};

int main(int argc, char** argv)
{
    return tawara::test::run<TestLiveMaps>(argc, argv);
}
#include "test_live_maps.moc"
