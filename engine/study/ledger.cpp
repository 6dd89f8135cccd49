// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/ledger.hpp"

#include "engine/core/error.hpp"
#include "engine/core/output_folder.hpp"
#include "engine/core/provenance.hpp"
#include "engine/core/utf8.hpp"
#include "engine/study/ledger_database.hpp"
#include "engine/study/ledger_text.hpp"

#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <sqlite3.h>

namespace tawara::study {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

double now_s()
{
    using namespace std::chrono;
    return duration<double>(system_clock::now().time_since_epoch()).count();
}

/// As text() reads it again.
std::string utf8_of(const std::string& text)
{
    return is_utf8(text) ? text : readable(text);
}

State state_of(const std::string& word)
{
    for (const auto state : {State::planned, State::running, State::done})
        if (word == name(state))
            return state;
    return State::failed;
}

std::string settings_text(const std::vector<Setting>& settings)
{
    Json o = Json::object();
    for (const auto& [path, value] : settings)
        o[path] = Json::parse(value, nullptr, false);
    return o.dump();
}

/// What runs differ by. @throws Json::exception where that is no list as a study's
std::vector<std::string> keys_of(const Json& o)
{
    auto out = o.get<std::vector<std::string>>();
    constexpr std::size_t others = 5; // member, drug, concentration, site, protocol
    if (out.size() > Study::most_paths + others)
        throw Json::other_error::create(501, "more keys than a study has", nullptr);
    return out;
}

} // namespace

const char* name(State s)
{
    constexpr std::array names{"planned", "running", "done", "failed"};
    return names[static_cast<std::size_t>(s)];
}

Ledger::Ledger(const fs::path& file, bool make) : file_(file)
{
    if (!make && !is_taken(file))
        throw InputError(file.string(), "there is no study here; tawara-cli study run makes it");
    const auto use = make ? LedgerUse::make : LedgerUse::change;
    db_ = open_ledger(file, use);
    try {
        Transaction t(db_);
        need_ledger_tables(db_, file, use);
        check_whole();
        t.commit();
    } catch (...) {
        sqlite3_close(db_);
        throw;
    }
}

Ledger::Ledger(const fs::path& file, Look) : file_(file)
{
    if (!is_taken(file))
        throw InputError(file.string(), "there is no study here; want the folder of a study that "
                                        "was begun, or its ledger study.sqlite");
    db_ = open_ledger(file, LedgerUse::look);
    try {
        need_ledger_tables(db_, file, LedgerUse::look);
        check_whole();
    } catch (...) {
        sqlite3_close(db_);
        throw;
    }
}

Ledger Ledger::to_look_at(const fs::path& file)
{
    return {file, Look()};
}

void Ledger::check_whole()
{
    Statement check(db_, "PRAGMA quick_check(1)");
    if (!check.next())
        return;
    if (const auto found = check.bytes(0); found != "ok")
        refuse_damaged(file_, readable(found));
}

Ledger::~Ledger()
{
    sqlite3_close(db_);
}

std::string Ledger::value(const char* key) const
{
    Statement s(db_, "SELECT value FROM study WHERE key = ?");
    return s.with(std::string(key)).next() ? s.text(0) : std::string();
}

