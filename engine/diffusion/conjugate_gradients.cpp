// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/diffusion/conjugate_gradients.hpp"

#include "engine/diffusion/chunks.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::diffusion {

ConjugateGradients::ConjugateGradients(std::size_t unknowns, ThreadPool& pool)
    : pool_(pool), r_(unknowns), z_(unknowns), p_(unknowns), q_(unknowns), largest_(pool.size())
{
}

ConjugateGradients::Result ConjugateGradients::solve(const MatrixRows& a, std::span<const double> b,
                                                     const Tolerance& tolerance,
                                                     int most_iterations, std::span<double> x)
{
    const std::size_t n = a.size();
    const auto entry = [&](std::size_t i) { return static_cast<std::size_t>(a.first[i]); };
    // the sums are of blocks of fixed size, the maximum is exact: neither knows of threads
    const auto sum = [&](auto&& term) {
        return block_sum(pool_, n, sums_, [&](std::size_t begin, std::size_t end) {
            double s = 0;
            for (std::size_t i = begin; i < end; ++i)
                s += term(i);
            return s;
        });
    };
    const auto residual = [&] {
        std::fill(largest_.begin(), largest_.end(), LargestResidual{});
        pool_.for_range(n, 4096, [&](std::size_t begin, std::size_t end, unsigned worker) {
            LargestResidual l;
            for (std::size_t i = begin; i < end; ++i)
                l.take(std::abs(r_[i]) / a.diagonal[i], i);
            largest_[worker] = l;
        });
        LargestResidual all;
        for (const auto& l : largest_)
            all.take(l.most, l.where);
        return all;
    };

    pool_.for_range(n, 64, [&](std::size_t begin, std::size_t end, unsigned) {
        for (std::size_t i = begin; i < end; ++i) {
            x[i] = 0;
            r_[i] = b[i];
            p_[i] = z_[i] = r_[i] / a.diagonal[i];
        }
    });
    double rho = sum([&](std::size_t i) { return r_[i] * z_[i]; });
    Result out;
    double enough = tolerance.absolute;
    for (;; ++out.iterations) {
        out.residual = residual();
        if (out.iterations == 0)
            enough = std::max(enough, tolerance.part * out.residual.most);
        if (out.iterations > most_iterations) {
            out.iterations = most_iterations;
            out.end = End::too_many_iterations;
            return out;
        }
        if (out.residual.most <= enough)
            return out;
        const double turned = sum([&](std::size_t i) {
            double y = a.diagonal[i] * p_[i];
            for (auto e = entry(i); e < entry(i + 1); ++e)
                y += a.off[e] * p_[static_cast<std::size_t>(a.column[e])];
            q_[i] = y;
            return p_[i] * y;
        });
        if (!(turned > 0)) {
            out.end = End::not_definite;
            return out;
        }
        const double step = rho / turned;
        const double next = sum([&](std::size_t i) {
            x[i] += step * p_[i];
            r_[i] -= step * q_[i];
            z_[i] = r_[i] / a.diagonal[i];
            return r_[i] * z_[i];
        });
        const double beta = next / rho;
        rho = next;
        pool_.for_range(n, 64, [&](std::size_t begin, std::size_t end, unsigned) {
            for (std::size_t i = begin; i < end; ++i)
                p_[i] = z_[i] + beta * p_[i];
        });
    }
}

double ConjugateGradients::bytes_per_iteration(std::size_t unknowns, std::size_t entries)
{
    return 12.0 * static_cast<double>(entries) + 8 * 14.0 * static_cast<double>(unknowns);
}

double ConjugateGradients::flops_per_iteration(std::size_t unknowns, std::size_t entries)
{
    return 2.0 * static_cast<double>(entries) + 12.0 * static_cast<double>(unknowns);
}

} // namespace tawara::diffusion
