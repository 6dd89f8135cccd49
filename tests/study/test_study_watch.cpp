// SPDX-License-Identifier: GPL-3.0-or-later
// Studies that programs make, look at and forecast.
#include "engine/core/error.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/study/forecast.hpp"
#include "engine/study/open_run.hpp"
#include "engine/study/scheduler.hpp"
#include "tests/several.hpp"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <fstream>
#include <sqlite3.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tawara;
using namespace tawara::study;

namespace {

const std::string short_session =
    R"({"schema": 1, "mesh": {"slab_mm": [3, 1, 1], "spacing_mm": 0.5},
 "tissue": {"regions": [{"label": "*", "model": "ten_tusscher_2006", "variant": "epi",
 "conductivity_S_per_m": {"fibre": 0.2, "sheet": 0.1, "normal": 0.1}}]},
 "time": {"dt_ms": 0.02, "end_ms": 50}, "diffusion": {"scheme": "p1"}, "stimuli": []})";

void put(const std::filesystem::path& file, const std::string& text)
{
    write_whole(file, [&](std::ostream& out) { out << text; });
}

NewStudy of_times()
{
    NewStudy s;
    s.name = "times";
    s.axes = {{"time.end_ms", {"10", "20"}}, {"tissue.regions.0.variant", {"\"epi\""}}};
    return s;
}

/// A process that waits until it is told to end.
class Sleeper
{
  public:
    Sleeper() : pid_(fork())
    {
        if (pid_ != 0)
            return;
        pause();
        _exit(0);
    }
    ~Sleeper() { end(); }
    Sleeper(const Sleeper&) = delete;
    Sleeper& operator=(const Sleeper&) = delete;
    pid_t pid() const { return pid_; }
    std::string owner() const
    {
        std::ifstream in("/proc/" + std::to_string(pid_) + "/stat");
        const std::string text((std::istreambuf_iterator<char>(in)), {});
        const auto fields = QString::fromStdString(text.substr(text.rfind(')') + 2)).split(' ');
        const auto me = this_owner();
        return me.substr(0, me.find(':')) + ":" + std::to_string(pid_) + ":" +
               fields[19].toStdString();
    }
    void end()
    {
        if (pid_ > 0 && kill(pid_, SIGKILL) == 0)
            waitpid(pid_, nullptr, 0);
        pid_ = -1;
    }

  private:
    pid_t pid_;
};

/// Changes a ledger behind a study's back. @return whether it could
bool changed(const std::filesystem::path& ledger, const std::string& sql)
{
    sqlite3* db = nullptr;
    bool done = sqlite3_open(ledger.c_str(), &db) == SQLITE_OK;
    sqlite3_busy_timeout(db, 10'000);
    done = done && sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
    sqlite3_close(db);
    return done;
}

} // namespace

class TestStudyWatch : public QObject
{
    Q_OBJECT
    QTemporaryDir dir_;
    std::filesystem::path path(const char* name) const { return dir_.filePath(name).toStdString(); }
    std::filesystem::path made(const char* name, const NewStudy& s) const
    {
        return make_study(path(name), to_json(s),
                          [](const auto& file) { put(file, short_session); });
    }

  private Q_SLOTS:
    void whatIsMadeIsReadBack()
    {
        auto asked = of_times();
        asked.induction.emplace();
        asked.induction->sites = {{"AHA 3", 3, {}}, {"apex", 0, Vec3{1, 0.5, 2}}};
        asked.induction->decrement_ms = 12.5;
        asked.keep.emplace();
        const auto file = made("whole", asked);
        QCOMPARE(file, path("whole/whole.json"));
        const auto s = read_study(file);
        QCOMPARE(s.name, std::string("times"));
        QCOMPARE(static_cast<std::int64_t>(s.runs.size()), runs_of(asked));
        QCOMPARE(s.runs.size(), std::size_t(4));
        QCOMPARE(s.induction->decrement_ms, 12.5);
        QCOMPARE(s.induction->sites[1].name, std::string("apex"));
        QCOMPARE((*s.induction->sites[1].place_mm)[2], 2.0);
        QVERIFY(!s.keep_all && s.keep.empty());
        QCOMPARE(session_of(s, s.runs[2]).end_ms, 20.0);
    }

