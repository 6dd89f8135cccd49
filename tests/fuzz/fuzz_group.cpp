// SPDX-License-Identifier: GPL-3.0-or-later
// The readers of one group (readers.hpp) as a libFuzzer program, of which the environment's
// TAWARA_FUZZ_READER takes one.
#include "engine/core/error.hpp"
#include "tests/fuzz/readers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

constexpr tawara::fuzz::Named all[] = {TAWARA_FUZZ_GROUP(TAWARA_FUZZ_NAMED)};

double processor_ms()
{
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

tawara::fuzz::Reader wanted()
{
    const char* name = std::getenv("TAWARA_FUZZ_READER");
    const auto found = std::ranges::find(all, std::string_view(name == nullptr ? "" : name),
                                         &tawara::fuzz::Named::name);
    if (found != std::end(all))
        return found->read;
    std::fprintf(stderr, "TAWARA_FUZZ_READER is \"%s\"; this program has these readers:",
                 name == nullptr ? "" : name);
    for (const auto& r : all)
        std::fprintf(stderr, " %s", r.name);
    std::fprintf(stderr, "\n");
    std::_Exit(2);
}

/// The folder that files are put into, and what the slowest input took, which the end tells.
struct Scratch
{
    tawara::fuzz::Reader read = wanted();
    fs::path folder;
    double slowest_ms = 0;
    Scratch()
    {
        std::string name = fs::temp_directory_path() / "tawara-fuzz-XXXXXX";
        if (mkdtemp(name.data()) == nullptr)
            std::abort();
        folder = name;
    }
    ~Scratch()
    {
        std::error_code none;
        fs::remove_all(folder, none);
        std::fprintf(stderr, "stat::slowest_unit_ms: %.1f\nstat::core_seconds: %.1f\n", slowest_ms,
                     processor_ms() / 1e3);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static Scratch scratch;
    const double before = processor_ms();
    try {
        scratch.read({reinterpret_cast<const char*>(data), size}, scratch.folder);
    } catch (const tawara::InputError&) { // it was refused
    }
    scratch.slowest_ms = std::max(scratch.slowest_ms, processor_ms() - before);
    return 0;
}
