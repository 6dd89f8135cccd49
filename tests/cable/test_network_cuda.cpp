// SPDX-License-Identifier: GPL-3.0-or-later
// Purkinje networks on a GPU against the CPU, both joined to a slab of tissue. Skipped where there
// is no GPU.
#include "engine/cable/contraction.hpp"
#include "engine/cable/network/cuda/network.hpp"
#include "engine/cell/numerics_error.hpp"
#include "engine/core/error.hpp"
#include "tests/cable/some_network.hpp"
#include "tests/device/on_gpu.hpp"
#include "tests/device/tissue_problem.hpp"

#include <QtTest>

using namespace tawara;
using namespace tawara::cable;
using namespace tawara::test;

namespace {

/// Port k at three unknowns; those without tissue at none.
device::Ports ports_of(const NetworkDescription& d, const device::TissueProblem& p)
{
    device::Ports out;
    for (std::size_t k = 0; k < d.junctions.size(); ++k) {
        for (std::size_t i = 0; i < 3 && d.junctions[k].tissue_uF > 0; ++i) {
            const auto u = static_cast<std::int32_t>((k * 31 + i * 7) % p.size());
            for (auto* g : {&out.potential, &out.current}) {
                g->unknown.push_back(u);
                g->weight.push_back(g == &out.current ? 1.0F : 1.0F / 3);
            }
        }
        for (auto* g : {&out.potential, &out.current})
            g->first.push_back(static_cast<std::int64_t>(g->unknown.size()));
    }
    return out;
}

/// A slab with a network, on some devices.
struct Joined
{
    NetworkDescription d;
    device::TissueProblem p;
    std::unique_ptr<device::Stepper> stepper;
    NetworkPart* part;

    Joined(const NetworkDescription& given, const char* devices,
           Precision precision = Precision::double_)
        : d(given)
    {
        ProblemOptions o;
        o.scheme = diffusion::Scheme::p1;
        o.dt_ms = d.cables.dt_ms;
        p = slab_problem({5, 3, 1.5}, 0.5, o);
        stepper = on(p, devices, precision);
        part = static_cast<NetworkPart*>(
            &stepper->add_part(ports_of(d, p), [&](int device) -> std::unique_ptr<device::Part> {
                return device < 0 ? make_cpu_network(d) : cable::cuda::make_cuda_network(d, device);
            }));
    }
    std::vector<double> v() const
    {
        std::vector<std::int32_t> nodes(d.cables.compartments.nodes());
        for (std::size_t i = 0; i < nodes.size(); ++i)
            nodes[i] = static_cast<std::int32_t>(i);
        std::vector<double> out(nodes.size());
        part->potentials(nodes, out);
        return out;
    }
    std::vector<double> tissue() const { return potential(*stepper, p.size()); }
};

/// Whether two networks and their tissues are alike.
bool alike(const Joined& a, const Joined& b, double most_mV, double most_ms)
{
    const auto ta = a.part->times(), tb = b.part->times();
    const double newest = std::max(
        largest_map_difference(ta.newest_node_ms, tb.newest_node_ms),
        largest_map_difference(ta.newest_junction_tissue_ms, tb.newest_junction_tissue_ms));
    const double by[] = {largest_difference(a.v(), b.v()),
                         largest_difference_of_V(a.p, a.tissue(), b.tissue()),
                         largest_map_difference(ta.node_ms, tb.node_ms),
                         largest_map_difference(ta.junction_tissue_ms, tb.junction_tissue_ms)};
    if (by[0] <= most_mV && by[1] <= most_mV && by[2] <= most_ms && by[3] <= most_ms &&
        newest <= most_ms)
        return true;
    qWarning("V by %.2g mV, of the tissue %.2g; times by %.2g ms, of the tissue %.2g", by[0], by[1],
             by[2], by[3]);
    return false;
}

constexpr double dt_ms = 0.02;

} // namespace

