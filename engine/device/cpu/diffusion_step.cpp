// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cpu/diffusion_step.hpp"

#include <cmath>

namespace tawara::device::cpu {

namespace {
constexpr int input = 0, caller = 3; // buffers 1 and 2 are scratch
}

template <class Real>
DiffusionStep<Real>::DiffusionStep(const TissueProblem& p, const Layout& layout)
    : matrix_(make_sell<Real>(p.system.alpha, layout)), slots_(layout.slots())
{
    const auto dt = dt_ = static_cast<Real>(p.dt_ms);
    const int stages = p.substeps.stages;
    if (p.substeps.kind == diffusion::SubStepping::Kind::euler || stages < 2) {
        const Real tau = dt / static_cast<Real>(stages);
        for (int k = 0; k < stages; ++k)
            plan_.push_back({k == 0 ? input : 1 + (k - 1) % 2, -1,
                             k + 1 == stages ? caller : 1 + k % 2, 1, 0, 0, 0, tau, false});
    } else {
        const auto c = diffusion::rkl2(stages);
        auto real = [](double x) { return static_cast<Real>(x); };
        // Y_1 = Y_0 + mu~_1 dt L(Y_0), and L(Y_0) is kept.
        plan_.push_back({input, -1, 1, 1, 0, 0, 0, real(c.mu_tilde[0]) * dt, true});
        for (int j = 2; j <= stages; ++j) {
            const auto i = static_cast<std::size_t>(j - 1);
            // Y_{j-1} and Y_{j-2} alternate between the scratch buffers; Y_j overwrites Y_{j-2}.
            const int previous = 1 + j % 2, before = j == 2 ? input : 1 + (j + 1) % 2;
            const int to = j == stages ? caller : 1 + (j + 1) % 2;
            plan_.push_back({previous, before, to, real(c.mu[i]), real(c.nu[i]),
                             real(1 - c.mu[i] - c.nu[i]), real(c.gamma_tilde[i]) * dt,
                             real(c.mu_tilde[i]) * dt, false});
        }
        l0_.assign(slots_, Real(0));
    }
    passes_ = static_cast<int>(plan_.size());
    if (passes_ > 1)
        scratch_.assign(2, AlignedVector<Real>(slots_, Real(0)));
}

template <class Real>
void DiffusionStep<Real>::run(int k, const Real* v, Real* out, std::int64_t begin, std::int64_t end)
{
    const Pass& p = plan_[static_cast<std::size_t>(k)];
    auto source = [&](int b) -> const Real* {
        return b < 0 ? nullptr : b == input ? v : scratch_[static_cast<std::size_t>(b - 1)].data();
    };
    Real* to = p.out == caller ? out : scratch_[static_cast<std::size_t>(p.out - 1)].data();
    if (p.first_of_rkl2) {
        SellTerms<Real> l;
        l.x = v;
        l.c_x = 0;
        l.tau = 1;
        apply(matrix_, l, l0_.data(), begin, end);
        for (auto i = begin; i < end; ++i)
            to[i] = v[i] + p.tau * l0_[static_cast<std::size_t>(i)];
        return;
    }
    SellTerms<Real> t;
    t.x = source(p.x);
    t.c_x = p.c_x;
    t.y = source(p.y);
    t.c_y = p.c_y;
    t.tau = p.tau;
    if (!l0_.empty()) {
        t.y0 = v;
        t.c_0 = p.c_0;
        t.l0 = l0_.data();
        t.c_l = p.c_l;
    }
    apply(matrix_, t, to, begin, end);
}

template <class Real>
void DiffusionStep<Real>::flow(const Real* x, Real* out, std::int64_t begin, std::int64_t end) const
{
    SellTerms<Real> t;
    t.x = x;
    t.c_x = 0;
    t.tau = dt_;
    apply(matrix_, t, out, begin, end);
}

template <class Real>
AlignedVector<Real> DiffusionStep<Real>::rates() const
{
    AlignedVector<Real> out(slots_, Real(0));
    constexpr auto height = static_cast<std::size_t>(Sell<Real>::height);
    for (std::size_t slot = 0; slot < slots_; ++slot) {
        const std::size_t slice = slot / height;
        for (auto k = matrix_.start[slice]; k < matrix_.start[slice + 1];
             k += static_cast<std::int64_t>(height))
            out[slot] += dt_ * std::abs(matrix_.value[static_cast<std::size_t>(k) + slot % height]);
    }
    return out;
}

template <class Real>
double DiffusionStep<Real>::bytes_per_step() const
{
    const double matrix = static_cast<double>(matrix_.value.size()) * (sizeof(Real) + 4.0);
    const double vectors = static_cast<double>(slots_) * sizeof(Real);
    // x and out once; stages of RKL2 also read Y_{j-2}, Y_0 and L(Y_0).
    return passes_ * (matrix + 2 * vectors) +
           (l0_.empty() ? 0 : (passes_ - 1) * 3 * vectors + vectors);
}

template <class Real>
double DiffusionStep<Real>::flops_per_step() const
{
    // A subtraction and a fused multiply-add per off-diagonal, one more per row (NUMERICS.md, 5).
    return passes_ * (2.0 * static_cast<double>(matrix_.nonzeros) + static_cast<double>(slots_));
}

template class DiffusionStep<double>;
template class DiffusionStep<float>;

} // namespace tawara::device::cpu
