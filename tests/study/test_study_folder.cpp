// SPDX-License-Identifier: GPL-3.0-or-later
// Folders of studies: links in them, folders that cannot be written, ledgers that are damaged.
#include "engine/core/error.hpp"
#include "engine/study/ledger.hpp"
#include "engine/study/restitution_record.hpp"
#include "engine/study/run_folder.hpp"
#include "engine/study/scheduler.hpp"
#include "engine/study/site_record.hpp"
#include "engine/study/study_results.hpp"
#include "engine/study/watch.hpp"
#include "tests/several.hpp"
#include "tests/slowdown.hpp"
#include "tests/study/study_place.hpp"

#include <QtTest>
#include <algorithm>
#include <chrono>
#include <functional>
#include <sys/stat.h>

using namespace tawara;
using namespace tawara::study;
using namespace tawara::test;
namespace fs = std::filesystem;

namespace {

/// Of the two runs, with frames and checkpoints every half millisecond.
std::string with_outputs(const std::string& more)
{
    auto text = two_runs;
    text.insert(text.find("\"axes\""), more);
    const std::string time = R"("time": {)";
    text.insert(text.find(time), R"("output": {"frames_every_ms": 0.5, "checkpoint_every_ms": 0.5,
 "checkpoints_kept": 0}, )");
    return text;
}

} // namespace

class TestStudyFolder : public QObject
{
    Q_OBJECT

  private Q_SLOTS:
    void aRunWithoutAFolderFailsAlone()
    {
        const std::pair<std::function<void(const fs::path&)>, const char*> in_the_way[]{
            {[](const fs::path& f) { fs::create_directory_symlink("../thesis", f); },
             "run-0: is a symbolic link"},
            {[](const fs::path& f) { put_text(f, precious); }, "run-0: is no folder"},
            {[](const fs::path& f) { mkfifo(f.c_str(), 0600); }, "run-0: is no folder"}};
        for (const auto& [put, says] : in_the_way) {
            const Place p;
            fs::create_directories(p.out);
            put(p.out / "run-0");
            const auto type = fs::symlink_status(p.out / "run-0").type();
            const auto outcome = p.run(p.out);
            QCOMPARE(outcome.done, std::int64_t(1));
            QCOMPARE(outcome.failed.size(), std::size_t(1));
            QVERIFY2(has(outcome.failed[0].reason, says), outcome.failed[0].reason.c_str());
            QVERIFY(fs::exists(p.out / "run-1" / "report.json"));
            QVERIFY(p.untouched() && fs::symlink_status(p.out / "run-0").type() == type);
        }
    }

    /// A user's notes may have names that begin like those of results.
    void onlyWhatARunHasWrittenGoes()
    {
        const Place p(with_outputs(R"("keep": [], )"));
        const auto run = p.out / "run-1";
        const std::vector<fs::path> mine{
            run / "notes" / "day-1.txt", run / "frames-of-mine" / "1.png",
            run / "frames" / "a.txt",    run / "ecg of the patient.txt",
            run / "activation.old.csv",  run / "checkpoint-mine.tcp",
            run / "checkpoint-1ms.tcp"};
        for (const auto& f : mine)
            put_text(f, precious);
        const auto outcome = p.run(p.out);
        QCOMPARE(outcome.done, std::int64_t(2));
        for (const auto& f : mine)
            QVERIFY2(text_of(f) == precious, f.c_str());
        QVERIFY(fs::exists(run / "report.json"));
        for (const char* gone :
             {"activation.csv", "activation.vtu", "frames.pvd", "frames/000000025.vtu"})
            QVERIFY2(!fs::exists(run / gone), gone);
        QVERIFY(checkpoints_in(run).empty());
        QVERIFY(!fs::exists(p.out / "run-0" / "frames"));
        const auto kept = digests(run);
        QVERIFY(kept.contains("report.json") && kept.contains("probes.csv"));
        QVERIFY(!kept.contains("activation.old.csv"));
        fs::remove(run / "probes.csv");
        fs::create_symlink(p.victim / "report.json", run / "probes.csv");
        QVERIFY(!digests(run).contains("probes.csv"));
    }

