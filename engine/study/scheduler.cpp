// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/scheduler.hpp"

#include "engine/core/batches.hpp"
#include "engine/core/error.hpp"
#include "engine/core/few_cores.hpp"
#include "engine/core/output_folder.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/simulation/results/checkpoint.hpp"
#include "engine/simulation/run/run.hpp"
#include "engine/simulation/session/purkinje_keys.hpp"
#include "engine/study/restitution_run.hpp"
#include "engine/study/run_folder.hpp"
#include "engine/study/site_run.hpp"
#include "engine/study/study_results.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace tawara::study {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point t)
{
    return std::chrono::duration<double>(Clock::now() - t).count();
}

/// Makes the folder of a study.
/// @throws InputError where it cannot be made
void make_folder(const fs::path& folder)
{
    std::error_code why;
    fs::create_directories(folder, why);
    if (std::error_code none; !why && !fs::is_directory(folder, none))
        why = std::make_error_code(std::errc::not_a_directory);
    if (why)
        throw InputError(folder.string(),
                         "the folder cannot be made: " + why.message() + "; choose another folder");
}

/// What the slots of a program share.
class Scheduler
{
  public:
    Scheduler(const Study& s, const StudyOptions& o, std::vector<Slot> slots, unsigned threads)
        : study_(s), options_(o), slots_(std::move(slots)), ledger_(o.out / "study.sqlite", true),
          hearts_(threads), owner_(this_owner()), at_(slots_.size())
    {
    }

    void plan()
    {
        ledger_.plan(study_);
        if (options_.failed_again)
            ledger_.plan_failed_again();
    }

    StudyOutcome go(const Progress& progress)
    {
        const auto begin = Clock::now();
        progress.at(0, stage_of_outputs);
        const std::stop_callback stop(progress.stop, [this] { stop_.request_stop(); });
        std::vector<std::thread> threads;
        for (std::size_t k = 0; k < slots_.size(); ++k)
            threads.emplace_back([this, k] { serve(k); });
        try {
            watch(progress);
        } catch (...) {
            const std::lock_guard hold(mutex_);
            if (!broken_)
                broken_ = std::current_exception();
            stop_.request_stop();
        }
        for (auto& t : threads)
            t.join();
        if (broken_)
            std::rethrow_exception(broken_);
        StudyOutcome out = count();
        out.seconds = since(begin);
        write_results(ledger_, options_.out);
        if (progress.stop.stop_requested())
            throw Cancelled();
        return out;
    }

  private:
    /// A slot takes runs until there is none.
    void serve(std::size_t slot)
    {
        try {
            while (!stop_.stop_requested()) {
                std::optional<std::int64_t> run;
                {
                    const std::lock_guard hold(mutex_);
                    run = ledger_.take(owner_, options_.share);
                }
                if (run)
                    compute(slot, study_.runs.at(static_cast<std::size_t>(*run)));
                else if (!wait_for_others())
                    break;
            }
        } catch (...) { // the ledger: no run can be kept any more
            const std::lock_guard hold(mutex_);
            if (!broken_)
                broken_ = std::current_exception();
            stop_.request_stop();
        }
        const std::lock_guard hold(mutex_);
        ++idle_;
        changed_.notify_all();
    }

    /// What programs of other hosts have.
    enum class Elsewhere {
        nothing, ///< nothing that is worth waiting for: each has given a sign of life
        silent,  ///< runs of a program that has given none since they are waited for
        free     ///< runs of one that is taken for dead
    };

    /// @pre the mutex is held
    Elsewhere look_elsewhere()
    {
        const auto now = Clock::now();
        std::map<std::int64_t, Sign> signs;
        auto out = Elsewhere::nothing;
        for (const auto& [run, heard_s, silent] : ledger_.elsewhere(options_.share)) {
            const auto before = signs_.find(run);
            auto& sign = signs[run] = before == signs_.end() ? Sign{heard_s, now} : before->second;
            sign.given = sign.given || sign.heard_s != heard_s;
            if (silent)
                return Elsewhere::free;
            // its clock may be ahead of this one's: nobody waits for ever
            if (!sign.given &&
                std::chrono::duration<double>(now - sign.since).count() < Ledger::silent_s + 5)
                out = Elsewhere::silent;
        }
        if (out == Elsewhere::silent && signs_.empty())
            say(Notice::Level::warning,
                "runs under way on other machines: " + std::to_string(signs.size()) +
                    "; those of programs that give no sign for a minute are taken");
        signs_ = std::move(signs);
        return out;
    }

