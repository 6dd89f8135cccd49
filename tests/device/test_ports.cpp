// SPDX-License-Identifier: GPL-3.0-or-later
// Parts joined to the tissue at ports, on the CPU and on GPUs, against a dense reference.
#include "engine/core/error.hpp"
#include "engine/diffusion/newton.hpp"
#include "tests/device/chain_part.hpp"
#include "tests/device/on_gpu.hpp"
#include "tests/device/tissue_problem.hpp"

#include <Eigen/Dense>
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>

using namespace tawara;
using namespace tawara::device;
using namespace tawara::test;

namespace {

constexpr double first_mV = 40;
constexpr double leak = 0.02, rest_mV = -85;

/// A slab of passive membrane: dV/dt = -leak (V - rest).
TissueProblem passive_slab(const QTemporaryDir& folder, double spacing_mm)
{
    const auto file = folder.filePath("passive.mmt").toStdString();
    std::ofstream(file) << "[[model]]\nmembrane.V = -85\nmembrane.x = 0\n[engine]\n"
                           "time = 0 bind time\npace = 0 bind pace\n[membrane]\n"
                           "i_stim = -1 * engine.pace label stimulus_current\n"
                           "dot(V) = -0.02 * (V + 85) - i_stim label membrane_potential\n"
                           "dot(x) = -0.001 * x\n";
    ProblemOptions o;
    o.scheme = diffusion::Scheme::p1;
    auto p = slab_problem({3, 3, 1.5}, spacing_mm, o);
    p.groups[0].scheme = cell::Scheme::forward_euler;
    p.groups[0].types = {cell::make_cell_type(file, "", {}, {})};
    std::fill(p.type.begin(), p.type.end(), cell::TypeIndex{0});
    return p;
}

/// Each port reads a mean of two unknowns and drives three; places overlap where there are many.
Ports some_ports(const TissueProblem& p, int count)
{
    Ports ports;
    const auto n = static_cast<std::int32_t>(p.size());
    for (std::int32_t k = 0; k < count; ++k) {
        const auto at = static_cast<std::int32_t>(static_cast<long long>(k) * n / count);
        for (std::int32_t i = 0; i < 2; ++i) {
            ports.potential.unknown.push_back((at + 7 * i) % n);
            ports.potential.weight.push_back(0.5F);
        }
        for (std::int32_t i = 0; i < 3; ++i) {
            ports.current.unknown.push_back((at + 5 * i) % n);
            ports.current.weight.push_back(0.125F * static_cast<float>(i + 1));
        }
        ports.potential.first.push_back(static_cast<std::int64_t>(ports.potential.unknown.size()));
        ports.current.first.push_back(static_cast<std::int64_t>(ports.current.unknown.size()));
    }
    return ports;
}

/// Both parts as one linear system, y' = A y + b, with full matrices. Euler forward in the order of
/// a step: the tissue's diffusion, then membrane and currents. Or, of the tissue, Euler backward,
/// with the currents of the step's start.
class Dense
{
  public:
    Dense(const TissueProblem& p, const Ports& ports, const ChainValues& c)
        : n_(p.size()), c_(c), flow_(n_ * n_, 0), read_(ports.size() * n_, 0),
          drive_(n_ * ports.size(), 0), v(n_, rest_mV), chain(c, first_mV)
    {
        const auto& a = p.system.alpha;
        for (std::size_t i = 0; i < n_; ++i)
            for (auto k = static_cast<std::size_t>(a.first[i]);
                 k < static_cast<std::size_t>(a.first[i + 1]); ++k) {
                flow_[i * n_ + static_cast<std::size_t>(a.column[k])] += a.value[k];
                flow_[i * n_ + i] -= a.value[k];
            }
        const auto fill = [](const Gather& g, auto&& put) {
            for (std::size_t k = 0; k < g.size(); ++k)
                for (auto i = static_cast<std::size_t>(g.first[k]);
                     i < static_cast<std::size_t>(g.first[k + 1]); ++i)
                    put(k, static_cast<std::size_t>(g.unknown[i]),
                        static_cast<double>(g.weight[i]));
        };
        fill(ports.potential,
             [&](std::size_t k, std::size_t u, double w) { read_[k * n_ + u] += w; });
        fill(ports.current,
             [&](std::size_t k, std::size_t u, double w) { drive_[u * ports.size() + k] += w; });
    }
    void step(double dt_ms, bool implicit = false)
    {
        std::vector<double> seen(read_.size() / n_), current(seen.size()), next(n_);
        const long long number = 0;
        const auto own = chain.snapshot();
        for (std::size_t k = 0; k < seen.size(); ++k) {
            for (std::size_t u = 0; u < n_; ++u)
                seen[k] += read_[k * n_ + u] * v[u];
            const auto cell = static_cast<std::size_t>(c_.cell_of(static_cast<int>(k)));
            current[k] = c_.junction * (own[cell] - seen[k]);
        }
        const PortStep s{seen.data(), current.data(), &number, 0, dt_ms, nullptr};
        for (std::size_t i = 0; i < n_; ++i) {
            double flow = 0, driven = 0;
            for (std::size_t u = 0; u < n_; ++u)
                flow += flow_[i * n_ + u] * v[u];
            for (std::size_t k = 0; k < current.size(); ++k)
                driven += drive_[i * current.size() + k] * current[k];
            const double diffused = v[i] + dt_ms * flow;
            next[i] = implicit ? v[i] + dt_ms * (leak * rest_mV + driven)
                               : diffused + dt_ms * (-leak * (diffused - rest_mV) + driven);
        }
        if (implicit)
            solve(dt_ms, next);
        chain.advance(s);
        v = next;
    }

