// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/diffusion/single_gradients.hpp"

#include "engine/diffusion/chunks.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::diffusion {
namespace {

sparse::WarpLayout layout_of(const Rows& pattern, ThreadPool& pool)
{
    sparse::Csr a;
    a.columns = static_cast<std::int64_t>(pattern.first.size()) - 1;
    a.first.assign(pattern.first.begin(), pattern.first.end());
    a.column.assign(pattern.column.begin(), pattern.column.end());
    a.value.assign(a.column.size(), 0);
    return sparse::make_layout(a, sparse::cpu::options_for(a, false), pool);
}

constexpr std::size_t lanes = 8;    ///< sums that are made side by side
constexpr std::size_t block = 1024; ///< rows whose sum is one number

/// Adds term(i) over [begin, end), in lanes, so that vectors can do it.
template <class Term>
double lane_sum(std::size_t begin, std::size_t end, Term&& term)
{
    double s[lanes] = {};
    std::size_t i = begin;
    for (; i + lanes <= end; i += lanes)
        for (std::size_t k = 0; k < lanes; ++k)
            s[k] += term(i + k);
    for (; i < end; ++i)
        s[0] += term(i);
    return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

} // namespace

RowsInWarps::RowsInWarps(const Rows& pattern, ThreadPool& pool) : layout_(layout_of(pattern, pool))
{
}

SingleGradients::SingleGradients(const RowsInWarps& rows, ThreadPool& pool)
    : rows_(rows), pool_(pool)
{
    const auto n = static_cast<std::size_t>(rows.layout().rows);
    for (auto* v : {&d_, &inverse_, &r_, &p_, &q_, &x_})
        v->resize(n);
}

void SingleGradients::set_off(std::span<const double> off)
{
    off_.emplace(rows_.layout(), off, pool_);
}

ConjugateGradients::Result SingleGradients::solve(std::span<const double> diagonal,
                                                  std::span<const double> b, double part,
                                                  int most_iterations, std::span<double> x)
{
    using End = ConjugateGradients::End;
    const std::size_t n = r_.size();
    largest_.assign((n + block - 1) / block, 0);
    // the largest |r / d| of a block, which the pass that makes it has in its registers
    const auto keep_largest = [&](std::size_t begin, std::size_t end) {
        float most[lanes] = {};
        std::size_t i = begin;
        for (; i + lanes <= end; i += lanes)
            for (std::size_t k = 0; k < lanes; ++k)
                most[k] = std::max(most[k], std::abs(r_[i + k] * inverse_[i + k]));
        for (; i < end; ++i)
            most[0] = std::max(most[0], std::abs(r_[i] * inverse_[i]));
        largest_[begin / block] = *std::max_element(most, most + lanes);
    };
    double rho = block_sum<block>(pool_, n, sums_, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            d_[i] = static_cast<float>(diagonal[i]);
            inverse_[i] = 1 / d_[i];
            r_[i] = static_cast<float>(b[i]);
            p_[i] = r_[i] * inverse_[i];
            x_[i] = 0;
        }
        keep_largest(begin, end);
        return lane_sum(begin, end, [&](std::size_t i) { return double(r_[i]) * double(p_[i]); });
    });
    ConjugateGradients::Result out;
    double enough = 0;
    float beta = 0; // of the direction
    for (;; ++out.iterations) {
        out.residual.most = *std::max_element(largest_.begin(), largest_.end());
        if (out.iterations == 0)
            enough = part * out.residual.most;
        if (!std::isfinite(rho)) {
            out.end = End::not_definite;
            break;
        }
        if (out.residual.most <= enough)
            break;
        if (out.iterations >= most_iterations) {
            out.end = End::too_many_iterations;
            break;
        }
        if (out.iterations > 0)
            pool_.for_range(n, block, [&](std::size_t begin, std::size_t end, unsigned) {
                for (std::size_t i = begin; i < end; ++i)
                    p_[i] = r_[i] * inverse_[i] + beta * p_[i];
            });
        off_->multiply(p_, q_, pool_);
        const double turned =
            block_sum<block>(pool_, n, sums_, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i)
                    q_[i] += d_[i] * p_[i];
                return lane_sum(begin, end,
                                [&](std::size_t i) { return double(p_[i]) * double(q_[i]); });
            });
        if (!(turned > 0)) {
            out.end = End::not_definite;
            break;
        }
        const auto step = static_cast<float>(rho / turned);
        const double next =
            block_sum<block>(pool_, n, sums_, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) {
                    x_[i] += step * p_[i];
                    r_[i] -= step * q_[i];
                }
                keep_largest(begin, end);
                return lane_sum(begin, end, [&](std::size_t i) {
                    return double(r_[i]) * double(r_[i] * inverse_[i]);
                });
            });
        beta = static_cast<float>(next / rho);
        rho = next;
    }
    pool_.for_range(n, block, [&](std::size_t begin, std::size_t end, unsigned) {
        for (std::size_t i = begin; i < end; ++i)
            x[i] = static_cast<double>(x_[i]);
    });
    return out;
}

double SingleGradients::bytes_per_iteration() const
{
    // beside the product: q, d, p; x, p, r, q, 1 / d; p, r, 1 / d
    return rows_.layout().bytes(sizeof(float)) + 4.0 * 15 * static_cast<double>(r_.size());
}

} // namespace tawara::diffusion
