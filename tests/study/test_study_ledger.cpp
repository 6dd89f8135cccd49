// SPDX-License-Identifier: GPL-3.0-or-later
// Ledgers as files of others: databases of other programs, SQL that a ledger brings along.
#include "engine/cli/cli.hpp"
#include "engine/study/ledger.hpp"
#include "tests/several.hpp"
#include "tests/study/study_place.hpp"

#include <QtTest>
#include <algorithm>
#include <map>
#include <sstream>

using namespace tawara;
using namespace tawara::study;
using namespace tawara::test;
namespace fs = std::filesystem;

namespace {

struct Said
{
    int status;
    std::string out, err;
};
Said command(const std::vector<std::string>& args)
{
    std::ostringstream out, err;
    const int status = cli::run(args, {out, err, {}, false, nullptr, nullptr, {1}});
    return {status, out.str(), err.str()};
}

/// All files of a folder with their content.
std::map<fs::path, std::string> content_of(const fs::path& folder)
{
    std::map<fs::path, std::string> out;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.is_regular_file())
            out[entry.path()] = text_of(entry.path());
    return out;
}

} // namespace

class TestStudyLedger : public QObject
{
    Q_OBJECT

    /// Whatever is asked of it, the ledger is refused by such a line and stays as it is.
    static bool refuses(const Place& p, const std::string& says)
    {
        const auto before = content_of(p.out);
        const auto status = command({"study", "status", p.out.string()});
        const auto report = command({"study", "report", p.out.string()});
        const auto line = "error: " + p.ledger.string() + ": ";
        bool good = true;
        for (const auto& s : {status, report})
            good = good && s.status == 2 && s.out.empty() && s.err.starts_with(line) &&
                   s.err.find(says) != std::string::npos &&
                   std::count(s.err.begin(), s.err.end(), '\n') == 1;
        const auto change = refused([&] { Ledger(p.ledger, false); });
        good = good && has(change, says) && has(p.why_not(), says) && before == content_of(p.out);
        if (!good)
            qWarning("%s%s%s", status.err.c_str(), change.c_str(), p.why_not().c_str());
        return good;
    }

  private Q_SLOTS:
    void databasesOfOtherProgramsStayAsTheyAre()
    {
        const std::string table = "CREATE TABLE bookmarks(title TEXT, place TEXT);";
        for (const char* also :
             {"", "PRAGMA user_version = 1", "PRAGMA user_version = 7",
              "PRAGMA application_id = 252006674",
              "PRAGMA application_id = 252006674; PRAGMA user_version = 1",
              "PRAGMA journal_mode = WAL", "DROP TABLE bookmarks; PRAGMA application_id = 5",
              "DROP TABLE bookmarks; CREATE TABLE runs(number); PRAGMA user_version = 1"}) {
            const Place p;
            fs::create_directories(p.out);
            QVERIFY(p.changed(table + also));
            QVERIFY2(refuses(p, "this is no ledger of a study"), also);
        }
    }

    void whoLooksMakesNoLedger()
    {
        const Place p;
        put_text(p.ledger, "");
        for (const char* word : {"status", "report"}) {
            const auto said = command({"study", word, p.out.string()});
            QCOMPARE(said.status, 2);
            QVERIFY2(said.err.find("this is no ledger of a study (it is empty)") !=
                         std::string::npos,
                     said.err.c_str());
            QCOMPARE(content_of(p.out), (std::map<fs::path, std::string>{{p.ledger, ""}}));
        }
        QCOMPARE(p.run(p.out).done, std::int64_t(2)); // of which a study makes one
        const auto before = content_of(p.out);
        QCOMPARE(command({"study", "status", p.out.string()}).status, 0);
        QVERIFY(content_of(p.out) == before);
    }

    void ledgersOfBeforeHaveNoMark()
    {
        const Place p;
        p.run(p.out);
        QVERIFY(p.changed("PRAGMA application_id = 0"));
        QCOMPARE(Ledger::to_look_at(p.ledger).rows().size(), std::size_t(2));
        QCOMPARE(p.run(p.out).done, std::int64_t(2));
        QVERIFY(p.changed("PRAGMA application_id = 1415673676; PRAGMA user_version = 9"));
        QVERIFY(refuses(p, "is a ledger of version 9; this program has version 1"));
    }

