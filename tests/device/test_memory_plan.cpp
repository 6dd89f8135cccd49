// SPDX-License-Identifier: GPL-3.0-or-later
// What a tissue that finds no room on a device can be computed by, and what goes on when one fails.
#include "engine/device/memory_plan.hpp"

#include "engine/device/problem.hpp"

#include <QtTest>

using namespace tawara;
using namespace tawara::device;

namespace {

/// "double cuda:0, single without maps cuda:0, single cpu"
QString text(const std::vector<MemoryPlan>& plans)
{
    QStringList out;
    for (const auto& p : plans)
        out << QString::fromStdString(std::string(name(p.precision)) + " " +
                                      (p.maps ? "" : "without maps ") + p.devices.text());
    return out.join(", ");
}

constexpr double GB = 1e9;

} // namespace

class TestMemoryPlan : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void whatChangesLeastComesFirst_data()
    {
        QTest::addColumn<double>("in_double");
        QTest::addColumn<QList<double>>("gpus");
        QTest::addColumn<double>("host");
        QTest::addColumn<bool>("split");
        QTest::addColumn<QString>("want");
        const auto row = [](const char* n, double d, const QList<double>& gpus, double host,
                            bool split, const char* want) {
            QTest::newRow(n) << d << gpus << host << split << want;
        };
        row("another GPU", 20, {10, 40}, 0, true, "double cuda:1, mixed cuda:1, single cuda:1");
        row("two", 20, {13, 13}, 0, true, "double cuda:0,1, mixed cuda:0,1, single cuda:0");
        row("two of unlike size", 20, {13, 4, 13}, 0, true,
            "double cuda:0,2, mixed cuda:0,2, single cuda:0");
        row("not to be split", 20, {13, 13}, 0, false, "single cuda:0");
        row("single alone", 20, {12}, 0, true, "single cuda:0");
        row("mixed", 20, {17}, 0, true, "mixed cuda:0, single cuda:0");
        row("the CPU", 20, {5}, 64, true, "double cpu, single cpu");
        row("the CPU in single", 20, {5}, 15, true, "single cpu");
        row("nothing", 20, {5}, 5, true, "");
        row("a tenth stays free", 20, {20.5}, 20.5, true,
            "mixed cuda:0, single cuda:0, single cpu");
    }
    void whatChangesLeastComesFirst()
    {
        QFETCH(double, in_double);
        QFETCH(QList<double>, gpus);
        QFETCH(double, host);
        QFETCH(bool, split);
        QFETCH(QString, want);
        const double all = in_double * GB;
        const MemoryNeed need{{all, 0.75 * all, 0.5 * all}, {all, 0, 0.5 * all}, split};
        std::vector<FreeMemory> free;
        for (int k = 0; k < gpus.size(); ++k)
            free.push_back({k, gpus[k] * GB});
        const auto plans = plans_that_fit(need, Precision::double_, free, host * GB);
        QCOMPARE(text(plans), want);
        for (const auto& p : plans)
            QVERIFY(p.needed_bytes > 0 && p.needed_bytes <= 0.9 * p.there_bytes);
        for (const auto& p : plans_that_fit(need, Precision::single, free, host * GB))
            QCOMPARE(int(p.precision), int(Precision::single)); // none takes more
        if (!plans.empty()) {
            const NoMemory e({"cuda:0", "cudaMalloc", 2, "out of memory"}, plans);
            QVERIFY(QString(e.what()).contains("; there is room for it in " +
                                               QString::fromStdString(plans[0].words)));
        }
    }

    /// Where a precision has room without maps alone, that comes after those that have it with
    /// them.
    void mapsAreLeftOutLast()
    {
        MemoryNeed need{{20 * GB, 15 * GB, 10 * GB}, {20 * GB, 0, 10 * GB}, false};
        need.maps_on_cuda = {2 * GB, 2 * GB, 1 * GB};
        const auto text_of = [&](double free_GB, Precision tried) {
            const std::vector<FreeMemory> gpus{{0, free_GB * GB}};
            return text(plans_that_fit(need, tried, gpus, 64 * GB));
        };
        QCOMPARE(text_of(21, Precision::double_),
                 QString("mixed cuda:0, single cuda:0, double without maps cuda:0, double cpu, "
                         "single cpu"));
        QCOMPARE(text_of(10.5, Precision::double_),
                 QString("single without maps cuda:0, double cpu, single cpu"));
        QCOMPARE(text_of(10.5, Precision::single),
                 QString("single without maps cuda:0, single cpu"));
        // without much more room than that, what was tried is tried so
        QCOMPARE(text_of(9.1, Precision::single),
                 QString("single without maps cuda:0, single cpu"));
        QCOMPARE(text_of(9.1, Precision::double_), QString("double cpu, single cpu"));
        QCOMPARE(text_of(8.9, Precision::single), QString("single cpu"));
        const std::vector<FreeMemory> gpus{{0, 10.5 * GB}};
        const auto plan = plans_that_fit(need, Precision::single, gpus, 0).at(0);
        QCOMPARE(plan.words, std::string("single precision without activation maps on cuda:0 "
                                         "(about 9 GB of 10.5 GB free)"));
    }

    /// Mixed precision is none of the CPU's: double stands for it there.
    void mixedHasNoCpu()
    {
        const MemoryNeed need{{20 * GB, 15 * GB, 10 * GB}, {20 * GB, 0, 10 * GB}, true};
        QCOMPARE(text(plans_that_fit(need, Precision::mixed, {}, 64 * GB)),
                 QString("double cpu, single cpu"));
    }

    void whatATissueTakes()
    {
        TissueProblem p;
        const auto n = std::size_t{1000};
        p.system.alpha.first.assign(n + 1, 0);
        p.system.alpha.column.assign(14 * n, 0);
        p.system.volume.assign(n, 1);
        p.group.assign(n, 0);
        p.groups.resize(1);
        p.groups[0].types.resize(1);
        p.groups[0].types[0].initial.assign(19, 0);
        const auto need = memory_need(p);
        // 18 states, 5 vectors, two times, rows of 14 entries: 365 bytes an unknown
        QVERIFY2(need.on_cuda[0] > 350e3 && need.on_cuda[0] < 380e3,
                 qPrintable(QString::number(need.on_cuda[0])));
        QCOMPARE(need.maps_on_cuda[0], 32e3); // two times, two potentials
        QCOMPARE(need.maps_on_cuda[2], 24e3);
        QVERIFY(need.on_cuda[0] > need.on_cuda[1] && need.on_cuda[1] > need.on_cuda[2]);
        QVERIFY(need.on_cpu[0] > need.on_cpu[2] && need.on_cpu[1] == 0 && need.can_split);
        // a tetrahedron of interpolated currents: corners twice (16, 4), its rows at them (16), its
        // places in the lists (7); a volume and four rates
        p.currents = IonicCurrents::interpolated;
        const auto none = memory_need(p);
        p.elements.corner.resize(n);
        p.elements.volume_mm3.resize(n);
        const auto interpolated = memory_need(p);
        QCOMPARE(interpolated.on_cuda[0] - none.on_cuda[0], (16 + 4 + 16 + 7 + 5 * 8) * 1e3);
        QCOMPARE(interpolated.on_cuda[2] - none.on_cuda[2], (16 + 4 + 16 + 7 + 5 * 4) * 1e3);
        p.currents = IonicCurrents::nodal;
        p.stepping = Stepping::newton;
        QVERIFY(memory_need(p).on_cuda[0] > need.on_cuda[0] && !memory_need(p).can_split);
    }

    void whatGoesOnWithoutADevice()
    {
        const std::vector<int> all{0, 1, 2};
        const auto after = [&](const char* failed, const char* asked, Precision p,
                               const std::vector<int>& usable) {
            const auto plan = plan_without(failed, asked, p, usable);
            return plan ? plan->devices.text() : std::string("none");
        };
        QCOMPARE(after("cuda:1", "auto", Precision::double_, all), std::string("cuda:0,2"));
        QCOMPARE(after("cuda:1", "cuda", Precision::mixed, all), std::string("cuda:0,2"));
        QCOMPARE(after("cuda:1", "cuda:0,1", Precision::single, all), std::string("cuda:0"));
        QCOMPARE(after("cuda:1", "cuda:1", Precision::single, all), std::string("cpu"));
        QCOMPARE(after("cuda:0", "auto", Precision::double_, {}), std::string("cpu"));
        QCOMPARE(after("cuda:0", "auto", Precision::mixed, {0}), std::string("none"));
    }
};
QTEST_GUILESS_MAIN(TestMemoryPlan)
#include "test_memory_plan.moc"
