// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/run/checkpoint_store.hpp"

#include "engine/core/error.hpp"
#include "engine/core/failure_text.hpp"
#include "engine/core/output_folder.hpp"
#include "engine/simulation/results/outputs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace tawara::simulation {

namespace fs = std::filesystem;

CheckpointStore::CheckpointStore(fs::path folder, std::size_t keep, double every_ms)
    : folder_(std::move(folder)), keep_(keep), every_ms_(every_ms),
      thread_([this](const std::stop_token& stop) { work(stop); })
{
}

CheckpointStore::~CheckpointStore()
{
    flush();
}

bool CheckpointStore::is_periodic(double time_ms) const
{
    constexpr double hair = 1e-3; // names of files tell times so far [ms]
    return every_ms_ > 0 && std::abs(std::remainder(time_ms, every_ms_)) < hair;
}

void CheckpointStore::go_on(const fs::path& from, double time_ms)
{
    std::vector<std::pair<double, fs::path>> found;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder_, none)) {
        double t = 0;
        const auto name = entry.path().filename().string();
        if (std::sscanf(name.c_str(), "checkpoint-%lfms.tcp", &t) == 1 &&
            name == checkpoint_name(t) && t <= time_ms && is_periodic(t) &&
            is_plain_file(folder_ / name))
            found.emplace_back(t, folder_ / name);
    }
    std::sort(found.begin(), found.end());
    const std::lock_guard hold(mutex_);
    from_ = fs::weakly_canonical(from, none);
    for (auto& [t, file] : found)
        if (fs::weakly_canonical(file, none) != from_)
            kept_.push_back(std::move(file));
}

void CheckpointStore::room()
{
    std::unique_lock hold(mutex_);
    changed_.wait(hold, [&] { return !waiting_; });
}

void CheckpointStore::put(Checkpoint c, double time_ms)
{
    const std::lock_guard hold(mutex_);
    waiting_.emplace(std::move(c), time_ms);
    changed_.notify_all();
}

void CheckpointStore::flush()
{
    std::unique_lock hold(mutex_);
    changed_.wait(hold, [&] { return !waiting_ && !busy_; });
}

fs::path CheckpointStore::newest() const
{
    const std::lock_guard hold(mutex_);
    return newest_;
}

std::size_t CheckpointStore::failed() const
{
    const std::lock_guard hold(mutex_);
    return failed_;
}

std::string CheckpointStore::take_failure()
{
    const std::lock_guard hold(mutex_);
    if (!failure_ || std::exchange(told_, true))
        return {};
    return failure_text(failure_);
}

void CheckpointStore::work(const std::stop_token& stop)
{
    std::unique_lock hold(mutex_);
    while (changed_.wait(hold, stop, [&] { return waiting_.has_value(); })) {
        auto next = std::move(*waiting_);
        waiting_.reset();
        busy_ = true;
        changed_.notify_all();
        hold.unlock();
        std::exception_ptr failure; // told in words by the run's thread
        try {
            write(next.first, next.second);
        } catch (...) {
            failure = std::current_exception();
        }
        next.first = {};
        hold.lock();
        failed_ += failure ? 1 : 0;
        if (!failure_)
            failure_ = failure;
        busy_ = false;
        changed_.notify_all();
    }
}

/// And removes the periodic ones that are too old by then.
void CheckpointStore::write(const Checkpoint& c, double time_ms)
{
    const auto file = folder_ / checkpoint_name(time_ms);
    write_checkpoint(c, file);
    std::deque<fs::path> old;
    {
        const std::lock_guard hold(mutex_);
        newest_ = file;
        std::erase(kept_, file); // one that it replaced
        if (is_periodic(time_ms))
            kept_.push_back(file);
        while (keep_ > 0 && kept_.size() > keep_) {
            old.push_back(kept_.front());
            kept_.pop_front();
        }
    }
    for (const auto& f : old)
        try {
            remove_plain_file(f);
        } catch (const InputError&) { // it stays
        }
}

} // namespace tawara::simulation