void Ledger::plan(const Study& s)
{
    Transaction t(db_);
    const auto put = [&](const char* key, const std::string& text) {
        Statement(db_, "INSERT OR REPLACE INTO study VALUES(?, ?)")
            .with(std::string(key))
            .with(text)
            .run();
    };
    const auto before = digest();
    if (!before.empty() && before != s.digest)
        throw InputError(file_.string(),
                         "is the ledger of another study, or of this one with another session "
                         "or other runs ('" +
                             study_name() + "'); give --out another folder");
    {
        Statement runs(db_, "SELECT count(*), ifnull(min(number), 0), ifnull(max(number), -1) "
                            "FROM runs");
        runs.next();
        const auto n = before.empty() ? 0 : static_cast<std::int64_t>(s.runs.size());
        if (runs.integer(0) != n || runs.integer(1) != 0 || runs.integer(2) != n - 1)
            refuse_damaged(file_, "its runs are not those of the study");
    }
    std::error_code none;
    if (const auto whole = fs::absolute(s.file, none); !none && study_file() != whole)
        put("file", whole.string());
    if (!before.empty())
        return t.commit();
    put("digest", s.digest);
    put("provenance", program_provenance());
    put("name", utf8_of(s.name));
    put("paths", Json(s.paths).dump());
    if (s.population)
        put("calibrate", to_text(s.population->calibrate));
    for (const auto& r : s.runs)
        Statement(db_, "INSERT INTO runs(number, name, settings, state) VALUES(?, ?, ?, 'planned')")
            .with(r.number)
            .with(r.name)
            .with(settings_text(differences(s, r)))
            .run();
    t.commit();
}

std::string Ledger::study_name() const
{
    return value("name");
}

Calibration Ledger::calibration() const
{
    const auto text = value("calibrate");
    return text.empty() ? Calibration() : understood(file_, "limits", text, [&](const Json&) {
        return calibration_of(text);
    });
}

std::string Ledger::digest() const
{
    return value("digest");
}

fs::path Ledger::study_file() const
{
    Statement s(db_, "SELECT value FROM study WHERE key = 'file'");
    return s.next() ? s.bytes(0) : std::string(); // names of files need not be UTF-8
}

std::vector<std::string> Ledger::paths() const
{
    const auto text = value("paths");
    return text.empty() ? std::vector<std::string>() : understood(file_, "keys", text, keys_of);
}

std::vector<Setting> Ledger::settings(std::int64_t run) const
{
    std::vector<Setting> out;
    Statement s(db_, "SELECT settings FROM runs WHERE number = ?");
    if (s.with(run).next())
        understood(file_, "settings", s.text(0), [&](const Json& settings) {
            for (const auto& [path, value] : settings.get_ref<const Json::object_t&>())
                out.emplace_back(path, value.dump());
            return true;
        });
    return out;
}

std::optional<std::int64_t> Ledger::take(const std::string& owner, Share share)
{
    Transaction t(db_);
    std::optional<std::int64_t> found;
    {
        Statement planned(db_, "SELECT number FROM runs WHERE state = 'planned' AND number % ? = ? "
                               "ORDER BY number LIMIT 1");
        if (planned.with(share.parts).with(share.part).next())
            found = planned.integer(0);
    }
    if (!found) {
        Statement begun(db_,
                        "SELECT number, owner, heartbeat FROM runs WHERE state = 'running' AND "
                        "number % ? = ? ORDER BY number");
        begun.with(share.parts).with(share.part);
        while (!found && begun.next())
            if (const auto by = begun.text(1);
                (now_s() - begun.number(2) > silent_s && !lives(by)) || has_ended(by))
                found = begun.integer(0);
    }
    if (found) {
        Statement(db_, "UPDATE runs SET state = 'running', owner = ?, heartbeat = ?, started = ?, "
                       "reason = NULL WHERE number = ?")
            .with(owner)
            .with(now_s())
            .with(now_s())
            .with(*found)
            .run();
        t.commit();
        taken_[*found] = owner;
    }
    return found;
}

std::vector<Ledger::Elsewhere> Ledger::elsewhere(Share share) const
{
    std::vector<Elsewhere> out;
    Statement begun(db_, "SELECT number, owner, heartbeat FROM runs WHERE state = 'running' AND "
                         "number % ? = ? ORDER BY number");
    begun.with(share.parts).with(share.part);
    while (begun.next())
        if (!is_of_this_host(begun.text(1)))
            out.push_back(
                {begun.integer(0), begun.number(2), now_s() - begun.number(2) > silent_s});
    return out;
}

void Ledger::beat(const std::string& owner)
{
    Statement(db_, "UPDATE runs SET heartbeat = ? WHERE owner = ? AND state = 'running'")
        .with(now_s())
        .with(owner)
        .run();
}

