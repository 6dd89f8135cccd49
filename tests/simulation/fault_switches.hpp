// SPDX-License-Identifier: GPL-3.0-or-later
// Which failures happen (faults.hpp, which one source of a program alone may include).
#pragma once
#include <atomic>
#include <cstdint>
#include <thread>

namespace tawara::test {

struct Faults
{
    std::atomic<std::int64_t> at_step{-1}; ///< fails in the batch that passes it; -1: never
    std::atomic<bool> memory{false};       ///< by bad_alloc, once, in place of the device for good
    std::atomic<bool> full{false};         ///< for want of the device's memory, once, likewise
    std::atomic<bool> dead{false};         ///< nothing comes from the device any more
    std::atomic<bool> no_ceilings{false};
    std::atomic<bool> small{false}; ///< a GPU on which steppers in double precision have no room
    std::atomic<bool> tiny{false};  ///< no stepper has room, whatever a plan says
    std::atomic<bool> no_room_for_maps{false}; ///< steppers that keep none have room alone
    /// Requests for memory until one fails, on any thread but the test's; < 0: none does. Where
    /// in_what_libraries_made_noexcept(), the next one does in its place.
    std::atomic<long> allocation{-1};
    std::thread::id test = std::this_thread::get_id();
    void clear()
    {
        at_step = -1, memory = full = dead = no_ceilings = small = tiny = no_room_for_maps = false;
        allocation = -1;
    }
};

inline Faults& faults()
{
    static Faults f;
    return f;
}

} // namespace tawara::test
