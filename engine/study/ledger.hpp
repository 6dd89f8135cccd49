// SPDX-License-Identifier: GPL-3.0-or-later
// What is planned, running, done and failed of a study: a file that survives its programs.
#pragma once
#include "engine/study/owner.hpp"
#include "engine/study/study.hpp"

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct sqlite3;

namespace tawara::study {

enum class State { planned, running, done, failed };
const char* name(State s);

/// Runs in each state, by its number.
using Counts = std::array<std::int64_t, 4>;

/// What a run came to: name and value, e.g. "apd90_ms.median".
using Results = std::map<std::string, double>;

struct LedgerRow
{
    std::int64_t number = 0;
    std::string name;
    State state = State::planned;
    std::string owner;                     ///< of a running one
    double started_s = 0, heartbeat_s = 0; ///< of a running one [s since 1970]
    double seconds = 0;                    ///< of one that is done or failed
    std::string reason;                    ///< of a failed one
    Results results;                       ///< of one that is done
};

/// Which runs a program may take: those of every `parts`th one from `part` on.
struct Share
{
    std::int64_t part = 0, parts = 1;
};

/// The ledger of a study: an SQLite database (3.40) in the study's folder, with the tables `study`,
/// `runs`, `results` and `log`. Each change is a transaction: a program may be killed at any
/// moment, and several programs may share a ledger on a file system with working locks.
///
/// A running run has an owner (this_owner()) and a heartbeat [s since 1970]. It is free again
/// when its owner is a program of this host that has ended, or one of another host that has been
/// silent for silent_s. One of this host that lives keeps its run, however late its heartbeat is.
/// @thread any; one at a time
class Ledger
{
  public:
    static constexpr double silent_s = 60;

    /// Opens a ledger; one that is not there is made where `make`. Its SQL is never run: see
    /// open_ledger().
    /// @throws InputError where there is none, it is a link or no plain file, it is damaged
    ///                    (SQLite's quick check), or it is no ledger of this version, with the
    ///                    tables of one alone
    /// @cost reads the whole file once
    Ledger(const std::filesystem::path& file, bool make);
    /// Opens one that is only looked at: nothing is written to it or beside it, nobody waits for it
    /// longer than for one look, and an empty one is none. One that a program has left half written
    /// is refused.
    /// @throws InputError as above
    static Ledger to_look_at(const std::filesystem::path& file);
    ~Ledger();
    Ledger(const Ledger&) = delete;
    Ledger& operator=(const Ledger&) = delete;

    /// Plans all runs, unless that was done.
    /// @throws InputError where the ledger is of another study, or its runs are not those of this
    void plan(const Study& s);
    const std::filesystem::path& file() const { return file_; }
    std::string study_name() const;
    std::string digest() const; ///< as Study::digest; empty where nothing was planned
    /// The study's file where it was last planned from, in full; empty in ledgers of before.
    std::filesystem::path study_file() const;
    std::vector<std::string> paths() const; ///< as Study::paths
    Calibration calibration() const;        ///< of Study::population; empty: none
    std::vector<Setting> settings(std::int64_t run) const;

    /// Takes the next run that is free, for an owner: what nobody has begun comes first.
    std::optional<std::int64_t> take(const std::string& owner, Share share);
    /// A run that a program of another host has.
    struct Elsewhere
    {
        std::int64_t run = 0;
        double heard_s = 0;  ///< when that was heard of, by its clock [s since 1970]
        bool silent = false; ///< the run is free
    };
    std::vector<Elsewhere> elsewhere(Share share) const;
    /// Whether a run is still that of the owner for which this object has taken it: after a long
    /// silence a program of another host may have.
    bool owns(std::int64_t run) const;
    /// The owner is alive.
    void beat(const std::string& owner);
    /// What became of a run. @return false: it is another owner's by now, and nothing is changed
    bool done(std::int64_t run, double seconds, const Results& results,
              const std::map<std::string, std::string>& outputs); ///< files and their digests
    bool failed(std::int64_t run, double seconds, const std::string& reason);
    /// A run that was taken and not ended is free again, unless it is another owner's by now.
    void give_back(std::int64_t run);
    /// Failed runs are planned again. @return how many
    std::int64_t plan_failed_again();
    void say(std::int64_t run, const std::string& text); ///< a line of the log

    Counts counts() const;
    /// All, in order: numbered from 0, each named as a folder within the study's.
    /// @throws InputError where they are not
    std::vector<LedgerRow> rows() const;

  private:
    struct Look
    {
    };
    Ledger(const std::filesystem::path& file, Look look);
    void check_whole();
    std::string value(const char* key) const;
    const std::string& taken_by(std::int64_t run) const;
    std::filesystem::path file_;
    sqlite3* db_ = nullptr;
    std::map<std::int64_t, std::string> taken_; ///< by this object, for whom
};

} // namespace tawara::study
