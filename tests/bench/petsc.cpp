// SPDX-License-Identifier: GPL-3.0-or-later
// The peer of stepping `newton`: Newton's method for Aliev and Panfilov's model on the same mesh,
// with PETSc's matrix, conjugate gradients and Jacobi preconditioner, on one or several processes.
//     mpirun -n N tawara-bench-petsc [--cubes N] [--spacing MM] [--mesh FILE] [--refine N]
//                                    MILLISECONDS DT_MS
// One JSON record. The method is diffusion::solve() with single time steps: lumped mass, the
// recovery variable solved for in each vertex, linear systems as accurate as the iteration
// deserves, the same first guess and the same tolerance. Compiled with the optimisation of the
// program; PETSc is Debian's.
#include "engine/core/error.hpp"
#include "engine/core/thread_pool.hpp"
#include "engine/diffusion/implicit.hpp"
#include "engine/diffusion/newton.hpp"
#include "tests/bench/built_from.hpp"
#include "tests/bench/tissue.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>
#include <petscksp.h>
#include <string>
#include <vector>

using namespace tawara;

namespace {

// Aliev and Panfilov 1996, V = 100 u - 80 mV, 12.9 ms a time unit
constexpr double k = 8, a = 0.15, epsilon = 0.002, mu1 = 0.2, mu2 = 0.3, unit_ms = 12.9;

struct Cell
{
    double rate = 0, slope = 0, r = 0; ///< F [mV/ms], F' [1/ms], recovery at the step's end
};

/// F and F' at V, r following it: r = r0 + dt g(u, r) has a root of a quadratic equation.
Cell cell(double V, double r0, double stimulus, double dt_ms)
{
    const double u = (V + 80) / 100, dt = dt_ms / unit_ms;
    const double q = k * u * (u - a - 1), m = mu1 / (u + mu2);
    // g = -(epsilon + m r) (r + q)
    const double A = dt * m, B = 1 + dt * (epsilon + m * q), C = dt * epsilon * q - r0;
    Cell c;
    c.r = std::abs(A) < 1e-14 ? -C / B : 2 * -C / (B + std::sqrt(B * B - 4 * A * C));
    const double q_u = k * (2 * u - a - 1), m_u = -mu1 / ((u + mu2) * (u + mu2));
    const double g_u = -(m_u * c.r) * (c.r + q) - (epsilon + m * c.r) * q_u;
    const double g_r = -m * (c.r + q) - (epsilon + m * c.r);
    const double r_u = dt * g_u / (1 - dt * g_r);
    c.rate = 100 / unit_ms * (-k * u * (u - a) * (u - 1) - u * c.r) + stimulus;
    const double f_u = -k * ((u - a) * (u - 1) + u * (u - 1) + u * (u - a)) - c.r;
    c.slope = (f_u - u * r_u) / unit_ms;
    return c;
}

void check(PetscErrorCode e)
{
    if (e)
        throw Error("PETSc: error " + std::to_string(e));
}

double seconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

double largest(double mine)
{
    double all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
    return all;
}

/// The rows of one process.
class Run final : private diffusion::NewtonSystem
{
  public:
    Run(const device::TissueProblem& p, const device::StimulusSource& source)
    {
        const auto n = static_cast<PetscInt>(p.size());
        check(VecCreateMPI(PETSC_COMM_WORLD, PETSC_DECIDE, n, &v_));
        check(VecGetOwnershipRange(v_, &first_, &last_));
        for (auto* x : {&trial_, &minus_r_, &x_, &old_, &product_, &diagonal_})
            check(VecDuplicate(v_, x));
        ThreadPool pool(1);
        const auto m = diffusion::implicit_matrix(p.system, p.dt_ms, 1, pool);
        std::vector<PetscInt> start{0}, column;
        std::vector<double> value;
        for (PetscInt i = first_; i < last_; ++i) {
            column.push_back(i);
            value.push_back(m.diagonal[static_cast<std::size_t>(i)]);
            for (auto e = p.system.alpha.first[static_cast<std::size_t>(i)];
                 e < p.system.alpha.first[static_cast<std::size_t>(i) + 1]; ++e) {
                column.push_back(p.system.alpha.column[static_cast<std::size_t>(e)]);
                value.push_back(m.off[static_cast<std::size_t>(e)]);
            }
            start.push_back(static_cast<PetscInt>(column.size()));
            fixed_.push_back(m.diagonal[static_cast<std::size_t>(i)]);
            volume_.push_back(p.system.volume[static_cast<std::size_t>(i)]);
        }
        const auto rows = last_ - first_;
        check(MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, rows, rows, n, n, start.data(),
                                        column.data(), value.data(), &matrix_));
        check(MatDuplicate(matrix_, MAT_COPY_VALUES, &jacobian_));
        check(KSPCreate(PETSC_COMM_WORLD, &solver_));
        check(KSPSetType(solver_, KSPCG));
        PC jacobi = nullptr;
        check(KSPGetPC(solver_, &jacobi));
        check(PCSetType(jacobi, PCJACOBI));
        check(KSPSetFromOptions(solver_));
        check(VecSet(v_, -80));
        stimulus_.assign(static_cast<std::size_t>(rows), 0);
        for (const auto u : source.unknowns)
            if (u >= first_ && u < last_)
                stimulus_[static_cast<std::size_t>(u - first_)] = source.amplitude_pA_per_pF;
        r_.assign(static_cast<std::size_t>(rows), 0);
        after_ = slope_ = before_ = r_;
        activation_.assign(static_cast<std::size_t>(rows), -1);
    }