bool Ledger::owns(std::int64_t run) const
{
    Statement s(db_, "SELECT 1 FROM runs WHERE number = ? AND owner = ? AND state = 'running'");
    return s.with(run).with(taken_by(run)).next();
}

const std::string& Ledger::taken_by(std::int64_t run) const
{
    static const std::string nobody;
    const auto found = taken_.find(run);
    return found != taken_.end() ? found->second : nobody;
}

bool Ledger::done(std::int64_t run, double seconds, const Results& results,
                  const std::map<std::string, std::string>& outputs)
{
    Transaction t(db_);
    if (!owns(run))
        return false;
    Statement(db_, "UPDATE runs SET state = 'done', seconds = ?, outputs = ? WHERE number = ?")
        .with(seconds)
        .with(Json(outputs).dump(-1, ' ', false, Json::error_handler_t::replace))
        .with(run)
        .run();
    Statement(db_, "DELETE FROM results WHERE run = ?").with(run).run();
    for (const auto& [name, value] : results)
        Statement(db_, "INSERT INTO results VALUES(?, ?, ?)")
            .with(run)
            .with(name)
            .with(value)
            .run();
    t.commit();
    return true;
}

bool Ledger::failed(std::int64_t run, double seconds, const std::string& reason)
{
    Transaction t(db_);
    if (!owns(run))
        return false;
    Statement(db_, "UPDATE runs SET state = 'failed', seconds = ?, reason = ? WHERE number = ?")
        .with(seconds)
        .with(utf8_of(reason))
        .with(run)
        .run();
    say(run, "failed: " + reason);
    t.commit();
    return true;
}

void Ledger::give_back(std::int64_t run)
{
    Statement(db_, "UPDATE runs SET state = 'planned', owner = NULL WHERE number = ? AND state = "
                   "'running' AND owner = ?")
        .with(run)
        .with(taken_by(run))
        .run();
}

std::int64_t Ledger::plan_failed_again()
{
    Statement(db_, "UPDATE runs SET state = 'planned', owner = NULL WHERE state = 'failed'").run();
    return sqlite3_changes64(db_);
}

void Ledger::say(std::int64_t run, const std::string& text)
{
    Statement(db_, "INSERT INTO log VALUES(?, ?, ?)").with(now_s()).with(run).with(text).run();
}

Counts Ledger::counts() const
{
    Counts out{};
    Statement s(db_, "SELECT state, count(*) FROM runs GROUP BY state");
    while (s.next())
        out[static_cast<std::size_t>(state_of(s.text(0)))] += s.integer(1);
    return out;
}

std::vector<LedgerRow> Ledger::rows() const
{
    std::vector<LedgerRow> out;
    Statement s(db_,
                "SELECT number, name, state, owner, seconds, reason, started, heartbeat FROM runs "
                "ORDER BY number");
    while (s.next()) {
        LedgerRow r;
        r.number = s.integer(0), r.name = s.text(1);
        if (r.number != static_cast<std::int64_t>(out.size()) || !names_a_folder(r.name))
            refuse_damaged(file_, "its runs are not those of a study");
        r.state = state_of(s.text(2));
        if (r.state == State::running)
            r.owner = s.text(3), r.started_s = s.number(6), r.heartbeat_s = s.number(7);
        r.seconds = s.number(4);
        if (r.state == State::failed)
            r.reason = s.text(5);
        out.push_back(std::move(r));
    }
    Statement results(db_, "SELECT run, name, value FROM results");
    while (results.next()) {
        const auto run = results.integer(0);
        if (run < 0 || static_cast<std::size_t>(run) >= out.size())
            throw InputError(file_.string(), "the ledger is damaged: it has a result of run " +
                                                 std::to_string(run) + ", but no such run");
        if (auto& row = out[static_cast<std::size_t>(run)]; row.state == State::done)
            row.results[results.text(1)] = results.number(2);
    }
    return out;
}

} // namespace tawara::study