  private:
    /// x <- ((1 + leak dt) I - dt flow)^-1 x
    void solve(double dt_ms, std::vector<double>& x)
    {
        const auto n = static_cast<Eigen::Index>(n_);
        if (inverse_.rows() == 0) {
            Eigen::MatrixXd a = Eigen::MatrixXd::Identity(n, n) * (1 + leak * dt_ms);
            for (Eigen::Index i = 0; i < n; ++i)
                for (Eigen::Index j = 0; j < n; ++j)
                    a(i, j) -= dt_ms * flow_[static_cast<std::size_t>(i * n + j)];
            inverse_ = a.inverse();
        }
        Eigen::Map<Eigen::VectorXd> all(x.data(), n);
        all = (inverse_ * all).eval();
    }

    std::size_t n_;
    ChainValues c_;
    std::vector<double> flow_, read_, drive_;
    Eigen::MatrixXd inverse_;

  public:
    std::vector<double> v;
    ChainPart chain;
};

/// Cells that are excited, in single steps.
TissueProblem strip_by_newton()
{
    ProblemOptions o;
    o.scheme = diffusion::Scheme::p1;
    o.stepping = Stepping::newton;
    o.dt_ms = 0.05;
    return slab_problem({4, 1, 1}, 0.25, o);
}

double largest(const std::vector<double>& a, const std::vector<double>& b)
{
    return a.size() == b.size() ? largest_difference(a, b) : 1e300;
}

} // namespace

class TestPorts : public QObject
{
    Q_OBJECT
    QTemporaryDir folder;

