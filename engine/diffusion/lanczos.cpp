// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/diffusion/operators.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>

namespace tawara::diffusion {

namespace {

constexpr int steps_in_all = 300, steps_per_look = 25;

/// A pseudo-random number in [-1, 1) from an index (SplitMix64): the same on every machine.
double noise(std::uint64_t i)
{
    std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    z ^= z >> 31;
    return static_cast<double>(z >> 11) * 0x1p-52 - 1;
}

/// w = R^-1/2 sym(B) R^-1/2 q without B: per cell sym(K_i) e_i, then the faces' differences.
/// Cost per cell and Lanczos step: about 350 bytes.
class SymmetricPart
{
  public:
    SymmetricPart(ThreadPool& pool, const FaceNeighbours& links, const FluxMatrices& k,
                  std::span<const double> rate, Whole* whole)
        : pool_(pool), links_(links), whole_(whole), back_(back_faces(links)), sym_(k.size()),
          u_(k.size()), p_(k.size()), root_(k.size())
    {
        pool_.for_range(k.size(), 64, [&](std::size_t begin, std::size_t end, unsigned) {
            for (std::size_t i = begin; i < end; ++i) {
                root_[i] = std::sqrt(rate[i]);
                std::size_t at = 0;
                for (std::size_t f = 0; f < 4; ++f)
                    for (std::size_t g = f; g < 4; ++g)
                        sym_[i][at++] = (k[i][4 * f + g] + k[i][4 * g + f]) / 2;
            }
        });
    }

    /// R^1/2: what a constant is in these variables.
    const std::vector<double>& root() const { return root_; }

    /// q <- scale q, w <- A q; returns <q, w>.
    double apply(double scale, std::vector<double>& q, std::vector<double>& w)
    {
        if (whole_ != nullptr)
            whole_->share(q);
        pool_.for_range(q.size(), 64, [&](std::size_t begin, std::size_t end, unsigned) {
            for (std::size_t i = begin; i < end; ++i) {
                q[i] *= scale;
                u_[i] = q[i] / root_[i];
            }
        });
        pool_.for_range(q.size(), 64, [&](std::size_t begin, std::size_t end, unsigned) {
            for (std::size_t i = begin; i < end; ++i)
                shares(i);
        });
        const double here =
            block_sum(pool_, q.size(), sums_, [&](std::size_t begin, std::size_t end) {
                double product = 0;
                for (std::size_t i = begin; i < end; ++i) {
                    if (whole_ != nullptr && whole_->own()[i] == 0)
                        continue;
                    double sum = 0;
                    for (int f = 0; f < 4; ++f) {
                        const auto j = links_[i][static_cast<std::size_t>(f)];
                        if (j >= 0)
                            sum += p_[i][static_cast<std::size_t>(f)] -
                                   p_[static_cast<std::size_t>(j)]
                                     [static_cast<std::size_t>(back_face(back_[i], f))];
                    }
                    w[i] = sum / root_[i];
                    product += q[i] * w[i];
                }
                return product;
            });
        return whole_ != nullptr ? whole_->sum(here) : here;
    }

  private:
    void shares(std::size_t i)
    {
        std::array<double, 4> e{};
        for (std::size_t f = 0; f < 4; ++f)
            if (links_[i][f] >= 0)
                e[f] = u_[static_cast<std::size_t>(links_[i][f])] - u_[i];
        const auto& s = sym_[i]; // 00 01 02 03 11 12 13 22 23 33
        p_[i] = {s[0] * e[0] + s[1] * e[1] + s[2] * e[2] + s[3] * e[3],
                 s[1] * e[0] + s[4] * e[1] + s[5] * e[2] + s[6] * e[3],
                 s[2] * e[0] + s[5] * e[1] + s[7] * e[2] + s[8] * e[3],
                 s[3] * e[0] + s[6] * e[1] + s[8] * e[2] + s[9] * e[3]};
    }

    ThreadPool& pool_;
    const FaceNeighbours& links_;
    Whole* whole_; ///< null: all cells are here
    std::vector<std::uint8_t> back_;
    std::vector<std::array<double, 10>> sym_;
    std::vector<double> u_;
    std::vector<std::array<double, 4>> p_;
    std::vector<double> root_, sums_;
};

/// The largest Ritz value.
double largest_ritz(const std::vector<double>& alpha, const std::vector<double>& beta)
{
    const auto n = static_cast<Eigen::Index>(alpha.size());
    const Eigen::VectorXd d = Eigen::Map<const Eigen::VectorXd>(alpha.data(), n);
    const Eigen::VectorXd e = Eigen::Map<const Eigen::VectorXd>(beta.data(), n - 1);
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
    solver.computeFromTridiagonal(d, e, Eigen::EigenvaluesOnly);
    return solver.eigenvalues().maxCoeff();
}

} // namespace

double largest_growth(ThreadPool& pool, const FaceNeighbours& links, const FluxMatrices& k,
                      std::span<const double> rate, std::span<const std::int32_t> first_look,
                      Whole* whole, const Progress& progress, const Stage& stage)
{
    const std::size_t n = k.size();
    SymmetricPart part(pool, links, k, rate, whole);
    const auto& root = part.root();
    std::vector<double> q(n), before(n, 0.0), w(n), sums;
    auto sum = [&](const auto& term) {
        const double here = block_sum(pool, n, sums, [&](std::size_t begin, std::size_t end) {
            double s = 0;
            for (std::size_t i = begin; i < end; ++i)
                if (whole == nullptr || whole->own()[i] != 0)
                    s += term(i);
            return s;
        });
        return whole != nullptr ? whole->sum(here) : here;
    };
    const double all = sum([&](std::size_t i) { return rate[i]; });
    /// Takes the constant out of a, given <a, constant>; returns |a|.
    auto deflate = [&](std::vector<double>& a, double product) {
        return std::sqrt(sum([&](std::size_t i) {
            a[i] -= product / all * root[i];
            return a[i] * a[i];
        }));
    };
    for (std::size_t i = 0; i < n; ++i)
        q[i] = noise(whole != nullptr ? static_cast<std::uint64_t>(whole->number()[i]) : i);
    for (auto i : first_look)
        q[static_cast<std::size_t>(i)] *= 30;
    double size = deflate(q, sum([&](std::size_t i) { return q[i] * root[i]; }));

    std::vector<double> alpha, beta;
    double growth = 0;
    for (int step = 1; step <= steps_in_all; ++step) {
        progress.at(stage.from + (stage.to - stage.from) * step / steps_in_all, stage.name);
        const double a = part.apply(1 / size, q, w), b = beta.empty() ? 0 : beta.back();
        const double constant = sum([&](std::size_t i) {
            w[i] -= a * q[i] + b * before[i];
            return w[i] * root[i];
        });
        size = deflate(w, constant);
        alpha.push_back(a);
        beta.push_back(size);
        const bool ended = size <= 1e-14 * std::abs(alpha.front());
        if (step % steps_per_look == 0 || ended) {
            growth = largest_ritz(alpha, beta);
            if (ended || growth > growth_limit) // the mode's own growth is no less
                break;
        }
        before.swap(q);
        q.swap(w);
    }
    return growth;
}

} // namespace tawara::diffusion
