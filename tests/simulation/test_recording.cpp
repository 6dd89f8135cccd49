// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.hpp"
#include "engine/core/larger.hpp"
#include "engine/simulation/observe/recording.hpp"

#include <QtTest>
#include <atomic>
#include <cmath>
#include <csignal>
#include <fstream>
#include <limits>
#include <random>
#include <sys/resource.h>
#include <thread>

using namespace tawara;
using namespace tawara::simulation;
namespace fs = std::filesystem;

namespace {

/// A wave that runs over the vertices: what a frame at a time must hold.
float wave(std::size_t vertex, double time_ms)
{
    const double since = time_ms - 0.05 * static_cast<double>(vertex);
    return since < 0
               ? -85.0f
               : static_cast<float>(-85 + 120 * std::exp(-since / 90) * (1 - std::exp(-since)));
}

std::vector<float> wave_frame(std::size_t values, double time_ms)
{
    std::vector<float> out(values);
    for (std::size_t i = 0; i < values; ++i)
        out[i] = wave(i, time_ms);
    return out;
}

double worst(const RecordedFrame& f)
{
    double most = 0;
    for (std::size_t i = 0; i < f.values.size(); ++i)
        most =
            larger_or_nan(most, std::fabs(static_cast<double>(f.values[i]) - wave(i, f.time_ms)));
    return most;
}

/// Values that do not compress: every frame costs about what it is large.
std::vector<float> noise_frame(std::size_t values, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<float> v(-100, 60);
    std::vector<float> out(values);
    for (auto& x : out)
        x = v(random);
    return out;
}

std::uint64_t bytes_on_disk(const fs::path& folder)
{
    std::uint64_t sum = 0;
    for (const auto& e : fs::directory_iterator(folder))
        sum += e.file_size();
    return sum;
}

} // namespace

class TestRecording : public QObject
{
    Q_OBJECT
    QTemporaryDir dir_;
    RecordingOptions options() const
    {
        RecordingOptions o;
        o.folder = dir_.path().toStdString();
        return o;
    }

  private Q_SLOTS:
    /// Who owns the folder could put other frames there, or links to other files.
    void aFolderOfAnotherUserIsNotUsed()
    {
        if (geteuid() != 0)
            QSKIP("only root can give a folder to another user");
        QTemporaryDir dir;
        auto o = options();
        o.folder = dir.filePath("theirs").toStdString();
        std::filesystem::create_directories(o.folder);
        std::ofstream(o.folder / "1-0.lock") << "";
        constexpr uid_t other = 12345;
        QCOMPARE(chown(o.folder.c_str(), other, other), 0);
        QVERIFY_THROWS_EXCEPTION(InputError, Recording(10, o));
        QCOMPARE(remove_orphaned_recordings(o.folder), 0);
        QVERIFY(std::filesystem::exists(o.folder / "1-0.lock"));
    }

    void accuracy_data()
    {
        QTest::addColumn<int>("bits");
        QTest::newRow("8") << 8;
        QTest::newRow("12") << 12;
        QTest::newRow("16") << 16;
    }
    void accuracy()
    {
        QFETCH(int, bits);
        auto o = options();
        o.bits = bits;
        Recording r(10000, o);
        QVERIFY(std::fabs(r.step_mV() - 160.0 / ((1 << bits) - 4)) < 1e-9);
        for (int k = 0; k < 40; ++k)
            r.append(5 * k, wave_frame(10000, 5 * k));
        r.flush();
        QCOMPARE(r.frame_count(), std::size_t{40});
        for (std::size_t k = 0; k < 40; ++k) {
            const auto f = r.frame(k);
            QVERIFY(f);
            QCOMPARE(f->time_ms, 5.0 * static_cast<double>(k));
            QCOMPARE(f->clamped, 0);
            // half a step, and the rounding of single precision
            QVERIFY2(worst(*f) <= 0.5 * r.step_mV() + 2e-5, qPrintable(QString::number(worst(*f))));
        }
    }