    /// Whole or not at all, and never in the place of something else.
    void whatIsNoGoodLeavesNothing()
    {
        auto wrong = of_times();
        wrong.axes[0].second = {"10", "-1"};
        try {
            made("wrong", wrong);
            QFAIL("a run that ends before it begins was taken");
        } catch (const InputError& e) {
            QCOMPARE(e.file, path("wrong/session.json").string());
            QVERIFY(QString(e.what()).contains("/time/end_ms"));
        }
        QVERIFY_THROWS_EXCEPTION(InputError, made("whole", of_times())); // it is there already
        QVERIFY_THROWS_EXCEPTION(
            InputError, make_study(path("torn"), to_json(of_times()), [](const auto&) -> void {
                throw InputError("disk", "is full");
            }));
        for (const auto& text : {std::string("{\"schema\": 1,\n"), std::string("[]"),
                                 std::string(100'000, '[') + std::string(100'000, ']')})
            try {
                make_study(path("text"), text, [](const auto&) {});
                QFAIL("a text that is no study was taken");
            } catch (const InputError& e) {
                QCOMPARE(e.file, path("text/text.json").string());
            }
        QCOMPARE(
            QDir(dir_.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
            QStringList{"whole"});
    }

    void whoLooksSeesAndWritesNothing()
    {
        const auto file = made("seen", of_times());
        const auto s = read_study(file);
        const auto folder = usual_folder(file);
        QCOMPARE(folder, path("seen/seen-study"));
        const auto before = planned_view(s, folder);
        QCOMPARE(before.runs.size(), std::size_t(2));
        QCOMPARE(before.runs[1].values, (std::vector<std::string>{"20", "\"epi\""}));
        std::filesystem::create_directories(folder);
        QVERIFY_THROWS_EXCEPTION(InputError, StudyWatch{folder});
        QVERIFY(!std::filesystem::exists(folder / "study.sqlite"));
        Ledger ledger(folder / "study.sqlite", true);
        ledger.plan(s);
        StudyWatch watch(folder);
        const auto written = std::filesystem::last_write_time(folder / "study.sqlite");
        auto v = watch.look();
        QCOMPARE(v.file, file);
        QCOMPARE(v.digest, s.digest);
        QCOMPARE(study_of(v).runs.size(), std::size_t(2));
        QCOMPARE(std::filesystem::last_write_time(folder / "study.sqlite"), written);
        QVERIFY(!seconds_left(v, 2));
        ledger.take("elsewhere:1:1", {});
        v = watch.look();
        QVERIFY(v.runs[0].keeper == Keeper::elsewhere);
        QCOMPARE(owner_text(v.runs[0].row.owner), std::string("process 1 on elsewhere"));
        std::filesystem::create_directories(folder / "run-0");
        put(folder / "run-0" / "report.json", std::string(1000, ' '));
        ledger.done(0, 8, {{"seconds.total", 7.5}}, {});
        v = watch.look();
        QCOMPARE(v.counts[static_cast<std::size_t>(State::done)], 1);
        QCOMPARE(v.run_bytes, 1000.0);
        QCOMPARE(v.result_names, std::vector<std::string>{"seconds.total"});
        QCOMPARE(*seconds_left(v, 2), 4.0); // the other one as long, two at once
        // of a program of this machine that is gone
        char host[256]{};
        gethostname(host, sizeof host - 1);
        ledger.take(std::string(host) + ":99999999:1", {});
        QVERIFY(watch.look().runs[1].keeper == Keeper::ended);
        ledger.done(1, 8, {}, {});
        QCOMPARE(*seconds_left(watch.look(), 2), 0.0);
        // the file is another study's by now
        put(file, to_json(NewStudy{"other", {{"time.end_ms", {"5"}}}}));
        QVERIFY_THROWS_EXCEPTION(InputError, study_of(watch.look()));
    }

    /// A program that was killed and that nobody waits for has ended: PID 1 of a container is often
    /// none that does.
    void aProgramThatNobodyWaitsForHasEnded()
    {
        const pid_t child = fork();
        QVERIFY(child >= 0);
        if (child == 0) {
            pause();
            _exit(0);
        }
        std::ifstream in("/proc/" + std::to_string(child) + "/stat");
        const std::string text((std::istreambuf_iterator<char>(in)), {});
        const auto fields = QString::fromStdString(text.substr(text.rfind(')') + 2)).split(' ');
        char host[256]{};
        gethostname(host, sizeof host - 1);
        const auto owner =
            std::string(host) + ":" + std::to_string(child) + ":" + fields[19].toStdString();
        QVERIFY(is_of_this_host(owner) && !is_of_this_host("elsewhere:1:1"));
        QVERIFY(!has_ended(owner));
        kill(child, SIGKILL);
        QTRY_VERIFY(has_ended(owner)); // before anybody waits for it
        QCOMPARE(waitpid(child, nullptr, 0), child);
        QVERIFY(has_ended(owner));
    }

    /// Containers have numbers of processes of their own under the name of one host.
    void aProgramOfAnotherContainerMayLive()
    {
        const auto here = this_owner();
        if (here.find('@') == std::string::npos)
            QSKIP("the system does not say whose numbers of processes these are");
        QVERIFY(lives(here) && is_of_this_host(here));
        char host[256]{};
        gethostname(host, sizeof host - 1);
        const auto owner = std::string(host) + ":2147483647:1"; // no process has that number
        QVERIFY(has_ended(owner) && has_ended(owner + here.substr(here.find('@'))));
        QVERIFY(!has_ended(owner + "@1") && !lives(owner + "@1") && !is_of_this_host(owner + "@1"));
        const auto file = path("container.sqlite");
        Ledger a(file, true);
        a.plan(read_study(made("container", of_times())));
        for (int k = 0; k < 2; ++k)
            QCOMPARE(a.take(owner + "@1", {}), std::optional<std::int64_t>(k));
        QCOMPARE(a.take(here, {}), std::optional<std::int64_t>());
        QVERIFY(changed(file, "UPDATE runs SET heartbeat = heartbeat - 1000"));
        QCOMPARE(a.take(here, {}), std::optional<std::int64_t>(0));
    }

    /// A program that is suspended, or whose machine is busy, gives no sign and lives.
    void aLivingProgramOfThisHostKeepsItsRun()
    {
        const auto file = path("lives.sqlite");
        Ledger a(file, true), b(file, false);
        a.plan(read_study(made("lives", of_times())));
        Sleeper other;
        const auto owner = other.owner();
        QVERIFY(lives(owner) && lives(this_owner()) && !lives("elsewhere:1:1"));
        QCOMPARE(a.take(owner, {}), std::optional<std::int64_t>(0));
        QCOMPARE(a.take("elsewhere:1:1", {}), std::optional<std::int64_t>(1));
        QCOMPARE(kill(other.pid(), SIGSTOP), 0);
        QVERIFY(changed(file, "UPDATE runs SET heartbeat = heartbeat - 1000"));
        QCOMPARE(b.take(this_owner(), {}), std::optional<std::int64_t>(1)); // the one elsewhere
        QVERIFY(changed(file, "UPDATE runs SET heartbeat = heartbeat - 1000"));
        QCOMPARE(b.take(this_owner(), {}), std::optional<std::int64_t>());
        // that one comes back
        QVERIFY(!a.owns(1) && b.owns(1));
        QVERIFY(!a.done(1, 1, {{"x", 1}}, {}) && !a.failed(1, 1, "too late"));
        a.give_back(1);
        QCOMPARE(b.rows()[1].owner, this_owner());
        QVERIFY(b.done(1, 2, {{"x", 2}}, {}));
        QVERIFY(!a.failed(1, 1, "too late"));
        QCOMPARE(a.rows()[1].results.at("x"), 2.0);
        other.end();
        QCOMPARE(b.take(this_owner(), {}), std::optional<std::int64_t>(0));
    }

    /// The other program's results are what counts, in the ledger and in the folder.
    void aRunThatWasTakenOverIsLeftAlone()
    {
        auto asked = of_times();
        asked.axes[0].second = {"30", "40"};
        const auto s = read_study(made("taken", asked));
        const Sleeper other;
        StudyOptions o;
        o.out = path("taken-study");
        o.device.devices = "cpu";
        o.at_once = 1;
        std::string said;
        o.notice = [&](const Notice& n) {
            if (n.level == Notice::Level::warning)
                said += n.text;
        };
        bool taken = false;
        o.run_progress = [&](std::int64_t run, double, std::string_view stage) {
            if (run != 0 || taken || stage != "running")
                return;
            taken = changed(o.out / "study.sqlite",
                            "UPDATE runs SET owner = '" + other.owner() + "' WHERE number = 0");
            put(o.out / "run-0" / "report.json", "the other program's");
        };
        const auto outcome = run_study(s, o, {});
        QVERIFY(taken);
        QCOMPARE(outcome.done, std::int64_t(1));
        QCOMPARE(outcome.running, std::int64_t(1));
        QVERIFY2(said.find("run-0: another program has taken this run") != std::string::npos,
                 said.c_str());
        std::ifstream report(o.out / "run-0" / "report.json");
        QCOMPARE(std::string((std::istreambuf_iterator<char>(report)), {}),
                 std::string("the other program's"));
        QVERIFY(!std::filesystem::exists(o.out / "run-0" / "activation.csv"));
        QCOMPARE(Ledger::to_look_at(o.out / "study.sqlite").rows()[0].owner, other.owner());
    }

    /// A run that a program of another host has is taken when that gives no sign; one that does
    /// keeps nobody waiting.
    void silentProgramsElsewhereAreWaitedFor()
    {
        const auto file = made("silent", of_times());
        const auto s = read_study(file);
        StudyOptions o;
        o.out = usual_folder(file);
        o.device.devices = "cpu";
        std::filesystem::create_directories(o.out);
        const auto ledger = [&](const char* sql) {
            sqlite3* db = nullptr;
            QCOMPARE(sqlite3_open((o.out / "study.sqlite").c_str(), &db), SQLITE_OK);
            sqlite3_busy_timeout(db, 10'000);
            QCOMPARE(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK);
            sqlite3_close(db);
        };
        Ledger(o.out / "study.sqlite", true).plan(s);
        Ledger(o.out / "study.sqlite", false).take("elsewhere:1:1", {});
        ledger("UPDATE runs SET heartbeat = heartbeat - 56 WHERE number = 0");
        QCOMPARE(run_study(s, o, {}).done, std::int64_t(2)); // in 4 seconds
        ledger("UPDATE runs SET state = 'running', owner = 'elsewhere:1:1' WHERE number = 0");
        std::jthread alive([&](const std::stop_token& stop) {
            for (int k = 1; !stop.stop_requested(); ++k) {
                ledger(("UPDATE runs SET heartbeat = 1e11 + " + std::to_string(k) +
                        " WHERE number = 0")
                           .c_str());
                std::this_thread::sleep_for(std::chrono::milliseconds(200));
            }
        });
        QCOMPARE(run_study(s, o, {}).running, std::int64_t(1));
    }

    void whatItTakesIsForecast()
    {
        const auto session = simulation::parse_session(short_session, "short");
        auto s = of_times();
        s.axes[1].second = {"\"epi\"", "\"endo\""};
        s.doses = {{"dofetilide", "verapamil"}, true, {0, 1, 2}};
        const auto f = forecast(s, session, {1000, 5000});
        QCOMPARE(f.runs, std::int64_t(24));
        QCOMPARE(f.simulated_ms, 24 * 50.0);
        QVERIFY(!f.at_least && f.bytes && *f.bytes > 24 * (1000 * 92 + 5000 * 48));
        // of the study itself each run has its own end
        const auto times = forecast(read_study(made("times", of_times())), {});
        QCOMPARE(times.simulated_ms, 30.0);
        QVERIFY(!times.bytes);
    }

    void aSiteIsWatchedWithItsPulses()
    {
        NewStudy asked;
        asked.induction.emplace();
        asked.induction->sites = {{"AHA 3", 3, {}}};
        asked.induction->count = 3;
        const auto s = read_study(made("site", asked));
        SiteRecord found;
        found.place_mm = {1, 0.5, 0.5};
        found.before.worst.couplings_ms = {280, 220};
        const auto session = session_to_watch(s, s.runs[0], &found);
        QCOMPARE(simulation::pulse_times(session.stimuli.at(0), session.end_ms),
                 (std::vector<double>{0, 600, 1200, 1480, 1700}));
        QCOMPARE(session.end_ms, 3700.0);
        QVERIFY(session_to_watch(s, s.runs[0], nullptr).stimuli.empty()); // its place is not known
    }

    void aPagesPictureIsTaken()
    {
        put(path("page.html"), "<p><img src=\"data:image/png;base64,AAAA\"></p><p><img width=\"8\" "
                               "src=\"data:image/svg+xml;base64,PHN2Zy8+\"></p>");
        QCOMPARE(first_picture(path("page.html")), std::string("<svg/>"));
        put(path("none.html"), "<p>nothing</p>");
        QVERIFY(first_picture(path("none.html")).empty());
        QVERIFY(first_picture(path("not-there.html")).empty());
    }
};

int main(int argc, char** argv)
{
    return tawara::test::run<TestStudyWatch>(argc, argv);
}
#include "test_study_watch.moc"