    void rows()
    {
        QTest::addColumn<QString>("devices");
        QTest::addColumn<int>("precision");
        QTest::addColumn<int>("ports");
        for (const char* devices : {"cpu", "cuda:0", "cuda:0,0,0", "cuda:0,1"})
            for (const auto precision : {Precision::double_, Precision::single})
                for (int ports : {1, 1000})
                    QTest::addRow("%s, %s, %d", devices,
                                  precision == Precision::single ? "single" : "double", ports)
                        << QString(devices) << static_cast<int>(precision) << ports;
    }
    void on_double()
    {
        QTest::addColumn<QString>("devices");
        for (const char* devices : {"cpu", "cuda:0", "cuda:0,0,0"})
            QTest::addRow("%s", devices) << QString(devices);
    }
    /// Tissue of potential v and its part are where the dense system is.
    void compare(const std::vector<double>& v, const Part& part, const Dense& dense, double bound)
    {
        const double moved = *std::max_element(v.begin(), v.end()) - rest_mV;
        const auto chain = dense.chain.snapshot();
        qInfo("%zu values of the chain: off by %.2g mV of tissue that moved by %.2g mV, chain %.2g "
              "mV",
              chain.size(), largest(v, dense.v), moved, largest(part.snapshot(), chain));
        QVERIFY(largest(v, dense.v) < bound);
        QVERIFY(largest(part.snapshot(), chain) < bound);
        QVERIFY(short_tests() || moved > 0.05);
    }
    bool missing(const QString& devices)
    {
        return devices != "cpu" && (!gpu_reason().empty() || !usable(devices.toStdString()));
    }

  private Q_SLOTS:
    void agreesWithADenseSystem_data() { rows(); }
    void agreesWithADenseSystem()
    {
        QFETCH(QString, devices);
        QFETCH(int, precision);
        QFETCH(int, ports);
        if (missing(devices))
            QSKIP("no such GPU");
        const auto p = passive_slab(folder, 0.25);
        QVERIFY(p.size() > 1000);
        QCOMPARE(p.substeps.stages, 1);
        ChainValues c;
        c.ports = ports;
        c.cells = std::max(16, ports / 4);
        const auto where = some_ports(p, ports);
        Dense dense(p, where, c);
        const auto steps = steps_of(70);
        for (std::int64_t k = 0; k < steps; ++k)
            dense.step(p.dt_ms);
        const auto s = on(p, devices.toStdString().c_str(), static_cast<Precision>(precision));
        const auto& part = s->add_part(where, chain_maker(c, first_mV));
        s->advance(steps);
        const double bound = static_cast<Precision>(precision) == Precision::single ? 2e-4 : 1e-10;
        compare(potential(*s, p.size()), part, dense, bound);
    }

    /// Steps by Newton's method take the currents of their start, too.
    void newtonsStepsAgreeWithADenseSystem_data() { on_double(); }
    void newtonsStepsAgreeWithADenseSystem()
    {
        QFETCH(QString, devices);
        if (missing(devices))
            QSKIP("no such GPU");
        auto p = passive_slab(folder, 0.5);
        p.stepping = Stepping::newton;
        p.newton.tolerance_mV = 1e-11;
        for (const int count : {1, 300}) {
            ChainValues c;
            c.ports = count, c.cells = std::max(16, count / 4);
            const auto where = some_ports(p, count);
            Dense dense(p, where, c);
            const auto s = on(p, devices.toStdString().c_str());
            const auto& part = s->add_part(where, chain_maker(c, first_mV));
            const auto steps = steps_of(70);
            for (std::int64_t k = 0; k < steps; ++k)
                dense.step(p.dt_ms, true);
            s->advance(steps);
            compare(potential(*s, p.size()), part, dense, 1e-8);
        }
    }

    /// From a snapshot, the same bits.
    void newtonsStepsGoOn_data() { on_double(); }
    void newtonsStepsGoOn()
    {
        QFETCH(QString, devices);
        if (missing(devices))
            QSKIP("no such GPU");
        const auto p = strip_by_newton();
        ChainValues c;
        c.ports = 40, c.junction = 3, c.cells = 20;
        const auto ports = some_ports(p, c.ports);
        const auto run = [&](const QString& on_what, bool stop) {
            auto s = on(p, on_what.toStdString().c_str());
            auto* part = &s->add_part(ports, chain_maker(c, first_mV));
            s->add_stimulus(left_end(p, 1));
            s->advance(steps_of(90));
            if (stop) {
                const auto kept = s->snapshot();
                s = on(p, on_what.toStdString().c_str());
                part = &s->add_part(ports, chain_maker(c, 0));
                s->add_stimulus(left_end(p, 1));
                s->restore(kept);
            }
            s->advance(steps_of(87));
            auto v = potential(*s, p.size());
            const auto more = part->snapshot();
            v.insert(v.end(), more.begin(), more.end());
            return v;
        };
        const auto plain = run(devices, false);
        QCOMPARE(largest(run(devices, true), plain), 0.0);
        const double off = largest(run("cpu", false), plain);
        qInfo("off by %.2g mV from the CPU", off);
        QVERIFY(off < 1e-4);
    }

