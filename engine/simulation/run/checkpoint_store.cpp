// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/run/checkpoint_store.hpp"

#include "engine/core/error.hpp"
#include "engine/core/output_folder.hpp"
#include "engine/simulation/results/outputs.hpp"

#include <algorithm>
#include <cstdio>
#include <new>

namespace tawara::simulation {

namespace fs = std::filesystem;

CheckpointStore::CheckpointStore(fs::path folder, std::size_t keep)
    : folder_(std::move(folder)), keep_(keep),
      thread_([this](const std::stop_token& stop) { work(stop); })
{
}

CheckpointStore::~CheckpointStore()
{
    flush();
}

void CheckpointStore::go_on(const fs::path& from, double time_ms)
{
    std::vector<std::pair<double, fs::path>> found;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder_, none)) {
        double t = 0;
        const auto name = entry.path().filename().string();
        if (std::sscanf(name.c_str(), "checkpoint-%lfms.tcp", &t) == 1 &&
            name == checkpoint_name(t) && t <= time_ms && is_plain_file(folder_ / name))
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
    waiting_.emplace(std::move(c), folder_ / checkpoint_name(time_ms));
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
    return failure_.empty() || std::exchange(told_, true) ? std::string() : failure_;
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
        std::string why;
        try {
            write_checkpoint(next.first, next.second);
        } catch (const std::bad_alloc&) {
            why = next.second.string() + ": not enough memory to write it";
        } catch (const std::exception& e) {
            why = e.what();
        }
        next.first = {};
        hold.lock();
        if (why.empty()) {
            newest_ = next.second;
            std::erase(kept_, newest_); // one that it replaced
            kept_.push_back(newest_);
            remove_old(hold);
        } else {
            ++failed_;
            if (failure_.empty())
                failure_ = why;
        }
        busy_ = false;
        changed_.notify_all();
    }
}

void CheckpointStore::remove_old(std::unique_lock<std::mutex>& hold)
{
    while (keep_ > 0 && kept_.size() > keep_) {
        const auto oldest = kept_.front();
        kept_.pop_front();
        hold.unlock();
        try {
            remove_plain_file(oldest);
        } catch (const InputError&) { // it stays
        }
        hold.lock();
    }
}

} // namespace tawara::simulation