    /// Waits where runs of other hosts may become free: living programs give a sign every few
    /// seconds.
    /// @return whether there may be one
    bool wait_for_others()
    {
        constexpr auto look = std::chrono::seconds(1);
        std::unique_lock lock(mutex_);
        while (!stop_.stop_requested()) {
            if (Clock::now() >= next_look_) { // by one slot for all
                elsewhere_ = look_elsewhere();
                next_look_ = Clock::now() + look;
            }
            if (elsewhere_ == Elsewhere::free)
                next_look_ = {}; // it is to be seen whether it was taken
            if (elsewhere_ != Elsewhere::silent)
                return elsewhere_ == Elsewhere::free;
            changed_.wait_for(lock, look);
        }
        return false;
    }

    void compute(std::size_t slot, const PlannedRun& run)
    {
        const auto begin = Clock::now();
        auto& at = at_[slot];
        at.fraction = 0;
        at.lost = false;
        at.run = run.number;
        std::string reason;
        Results results;
        std::map<std::string, std::string> files;
        bool ours = true;
        try {
            results = results_with_own(simulate(slot, run), run);
            if (is_ours(at)) // what follows removes files
                files = settle_folder(run);
        } catch (const Cancelled&) {
            const std::lock_guard hold(mutex_);
            at.run = no_run;
            return ledger_.give_back(run.number);
        } catch (const simulation::TakenOver&) {
            ours = false;
        } catch (const std::bad_alloc&) {
            reason = "not enough memory";
        } catch (const std::exception& e) {
            reason = e.what();
        }
        const std::lock_guard hold(mutex_);
        at.run = no_run;
        at.fraction = 0;
        if (ours)
            ours = reason.empty() ? ledger_.done(run.number, since(begin), results, files)
                                  : ledger_.failed(run.number, since(begin), reason);
        if (!ours)
            say(Notice::Level::warning,
                run.name + ": another program has taken this run after a long silence of this one; "
                           "what was computed of it here is left out");
        else if (reason.empty())
            say(Notice::Level::info, run.name + ": done");
        else
            say(Notice::Level::warning, run.name + " failed: " + reason);
        signs_.clear(); // long ago
        next_look_ = {};
        changed_.notify_all();
    }

    /// What is left of a run that is done. @return digests of its files
    std::map<std::string, std::string> settle_folder(const PlannedRun& run) const
    {
        const auto folder = options_.out / run.name;
        need_own_folder(folder);
        if (run.site)
            forget_search(folder);
        if (run.protocol)
            forget_restitution(folder);
        thin_out(folder, study_);
        return digests(folder);
    }

    /// With what is known of the run's dose and member.
    Results results_with_own(const std::string& report, const PlannedRun& run) const
    {
        auto out = results_of(report);
        if (run.dose)
            out.merge(dose_results(*study_.doses, *run.dose));
        if (run.member)
            out.merge(member_results(*study_.population, *run.member));
        return out;
    }

    std::string simulate(std::size_t slot, const PlannedRun& run)
    {
        const auto session = session_of(study_, run);
        simulation::RunOptions o;
        o.out = options_.out / run.name;
        need_own_folder(o.out);
        o.session_file = study_.session_file;
        o.device = options_.device;
        o.device.devices = slots_[slot].devices;
        o.device.threads = slots_[slot].threads;
        o.no_ceilings = "runs of a study share their device";
        o.is_ours = [this, slot] { return is_ours(at_[slot]); };
        if (!options_.precision_given)
            o.device.precision = simulation::asked_precision(session).value_or(o.device.precision);
        Progress p;
        p.stop = stop_.get_token();
        p.context.threads = slots_[slot].threads;
        p.report = [this, slot, number = run.number](double fraction, std::string_view stage) {
            if (at_[slot].lost)
                throw simulation::TakenOver();
            at_[slot].fraction = fraction;
            if (options_.run_progress)
                options_.run_progress(number, fraction, stage);
        };
        if (run.site) {
            const auto& i = *study_.induction;
            return run_site(
                {study_.file, session, i, i.sites.at(*run.site), study_.ablation, o, hearts_}, p);
        }
        if (run.protocol)
            return run_restitution({study_.file, session, *study_.restitution, *run.protocol, o},
                                   p);
        o.picture = study_.keep_all || study_.keep.contains(Keep::activation)
                        ? simulation::RunOptions::Picture::activation
                        : simulation::RunOptions::Picture::potential;
        return go_on(session, std::move(o), p, run);
    }