    void step(double t_ms, double dt, bool stimulated)
    {
        dt_ = dt;
        stimulated_ = stimulated;
        check(VecCopy(v_, old_));
        move_to_guess();
        const auto r = diffusion::solve(*this, {});
        if (!r.converged)
            throw Error("Newton's method did not converge at " + std::to_string(t_ms) + " ms");
        newton += r.iterations;
        linear += r.linear_iterations;
        look(t_ms, dt);
        r_ = after_;
    }
    double last_activation() const
    {
        return largest(*std::max_element(activation_.begin(), activation_.end()));
    }

    long newton = 0, linear = 0;
    double cells_s = 0, residual_s = 0, solver_s = 0;

  private:
    /// The trial: V moved on as it moved before, by 5 mV at most.
    void move_to_guess()
    {
        const double* v = nullptr;
        double* to = nullptr;
        check(VecGetArrayRead(old_, &v));
        check(VecGetArray(trial_, &to));
        for (std::size_t i = 0; i < r_.size(); ++i) {
            to[i] = v[i] + (begun_ ? std::clamp(v[i] - before_[i], -5.0, 5.0) : 0.0);
            before_[i] = v[i];
        }
        begun_ = true;
        check(VecRestoreArrayRead(old_, &v));
        check(VecRestoreArray(trial_, &to));
    }
    /// minus_r_ = -R dt. @return the largest |R| dt / m
    double residual() override
    {
        const double begin = seconds();
        const double *v = nullptr, *old = nullptr, *product = nullptr;
        double* minus_r = nullptr;
        check(VecGetArrayRead(trial_, &v));
        rate_.resize(r_.size());
        for (std::size_t i = 0; i < r_.size(); ++i) {
            const auto c = cell(v[i], r_[i], stimulated_ ? stimulus_[i] : 0, dt_);
            rate_[i] = c.rate, slope_[i] = c.slope, after_[i] = c.r;
        }
        check(VecRestoreArrayRead(trial_, &v));
        const double middle = seconds();
        cells_s += middle - begin;
        check(MatMult(matrix_, trial_, product_));
        check(VecGetArrayRead(old_, &old));
        check(VecGetArrayRead(product_, &product));
        check(VecGetArray(minus_r_, &minus_r));
        double most = 0;
        for (std::size_t i = 0; i < r_.size(); ++i) {
            minus_r[i] = volume_[i] * (old[i] + dt_ * rate_[i]) - product[i];
            most = std::max(most, std::abs(minus_r[i]) / volume_[i]);
        }
        check(VecRestoreArrayRead(old_, &old));
        check(VecRestoreArrayRead(product_, &product));
        check(VecRestoreArray(minus_r_, &minus_r));
        most = largest(most);
        residual_s += seconds() - middle;
        return most;
    }
    void accept() override { std::swap(v_, trial_); }
    bool correct(double part, int& iterations) override
    {
        const double begin = seconds();
        double* d = nullptr;
        check(VecGetArray(diagonal_, &d));
        for (std::size_t i = 0; i < r_.size(); ++i)
            d[i] = fixed_[i] - dt_ * volume_[i] * slope_[i];
        check(VecRestoreArray(diagonal_, &d));
        check(MatDiagonalSet(jacobian_, diagonal_, INSERT_VALUES));
        const double middle = seconds();
        residual_s += middle - begin;
        check(KSPSetOperators(solver_, jacobian_, jacobian_));
        check(KSPSetTolerances(solver_, part, 1e-50, PETSC_DEFAULT, 2000));
        check(KSPSolve(solver_, minus_r_, x_));
        PetscInt made = 0;
        check(KSPGetIterationNumber(solver_, &made));
        iterations += static_cast<int>(made);
        KSPConvergedReason reason{};
        check(KSPGetConvergedReason(solver_, &reason));
        solver_s += seconds() - middle;
        return reason > 0;
    }
    double largest_correction() override
    {
        double most = 0;
        check(VecNorm(x_, NORM_INFINITY, &most));
        return most;
    }
    void attempt(double share) override { check(VecWAXPY(trial_, share, x_, v_)); }
    void look(double t_ms, double dt)
    {
        const double *v = nullptr, *old = nullptr;
        check(VecGetArrayRead(v_, &v));
        check(VecGetArrayRead(old_, &old));
        for (std::size_t i = 0; i < r_.size(); ++i)
            if (activation_[i] < 0 && v[i] >= 0 && old[i] < 0)
                activation_[i] = t_ms - dt * old[i] / (v[i] - old[i]);
        check(VecRestoreArrayRead(v_, &v));
        check(VecRestoreArrayRead(old_, &old));
    }

