// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cuda/counters.hpp"

#include "engine/core/error.hpp"

#if __has_include(<cupti_range_profiler.h>) && __has_include(<cupti_profiler_host.h>)
#define TAWARA_HAVE_CUPTI 1
#include <cstdint>
#include <cstdlib>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <dlfcn.h>
#endif

namespace tawara::device::cuda {

namespace {
[[noreturn]] void refuse(int device, const std::string& call, int status, const std::string& why)
{
    throw DeviceError("cuda:" + std::to_string(device), call, status, why);
}
} // namespace

#ifdef TAWARA_HAVE_CUPTI
namespace {

const char* const metrics[] = {"dram__bytes_read.sum", "dram__bytes_write.sum"};
constexpr std::size_t metric_count = std::size(metrics);

/// The functions of libcupti that are used.
struct Cupti
{
    std::string missing; ///< why it cannot be used; empty: it can
    decltype(&cuptiGetErrorMessage) message = nullptr;
    decltype(&cuptiProfilerInitialize) initialize = nullptr;
    decltype(&cuptiDeviceGetChipName) chip_name = nullptr;
    decltype(&cuptiProfilerGetCounterAvailability) availability = nullptr;
    decltype(&cuptiProfilerHostInitialize) host = nullptr;
    decltype(&cuptiProfilerHostDeinitialize) host_end = nullptr;
    decltype(&cuptiProfilerHostConfigAddMetrics) add_metrics = nullptr;
    decltype(&cuptiProfilerHostGetConfigImageSize) config_size = nullptr;
    decltype(&cuptiProfilerHostGetConfigImage) config = nullptr;
    decltype(&cuptiProfilerHostGetNumOfPasses) passes = nullptr;
    decltype(&cuptiProfilerHostEvaluateToGpuValues) evaluate = nullptr;
    decltype(&cuptiRangeProfilerEnable) enable = nullptr;
    decltype(&cuptiRangeProfilerDisable) disable = nullptr;
    decltype(&cuptiRangeProfilerGetCounterDataSize) data_size = nullptr;
    decltype(&cuptiRangeProfilerCounterDataImageInitialize) data_initialize = nullptr;
    decltype(&cuptiRangeProfilerSetConfig) set_config = nullptr;
    decltype(&cuptiRangeProfilerStart) start = nullptr;
    decltype(&cuptiRangeProfilerStop) stop = nullptr;
    decltype(&cuptiRangeProfilerPushRange) push = nullptr;
    decltype(&cuptiRangeProfilerPopRange) pop = nullptr;
    decltype(&cuptiRangeProfilerDecodeData) decode = nullptr;
    decltype(&cuptiRangeProfilerGetCounterDataInfo) info = nullptr;
    CUresult (*current_context)(CUcontext*) = nullptr;
};

void* open_cupti(std::string& searched)
{
    std::vector<std::string> folders;
    for (const char* variable : {"CUDA_PATH", "CUDA_HOME"})
        if (const char* root = std::getenv(variable))
            for (const char* below : {"/lib64", "/extras/CUPTI/lib64"})
                folders.push_back(std::string(root) + below);
    folders.insert(folders.end(), {"/usr/local/cuda/lib64", "/usr/local/cuda/extras/CUPTI/lib64",
                                   "/usr/lib/x86_64-linux-gnu"});
    const std::string name = "libcupti.so." + std::to_string(CUDA_VERSION / 1000);
    for (const auto& f : folders) {
        searched += (searched.empty() ? "" : ", ") + f;
        if (void* h = dlopen((f + "/" + name).c_str(), RTLD_NOW | RTLD_LOCAL))
            return h;
    }
    return dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
}

Cupti load()
{
    Cupti c;
    std::string searched;
    void* library = open_cupti(searched);
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library || !driver) {
        c.missing = "NVIDIA's profiling library (libcupti.so." +
                    std::to_string(CUDA_VERSION / 1000) + ") is not here; searched " + searched +
                    " and the loader's path; install it or set CUDA_PATH to the CUDA toolkit";
        return c;
    }
    std::string absent;
    const auto find = [&](auto& f, void* from, const char* name) {
        f = reinterpret_cast<std::remove_reference_t<decltype(f)>>(dlsym(from, name));
        if (!f)
            absent = name;
    };
    find(c.message, library, "cuptiGetErrorMessage");
    find(c.initialize, library, "cuptiProfilerInitialize");
    find(c.chip_name, library, "cuptiDeviceGetChipName");
    find(c.availability, library, "cuptiProfilerGetCounterAvailability");
    find(c.host, library, "cuptiProfilerHostInitialize");
    find(c.host_end, library, "cuptiProfilerHostDeinitialize");
    find(c.add_metrics, library, "cuptiProfilerHostConfigAddMetrics");
    find(c.config_size, library, "cuptiProfilerHostGetConfigImageSize");
    find(c.config, library, "cuptiProfilerHostGetConfigImage");
    find(c.passes, library, "cuptiProfilerHostGetNumOfPasses");
    find(c.evaluate, library, "cuptiProfilerHostEvaluateToGpuValues");
    find(c.enable, library, "cuptiRangeProfilerEnable");
    find(c.disable, library, "cuptiRangeProfilerDisable");
    find(c.data_size, library, "cuptiRangeProfilerGetCounterDataSize");
    find(c.data_initialize, library, "cuptiRangeProfilerCounterDataImageInitialize");
    find(c.set_config, library, "cuptiRangeProfilerSetConfig");
    find(c.start, library, "cuptiRangeProfilerStart");
    find(c.stop, library, "cuptiRangeProfilerStop");
    find(c.push, library, "cuptiRangeProfilerPushRange");
    find(c.pop, library, "cuptiRangeProfilerPopRange");
    find(c.decode, library, "cuptiRangeProfilerDecodeData");
    find(c.info, library, "cuptiRangeProfilerGetCounterDataInfo");
    find(c.current_context, driver, "cuCtxGetCurrent");
    if (!absent.empty())
        c.missing =
            "NVIDIA's profiling library is older than this program needs: it has no " + absent;
    return c;
}

const Cupti& cupti()
{
    static const Cupti c = load();
    return c;
}

/// A parameter structure as CUPTI wants it: zeros and its size.
#define TAWARA_CUPTI_PARAMETERS(name, Type)                                                        \
    Type name{};                                                                                   \
    name.structSize = Type##_STRUCT_SIZE

} // namespace

