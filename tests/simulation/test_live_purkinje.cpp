// SPDX-License-Identifier: GPL-3.0-or-later
// A Purkinje network in the window's engine: cut, removed and made while the run goes on.
#include "engine/simulation/observe/network_frame.hpp"
#include "engine/simulation/observe/recording.hpp"
#include "engine/simulation/session/purkinje_keys.hpp"
#include "tests/several.hpp"
#include "tests/simulation/inbox.hpp"
#include "tests/simulation/purkinje_bar.hpp"

#include <algorithm>
#include <cmath>

using namespace tawara;
using namespace tawara::simulation;
using namespace tawara::simulation::bar;

namespace {

/// The newest scene that the engine said.
std::shared_ptr<const Scene> scene_of(Inbox& in)
{
    std::shared_ptr<const Scene> out;
    for (const auto& e : in.all()) {
        if (const auto* l = std::get_if<Loaded>(&e))
            out = l->scene;
        if (const auto* c = std::get_if<SceneChanged>(&e))
            out = c->scene;
    }
    return out;
}

int active(const NetworkFrame& f)
{
    return static_cast<int>(std::count_if(f.newest_ms.begin(), f.newest_ms.end(),
                                          [](float ms) { return std::isfinite(ms); }));
}

} // namespace

class TestLivePurkinje : public QObject
{
    Q_OBJECT
    const Bar bar;

    Session session(double end_ms = 60)
    {
        return bar.session(R"(, "fibres": 4000, "junctions": {"resistance_kOhm": 0.3})", end_ms);
    }
    static void finish(Engine& e, Inbox& in)
    {
        QVERIFY(in.answer(e.post(Play{})).applied);
        QTRY_COMPARE_WITH_TIMEOUT(int(e.status().state), int(Status::State::finished), 60000);
    }

  private Q_SLOTS:
    /// Frames have the network, which runs before the wall; so has a recording.
    void framesAndRecordingsHaveTheNetwork()
    {
        Inbox in;
        Engine e(in.handler());
        QVERIFY(in.answer(e.post(Load{session(30)})).applied);
        const auto shape = scene_of(in)->network;
        QVERIFY(shape && shape->junction.size() == 1);
        QCOMPARE(shape->junction[0], std::int32_t(shape->point.size()) - 1);
        QVERIFY(in.answer(e.post(StartRecording{1})).applied);
        QVERIFY(in.answer(e.post(StepOnce{50})).applied);
        auto f = e.newest_frame();
        QVERIFY(f->network && f->network->V_mV.size() == shape->point.size());
        QVERIFY(f->network->V_mV.front() > -20 && f->network->V_mV.back() < -60);
        finish(e, in);
        f = e.newest_frame();
        QCOMPARE(active(*f->network), int(shape->point.size()));
        QVERIFY(f->network->first_ms.front() < f->network->first_ms.back());
        const auto delay = f->network->junction_wall_ms[0] - f->network->junction_ms[0];
        QVERIFY2(delay > 0 && delay < 20, qPrintable(QString::number(double(delay))));
        QCOMPARE(junction_state(double(f->network->junction_ms[0]),
                                double(f->network->junction_wall_ms[0]), f->time_ms),
                 JunctionState::antegrade);
        const auto r = e.recording();
        QCOMPARE(r->network(), shape->network->made);
        const auto first = r->frame(0), later = r->frame(r->frame_count() - 1);
        QCOMPARE(later->network.size(), shape->point.size());
        QVERIFY(first->network.back() < -60 && later->network.back() > -60);
    }

