// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

namespace tawara {

/// Hands the newest value from one thread to others: put() replaces what was not taken yet, so the
/// producer never waits for a consumer. Values are immutable and shared.
///
/// @thread put() from one thread; newest(), published() and dropped() from any. The lock is held
/// for
///         the copy of one pointer.
template <class T>
class LatestValue
{
  public:
    void put(std::shared_ptr<const T> value)
    {
        std::lock_guard hold(mutex_);
        if (value_ && !taken_)
            ++dropped_;
        ++published_;
        taken_ = false;
        value_.swap(value); // the old value is freed outside, when `value` goes
    }

    /// The newest value, or null before the first put().
    std::shared_ptr<const T> newest() const
    {
        std::lock_guard hold(mutex_);
        taken_ = true;
        return value_;
    }

    std::uint64_t published() const
    {
        std::lock_guard hold(mutex_);
        return published_;
    }
    /// Values that were replaced before anyone took them.
    std::uint64_t dropped() const
    {
        std::lock_guard hold(mutex_);
        return dropped_;
    }

  private:
    mutable std::mutex mutex_;
    std::shared_ptr<const T> value_;
    mutable bool taken_ = false;
    std::uint64_t published_ = 0, dropped_ = 0;
};

} // namespace tawara
