// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of a network and the Conduction panel, without the window.
#include "tests/gui/fake_network.hpp"
#include "tests/gui/several.hpp"
#include "widgets/panels/conduction_panel.hpp"
#include "widgets/panels/form.hpp"

#include <QApplication>
#include <QCheckBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>

#include <cmath>

using namespace tawara;
using cable::Fascicle;
using simulation::JunctionState;

namespace {

simulation::PurkinjeKeys keysWith(std::vector<std::string> cut)
{
    simulation::PurkinjeKeys k;
    k.wanted = true;
    k.cut = std::move(cut);
    return k;
}

QString text(const QAbstractItemModel& m, int row, int column)
{
    return m.data(m.index(row, column), Qt::DisplayRole).toString();
}

} // namespace

class TestNetworkModels : public QObject
{
    Q_OBJECT
    template <class W>
    W* child(ConductionPanel& p, const char* name)
    {
        return p.findChild<W*>(QString::fromLatin1(name));
    }

  private Q_SLOTS:
    void fasciclesHaveLengthNodesAndJunctions()
    {
        const auto shape = fake::network(keysWith({"right_bundle"}));
        FascicleModel m;
        m.setNetwork(shape);
        QCOMPARE(m.rowCount(), 3);
        QCOMPARE(text(m, 0, FascicleModel::NameColumn), QString("Bundle of His"));
        QCOMPARE(text(m, 0, FascicleModel::LengthColumn), QString("10"));
        QCOMPARE(text(m, 1, FascicleModel::LengthColumn), QString("28")); // from 0 to (19, 0, -20)
        QCOMPARE(text(m, 1, FascicleModel::JunctionsColumn), QString("1"));
        QCOMPARE(m.conducts(1), Qt::Checked);
        QCOMPARE(m.conducts(2), Qt::Unchecked);
        std::size_t nodes = 0;
        for (const auto& p : m.parts())
            nodes += p.nodes;
        QCOMPARE(nodes, shape->network->description.cables.compartments.nodes());
        m.setFrame(fake::network_frame(*shape, 12));
        QCOMPARE(text(m, 0, FascicleModel::ActivationColumn), QString("0.0"));
        QVERIFY(text(m, 1, FascicleModel::ActivationColumn).toDouble() > 5);
        QCOMPARE(text(m, 2, FascicleModel::ActivationColumn), QString("–")); // it is cut
        QSignalSpy cuts(&m, &FascicleModel::cutRequested);
        m.setData(m.index(2, 0), Qt::Checked, Qt::CheckStateRole);
        QCOMPARE(cuts.size(), 1);
        QCOMPARE(cuts[0][0].value<Fascicle>(), Fascicle::right_bundle);
        QCOMPARE(cuts[0][1].toBool(), false);
        QCOMPARE(m.conducts(2), Qt::Unchecked); // until the network says so
    }

    void junctionsHaveStatesAndDelays()
    {
        const auto shape = fake::network(keysWith({}));
        JunctionModel m;
        m.setNetwork(shape);
        QCOMPARE(m.rowCount(), 2);
        QCOMPARE(m.states()[0], JunctionState::silent);
        QVERIFY(m.delaysText().isEmpty());
        m.setFrame(fake::network_frame(*shape, 20)); // both ends after 18.8 ms
        QCOMPARE(m.states()[0], JunctionState::waiting);
        m.setFrame(fake::network_frame(*shape, 70));
        QCOMPARE(m.states()[0], JunctionState::antegrade);
        QCOMPARE(m.states()[1], JunctionState::blocked);
        QCOMPARE(text(m, 0, JunctionModel::DelayColumn), QString("3.00"));
        QCOMPARE(text(m, 1, JunctionModel::DelayColumn), QString("–"));
        QCOMPARE(text(m, 1, JunctionModel::StateColumn), QString("blocked"));
        QCOMPARE(text(m, 0, JunctionModel::ResistanceColumn), QString("0.5"));
        QVERIFY2(m.delaysText().contains("to the wall 3.0 ms"), qPrintable(m.delaysText()));
        auto backwards = *fake::network_frame(*shape, 70);
        backwards.junction_wall_ms[1] = backwards.junction_ms[1] - 2;
        m.setFrame(std::make_shared<const simulation::NetworkFrame>(backwards));
        QCOMPARE(m.states()[1], JunctionState::retrograde);
        QVERIFY(std::abs(m.delay(1) - 2) < 1e-3);
        m.setFrame(nullptr);
        QCOMPARE(m.states()[0], JunctionState::silent);
        // a frame of another network says nothing of this one
        auto other = *fake::network_frame(*shape, 70);
        ++other.network;
        m.setFrame(std::make_shared<const simulation::NetworkFrame>(other));
        QCOMPARE(m.states()[0], JunctionState::silent);
    }

