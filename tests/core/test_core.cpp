// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/batches.hpp"
#include "engine/core/error.hpp"
#include "engine/core/failure_text.hpp"
#include "engine/core/few_cores.hpp"
#include "engine/core/file_content.hpp"
#include "engine/core/latest_value.hpp"
#include "engine/core/machine.hpp"
#include "engine/core/nearest.hpp"
#include "engine/core/output_folder.hpp"
#include "engine/core/part_file.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/thread_pool.hpp"
#include "engine/core/units.hpp"
#include "engine/core/whole_file.hpp"

#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <numeric>
#include <set>
#include <sys/stat.h>
#include <thread>
#include <tuple>
#include <type_traits>
#include <unistd.h>

using namespace tawara;
namespace fs = std::filesystem;

class TestCore : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void aKeptFailureSaysWhatItIs()
    {
        QCOMPARE(failure_text(std::make_exception_ptr(InputError("a.json", "is wrong"))),
                 std::string("a.json: is wrong"));
        QCOMPARE(failure_text(std::make_exception_ptr(std::bad_alloc())),
                 std::string("not enough memory"));
        QVERIFY_THROWS_EXCEPTION(int, failure_text(std::make_exception_ptr(1)));
    }
    void instructionSetsHaveTheNamesThatPeopleUse()
    {
        for (const char* name : {"AVX3", "AVX3_ZEN4"})
            QCOMPARE(instruction_set_name(name), std::string("AVX-512"));
        QCOMPARE(instruction_set_name("AVX2"), std::string("AVX2"));
    }
    void longPlacesAreToldShort()
    {
        const std::string key(400000, 'k');
        const InputError e("s.json", "/axes/" + key, "is wrong");
        QVERIFY(std::string(e.what()).size() < 250);
        QVERIFY(std::string(e.what()).starts_with("s.json:/axes/kkk"));
        QVERIFY(std::string(e.what()).ends_with("kkk: is wrong"));
        QCOMPARE(e.where, "/axes/" + key);
    }

    /// What is slow beside the steps counts, too: a stop was looked at once in 4096 of them.
    void batchesLastATenthOfASecond()
    {
        Batches batches;
        std::int64_t steps = 0, looks = 0;
        for (constexpr double step_s = 0.01; steps < 4096; ++looks) {
            const auto n = batches.next();
            steps += n;
            batches.took(step_s * static_cast<double>(n));
            QVERIFY(n <= 32);
        }
        QVERIFY2(looks > 128, qPrintable(QString::number(looks)));
        batches.took(1000);
        const auto before = batches.next();
        batches.took(0.1);
        QCOMPARE(batches.next(), before);
        for (int k = 0; k < 100; ++k)
            batches.took(0);
        QCOMPARE(batches.next(), std::int64_t(4096));
        for (int k = 0; k < 100; ++k)
            batches.took(1);
        QCOMPARE(batches.next(), std::int64_t(1));
    }

    void inputErrorsReadAsOneLine()
    {
        QCOMPARE(std::string(InputError("a.json", "/time/dt_ms", "no").what()),
                 "a.json:/time/dt_ms: no");
        QCOMPARE(std::string(InputError("a.node", 12L, "no").what()), "a.node:12: no");
        QCOMPARE(std::string(InputError("--dt", "no").what()), "--dt: no");
    }

    /// The two sizes never read the same.
    void filesThatAreTooLargeSayTheirSize()
    {
        QTemporaryDir dir;
        const fs::path file = dir.path().toStdString() + "/f";
        std::ofstream(file) << "x";
        constexpr std::uintmax_t MB = 1U << 20;
        for (const auto& [bytes, most, says] :
             {std::tuple(32 * MB + 1, 32 * MB, "has 33554433 bytes, more than 33554432; no text"),
              {33 * MB, 32 * MB, "has 33 MB, more than 32; no text"},
              {std::uintmax_t{6}, std::uintmax_t{5}, "has 6 bytes, more than 5; no text"}}) {
            fs::resize_file(file, bytes);
            try {
                file_content(file, most, "no text");
                QFAIL("was read");
            } catch (const InputError& e) {
                QCOMPARE(e.reason, std::string(says));
            }
        }
    }

    void poolCoversEveryIndexOnce_data()
    {
        QTest::addColumn<int>("threads");
        QTest::addColumn<int>("n");
        for (int t : {1, 2, 3, 7})
            for (int n : {0, 1, 31, 32, 33, 597})
                QTest::addRow("%d threads, %d", t, n) << t << n;
    }
    void poolCoversEveryIndexOnce()
    {
        QFETCH(int, threads);
        QFETCH(int, n);
        ThreadPool pool(static_cast<unsigned>(threads));
        std::vector<int> seen(static_cast<std::size_t>(n), 0);
        for (int round = 0; round < 20; ++round)
            pool.for_range(seen.size(), 8, [&](std::size_t a, std::size_t b, unsigned) {
                QVERIFY(a % 8 == 0);
                for (auto i = a; i < b; ++i)
                    ++seen[i];
            });
        for (int s : seen)
            QCOMPARE(s, 20);
    }
    /// Threads that would have nothing to do are not woken: the caller does what one can.
    void littleWorkWakesNobody()
    {
        ThreadPool pool(4);
        const auto caller = std::this_thread::get_id();
        for (const auto& [n, workers] :
             {std::pair{0U, 0U}, {1U, 1U}, {8U, 1U}, {9U, 2U}, {24U, 3U}, {25U, 4U}, {1000U, 4U}}) {
            std::mutex m;
            std::set<std::thread::id> seen;
            std::set<unsigned> numbers;
            pool.for_range(n, 8, [&](std::size_t, std::size_t, unsigned worker) {
                std::lock_guard hold(m);
                seen.insert(std::this_thread::get_id());
                numbers.insert(worker);
            });
            QCOMPARE(seen.size(), workers);
            QCOMPARE(numbers.size(), workers);
            QCOMPARE(seen.count(caller), std::size_t{n > 0});
        }
    }
    void nothingTakesMoreThanItIsGiven()
    {
        static_assert(!std::is_default_constructible_v<ThreadPool>);
        QCOMPARE(Progress{}.context.threads, 1U);
        QCOMPARE(ThreadPool(0).size(), 1U);
        QVERIFY(Context::whole_machine().threads >= 1);
        const Progress all{{}, {}, {12}};
        QCOMPARE(all.silent().context.threads, 12U);
    }
    void threadsFollowTheSizeOfTheProblem()
    {
        constexpr unsigned all = 12;
        QCOMPARE(threads_for(0, all, 6, 2048), 1U);
        QCOMPARE(threads_for(0, all, 2 * 2048 - 1, 2048), 1U);
        QCOMPARE(threads_for(0, all, 2 * 2048, 2048), 2U);
        QCOMPARE(threads_for(0, all, 1'000'000'000, 2048), all);
        QCOMPARE(threads_for(3, all, 6, 2048), 3U); // who asks gets what was asked for
    }
    void poolPassesErrorsOn()
    {
        ThreadPool pool(3);
        QVERIFY_THROWS_EXCEPTION(InputError,
                                 pool.for_range(100, 1, [](std::size_t a, std::size_t, unsigned) {
                                     if (a > 0)
                                         throw InputError("x", "y");
                                 }));
        int sum = 0;
        std::mutex m;
        pool.for_range(10, 1, [&](std::size_t a, std::size_t b, unsigned) {
            std::lock_guard hold(m);
            sum += static_cast<int>(b - a);
        });
        QCOMPARE(sum, 10);
    }

    void newestDropsAndCounts()
    {
        LatestValue<int> n;
        QVERIFY(!n.newest());
        n.put(std::make_shared<int>(1));
        n.put(std::make_shared<int>(2));
        QCOMPARE(*n.newest(), 2);
        n.put(std::make_shared<int>(3));
        QCOMPARE(*n.newest(), 3);
        QCOMPARE(n.published(), 3u);
        QCOMPARE(n.dropped(), 1u);
    }

    void filesAppearWholeOrNotAtAll()
    {
        QTemporaryDir dir;
        const fs::path f = fs::path(dir.path().toStdString()) / "sub" / "x.txt";
        write_whole(f, [](std::ostream& o) { o << "one"; });
        QVERIFY_THROWS_EXCEPTION(Cancelled, write_whole(f, [](std::ostream& o) {
                                     o << "half";
                                     throw Cancelled();
                                 }));
        std::ifstream in(f);
        std::string text;
        in >> text;
        QCOMPARE(text, "one");
        QCOMPARE(std::distance(fs::directory_iterator(f.parent_path()), {}), 1);
    }

    /// A link stays a link, also one to what is not there yet; pipes and devices are refused.
    void onlyFilesAreReplaced()
    {
        QTemporaryDir dir;
        const fs::path folder = dir.path().toStdString(), link = folder / "link",
                       pipe = folder / "pipe";
        fs::create_symlink("next", link);
        fs::create_symlink("real.txt", folder / "next");
        for (const char* word : {"one", "two"}) {
            write_whole(link, [&](std::ostream& o) { o << word; });
            QVERIFY(fs::is_symlink(link) && fs::is_symlink(folder / "next"));
            std::ifstream in(folder / "real.txt");
            std::string text;
            in >> text;
            QCOMPARE(text, std::string(word));
        }
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        QVERIFY_THROWS_EXCEPTION(InputError, write_whole(pipe, [](std::ostream& o) { o << "x"; }));
        QVERIFY_THROWS_EXCEPTION(InputError, need_writable_file(pipe));
        QVERIFY(fs::is_fifo(pipe));
        QCOMPARE(std::distance(fs::directory_iterator(folder), {}), 4);
    }

    /// Asked before long work, so that nothing is lost to a link at its end.
    void linksToNothingAreSaid()
    {
        QTemporaryDir dir;
        const fs::path root = dir.path().toStdString(), link = root / "link", gone = root / "gone";
        const auto why = [](auto&& need, const fs::path& path) -> std::string {
            try {
                need(path);
            } catch (const InputError& e) {
                return e.what();
            }
            return {};
        };
        const auto says = [&](const fs::path& at, const std::string& more) {
            return at.string() + ": " + more;
        };
        fs::create_symlink("gone", link);
        const auto nothing = "is a symbolic link to nothing: there is no " + gone.string() +
                             "; choose another folder";
        QCOMPARE(why(need_writable_folder, link), says(link, nothing));
        QCOMPARE(why(need_writable_folder, link / ""),
                 says(link / "", link.string() + " " + nothing));
        QCOMPARE(why(need_writable_folder, link / "sub"),
                 says(link / "sub", link.string() + " " + nothing));
        QCOMPARE(why(need_writable_file, link / "a.csv"),
                 says(link / "a.csv", link.string() + " " + nothing));
        QCOMPARE(why(need_writable_file, link), std::string()); // it is made there
        fs::create_directory(gone);
        QCOMPARE(why(need_writable_folder, link / "sub"), std::string());
        fs::create_symlink("circle", root / "circle");
        QCOMPARE(why(need_writable_folder, root / "circle"),
                 says(root / "circle",
                      "is a symbolic link that leads in a circle; choose another folder"));
        QCOMPARE(
            why(need_writable_file, root / "circle"),
            says(root / "circle", "is a symbolic link that leads in a circle; give another name"));
        fs::create_symlink("no/a.csv", root / "far");
        QCOMPARE(why(need_writable_file, root / "far"),
                 says(root / "far", "is a symbolic link to nothing: there is no folder " +
                                        (root / "no").string() + "; give another name"));
        std::ofstream(root / "file") << "x";
        fs::create_symlink("file/a.csv", root / "odd");
        QVERIFY(!why(need_writable_file, root / "odd").empty());
        QVERIFY(!fs::exists(root / "no"));
    }

    /// Below an output folder no link is followed, and the folder stays the one that was opened.
    void outputFoldersFollowNoLinks()
    {
        QTemporaryDir dir;
        const fs::path root = dir.path().toStdString(), out = root / "out",
                       victim = root / "victim";
        const auto word = [](const char* text) { return [text](std::ostream& o) { o << text; }; };
        const auto text_of = [](const fs::path& f) {
            return read_plain_file(f, 100).value_or("none");
        };
        fs::create_directories(root / "elsewhere");
        write_whole(victim, word("precious"));
        {
            const OutputFolder folder(out);
            fs::create_symlink(victim, out / "a.csv");
            fs::create_directory_symlink(root / "elsewhere", out / "frames");
            write_whole(out / "a.csv", word("1"));
            write_whole_by_path(out / "b.csv", [&](const fs::path& part) {
                QCOMPARE(part.extension().string(), std::string(".csv"));
                std::ofstream(part) << "2";
            });
            QVERIFY_THROWS_EXCEPTION(InputError, write_whole(out / "frames" / "1.vtu", word("3")));
            QVERIFY_THROWS_EXCEPTION(InputError,
                                     write_whole(out / "x" / ".." / "frames" / "1.vtu", word("3")));
            QVERIFY(fs::is_empty(root / "elsewhere"));
            QCOMPARE(text_of(victim), std::string("precious"));
            QVERIFY(is_plain_file(out / "a.csv"));
            QCOMPARE(text_of(out / "a.csv"), std::string("1"));
            QCOMPARE(text_of(out / "b.csv"), std::string("2"));
            write_whole(out / "sub" / "c.csv", word("4"));
            // somebody puts another folder in its place
            fs::rename(out, root / "moved");
            fs::create_directory_symlink(root / "elsewhere", out);
            write_whole(out / "d.csv", word("5"));
            write_whole_by_path(out / "e.csv", [&](const fs::path& p) { std::ofstream(p) << "6"; });
            QVERIFY(fs::is_empty(root / "elsewhere"));
            QCOMPARE(text_of(root / "moved" / "d.csv"), std::string("5"));
            QCOMPARE(text_of(root / "moved" / "e.csv"), std::string("6"));
            fs::create_symlink(victim, root / "moved" / "link");
            QVERIFY(!remove_plain_file(out / "link") && is_taken(out / "link"));
            QVERIFY(!read_plain_file(out / "link", 100));
            QVERIFY(remove_plain_file(out / "d.csv") && !is_taken(out / "d.csv"));
        }
        write_whole(out / "f.csv", word("7")); // no longer guarded: where the path leads
        QCOMPARE(text_of(root / "elsewhere" / "f.csv"), std::string("7"));
    }

    /// What a killed writer leaves is removed by the next one, and by nobody while it writes.
    void partsThatNobodyWritesAreSwept()
    {
        QTemporaryDir dir;
        const fs::path folder = dir.path().toStdString();
        const auto left = [&](const char* name) { std::ofstream(folder / name) << "half"; };
        const auto there = [&](const fs::path& f) { return fs::exists(f); };
        left(".table.part-0123456789abcdef.csv");
        left(".other.part-0123456789abcdef.csv");
        left(".table.part-of-a-letter.csv");
        left("table.part-0123456789abcdef.csv");
        PartFile writing(folder / "table.csv");
        QVERIFY(is_part_name(writing.path().filename().string()));
        QVERIFY(!there(folder / ".table.part-0123456789abcdef.csv"));
        QVERIFY(there(folder / ".other.part-0123456789abcdef.csv"));
        {
            const OutputFolder all(folder);
            QVERIFY(!there(folder / ".other.part-0123456789abcdef.csv"));
            QVERIFY(there(writing.path()));
        }
        write_part(writing, [](std::ostream& o) { o << "whole"; });
        writing.commit();
        QCOMPARE(read_plain_file(folder / "table.csv", 9).value_or(""), std::string("whole"));
        QCOMPARE(std::distance(fs::directory_iterator(folder), {}), 3);
    }

    /// The file is named as it was given, also where it has no folder in its name.
    void filesInTheWayAreNamed()
    {
        QTemporaryDir dir;
        const auto folder = dir.path().toStdString();
        const auto says = [](auto&& ask) {
            try {
                ask();
            } catch (const InputError& e) {
                return std::string(e.what());
            }
            return std::string();
        };
        write_whole(folder + "/file", [](std::ostream& o) { o << "x"; });
        QCOMPARE(says([&] { need_writable_file(folder + "/file/a.vtu"); }),
                 folder + "/file/a.vtu: " + folder +
                     "/file is a file, not a folder; choose another folder");
        QCOMPARE(says([&] { need_writable_folder(folder + "/file"); }),
                 folder + "/file: is a file, not a folder; choose another folder");
        // where permissions say that its owner may write, and nobody can
        QVERIFY(
            says([] { need_writable_folder("/proc"); }).starts_with("/proc: cannot be written: "));
        QVERIFY(
            says([] { need_writable_file("/proc/x.vtu"); }).starts_with("/proc/x.vtu: cannot "));
        need_writable_folder(folder);
        QCOMPARE(QDir(dir.path()).entryList(QDir::Files | QDir::Hidden), QStringList("file"));
        QVERIFY(::chmod(folder.c_str(), 0555) == 0);
        const auto before = fs::current_path();
        const bool root = ::getuid() == 0; // who may write anywhere
        constexpr uid_t nobody = 65534;
        QVERIFY(!root || ::setresuid(nobody, nobody, 0) == 0);
        fs::current_path(folder);
        const auto short_name = says([&] { need_writable_file("a.vtu"); });
        fs::current_path(before);
        const auto long_name = says([&] { need_writable_file(folder + "/a.vtu"); });
        const auto deep = says([&] { need_writable_file(folder + "/b/c/a.vtu"); });
        QVERIFY(!root || ::setresuid(0, 0, 0) == 0);
        ::chmod(folder.c_str(), 0700);
        const std::string why = ": cannot be written: Permission denied",
                          right = "; choose another folder";
        QCOMPARE(short_name, "a.vtu" + why + right);
        QCOMPARE(long_name, folder + "/a.vtu" + why + right);
        QCOMPARE(deep, folder + "/b/c/a.vtu" + why + " in " + folder + right);
    }

    void cancelledWorkThrows()
    {
        std::stop_source s;
        Progress p;
        p.stop = s.get_token();
        p.at(0.5, "x");
        s.request_stop();
        QVERIFY_THROWS_EXCEPTION(Cancelled, p.at(0.6, "x"));
    }

    void nearestKey()
    {
        const std::vector<std::string> keys{"time", "tissue", "stimuli", "diffusion"};
        QCOMPARE(nearest("tiem", keys), "time");
        QCOMPARE(nearest("Stimulus", keys), "stimuli");
        QCOMPARE(nearest("x", {}), "");
        const std::vector<std::string> options{"--mesh", "--json", "--length-unit"};
        QCOMPARE(nearest("--unit", options), "--length-unit"); // holds it
        const std::vector<std::string> models{"stewart_2009", "ohara_rudy_2011",
                                              "ten_tusscher_2006"};
        QCOMPARE(nearest("tt06", models), "ten_tusscher_2006"); // abbreviates it
        QCOMPARE(nearest("ord", models), "ohara_rudy_2011");
        const std::vector<std::string> variables{"cell.V", "cell.a", "engine.pace", "ik.V"};
        QCOMPARE(nearest("pace", variables), "engine.pace"); // the part after the dot
        QCOMPARE(nearest("cell.pace", variables), "cell.a");
        QCOMPARE(nearest("V", variables), "cell.V"); // of equals the first
        // what is told apart by more than a third of its letters is not offered
        const std::vector<std::string> variants{"epi", "endo", "m"};
        QCOMPARE(likely("foo", variants), "");
        QCOMPARE(hint("foo", variants), "; known are epi, endo, m");
        QCOMPARE(hint("epo", variants), "; the nearest known is 'epi'");
        QCOMPARE(hint("x", variants), "; known are epi, endo, m");
        QCOMPARE(likely("tiem", keys), "time"); // two letters change places
        QCOMPARE(likely("difusoin", keys), "diffusion");
        QCOMPARE(hint("foo", std::vector<std::string>(20, "something")), "");
    }

    void lengthUnits()
    {
        QCOMPARE(millimetres(*length_unit("um")), 1e-3);
        QVERIFY(!length_unit("inch"));
    }

    void fewCoresAreSaid()
    {
        const auto said = [](std::size_t wanted, CoresToUse cores) {
            return few_cores(wanted, "computes 4 runs at once", cores);
        };
        QCOMPARE(
            said(4, {1, 16, true}),
            std::string("this process may use 1 of the machine's 16 cores, and computes 4 runs "
                        "at once; mpirun --bind-to none lets it use all"));
        QVERIFY(said(4, {2, 16, false}).ends_with("at once"));
        QVERIFY(said(4, {4, 16, true}).empty()); // enough
        QVERIFY(said(4, {2, 2, true}).empty());  // all that there are
        QVERIFY(said(4, {0, 16, true}).empty()); // not known
        QVERIFY(cores_to_use().may >= 1 && cores_to_use().there >= cores_to_use().may);
    }

    void noticesAreFoundByTheirKind()
    {
        constexpr auto other = Notice::Kind::other;
        constexpr Notice::Kind one{1}, two{2};
        const auto info = Notice::Level::info;
        Notices said{{info, "a"}, {info, "b", one}, {info, "c", one}};
        replace_kind(said, {info, "a", one});
        QCOMPARE(said.size(), std::size_t(2));
        QVERIFY(said[0].kind == other && said[1].kind == one);
        QVERIFY(has_kind(said, one) && !has_kind(said, two));
        QVERIFY(remove_kind(said, one) && !remove_kind(said, one));
        QCOMPARE(said.size(), std::size_t(1));
    }
};
QTEST_GUILESS_MAIN(TestCore)
#include "test_core.moc"
