// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sparse/cuda/measure.hpp"

#include "engine/sparse/choose.hpp"
#include "engine/sparse/cuda/stopwatch.cuh"
#include "engine/sparse/order.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace tawara::sparse::cuda {
namespace {

using device::cuda::Stream;
using device::cuda::uploaded;

/// A matrix in one order, x and the product that is wanted.
struct Ordered
{
    std::string name;
    Csr a;
    std::vector<double> x, y;

    Ordered(std::string order, Csr matrix)
        : name(std::move(order)), a(std::move(matrix)), x(static_cast<std::size_t>(a.columns)),
          y(static_cast<std::size_t>(a.rows()))
    {
        std::mt19937 chance(1);
        std::uniform_real_distribution<double> value(-1, 1);
        for (auto& v : x)
            v = value(chance);
        multiply(a, x, y);
    }
};

template <class Stored, class Real>
class Measuring
{
  public:
    Measuring(const Csr& a, int device, ThreadPool& pool, std::vector<std::string>& remarks)
        : stream_(device), watch_(stream_), pool_(pool), remarks_(remarks), own_("own", a)
    {
    }

    std::vector<MeasuredProduct> run(Precision precision)
    {
        chosen(own_, choose(own_.a, precision, false));
        const auto c = choose(own_.a, precision, true);
        if (c.cuthill_mckee)
            rcm_ = std::make_unique<Ordered>("rcm", renumbered(own_.a, cuthill_mckee(own_.a)));
        if (c.options.renumbered)
            chosen(rcm_ ? *rcm_ : own_, c);
        plain(own_, "CSR 8", [&] { return make_csr_product<Stored, Real>(stream_, own_.a, 8); });
        const auto why = cusparse_reason();
        if (!why.empty()) {
            remarks_.push_back("no cuSPARSE: " + why);
            return std::move(out_);
        }
        peers(own_);
        if (best_run(own_.a, precision) > 1)
            blocks(own_);
        if (rcm_)
            peers(*rcm_);
        return std::move(out_);
    }

  private:
    void peers(const Ordered& o)
    {
        for (const auto p : {Peer::csr_1, Peer::coo_1, Peer::sell})
            plain(o, std::string(name(p)),
                  [&] { return make_cusparse_product<Stored, Real>(stream_, o.a, p, 32); });
    }
    /// Blocks of as many unknowns as nodes of elements have, where nodes have several.
    void blocks(const Ordered& o)
    {
        for (const int size : {2, 3, 6})
            plain(o, std::string(name(Peer::bsr)) + " " + std::to_string(size), [&] {
                return make_cusparse_product<Stored, Real>(stream_, o.a, Peer::bsr, size);
            });
    }

    void chosen(const Ordered& o, const Choice& c)
    {
        if (c.format == Choice::Format::csr) {
            plain(o, "CSR " + std::to_string(c.threads),
                  [&] { return make_csr_product<Stored, Real>(stream_, o.a, c.threads, c.block); });
            return;
        }
        const auto layout = make_layout(o.a, c.options, pool_);
        WarpLaunch launch;
        launch.block = c.block, launch.flight = c.flight;
        launch.ahead = c.ahead, launch.early = c.early;
        std::unique_ptr<Product<Real>> product;
        try {
            product = make_warp_product<Stored, Real>(stream_, layout, o.a.value, launch, pool_);
        } catch (const NoRoom& e) {
            remarks_.push_back(o.name + ": " + e.what());
            return;
        }
        const bool turned = layout.options.renumbered;
        const auto in = [&](const std::vector<double>& v) {
            return turned ? to_layout<double>(layout, v) : v;
        };
        add(o,
            std::string("ELL-WARP ") + (turned ? "renumbered" : "kept") +
                (c.options.run > 1 ? ", runs of " + std::to_string(c.options.run) : ""),
            *product, in(o.x), in(o.y));
    }

    template <class Make>
    void plain(const Ordered& o, const std::string& way, const Make& make)
    {
        try {
            const auto product = make();
            add(o, way, *product, o.x, o.y);
        } catch (const DeviceError&) {
            throw;
        } catch (const Error& e) {
            remarks_.push_back(way + " (" + o.name + "): " + e.what());
        }
    }

    void add(const Ordered& o, const std::string& way, const Product<Real>& product,
             const std::vector<double>& x, const std::vector<double>& wanted)
    {
        constexpr std::size_t block = 6; // more, for peers that read and write whole blocks
        std::vector<Real> from(x.begin(), x.end());
        from.resize(x.size() + block);
        const auto on_device = uploaded(from, stream_);
        const auto y = uploaded(std::vector<Real>(wanted.size() + block, Real(NAN)), stream_);
        const auto times = watch_.measure(
            [&] { product.multiply(stream_, on_device.data(), y.data()); }, 25, true);
        std::vector<Real> got(wanted.size());
        y.download(got, stream_);
        StreamRef(stream_).synchronize();
        double most = 1e-300, away = 0;
        for (std::size_t i = 0; i < got.size(); ++i) {
            most = std::max(most, std::abs(wanted[i]));
            const double d = std::abs(static_cast<double>(got[i]) - wanted[i]);
            away = d <= away ? away : d; // NaN is larger than all
        }
        out_.push_back({o.name, way, times.cold_us, times.many_us, product.bytes(), away / most});
    }

    Stream stream_;
    Stopwatch watch_;
    ThreadPool& pool_;
    std::vector<std::string>& remarks_;
    Ordered own_;
    std::unique_ptr<Ordered> rcm_;
    std::vector<MeasuredProduct> out_;
};

} // namespace

std::vector<MeasuredProduct> measure_products(const Csr& a, Precision precision, int device,
                                              ThreadPool& pool, std::vector<std::string>& remarks)
{
    switch (precision) {
    case Precision::double_:
        return Measuring<double, double>(a, device, pool, remarks).run(precision);
    case Precision::single:
        return Measuring<float, float>(a, device, pool, remarks).run(precision);
    case Precision::mixed:
        break;
    }
    return Measuring<float, double>(a, device, pool, remarks).run(precision);
}

} // namespace tawara::sparse::cuda