    /// What fails beside a checkpoint leaves it as good as it was: on a full disk a run began anew.
    void aRunGoesOnFromItsNewestWholeCheckpoint()
    {
        const Place p(with_outputs(""));
        const auto run = p.out / "run-1";
        const auto at = [&](const char* ms) {
            return run / (std::string("checkpoint-00000000.") + ms + "ms.tcp");
        };
        std::string said;
        const auto again = [&](bool failed) {
            said.clear();
            StudyOptions o;
            o.out = p.out;
            o.device.devices = "cpu";
            o.at_once = 1;
            o.failed_again = failed;
            o.notice = [&](const Notice& n) { said += n.text + "\n"; };
            return run_study(p.study, o, {});
        };
        const auto planned = "UPDATE runs SET state = 'planned', owner = NULL WHERE number = 1";
        QCOMPARE(again(false).done, std::int64_t(2));
        const auto all = checkpoints_in(run).size();
        QVERIFY(all >= 3);
        fs::remove(checkpoints_in(run).front());
        QVERIFY(p.changed(planned));
        fs::remove(run / "activation.csv");
        fs::create_directory(run / "activation.csv");
        const auto outcome = again(false);
        QCOMPARE(outcome.failed.size(), std::size_t(1));
        QVERIFY2(has(outcome.failed[0].reason, "activation.csv: is a folder"), said.c_str());
        QVERIFY2(said.find("begins") == std::string::npos, said.c_str());
        QCOMPARE(checkpoints_in(run).size(), all - 1);
        // a newer one that is damaged
        fs::remove(run / "activation.csv");
        const auto newest = checkpoints_in(run).front(), before = checkpoints_in(run).at(1);
        const auto whole = text_of(newest);
        put_text(newest, whole.substr(0, whole.size() / 2));
        fs::last_write_time(at("500"), fs::last_write_time(newest) + std::chrono::hours(1));
        QCOMPARE(again(true).done, std::int64_t(2));
        const auto name = before.filename().string();
        QVERIFY2(said.find("run-1 goes on from " + name + ", since a later one is no good: ") !=
                     std::string::npos,
                 said.c_str());
        QVERIFY(
            text_of(run / "report.json").find("\"resumed_from\": \"" + before.string() + "\"") !=
            std::string::npos);
        // and none
        QCOMPARE(checkpoints_in(run).size(), all);
        for (const auto& checkpoint : checkpoints_in(run))
            put_text(checkpoint, "damaged");
        QVERIFY(p.changed(planned));
        QCOMPARE(again(false).done, std::int64_t(2));
        const auto says = "run-1 begins from 0 ms, since none of its " + std::to_string(all) +
                          " checkpoints is good; the newest: ";
        QVERIFY2(said.find(says) != std::string::npos, said.c_str());
    }

    void aReportThatIsNoneLeavesTheOthersOnThePage()
    {
        auto text = two_runs;
        const std::string axes = R"("axes": {"time.end_ms": [1, 2]})";
        text.replace(
            text.find(axes), axes.size(),
            R"("induction": {"sites": [3, 7], "s1": {"cycle_ms": 400, "count": 2}, "extra": 2})");
        const Place p(text);
        fs::create_directories(p.out);
        Ledger ledger(p.ledger, true);
        ledger.plan(p.study);
        for (int k = 0; k < 2; ++k) {
            QCOMPARE(ledger.take(this_owner(), {}), std::optional<std::int64_t>(k));
            QVERIFY(ledger.done(k, 1, {}, {}));
        }
        put_text(p.out / "run-0" / "report.json",
                 R"({"induction": {"site": "s", "segment": 3, "place_mm": [0, 0, 0], "before": )"
                 R"({"shortest_captured_ms": [], "trials": 1, "exit_segment": 0, )"
                 R"("worst": {"couplings_ms": [], "outcome": "none"}}}})");
        put_text(p.out / "run-1" / "report.json", "{}");
        const auto view = StudyWatch(p.out).look();
        QVERIFY(view.runs[0].site && !view.runs[1].site);
        QCOMPARE(view.left_out.size(), std::size_t(1));
        QVERIFY(has(view.left_out[0].text, "the site of run-1 is left out: "));
        write_results(ledger, p.out);
        const auto table = text_of(p.out / "induction.csv");
        QVERIFY2(table.find("run-0,") != std::string::npos, table.c_str());
        QVERIFY2(table.find("run-1,") == std::string::npos, table.c_str());
        QVERIFY(text_of(p.out / "report.html").find("run-1 is left out: ") != std::string::npos);
    }

