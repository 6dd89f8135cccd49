// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/reference/reference.hpp"

#include "engine/cell/cell_error.hpp"
#include "engine/cell/compiler/emit/llvm/llvm_step.hpp"
#include "engine/cell/compiler/equations/own_stimulus.hpp"
#include "engine/core/aligned.hpp"
#include "engine/core/error.hpp"

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>

namespace tawara::cell::compiler {
namespace {

constexpr std::size_t width = 16;   ///< cells of a block; all are the same cell
constexpr double closest_ms = 1e-9; ///< times nearer to each other than that are one

/// A "step" whose result is the rates.
Program rates_program(CellSystem s)
{
    Program p;
    p.name = s.name;
    p.next = s.rates();
    p.graph = std::move(s.graph);
    p.table = hoist(p.graph, p.next);
    // a rate that is a bare state must be stored too: adding 0 keeps it an operation
    for (Node& n : p.next)
        if (p.graph.op(n) == Op::symbol)
            n = p.graph.make(Op::add, n, p.graph.constant(0));
    return p;
}

/// What the right-hand side needs.
struct Context
{
    const JitStep<double>* rates;
    AlignedVector<double> row, cells, stimulus;
    std::vector<double*> pointers;
    const std::function<double(double)>* outside;
    std::span<const PaceEvent> protocol;
    double begin = 0, end = 0; ///< between two jumps: what jumps there is taken from inside
};

int right_hand_side(double t, N_Vector y, N_Vector dy, void* user)
{
    auto& c = *static_cast<Context*>(user);
    const auto n = static_cast<std::size_t>(N_VGetLength(y));
    const double* x = N_VGetArrayPointer(y);
    for (std::size_t k = 0; k < n; ++k)
        std::fill_n(c.cells.data() + k * width, width, x[k]);
    const double inset = std::min(1e-6, 0.25 * (c.end - c.begin));
    const double inside = std::clamp(t, c.begin + inset, c.end - inset);
    if (*c.outside)
        std::fill(c.stimulus.begin(), c.stimulus.end(), (*c.outside)(inside));
    (*c.rates)(c.cells.data(), c.pointers.data(), c.stimulus.data(), 0, 1, c.row.data(), t, 0,
               pace_level(c.protocol, inside));
    double* out = N_VGetArrayPointer(dy);
    bool finite = true;
    for (std::size_t k = 0; k < n; ++k) {
        out[k] = c.cells[k * width];
        finite = finite && std::isfinite(out[k]);
    }
    return finite ? 0 : 1; // recoverable: a smaller step may do
}

void quiet(int, const char*, const char*, char*, void*) {}

/// SUNDIALS' objects, released in the right order.
struct Solver
{
    explicit Solver(std::size_t n)
    {
        if (SUNContext_Create(nullptr, &context) != 0)
            throw Error("SUNDIALS cannot start");
        y = N_VNew_Serial(static_cast<sunindextype>(n), context);
        matrix =
            SUNDenseMatrix(static_cast<sunindextype>(n), static_cast<sunindextype>(n), context);
        linear = SUNLinSol_Dense(y, matrix, context);
        cvode = CVodeCreate(CV_BDF, context);
    }
    ~Solver()
    {
        CVodeFree(&cvode);
        SUNLinSolFree(linear);
        SUNMatDestroy(matrix);
        N_VDestroy(y);
        SUNContext_Free(&context);
    }
    Solver(const Solver&) = delete;
    Solver& operator=(const Solver&) = delete;
    SUNContext context = nullptr;
    N_Vector y = nullptr;
    SUNMatrix matrix = nullptr;
    SUNLinearSolver linear = nullptr;
    void* cvode = nullptr;
};

} // namespace

struct Reference::Compiled
{
    explicit Compiled(CellSystem s)
        : protocol(s.protocol), program(rates_program(std::move(s))), rates(program)
    {
    }
    std::vector<PaceEvent> protocol;
    Program program;
    JitStep<double> rates;
};

Reference::Reference(CellSystem system) : compiled_(std::make_unique<Compiled>(std::move(system)))
{
}
Reference::~Reference() = default;

double Reference::compile_ms() const
{
    return compiled_->rates.compile_ms();
}

std::vector<std::vector<double>> Reference::run(std::span<const double> parameters,
                                                std::span<const double> initial, double until_ms,
                                                double every_ms, const ReferenceOptions& o) const
{
    std::vector<std::vector<double>> out;
    run(parameters, initial, until_ms, every_ms, o, [&](double, std::span<const double> x) {
        out.emplace_back(x.begin(), x.end());
        return true;
    });
    return out;
}

void Reference::run(std::span<const double> parameters, std::span<const double> initial,
                    double until_ms, double every_ms, const ReferenceOptions& o,
                    const std::function<bool(double, std::span<const double>)>& keep) const
{
    const std::size_t n = initial.size();
    const auto& protocol = compiled_->protocol;
    Context c{&compiled_->rates,
              {},
              AlignedVector<double>(n * width),
              AlignedVector<double>(width),
              {},
              &o.stimulus,
              protocol};
    const auto row = compiled_->program.row(parameters);
    c.row.assign(row.begin(), row.end());
    for (std::size_t k = 1; k < n; ++k)
        c.pointers.push_back(c.cells.data() + k * width);
    auto jumps = pace_jumps(protocol, until_ms);
    jumps.insert(jumps.end(), o.jumps_ms.begin(), o.jumps_ms.end());
    std::erase_if(jumps, [](double t) { return !(t > 0); });
    std::sort(jumps.begin(), jumps.end());
    jumps.push_back(until_ms + every_ms);
    Solver s(n);
    double* y = N_VGetArrayPointer(s.y);
    std::copy(initial.begin(), initial.end(), y);
    CVodeInit(s.cvode, right_hand_side, 0, s.y);
    CVodeSetErrHandlerFn(s.cvode, quiet, nullptr);
    CVodeSStolerances(s.cvode, o.relative_tolerance, o.absolute_tolerance);
    CVodeSetUserData(s.cvode, &c);
    CVodeSetLinearSolver(s.cvode, s.linear, s.matrix);
    CVodeSetMaxStep(s.cvode, o.largest_step_ms);
    CVodeSetMaxNumSteps(s.cvode, 1000000);
    const auto solve = [&](double to, std::int64_t k) {
        double t = 0;
        if (CVode(s.cvode, to, s.y, &t, CV_NORMAL) < 0)
            throw CellNumericsError(t, k, y[0], compiled_->program.name, "");
    };
    auto jump = jumps.begin();
    const auto segment = [&](double begin) {
        c.begin = begin;
        c.end = *jump;
        CVodeSetStopTime(s.cvode, *jump);
    };
    segment(0);
    if (!keep(0, {y, n}))
        return;
    for (std::int64_t k = 1; static_cast<double>(k) * every_ms <= until_ms * (1 + 1e-12); ++k) {
        const double to = static_cast<double>(k) * every_ms;
        while (*jump <= to) {
            const double at = *jump;
            if (at > c.begin + closest_ms) {
                solve(at, k);
                CVodeReInit(s.cvode, at, s.y);
            }
            ++jump;
            segment(at);
        }
        if (to > c.begin + closest_ms)
            solve(to, k);
        if (!keep(to, {y, n}))
            return;
    }
}

} // namespace tawara::cell::compiler
