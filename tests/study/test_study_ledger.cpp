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
};

static Further<TestStudyLedger> study_ledger;
#include "test_study_ledger.moc"
