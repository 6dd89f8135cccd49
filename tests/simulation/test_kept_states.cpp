// SPDX-License-Identifier: GPL-3.0-or-later
// What a window keeps beside what its user saves: states of its run, and the folder they lie in.
#include "engine/simulation/results/kept_states.hpp"

#include "engine/core/error.hpp"
#include "engine/simulation/results/checkpoint.hpp"
#include "tests/simulation/live_bar.hpp"

#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <sys/stat.h>

using namespace tawara;
using namespace tawara::simulation;
using namespace tawara::simulation::test;
using State = Status::State;
namespace fs = std::filesystem;

namespace {

Session paced_bar()
{
    auto s = bar();
    s.stimuli = {end_of_bar(0)};
    s.stimuli[0].count = 2; // the second comes after the state was kept
    s.stimuli[0].period_ms = 12;
    return s;
}

StateKept keep(Engine& e, Inbox& in, const fs::path& file, double most_bytes = 0)
{
    StateKept out;
    const auto id = e.post(KeepState{file, most_bytes});
    const auto a = in.answer(id);
    if (!a.applied)
        return {id, file, 0, a.reason};
    in.wait([&](const Event& event) {
        const auto* k = std::get_if<StateKept>(&event);
        if (k && k->command == id)
            out = *k;
        return k && k->command == id;
    });
    return out;
}

KeptState in_folder(const fs::path& folder, std::int64_t number, bool with_state)
{
    KeptState s;
    s.folder = folder;
    s.number = number;
    s.title = "bar";
    s.file = "/home/somebody/b\xc3\xa4r.json";
    s.reason = "every 5 min";
    s.time_ms = with_state ? 12.5 * static_cast<double>(number) : 0;
    s.saved = std::chrono::system_clock::time_point(std::chrono::seconds(1700000000 + number));
    s.has_state = with_state;
    std::ofstream(s.session()) << "{}";
    if (with_state)
        std::ofstream(s.state()) << std::string(1000, 'x');
    write_kept(s);
    return s;
}

std::vector<std::int64_t> numbers(const fs::path& folder)
{
    std::vector<std::int64_t> out;
    for (const auto& s : read_kept(folder))
        out.push_back(s.number);
    return out;
}

} // namespace

