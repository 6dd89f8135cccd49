// SPDX-License-Identifier: GPL-3.0-or-later
// One reader as a libFuzzer program: TAWARA_FUZZ_READER names it.
#include "engine/core/error.hpp"
#include "tests/fuzz/readers.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

/// The folder that files are put into, and what the slowest input took, which the end tells.
struct Scratch
{
    fs::path folder;
    double slowest_ms = 0;
    Scratch()
    {
        const char* memory = "/dev/shm"; // files that never reach a disk
        std::string name =
            (fs::is_directory(memory) ? fs::path(memory) : fs::temp_directory_path()) /
            "tawara-fuzz-XXXXXX";
        if (mkdtemp(name.data()) == nullptr)
            std::abort();
        folder = name;
    }
    ~Scratch()
    {
        std::error_code none;
        fs::remove_all(folder, none);
        std::fprintf(stderr, "stat::slowest_unit_ms: %.1f\n", slowest_ms);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
};

double processor_ms()
{
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static Scratch scratch;
    const double before = processor_ms();
    try {
        tawara::fuzz::TAWARA_FUZZ_READER({reinterpret_cast<const char*>(data), size},
                                         scratch.folder);
    } catch (const tawara::InputError&) { // it was refused
    }
    scratch.slowest_ms = std::max(scratch.slowest_ms, processor_ms() - before);
    return 0;
}
