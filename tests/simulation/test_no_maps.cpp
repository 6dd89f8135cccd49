// SPDX-License-Identifier: GPL-3.0-or-later
// Runs on a device that has room without activation maps alone.
#include "engine/device/memory_plan.hpp"
#include "engine/simulation/results/reproduction.hpp"
#include "engine/simulation/run/run_on.hpp"
#include "tests/several.hpp"
#include "tests/simulation/fault_runs.hpp"
#include "tests/simulation/fault_switches.hpp"

#include <QtTest>

using namespace tawara;
using namespace tawara::simulation;
using namespace tawara::simulation::test;
using tawara::test::faults;

class TestNoMaps : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void init() { faults().no_room_for_maps = true; }
    void cleanup() { faults().clear(); }

    /// Nothing is said of what was activated; all else is as with maps, and a run that goes on from
    /// there has the maps of what comes.
    void runWithoutRoomForMaps()
    {
        Runs whole, r;
        faults().clear();
        run_session(slab_session(), whole.o);
        faults().no_room_for_maps = true;
        run_on(slab_session(), r.o, {.fit = true});
        QVERIFY(r.was_said("there is room for it in double without activation maps; computed in"));
        QVERIFY(r.was_said("no activation maps are kept, since there was no room for them: "
                           "activation.csv and activation.vtu are not written"));
        QVERIFY(!r.was_said("activated") && !fs::exists(r.o.out / "activation.csv"));
        QVERIFY(content(r.o.out / "probes.csv") == content(whole.o.out / "probes.csv"));
        const auto report = r.report();
        QVERIFY(report["activated"].isNull() && whole.report()["activated"].toInt() > 0);
        QVERIFY(report["maps_not_known"].toString().startsWith("no activation maps are kept"));
        faults().clear();
        const auto again = read_report(r.o.out / "report.json");
        QVERIFY(!again.options.device.maps &&
                read_report(whole.o.out / "report.json").options.device.maps);
        r.o.resume = r.o.out / checkpoint_name(2);
        run_session(slab_session(), r.o);
        QCOMPARE(r.report()["maps_from_ms"].toDouble(), 2.0);
        const auto times = content(r.o.out / "activation.csv");
        QVERIFY(times.count('\n') > 10 && content(whole.o.out / "activation.csv") != times);
    }

    /// The window's engine runs, says so, and exports what there is.
    void engineWithoutRoomForMaps()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        const auto b = in.answer(e.post(Load{slab_session(1000)}));
        QVERIFY(!b.applied && b.plans.size() == 1 && !b.plans[0].maps);
        in.clear();
        QVERIFY(in.answer(e.post(Load{slab_session(1000), {}, b.plans[0]})).applied);
        const auto all = in.all();
        QVERIFY(std::any_of(all.begin(), all.end(), [](const Event& x) {
            const auto* l = std::get_if<Loaded>(&x);
            return l && std::any_of(l->scene->notices.begin(), l->scene->notices.end(),
                                    [](const Notice& n) { return n.text == device::no_maps_text; });
        }));
        QVERIFY(in.answer(e.post(WatchMaps{true})).applied);
        run_to(e, in, 1);
        QVERIFY(!e.newest_maps());
        QTemporaryDir dir;
        const auto exported = [&](const char* kind, const char* name) {
            in.clear();
            e.post(Export{kind, fs::path(dir.path().toStdString()) / name});
            std::string failed = "no answer";
            in.wait([&](const Event& x) {
                if (const auto* d = std::get_if<Exported>(&x))
                    failed = d->error;
                return std::holds_alternative<Exported>(x);
            });
            return failed;
        };
        QVERIFY(exported("maps-csv", "m.csv").find("on a device that has room for them") !=
                std::string::npos);
        QCOMPARE(exported("report-html", "r.html"), std::string());
    }
};
static const tawara::test::Further<TestNoMaps> further;
#include "test_no_maps.moc"
