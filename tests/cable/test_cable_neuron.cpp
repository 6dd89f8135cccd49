// SPDX-License-Identifier: GPL-3.0-or-later
// A neuron with a current step, against CVODE over all unknowns of its tree at once; and Hodgkin
// and Huxley's axon.
#include "engine/cable/compartments.hpp"
#include "engine/cable/io/read.hpp"
#include "engine/cable/step/run.hpp"
#include "engine/core/error.hpp"
#include "engine/core/larger.hpp"
#include "tests/several.hpp"

#include <QtTest>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace tawara;
using namespace tawara::cable;

namespace {

constexpr double step_nA = 0.5, from_ms = 2, to_ms = 12, end_ms = 20, every_ms = 0.05;

/// The equations of a tree of Hodgkin and Huxley's membrane, written anew: V, m, h, n of each node.
struct Tree1952
{
    const Compartments& c;

    static double rate(double x, double slope) // x / (1 - exp(-x / slope)), whole at 0
    {
        return std::abs(x) < 1e-6 ? slope + x / 2 : x / (1 - std::exp(-x / slope));
    }
    void operator()(double t, const double* y, double* dy) const
    {
        for (std::size_t i = 0; i < c.nodes(); ++i) {
            const double V = y[4 * i], m = y[4 * i + 1], h = y[4 * i + 2], n = y[4 * i + 3];
            const double u = V + 65; // depolarisation
            dy[4 * i] = -(120 * m * m * m * h * (V - 50) + 36 * n * n * n * n * (V + 77) +
                          0.3 * (V + 54.387));
            dy[4 * i + 1] = 0.1 * rate(u - 25, 10) * (1 - m) - 4 * std::exp(-u / 18) * m;
            dy[4 * i + 2] = 0.07 * std::exp(-u / 20) * (1 - h) - h / (std::exp((30 - u) / 10) + 1);
            dy[4 * i + 3] = 0.01 * rate(u - 10, 10) * (1 - n) - 0.125 * std::exp(-u / 80) * n;
        }
        for (std::size_t i = 1; i < c.nodes(); ++i) {
            const auto p = static_cast<std::size_t>(c.tree.parent[i]);
            const double nA = c.coupling_uS[i] * (y[4 * p] - y[4 * i]);
            dy[4 * i] += nA / c.capacitance_nF[i];
            dy[4 * p] -= nA / c.capacitance_nF[p];
        }
        if (t >= from_ms && t < to_ms)
            dy[0] += step_nA / c.capacitance_nF[0];
    }
    static int call(double t, N_Vector y, N_Vector dy, void* self)
    {
        (*static_cast<const Tree1952*>(self))(t, N_VGetArrayPointer(y), N_VGetArrayPointer(dy));
        return 0;
    }
};

/// V of some nodes every 0.05 ms, by CVODE with a dense Jacobian, tolerance 1e-9.
std::vector<std::vector<double>> by_cvode(const Compartments& c, const cell::CellType& type,
                                          const std::vector<std::int32_t>& probes)
{
    Tree1952 tree{c};
    const auto size = static_cast<sunindextype>(4 * c.nodes());
    SUNContext context = nullptr;
    if (SUNContext_Create(nullptr, &context) != 0)
        throw Error("SUNDIALS cannot start");
    N_Vector y = N_VNew_Serial(size, context);
    SUNMatrix matrix = SUNDenseMatrix(size, size, context);
    SUNLinearSolver linear = SUNLinSol_Dense(y, matrix, context);
    void* cvode = CVodeCreate(CV_BDF, context);
    for (std::size_t i = 0; i < c.nodes(); ++i)
        for (std::size_t k = 0; k < 4; ++k)
            N_VGetArrayPointer(y)[4 * i + k] = type.initial[k];
    CVodeInit(cvode, Tree1952::call, 0, y);
    CVodeSStolerances(cvode, 1e-9, 1e-10);
    CVodeSetUserData(cvode, &tree);
    CVodeSetLinearSolver(cvode, linear, matrix);
    CVodeSetMaxNumSteps(cvode, 1'000'000);
    std::vector<std::vector<double>> out(probes.size());
    bool failed = false;
    double t = 0;
    for (int k = 0; k * every_ms <= end_ms + 1e-9 && !failed; ++k) {
        const double to = k * every_ms;
        if (std::abs(to - every_ms - from_ms) < 1e-9 || std::abs(to - every_ms - to_ms) < 1e-9)
            CVodeReInit(cvode, t, y); // the current jumps
        CVodeSetStopTime(cvode, std::max(to, 1e-9));
        if (k > 0)
            failed = CVode(cvode, to, y, &t, CV_NORMAL) < 0;
        for (std::size_t p = 0; p < probes.size(); ++p)
            out[p].push_back(N_VGetArrayPointer(y)[4 * probes[p]]);
    }
    CVodeFree(&cvode);
    SUNLinSolFree(linear);
    SUNMatDestroy(matrix);
    N_VDestroy(y);
    SUNContext_Free(&context);
    if (failed)
        throw Error("CVODE cannot go on");
    return out;
}

/// RRMS of V in percent.
double off_percent(const std::vector<float>& got, const std::vector<double>& due)
{
    double sum = 0, of = 0;
    for (std::size_t k = 0; k < due.size(); ++k) {
        sum += (got[k] - due[k]) * (got[k] - due[k]);
        of += due[k] * due[k];
    }
    return 100 * std::sqrt(sum / of);
}

/// arbor's single_cell_detailed.swc, which has a soma of two points, all kinds, steps of radius.
constexpr const char* neuron =
    "1 1 0 0 0 2 -1\n2 1 40 0 0 2 1\n3 3 40 0 0 0.8 2\n4 3 80 0 0 0.8 3\n"
    "5 3 120 -5 0 0.8 4\n6 3 200 40 0 0.4 5\n7 3 260 60 0 0.2 6\n"
    "8 3 120 -5 0 0.5 5\n9 3 190 -30 0 0.5 8\n10 4 240 -70 0 0.2 9\n"
    "11 4 230 -10 0 0.2 9\n12 4 360 -20 0 0.2 11\n13 2 -70 0 0 0.4 1\n"
    "14 2 -100 0 0 0.4 13\n";

} // namespace