    /// What is cut while the run goes on does not conduct from then on; joined again, it does.
    void aCutCountsFromTheNextStep()
    {
        Inbox in;
        Engine e(in.handler());
        const auto s = session(40);
        QVERIFY(in.answer(e.post(Load{s})).applied);
        QVERIFY(in.answer(e.post(StepOnce{10})).applied);
        const auto made = scene_of(in)->network->network->made;
        auto keys = s.purkinje;
        keys->cut = {"0"};
        const auto id = e.post(SetPurkinje{keys});
        QVERIFY(in.answer(id).applied);
        const auto shape = scene_of(in)->network;
        QCOMPARE(shape->network->made, made); // the same one, and no other frames
        QVERIFY(shape->cut(shape->point.size() - 1));
        QCOMPARE(scene_of(in)->session.purkinje->cut, keys->cut);
        QVERIFY(e.newest_frame()->network != nullptr);
        finish(e, in);
        QCOMPARE(active(*e.newest_frame()->network), 1); // the root, stimulated before the cut
        QVERIFY(in.answer(e.post(Reset{})).applied);
        keys->cut.clear();
        QVERIFY(in.answer(e.post(SetPurkinje{keys})).applied);
        finish(e, in);
        QCOMPARE(active(*e.newest_frame()->network), int(shape->point.size()));
        keys->cut = {"left_bundel"};
        const auto a = in.answer(e.post(SetPurkinje{keys}));
        QVERIFY2(!a.applied && a.reason.find("/purkinje/cut/0") != std::string::npos,
                 a.reason.c_str());
        QVERIFY(scene_of(in)->session.purkinje->cut.empty());
    }

    /// A network comes to a run that had none, and goes again; the tissue goes on.
    void aNetworkComesAndGoes()
    {
        Inbox in;
        Engine e(in.handler());
        auto without = session();
        const auto keys = without.purkinje;
        without.purkinje->wanted = false;
        QVERIFY(in.answer(e.post(Load{without})).applied);
        QVERIFY(!scene_of(in)->network);
        QVERIFY(in.answer(e.post(StepOnce{10})).applied);
        QVERIFY(!e.newest_frame()->network);
        auto a = in.answer(e.post(SetPurkinje{keys}));
        QVERIFY2(a.applied, a.reason.c_str());
        QVERIFY(scene_of(in)->network);
        QCOMPARE(e.status().step, std::int64_t(10));
        QVERIFY(e.newest_frame()->network);
        QVERIFY(in.answer(e.post(StepOnce{40})).applied);
        QTRY_COMPARE(e.status().step, std::int64_t(50));
        auto none = keys;
        none->wanted = false;
        a = in.answer(e.post(SetPurkinje{none}));
        QVERIFY2(a.applied, a.reason.c_str());
        QVERIFY(!scene_of(in)->network);
        QCOMPARE(e.status().step, std::int64_t(50));
        QVERIFY(!e.newest_frame()->network);
        QVERIFY(in.answer(e.post(StepOnce{10})).applied);
    }

    /// The search for a resistance runs beside the run and can be cancelled; found, it is in force.
    void aSearchGoesOnBesideTheRun()
    {
        Inbox in;
        Engine e(in.handler());
        const auto s = session();
        QVERIFY(in.answer(e.post(Load{s})).applied);
        auto keys = s.purkinje;
        keys->antegrade_ms = 3;
        auto id = e.post(SetPurkinje{keys});
        e.post(CancelChange{});
        const auto refused = in.answer(id);
        QVERIFY(!refused.applied && refused.cancelled);
        QCOMPARE(scene_of(in)->network->network->description.junctions[0].resistance_kOhm, 0.3);
        id = e.post(SetPurkinje{keys});
        const auto a = in.answer(id);
        QVERIFY2(a.applied, a.reason.c_str());
        const auto network = scene_of(in)->network->network;
        QVERIFY(network->found && std::abs(network->found->delay_ms - 3) < 0.45);
        QCOMPARE(network->description.junctions[0].resistance_kOhm, network->found->kOhm);
        QVERIFY(network->found->kOhm > 0.3);
        finish(e, in);
        const auto f = e.newest_frame()->network;
        const double delay = double(f->junction_wall_ms[0]) - double(f->junction_ms[0]);
        QVERIFY2(std::abs(delay - network->found->delay_ms) < 0.5,
                 qPrintable(QString::number(delay)));
    }
};

static const tawara::test::Further<TestLivePurkinje> further;
#include "test_live_purkinje.moc"
