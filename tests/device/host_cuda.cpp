// SPDX-License-Identifier: GPL-3.0-or-later
#undef _FORTIFY_SOURCE // threads leave by longjmp to stacks that a fortified one refuses
#include "tests/device/host_cuda.hpp"

#include <csetjmp>
#include <memory>
#include <ucontext.h>
#include <vector>

host_cuda::Index threadIdx, blockIdx, gridDim;

namespace host_cuda {
namespace {

constexpr std::size_t stack_bytes = std::size_t{1} << 19;

/// Threads that wait for each other.
struct Group
{
    int size = 0, arrived = 0;
    unsigned generation = 0;
};

struct Warp : Group
{
    std::uint64_t given[2][32] = {}; ///< of this meeting, and the one before
};

/// A thread of a block, on a stack of its own.
struct Fiber
{
    std::unique_ptr<char[]> stack = std::make_unique_for_overwrite<char[]>(stack_bytes);
    ucontext_t start{};
    jmp_buf place{};
    bool begun = false, done = false;
};

struct Machine
{
    std::vector<Fiber> fibers;
    std::vector<Warp> warps;
    Group block;
    ucontext_t caller{};
    jmp_buf scheduler{};
    std::size_t present = 0;
    long long progress = 0; ///< arrivals and ends so far
    void (*body)(void*) = nullptr;
    void* data = nullptr;
} machine;

void yield()
{
    if (_setjmp(machine.fibers[machine.present].place) == 0)
        _longjmp(machine.scheduler, 1);
}

void wait(Group& g)
{
    const unsigned now = g.generation;
    ++machine.progress;
    if (++g.arrived == g.size) {
        g.arrived = 0;
        ++g.generation;
        return;
    }
    while (g.generation == now)
        yield();
}

Warp& warp()
{
    return machine.warps[machine.present / 32];
}

void entry()
{
    machine.body(machine.data);
    machine.fibers[machine.present].done = true;
    ++machine.progress;
    _longjmp(machine.scheduler, 1);
}

/// Lets the present fiber run until it waits or ends.
void resume()
{
    Fiber& f = machine.fibers[machine.present];
    threadIdx.x = static_cast<int>(machine.present);
    if (_setjmp(machine.scheduler) != 0)
        return;
    if (f.begun)
        _longjmp(f.place, 1);
    f.begun = true;
    getcontext(&f.start);
    f.start.uc_stack.ss_sp = f.stack.get();
    f.start.uc_stack.ss_size = stack_bytes;
    f.start.uc_link = nullptr;
    makecontext(&f.start, entry, 0);
    setcontext(&f.start);
}

bool run_block(std::size_t threads)
{
    machine.block = {static_cast<int>(threads)};
    machine.warps.assign((threads + 31) / 32, {});
    for (std::size_t w = 0; w < machine.warps.size(); ++w)
        machine.warps[w].size = 32;
    for (std::size_t k = 0; k < threads; ++k)
        machine.fibers[k].begun = machine.fibers[k].done = false;
    for (std::size_t left = threads; left > 0;) {
        const auto before = machine.progress;
        for (std::size_t k = 0; k < threads; ++k) {
            if (machine.fibers[k].done)
                continue;
            machine.present = k;
            resume();
            left -= machine.fibers[k].done;
        }
        if (machine.progress == before)
            return false;
    }
    return true;
}

} // namespace

void wait_for_warp()
{
    wait(warp());
}

void wait_for_block()
{
    wait(machine.block);
}

std::uint64_t exchange(std::uint64_t mine, int lane)
{
    Warp& w = warp();
    auto& given = w.given[w.generation & 1];
    given[machine.present & 31] = mine;
    wait(w);
    return given[lane];
}

unsigned ballot(bool mine)
{
    Warp& w = warp();
    const auto& given = w.given[w.generation & 1];
    exchange(mine, 0);
    unsigned bits = 0;
    for (unsigned k = 0; k < 32; ++k)
        bits |= (given[k] ? 1U : 0U) << k;
    return bits;
}

bool run(int blocks, int threads, void (*body)(void*), void* data)
{
    if (machine.fibers.size() < static_cast<std::size_t>(threads))
        machine.fibers = std::vector<Fiber>(static_cast<std::size_t>(threads));
    machine.body = body;
    machine.data = data;
    gridDim.x = blocks;
    for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x)
        if (!run_block(static_cast<std::size_t>(threads)))
            return false;
    return true;
}

} // namespace host_cuda
