// SPDX-License-Identifier: GPL-3.0-or-later
// Hardware counters of a run: what is made of them, and that it is said where there are none.
#include "engine/cli/cli.hpp"
#include "engine/core/error.hpp"
#include "engine/simulation/results/figures.hpp"
#include "tests/device/tissue_problem.hpp"

#include <QtTest>
#include <sstream>

using namespace tawara;
using namespace tawara::device;
using namespace tawara::test;

namespace {

constexpr double counted_per_call = 1000;
const std::string nobody_may = "the driver lets nobody read counters";

/// A stepper whose steps can be counted: that of the CPU, with numbers made up.
class Countable final : public Stepper
{
  public:
    enum class What { counts, refuses, breaks, stays };
    Countable(const TissueProblem& p, What what) : what_(what)
    {
        StepperOptions o;
        o.devices = "cpu", o.threads = 1;
        inner_ = make_stepper(p, o);
    }
    std::string advance_counted(std::int64_t n) override
    {
        if (what_ == What::refuses)
            return nobody_may;
        inner_->advance(n);
        if (what_ == What::breaks)
            throw DeviceError("cuda:0", "counters", 1, nobody_may);
        counted_ = true;
        return "";
    }
    std::vector<KernelRecord> kernels() const override
    {
        auto all = inner_->kernels();
        for (auto& k : all)
            if (counted_)
                k.counted_bytes = counted_per_call * static_cast<double>(k.calls);
        return all;
    }
    void advance(std::int64_t n) override { inner_->advance(n); }
    std::int64_t step() const override { return inner_->step(); }
    double dt_ms() const override { return inner_->dt_ms(); }
    std::size_t add_stimulus(StimulusSource s) override { return inner_->add_stimulus(s); }
    void remove_stimulus(std::size_t id) override { inner_->remove_stimulus(id); }
    Part& add_part(const Ports& p, const PartMaker& make) override
    {
        return inner_->add_part(p, make);
    }
    void set_types(std::size_t g, std::span<const cell::CellType> t) override
    {
        inner_->set_types(g, t);
    }
    void set_probes(Gather p, std::int64_t every) override { inner_->set_probes(p, every); }
    void take_samples(std::vector<std::int64_t>& k, std::vector<double>& v) override
    {
        inner_->take_samples(k, v);
    }
    void set_display(Gather d) override { inner_->set_display(d); }
    void display(std::span<float> out) override { inner_->display(out); }
    void potential(std::span<double> out) const override { inner_->potential(out); }
    void state(std::size_t k, std::span<double> out) const override { inner_->state(k, out); }
    void cell_numbers(std::size_t unknown, CellNumbers& out) const override
    {
        inner_->cell_numbers(unknown, out);
    }
    Maps maps() const override { return inner_->maps(); }
    Snapshot snapshot() const override { return inner_->snapshot(); }
    void restore(const Snapshot& s) override
    {
        if (what_ == What::stays)
            throw DeviceError("cuda:0", "copy", 1, "out of memory");
        inner_->restore(s);
    }
    std::string device() const override { return inner_->device(); }

  private:
    std::unique_ptr<Stepper> inner_;
    What what_;
    bool counted_ = false;
};

} // namespace

class TestCounters : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void countedStepsAreTakenBack_data()
    {
        QTest::addColumn<int>("what");
        QTest::addRow("counts") << int(Countable::What::counts);
        QTest::addRow("refuses") << int(Countable::What::refuses);
        QTest::addRow("breaks") << int(Countable::What::breaks);
    }
    void countedStepsAreTakenBack()
    {
        QFETCH(int, what);
        const bool counts = what == int(Countable::What::counts);
        const auto p = slab_problem({2, 1, 0.5}, 0.25);
        Countable s(p, static_cast<Countable::What>(what));
        s.add_stimulus(left_end(p, 0.6));
        s.advance(60);
        const auto before = s.snapshot();
        const auto kernels = s.kernels();
        const auto c = simulation::count_kernels(s);
        QCOMPARE(c.not_counted.empty(), counts);
        QVERIFY(counts || c.not_counted.find(nobody_may) != std::string::npos);
        QVERIFY2(c.not_restored.empty(), c.not_restored.c_str());
        QCOMPARE(c.kernels.size(), kernels.size());
        for (std::size_t k = 0; k < kernels.size(); ++k) {
            QCOMPARE(c.kernels[k].calls, kernels[k].calls);
            QCOMPARE(c.kernels[k].counted_bytes,
                     counts ? counted_per_call * double(kernels[k].calls) : 0.0);
        }
        const auto after = s.snapshot();
        QCOMPARE(after.step, before.step);
        QVERIFY(after.v == before.v && after.states == before.states);
        s.advance(20); // and goes on as if nothing had been
        Countable other(p, Countable::What::refuses);
        other.add_stimulus(left_end(p, 0.6));
        other.advance(80);
        QVERIFY(s.snapshot().v == other.snapshot().v);
    }

    /// Where they cannot be taken back the state is not what anybody thinks, and that is said.
    void whatCannotBeTakenBackIsSaid()
    {
        const auto p = slab_problem({2, 1, 0.5}, 0.25);
        Countable s(p, Countable::What::stays);
        s.advance(60);
        const auto c = simulation::count_kernels(s);
        QVERIFY(c.not_counted.empty());
        std::ostringstream at;
        at << 60 * s.dt_ms() << " ms";
        for (const std::string& said : {std::string("out of memory"), at.str()})
            QVERIFY2(c.not_restored.find(said) != std::string::npos, c.not_restored.c_str());
        QVERIFY(s.step() > 60);
    }

    void aRunSaysWhyThereAreNone()
    {
        QTemporaryDir dir;
        const auto path = [&](const char* name) { return dir.filePath(name).toStdString(); };
        QFile session(dir.filePath("s.json"));
        QVERIFY(session.open(QFile::WriteOnly));
        session.write(R"({"schema": 1, "mesh": {"slab_mm": [2, 1, 1], "spacing_mm": 0.5},
            "tissue": {"regions": [{"label": "*", "model": "mitchell_schaeffer_2003",
             "conductivity_S_per_m": {"fibre": 0.13, "sheet": 0.02, "normal": 0.02}}]},
            "time": {"dt_ms": 0.02, "end_ms": 0.2}})");
        session.close();
        for (const bool asked : {true, false}) {
            std::ostringstream out, err;
            std::vector<std::string> line{"run",   path("s.json"), "--devices", "cpu",
                                          "--out", path("out"),    "--json"};
            if (asked)
                line.push_back("--counters");
            QVERIFY2(cli::run(line, {out, err, {}, false}) == 0, err.str().c_str());
            const auto report =
                QJsonDocument::fromJson(QByteArray::fromStdString(out.str())).object();
            const std::string why = "hardware counters are read on NVIDIA GPUs alone";
            QCOMPARE(report["not_counted"].toString(), QString::fromStdString(asked ? why : ""));
            QCOMPARE(report["steps"].toInt(), 10);
            QCOMPARE(err.str().find("no hardware counters: " + why) != std::string::npos, asked);
            for (const auto k : report["kernels"].toArray())
                QVERIFY(!k.toObject().contains("counted_bytes"));
        }
    }
};

QTEST_GUILESS_MAIN(TestCounters)
#include "test_counters.moc"
