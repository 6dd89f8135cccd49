// SPDX-License-Identifier: GPL-3.0-or-later
// Systems on trees on a GPU against Hines' elimination on the CPU. Skipped where there is no GPU.
#include "engine/cable/cpu/solver.hpp"
#include "engine/cable/cuda/measure.hpp"
#include "engine/core/error.hpp"
#include "engine/core/larger.hpp"
#include "tests/device/on_gpu.hpp"

#include <QtTest>

#include <algorithm>
#include <cmath>

using namespace tawara;
using namespace tawara::cable;
using cable::cuda::Way;

namespace {

template <class Real>
double error_on_gpu(const Tree& t, const Batch& b, const Way& way)
{
    const Batch flat{t.nodes(), b.systems};
    auto wanted = random_systems<double>(t, flat, 3);
    for (std::size_t s = 0; s < b.systems; ++s) {
        const auto of = [&](std::vector<double>& v) {
            return std::span<double>(v).subspan(s * t.nodes(), t.nodes());
        };
        solve(t, System<double>{of(wanted.upper), of(wanted.lower), of(wanted.diagonal),
                                of(wanted.rhs)});
    }
    auto n = random_systems<Real>(t, b, 3);
    cable::cuda::solve(t, b, n, way, 0);
    double most = 0, away = 0;
    for (std::size_t s = 0; s < b.systems; ++s)
        for (std::size_t i = 0; i < b.nodes; ++i) {
            const double x = wanted.rhs[s * b.nodes + i];
            most = larger_or_nan(most, std::abs(x));
            const double d = std::abs(static_cast<double>(n.rhs[b.place(i, s)]) - x);
            away = larger_or_nan(away, d);
        }
    return away / most;
}

} // namespace

class TestCableCuda : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void init() { test::need_gpu(); }

    void everyWayAgrees_data()
    {
        QTest::addColumn<Tree>("tree");
        for (const std::size_t nodes : {1UL, 2UL, 33UL, 512UL})
            QTest::addRow("chain of %zu", nodes) << chain(nodes);
        for (const auto& s : stand_ins())
            QTest::addRow("%s", s.name.c_str()) << random_tree(s.nodes, s.branches, 6);
    }
    void everyWayAgrees()
    {
        QFETCH(Tree, tree);
        const auto agree = [&](const Batch& b, const Way& way) {
            const double e = error_on_gpu<double>(tree, b, way);
            const double f = error_on_gpu<float>(tree, b, way);
            if (e < 1e-13 && f < 2e-5)
                return true;
            qWarning("%zu systems, %s: %.1e and %.1e", b.systems,
                     std::string(name(b.layout)).c_str(), e, f);
            return false;
        };
        for (const std::size_t systems : {1UL, 31UL, 32UL, 33UL, 200UL}) {
            const Batch flat{tree.nodes(), systems};
            const Batch blocks{tree.nodes(), systems, Layout::block_interleaved, 32};
            QVERIFY(agree(flat, {Way::Kind::sweep, 64}));
            for (const int threads : {32, 64, 128, 256})
                for (const int longest : {0, 3, 8, 16})
                    QVERIFY(agree(flat, {Way::Kind::contract, threads, longest}));
            QVERIFY(
                agree({tree.nodes(), systems, Layout::full_interleaved}, {Way::Kind::sweep, 64}));
            QVERIFY(agree(blocks, {Way::Kind::sweep, 32}));
            QVERIFY(agree(blocks, {Way::Kind::sweep_shared, 0}));
        }
    }

    void treesThatDiffer()
    {
        MixedBatch b;
        for (const std::size_t nodes : {1UL, 2UL, 40UL, 76UL, 133UL, 305UL, 430UL, 695UL, 1300UL})
            b.trees.push_back(nodes > 4 ? random_tree(nodes, nodes / 6 * 2 + 1, nodes)
                                        : chain(nodes));
        for (std::size_t k = 0; k < 700; ++k)
            b.tree_of.push_back(static_cast<std::uint32_t>(k * k % b.trees.size()));
        auto wanted = random_systems<double>(b, 5), n = wanted;
        auto single = random_systems<float>(b, 5);
        ThreadPool pool(2);
        cpu::solve(b, wanted, pool);
        cable::cuda::solve(b, n, 0);
        cable::cuda::solve(b, single, 0);
        double most = 0, away = 0, away_single = 0;
        for (std::size_t i = 0; i < n.rhs.size(); ++i) {
            most = larger_or_nan(most, std::abs(wanted.rhs[i]));
            const double d = std::abs(n.rhs[i] - wanted.rhs[i]),
                         f = std::abs(static_cast<double>(single.rhs[i]) - wanted.rhs[i]);
            away = larger_or_nan(away, d);
            away_single = larger_or_nan(away_single, f);
        }
        QVERIFY2(away / most < 1e-13, qPrintable(QString::number(away / most)));
        QVERIFY2(away_single / most < 2e-5, qPrintable(QString::number(away_single / most)));
    }

    void whatHasNoRoomIsRefused()
    {
        const auto t = chain(20000);
        Batch b{t.nodes(), 2};
        auto n = random_systems<double>(t, b, 1);
        QVERIFY_THROWS_EXCEPTION(Error, cable::cuda::solve(t, b, n, {Way::Kind::contract, 64}, 0));
        QVERIFY_THROWS_EXCEPTION(Error,
                                 cable::cuda::solve(t, b, n, {Way::Kind::sweep_shared, 64}, 0));
        b.layout = Layout::full_interleaved;
        QVERIFY_THROWS_EXCEPTION(Error, cable::cuda::solve(t, b, n, {Way::Kind::contract, 64}, 0));
    }
};

QTEST_APPLESS_MAIN(TestCableCuda)
#include "test_cable_cuda.moc"
