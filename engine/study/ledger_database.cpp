// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/ledger_database.hpp"

#include "engine/core/error.hpp"
#include "engine/core/utf8.hpp"
#include "engine/study/ledger_file.hpp"
#include "engine/study/ledger_text.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <sqlite3.h>

namespace tawara::study {
namespace {

namespace fs = std::filesystem;

constexpr int patience_ms = 60'000;

/// What a ledger's database holds; no SQL: SQLite makes it with its table.
struct SchemaObject
{
    const char *type, *name, *table, *sql;
};
constexpr std::array<SchemaObject, 8> schema{{
    {"table", "study", "study", "CREATE TABLE study(key TEXT PRIMARY KEY, value TEXT NOT NULL)"},
    {"index", "sqlite_autoindex_study_1", "study", nullptr},
    {"table", "runs", "runs",
     "CREATE TABLE runs(number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, settings TEXT "
     "NOT NULL, state TEXT NOT NULL CHECK(state IN ('planned','running','done','failed')), "
     "owner TEXT, heartbeat REAL, started REAL, seconds REAL, reason TEXT, outputs TEXT)"},
    {"index", "sqlite_autoindex_runs_1", "runs", nullptr},
    {"table", "results", "results",
     "CREATE TABLE results(run INTEGER NOT NULL REFERENCES runs(number), name TEXT NOT NULL, "
     "value REAL, PRIMARY KEY(run, name))"},
    {"index", "sqlite_autoindex_results_1", "results", nullptr},
    {"table", "log", "log",
     "CREATE TABLE log(time REAL NOT NULL, run INTEGER, text TEXT NOT NULL)"},
    {"index", "runs_by_state", "runs", "CREATE INDEX runs_by_state ON runs(state, number)"},
}};

/// What is in the database and not a ledger's, or is missing; empty: nothing.
std::string schema_fault(sqlite3* db)
{
    std::bitset<schema.size()> there;
    Statement found(db, "SELECT type, name, tbl_name, sql FROM sqlite_master");
    while (found.next()) {
        const auto type = found.bytes(0), name = found.bytes(1);
        const auto what = shortened(readable(type + " " + name), 80);
        const auto* const is = std::find_if(schema.begin(), schema.end(), [&](const auto& o) {
            return type == o.type && name == o.name;
        });
        if (is == schema.end())
            return "it holds the " + what;
        if (found.bytes(2) != is->table || found.bytes(3) != (is->sql ? is->sql : ""))
            return "its " + what + " is another than a ledger's";
        there.set(static_cast<std::size_t>(is - schema.begin()));
    }
    for (std::size_t k = 0; k < schema.size(); ++k)
        if (!there[k])
            return std::string("no such ") + schema[k].type + ": " + schema[k].name;
    return {};
}

bool is_empty(sqlite3* db)
{
    return !Statement(db, "SELECT 1 FROM sqlite_master LIMIT 1").next();
}

std::int64_t pragma(sqlite3* db, const char* sql)
{
    Statement s(db, sql);
    return s.next() ? s.integer(0) : 0;
}

/// What the database says that it is, as the heads of databases do.
LedgerHead head_of(sqlite3* db)
{
    return {pragma(db, "PRAGMA application_id"), pragma(db, "PRAGMA user_version")};
}

void make_tables(sqlite3* db)
{
    for (const auto& o : schema)
        if (o.sql != nullptr)
            Statement(db, o.sql).run();
    for (const auto& [key, value] : {std::pair("application_id", LedgerHead::tawara),
                                     std::pair("user_version", LedgerHead::current)}) {
        const auto set = std::string("PRAGMA ") + key + " = " + std::to_string(value);
        Statement(db, set.c_str()).run();
    }
}

/// Nothing that the file brings along acts.
void disarm(sqlite3* db)
{
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
#ifdef SQLITE_DBCONFIG_TRUSTED_SCHEMA
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
#endif
#ifdef SQLITE_DBCONFIG_ENABLE_VIEW
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
#endif
}

} // namespace

sqlite3* open_ledger(const fs::path& file, LedgerUse use)
{
    need_plain_ledger(file);
    need_head_of_ledger(file, use == LedgerUse::make);
    need_journal_of_one(file);
    int how = use == LedgerUse::look ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    how |= SQLITE_OPEN_NOFOLLOW | (use == LedgerUse::make ? SQLITE_OPEN_CREATE : 0);
    sqlite3* db = nullptr;
    if (sqlite3_open_v2(through_no_link(file).c_str(), &db, how, nullptr) != SQLITE_OK) {
        const std::string why = sqlite3_errmsg(db);
        sqlite3_close(db);
        throw InputError(file.string(), "the ledger cannot be opened: " + why +
                                            "; run the study into another folder by --out");
    }
    disarm(db);
    sqlite3_busy_timeout(db, patience_ms);
    return db;
}

void need_ledger_tables(sqlite3* db, const fs::path& file, LedgerUse use)
{
    const auto head = head_of(db);
    if (use == LedgerUse::make && head.is_blank() && is_empty(db))
        return make_tables(db);
    head.need(file);
    const auto fault = schema_fault(db);
    if (fault.empty())
        return;
    if (head.application == LedgerHead::tawara)
        refuse_damaged(file, fault);
    refuse_foreign(file, fault);
}

Statement::Statement(sqlite3* db, const char* sql) : db_(db)
{
    if (sqlite3_prepare_v2(db, sql, -1, &s_, nullptr) != SQLITE_OK)
        fail();
}

Statement::~Statement()
{
    sqlite3_finalize(s_);
}

Statement& Statement::with(std::int64_t x)
{
    return ok(sqlite3_bind_int64(s_, ++bound_, x));
}

Statement& Statement::with(double x)
{
    return ok(sqlite3_bind_double(s_, ++bound_, x));
}

Statement& Statement::with(const std::string& x)
{
    return ok(sqlite3_bind_text(s_, ++bound_, x.data(), static_cast<int>(x.size()),
                                SQLITE_TRANSIENT)); // NOLINT: the library's own constant
}

bool Statement::next()
{
    const int status = sqlite3_step(s_);
    if (status != SQLITE_ROW && status != SQLITE_DONE)
        fail();
    return status == SQLITE_ROW;
}

std::int64_t Statement::integer(int column) const
{
    return sqlite3_column_int64(s_, column);
}

double Statement::number(int column) const
{
    return sqlite3_column_double(s_, column);
}

std::string Statement::bytes(int column) const
{
    const auto* t = reinterpret_cast<const char*>(sqlite3_column_text(s_, column));
    return t == nullptr
               ? std::string()
               : std::string(t, static_cast<std::size_t>(sqlite3_column_bytes(s_, column)));
}

std::string Statement::text(int column) const
{
    auto t = bytes(column);
    if (!is_utf8(t))
        refuse_damaged(sqlite3_db_filename(db_, "main"), "a text in it is not UTF-8");
    return t;
}

Statement& Statement::ok(int status)
{
    if (status != SQLITE_OK)
        fail();
    return *this;
}

void Statement::fail() const
{
    constexpr int primary = 0xFF; // of an extended code
    const std::string file = sqlite3_db_filename(db_, "main"), why = readable(sqlite3_errmsg(db_));
    const int extended = sqlite3_extended_errcode(db_), code = extended & primary;
    // an error of SQL: its tables are not those that this program makes
    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_ERROR)
        refuse_damaged(file, why);
    if (extended == SQLITE_READONLY_ROLLBACK)
        throw InputError(file, "a program ended while it wrote to the ledger; tawara-cli study run "
                               "takes back what is half written, which looking does not");
    if (code == SQLITE_IOERR)
        throw InputError(file, "the ledger cannot be read or written (" + why +
                                   "); put it back from a copy, or run the study into "
                                   "another folder by --out");
    throw InputError(file, "the ledger cannot be used: " + why);
}

Transaction::~Transaction()
{
    if (!committed_)
        sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit()
{
    Statement(db_, "COMMIT").run();
    committed_ = true;
}

} // namespace tawara::study
