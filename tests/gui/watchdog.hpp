// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QApplication>
#include <QElapsedTimer>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace tawara::fake {

/// For how long the process's first thread, which is the GUI's, was ready to run and had no
/// processor [ms]; 0 where the system does not tell.
inline double gui_thread_waited_ms()
{
    static const int file = ::open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
    char text[128] = {};
    unsigned long long ran = 0, waited = 0; // [ns]
    if (file < 0 || ::pread(file, text, sizeof text - 1, 0) <= 0 ||
        std::sscanf(text, "%llu %llu", &ran, &waited) != 2)
        return 0;
    return 1e-6 * static_cast<double>(waited);
}

/// A moment by the clock, and by what the GUI's thread had waited for a processor until then, so
/// that the time between two of them can be told where other programs run as well.
struct Moment
{
    std::chrono::steady_clock::time_point wall = std::chrono::steady_clock::now();
    double waited_ms = gui_thread_waited_ms();

    double wall_until(const Moment& other) const ///< [ms]
    {
        return std::chrono::duration<double, std::milli>(other.wall - wall).count();
    }
    /// [ms] from here to another moment: wall time but for what the GUI's thread waited for a
    /// processor. What it waits for otherwise, a lock say, counts.
    double until(const Moment& other) const
    {
        return wall_until(other) - (other.waited_ms - waited_ms);
    }
};

/// An application that measures how long each event keeps the GUI thread: wall time, and the
/// thread's own processor time, which other programs on the machine cannot lengthen.
class WatchedApplication : public QApplication
{
  public:
    using QApplication::QApplication;

    struct Longest
    {
        double wall_ms = 0, cpu_ms = 0;
        double held_ms = 0;    ///< as Moment has it
        std::string what;      ///< receiver and event of the longest processor time
        std::string what_wall; ///< the same of the longest wall time
    };
    void begin() { watching_ = true, longest_ = {}, walls_.clear(); }
    Longest end()
    {
        watching_ = false;
        return longest_;
    }
    /// Wall time that this part of the events since begin() did not exceed [ms].
    double wall(double part)
    {
        if (walls_.empty())
            return 0;
        const auto k = static_cast<std::ptrdiff_t>(part * static_cast<double>(walls_.size() - 1));
        std::nth_element(walls_.begin(), walls_.begin() + k, walls_.end());
        return walls_[static_cast<std::size_t>(k)];
    }
    std::size_t events() const { return walls_.size(); }
    /// How many events took longer than this [ms] of wall time.
    std::size_t above(double ms) const
    {
        return static_cast<std::size_t>(
            std::count_if(walls_.begin(), walls_.end(), [ms](double w) { return w > ms; }));
    }

    /// What runs of the same work came to.
    struct Runs
    {
        int all = 0, quick = 0; ///< quick: each event took less than the bound
        Longest worst, last;    ///< worst by processor time
        bool mostly_quick() const { return 2 * quick > all; }
    };
    /// Runs `work` until most of its runs are quick by processor time, `tries` times at most. A
    /// virtual machine's processor time counts what its host gave to others, so that one event in
    /// some thousands takes long without having done anything. But no run is left out: for each
    /// that is not quick one more has to be.
    template <class Work>
    Runs watched(double bound_ms, int tries, Work work)
    {
        Runs runs;
        while (runs.all < tries && !runs.mostly_quick()) {
            begin();
            work();
            runs.last = end();
            if (runs.all == 0 || runs.last.cpu_ms > runs.worst.cpu_ms)
                runs.worst = runs.last;
            ++runs.all;
            runs.quick += runs.last.cpu_ms < bound_ms;
        }
        return runs;
    }

    bool notify(QObject* receiver, QEvent* e) override
    {
        if (!watching_ || depth_ > 0)
            return QApplication::notify(receiver, e);
        const std::string what = std::string(receiver->metaObject()->className()) + ", event " +
                                 std::to_string(e->type());
        QElapsedTimer clock;
        clock.start();
        const Moment began;
        const double cpu = cpu_ms();
        ++depth_;
        const bool done = QApplication::notify(receiver, e);
        --depth_;
        const double used = cpu_ms() - cpu, took = static_cast<double>(clock.nsecsElapsed()) / 1e6;
        walls_.push_back(took);
        longest_.held_ms = std::max(longest_.held_ms, began.until(Moment()));
        if (took > longest_.wall_ms)
            longest_.wall_ms = took, longest_.what_wall = what;
        if (used > longest_.cpu_ms)
            longest_.cpu_ms = used, longest_.what = what;
        return done;
    }

  private:
    static double cpu_ms()
    {
        timespec t{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
    }
    bool watching_ = false;
    int depth_ = 0;
    Longest longest_;
    std::vector<double> walls_;
};

} // namespace tawara::fake
