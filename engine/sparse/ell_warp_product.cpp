// SPDX-License-Identifier: GPL-3.0-or-later
// Products of laid out matrices, place by place: what vectorised ones and GPUs are compared with.
#include "engine/sparse/ell_warp.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::sparse {
namespace {

constexpr int lanes = WarpLayout::lanes;

std::size_t at(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

} // namespace

template <class Real, class Stored>
void multiply(const WarpLayout& layout, std::span<const Stored> value, std::span<const Real> x,
              std::span<Real> y)
{
    std::vector<Real> sum;
    for (std::int64_t w = 0; w < layout.warps();) {
        const int threads = layout.threads[at(w)], of_group = std::max(threads, lanes);
        sum.assign(at(of_group), Real(0));
        for (int thread = 0; thread < of_group; ++thread) {
            const auto of = w + thread / lanes;
            const int lane = thread % lanes;
            for (std::int64_t p = 0; p < layout.places(of); ++p)
                for (int i = 0; i < layout.options.run; ++i)
                    sum[at(thread)] =
                        std::fma(static_cast<Real>(value[at(layout.value_number(of, lane, p, i))]),
                                 x[at(layout.column_at(of, layout.number(of, lane, p)) + i)],
                                 sum[at(thread)]);
        }
        for (int apart = threads / 2; apart > 0; apart /= 2)
            for (int thread = 0; thread + apart < of_group; ++thread)
                if (thread % threads < apart)
                    sum[at(thread)] += sum[at(thread + apart)];
        const auto first = layout.first_row[at(w)];
        for (auto k = first; k < layout.first_row[at(w) + 1]; ++k)
            y[at(layout.options.renumbered ? k : layout.row_of[at(k)])] =
                sum[at((k - first) * threads)];
        w += of_group / lanes;
    }
}

template <class Real>
std::vector<Real> to_layout(const WarpLayout& layout, std::span<const Real> x)
{
    std::vector<Real> out(x.size());
    for (std::size_t k = 0; k < out.size(); ++k)
        out[k] = x[at(layout.row_of[k])];
    return out;
}

template <class Real>
std::vector<Real> from_layout(const WarpLayout& layout, std::span<const Real> y)
{
    std::vector<Real> out(y.size());
    for (std::size_t k = 0; k < out.size(); ++k)
        out[at(layout.row_of[k])] = y[k];
    return out;
}

template void multiply(const WarpLayout&, std::span<const double>, std::span<const double>,
                       std::span<double>);
template void multiply(const WarpLayout&, std::span<const float>, std::span<const float>,
                       std::span<float>);
template void multiply(const WarpLayout&, std::span<const float>, std::span<const double>,
                       std::span<double>);
template std::vector<double> to_layout(const WarpLayout&, std::span<const double>);
template std::vector<float> to_layout(const WarpLayout&, std::span<const float>);
template std::vector<double> from_layout(const WarpLayout&, std::span<const double>);
template std::vector<float> from_layout(const WarpLayout&, std::span<const float>);

} // namespace tawara::sparse
