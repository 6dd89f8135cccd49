// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/observe/recording.hpp"

#include "engine/core/error.hpp"
#include "engine/simulation/observe/recording_codec.hpp"
#include "engine/simulation/observe/recording_files.hpp"

#include <algorithm>
#include <bit>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <stop_token>
#include <thread>
#include <zlib.h>

namespace tawara::simulation {
namespace {

constexpr int max_depth = 4;               // frames between a frame and a complete one
constexpr std::size_t queue_frames = 4;    // that wait for the worker before append() waits
constexpr std::size_t cached_frames = 8;   // decoded, for the neighbours of what was read
constexpr std::uint64_t least_frames = 16; // uncompressed ones that must fit
constexpr std::uint64_t no_parent = ~0ull;

using SharedCodes = std::shared_ptr<const Codes>;

struct Entry
{
    std::uint64_t tick = 0; ///< which append() it was; its trailing zeros are its level
    double time_ms = 0;
    std::uint64_t parent = no_parent;
    std::shared_ptr<GrowingFile> file;
    std::uint64_t offset = 0;
    std::size_t size = 0;
    unsigned long crc = 0;
};

struct Waiting
{
    std::uint64_t tick;
    double time_ms;
    Codes codes;
};

int level_of(std::uint64_t tick)
{
    return tick == 0 ? 63 : std::countr_zero(tick);
}

unsigned long checksum(std::string_view bytes)
{
    return crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
}

} // namespace

struct Recording::Impl
{
    Impl(std::size_t n, RecordingOptions o)
        : values(n), options(std::move(o)),
          folder(options.folder.empty() ? recording_folder() : options.folder),
          quantiser(options.low_mV, options.high_mV, options.bits)
    {
    }

    void work(const std::stop_token& stop);
    std::string stored(const Waiting& frame);
    void store(const Waiting& frame);
    bool make_room(std::uint64_t tick, std::uint64_t more);
    void settle(std::unique_lock<std::mutex>& hold);
    void forget_from(double time_ms);
    void forget_all();
    void check_failed() const;
    SharedCodes codes_of(std::uint64_t tick) const;
    std::shared_ptr<const RecordedFrame> read(std::size_t k, std::uint64_t tick,
                                              double time_ms) const;

    const std::size_t values;
    const RecordingOptions options;
    OwnFolder folder;
    const Quantiser quantiser;
    std::shared_ptr<const DyadRecordings> cells;

    // Of the appending thread.
    std::uint64_t next_tick = 0;
    double newest_ms = 0;
    bool any = false;

    // Shared, under the lock.
    mutable std::mutex mutex;
    std::condition_variable_any changed;
    std::deque<Waiting> queue;
    std::vector<Codes> spare;
    bool busy = false;
    std::string failed;
    std::vector<Entry> entries;                        ///< by rising tick and time
    std::map<int, std::shared_ptr<GrowingFile>> files; ///< by level
    std::uint64_t bytes = 0, generation = 0;
    int thinned = 0;

    // Of the worker, or of the appending thread while the worker is idle.
    std::vector<std::pair<std::uint64_t, Codes>> stack; ///< frames that later ones are stored from

    // Of the readers, under their own lock.
    mutable std::mutex cache_mutex;
    mutable std::deque<std::pair<std::uint64_t, SharedCodes>> cache;
    mutable std::uint64_t cache_generation = 0;

