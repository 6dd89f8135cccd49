// SPDX-License-Identifier: GPL-3.0-or-later
// Failures on demand: a device that fails at a step, ceilings that cannot be measured, memory that
// is at an end at the n-th request. The program that includes this is linked so that the engine's
// make_stepper() and measure_ceilings() come through here (tests/simulation/CMakeLists.txt).
#pragma once
#include "engine/core/error.hpp"
#include "engine/device/memory_plan.hpp"
#include "engine/device/stepper.hpp"
#include "tests/simulation/fault_switches.hpp"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <limits>
#include <new>

namespace tawara::test {

/// Whether a library is among the callers that asks for memory in what it has made noexcept. A
/// request that fails there ends any program by std::terminate(), whatever its caller does. There
/// are three, and these tests leave out nothing else:
///  - VTK 9.1, all of it: ~vtkInformationIterator(), run by ~vtkSmartPointerBase(), gives its
///    object to the garbage collector;
///  - nlohmann-json 3.11, its json_value::destroy() alone, which destructors call: what an array or
///    object holds is moved into a list before it goes;
///  - libstdc++ 12, its std::filesystem::directory_iterator alone: what takes the next entry copies
///    its path.
inline bool in_what_libraries_made_noexcept()
{
    void* frames[96];
    const int n = backtrace(frames, 96);
    for (int k = 0; k < n; ++k) {
        Dl_info i;
        if (dladdr(frames[k], &i) == 0)
            continue;
        if (i.dli_fname != nullptr && std::strstr(i.dli_fname, "/libvtk") != nullptr)
            return true;
        for (const char* part : {"json_value7destroy", "18directory_iterator"})
            if (i.dli_sname != nullptr && std::strstr(i.dli_sname, part) != nullptr)
                return true;
    }
    return false;
}

inline DeviceError device_lost()
{
    return {"cuda:0", "cudaStreamSynchronize", 719, "unspecified launch failure"};
}

/// A stepper that fails when it is told to, as a GPU does: for good.
class FaultyStepper final : public device::Stepper
{
  public:
    /// @param maps  whether it keeps any: CUDA devices alone leave them out
    FaultyStepper(std::unique_ptr<device::Stepper> inner, bool maps)
        : inner_(std::move(inner)), maps_(maps)
    {
    }
    void advance(std::int64_t n) override
    {
        need();
        if (const auto at = faults().at_step.load(); at >= 0 && step() + n > at) {
            inner_->advance(std::max<std::int64_t>(at - step(), 0));
            faults().at_step = -1;
            if (faults().memory)
                throw std::bad_alloc();
            if (faults().full)
                throw device::DeviceMemoryError("cuda:0", "cudaGraphInstantiate", 2,
                                                "out of memory");
            faults().dead = true;
            throw device_lost();
        }
        inner_->advance(n);
    }
    std::int64_t step() const override { return inner_->step(); }
    double dt_ms() const override { return inner_->dt_ms(); }
    std::size_t add_stimulus(device::StimulusSource s) override
    {
        return need(), inner_->add_stimulus(std::move(s));
    }
    void remove_stimulus(std::size_t id) override { need(), inner_->remove_stimulus(id); }
    device::Part& add_part(const device::Ports& p, const device::PartMaker& make) override
    {
        return need(), inner_->add_part(p, make);
    }
    void set_types(std::size_t g, std::span<const cell::CellType> t) override
    {
        need(), inner_->set_types(g, t);
    }
    void set_probes(device::Gather p, std::int64_t every) override
    {
        need(), inner_->set_probes(std::move(p), every);
    }
    void take_samples(std::vector<std::int64_t>& steps, std::vector<double>& samples) override
    {
        need(), inner_->take_samples(steps, samples);
    }
    void set_display(device::Gather d) override { need(), inner_->set_display(std::move(d)); }
    void display(std::span<float> out) override { need(), inner_->display(out); }
    void potential(std::span<double> out) const override { need(), inner_->potential(out); }
    void state(std::size_t state, std::span<double> out) const override
    {
        need(), inner_->state(state, out);
    }
    void cell_numbers(std::size_t unknown, device::CellNumbers& out) const override
    {
        need(), inner_->cell_numbers(unknown, out);
    }
    bool keeps_maps() const override { return maps_; }
    device::Maps maps() const override
    {
        need();
        return maps_ ? inner_->maps() : device::Maps();
    }
    device::Snapshot snapshot() const override
    {
        need();
        auto s = inner_->snapshot();
        if (!maps_) { // as a CUDA device does
            s.activation_ms.assign(s.v.size(), std::numeric_limits<double>::quiet_NaN());
            s.repolarisation_ms = s.activation_ms;
            s.peak_mV.assign(s.v.size(), -1e3);
            s.rest_mV = s.v;
        }
        return s;
    }
    void restore(const device::Snapshot& s) override { need(), inner_->restore(s); }
    std::vector<device::KernelRecord> kernels() const override { return need(), inner_->kernels(); }
    std::string device() const override { return inner_->device(); }

