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
struct ChannelValues
{
    static constexpr std::size_t channels = 5;
    std::vector<double> opening_per_ms; ///< of each type
    double closing_per_ms = 0.5, leak_per_ms = 0.1, rest_mV = -80;
    std::uint64_t seed = 1;
};

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
        for (std::size_t i = a.begin; i < a.end; ++i) {
            if (c.unknown[i] < 0)
                continue;
            const RandomPlace place{values_.seed, static_cast<std::uint64_t>(c.unknown[i]),
                                    static_cast<std::uint64_t>(s.step),
                                    static_cast<std::uint16_t>(s.part)};
            Real *open = a.states[0] + i * n, *open_ms = a.states[1] + i * n;
            std::size_t count = 0;
            for (std::size_t k = 0; k < n; ++k) {
                const auto w = random_words(place, static_cast<std::uint32_t>(k));
                const double u = uniform_of(w[0], w[1]);
                if (open[k] != 0) {
                    open_ms[k] += static_cast<Real>(s.dt_ms);
                    open[k] = u < values_.closing_per_ms * s.dt_ms ? Real(0) : Real(1);
                } else if (u < values_.opening_per_ms.at(a.type[i]) * s.dt_ms) {
                    open[k] = 1;
                    a.states[2][i] += 1;
                }
                count += open[k] != 0;
            }
            const double v = static_cast<double>(a.v[i]);
            const double rate = -values_.leak_per_ms * (v - values_.rest_mV) +
                                2.0 * static_cast<double>(count) / n +
                                (a.stimulus ? static_cast<double>(a.stimulus[i]) : 0);
            a.v[i] = static_cast<Real>(v + s.dt_ms * rate);
        }
    }

  private:
    static constexpr auto n = ChannelValues::channels;
    const std::array<cell::StateArray, 3> arrays_{{{"open", n}, {"open_ms", n}, {"openings", 1}}};
    ChannelValues values_;
};

class ChannelModel final : public cell::ReactionModel
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

  private:
    ChannelValues values_;
};

} // namespace tawara::test