struct MemoryCounters::State
{
    int device = 0;
    CUpti_Profiler_Host_Object* host = nullptr;
    CUpti_RangeProfiler_Object* ranges = nullptr;
    std::vector<std::uint8_t> availability, config, data;
    std::size_t pushed = 0, most = 0;
    bool started = false;

    void check(CUptiResult status, const char* call) const
    {
        if (status == CUPTI_SUCCESS)
            return;
        const char* text = nullptr;
        cupti().message(status, &text);
        std::string why = text ? text : "unknown error of CUPTI";
        if (status == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ||
            status == CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES)
            why = "the driver lets administrators alone read hardware counters "
                  "(ERR_NVGPUCTRPERM); run as root, or load the driver with "
                  "NVreg_RestrictProfilingToAdminUsers=0";
        refuse(device, call, static_cast<int>(status), why);
    }

    CUcontext context() const
    {
        CUcontext c = nullptr;
        if (cupti().current_context(&c) != CUDA_SUCCESS || !c)
            refuse(device, "cuCtxGetCurrent", 0, "no device is current");
        return c;
    }

    void open_host();
    void open_ranges();
    void close() noexcept;
};

/// What is to be counted, as the device's counters take it.
void MemoryCounters::State::open_host()
{
    const Cupti& c = cupti();
    TAWARA_CUPTI_PARAMETERS(initialize, CUpti_Profiler_Initialize_Params);
    check(c.initialize(&initialize), "cuptiProfilerInitialize");
    TAWARA_CUPTI_PARAMETERS(chip, CUpti_Device_GetChipName_Params);
    chip.deviceIndex = static_cast<std::size_t>(device);
    check(c.chip_name(&chip), "cuptiDeviceGetChipName");
    TAWARA_CUPTI_PARAMETERS(have, CUpti_Profiler_GetCounterAvailability_Params);
    have.ctx = context();
    check(c.availability(&have), "cuptiProfilerGetCounterAvailability");
    availability.resize(have.counterAvailabilityImageSize);
    have.pCounterAvailabilityImage = availability.data();
    check(c.availability(&have), "cuptiProfilerGetCounterAvailability");

    TAWARA_CUPTI_PARAMETERS(make, CUpti_Profiler_Host_Initialize_Params);
    make.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    make.pChipName = chip.pChipName;
    make.pCounterAvailabilityImage = availability.data();
    check(c.host(&make), "cuptiProfilerHostInitialize");
    host = make.pHostObject;
    TAWARA_CUPTI_PARAMETERS(add, CUpti_Profiler_Host_ConfigAddMetrics_Params);
    add.pHostObject = host;
    add.ppMetricNames = const_cast<const char**>(metrics);
    add.numMetrics = metric_count;
    check(c.add_metrics(&add), "cuptiProfilerHostConfigAddMetrics");
    TAWARA_CUPTI_PARAMETERS(size, CUpti_Profiler_Host_GetConfigImageSize_Params);
    size.pHostObject = host;
    check(c.config_size(&size), "cuptiProfilerHostGetConfigImageSize");
    config.resize(size.configImageSize);
    TAWARA_CUPTI_PARAMETERS(image, CUpti_Profiler_Host_GetConfigImage_Params);
    image.pHostObject = host;
    image.configImageSize = config.size();
    image.pConfigImage = config.data();
    check(c.config(&image), "cuptiProfilerHostGetConfigImage");
    TAWARA_CUPTI_PARAMETERS(passes, CUpti_Profiler_Host_GetNumOfPasses_Params);
    passes.configImageSize = config.size();
    passes.pConfigImage = config.data();
    check(c.passes(&passes), "cuptiProfilerHostGetNumOfPasses");
    if (passes.numOfPasses != 1)
        refuse(device, "cuptiProfilerHostGetNumOfPasses", 0,
               "this device cannot count bytes read and written at once");
}

