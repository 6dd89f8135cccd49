// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/numerics_error.hpp"
#include "engine/simulation/tissue/tissue.hpp"

#include <string>

namespace tawara::simulation {

/// A failed step of a tissue, told with the region that its place lies in.
struct RegionError final : NumericsError
{
    RegionError(const NumericsError& at, const std::string& region_);
    const char* what() const noexcept override { return text_.c_str(); }
    std::string region; ///< "region 'Scar'", "region /tissue/regions/2"

  private:
    std::string text_;
};

/// The region of an unknown in words, as RegionError has it; empty: not known.
std::string region_of(const Tissue& t, std::int64_t unknown);

/// Throws a failed step with its region, where that is known; else as it was thrown.
/// @pre  it is being handled: called within its catch
[[noreturn]] void fail_in_region(const NumericsError& at, const Tissue& t);

} // namespace tawara::simulation
