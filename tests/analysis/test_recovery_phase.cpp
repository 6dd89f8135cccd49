// SPDX-License-Identifier: GPL-3.0-or-later
// The colours that the guide and the legend promise of the phase of V and recovery: of every model.
#include "engine/analysis/phase.hpp"
#include "engine/analysis/recovery.hpp"
#include "engine/cell/single_cell.hpp"

#include <QtTest>

#include <algorithm>
#include <numbers>

using namespace tawara;
using namespace tawara::analysis;

namespace {

constexpr float pi = std::numbers::pi_v<float>;
constexpr float middle = 0.45F; ///< of PhaseWatch

/// A quarter of the circle: 0 violet (rest), 1 pink, 2 gold, 3 green.
int quarter(float phase)
{
    return std::clamp(static_cast<int>((phase + pi) / (pi / 2)), 0, 3);
}

struct Traced
{
    std::vector<double> t_ms;
    std::vector<float> phase;
};

/// A cell that is paced with a period, from its second pulse on.
Traced traced(const std::string& model, double period_ms)
{
    cell::SingleCellOptions o;
    o.type = cell::make_cell_type(model, "", {}, {});
    o.scheme = cell::Scheme::cvode;
    o.dt_ms = 0.1;
    o.stimulus_start_ms = 20;
    o.stimulus_period_ms = period_ms;
    o.beats = 2;
    o.end_ms = 20 + 2 * period_ms;
    const auto cell = cell::run_single_cell(o);
    const auto variable = *recovery_variable(cell::model_info(model));
    const auto range = *recovery_range(model);
    const auto& v = cell.states[0];
    const auto [low, high] = std::minmax_element(v.begin(), v.end());
    std::vector<float> across, up;
    for (std::size_t k = 0; k < v.size(); ++k) {
        across.push_back(static_cast<float>((v[k] - *low) / (*high - *low)));
        up.push_back(static_cast<float>(range.share(cell.states[variable.state][k])));
    }
    Traced out{cell.time_ms, std::vector<float>(v.size())};
    phases(across, up, middle, out.phase);
    return out;
}

} // namespace

class TestRecoveryPhase : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void eachModelHasTheColours_data()
    {
        QTest::addColumn<QString>("model");
        for (const auto& m : cell::model_names())
            QTest::newRow(m.c_str()) << QString::fromStdString(m);
    }
    /// Violet at rest, pink when the pulse has fired it, then gold, green and violet again, each
    /// once and in this order: in the first beat and in one that follows.
    void eachModelHasTheColours()
    {
        QFETCH(QString, model);
        const auto name = model.toStdString();
        QVERIFY(recovery_range(name));
        constexpr double period_ms = 1000;
        const auto trace = traced(name, period_ms);
        std::vector<int> colours;
        QString said;
        for (std::size_t k = 0; k < trace.phase.size(); ++k) {
            const int q = quarter(trace.phase[k]);
            if (!colours.empty() && colours.back() == q)
                continue;
            colours.push_back(q);
            said += QString("%1 at %2 ms, ").arg(q).arg(trace.t_ms[k]);
        }
        qInfo("%s", qPrintable(said));
        QVERIFY(trace.phase.front() < -2); // of rest: around -3/4 pi
        QVERIFY2((colours == std::vector<int>{0, 1, 2, 3, 0, 1, 2, 3, 0}), qPrintable(said));
    }
};

QTEST_APPLESS_MAIN(TestRecoveryPhase)
#include "test_recovery_phase.moc"
