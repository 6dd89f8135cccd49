// SPDX-License-Identifier: GPL-3.0-or-later
// Implicit steps of cells and diffusion at once.
#include "engine/core/error.hpp"
#include "engine/device/stepper.hpp"
#include "tests/device/tissue_problem.hpp"

#include <QtTest>
#include <chrono>
#include <cmath>

using namespace tawara;
using namespace tawara::device;
using tawara::test::left_end;
using tawara::test::slab_problem;

namespace {

std::unique_ptr<Stepper> stepper_of(const TissueProblem& p, unsigned threads = 2)
{
    StepperOptions o;
    o.devices = "cpu";
    o.threads = threads;
    return make_stepper(p, o);
}

test::ProblemOptions options(Stepping stepping, double dt)
{
    test::ProblemOptions o;
    o.scheme = diffusion::Scheme::p1;
    o.stepping = stepping;
    o.dt_ms = dt;
    return o;
}

} // namespace

class TestNewtonSteps : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void tryOut()
    {
        const double h = qEnvironmentVariable("NH", "0.5").toDouble();
        const double dt = qEnvironmentVariable("NDT", "0.05").toDouble();
        const double end = qEnvironmentVariable("NEND", "60").toDouble();
        const bool newton = qEnvironmentVariable("NX", "1").toInt();
        auto o = options(newton ? Stepping::newton : Stepping::explicit_, dt);
        if (qEnvironmentVariableIsSet("NC"))
            o.mass = diffusion::Mass::consistent;
        auto p = slab_problem({20, 7, 3}, h, o);
        p.newton.adaptive = !qEnvironmentVariableIsSet("NFIX");
        p.newton.tolerance_mV = qEnvironmentVariable("NTOL", "1e-6").toDouble();
        const auto s = stepper_of(p);
        s->add_stimulus(left_end(p, 1.5));
        const auto t0 = std::chrono::steady_clock::now();
        s->advance(static_cast<std::int64_t>(std::round(end / dt)));
        const double sec =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count();
        const auto m = s->maps();
        double last = 0;
        for (double a : m.activation_ms)
            last = std::max(last, a);
        qInfo("%zu unknowns: last activation %.4f, %.2f s", p.size(), last, sec);
        if (const auto c = s->newton_counts())
            qInfo("steps %lld newton %.2f linear %.2f rejected %lld halved %lld most %d",
                  (long long)c->steps, double(c->newton) / double(c->steps),
                  double(c->linear) / double(c->steps), (long long)c->rejected,
                  (long long)c->halved, c->most_newton);
        for (const auto& k : s->kernels())
            qInfo("%-22s %8lld calls %9.1f ms  %6.2f GB/s", k.name.c_str(), (long long)k.calls,
                  k.ms, k.bytes / k.ms / 1e6);
    }
};

QTEST_GUILESS_MAIN(TestNewtonSteps)
#include "test_newton_steps.moc"