    std::jthread worker; // last: ends before the rest goes
};

void Recording::Impl::check_failed() const
{
    if (!failed.empty())
        throw InputError(folder.path().string(), failed);
}

/// @return why it could not be stored; empty: it was
std::string Recording::Impl::stored(const Waiting& frame)
{
    try {
        store(frame);
        return {};
    } catch (const InputError& e) {
        return e.reason;
    } catch (const std::bad_alloc&) {
        return "not enough memory";
    } catch (const std::exception& e) {
        return e.what();
    }
}

void Recording::Impl::work(const std::stop_token& stop)
{
    std::unique_lock hold(mutex);
    while (changed.wait(hold, stop, [&] { return !queue.empty(); })) {
        Waiting frame = std::move(queue.front());
        queue.pop_front();
        busy = true;
        hold.unlock();
        std::string why;
        try {
            why = stored(frame);
        } catch (...) { // no memory even for the words
            why = "no memory";
        }
        hold.lock();
        busy = false;
        if (!why.empty()) {
            failed = std::move(why);
            queue.clear();
        }
        try {
            spare.push_back(std::move(frame.codes));
        } catch (const std::bad_alloc&) { // a later frame takes a buffer of its own
        }
        changed.notify_all();
    }
}

/// Drops the finest levels until `more` bytes fit. False when the frame itself is of such a level.
bool Recording::Impl::make_room(std::uint64_t tick, std::uint64_t more)
{
    std::lock_guard hold(mutex);
    while (bytes + more > options.max_bytes && thinned < 62) {
        if (const auto at = files.find(thinned); at != files.end()) {
            const auto gone =
                std::erase_if(entries, [&](const Entry& e) { return level_of(e.tick) == thinned; });
            bytes -= at->second->size() + gone * sizeof(Entry);
            files.erase(at); // readers that are at it keep it open
        }
        ++thinned;
    }
    return level_of(tick) >= thinned;
}

void Recording::Impl::store(const Waiting& frame)
{
    int skip = 0;
    {
        std::lock_guard hold(mutex);
        skip = thinned;
    }
    const int level = level_of(frame.tick);
    if (level < skip)
        return;
    const std::uint64_t parent = frame.tick & (frame.tick - 1);
    const bool complete = level >= skip + max_depth;
    while (!stack.empty() && (complete || stack.back().first != parent))
        stack.pop_back();
    const std::string packed =
        compress_codes(frame.codes, stack.empty() ? std::span<const std::uint16_t>{}
                                                  : std::span(stack.back().second));
    if (!make_room(frame.tick, packed.size() + sizeof(Entry)))
        return;
    std::shared_ptr<GrowingFile> file;
    {
        std::lock_guard hold(mutex);
        auto& f = files[level];
        if (!f)
            f = std::make_shared<GrowingFile>(folder.path() / ("level-" + std::to_string(level)));
        file = f;
    }
    Entry e{frame.tick,
            frame.time_ms,
            stack.empty() ? no_parent : parent,
            file,
            file->append(packed),
            packed.size(),
            checksum(packed)};
    stack.emplace_back(frame.tick, frame.codes);
    std::lock_guard hold(mutex);
    bytes += packed.size() + sizeof(Entry);
    entries.push_back(std::move(e));
}

void Recording::Impl::settle(std::unique_lock<std::mutex>& hold)
{
    changed.wait(hold, [&] { return queue.empty() && !busy; });
}

void Recording::Impl::forget_all()
{
    entries.clear();
    files.clear();
    stack.clear();
    bytes = 0;
    thinned = 0;
    ++generation;
    next_tick = 0;
    any = false;
}

void Recording::Impl::forget_from(double time_ms)
{
    const auto at = std::lower_bound(entries.begin(), entries.end(), time_ms,
                                     [](const Entry& e, double t) { return e.time_ms < t; });
    if (at == entries.begin())
        return forget_all();
    bytes -= static_cast<std::uint64_t>(entries.end() - at) * sizeof(Entry);
    entries.erase(at, entries.end());
    stack.clear(); // the next frame is complete, or stored from one that is still there
    ++generation;
    next_tick = entries.back().tick + (1ull << thinned);
    newest_ms = entries.back().time_ms;
}

SharedCodes Recording::Impl::codes_of(std::uint64_t tick) const
{
    std::vector<Entry> chain; // from the frame down to one that is known or complete
    std::uint64_t as_of = 0;
    {
        std::lock_guard hold(mutex);
        as_of = generation;
        for (std::uint64_t t = tick; t != no_parent;) {
            const auto e = std::lower_bound(
                entries.begin(), entries.end(), t,
                [](const Entry& entry, std::uint64_t wanted) { return entry.tick < wanted; });
            if (e == entries.end() || e->tick != t)
                return nullptr; // thinned out meanwhile
            chain.push_back(*e);
            t = e->parent;
        }
    }
    SharedCodes base;
    {
        std::lock_guard hold(cache_mutex);
        if (cache_generation != as_of) {
            cache.clear();
            cache_generation = as_of;
        }
        for (std::size_t i = 0; i < chain.size() && !base; ++i)
            for (const auto& c : cache)
                if (c.first == chain[i].tick) {
                    base = c.second;
                    chain.resize(i);
                    break;
                }
    }
    for (auto e = chain.rbegin(); e != chain.rend(); ++e) {
        const std::string packed = e->file->read(e->offset, e->size);
        if (checksum(packed) != e->crc)
            throw Error("the recorded frame at " + std::to_string(e->time_ms) + " ms is damaged");
        base = std::make_shared<const Codes>(decompress_codes(
            packed, base ? std::span<const std::uint16_t>(*base) : std::span<const std::uint16_t>{},
            values));
        std::lock_guard hold(cache_mutex);
        if (cache_generation == as_of) {
            cache.emplace_front(e->tick, base);
            if (cache.size() > cached_frames)
                cache.pop_back();
        }
    }
    return base;
}

std::shared_ptr<const RecordedFrame> Recording::Impl::read(std::size_t k, std::uint64_t tick,
                                                           double time_ms) const
{
    const auto codes = codes_of(tick);
    if (!codes)
        return nullptr;
    auto f = std::make_shared<RecordedFrame>();
    f->index = k;
    f->time_ms = time_ms;
    f->clamped = quantiser.decode(*codes, f->values);
    const auto surface =
        f->values.begin() + static_cast<std::ptrdiff_t>(values - options.network_values);
    f->network.assign(surface, f->values.end());
    f->values.erase(surface, f->values.end());
    return f;
}

Recording::Recording(std::size_t values_per_frame, RecordingOptions options)
{
    const auto bad = [](const std::string& what) { throw InputError("recording", what); };
    if (values_per_frame == 0)
        bad("there is nothing to record: the surface has no vertices");
    if (options.bits < 8 || options.bits > 16)
        bad("bits " + std::to_string(options.bits) + "; want 8 to 16");
    if (!(options.low_mV < options.high_mV))
        bad("the range must rise");
    const auto all = values_per_frame + options.network_values;
    const auto least = least_frames * 2 * all;
    if (options.max_bytes < least)
        bad("a bound of " + std::to_string(options.max_bytes) + " bytes holds too few frames of " +
            std::to_string(all) + " values; want at least " + std::to_string(least));
    impl_ = std::make_unique<Impl>(all, std::move(options));
    impl_->worker = std::jthread([i = impl_.get()](const std::stop_token& stop) { i->work(stop); });
}

Recording::~Recording() = default;

void Recording::append(double time_ms, std::span<const float> values)
{
    auto& s = *impl_;
    if (values.size() != s.values)
        throw Error("a frame of " + std::to_string(values.size()) + " values for a recording of " +
                    std::to_string(s.values));
    Codes codes;
    {
        std::unique_lock hold(s.mutex);
        if (s.any && time_ms <= s.newest_ms) {
            s.settle(hold);
            s.forget_from(time_ms);
        }
        s.changed.wait(hold, [&] { return s.queue.size() < queue_frames; });
        s.check_failed();
        s.any = true;
        s.newest_ms = time_ms;
        if (level_of(s.next_tick) < s.thinned) {
            ++s.next_tick;
            return;
        }
        if (!s.spare.empty()) {
            codes = std::move(s.spare.back());
            s.spare.pop_back();
        }
    }
    s.quantiser.encode(values, codes);
    {
        std::lock_guard hold(s.mutex);
        s.queue.push_back({s.next_tick++, time_ms, std::move(codes)});
    }
    s.changed.notify_all();
}

void Recording::flush()
{
    std::unique_lock hold(impl_->mutex);
    impl_->settle(hold);
    impl_->check_failed();
}

void Recording::clear()
{
    std::unique_lock hold(impl_->mutex);
    impl_->settle(hold);
    impl_->forget_all();
}

std::size_t Recording::frame_count() const
{
    std::lock_guard hold(impl_->mutex);
    return impl_->entries.size();
}

double Recording::time_of(std::size_t k) const
{
    std::lock_guard hold(impl_->mutex);
    const auto& e = impl_->entries;
    return e.empty() ? 0 : e[std::min(k, e.size() - 1)].time_ms;
}

std::vector<double> Recording::times() const
{
    std::lock_guard hold(impl_->mutex);
    std::vector<double> out;
    out.reserve(impl_->entries.size());
    for (const auto& e : impl_->entries)
        out.push_back(e.time_ms);
    return out;
}

std::shared_ptr<const RecordedFrame> Recording::frame(std::size_t k) const
{
    std::uint64_t tick = 0;
    double time = 0;
    {
        std::lock_guard hold(impl_->mutex);
        if (k >= impl_->entries.size())
            return nullptr;
        tick = impl_->entries[k].tick;
        time = impl_->entries[k].time_ms;
    }
    return impl_->read(k, tick, time);
}

std::shared_ptr<const RecordedFrame> Recording::at(double time_ms) const
{
    // Between the look at the index and the reading, the frame may be thinned out: look again.
    for (;;) {
        std::size_t k = 0;
        std::uint64_t tick = 0;
        double time = 0;
        {
            std::lock_guard hold(impl_->mutex);
            const auto& e = impl_->entries;
            if (e.empty())
                return nullptr;
            const auto after =
                std::upper_bound(e.begin(), e.end(), time_ms,
                                 [](double t, const Entry& entry) { return t < entry.time_ms; });
            k = after == e.begin() ? 0 : static_cast<std::size_t>(after - e.begin()) - 1;
            tick = e[k].tick;
            time = e[k].time_ms;
        }
        if (auto f = impl_->read(k, tick, time))
            return f;
    }
}

std::uint64_t Recording::run() const
{
    return impl_->options.run;
}
std::size_t Recording::values_per_frame() const
{
    return impl_->values - impl_->options.network_values;
}
std::uint64_t Recording::network() const
{
    return impl_->options.network_values > 0 ? impl_->options.network : 0;
}
std::uint64_t Recording::bytes() const
{
    std::lock_guard hold(impl_->mutex);
    return impl_->bytes;
}
std::uint64_t Recording::max_bytes() const
{
    return impl_->options.max_bytes;
}
double Recording::every_ms() const
{
    return impl_->options.every_ms * static_cast<double>(1ull << thinned());
}
int Recording::thinned() const
{
    std::lock_guard hold(impl_->mutex);
    return impl_->thinned;
}
double Recording::step_mV() const
{
    return impl_->quantiser.step_mV();
}
const std::filesystem::path& Recording::folder() const
{
    return impl_->folder.path();
}
void Recording::keep_cells(std::shared_ptr<const DyadRecordings> cells)
{
    impl_->cells = std::move(cells);
}
const std::shared_ptr<const DyadRecordings>& Recording::cells() const
{
    return impl_->cells;
}

} // namespace tawara::simulation