    /// A part has not advanced where the tissue's step has failed.
    void aFailedStepLeavesPartsAlone_data() { on_double(); }
    void aFailedStepLeavesPartsAlone()
    {
        QFETCH(QString, devices);
        if (missing(devices))
            QSKIP("no such GPU");
        auto p = strip_by_newton();
        ChainValues c;
        c.ports = 20, c.junction = 3;
        const auto ports = some_ports(p, c.ports);
        const auto stepper = [&](Part*& part) {
            auto s = on(p, devices.toStdString().c_str());
            part = &s->add_part(ports, chain_maker(c, first_mV));
            s->add_stimulus(left_end(p, 1));
            return s;
        };
        Part *good_part = nullptr, *part = nullptr;
        const auto good = stepper(good_part);
        good->advance(3);
        p.newton.iterations = 1;
        p.newton.tolerance_mV = 1e-12;
        const auto bad = stepper(part);
        bad->restore(good->snapshot());
        for (int again = 0; again < 2; ++again) {
            QVERIFY_THROWS_EXCEPTION(diffusion::NewtonError, bad->advance(1));
            QCOMPARE(bad->step(), 3);
            QCOMPARE(largest(part->snapshot(), good_part->snapshot()), 0.0);
        }
        good->restore(bad->snapshot()); // what failed can go on elsewhere
        good->advance(1);
        QVERIFY(largest(part->snapshot(), good_part->snapshot()) > 1e-3);
    }

    /// The same bits on one shard and on several, with graphs and without, and from a snapshot; 20
    /// ports drive no unknown twice, some of 40 do.
    void bitsDoNotDependOnTheWay_data()
    {
        QTest::addColumn<QString>("devices");
        for (const char* devices : {"cpu", "cuda:0"})
            QTest::addRow("%s", devices) << QString(devices);
    }
    void bitsDoNotDependOnTheWay()
    {
        QFETCH(QString, devices);
        if (missing(devices))
            QSKIP("no GPU");
        ProblemOptions o;
        for (const auto& [strang, count] : {std::pair(false, 20), {false, 40}, {true, 40}}) {
            o.splitting = strang ? Splitting::strang : Splitting::godunov;
            const auto p = slab_problem({4, 1, 1}, 0.25, o);
            ChainValues c;
            c.ports = count, c.junction = 3, c.cells = 20;
            const auto ports = some_ports(p, c.ports);
            const auto run = [&](const char* on_what, const Tuning& tuning, bool stop) {
                auto s = on(p, on_what, Precision::double_, tuning);
                auto* part = &s->add_part(ports, chain_maker(c, first_mV));
                s->add_stimulus(left_end(p, 1));
                s->advance(steps_of(90));
                if (stop) {
                    const auto kept = s->snapshot();
                    s = on(p, on_what, Precision::double_, tuning);
                    part = &s->add_part(ports, chain_maker(c, 0));
                    s->add_stimulus(left_end(p, 1));
                    s->restore(kept);
                }
                s->advance(steps_of(87));
                auto v = potential(*s, p.size());
                const auto more = part->snapshot();
                v.insert(v.end(), more.begin(), more.end());
                return v;
            };
            const auto name = devices.toStdString();
            const auto plain = run(name.c_str(), {}, false);
            QCOMPARE(largest(run(name.c_str(), {}, true), plain), 0.0);
            if (devices == "cpu")
                continue;
            Tuning no_graphs;
            no_graphs.graph_steps = 0;
            QCOMPARE(largest(run("cuda:0", no_graphs, false), plain), 0.0);
            QCOMPARE(largest(run("cuda:0,0,0", {}, false), plain), 0.0);
            if (usable("cuda:0,1"))
                QCOMPARE(largest(run("cuda:0,1", {}, false), plain), 0.0);
            const double off = largest(run("cpu", {}, false), plain);
            qInfo("%s splitting: off by %.2g mV from the CPU", strang ? "strang" : "godunov", off);
            QVERIFY(off < 1e-8);
        }
    }

