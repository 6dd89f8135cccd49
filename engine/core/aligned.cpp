// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/aligned.hpp"

#include <new>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace tawara {
namespace {

constexpr std::size_t line = 64, large_page = std::size_t{1} << 21;

std::align_val_t alignment(std::size_t bytes)
{
    return std::align_val_t(bytes < 2 * large_page ? line : large_page);
}

} // namespace

void* allocate_aligned(std::size_t bytes)
{
    void* const p = ::operator new(bytes, alignment(bytes));
#ifdef __linux__
    // whole pages alone, so that what lies behind shares none; a kernel without them says no
    if (bytes >= 2 * large_page)
        ::madvise(p, bytes / large_page * large_page, MADV_HUGEPAGE);
#endif
    return p;
}

void free_aligned(void* p, std::size_t bytes) noexcept
{
    ::operator delete(p, alignment(bytes));
}

} // namespace tawara