    void theLedgerIsAPlainFile()
    {
        for (const char* name : {"study.sqlite", "study.sqlite-journal"})
            for (const char* to : {"../thesis/report.json", "../nowhere"}) {
                const Place p;
                fs::create_directories(p.out);
                fs::create_symlink(to, p.out / name);
                const auto why = p.why_not();
                QVERIFY2(has(why, std::string(name) + ": is a symbolic link"), why.c_str());
                QVERIFY(p.untouched() && !fs::exists(p.root / "nowhere"));
                QVERIFY(!fs::exists(p.out / "run-0"));
            }
        const Place p;
        fs::create_directories(p.out);
        QCOMPARE(mkfifo(p.ledger.c_str(), 0600), 0);
        const auto why = p.why_not();
        QVERIFY2(has(why, "study.sqlite: is no plain file"), why.c_str());
        const auto seen = refused([&] { Ledger::to_look_at(p.ledger); });
        QVERIFY2(has(seen, "is no plain file"), seen.c_str());
    }

    void linksUnderNamesOfFilesAreReplaced()
    {
        const Place p;
        fs::create_directories(p.out / "run-0");
        const std::vector<fs::path> files{p.out / "results.csv", p.out / "report.html",
                                          p.out / "run-0" / "report.json"};
        const auto link_all = [&] {
            for (const auto& f : files) {
                fs::remove(f);
                fs::create_symlink(p.victim / "report.json", f);
            }
        };
        link_all();
        QCOMPARE(p.run(p.out).done, std::int64_t(2));
        QVERIFY(p.untouched());
        for (const auto& f : files)
            QVERIFY2(fs::is_regular_file(fs::symlink_status(f)), f.c_str());
        link_all();
        write_results(Ledger(p.ledger, false), p.out); // as `study report` does
        QVERIFY(p.untouched());
        QVERIFY(!fs::is_symlink(files[0]) && !fs::is_symlink(files[1]));
    }

    /// The folder that the user named may be a link.
    void theStudysOwnFolderMayBeALink()
    {
        const Place p;
        fs::create_directories(p.root / "disk");
        fs::create_directory_symlink("disk", p.out);
        QCOMPARE(p.run(p.out).done, std::int64_t(2));
        QVERIFY(fs::exists(p.root / "disk" / "results.csv"));
        QVERIFY(fs::is_symlink(p.out));
    }

    void foldersThatCannotBeMadeAreSaid()
    {
        const Place p;
        put_text(p.root / "file", precious);
        fs::create_symlink("nowhere", p.root / "dangling");
        for (const auto& into : {p.root / "file", p.root / "file" / "below",
                                 p.root / std::string(300, 'x'), p.root / "dangling"}) {
            const auto why = refused([&] { p.run(into); });
            QVERIFY2(has(why, "; choose another folder"), into.c_str());
            QVERIFY2(why.starts_with(into.string()), why.c_str());
        }
        const auto why = refused([&] { p.run(p.root / "dangling"); });
        QVERIFY2(has(why, "dangling: is a symbolic link to nothing: there is no "), why.c_str());
        QCOMPARE(text_of(p.root / "file"), precious);
        QVERIFY(!fs::exists(p.root / "nowhere"));
    }

    void damagedLedgersAreRefused()
    {
        const Place p;
        p.run(p.out);
        const auto whole = text_of(p.ledger);
        const auto says = [&](const std::string& bytes) {
            put_text(p.ledger, bytes);
            const auto why = p.why_not();
            return has(why, "the ledger is damaged (") && has(why, "put it back from a copy") &&
                   has(refused([&] { Ledger::to_look_at(p.ledger); }), "the ledger is damaged (");
        };
        QVERIFY(says(precious + std::string(4096, 'x'))); // no database
        auto torn = whole;
        constexpr std::size_t page = 4096;
        for (std::size_t at = page; at + 8 <= torn.size(); at += page)
            std::fill_n(torn.begin() + static_cast<std::ptrdiff_t>(at), 8, '\x7F');
        QVERIFY(torn.size() > page);
        QVERIFY(says(torn)); // heads of pages
        put_text(p.ledger, whole);
        QVERIFY(p.why_not().empty());
    }

