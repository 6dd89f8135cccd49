// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/sparse/product_on_gpu.hpp"

#include "engine/sparse/cuda/product.cuh"

#include <cmath>

namespace tawara::test {
namespace {

using namespace tawara::sparse;
using namespace tawara::sparse::cuda;
using device::cuda::Stream;
using device::cuda::uploaded;

template <class Stored, class Real>
std::unique_ptr<Product<Real>> make(StreamRef s, const Csr& a, const WarpLayout& layout,
                                    const OnGpu& how)
{
    switch (how.kind) {
    case OnGpu::Kind::warp:
        return make_warp_product<Stored, Real>(
            s, layout, a.value,
            {how.block, how.flight, how.ahead, how.early, how.renewed != nullptr});
    case OnGpu::Kind::csr:
        return make_csr_product<Stored, Real>(s, a, how.threads, how.block);
    case OnGpu::Kind::ellpack:
        return make_ellpack_product<Stored, Real>(s, a, how.block);
    case OnGpu::Kind::merge:
        return make_merge_product<Stored, Real>(s, a);
    case OnGpu::Kind::cusparse:
        break;
    }
    return make_cusparse_product<Stored, Real>(s, a, static_cast<Peer>(how.threads));
}

template <class Stored, class Real>
std::vector<double> product(const Csr& a, const std::vector<double>& x, const OnGpu& how)
{
    const Stream s(0);
    WarpLayout layout;
    const bool warp = how.kind == OnGpu::Kind::warp;
    if (warp)
        layout = make_layout(a, how.options);
    std::unique_ptr<Product<Real>> made;
    try {
        made = make<Stored, Real>(s, a, layout, how);
    } catch (const NoRoom&) {
        return {};
    }
    if (how.renewed) {
        const auto values = uploaded(*how.renewed, s);
        made->renew(s, values.data());
        s->synchronize();
    }
    std::vector<Real> from(x.begin(), x.end());
    const bool moved = warp && how.options.renumbered;
    if (moved)
        from = to_layout<Real>(layout, from);
    constexpr std::size_t block =
        32; // more, for the library's, which reads and writes whole blocks
    from.resize(from.size() + block);
    std::vector<Real> to(static_cast<std::size_t>(a.rows()) + block, std::nan(""));
    const auto x_there = uploaded(from, s), y_there = uploaded(to, s);
    made->multiply(s, x_there.data(), y_there.data());
    y_there.download(to, s);
    s->synchronize();
    to.resize(static_cast<std::size_t>(a.rows()));
    if (moved)
        to = from_layout<Real>(layout, to);
    return {to.begin(), to.end()};
}

} // namespace

std::vector<double> product_on_gpu(const Csr& a, const std::vector<double>& x, const OnGpu& how)
{
    switch (how.precision) {
    case Precision::single:
        return product<float, float>(a, x, how);
    case Precision::mixed:
        return product<float, double>(a, x, how);
    case Precision::double_:
        break;
    }
    return product<double, double>(a, x, how);
}

std::string no_cusparse()
{
    return cusparse_reason();
}

} // namespace tawara::test