void MemoryCounters::State::open_ranges()
{
    const Cupti& c = cupti();
    TAWARA_CUPTI_PARAMETERS(enable, CUpti_RangeProfiler_Enable_Params);
    enable.ctx = context();
    check(c.enable(&enable), "cuptiRangeProfilerEnable");
    ranges = enable.pRangeProfilerObject;
    TAWARA_CUPTI_PARAMETERS(size, CUpti_RangeProfiler_GetCounterDataSize_Params);
    size.pRangeProfilerObject = ranges;
    size.pMetricNames = const_cast<const char**>(metrics);
    size.numMetrics = metric_count;
    size.maxNumOfRanges = most;
    size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(most);
    check(c.data_size(&size), "cuptiRangeProfilerGetCounterDataSize");
    data.resize(size.counterDataSize);
    TAWARA_CUPTI_PARAMETERS(clear, CUpti_RangeProfiler_CounterDataImage_Initialize_Params);
    clear.pRangeProfilerObject = ranges;
    clear.counterDataSize = data.size();
    clear.pCounterData = data.data();
    check(c.data_initialize(&clear), "cuptiRangeProfilerCounterDataImageInitialize");
    TAWARA_CUPTI_PARAMETERS(set, CUpti_RangeProfiler_SetConfig_Params);
    set.pRangeProfilerObject = ranges;
    set.configSize = config.size();
    set.pConfig = config.data();
    set.counterDataImageSize = data.size();
    set.pCounterDataImage = data.data();
    set.range = CUPTI_UserRange;
    set.replayMode = CUPTI_UserReplay;
    set.maxRangesPerPass = most;
    set.numNestingLevels = 1;
    set.minNestingLevel = 1;
    set.passIndex = 0;
    set.targetNestingLevel = 1;
    check(c.set_config(&set), "cuptiRangeProfilerSetConfig");
    TAWARA_CUPTI_PARAMETERS(start, CUpti_RangeProfiler_Start_Params);
    start.pRangeProfilerObject = ranges;
    check(c.start(&start), "cuptiRangeProfilerStart");
    started = true;
}