    void beyondTheRange()
    {
        Recording r(5, options());
        const float nan = std::numeric_limits<float>::quiet_NaN();
        r.append(1, std::vector<float>{-100, 60, -100.5f, 61, nan});
        r.append(2, std::vector<float>{-1e30f, 1e30f, -std::numeric_limits<float>::infinity(), 0,
                                       std::numeric_limits<float>::infinity()});
        r.flush();
        auto f = r.frame(0);
        QCOMPARE(f->values[0], -100.0f);
        QCOMPARE(f->values[1], 60.0f);
        QCOMPARE(f->values[2], -100.0f);
        QCOMPARE(f->values[3], 60.0f);
        QVERIFY(std::isnan(f->values[4]));
        QCOMPARE(f->clamped, 3);
        f = r.frame(1);
        QCOMPARE(f->values[0], -100.0f);
        QCOMPARE(f->values[4], 60.0f);
        QCOMPARE(f->clamped, 4);
    }

    void randomAccess()
    {
        Recording r(3000, options());
        for (int k = 0; k < 300; ++k)
            r.append(0.5 * k, wave_frame(3000, 0.5 * k));
        r.flush();
        std::mt19937 random(1);
        for (int i = 0; i < 500; ++i) {
            const std::size_t k = random() % 300;
            const auto f = r.frame(k);
            QCOMPARE(f->index, k);
            QCOMPARE(f->time_ms, 0.5 * static_cast<double>(k));
            QVERIFY(worst(*f) <= 0.5 * r.step_mV() + 2e-5);
        }
        QCOMPARE(r.at(10.4)->time_ms, 10.0);
        QCOMPARE(r.at(10.5)->time_ms, 10.5);
        QCOMPARE(r.at(-3)->time_ms, 0.0);
        QCOMPARE(r.at(1e9)->time_ms, 149.5);
        QVERIFY(!r.frame(300));
        QCOMPARE(r.times().size(), std::size_t{300});
    }

    void staysWithinItsBound()
    {
        auto o = options();
        o.max_bytes = 400'000;
        o.every_ms = 1;
        Recording r(1000, o);
        double spacing = 0;
        for (int k = 0; k < 3000; ++k) {
            r.append(k, noise_frame(1000, static_cast<std::uint64_t>(k)));
            if (k % 50 == 0) {
                r.flush();
                QVERIFY(r.bytes() <= o.max_bytes);
                QVERIFY(bytes_on_disk(r.folder()) <= o.max_bytes);
            }
        }
        r.flush();
        QVERIFY(r.thinned() >= 3);
        QCOMPARE(r.every_ms(), static_cast<double>(1 << r.thinned()));
        QVERIFY(r.frame_count() > 100); // half of the bound at least is used
        // the whole session is there, evenly
        const auto t = r.times();
        QCOMPARE(t.front(), 0.0);
        QVERIFY(t.back() > 3000 - 2 * r.every_ms());
        for (std::size_t k = 1; k < t.size(); ++k)
            spacing = larger_or_nan(spacing, std::fabs(t[k] - t[k - 1] - r.every_ms()));
        QCOMPARE(spacing, 0.0);
        for (std::size_t k = 0; k < t.size(); ++k) {
            const auto f = r.frame(k);
            const auto wanted = noise_frame(1000, static_cast<std::uint64_t>(f->time_ms));
            for (std::size_t i = 0; i < wanted.size(); ++i)
                QVERIFY(std::fabs(f->values[i] - wanted[i]) <= 0.5 * r.step_mV() + 2e-5);
        }
    }