    void textsThatNoStudyWritesAreRefused()
    {
        const Place p;
        p.run(p.out);
        QVERIFY(p.changed("UPDATE runs SET name = CAST(x'72FF6E' AS TEXT) WHERE number = 1"));
        auto why = p.why_not();
        QVERIFY2(has(why, "a text in it is not UTF-8"), why.c_str());
        QVERIFY(p.changed("UPDATE runs SET name = 'run-1', number = 70000 WHERE number = 1"));
        why = p.why_not();
        QVERIFY2(has(why, "its runs are not those of the study"), why.c_str());
        QVERIFY(p.changed("DROP TABLE runs"));
        why = p.why_not();
        QVERIFY2(has(why, "the ledger is damaged (no such table: runs)"), why.c_str());
    }

    /// What looks at a study takes runs by their numbers, and reads below their folders: of the
    /// root it would look through the whole disk.
    void runsOfALedgerAreThoseOfAStudy()
    {
        const Place p;
        p.run(p.out);
        const auto why = [&] { return refused([&] { Ledger::to_look_at(p.ledger).rows(); }); };
        QCOMPARE(why(), std::string());
        for (const char* name : {"'/'", "'../thesis'", "'..'", "''", "CAST(x'2E2E0061' AS TEXT)"}) {
            QVERIFY(p.changed(std::string("UPDATE runs SET name = ") + name + " WHERE number = 1"));
            QVERIFY2(has(why(), "the ledger is damaged ("), name);
        }
        QVERIFY(p.changed("UPDATE runs SET name = 'run-1' WHERE number = 1"));
        QCOMPARE(why(), std::string());
        QVERIFY(p.changed("UPDATE runs SET number = 7 WHERE number = 1"));
        QVERIFY2(has(why(), "its runs are not those of a study"), why().c_str());
    }

    /// A run's folder that is a link to the root would be the whole disk.
    void whatALinkLeadsToIsNotCounted()
    {
        constexpr std::size_t large = 10'000'000;
        const Place p;
        p.run(p.out);
        put_text(p.root / "elsewhere" / "large", std::string(large, 'x'));
        fs::remove_all(p.out / "run-1");
        fs::create_directory_symlink("../elsewhere", p.out / "run-1");
        fs::create_symlink("../../elsewhere/large", p.out / "run-0" / "large");
        QVERIFY(fs::is_regular_file(p.out / "run-0" / "large"));
        const auto bytes = StudyWatch(p.out).look().run_bytes;
        QVERIFY2(bytes > 0 && bytes < large / 2, qPrintable(QString::number(bytes)));
    }

    /// Limits are of members, and settings have names; what a ledger says else is of no study.
    void limitsWithoutMembersAreNone()
    {
        const Place p;
        p.run(p.out);
        QVERIFY(p.changed(R"(INSERT INTO study VALUES('calibrate', '{"seconds": [0, 1]}'))"));
        const auto ledger = Ledger::to_look_at(p.ledger);
        QCOMPARE(ledger.calibration().size(), std::size_t(1));
        write_results(ledger, p.out);
        QVERIFY(text_of(p.out / "results.csv").find(",accepted") == std::string::npos);
        QVERIFY(p.changed("UPDATE runs SET settings = '[1, 2]' WHERE number = 1"));
        QVERIFY(has(refused([&] { ledger.settings(1); }), "record of its settings is damaged"));
        std::string keys = R"(["k")";
        for (int k = 0; k < 1005; ++k)
            keys += R"(, "k")";
        QVERIFY(p.changed("UPDATE study SET value = '" + keys + "]' WHERE key = 'paths'"));
        QVERIFY(has(refused([&] { ledger.paths(); }), "record of its keys is damaged"));
    }

