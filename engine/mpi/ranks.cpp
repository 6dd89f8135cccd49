// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mpi/ranks.hpp"

#include "engine/core/error.hpp"

#if TAWARA_HAVE_MPI
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#endif

namespace tawara::mpi {

#if TAWARA_HAVE_MPI
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t piece = std::size_t{1} << 30; ///< bytes of one of MPI's messages
enum Tag { tag_length = 1, tag_bytes, tag_values };

/// How long mpirun lets the others live once one has died [s].
double grace_s()
{
    const char* given = std::getenv("OMPI_MCA_odls_base_sigkill_timeout");
    return given != nullptr ? std::max(1.0, std::atof(given)) : 1.0;
}

/// A window of MPI that the ranks of one machine have together. It is freed with its Ranks: that
/// waits for all of them, of which one may have been lost.
class Window final : public SharedMemory
{
  public:
    explicit Window(MPI_Win window) : window_(window) {}
    std::span<std::byte> of(int number) const override
    {
        MPI_Aint bytes = 0;
        int unit = 0;
        void* at = nullptr;
        MPI_Win_shared_query(window_, number, &bytes, &unit, static_cast<void*>(&at));
        return {static_cast<std::byte*>(at), static_cast<std::size_t>(bytes)};
    }

  private:
    MPI_Win window_;
};

class Ranks final : public Communicator
{
  public:
    explicit Ranks(std::stop_token stop) : stop_(std::move(stop)), patience_s_(grace_s() / 3)
    {
        int provided = 0;
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &size_);
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &here_);
        MPI_Comm_set_errhandler(here_, MPI_ERRORS_RETURN);
        MPI_Comm_size(here_, &near_);
        MPI_Comm_rank(here_, &number_near_);
        if (rank_ > 0)
            stop_ = {}; // the first one says when it is over, and has results to write before
    }
    ~Ranks() override
    {
        if (failed_) // mpirun sees that this process ends without, and ends the others
            return;
        for (auto& w : windows_)
            MPI_Win_free(&w);
        MPI_Finalize();
    }
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    int on_this_machine() const override { return near_; }
    int number_on_this_machine() const override { return number_near_; }
    std::unique_ptr<SharedMemory> share(std::size_t bytes) override
    {
        MPI_Win window = MPI_WIN_NULL;
        void* own = nullptr;
        windows_.reserve(windows_.size() + 1);
        if (MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, here_,
                                    static_cast<void*>(&own), &window) != MPI_SUCCESS)
            return nullptr;
        windows_.push_back(window);
        return std::make_unique<Window>(window);
    }

    void send(int to, const Bytes& message) override
    {
        auto length = static_cast<unsigned long long>(message.size());
        finish("MPI_Isend", to, [&](MPI_Request* r) {
            return MPI_Isend(&length, 1, MPI_UNSIGNED_LONG_LONG, to, tag_length, MPI_COMM_WORLD, r);
        });
        for (std::size_t at = 0; at < message.size(); at += piece)
            finish("MPI_Isend", to, [&](MPI_Request* r) {
                return MPI_Isend(message.data() + at, piece_at(at, message), MPI_BYTE, to,
                                 tag_bytes, MPI_COMM_WORLD, r);
            });
    }
    Bytes receive(int from) override
    {
        unsigned long long length = 0;
        finish("MPI_Irecv", from, [&](MPI_Request* r) {
            return MPI_Irecv(&length, 1, MPI_UNSIGNED_LONG_LONG, from, tag_length, MPI_COMM_WORLD,
                             r);
        });
        Bytes message(length);
        for (std::size_t at = 0; at < message.size(); at += piece)
            finish("MPI_Irecv", from, [&](MPI_Request* r) {
                return MPI_Irecv(message.data() + at, piece_at(at, message), MPI_BYTE, from,
                                 tag_bytes, MPI_COMM_WORLD, r);
            });
        return message;
    }
    // NOLINTNEXTLINE(bugprone-exception-escape): it exchanges values, not objects
    void swap(std::span<const Exchange> exchanges) override
    {
        begin(-1);
        for (const auto& e : exchanges)
            check("MPI_Irecv",
                  MPI_Irecv(e.take.data(), static_cast<int>(e.take.size()), MPI_DOUBLE, e.with,
                            tag_values, MPI_COMM_WORLD, &requests_.emplace_back()));
        for (const auto& e : exchanges)
            check("MPI_Isend",
                  MPI_Isend(e.give.data(), static_cast<int>(e.give.size()), MPI_DOUBLE, e.with,
                            tag_values, MPI_COMM_WORLD, &requests_.emplace_back()));
        wait();
    }
    bool any(bool here) override
    {
        int said = here ? 1 : 0, all = 0;
        finish("MPI_Iallreduce", -1, [&](MPI_Request* r) {
            return MPI_Iallreduce(&said, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, r);
        });
        return all != 0;
    }
    void fail() noexcept override { failed_ = true; }

  private:
    static int piece_at(std::size_t at, const Bytes& message)
    {
        return static_cast<int>(std::min(piece, message.size() - at));
    }
    /// One call, until it is done.
    template <class Start>
    void finish(const char* call, int with, Start start)
    {
        begin(with);
        check(call, start(&requests_.emplace_back()));
        wait();
    }
    void begin(int with)
    {
        with_ = with;
        if (failed_) // once is enough: results are to be written before mpirun kills this one, too
            throw DeviceError(who(), "MPI", 0, "another rank was lost before");
        requests_.clear();
    }
    std::string who() const
    {
        return with_ < 0 ? std::string("another rank") : "rank " + std::to_string(with_);
    }
    void check(const char* call, int status)
    {
        if (status == MPI_SUCCESS)
            return;
        std::array<char, MPI_MAX_ERROR_STRING> text{};
        int length = 0;
        MPI_Error_string(status, text.data(), &length);
        failed_ = true;
        throw DeviceError(who(), call, status, std::string(text.data(), text.data() + length));
    }
    /// Until all requests are done. Ranks may be more than cores: who waits for long lets others
    /// run.
    void wait()
    {
        constexpr int spins = 1000;
        constexpr auto nap = std::chrono::microseconds(50);
        Clock::time_point stopped{};
        for (int turn = 0;; ++turn) {
            int done = 0;
            check("MPI_Testall", MPI_Testall(static_cast<int>(requests_.size()), requests_.data(),
                                             &done, MPI_STATUSES_IGNORE));
            if (done != 0)
                return;
            if (turn < spins) {
                std::this_thread::yield();
                continue;
            }
            std::this_thread::sleep_for(nap);
            if (!stop_.stop_requested())
                continue;
            const auto now = Clock::now();
            if (stopped == Clock::time_point{})
                stopped = now;
            if (std::chrono::duration<double>(now - stopped).count() > patience_s_) {
                failed_ = true;
                throw DeviceError(who(), "MPI_Testall", 0,
                                  "does not answer; has its process ended?");
            }
        }
    }

    std::stop_token stop_;
    double patience_s_;
    MPI_Comm here_ = MPI_COMM_NULL; ///< the ranks of this machine
    std::vector<MPI_Win> windows_;
    int rank_ = 0, size_ = 1, near_ = 1, number_near_ = 0, with_ = -1;
    bool failed_ = false;
    std::vector<MPI_Request> requests_;
};

} // namespace

std::unique_ptr<Communicator> join(std::stop_token stop)
{
    return std::make_unique<Ranks>(std::move(stop));
}
#else
std::unique_ptr<Communicator> join(std::stop_token)
{
    throw InputError("--distributed",
                     "this program was built without MPI; install libopenmpi-dev and build it "
                     "again, or leave --distributed out");
}
#endif

} // namespace tawara::mpi
