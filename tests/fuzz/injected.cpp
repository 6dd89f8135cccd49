// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/injected.hpp"

#include "engine/core/error.hpp"
#include "engine/device/bench.hpp"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <initializer_list>
#include <new>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TAWARA_OWN_MEMORY 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TAWARA_OWN_MEMORY 0
#else
#define TAWARA_OWN_MEMORY 1
#endif
#else
#define TAWARA_OWN_MEMORY 1
#endif

namespace tawara::test {
namespace {

Injected* shared = nullptr;
thread_local bool looking = false; ///< backtrace() asks for memory itself

/// Whether one of these texts is in the name of a caller's library, or of a caller.
bool called_by(std::initializer_list<const char*> libraries,
               std::initializer_list<const char*> functions)
{
    constexpr int most = 128;
    void* frames[most];
    looking = true;
    const int n = backtrace(frames, most);
    bool found = false;
    for (int k = 0; k < n && !found; ++k) {
        Dl_info i;
        if (dladdr(frames[k], &i) == 0)
            continue;
        for (const char* library : libraries)
            found = found || (i.dli_fname != nullptr && std::strstr(i.dli_fname, library));
        for (const char* part : functions)
            found = found || (i.dli_sname != nullptr && std::strstr(i.dli_sname, part));
    }
    looking = false;
    return found;
}

/// Whether a library is among the callers that ends the program where it gets no memory, whatever
/// its caller does: LLVM 15, which is built without exceptions; VTK 9.1, nlohmann-json's destructor
/// and libstdc++'s directory_iterator, which are noexcept (tests/simulation/faults.hpp).
bool in_what_ends_the_program()
{
    return called_by({"/libvtk", "/libLLVM"}, {"json_value7destroy", "18directory_iterator"});
}

/// Counts a call; whether it is the one that fails.
bool is_due(Injected::What what, const void* caller = nullptr)
{
    if (shared == nullptr || looking || shared->what.load(std::memory_order_relaxed) != what)
        return false;
    Dl_info of = {};
    if (const char* library = shared->within;
        caller != nullptr && library != nullptr &&
        (dladdr(caller, &of) == 0 || std::strstr(of.dli_fname, library) == nullptr))
        return false;
    ++shared->seen;
    if (shared->left.fetch_sub(1) != 0)
        return false;
    if (what == Injected::What::memory && in_what_ends_the_program()) {
        shared->left = 0;
        return false;
    }
    shared->hit = true;
    return true;
}

template <class Function>
Function next(const char* name)
{
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

bool is_plain(int fd)
{
    struct stat s = {};
    return fstat(fd, &s) == 0 && (S_ISREG(s.st_mode) || S_ISDIR(s.st_mode));
}

/// Whether this call on files is the one; then errno says why.
bool fails()
{
    if (!is_due(Injected::What::files))
        return false;
    errno = shared->error;
    return true;
}

} // namespace

Injected& injected()
{
    if (shared == nullptr) {
        void* first[1];
        backtrace(first, 1); // loads what it needs
        void* memory = mmap(nullptr, sizeof(Injected), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        shared = new (memory) Injected;
    }
    return *shared;
}

bool memory_can_fail()
{
    return TAWARA_OWN_MEMORY != 0;
}

} // namespace tawara::test

/// Half a second of each run, of which this test makes many (CMakeLists.txt wraps it).
#define TAWARA_CEILINGS "_ZN6tawara6device16measure_ceilingsERKNS0_7DevicesEj"
namespace tawara::device {
Ceilings left_out(const Devices&, unsigned) asm("__wrap_" TAWARA_CEILINGS);
Ceilings left_out(const Devices&, unsigned)
{
    throw DeviceError("cpu", "measure_ceilings", 0, "left out here");
}
} // namespace tawara::device

namespace injected_here = tawara::test;
using injected_here::Injected;

extern "C" {

ssize_t write(int fd, const void* data, std::size_t size)
{
    static const auto real =
        injected_here::next<ssize_t (*)(int, const void*, std::size_t)>("write");
    return injected_here::is_plain(fd) && injected_here::fails() ? -1 : real(fd, data, size);
}

ssize_t writev(int fd, const struct iovec* pieces, int count)
{
    static const auto real =
        injected_here::next<ssize_t (*)(int, const struct iovec*, int)>("writev");
    return injected_here::is_plain(fd) && injected_here::fails() ? -1 : real(fd, pieces, count);
}

int fsync(int fd)
{
    static const auto real = injected_here::next<int (*)(int)>("fsync");
    return injected_here::fails() ? -1 : real(fd);
}

int rename(const char* from, const char* to) noexcept
{
    static const auto real = injected_here::next<int (*)(const char*, const char*)>("rename");
    return injected_here::fails() ? -1 : real(from, to);
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept
{
    static const auto real =
        injected_here::next<int (*)(int, const char*, int, const char*)>("renameat");
    return injected_here::fails() ? -1 : real(from_folder, from, to_folder, to);
}

int mkdirat(int folder, const char* name, mode_t mode) noexcept
{
    static const auto real = injected_here::next<int (*)(int, const char*, mode_t)>("mkdirat");
    return injected_here::fails() ? -1 : real(folder, name, mode);
}

int openat(int folder, const char* name, int flags, ...)
{
    static const auto real = injected_here::next<int (*)(int, const char*, int, ...)>("openat");
    mode_t mode = 0;
    if ((flags & O_CREAT) != 0) {
        va_list more;
        va_start(more, flags);
        mode = va_arg(more, mode_t);
        va_end(more);
        if (injected_here::fails())
            return -1;
    }
    return real(folder, name, flags, mode);
}

#if TAWARA_OWN_MEMORY
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) noexcept
{
    if (injected_here::is_due(Injected::What::memory, __builtin_return_address(0)))
        return errno = ENOMEM, nullptr;
    return __libc_malloc(size);
}

void* calloc(std::size_t n, std::size_t size) noexcept
{
    if (injected_here::is_due(Injected::What::memory, __builtin_return_address(0)))
        return errno = ENOMEM, nullptr;
    return __libc_calloc(n, size);
}

void* realloc(void* old, std::size_t size) noexcept
{
    if (injected_here::is_due(Injected::What::memory, __builtin_return_address(0)))
        return errno = ENOMEM, nullptr;
    return __libc_realloc(old, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept
{
    if (injected_here::is_due(Injected::What::memory, __builtin_return_address(0)))
        return errno = ENOMEM, nullptr;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void** to, std::size_t alignment, std::size_t size) noexcept
{
    if (injected_here::is_due(Injected::What::memory, __builtin_return_address(0)))
        return ENOMEM;
    *to = __libc_memalign(alignment, size);
    return *to == nullptr ? ENOMEM : 0;
}
#endif

} // extern "C"
