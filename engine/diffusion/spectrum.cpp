// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/diffusion/spectrum.hpp"

#include "engine/diffusion/chunks.hpp"
#include "engine/diffusion/whole.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace tawara::diffusion {

namespace {

constexpr std::size_t fewest_steps = 20, most_steps = 60;
constexpr double most_numbers = 2e8; // of all vectors together: 0.8 GB

/// A start that has a part of every mode: the same on every machine (SplitMix64).
float noise(std::uint64_t i)
{
    std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    z ^= z >> 31;
    return static_cast<float>(static_cast<double>(z >> 11) * 0x1p-52 - 1);
}

/// Arnoldi's basis, which grows by one vector a step.
class Arnoldi
{
  public:
    Arnoldi(ThreadPool& pool, const System& s, Whole* whole)
        : pool_(pool), s_(s), whole_(whole), w_(s.size())
    {
        for (std::size_t i = 0; i < w_.size(); ++i)
            w_[i] = s.volume[i] > 0 ? static_cast<double>(noise(number(i))) : 0;
        add(std::sqrt(dot(w_)));
    }

    /// @param column  coefficients of A q on the basis and, last, the rest's length
    void step(std::vector<double>& column)
    {
        multiply(basis_.back());
        column.clear();
        for (const auto& q : basis_) {
            const double c = sum([&](std::size_t i) { return static_cast<double>(q[i]) * w_[i]; });
            each([&](std::size_t i) { w_[i] -= c * static_cast<double>(q[i]); });
            column.push_back(c);
        }
        column.push_back(std::sqrt(dot(w_)));
        add(column.back());
    }

  private:
    std::uint64_t number(std::size_t i) const
    {
        return whole_ != nullptr ? static_cast<std::uint64_t>(whole_->number()[i]) : i;
    }
    template <class Body>
    void each(const Body& body)
    {
        pool_.for_range(w_.size(), 64, [&](std::size_t begin, std::size_t end, unsigned) {
            for (std::size_t i = begin; i < end; ++i)
                body(i);
        });
    }
    template <class Term>
    double sum(const Term& term)
    {
        const double here =
            block_sum(pool_, w_.size(), sums_, [&](std::size_t begin, std::size_t end) {
                double all = 0;
                for (std::size_t i = begin; i < end; ++i)
                    if (whole_ == nullptr || whole_->own()[i] != 0)
                        all += term(i);
                return all;
            });
        return whole_ != nullptr ? whole_->sum(here) : here;
    }
    double dot(const std::vector<double>& v)
    {
        return sum([&](std::size_t i) { return v[i] * v[i]; });
    }
    void add(double length)
    {
        if (whole_ != nullptr)
            whole_->share(w_);
        std::vector<float> q(w_.size());
        const double scale = length > 0 ? 1 / length : 0;
        each([&](std::size_t i) { q[i] = static_cast<float>(scale * w_[i]); });
        basis_.push_back(std::move(q));
    }
    void multiply(const std::vector<float>& q)
    {
        const Rows& a = s_.alpha;
        each([&](std::size_t i) {
            double flow = 0;
            const auto own = static_cast<double>(q[i]);
            for (auto e = static_cast<std::size_t>(a.first[i]);
                 e < static_cast<std::size_t>(a.first[i + 1]); ++e)
                flow += a.value[e] *
                        (static_cast<double>(q[static_cast<std::size_t>(a.column[e])]) - own);
            w_[i] = flow;
        });
    }

    ThreadPool& pool_;
    const System& s_;
    Whole* whole_; ///< null: all unknowns are here
    std::vector<double> w_, sums_;
    std::vector<std::vector<float>> basis_;
};

/// Amplification of one super step of z = dt lambda.
std::complex<double> amplified(const Rkl2& c, std::complex<double> z)
{
    std::complex<double> before = 1, y = 1.0 + c.mu_tilde[0] * z;
    for (std::size_t j = 1; j < c.mu.size(); ++j) {
        const auto next = c.mu[j] * y + c.nu[j] * before + (1 - c.mu[j] - c.nu[j]) +
                          c.mu_tilde[j] * z * y + c.gamma_tilde[j] * z;
        before = y;
        y = next;
    }
    return y;
}

std::vector<std::complex<double>> rim(ThreadPool& pool, const System& s, Whole* whole,
                                      const Progress& progress)
{
    const std::size_t n = whole != nullptr ? whole->size() : s.size();
    if (n == 0)
        return {};
    const auto room = static_cast<std::size_t>(most_numbers / static_cast<double>(n));
    const auto steps = std::min(n, std::clamp(room, fewest_steps, most_steps));
    Arnoldi arnoldi(pool, s, whole);
    Eigen::MatrixXd h =
        Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(steps), static_cast<Eigen::Index>(steps));
    std::vector<double> column;
    Eigen::Index done = 0;
    while (done < h.cols()) {
        progress.at(static_cast<double>(done) / static_cast<double>(steps),
                    "looking for oscillating modes");
        arnoldi.step(column);
        for (Eigen::Index k = 0; k <= done; ++k)
            h(k, done) = column[static_cast<std::size_t>(k)];
        ++done;
        if (!(column.back() > 1e-12 * std::abs(h(done - 1, done - 1))))
            break; // all modes that the start has a part of
        if (done < h.cols())
            h(done, done - 1) = column.back();
    }
    const Eigen::EigenSolver<Eigen::MatrixXd> solver(h.topLeftCorner(done, done), false);
    return {solver.eigenvalues().begin(), solver.eigenvalues().end()};
}

} // namespace

std::vector<std::complex<double>> rim_of_spectrum(ThreadPool& pool, const System& s,
                                                  const Progress& progress)
{
    return rim(pool, s, nullptr, progress);
}

std::vector<std::complex<double>> rim_of_spectrum(ThreadPool& pool, const System& s, Whole& whole,
                                                  const Progress& progress)
{
    return rim(pool, s, &whole, progress);
}

double rkl2_amplification(int stages, double dt_ms, std::span<const std::complex<double>> rim)
{
    constexpr double more = 1.1; // not all of the rim is found
    constexpr int places = 40;   // on the line to each
    const auto c = rkl2(stages);
    double most = 0;
    for (const auto& lambda : rim)
        for (int k = 1; k <= places; ++k) {
            const std::complex<double> z{std::min(lambda.real(), 0.0), more * lambda.imag()};
            most = std::max(most, std::abs(amplified(c, z * (dt_ms * k / places))));
        }
    return most;
}

SubStepping choose_substeps(double dt_ms, double stable_dt_ms,
                            std::span<const std::complex<double>> rim)
{
    constexpr double rounding = 1 + 1e-9;
    auto out = choose_substeps(dt_ms, stable_dt_ms);
    if (out.kind == SubStepping::Kind::euler)
        return out;
    const double euler = std::ceil(dt_ms / (stable_dt_ms * rounding));
    while (rkl2_amplification(out.stages, dt_ms, rim) > rounding) {
        out.stages += 2;
        if (out.stages >= euler)
            return {SubStepping::Kind::euler, static_cast<int>(euler)};
    }
    return out;
}

} // namespace tawara::diffusion
