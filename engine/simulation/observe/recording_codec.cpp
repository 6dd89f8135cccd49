// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/observe/recording_codec.hpp"

#include "engine/core/error.hpp"

#include <cmath>
#include <limits>
#include <zlib.h>

namespace tawara::simulation {
namespace {

constexpr int effort =
    1; // deflate's fastest: higher ones take several times longer for some percent

/// Small differences of either sign become small numbers.
std::uint16_t fold(std::uint16_t difference)
{
    const auto d = static_cast<std::int16_t>(difference);
    return static_cast<std::uint16_t>((d << 1) ^ (d >> 15));
}

std::uint16_t unfold(std::uint16_t folded)
{
    return static_cast<std::uint16_t>((folded >> 1) ^ -(folded & 1));
}

} // namespace

Quantiser::Quantiser(float low_mV, float high_mV, int bits)
    : low_(low_mV), high_(high_mV), above_(static_cast<std::uint16_t>((1u << bits) - 2)),
      nan_(static_cast<std::uint16_t>((1u << bits) - 1))
{
    const int steps = above_ - 2;
    step_ = (static_cast<double>(high_) - static_cast<double>(low_)) / steps;
    scale_ = static_cast<float>(1 / step_);
    table_.resize(std::size_t{1} << bits, high_);
    table_[0] = low_;
    for (int c = 1; c < above_; ++c)
        table_[static_cast<std::size_t>(c)] =
            static_cast<float>(static_cast<double>(low_) + (c - 1) * step_);
    table_[nan_] = std::numeric_limits<float>::quiet_NaN();
}

void Quantiser::encode(std::span<const float> values, Codes& out) const
{
    out.resize(values.size());
    const auto last = static_cast<float>(above_ - 1);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const float v = values[i];
        // within the range: rounded to the nearest step, code 1 being low_
        float x = (v - low_) * scale_ + 1.5f;
        x = x > last ? last : x;
        auto code = static_cast<std::uint16_t>(static_cast<int>(x > 1 ? x : 1));
        code = v < low_ ? std::uint16_t{0} : code;
        code = v > high_ ? above_ : code;
        out[i] = v != v ? nan_ : code;
    }
}

std::int64_t Quantiser::decode(std::span<const std::uint16_t> codes, std::vector<float>& out) const
{
    out.resize(codes.size());
    std::int64_t clamped = 0;
    for (std::size_t i = 0; i < codes.size(); ++i) {
        out[i] = table_[codes[i]];
        clamped += codes[i] == 0 || codes[i] >= above_;
    }
    return clamped;
}

std::string compress_codes(std::span<const std::uint16_t> codes,
                           std::span<const std::uint16_t> from)
{
    const std::size_t n = codes.size();
    std::vector<unsigned char> planes(2 * n);
    std::uint16_t before = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint16_t base = from.empty() ? before : from[i];
        const auto d = fold(static_cast<std::uint16_t>(codes[i] - base));
        planes[i] = static_cast<unsigned char>(d & 255);
        planes[n + i] = static_cast<unsigned char>(d >> 8);
        before = codes[i];
    }
    auto size = compressBound(static_cast<uLong>(planes.size()));
    std::string out(size, '\0');
    if (compress2(reinterpret_cast<Bytef*>(out.data()), &size, planes.data(),
                  static_cast<uLong>(planes.size()), effort) != Z_OK)
        throw Error("a frame could not be compressed: out of memory");
    out.resize(size);
    return out;
}

Codes decompress_codes(std::string_view bytes, std::span<const std::uint16_t> from,
                       std::size_t count)
{
    std::vector<unsigned char> planes(2 * count);
    auto size = static_cast<uLongf>(planes.size());
    if (uncompress(planes.data(), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                   static_cast<uLong>(bytes.size())) != Z_OK ||
        size != planes.size())
        throw Error("a recorded frame is damaged");
    Codes out(count);
    std::uint16_t before = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto d = unfold(static_cast<std::uint16_t>(planes[i] | (planes[count + i] << 8)));
        const std::uint16_t base = from.empty() ? before : from[i];
        out[i] = before = static_cast<std::uint16_t>(base + d);
    }
    return out;
}

} // namespace tawara::simulation
