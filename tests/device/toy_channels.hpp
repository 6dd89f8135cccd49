// SPDX-License-Identifier: GPL-3.0-or-later
// A reaction that is no compiled model: channels that open and close by chance.
#pragma once
#include "engine/cell/reaction.hpp"
#include "engine/core/random.hpp"

#include <array>

namespace tawara::test {

/// Each unknown has `channels` channels of two states. Its type says how often they open.
///
///     dV/dt = -leak (V - rest) + open / channels * 2 mV/ms + stimulus
///
/// Three arrays of different sizes: which channels are open, how long each has been in all, and how
/// many openings there were.
struct ChannelRates
{
    static constexpr std::size_t channels = 5;
    double closing_per_ms = 0.5, leak_per_ms = 0.1, rest_mV = -80;
    std::uint64_t seed = 1;
};
struct ChannelValues : ChannelRates
{
    std::vector<double> opening_per_ms; ///< of each type
};

/// One step of an unknown, on processors and devices.
/// @param number  number(k): the k-th of the unknown's numbers, counted over the arrays
template <class Real, class Numbers>
TAWARA_EVERYWHERE void step_channels(const ChannelRates& r, double opening_per_ms,
                                     std::int64_t unknown, const cell::ReactionStep& s,
                                     double stimulus, Real& v, const Numbers& number)
{
    constexpr std::size_t n = ChannelRates::channels;
    const RandomPlace place{r.seed, static_cast<std::uint64_t>(unknown),
                            static_cast<std::uint64_t>(s.step), static_cast<std::uint16_t>(s.part)};
    std::size_t count = 0;
    for (std::size_t k = 0; k < n; ++k) {
        const auto w = random_words(place, static_cast<std::uint32_t>(k));
        const double u = uniform_of(w[0], w[1]);
        Real& open = number(k);
        if (open != 0) {
            number(n + k) += static_cast<Real>(s.dt_ms);
            open = u < r.closing_per_ms * s.dt_ms ? Real(0) : Real(1);
        } else if (u < opening_per_ms * s.dt_ms) {
            open = 1;
            number(2 * n) += 1;
        }
        count += open != 0;
    }
    const double before = static_cast<double>(v);
    const double rate = -r.leak_per_ms * (before - r.rest_mV) +
                        2.0 * static_cast<double>(count) / static_cast<double>(n) + stimulus;
    v = static_cast<Real>(before + s.dt_ms * rate);
}

template <class Real>
class Channels final : public cell::Reaction<Real>
{
  public:
    explicit Channels(ChannelValues values) : values_(std::move(values)) {}
    std::span<const cell::StateArray> arrays() const override { return arrays_; }
    bool needs_unknowns() const override { return true; }
    void prepare(const cell::ReactionCells<Real>& c) const override
    {
        const auto& a = c.cells;
        for (std::size_t i = a.begin; i < a.end; ++i) {
            a.v[i] = static_cast<Real>(values_.rest_mV);
            for (std::size_t k = 0; k < arrays_.size(); ++k)
                for (std::size_t j = 0; j < arrays_[k].per_unknown; ++j)
                    a.states[k][i * arrays_[k].per_unknown + j] = Real(0);
        }
    }
    void advance(const cell::ReactionCells<Real>& c, const cell::ReactionStep& s) const override
    {
        const auto& a = c.cells;
        for (std::size_t i = a.begin; i < a.end; ++i)
            if (c.unknown[i] >= 0)
                step_channels(values_, values_.opening_per_ms.at(a.type[i]), c.unknown[i], s,
                              a.stimulus ? static_cast<double>(a.stimulus[i]) : 0, a.v[i],
                              Numbers{a.states, i});
    }

  private:
    static constexpr auto n = ChannelValues::channels;
    struct Numbers
    {
        Real* const* arrays;
        std::size_t i;
        TAWARA_EVERYWHERE Real& operator()(std::size_t k) const
        {
            return k < 2 * n ? arrays[k / n][i * n + k % n] : arrays[2][i];
        }
    };
    const std::array<cell::StateArray, 3> arrays_{{{"open", n}, {"open_ms", n}, {"openings", 1}}};
    ChannelValues values_;
};

class ChannelModel : public cell::ReactionModel
{
  public:
    explicit ChannelModel(ChannelValues values) : values_(std::move(values)) {}
    std::string name() const override { return "toy channels"; }
    std::size_t types() const override { return values_.opening_per_ms.size(); }
    std::unique_ptr<cell::Reaction<double>> on_cpu_double() const override
    {
        return std::make_unique<Channels<double>>(values_);
    }
    std::unique_ptr<cell::Reaction<float>> on_cpu_single() const override
    {
        return std::make_unique<Channels<float>>(values_);
    }

  protected:
    ChannelValues values_;
};

} // namespace tawara::test
