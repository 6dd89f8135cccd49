// SPDX-License-Identifier: GPL-3.0-or-later
// Random numbers by a counter, the same on processors and devices, in whichever order they are
// drawn.
#pragma once
#include "engine/core/everywhere.hpp"

#include <cstdint>

namespace tawara {

/// Four words of 32 bits.
struct Words4
{
    std::uint32_t word[4];

    TAWARA_EVERYWHERE constexpr std::uint32_t operator[](int k) const { return word[k]; }
};

/// Constants of Philox4x32-10; the last two are of the golden ratio and sqrt(3) - 1.
struct Philox
{
    static constexpr int rounds = 10;
    static constexpr std::uint32_t multiplier0 = 0xD2511F53, multiplier1 = 0xCD9E8D57,
                                   weyl0 = 0x9E3779B9, weyl1 = 0xBB67AE85;
};

/// Philox4x32-10: 128 random bits of a counter and a key.
///
/// Source: Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3" (SC'11)
TAWARA_EVERYWHERE constexpr Words4 philox(Words4 counter, std::uint32_t key0, std::uint32_t key1)
{
    for (int round = 0; round < Philox::rounds; ++round) {
        const std::uint64_t a = std::uint64_t{Philox::multiplier0} * counter.word[0];
        const std::uint64_t b = std::uint64_t{Philox::multiplier1} * counter.word[2];
        counter = {{static_cast<std::uint32_t>(b >> 32) ^ counter.word[1] ^ key0,
                    static_cast<std::uint32_t>(b),
                    static_cast<std::uint32_t>(a >> 32) ^ counter.word[3] ^ key1,
                    static_cast<std::uint32_t>(a)}};
        key0 += Philox::weyl0;
        key1 += Philox::weyl1;
    }
    return counter;
}

/// Which random numbers are meant: those of one unknown in one step, for one purpose. They depend
/// on nothing else: not on threads, shares or the order of unknowns.
struct RandomPlace
{
    std::uint64_t seed = 0;    ///< of the run
    std::uint64_t unknown = 0; ///< its number, below 2^40
    std::uint64_t step = 0;    ///< below 2^40
    std::uint16_t stream =
        0; ///< purpose: numbers of two streams have nothing to do with each other
};

/// Philox's counter for the draw-th four words there: word 2 is `draw`, the others are not of it.
TAWARA_EVERYWHERE constexpr Words4 random_counter(const RandomPlace& at, std::uint32_t draw)
{
    const auto high = static_cast<std::uint32_t>(at.unknown >> 32 & 0xff) |
                      static_cast<std::uint32_t>(at.step >> 32 & 0xff) << 8 |
                      static_cast<std::uint32_t>(at.stream) << 16;
    return {
        {static_cast<std::uint32_t>(at.unknown), static_cast<std::uint32_t>(at.step), draw, high}};
}

/// The draw-th four words there.
TAWARA_EVERYWHERE constexpr Words4 random_words(const RandomPlace& at, std::uint32_t draw)
{
    return philox(random_counter(at, draw), static_cast<std::uint32_t>(at.seed),
                  static_cast<std::uint32_t>(at.seed >> 32));
}

/// A uniform number in [0, 1) of 53 bits, of two words.
TAWARA_EVERYWHERE constexpr double uniform_of(std::uint32_t high, std::uint32_t low)
{
    const std::uint64_t bits = static_cast<std::uint64_t>(high) << 32 | low;
    return static_cast<double>(bits >> 11) * 0x1p-53;
}

/// The same of 24 bits, of one word.
TAWARA_EVERYWHERE constexpr float uniform_of(std::uint32_t word)
{
    return static_cast<float>(word >> 8) * 0x1p-24F;
}

} // namespace tawara