class TestNetworkCuda : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void init() { test::need_gpu(); }

    void aNetworkIsThatOfTheCpu_data()
    {
        QTest::addColumn<NetworkShape>("shape");
        QTest::newRow("one node") << NetworkShape{1, 1, 1, 1, 0};
        QTest::newRow("two nodes") << NetworkShape{2, 1, 2, 1, 0};
        QTest::newRow("a chain") << NetworkShape{333, 1, 5, 1, 0};
        QTest::newRow("a tree") << NetworkShape{};
        QTest::newRow("a forest, two models") << NetworkShape{1500, 151, 60, 2, 9};
        QTest::newRow("as large as a heart's") << NetworkShape{20000, 2001, 1000, 1, 3};
    }
    void aNetworkIsThatOfTheCpu()
    {
        QFETCH(NetworkShape, shape);
        const auto d = some_network(shape, dt_ms);
        Joined cpu(d, "cpu"), gpu(d, "cuda:0");
        QVERIFY(alike(cpu, gpu, 1e-12, 0));
        for (auto* j : {&cpu, &gpu})
            j->stepper->advance(steps_of(250));
        QVERIFY(alike(cpu, gpu, 1e-6, 1e-7));
        if (short_tests())
            return;
        const auto first = cpu.part->times().node_ms;
        const auto crossed =
            std::count_if(first.begin(), first.end(), [](double t) { return t >= 0; });
        QVERIFY(shape.nodes < 10 || crossed >= 4); // junctions draw too much from so few
        for (auto* j : {&cpu, &gpu}) {
            j->part->restart_times();
            j->stepper->advance(100);
        }
        QVERIFY(alike(cpu, gpu, 1e-5, 1e-6));
    }

    void tissueInSinglePrecision()
    {
        const auto d = some_network({}, dt_ms);
        Joined cpu(d, "cpu", Precision::single), gpu(d, "cuda:0", Precision::single);
        for (auto* j : {&cpu, &gpu})
            j->stepper->advance(steps_of(250));
        QVERIFY(alike(cpu, gpu, 0.05, 0.001));
    }

    void oneGoesOnWhereTheOtherWas()
    {
        const auto d = some_network({600, 41, 20, 2, 2}, dt_ms);
        Joined cpu(d, "cpu"), gpu(d, "cuda:0"), back(d, "cpu");
        cpu.stepper->advance(steps_of(60));
        const auto s = cpu.stepper->snapshot();
        gpu.stepper->restore(s);
        back.stepper->restore(gpu.stepper->snapshot());
        QVERIFY(alike(cpu, back, 0, 0));
        for (auto* j : {&cpu, &gpu, &back})
            j->stepper->advance(steps_of(100));
        QVERIFY(alike(cpu, back, 0, 0));
        QVERIFY(alike(cpu, gpu, 1e-6, 1e-7));

        const auto later = gpu.stepper->snapshot();
        gpu.stepper->restore(s);
        gpu.stepper->advance(steps_of(100));
        QVERIFY(same_bits(later, gpu.stepper->snapshot()));
        QVERIFY(later.parts == gpu.stepper->snapshot().parts);
        auto wrong = s;
        wrong.parts[0].pop_back();
        QVERIFY_THROWS_EXCEPTION(Error, gpu.stepper->restore(wrong));
    }

    void aChangeCountsFromTheNextStep()
    {
        const auto d = some_network({}, dt_ms);
        auto other = d;
        other.cables.compartments.coupling_uS[300] = 0;
        for (auto& j : other.junctions)
            j.resistance_kOhm *= 2;
        other.stimuli[0].start_ms = 1.5;
        Joined cpu(d, "cpu"), gpu(d, "cuda:0");
        for (auto* j : {&cpu, &gpu}) {
            j->stepper->advance(steps_of(40));
            j->part->change(other);
            j->stepper->advance(steps_of(150));
        }
        QVERIFY(alike(cpu, gpu, 1e-6, 1e-7));
    }

    void stepsInAnyPortions()
    {
        const auto d = some_network({}, dt_ms);
        Joined once(d, "cuda:0"), often(d, "cuda:0");
        once.stepper->advance(steps_of(200));
        for (std::int64_t k = 0; k < steps_of(200); ++k)
            often.stepper->advance(1);
        QVERIFY(alike(once, often, 0, 0));
    }

    void severalGpus()
    {
        if (!usable("cuda:0,1"))
            QSKIP("one GPU");
        const auto d = some_network({}, dt_ms);
        Joined one(d, "cuda:0"), two(d, "cuda:0,1");
        for (auto* j : {&one, &two})
            j->stepper->advance(steps_of(200));
        QVERIFY(alike(one, two, 0, 0));
    }

    void aFailureIsNoticed()
    {
        auto d = some_network({}, dt_ms);
        d.stimuli[0].amplitude_pA_per_pF = 1e7;
        d.junctions.clear(); // so that the tissue does not notice it first
        for (const char* devices : {"cpu", "cuda:0"}) {
            Joined j(d, devices);
            QVERIFY_THROWS_EXCEPTION(NumericsError, {
                j.stepper->advance(20);
                j.part->times();
            });
        }
    }

    void whatAGpuDoesNotTakeIsRefused()
    {
        auto d = some_network({most_contracted + 1, 1, 1, 1, 0}, dt_ms);
        QVERIFY_THROWS_EXCEPTION(InputError, cable::cuda::make_cuda_network(d, 0));
        d = some_network({}, dt_ms);
        d.cables.second_order = true;
        QVERIFY_THROWS_EXCEPTION(Error, cable::cuda::make_cuda_network(d, 0));
    }
};

QTEST_APPLESS_MAIN(TestNetworkCuda)
#include "test_network_cuda.moc"
