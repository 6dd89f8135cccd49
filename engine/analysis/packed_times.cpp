// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/packed_times.hpp"

#include "engine/core/error.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <zlib.h>

namespace tawara::analysis {
namespace {

constexpr int effort = 1; // deflate's fastest
constexpr std::size_t planes = 4;

std::uint32_t fold(std::uint32_t difference)
{
    return (difference << 1) ^ (0U - (difference >> 31));
}

std::uint32_t unfold(std::uint32_t folded)
{
    return (folded >> 1) ^ (0U - (folded & 1));
}

} // namespace

float PackedTimes::whole(float t_ms)
{
    return std::round(t_ms * ticks_per_ms) / ticks_per_ms;
}

PackedTimes::PackedTimes(std::span<const float> times_ms) : places_(times_ms.size())
{
    const std::size_t mask = (places_ + 7) / 8;
    std::vector<unsigned char> raw(mask);
    std::vector<std::uint32_t> folded;
    std::uint32_t before = 0;
    for (std::size_t i = 0; i < places_; ++i) {
        if (std::isnan(times_ms[i]))
            continue;
        raw[i / 8] = static_cast<unsigned char>(raw[i / 8] | 1U << i % 8);
        const auto ticks = static_cast<std::uint32_t>(
            static_cast<std::int32_t>(std::lround(times_ms[i] * ticks_per_ms)));
        folded.push_back(fold(ticks - before));
        before = ticks;
    }
    known_ = folded.size();
    raw.reserve(mask + planes * known_);
    for (std::size_t p = 0; p < planes; ++p)
        for (const std::uint32_t d : folded)
            raw.push_back(static_cast<unsigned char>(d >> 8 * p));
    auto size = compressBound(static_cast<uLong>(raw.size()));
    std::string packed(size, '\0');
    if (compress2(reinterpret_cast<Bytef*>(packed.data()), &size, raw.data(),
                  static_cast<uLong>(raw.size()), effort) != Z_OK)
        throw Error("a beat's times could not be packed: out of memory");
    data_.assign(packed, 0, size); // no more than it needs
}

std::vector<float> PackedTimes::unpack() const
{
    const std::size_t mask = (places_ + 7) / 8;
    std::vector<unsigned char> raw(mask + planes * known_);
    auto size = static_cast<uLongf>(raw.size());
    if (places_ > 0 && (uncompress(raw.data(), &size, reinterpret_cast<const Bytef*>(data_.data()),
                                   static_cast<uLong>(data_.size())) != Z_OK ||
                        size != raw.size()))
        throw Error("a beat's times could not be unpacked: out of memory");
    std::vector<float> out(places_, std::numeric_limits<float>::quiet_NaN());
    std::uint32_t before = 0;
    std::size_t k = 0;
    for (std::size_t i = 0; i < places_; ++i) {
        if ((raw[i / 8] >> i % 8 & 1U) == 0)
            continue;
        std::uint32_t d = 0;
        for (std::size_t p = 0; p < planes; ++p)
            d |= static_cast<std::uint32_t>(raw[mask + p * known_ + k]) << 8 * p;
        before += unfold(d);
        ++k;
        out[i] = static_cast<float>(static_cast<std::int32_t>(before)) / ticks_per_ms;
    }
    return out;
}

} // namespace tawara::analysis