class TestCableNeuron : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void spikeAgreesWithCvode()
    {
        QTemporaryDir folder;
        QFile file(folder.filePath("neuron.swc"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(neuron);
        file.close();
        const auto loaded = io::read(file.fileName().toStdString());
        const auto c = discretise(loaded.trees[0], {20});
        const auto type = cell::make_cell_type("hodgkin_huxley_1952", "", {}, {});
        const auto node = [&](std::int64_t id) {
            const auto& n = loaded.number[0];
            return c.node_of_point[static_cast<std::size_t>(std::find(n.begin(), n.end(), id) -
                                                            n.begin())];
        };
        const std::vector<std::int32_t> probes{0, node(12), node(14)};
        const auto due = by_cvode(c, type, probes);
        QVERIFY(*std::max_element(due[0].begin(), due[0].end()) > 20);
        QVERIFY(*std::max_element(due[1].begin(), due[1].end()) > -20);
        const auto off = [&](double dt, bool second) {
            CablesDescription d;
            d.compartments = c;
            d.types = {type};
            d.dt_ms = dt;
            d.second_order = second;
            std::vector<RunningCables<double>> all;
            all.push_back({Cables<double>(std::move(d)),
                           {{0, step_nA, step_nA, from_ms, to_ms - from_ms}},
                           probes});
            CablesRunOptions o;
            o.end_ms = end_ms;
            o.sample_every_ms = every_ms;
            const auto r = run_cables(all, o, {});
            double worst = 0;
            for (std::size_t p = 0; p < probes.size(); ++p)
                worst = larger_or_nan(worst, off_percent(r.traces[0][0][p], due[p]));
            return worst;
        };
        const double usual = off(0.01, false), half = off(0.005, false), second = off(0.01, true),
                     fine = off(0.0025, true);
        qInfo("%zu nodes, RRMS of V against CVODE: %.3f %% with 0.01 ms, %.3f with 0.005; second "
              "order %.4f with 0.01, %.5f with 0.0025",
              c.nodes(), usual, half, second, fine);
        QVERIFY(usual < 3 && half < 0.55 * usual);
        QVERIFY(second < 0.1 && fine < second / 10);
    }

    /// The squid's axon of Hodgkin and Huxley 1952 (p. 524 ff.): radius 238 um, 35.4 ohm cm, 18.5
    /// degC. They computed 18.8 m/s and measured 21.2; the speed of the equations is 18.7 to 18.8.
    void axonConducts()
    {
        Morphology m;
        for (int k = 0; k <= 10; ++k) {
            m.parent.push_back(k - 1);
            m.point_mm.push_back({5.0 * k, 0, 0});
            m.radius_um.push_back(238);
            m.kind.push_back(2);
        }
        const auto speed = [&](double space_um, double dt_ms, bool second) {
            CablesDescription d;
            d.compartments = discretise(m, {space_um, {35.4, 1}});
            const std::pair<std::string, double> warm{"temperature", 18.5};
            d.types = {cell::make_cell_type("hodgkin_huxley_1952", "", std::span(&warm, 1), {})};
            d.dt_ms = dt_ms;
            d.second_order = second;
            RunningCables<double> run{Cables<double>(std::move(d)), {}, {}};
            run.pulses = {{0, 20'000, 20'000, 0.5, 0.2}};
            const auto& nodes = run.cables.description().compartments.node_of_point;
            run.probes = {nodes[4], nodes[7]}; // 15 mm apart, 15 mm from the end
            std::vector<RunningCables<double>> all;
            all.push_back(std::move(run));
            CablesRunOptions o;
            o.end_ms = 4;
            const auto r = run_cables(all, o, {});
            return r.spikes.size() == 2 ? 15 / (r.spikes[1].time_ms - r.spikes[0].time_ms) : 0;
        };
        const double usual = speed(250, 0.01, false), fine = speed(62.5, 0.00125, true);
        qInfo("squid axon: %.2f m/s with usual steps, %.3f with fine ones", usual, fine);
        QVERIFY(fine > 18.5 && fine < 19.1);
        QVERIFY(std::abs(usual - fine) < 0.02 * fine);
        QVERIFY(std::abs(speed(250, 0.01, true) - fine) < 0.01 * fine);
    }
};

static test::Further<TestCableNeuron> cable_neuron;
#include "test_cable_neuron.moc"