    /// A segment is a place in a picture of 17.
    void segmentsOfASiteAreThoseOfAHeart()
    {
        const Place p;
        const auto report = p.root / "report.json";
        const auto site = [&](const std::string& segment, const std::string& exit,
                              const std::string& intervals) {
            put_text(report,
                     R"({"induction": {"site": "s", "segment": )" + segment +
                         R"(, "place_mm": [0, 0, 0], "before": {"shortest_captured_ms": [)" +
                         intervals + R"(], "trials": 1, "exit_segment": )" + exit +
                         R"(, "worst": {"couplings_ms": [], "outcome": "none"}}}})");
            return reported_site(report);
        };
        QCOMPARE(site("17", "0", "300, 250").segment, 17);
        QCOMPARE(site("0", "17", "").exit_segment, 17);
        for (const char* wrong : {"18", "-1", "1000000", "1e300", "1.5", "18446744073709551615"}) {
            QVERIFY2(!refused([&] { site(wrong, "0", ""); }).empty(), wrong);
            QVERIFY2(!refused([&] { site("1", wrong, ""); }).empty(), wrong);
        }
        QVERIFY(!refused([&] { site("1", "1", "9, 8, 7, 6, 5, 4, 3, 2, 1"); }).empty());
    }

    /// Records of runs that would be whole without so many keys, each of which is looked for among
    /// all before it.
    void recordsBeyondBoundsAreDamagedOnes()
    {
        std::string keys;
        for (int k = 0; k < 20'000; ++k)
            keys += ", \"" + std::to_string(k) + "\": {}";
        const Place p;
        const auto trials = p.root / "search.json", beats = p.root / "beats.json",
                   report = p.root / "report.json";
        const auto put_all = [&](const std::string& more) {
            put_text(trials, R"({"before": [], "after": [])" + more + "}");
            put_text(beats, R"([{"interval_ms": 300, "beat": 1, "probe": "p", "captured": false)" +
                                more + "}]");
            const std::string found =
                R"({"shortest_captured_ms": [], "trials": 1, "exit_segment": )"
                R"(0, "worst": {"couplings_ms": [], "outcome": "none"}})";
            put_text(report, R"({"induction": {"site": "s", "segment": 0, "place_mm": [0, 0, 0], )"
                             R"("before": )" +
                                 found + "}" + more + "}");
        };
        put_all("");
        QVERIFY(TrialStore(trials).known(false).empty());
        QCOMPARE(RestitutionStore(beats).beats().size(), std::size_t(1));
        QCOMPARE(reported_site(report).site, std::string("s"));
        for (const auto& more : {keys, ", \"x\": " + std::string(100'000, '[')}) {
            put_all(more);
            QElapsedTimer clock;
            clock.start();
            auto why = refused([&] { TrialStore{trials}; });
            QVERIFY2(has(why, "search.json: this is no list of trials; remove"), why.c_str());
            why = refused([&] { RestitutionStore{beats}; });
            QVERIFY2(has(why, "beats.json: this is no list of beats; remove"), why.c_str());
            why = refused([&] { reported_site(report); });
            QVERIFY2(has(why, "report.json: this is no report of a site"), why.c_str());
            QVERIFY2(clock.elapsed() < 1000 * tawara::test::slowdown,
                     qPrintable(QString::number(clock.elapsed())));
        }
    }

    /// What a study writes it reads again, be it of names that are not UTF-8.
    void whatIsWrittenIsReadAgain()
    {
        const Place p;
        auto s = p.study;
        s.name = "\xFFname";
        s.file = p.root / "\xFFtwo.json";
        Ledger ledger(p.root / "made.sqlite", true);
        ledger.plan(s);
        QCOMPARE(ledger.take(this_owner(), {}), std::optional<std::int64_t>(0));
        QVERIFY(ledger.failed(0, 1, "no such file: \xFF"));
        QCOMPARE(ledger.study_file(), s.file);
        QCOMPARE(ledger.study_name(), std::string("\xC3\xBFname"));
        QCOMPARE(ledger.rows().at(0).reason, std::string("no such file: \xC3\xBF"));
    }
};

static Further<TestStudyFolder> study_folder;
#include "test_study_folder.moc"