    PetscInt first_ = 0, last_ = 0;
    Vec v_ = nullptr, trial_ = nullptr, minus_r_ = nullptr, x_ = nullptr, old_ = nullptr,
        product_ = nullptr, diagonal_ = nullptr;
    Mat matrix_ = nullptr, jacobian_ = nullptr;
    KSP solver_ = nullptr;
    bool begun_ = false, stimulated_ = false;
    double dt_ = 0;
    std::vector<double> fixed_, volume_, stimulus_, r_, after_, rate_, slope_, before_, activation_;
};

int run(int argc, char** argv)
{
    bench::Place place;
    std::vector<double> numbers;
    for (int at = 1; at < argc; ++at) {
        const std::string word = argv[at];
        if (word.rfind("--", 0) == 0 && at + 1 < argc) {
            const std::string value = argv[++at];
            if (word == "--cubes")
                place.cubes = std::stoi(value);
            else if (word == "--spacing")
                place.spacing_mm = std::stod(value);
            else if (word == "--mesh")
                place.file = value;
            else if (word == "--refine")
                place.refine = std::stoi(value);
            else
                throw InputError(word, "unknown; use --cubes, --spacing, --mesh or --refine");
        } else if (word[0] != '-') { // others are PETSc's
            numbers.push_back(std::stod(word));
        }
    }
    if (numbers.size() != 2)
        throw InputError("arguments", "MILLISECONDS and DT_MS are missing");
    bench::Choice c;
    c.scheme = "p1", c.model = "aliev_panfilov_1996", c.stepping = "newton";
    c.mass_scaling = 0, c.dt_ms = numbers[1];
    bench::Bench b(place);
    const auto& p = b.problem(c);
    const auto source = b.stimulus(p);
    Run run(p, source);
    int processes = 0, me = 0;
    MPI_Comm_size(PETSC_COMM_WORLD, &processes);
    MPI_Comm_rank(PETSC_COMM_WORLD, &me);
    MPI_Barrier(PETSC_COMM_WORLD);
    const auto steps = std::lround(numbers[0] / p.dt_ms);
    const double begin = seconds();
    const auto worked = std::clock();
    for (long s = 0; s < steps; ++s) {
        const double t = static_cast<double>(s) * p.dt_ms;
        run.step(t, p.dt_ms, source.overlap(t, p.dt_ms) > 0);
    }
    const double took = seconds() - begin,
                 processor = static_cast<double>(std::clock() - worked) / CLOCKS_PER_SEC;
    const double last = run.last_activation();
    if (me == 0) {
        nlohmann::ordered_json j;
        j["schema"] = 1;
        j["commit"] = bench::built_from;
        j["compiler"] = TAWARA_COMPILER;
        j["program"] = "PETSc " + std::to_string(PETSC_VERSION_MAJOR) + "." +
                       std::to_string(PETSC_VERSION_MINOR) + "." +
                       std::to_string(PETSC_VERSION_SUBMINOR) +
                       ", conjugate gradients, Jacobi, AIJ";
        j["processes"] = processes;
        j["model"] = c.model;
        j["unknowns"] = p.size();
        j["dt_ms"] = p.dt_ms;
        j["simulated_ms"] = static_cast<double>(steps) * p.dt_ms;
        j["seconds"] = took;
        j["processor_seconds"] = processor; // of this process
        j["seconds_of"] = {{"cells", run.cells_s},
                           {"residual and matrix", run.residual_s},
                           {"conjugate gradients", run.solver_s}};
        j["newton"] = {{"steps", steps}, {"newton", run.newton}, {"linear", run.linear}};
        j["last_activation_ms"] = last;
        std::printf("%s\n", j.dump().c_str());
    }
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    if (PetscInitialize(&argc, &argv, nullptr, nullptr))
        return 1;
    int result = 1;
    try {
        result = run(argc, argv);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        MPI_Abort(PETSC_COMM_WORLD, 2);
    }
    PetscFinalize();
    return result;
}