    /// One kernel a step, which starts beside those of the ports: several waves of its blocks, and
    /// a range of cells without ports ahead of the one that has them. On two shards the ports'
    /// kernels have a stream of their own.
    void aStepThatStartsEarlyHasTheSameBits_data()
    {
        QTest::addColumn<int>("precision");
        QTest::addRow("double") << static_cast<int>(Precision::double_);
        QTest::addRow("single") << static_cast<int>(Precision::single);
    }
    void aStepThatStartsEarlyHasTheSameBits()
    {
        QFETCH(int, precision);
        if (missing("cuda:0"))
            QSKIP("no GPU");
        const double side_mm = short_tests() ? 2 : 10.5;
        auto p = slab_problem({side_mm, side_mm, side_mm}, 0.25);
        QCOMPARE(p.substeps.stages, 1);
        p.groups.push_back(p.groups[0]);
        std::vector<std::int32_t> second;
        for (std::size_t u = 0; u < p.size(); ++u)
            if (p.position_mm[u][0] > side_mm / 2) {
                p.group[u] = 1;
                second.push_back(static_cast<std::int32_t>(u));
            }
        ChainValues c;
        c.ports = 1000, c.cells = 500;
        auto ports = some_ports(p, c.ports);
        for (auto* g : {&ports.potential, &ports.current})
            for (auto& u : g->unknown)
                u = second[static_cast<std::size_t>(u) % second.size()];
        const auto run = [&](const char* devices, int graph_steps) {
            Tuning tuning;
            tuning.fused = true;
            tuning.graph_steps = graph_steps;
            const auto s = on(p, devices, static_cast<Precision>(precision), tuning);
            const auto& part = s->add_part(ports, chain_maker(c, first_mV));
            s->advance(steps_of(100));
            auto v = potential(*s, p.size());
            const auto more = part.snapshot();
            v.insert(v.end(), more.begin(), more.end());
            return v;
        };
        const auto first = run("cuda:0", 32);
        QCOMPARE(largest(run("cuda:0", 32), first), 0.0);
        QCOMPARE(largest(run("cuda:0", 0), first), 0.0);
        QCOMPARE(largest(run("cuda:0,0", 32), first), 0.0);
    }

    void whatCannotBeJoinedIsSaid()
    {
        auto p = slab_problem({1, 1, 1}, 0.25, {});
        ChainValues c;
        const auto good = some_ports(p, 1);
        const auto why = [&](const TissueProblem& tissue, const Ports& ports) -> QString {
            const auto s = on(tissue, "cpu");
            try {
                s->add_part(ports, chain_maker(c, 0));
            } catch (const InputError& e) {
                return e.what();
            }
            return "";
        };
        QCOMPARE(why(p, good), "");
        auto bad = good;
        bad.current.unknown[1] = static_cast<std::int32_t>(p.size());
        QVERIFY(why(p, bad).contains("port 0 drives unknown"));
        bad = good;
        bad.potential.weight[0] = std::numeric_limits<float>::infinity();
        QVERIFY(why(p, bad).contains("not finite"));
        bad = good;
        bad.potential = {};
        QVERIFY(why(p, bad).contains("each port does both"));
        p.group[static_cast<std::size_t>(good.potential.unknown[0])] = no_cells;
        QVERIFY(why(p, good).contains("no cells"));
        p = slab_problem({1, 1, 1}, 0.25, {});
        p.rest_tolerance_mV = 0.1;
        QVERIFY(why(p, good).contains("rest_tolerance_mV"));
    }
};

QTEST_GUILESS_MAIN(TestPorts)
#include "test_ports.moc"