  private:
    static void need()
    {
        if (faults().dead)
            throw device_lost();
    }
    std::unique_ptr<device::Stepper> inner_;
    bool maps_;
};

} // namespace tawara::test

#define TAWARA_MAKE_STEPPER                                                                        \
    "_ZN6tawara6device12make_stepperERKNS0_13TissueProblemERKNS0_14StepperOptionsERKNS_"           \
    "8ProgressEPSt6vectorINS_6NoticeESaISB_EE"
#define TAWARA_CEILINGS "_ZN6tawara6device16measure_ceilingsERKNS0_7DevicesEj"

namespace tawara::device {

std::unique_ptr<Stepper> real_make_stepper(const TissueProblem&, const StepperOptions&,
                                           const Progress&,
                                           Notices*) asm("__real_" TAWARA_MAKE_STEPPER);
std::unique_ptr<Stepper> faulty_make_stepper(const TissueProblem&, const StepperOptions&,
                                             const Progress&,
                                             Notices*) asm("__wrap_" TAWARA_MAKE_STEPPER);
std::unique_ptr<Stepper> faulty_make_stepper(const TissueProblem& p, const StepperOptions& o,
                                             const Progress& progress, Notices* notices)
{
    if (test::faults().tiny || (test::faults().small && o.precision == Precision::double_))
        throw NoMemory({"cuda:0", "cudaMalloc", 2, "out of memory"},
                       plans_that_fit({{2e9, 0, 1e9}, {2e9, 0, 1e9}}, o.precision, {}, 1.5e9));
    if (test::faults().no_room_for_maps && o.maps)
        throw NoMemory({"cuda:0", "cudaMalloc", 2, "out of memory"},
                       {{"cpu", o.precision, false, 1e9, 2e9, "double without activation maps"}});
    return std::make_unique<test::FaultyStepper>(real_make_stepper(p, o, progress, notices),
                                                 o.maps);
}

Ceilings real_measure_ceilings(const Devices&, unsigned) asm("__real_" TAWARA_CEILINGS);
Ceilings faulty_measure_ceilings(const Devices&, unsigned) asm("__wrap_" TAWARA_CEILINGS);
Ceilings faulty_measure_ceilings(const Devices& device, unsigned threads)
{
    if (test::faults().no_ceilings || test::faults().dead)
        throw test::device_lost();
    return real_measure_ceilings(device, threads);
}

} // namespace tawara::device

/// All memory that the program's C++ asks for.
void* operator new(std::size_t size)
{
    auto& f = tawara::test::faults();
    if (f.allocation.load(std::memory_order_relaxed) >= 0 && std::this_thread::get_id() != f.test &&
        f.allocation.fetch_sub(1) == 0) {
        if (!tawara::test::in_what_libraries_made_noexcept())
            throw std::bad_alloc();
        f.allocation = 0;
    }
    if (void* p = std::malloc(size == 0 ? 1 : size))
        return p;
    throw std::bad_alloc();
}
/// The standard library's own would call the above, but the address sanitizer has one that does
/// not.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept
{
    try {
        return operator new(size);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
void operator delete(void* p) noexcept
{
    std::free(p);
}
void operator delete(void* p, std::size_t) noexcept
{
    std::free(p);
}
