// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <vector>

namespace tawara {

/// Bytes on a 64-byte boundary; large ones are asked of the system in pages of 2 MB, of which each
/// fault brings a whole one and which need fewer entries of the address cache.
/// @throws std::bad_alloc
void* allocate_aligned(std::size_t bytes);
/// @param bytes  as allocated
void free_aligned(void* p, std::size_t bytes) noexcept;

/// Allocator of 64-byte aligned memory: whole vectors and cache lines.
template <class T>
struct AlignedAllocator
{
    using value_type = T;
    AlignedAllocator() = default;
    template <class U>
    AlignedAllocator(const AlignedAllocator<U>&)
    {
    }
    T* allocate(std::size_t n) { return static_cast<T*>(allocate_aligned(n * sizeof(T))); }
    void deallocate(T* p, std::size_t n) { free_aligned(p, n * sizeof(T)); }
    bool operator==(const AlignedAllocator&) const { return true; }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

} // namespace tawara