    /// From the newest checkpoint that is whole and of this run, else from the start. What fails
    /// for another reason fails: on a disk that is full, say, the checkpoints are as good as
    /// before.
    std::string go_on(const simulation::Session& session, simulation::RunOptions o,
                      const Progress& p, const PlannedRun& run)
    {
        std::string no_good; // of the newest
        const auto checkpoints = checkpoints_in(o.out);
        for (const auto& checkpoint : checkpoints)
            try {
                simulation::provenance_of_checkpoint(checkpoint); // before a tissue is made for it
                if (!no_good.empty())
                    remark(run, "goes on from " + checkpoint.filename().string() +
                                    ", since a later one is no good: " + no_good);
                o.resume = checkpoint;
                return simulation::run_session(session, o, p).json;
            } catch (const InputError& e) { // of another version, or damaged
                if (e.file != checkpoint.string())
                    throw;
                no_good = no_good.empty() ? e.what() : no_good;
            }
        if (!no_good.empty())
            remark(run, "begins from 0 ms, since none of its " +
                            std::to_string(checkpoints.size()) +
                            " checkpoints is good; the newest: " + no_good);
        o.resume.clear();
        return simulation::run_session(session, o, p).json;
    }

    /// Said aloud, and kept in the ledger.
    void remark(const PlannedRun& run, const std::string& text)
    {
        const std::lock_guard hold(mutex_);
        ledger_.say(run.number, text);
        say(Notice::Level::warning, run.name + " " + text);
    }

    static constexpr std::int64_t no_run = -1;
    /// What a slot computes.
    struct At
    {
        std::atomic<std::int64_t> run = no_run;
        std::atomic<double> fraction = 0;
        std::atomic<bool> lost = false; ///< another program has taken the run
    };

    /// Whether the slot's run was not taken by another program.
    bool is_ours(const At& at)
    {
        const std::lock_guard hold(mutex_);
        return !at.lost && ledger_.owns(at.run);
    }

    /// @pre the mutex is held
    void say(Notice::Level level, const std::string& text) const
    {
        if (options_.notice)
            options_.notice({level, text});
    }

    /// Heartbeats and progress, until no slot has work.
    void watch(const Progress& progress)
    {
        constexpr auto look = std::chrono::milliseconds(250);
        constexpr double beat_s = 5;
        auto beaten = Clock::now();
        std::unique_lock lock(mutex_);
        while (idle_ < slots_.size()) {
            changed_.wait_for(lock, look);
            if (since(beaten) > beat_s) {
                ledger_.beat(owner_);
                for (auto& at : at_)
                    if (const auto run = at.run.load(); run != no_run && !ledger_.owns(run))
                        at.lost = true; // it ends at its next report
                beaten = Clock::now();
            }
            if (!progress.report)
                continue;
            const auto now = ledger_.counts();
            const auto done = now[static_cast<std::size_t>(State::done)],
                       ended = done + now[static_cast<std::size_t>(State::failed)];
            double part = static_cast<double>(ended);
            for (const auto& at : at_)
                part += at.fraction;
            const auto all = study_.runs.size();
            progress.report(std::min(1.0, part / static_cast<double>(all)),
                            std::to_string(done) + " of " + std::to_string(all) + " runs done");
        }
    }

    StudyOutcome count() const
    {
        StudyOutcome out;
        for (auto& r : ledger_.rows()) {
            ++out.runs;
            out.done += r.state == State::done;
            out.planned += r.state == State::planned;
            out.running += r.state == State::running;
            if (r.state == State::failed)
                out.failed.push_back(std::move(r));
        }
        return out;
    }

    const Study& study_;
    const StudyOptions& options_;
    const std::vector<Slot> slots_;
    Ledger ledger_;
    HeartShelf hearts_;
    const std::string owner_;
    std::stop_source stop_;
    mutable std::mutex mutex_; ///< of the ledger and what follows
    std::condition_variable changed_;
    std::size_t idle_ = 0;
    /// Of a run that another host has.
    struct Sign
    {
        double heard_s = 0;      ///< when its program was heard of, by its clock
        Clock::time_point since; ///< when it was looked at first
        bool given = false;      ///< it was heard of since
    };
    std::map<std::int64_t, Sign> signs_;
    Elsewhere elsewhere_ = Elsewhere::nothing;
    Clock::time_point next_look_;
    std::exception_ptr broken_;
    std::vector<At> at_; ///< of each slot
};

} // namespace

StudyOutcome run_study(const Study& s, const StudyOptions& o, const Progress& progress)
{
    need_writable_folder(o.out);
    for (const auto& run : s.runs) {
        progress.at(0, "sessions");
        session_of(s, run);
    }
    make_folder(o.out);
    const OutputFolder folder(o.out);
    const auto local = local_rank();
    auto slots = slots_of(o, progress.context.threads, local.rank, local.ranks);
    if (auto text =
            few_cores(slots.size(), "computes " + std::to_string(slots.size()) + " runs at once");
        o.notice && !text.empty())
        o.notice({Notice::Level::warning, std::move(text)});
    Scheduler scheduler(s, o, std::move(slots),
                        std::max(1U, progress.context.threads / local.ranks));
    scheduler.plan();
    return scheduler.go(progress);
}

} // namespace tawara::study
