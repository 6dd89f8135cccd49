// SPDX-License-Identifier: GPL-3.0-or-later
// The display field of a CUDA stepper, three buffers of it. Bytes per value: written once (4), read
// once (4), with its index (4), by the one who draws.
#include "engine/device/cuda/display_feed.cuh"

#include <atomic>

namespace tawara::device::cuda {
namespace {

constexpr int feed_block = 256;

__global__ void add_kernel(float* out, const std::int32_t* output, const float* values,
                           std::int64_t n)
{
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        out[output[i]] += values[i];
}

__global__ void pick_kernel(float* out, const std::int32_t* vertex, const float* values,
                            float missing, std::int64_t n)
{
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float v = values[vertex[i]];
    out[i] = isfinite(v) ? v : missing;
}

std::uint64_t next_number()
{
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

/// Whether a shard's rows are the values of the field, one after the other.
bool in_order(const std::vector<std::size_t>& rows, std::size_t size)
{
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows[i] != i)
            return false;
    return rows.size() == size;
}

} // namespace

CudaDisplayFeed::CudaDisplayFeed(std::size_t size, int device,
                                 const std::vector<const std::vector<std::size_t>*>& rows)
    : size_(size), device_(device)
{
    if (rows.size() != 1 || !in_order(*rows[0], size)) {
        const Stream s(device);
        for (const auto* r : rows)
            outputs_.push_back(uploaded(std::vector<std::int32_t>(r->begin(), r->end()), s));
    }
    for (int k = 0; k < 3; ++k)
        slots_.emplace_back(size, device);
}

DisplayFeed::Field CudaDisplayFeed::newest() const
{
    const std::scoped_lock hold(mutex_);
    return newest_ < 0 ? Field{} : slots_[static_cast<std::size_t>(newest_)].field;
}

float* CudaDisplayFeed::begin(StreamRef s)
{
    {
        const std::scoped_lock hold(mutex_);
        for (writing_ = 0; writing_ == newest_ || writing_ == reading_;)
            ++writing_;
    }
    Slot& slot = slots_[static_cast<std::size_t>(writing_)];
    if (slot.read)
        s.wait(*slot.read);
    if (!direct())
        slot.values.zero(s);
    return slot.values.data();
}

void CudaDisplayFeed::add(std::size_t shard, const float* values, StreamRef s)
{
    const Current here(device_);
    const auto& output = outputs_.at(shard);
    launch(s, "display sum", static_cast<std::int64_t>(output.size()), feed_block, add_kernel,
           slots_[static_cast<std::size_t>(writing_)].values.data(), output.data(), values,
           static_cast<std::int64_t>(output.size()));
}

void CudaDisplayFeed::end(StreamRef s, std::int64_t step, double time_ms)
{
    Slot& slot = slots_[static_cast<std::size_t>(writing_)];
    slot.ready.record(s);
    slot.field = {next_number(), step, time_ms};
    const std::scoped_lock hold(mutex_);
    newest_ = writing_;
}

DisplayFeed::Field CudaDisplayFeed::write(const Target& t)
{
    {
        const std::scoped_lock hold(mutex_);
        if (newest_ < 0)
            return {};
        reading_ = newest_;
    }
    struct Done
    {
        CudaDisplayFeed& feed;
        ~Done()
        {
            const std::scoped_lock hold(feed.mutex_);
            feed.reading_ = -1;
        }
    } const done{*this};
    Slot& slot = slots_[static_cast<std::size_t>(reading_)];
    const Current here(t.device);
    const StreamRef s{static_cast<cudaStream_t>(t.stream), t.device};
    s.wait(slot.ready);
    const float* values = slot.values.data();
    if (t.device != device_) {
        if (staged_.size() != size_ || staged_.device() != t.device)
            staged_ = Buffer<float>(size_, t.device);
        check(cudaMemcpyPeerAsync(staged_.data(), t.device, values, device_, size_ * sizeof(float),
                                  s.handle),
              "cudaMemcpyPeerAsync", t.device);
        values = staged_.data();
    }
    launch(s, "display", static_cast<std::int64_t>(t.size), feed_block, pick_kernel, t.out,
           t.vertex, values, t.missing, static_cast<std::int64_t>(t.size));
    if (slot.read_on != t.device) {
        slot.read.emplace(t.device);
        slot.read_on = t.device;
    }
    slot.read->record(s);
    return slot.field;
}

} // namespace tawara::device::cuda