    /// A table, an index, a trigger, a view: each has SQL that would run with the program's own.
    void whatALedgerBringsAlongNeverActs()
    {
        const std::pair<const char*, const char*> brought[]{
            {"CREATE TRIGGER t AFTER UPDATE ON runs BEGIN DELETE FROM results; END",
             "it holds the trigger t"},
            {"ALTER TABLE log RENAME TO kept; CREATE VIEW log AS SELECT * FROM kept",
             "it holds the table kept"},
            {"DROP TABLE log; CREATE VIEW log AS SELECT 1 AS time", "it holds the view log"},
            {"ALTER TABLE runs ADD COLUMN x TEXT AS (upper(name))",
             "its table runs is another than a ledger's"},
            {"CREATE INDEX mine ON runs(upper(name))", "it holds the index mine"},
            {"DROP INDEX runs_by_state", "no such index: runs_by_state"}};
        for (const auto& [sql, says] : brought) {
            const Place p;
            p.run(p.out);
            QVERIFY2(p.changed(sql), sql);
            QVERIFY2(refuses(p, std::string("the ledger is damaged (") + says), sql);
            QVERIFY(p.changed("PRAGMA application_id = 0"));
            QVERIFY2(refuses(p, std::string("this is no ledger of a study (") + says), sql);
        }
    }

    /// To take back what a killed program has half written is to write.
    void whoLooksTakesNothingBack()
    {
        const Place p, other;
        p.run(p.out);
        fs::create_directories(other.out);
        sqlite3* db = nullptr;
        QCOMPARE(sqlite3_open(p.ledger.c_str(), &db), SQLITE_OK);
        QCOMPARE(sqlite3_exec(db,
                              "PRAGMA cache_size = 2; BEGIN; WITH RECURSIVE n(k) AS (SELECT 1 "
                              "UNION ALL SELECT k + 1 FROM n WHERE k < 2000) INSERT INTO log "
                              "SELECT 0, k, hex(randomblob(50)) FROM n",
                              nullptr, nullptr, nullptr),
                 SQLITE_OK);
        for (const char* name : {"study.sqlite", "study.sqlite-journal"})
            fs::copy(p.out / name, other.out / name);
        sqlite3_close(db);
        const auto before = content_of(other.out);
        const auto said = command({"study", "status", other.out.string()});
        QCOMPARE(said.status, 2);
        QVERIFY2(said.err.find("a program ended while it wrote to the ledger") != std::string::npos,
                 said.err.c_str());
        QVERIFY(content_of(other.out) == before);
        QCOMPARE(Ledger(other.ledger, false).rows().size(), std::size_t(2));
        QCOMPARE(command({"study", "status", other.out.string()}).status, 0);
    }

    /// SQLite removes the file that such a journal names, once it has taken back what it holds.
    void aJournalNamesNoFurtherFile()
    {
        const Place p;
        p.run(p.out);
        const auto named = (p.victim / "report.json").string();
        const auto number = [](std::uint64_t n) {
            std::string out;
            for (int shift = 24; shift >= 0; shift -= 8)
                out += static_cast<char>(n >> shift & 0xFFU);
            return out;
        };
        constexpr std::uint64_t sector = 512, page = 4096, lock_page = 0x40000000 / page + 1;
        const std::string magic("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);
        std::uint64_t sum = 0;
        for (const char c : named)
            sum += static_cast<std::uint64_t>(static_cast<std::int64_t>(c));
        auto journal = magic + number(0) + number(1) + number(fs::file_size(p.ledger) / page) +
                       number(sector) + number(page);
        journal.resize(sector);
        journal += number(lock_page) + named + number(named.size()) + number(sum) + magic;
        put_text(p.out / "study.sqlite-journal", journal);
        const auto before = content_of(p.out);
        QVERIFY2(p.why_not().find("names another file") != std::string::npos, p.why_not().c_str());
        QVERIFY(has(refused([&] { Ledger::to_look_at(p.ledger); }), "names another file"));
        QVERIFY(p.untouched() && content_of(p.out) == before);
    }
};

static Further<TestStudyLedger> study_ledger;
#include "test_study_ledger.moc"