class TestKeptStates : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void init() { all_ = fs::path(dir_.path().toStdString()) / std::to_string(++count_) / "kept"; }

    /// A state that is kept while the run goes on is one that the run had; a load begins with it,
    /// and from there on has the run's own bits.
    void aRunGoesOnFromWhatWasKept()
    {
        const auto file = all_ / "1.state.tcp";
        Inbox in;
        Engine e(in.handler(), one_thread());
        QVERIFY(in.answer(e.post(Load{paced_bar()})).applied);
        QVERIFY(keep(e, in, file).error.find("nothing is computed yet") == 0);
        in.clear(); // it was paused when it was loaded
        e.post(RunUntil{20});
        while (e.status().time_ms < 3) // it is kept while steps are taken
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        const auto kept = keep(e, in, file);
        QVERIFY2(kept.error.empty(), kept.error.c_str());
        QVERIFY(kept.time_ms >= 3 && fs::exists(file));
        QVERIFY(in.wait_state(State::paused));
        Inbox other;
        Engine again(other.handler(), one_thread());
        QVERIFY(other.answer(again.post(Load{paced_bar(), file})).applied);
        QCOMPARE(again.status().time_ms, kept.time_ms);
        run_to(again, other, 20);
        const auto& V_mV = again.newest_frame()->values;
        QVERIFY(*std::max_element(V_mV.begin(), V_mV.end()) > 0); // no tissue at rest
        QCOMPARE(again.newest_frame()->step, e.newest_frame()->step);
        QVERIFY(again.newest_frame()->values == e.newest_frame()->values);
    }

    /// Maps that began later than their run do so where another goes on, and in what that keeps.
    void mapsBeginWhereTheStateSays()
    {
        const auto file = all_ / "1.state.tcp", later = all_ / "2.state.tcp";
        Inbox in;
        Engine e(in.handler(), one_thread());
        QVERIFY(in.answer(e.post(Load{paced_bar()})).applied);
        run_to(e, in, 3);
        QVERIFY(keep(e, in, file).error.empty());
        auto c = read_checkpoint(file);
        QCOMPARE(c.maps_from_ms, 0.0);
        c.maps_from_ms = 2;
        write_checkpoint(c, file);
        const auto said = [&](Inbox& of) {
            std::shared_ptr<const Scene> scene;
            for (const auto& event : of.all()) {
                if (const auto* l = std::get_if<Loaded>(&event))
                    scene = l->scene;
                if (const auto* changed = std::get_if<SceneChanged>(&event))
                    scene = changed->scene;
            }
            return scene && std::any_of(scene->notices.begin(), scene->notices.end(), [](auto& n) {
                       return n.text == "maps begin at 2 ms, as the checkpoint's do";
                   });
        };
        QVERIFY(!said(in));
        Inbox other;
        Engine again(other.handler(), one_thread());
        QVERIFY(other.answer(again.post(Load{paced_bar(), file})).applied);
        QVERIFY(said(other));
        run_to(again, other, 4);
        QVERIFY(keep(again, other, later).error.empty());
        QCOMPARE(read_checkpoint(later).maps_from_ms, 2.0);
        QVERIFY(other.answer(again.post(Reset{})).applied); // all of the new run
        QVERIFY(!said(other));
        run_to(again, other, 1);
        QVERIFY(keep(again, other, later).error.empty());
        QCOMPARE(read_checkpoint(later).maps_from_ms, 0.0);
    }

    /// Edits of the tissue during the run belong to the session that the state is of.
    void aStateIsOfTheSessionAsItIs()
    {
        const auto file = all_ / "1.state.tcp";
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = paced_bar();
        QVERIFY(in.answer(e.post(Load{s})).applied);
        run_to(e, in, 2);
        const auto before = s;
        s.regions[0].conductivity_scale.fibre = 0.5;
        QVERIFY(in.answer(e.post(SetTissue{s.regions, {}})).applied);
        QVERIFY(keep(e, in, file).error.empty());
        QVERIFY(in.answer(e.post(Load{before, file})).applied);
        QCOMPARE(e.status().time_ms, 0.0); // refused, which test_engine holds to its words
        QVERIFY(in.answer(e.post(Load{s, file})).applied);
        QCOMPARE(e.status().time_ms, 2.0);
    }

    void whatHasNoRoomIsRefused()
    {
        const auto file = all_ / "1.state.tcp";
        Inbox in;
        Engine e(in.handler(), one_thread());
        QVERIFY(in.answer(e.post(Load{paced_bar()})).applied);
        run_to(e, in, 1);
        const auto kept = keep(e, in, file, 1000);
        QVERIFY2(kept.error.find("the state takes up to ") == 0 &&
                     kept.error.find("at most 1 kB are to be kept") != std::string::npos,
                 kept.error.c_str());
        QVERIFY(!fs::exists(file));
        // a folder that is none: said, and the run goes on
        std::ofstream(all_.parent_path().string() + "-file") << "x";
        const auto nowhere = keep(e, in, all_.parent_path().string() + "-file/1.state.tcp");
        QVERIFY(!nowhere.error.empty());
        run_to(e, in, 2);
    }

    void aFolderIsOneWindowsOwn()
    {
        umask(0);
        KeptFolder mine(all_);
        umask(022);
        struct stat st = {};
        QCOMPARE(stat(mine.path().c_str(), &st), 0);
        QCOMPARE(int(st.st_mode & 0777), 0700);
        in_folder(mine.path(), 1, true);
        KeptFolder other(all_);
        QVERIFY(other.path() != mine.path());
        QVERIFY(left_folders(all_).empty()); // both windows are there
        fs::permissions(all_, fs::perms::all);
        QVERIFY_THROWS_EXCEPTION(InputError, KeptFolder{all_});
    }

    void whatIsLeftIsToldByItsLock()
    {
        fs::path crashed;
        {
            KeptFolder mine(all_), empty(all_);
            crashed = mine.path();
            in_folder(crashed, 1, false);
            in_folder(crashed, 2, true);
        } // as the system gives a lock back when a program ends
        fs::create_directories(all_ / "another-machine-abcdef");
        {
            const auto left = left_folders(all_);
            QCOMPARE(left.size(), std::size_t(1)); // the empty one went
            QVERIFY(left[0].path() == crashed && left[0].damaged().empty());
            QCOMPARE(left[0].states().size(), std::size_t(2));
            const auto& s = left[0].states().front();
            QVERIFY(s.number == 2 && s.has_state && s.time_ms == 25 && s.title == "bar");
            QVERIFY(s.file == "/home/somebody/b\xc3\xa4r.json" && s.reason == "every 5 min");
            QVERIFY(left_folders(all_).empty()); // one window offers it
        }
        auto left = left_folders(all_);
        QCOMPARE(left.size(), std::size_t(1));
        left[0].remove();
        QVERIFY(!fs::exists(crashed) && fs::exists(all_ / "another-machine-abcdef"));
    }

    void whatIsDamagedIsSaidAndStays_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("says");
        const QByteArray good = R"({"schema":1,"title":"t","file":"","reason":"r","time_ms":1,)"
                                R"("saved_s":1,"state":true,"mesh":""})";
        const auto row = [](const char* name, const char* file, const QByteArray& content,
                            const char* says) { QTest::newRow(name) << file << content << says; };
        row("cut", "2.kept.json", good.left(40), "2.kept.json: is damaged");
        row("empty", "2.kept.json", "", "2.kept.json: is damaged");
        QByteArray keys = good.chopped(1);
        for (int k = 0; k < 20'000; ++k)
            keys += ",\"" + QByteArray::number(k) + "\":{}";
        row("many keys", "2.kept.json", keys + "}", "2.kept.json: is damaged");
        row("other version", "2.kept.json", QByteArray(good).replace("schema\":1", "schema\":9"),
            "2.kept.json:/schema: is of another version");
        row("no time", "2.kept.json", QByteArray(good).replace("ms\":1", "ms\":-1"),
            "2.kept.json:/time_ms: is no time");
        row("another folder", "2.kept.json", QByteArray(good).replace("mesh\":\"", "mesh\":\"../x"),
            "2.kept.json:/mesh: is no name of a file");
        for (const char* no_mesh : {"2.session.json", "..", "mesh-/../1.session.json"})
            row(no_mesh, "2.kept.json",
                QByteArray(good).replace("mesh\":\"", "mesh\":\"" + QByteArray(no_mesh)),
                "2.kept.json:/mesh: is no name of a file");
        for (const char* no_moment : {"1e300", "9223372036854775807", "-1", "1.5", "\"now\""})
            row(no_moment, "2.kept.json",
                QByteArray(good).replace("saved_s\":1", "saved_s\":" + QByteArray(no_moment)),
                "2.kept.json: is damaged");
        row("no schema", "2.kept.json", QByteArray(good).replace("schema\":1", "schema\":1e300"),
            "2.kept.json:/schema: is of another version");
        row("no session", "2.session.json", "-", "2.session.json: is missing");
        row("no state", "2.state.tcp", "-", "2.state.tcp: is missing");
    }
    void whatIsDamagedIsSaidAndStays()
    {
        QFETCH(QString, file);
        QFETCH(QByteArray, content);
        QFETCH(QString, says);
        fs::path folder;
        {
            KeptFolder mine(all_);
            folder = mine.path();
            in_folder(folder, 1, true);
            in_folder(folder, 2, true);
        }
        const auto hit = folder / file.toStdString();
        if (content == "-")
            fs::remove(hit);
        else
            std::ofstream(hit) << content.toStdString();
        const auto left = left_folders(all_);
        QCOMPARE(left.size(), std::size_t(1));
        QCOMPARE(left[0].damaged().size(), std::size_t(1));
        const auto line = QString::fromStdString(left[0].damaged()[0]);
        QVERIFY2(line.contains(says) && !line.contains('\n'), qPrintable(line));
        QCOMPARE(left[0].states().size(), std::size_t(1)); // the one before it
        QVERIFY(fs::exists(folder / "2.kept.json") && fs::exists(left[0].states()[0].state()));
    }

    /// A number that is written in two ways is not a state that is there twice, of which the
    /// second is too old to stay.
    void eachStateIsThereOnce()
    {
        KeptFolder mine(all_);
        const auto& f = mine.path();
        in_folder(f, 7, true);
        for (const char* name : {"07.kept.json", "-0.kept.json", "7.kept.json.kept.json"})
            fs::copy_file(f / "7.kept.json", f / name);
        QVERIFY(numbers(f) == std::vector<std::int64_t>({7}));
        mine.keep_newest(1, 0);
        QVERIFY(numbers(f) == std::vector<std::int64_t>({7}));
    }

    void olderOnesGo()
    {
        KeptFolder mine(all_);
        const auto& f = mine.path();
        for (int n = 1; n <= 5; ++n)
            in_folder(f, n, n <= 2);
        std::ofstream(f / "mesh-1-heart.vtu") << "of none";
        mine.keep_newest(3, 0, 1);
        QVERIFY(numbers(f) == std::vector<std::int64_t>({5, 4, 3, 2, 1})); // 2 has a state
        QVERIFY(!fs::exists(f / "mesh-1-heart.vtu"));
        mine.keep_newest(2, 0);
        QVERIFY(numbers(f) == std::vector<std::int64_t>({5, 4, 2}));
        QVERIFY(!fs::exists(f / "1.state.tcp") && !fs::exists(f / "3.session.json"));
        mine.keep_newest(9, 600); // 4 would be the second that has room, 2 has a state
        QVERIFY(numbers(f).front() == 5 && numbers(f).back() == 2);
        in_folder(f, 6, true);
        mine.keep_newest(9, 600);
        QVERIFY(numbers(f) == std::vector<std::int64_t>({6}));
        mine.remove();
        QVERIFY(!fs::exists(f));
    }

  private:
    QTemporaryDir dir_;
    int count_ = 0;
    fs::path all_;
};
QTEST_GUILESS_MAIN(TestKeptStates)
#include "test_kept_states.moc"
