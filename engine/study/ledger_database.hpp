// SPDX-License-Identifier: GPL-3.0-or-later
// The database that a ledger is: opened so that nothing in it acts by itself, and what is asked of
// it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace tawara::study {

enum class LedgerUse {
    make,   ///< one that is not there, or is an empty file, is made
    change, ///< it is there
    look    ///< nothing is written to it or beside it
};

/// Opens the database of a ledger. SQL that a file brings along does not act: no triggers, no
/// views, no functions but those that cannot harm.
/// @throws InputError where it is a link or no plain file, its head is that of another program's
///                    database, or it cannot be opened
sqlite3* open_ledger(const std::filesystem::path& file, LedgerUse use);

/// Makes the tables of a ledger where `use` is to make and there is nothing in the database.
/// Else that it holds these alone, word for word: no trigger, no view, no column that is computed.
/// @pre a transaction, where it may make them
/// @throws InputError
void need_ledger_tables(sqlite3* db, const std::filesystem::path& file, LedgerUse use);

/// A statement with its values; columns are read while next() is true.
class Statement
{
  public:
    Statement(sqlite3* db, const char* sql);
    ~Statement();
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    Statement& with(std::int64_t x);
    Statement& with(double x);
    Statement& with(const std::string& x);
    bool next();
    void run() { next(); }
    std::int64_t integer(int column) const;
    double number(int column) const;
    std::string bytes(int column) const;
    /// @throws InputError where it is not UTF-8
    std::string text(int column) const;

  private:
    Statement& ok(int status);
    [[noreturn]] void fail() const;
    sqlite3* db_;
    sqlite3_stmt* s_ = nullptr;
    int bound_ = 0;
};

/// All or nothing; other programs wait meanwhile.
class Transaction
{
  public:
    explicit Transaction(sqlite3* db) : db_(db) { Statement(db, "BEGIN IMMEDIATE").run(); }
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit();

  private:
    sqlite3* db_;
    bool committed_ = false;
};

} // namespace tawara::study
