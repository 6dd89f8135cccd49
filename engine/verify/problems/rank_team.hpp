// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks as threads of one process, which tell each other bytes through its memory.
#pragma once
#include "engine/core/error.hpp"
#include "engine/device/ranks/member.hpp"
#include "engine/device/ranks/rank_stepper.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace tawara::verify {

/// Where messages lie until they are received.
class Mail
{
  public:
    /// @param shares  whether the ranks see each other's memory
    explicit Mail(int ranks, bool shares = true) : shares(shares), ranks_(ranks) {}
    int ranks() const { return ranks_; }
    const bool shares;
    void put(int from, int to, Bytes message)
    {
        const std::lock_guard hold(mutex_);
        lies_[{from, to}].push_back(std::move(message));
        news_.notify_all();
    }
    Bytes take(int from, int to)
    {
        std::unique_lock hold(mutex_);
        auto& queue = lies_[{from, to}];
        news_.wait(hold, [&] { return !queue.empty() || failed_; });
        if (queue.empty())
            throw DeviceError("rank " + std::to_string(from), "receive", 0, "it has ended");
        Bytes message = std::move(queue.front());
        queue.pop_front();
        return message;
    }
    bool any(bool here)
    {
        std::unique_lock hold(mutex_);
        said_ = said_ || here;
        const auto round = round_;
        if (++waiting_ == ranks_) {
            waiting_ = 0;
            ++round_;
            result_ = std::exchange(said_, false);
            news_.notify_all();
        } else {
            news_.wait(hold, [&] { return round_ != round || failed_; });
            if (round_ == round)
                throw DeviceError("ranks", "any", 0, "one has ended");
        }
        return result_;
    }
    void fail()
    {
        const std::lock_guard hold(mutex_);
        failed_ = true;
        news_.notify_all();
    }

    /// Memory of all ranks, once each has said how much it wants: whole pages.
    struct Shelf
    {
        struct Free
        {
            void operator()(std::byte* p) const { std::free(p); }
        };
        std::unique_ptr<std::byte[], Free> pages;
        std::size_t bytes = 0;
    };
    std::shared_ptr<std::vector<Shelf>> share(int rank, std::size_t bytes)
    {
        constexpr std::size_t page = 4096;
        {
            const std::lock_guard hold(mutex_);
            if (!shelves_)
                shelves_ = std::make_shared<std::vector<Shelf>>(static_cast<std::size_t>(ranks_));
            auto& own = (*shelves_)[static_cast<std::size_t>(rank)];
            own.pages.reset(static_cast<std::byte*>(std::aligned_alloc(
                page, std::max<std::size_t>(1, (bytes + page - 1) / page) * page)));
            own.bytes = bytes;
        }
        any(false); // all have said it
        const auto out = shelves_;
        if (any(false); rank == 0) // and have it
            shelves_.reset();
        any(false);
        return out;
    }

  private:
    std::shared_ptr<std::vector<Shelf>> shelves_;
    int ranks_, waiting_ = 0;
    bool said_ = false, result_ = false, failed_ = false;
    std::uint64_t round_ = 0;
    std::mutex mutex_;
    std::condition_variable news_;
    std::map<std::pair<int, int>, std::deque<Bytes>> lies_;
};

class ThreadRank final : public Communicator
{
  public:
    ThreadRank(std::shared_ptr<Mail> mail, int rank) : mail_(std::move(mail)), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return mail_->ranks(); }
    int on_this_machine() const override { return size(); }
    int number_on_this_machine() const override { return rank_; }
    std::unique_ptr<SharedMemory> share(std::size_t bytes) override
    {
        struct Shelves final : SharedMemory
        {
            explicit Shelves(std::shared_ptr<std::vector<Mail::Shelf>> a) : all(std::move(a)) {}
            std::span<std::byte> of(int number) const override
            {
                const auto& s = all->at(static_cast<std::size_t>(number));
                return {s.pages.get(), s.bytes};
            }
            std::shared_ptr<std::vector<Mail::Shelf>> all;
        };
        if (!mail_->shares)
            return {};
        return std::make_unique<Shelves>(mail_->share(rank_, bytes));
    }
    void send(int to, const Bytes& message) override { mail_->put(rank_, to, message); }
    Bytes receive(int from) override { return mail_->take(from, rank_); }
    void swap(std::span<const Exchange> exchanges) override
    {
        for (const auto& e : exchanges) {
            Bytes b(e.give.size_bytes());
            std::memcpy(b.data(), e.give.data(), b.size());
            mail_->put(rank_, e.with, std::move(b));
        }
        for (const auto& e : exchanges) {
            const auto b = mail_->take(e.with, rank_);
            if (b.size() != e.take.size_bytes())
                throw Error("ranks disagree on what they exchange");
            std::memcpy(e.take.data(), b.data(), b.size());
        }
    }
    bool any(bool here) override { return mail_->any(here); }
    void fail() noexcept override { mail_->fail(); }

  private:
    std::shared_ptr<Mail> mail_;
    int rank_;
};

/// Ranks that serve until this ends; the caller is the first of them.
class RankTeam
{
  public:
    explicit RankTeam(int ranks, bool shares = true)
        : mail_(std::make_shared<Mail>(ranks, shares)), first_(mail_, 0)
    {
        for (int r = 1; r < ranks; ++r)
            others_.emplace_back([mail = mail_, r] {
                ThreadRank me(mail, r);
                try {
                    device::ranks::serve(me, {});
                } catch (const DeviceError&) { // another one has ended
                }
            });
    }
    ~RankTeam()
    {
        device::ranks::dismiss(first_);
        for (auto& t : others_)
            t.join();
    }
    RankTeam(const RankTeam&) = delete;
    RankTeam& operator=(const RankTeam&) = delete;

    Communicator& first() { return first_; }
    Mail& mail() { return *mail_; }
    Progress progress() { return {{}, {}, {.threads = 1, .ranks = &first_}}; }

  private:
    std::shared_ptr<Mail> mail_;
    ThreadRank first_;
    std::vector<std::thread> others_;
};

} // namespace tawara::verify