    /// Two hours at a frame a millisecond would be 7 million frames: a small one of as many frames
    /// as the bound can take a few hundred times over.
    void twoHours()
    {
        auto o = options();
        o.max_bytes = 200'000;
        Recording r(50, o);
        for (int k = 0; k < 400'000; ++k)
            r.append(k, wave_frame(50, k % 400));
        r.flush();
        QVERIFY(r.bytes() <= o.max_bytes);
        QVERIFY(r.frame_count() >= 500);
        QVERIFY(r.frame_count() < 3000); // the index is bounded as well
        QCOMPARE(r.times().front(), 0.0);
        QVERIFY(r.times().back() >= 400'000 - 2 * r.every_ms());
    }

    void setBack()
    {
        Recording r(100, options());
        for (int k = 0; k < 50; ++k)
            r.append(k, wave_frame(100, k));
        r.append(20.5, wave_frame(100, 20.5)); // a checkpoint of 20 ms was restored
        for (int k = 21; k < 60; ++k)
            r.append(k, wave_frame(100, k));
        r.flush();
        QCOMPARE(r.frame_count(), std::size_t{61});
        QCOMPARE(r.time_of(21), 20.5);
        for (std::size_t k = 0; k < r.frame_count(); ++k)
            QVERIFY(worst(*r.frame(k)) <= 0.5 * r.step_mV() + 2e-5);
        r.append(0, wave_frame(100, 0)); // back to the start
        r.flush();
        QCOMPARE(r.frame_count(), std::size_t{1});
        r.clear();
        QCOMPARE(r.frame_count(), std::size_t{0});
        QVERIFY(!r.at(3));
        QVERIFY(!r.frame(0));
        r.append(5, wave_frame(100, 5));
        r.flush();
        QVERIFY(worst(*r.at(5)) < 0.1);
    }

    void readWhileWritten()
    {
        auto o = options();
        o.max_bytes = 300'000;
        Recording r(2000, o);
        std::atomic<bool> done{false};
        std::atomic<int> wrong{0}, reads{0};
        std::vector<std::thread> readers;
        for (unsigned n = 0; n < 3; ++n)
            readers.emplace_back([&, n] {
                std::mt19937 random(n);
                while (!done) {
                    const auto count = r.frame_count();
                    if (count == 0)
                        continue;
                    const auto f =
                        n == 0 ? r.at(r.time_of(random() % count)) : r.frame(random() % count);
                    if (!f)
                        continue; // thinned out in between
                    const double time = std::fmod(f->time_ms, 200);
                    for (std::size_t i = 0; i < f->values.size(); ++i)
                        if (!(std::fabs(f->values[i] - wave(i, time)) <= 0.03))
                            ++wrong;
                    ++reads;
                }
            });
        for (int k = 0; k < 2000; ++k)
            r.append(k, wave_frame(2000, k % 200));
        r.flush();
        done = true;
        for (auto& t : readers)
            t.join();
        QVERIFY(r.thinned() > 0);
        QCOMPARE(wrong.load(), 0);
        QVERIFY(reads > 20);
    }

    void damage()
    {
        Recording r(500, options());
        for (int k = 0; k < 33; ++k)
            r.append(k, wave_frame(500, k));
        r.flush();
        const auto odd = r.folder() / "level-0"; // frames 1, 3, 5, ...
        QVERIFY(fs::exists(odd));
        {
            std::fstream f(odd, std::ios::in | std::ios::out | std::ios::binary);
            f.seekp(4);
            f.write("\xff\xff\xff\xff", 4);
        }
        try {
            (void)r.frame(1);
            QFAIL("a damaged frame was read");
        } catch (const Error& e) {
            QVERIFY(QString(e.what()).contains("damaged"));
        }
        QVERIFY(worst(*r.frame(0)) < 0.1);
        QVERIFY(worst(*r.frame(6)) < 0.1); // no frame depends on one of a finer level
        fs::resize_file(odd, 0);
        QVERIFY_THROWS_EXCEPTION(Error, (void)r.frame(31));
        QVERIFY(worst(*r.frame(32)) < 0.1);
        r.append(33, wave_frame(500, 33)); // recording goes on
        r.flush();
        QCOMPARE(r.frame_count(), std::size_t{34});
    }

    void fullDisk()
    {
        rlimit old{};
        getrlimit(RLIMIT_FSIZE, &old);
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit low{60'000, old.rlim_max};
        setrlimit(RLIMIT_FSIZE, &low);
        QString reason;
        std::size_t kept = 0;
        {
            Recording r(2000, options());
            try {
                for (int k = 0; k < 500; ++k)
                    r.append(k, noise_frame(2000, static_cast<std::uint64_t>(k)));
                r.flush();
            } catch (const InputError& e) {
                reason = e.what();
            }
            kept = r.frame_count();
            for (std::size_t k = 0; k < kept; ++k) {
                const auto f = r.frame(k);
                const auto wanted = noise_frame(2000, static_cast<std::uint64_t>(f->time_ms));
                QVERIFY(std::fabs(f->values[7] - wanted[7]) <= 0.5 * r.step_mV() + 2e-5);
            }
        }
        setrlimit(RLIMIT_FSIZE, &old);
        QVERIFY2(reason.contains("make room"), qPrintable(reason));
        QVERIFY(kept > 10);
    }

    void leavesNothing()
    {
        const fs::path folder = fs::path(dir_.path().toStdString()) / "own";
        auto o = options();
        o.folder = folder;
        fs::path mine;
        {
            Recording live(10, o);
            live.append(0, wave_frame(10, 0));
            live.flush();
            mine = live.folder();
            // as a killed program leaves it: a folder whose lock nobody holds
            fs::create_directories(folder / "99-0");
            std::ofstream(folder / "99-0" / "level-0") << "x";
            std::ofstream(folder / "99-0.lock") << "";
            QCOMPARE(remove_orphaned_recordings(folder), 1);
            QVERIFY(!fs::exists(folder / "99-0"));
            QVERIFY(!fs::exists(folder / "99-0.lock"));
            QVERIFY(fs::exists(mine));
            QCOMPARE(remove_orphaned_recordings(folder), 0);
            QVERIFY(live.frame(0));
        }
        QVERIFY(!fs::exists(mine));
        QVERIFY(fs::is_empty(folder));
        QCOMPARE(remove_orphaned_recordings(folder / "missing"), 0);
    }

    /// Only what the program has made is removed, in a folder that nobody else may write into.
    void removesNothingOfOthers()
    {
        const auto above = fs::path(dir_.path().toStdString()) / "above";
        const auto folder = above / "recordings", other = above / "other";
        for (const auto& at : {folder, other}) {
            fs::create_directories(at);
            for (const char* name : {"99-0", "thesis", "99-", "-0", "99-0-1", "99"}) {
                fs::create_directory(at / name);
                std::ofstream(at / (std::string(name) + ".lock")) << "";
            }
        }
        fs::permissions(above, fs::perms::owner_all);
        fs::permissions(other, fs::perms::owner_all);
        const auto link = above / "link";
        fs::create_directory_symlink("other", link);
        auto o = options();
        o.folder = link;
        QCOMPARE(remove_orphaned_recordings(link), 0);
        QVERIFY_THROWS_EXCEPTION(InputError, Recording(10, o));
        QVERIFY(fs::exists(other / "99-0.lock") && fs::exists(other / "thesis.lock"));

        fs::permissions(folder, fs::perms::all); // of everybody
        QCOMPARE(remove_orphaned_recordings(folder), 0);
        fs::permissions(folder, fs::perms::owner_all);
        fs::permissions(above, fs::perms::all); // whoever likes may put another in its place
        QCOMPARE(remove_orphaned_recordings(folder), 0);
        o.folder = folder;
        QVERIFY_THROWS_EXCEPTION(InputError, Recording(10, o));
        fs::permissions(above, fs::perms::owner_all);

        fs::remove(folder / "99-0");
        fs::create_directory_symlink(other, folder / "99-0");
        fs::create_directory(folder / "98-7");
        fs::create_symlink(other / "99-0.lock", folder / "98-7.lock");
        QCOMPARE(remove_orphaned_recordings(folder), 1);
        QVERIFY(!fs::is_symlink(folder / "99-0") && !fs::exists(folder / "99-0.lock"));
        QVERIFY(fs::exists(other / "thesis") && fs::exists(other / "99-0.lock"));
        QVERIFY(fs::exists(folder / "98-7"));
        for (const char* name : {"thesis", "99-", "-0", "99-0-1", "99"})
            QVERIFY(fs::exists(folder / name) &&
                    fs::exists(folder / (std::string(name) + ".lock")));
    }

    void refuses()
    {
        auto o = options();
        QVERIFY_THROWS_EXCEPTION(InputError, Recording(0, o));
        o.bits = 17;
        QVERIFY_THROWS_EXCEPTION(InputError, Recording(10, o));
        o = options();
        o.max_bytes = 1000;
        QVERIFY_THROWS_EXCEPTION(InputError, Recording(1000, o));
        o = options();
        o.folder = "/proc/none";
        QVERIFY_THROWS_EXCEPTION(InputError, Recording(10, o));
    }
};

QTEST_APPLESS_MAIN(TestRecording)
#include "test_recording.moc"