    void thePanelAsksForChanges()
    {
        ConductionPanel p;
        p.resize(1000, 300);
        p.show();
        QVERIFY(child<QLabel>(p, "noNetwork")->isVisible());
        auto keys = keysWith({"left_bundle"});
        p.setKeys(keys);
        p.setNetwork(fake::network(keys));
        QVERIFY(!child<QLabel>(p, "noNetwork")->isVisible());
        QVERIFY(child<QLabel>(p, "networkSummary")->text().contains("2 junctions"));
        QVERIFY(child<QToolButton>(p, "cutLeft")->isChecked());
        QVERIFY(!child<QToolButton>(p, "cutRight")->isChecked());
        QSignalSpy cuts(&p, &ConductionPanel::cutRequested),
            all(&p, &ConductionPanel::joinAllRequested), rhythm(&p, &ConductionPanel::hisChanged),
            resistance(&p, &ConductionPanel::resistanceChanged),
            search(&p, &ConductionPanel::searchRequested);
        child<QToolButton>(p, "cutLeft")->click();
        QCOMPARE(cuts.size(), 1);
        QCOMPARE(cuts[0][1].toBool(), false);
        child<QToolButton>(p, "joinAll")->click();
        QCOMPARE(all.size(), 1);
        child<NumberBox>(p, "junctionResistance")->setValue(0.8);
        QCOMPARE(resistance.back()[0].toDouble(), 0.8);
        child<NumberBox>(p, "junctionDelay")->setValue(5);
        child<QPushButton>(p, "searchResistance")->click();
        QCOMPARE(search.back()[0].toDouble(), 5.0);
        child<NumberBox>(p, "hisPeriod")->setValue(800);
        child<NumberBox>(p, "hisBeats")->setValue(4);
        const auto his = rhythm.back()[0].value<ConductionPanel::His>();
        QVERIFY(his.on && his.period_ms == 800 && his.beats == 4);
    }

    void aRhythmIsWrittenIntoKeys()
    {
        simulation::PurkinjeKeys k;
        QCOMPARE(hisOf(k)->period_ms, 0.0);
        const ConductionPanel::His his{true, 5, 750, 3};
        setHis(k, his);
        QVERIFY(hisOf(k) == his);
        QCOMPARE(k.his_pulses()[0].count, std::int64_t{3});
        k.his_protocol->kind = simulation::Protocol::Kind::burst;
        QVERIFY(!hisOf(k)); // of another kind
        setHis(k, {false, 5, 0, 1});
        QVERIFY(!k.his && !k.his_protocol);
    }

    void workIsShownAndCancelled()
    {
        ConductionPanel p;
        p.show();
        QVERIFY(!child<QWidget>(p, "networkWork")->isVisible());
        p.setWork("Growing the network", 0.3);
        QVERIFY(child<QWidget>(p, "networkWork")->isVisible());
        QSignalSpy cancelled(&p, &ConductionPanel::cancelRequested);
        child<QToolButton>(p, "cancelNetworkWork")->click();
        QCOMPARE(cancelled.size(), 1);
        p.setWork({});
        QVERIFY(!child<QWidget>(p, "networkWork")->isVisible());
    }
};

static const fake::Further<TestNetworkModels> further;
#include "test_network_models.moc"
