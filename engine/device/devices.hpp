// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

namespace tawara::device {

/// Which devices compute, as a value. Texts are read here alone.
struct Devices
{
    enum class Kind { automatic, cpu, cuda };

    Devices() = default;
    /// @param text  cpu, cuda, cuda:0,1 or auto
    /// @throws InputError ("--devices") for other texts
    Devices(const std::string& text); // NOLINT: a text stands for its value
    Devices(const char* text) : Devices(std::string(text)) {}
    /// These CUDA devices; one may be named several times, which then holds several shards.
    static Devices cuda(std::vector<int> numbers);

    std::string text() const; ///< as it is read
    bool operator==(const Devices&) const = default;

    Kind kind = Kind::automatic;
    std::vector<int> numbers; ///< of CUDA devices; empty: as many of them as pay
};

} // namespace tawara::device
