// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.hpp"
#include "engine/core/larger.hpp"
#include "engine/diffusion/spectrum.hpp"
#include "engine/mesh/check.hpp"
#include "tests/diffusion/cube.hpp"
#include "tests/diffusion/shaken.hpp"

#include <Eigen/Eigenvalues>
#include <QtTest>

using namespace tawara;
using namespace tawara::diffusion;

class TestSubsteps : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void eulerBelowSixStepsThenRkl2()
    {
        QCOMPARE(choose_substeps(0.02, 1.0).stages, 1);
        QCOMPARE(choose_substeps(0.02, 0.02).stages, 1);
        QCOMPARE(choose_substeps(0.02, 0.02 * (1 - 1e-12)).stages, 1); // rounding is no step more
        QCOMPARE(choose_substeps(0.02, 0.0199).stages, 2);
        QCOMPARE(choose_substeps(0.02, 0.004).stages, 5);
        QCOMPARE(choose_substeps(0.02, std::numeric_limits<double>::infinity()).stages, 1);
        for (double ratio : {5.01, 6.0, 7.0, 13.5, 13.6, 100.0, 1000.0}) {
            const auto s = choose_substeps(ratio, 1);
            QCOMPARE(s.kind, SubStepping::Kind::rkl2);
            QCOMPARE(s.stages % 2, 1);
            QVERIFY((s.stages * s.stages + s.stages - 2) / 4.0 >= ratio * (1 - 1e-8));
            const int less = s.stages - 2;
            QVERIFY(less < 3 || (less * less + less - 2) / 4.0 < ratio);
            QVERIFY(s.stages < ratio); // it costs less than Euler
        }
        QVERIFY_THROWS_EXCEPTION(InputError, choose_substeps(0, 1));
        QVERIFY_THROWS_EXCEPTION(InputError, choose_substeps(0.02, 0));
    }

    void rkl2IsOfSecondOrder()
    {
        // y' = -y, one unknown: Y_s of a step dt against exp(-dt).
        for (int stages : {3, 5, 9}) {
            std::vector<double> errors;
            for (double dt : {0.1, 0.05, 0.025})
                errors.push_back(std::abs(scalar(stages, -dt) - std::exp(-dt)));
            for (std::size_t k = 1; k < errors.size(); ++k) {
                const double local = std::log2(errors[k - 1] / errors[k]);
                QVERIFY2(local > 2.8 && local < 3.3, qPrintable(QString::number(local)));
            }
        }
    }

    void rkl2IsStableOnItsInterval()
    {
        // The forward Euler bound is 2 / rho; a super step reaches (s^2 + s - 2) / 4 times as far.
        for (int stages : {3, 5, 7, 15, 31}) {
            const double end = (stages * stages + stages - 2) / 2.0;
            for (int k = 1; k <= 1000; ++k)
                QVERIFY(std::abs(scalar(stages, -end * k / 1000)) <= 1 + 1e-9);
            QVERIFY(std::abs(scalar(stages, -end * 1.2)) > 1);
        }
    }

    void superStepFollowsManySmallSteps()
    {
        const auto m = mesh::slab({4, 2, 2}, 0.25);
        const std::vector<Tensor> d(m.tetrahedron_count(), {0.1, 0.1, 0.1, 0, 0, 0});
        Options o;
        o.mass_scaling = 0;
        const auto s = assemble(m, mesh::face_neighbours(m), d, o);
        ThreadPool pool(2);
        std::vector<double> v(s.size());
        for (std::size_t i = 0; i < v.size(); ++i)
            v[i] = std::cos(std::numbers::pi / 4 * m.centroid(i)[0]);
        auto fine = v;
        const double dt = 10 * s.stable_dt_ms;
        testing::euler(pool, s, fine, dt / 2000, 2000);
        const auto sub = choose_substeps(dt, s.stable_dt_ms);
        QCOMPARE(sub.kind, SubStepping::Kind::rkl2);
        testing::rkl2_step(pool, s, v, dt, sub.stages);
        double wrong = 0;
        for (std::size_t i = 0; i < v.size(); ++i)
            wrong = larger_or_nan(wrong, std::abs(v[i] - fine[i]));
        QVERIFY2(wrong < 2e-3, qPrintable(QString::number(wrong)));
    }

    void theRimHasTheEigenvaluesFarthestOut()
    {
        const auto m = testing::shaken_box({1, 1, 0.5}, 0.25, 0.2);
        Options o;
        o.mass_scaling = 0;
        const auto s =
            assemble(m, mesh::face_neighbours(m), testing::turning_tensors(m, 0.1, 9), o);
        const auto n = static_cast<Eigen::Index>(s.size());
        Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n, n);
        for (Eigen::Index i = 0; i < n; ++i)
            for (auto e = s.alpha.first[static_cast<std::size_t>(i)];
                 e < s.alpha.first[static_cast<std::size_t>(i) + 1]; ++e) {
                const auto k = static_cast<std::size_t>(e);
                a(i, s.alpha.column[k]) += s.alpha.value[k];
                a(i, i) -= s.alpha.value[k];
            }
        const Eigen::VectorXcd all = Eigen::EigenSolver<Eigen::MatrixXd>(a, false).eigenvalues();
        ThreadPool pool(2);
        const auto rim = rim_of_spectrum(pool, s);
        const auto farthest = [](const auto& list, auto f) {
            double most = 0;
            for (const auto& x : list)
                most = larger_or_nan(most, f(x));
            return most;
        };
        const auto modulus = [](const std::complex<double>& x) { return std::abs(x); };
        const auto imaginary = [](const std::complex<double>& x) { return std::abs(x.imag()); };
        qInfo("largest |lambda| %.4g of %.4g, imaginary part %.3g of %.3g per ms",
              farthest(rim, modulus), farthest(all, modulus), farthest(rim, imaginary),
              farthest(all, imaginary));
        QVERIFY(std::abs(farthest(rim, modulus) / farthest(all, modulus) - 1) < 0.01);
        QVERIFY(farthest(all, imaginary) > 0);
        QVERIFY(farthest(rim, imaginary) > 0.8 * farthest(all, imaginary));
        QVERIFY(farthest(rim, imaginary) < 1.3 * farthest(all, imaginary));
    }

    /// A ring whose modes turn while they decay: RKL2 as for real eigenvalues makes them grow.
    void modesThatTurnDoNotGrow()
    {
        constexpr std::size_t n = 120;
        constexpr double turn = 0.95, dt = 5;
        System s;
        s.volume.assign(n, 1);
        s.alpha.first = {0};
        for (std::size_t i = 0; i < n; ++i) {
            s.alpha.column.push_back(static_cast<std::int32_t>((i + 1) % n));
            s.alpha.column.push_back(static_cast<std::int32_t>((i + n - 1) % n));
            s.alpha.value.push_back(1 + turn);
            s.alpha.value.push_back(1 - turn);
            s.alpha.first.push_back(static_cast<std::int64_t>(2 * i + 2));
        }
        s.stable_dt_ms = 0.5;
        ThreadPool pool(1);
        const auto after = [&](const SubStepping& by) {
            std::vector<double> v(n, 0);
            v[0] = 1;
            for (int k = 0; k < 300; ++k)
                if (by.kind == SubStepping::Kind::rkl2)
                    testing::rkl2_step(pool, s, v, dt, by.stages);
                else
                    testing::euler(pool, s, v, dt / by.stages, by.stages);
            double most = 0;
            for (double x : v)
                most = larger_or_nan(most, std::abs(x));
            return most;
        };
        const auto real = choose_substeps(dt, s.stable_dt_ms);
        const auto rim = rim_of_spectrum(pool, s);
        const auto safe = choose_substeps(dt, s.stable_dt_ms, rim);
        qInfo("%d stages: %.3g; %d %s: %.3g", real.stages, after(real), safe.stages,
              safe.kind == SubStepping::Kind::rkl2 ? "stages" : "Euler sub-steps", after(safe));
        QCOMPARE(real.kind, SubStepping::Kind::rkl2);
        QVERIFY(!(after(real) < 1e3));
        QVERIFY(rkl2_amplification(real.stages, dt, rim) > 1.01);
        QVERIFY(after(safe) < 1);
        QVERIFY(safe.stages > real.stages && safe.stages <= 10);
    }

    /// Where eigenvalues are real nothing changes.
    void realModesKeepTheirStages()
    {
        std::vector<std::complex<double>> rim;
        for (int k = 0; k <= 20; ++k)
            rim.emplace_back(-4.0 * k / 20, 0);
        for (double dt : {3.0, 5.0, 50.0, 400.0}) { // stable alone: 0.5
            const auto plain = choose_substeps(dt, 0.5), checked = choose_substeps(dt, 0.5, rim);
            QCOMPARE(checked.stages, plain.stages);
            QCOMPARE(checked.kind, plain.kind);
            QVERIFY(rkl2_amplification(plain.stages, dt, rim) <= 1 + 1e-12);
        }
    }

  private:
    /// Amplification of one super step for y' = lambda y, z = lambda dt.
    static double scalar(int stages, double z)
    {
        const auto c = rkl2(stages);
        double before = 1, y = 1 + c.mu_tilde[0] * z;
        for (std::size_t j = 1; j < static_cast<std::size_t>(stages); ++j) {
            const double next = c.mu[j] * y + c.nu[j] * before + (1 - c.mu[j] - c.nu[j]) +
                                c.mu_tilde[j] * z * y + c.gamma_tilde[j] * z;
            before = y;
            y = next;
        }
        return y;
    }
};

QTEST_GUILESS_MAIN(TestSubsteps)
#include "test_substeps.moc"