void MemoryCounters::State::close() noexcept
{
    const Cupti& c = cupti();
    if (started) {
        TAWARA_CUPTI_PARAMETERS(stop, CUpti_RangeProfiler_Stop_Params);
        stop.pRangeProfilerObject = ranges;
        c.stop(&stop);
    }
    if (ranges) {
        TAWARA_CUPTI_PARAMETERS(disable, CUpti_RangeProfiler_Disable_Params);
        disable.pRangeProfilerObject = ranges;
        c.disable(&disable);
    }
    if (host) {
        TAWARA_CUPTI_PARAMETERS(end, CUpti_Profiler_Host_Deinitialize_Params);
        end.pHostObject = host;
        c.host_end(&end);
    }
    started = false;
    ranges = nullptr;
    host = nullptr;
}

MemoryCounters::MemoryCounters(int device, std::size_t most_ranges)
    : state_(std::make_unique<State>())
{
    if (!cupti().missing.empty())
        refuse(device, "libcupti", 0, cupti().missing);
    state_->device = device;
    state_->most = most_ranges;
    try {
        state_->open_host();
        state_->open_ranges();
    } catch (...) {
        state_->close();
        throw;
    }
}

MemoryCounters::~MemoryCounters()
{
    state_->close();
}

void MemoryCounters::begin()
{
    const auto name = std::to_string(state_->pushed++);
    TAWARA_CUPTI_PARAMETERS(push, CUpti_RangeProfiler_PushRange_Params);
    push.pRangeProfilerObject = state_->ranges;
    push.pRangeName = name.c_str();
    state_->check(cupti().push(&push), "cuptiRangeProfilerPushRange");
}

void MemoryCounters::end()
{
    TAWARA_CUPTI_PARAMETERS(pop, CUpti_RangeProfiler_PopRange_Params);
    pop.pRangeProfilerObject = state_->ranges;
    state_->check(cupti().pop(&pop), "cuptiRangeProfilerPopRange");
}

std::vector<MemoryCounters::Bytes> MemoryCounters::finish()
{
    State& s = *state_;
    const Cupti& c = cupti();
    TAWARA_CUPTI_PARAMETERS(stop, CUpti_RangeProfiler_Stop_Params);
    stop.pRangeProfilerObject = s.ranges;
    s.started = false;
    s.check(c.stop(&stop), "cuptiRangeProfilerStop");
    TAWARA_CUPTI_PARAMETERS(decode, CUpti_RangeProfiler_DecodeData_Params);
    decode.pRangeProfilerObject = s.ranges;
    s.check(c.decode(&decode), "cuptiRangeProfilerDecodeData");
    TAWARA_CUPTI_PARAMETERS(info, CUpti_RangeProfiler_GetCounterDataInfo_Params);
    info.pCounterDataImage = s.data.data();
    info.counterDataImageSize = s.data.size();
    s.check(c.info(&info), "cuptiRangeProfilerGetCounterDataInfo");
    if (info.numTotalRanges != s.pushed || decode.numOfRangeDropped != 0)
        refuse(s.device, "cuptiRangeProfilerGetCounterDataInfo", 0,
               std::to_string(info.numTotalRanges) + " of " + std::to_string(s.pushed) +
                   " ranges were counted");
    std::vector<Bytes> out(s.pushed);
    for (std::size_t k = 0; k < out.size(); ++k) {
        double values[metric_count] = {};
        TAWARA_CUPTI_PARAMETERS(value, CUpti_Profiler_Host_EvaluateToGpuValues_Params);
        value.pHostObject = s.host;
        value.pCounterDataImage = s.data.data();
        value.counterDataImageSize = s.data.size();
        value.rangeIndex = k;
        value.ppMetricNames = const_cast<const char**>(metrics);
        value.numMetrics = metric_count;
        value.pMetricValues = values;
        s.check(c.evaluate(&value), "cuptiProfilerHostEvaluateToGpuValues");
        out[k] = {values[0], values[1]};
    }
    return out;
}

#else // no headers

struct MemoryCounters::State
{
};
MemoryCounters::MemoryCounters(int device, std::size_t)
{
    refuse(device, "libcupti", 0,
           "this program was built without CUPTI's headers, so it reads no hardware counters");
}
MemoryCounters::~MemoryCounters() = default;
void MemoryCounters::begin() {}
void MemoryCounters::end() {}
std::vector<MemoryCounters::Bytes> MemoryCounters::finish()
{
    return {};
}

#endif

} // namespace tawara::device::cuda
