// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.hpp"
#include "engine/core/provenance.hpp"
#include "engine/movie/movie_writer.hpp"
#include "tests/movie/movie_reader.hpp"

#include <QtTest>
#include <csignal>
#include <cstdlib>
#include <sys/resource.h>

using namespace tawara;
using namespace tawara::movie;

namespace {

using Color = std::array<std::uint8_t, 3>;

/// One colour with a bar of another that stands at a tenth of the width per frame.
std::vector<std::uint8_t> picture(int width, int height, Color ground, Color bar, int frame)
{
    std::vector<std::uint8_t> out(static_cast<std::size_t>(4 * width * height));
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const bool on = x / (width / 10) == frame % 10;
            auto* p = &out[static_cast<std::size_t>(4 * (y * width + x))];
            for (std::size_t c = 0; c < 3; ++c)
                p[c] = (on ? bar : ground)[c];
            p[3] = 255;
        }
    return out;
}

bool near(const std::array<int, 3>& got, const Color& wanted, int by)
{
    for (std::size_t c = 0; c < 3; ++c)
        if (std::abs(got[c] - wanted[c]) > by)
            return false;
    return true;
}

} // namespace

class TestMovie : public QObject
{
    Q_OBJECT
    QTemporaryDir dir_;
    std::filesystem::path in(const char* name) const
    {
        return std::filesystem::path(dir_.path().toStdString()) / name;
    }

  private Q_SLOTS:
    void decodesToWhatWentIn_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("codec");
        QTest::addColumn<double>("rate");
        QTest::newRow("mp4") << "a.mp4"
                             << "h264" << 25.0;
        QTest::newRow("webm") << "a.webm"
                              << "vp9" << 30.0;
        QTest::newRow("ntsc") << "b.mp4"
                              << "h264" << 30000.0 / 1001;
    }
    void decodesToWhatWentIn()
    {
        QFETCH(QString, file);
        QFETCH(QString, codec);
        QFETCH(double, rate);
        const int w = 320, h = 180;
        const Color ground{20, 30, 50}, bar{230, 60, 20};
        {
            MovieWriter m(in(qPrintable(file)), {w, h, rate, 90, "a wave"});
            for (int k = 0; k < 20; ++k)
                m.add(picture(w, h, ground, bar, k), 4 * w);
            QVERIFY(!std::filesystem::exists(in(qPrintable(file)))); // whole or not at all
            m.finish();
            QCOMPARE(m.frames(), 20);
        }
        const auto d = test::decode_movie(in(qPrintable(file)).string());
        QCOMPARE(d.width, w);
        QCOMPARE(d.height, h);
        QCOMPARE(QString::fromStdString(d.codec), codec);
        QCOMPARE(QString::fromStdString(d.title), QString("a wave"));
        QCOMPARE(QString::fromStdString(d.comment), QString::fromStdString(program_provenance()));
        QCOMPARE(d.frames.size(), std::size_t{20});
        QVERIFY(std::abs(d.frames_per_second - rate) < 0.01);
        QVERIFY(std::abs(d.seconds - 20 / rate) < 0.05);
        for (std::size_t k = 0; k < 20; ++k) {
            const int x = (static_cast<int>(k) % 10) * 32 + 16;
            QVERIFY2(near(d.pixel(k, x, 90), bar, 8), "the bar's colour");
            QVERIFY2(near(d.pixel(k, (x + 160) % w, 90), ground, 8), "the ground's colour");
        }
        // nothing else is left in the folder
        for (const auto& e : std::filesystem::directory_iterator(dir_.path().toStdString()))
            QVERIFY(e.path().filename().string().front() != '.');
    }

    /// Rows may be longer than the picture, as in images of the window.
    void rowsWithAMargin()
    {
        const int w = 64, h = 48;
        std::vector<std::uint8_t> padded(static_cast<std::size_t>(4 * 100 * h), 255);
        for (int y = 0; y < h; ++y)
            for (int x = 0; x < w; ++x)
                for (int c = 0; c < 3; ++c)
                    padded[static_cast<std::size_t>(4 * (100 * y + x) + c)] = 10;
        MovieWriter m(in("rows.mp4"), {w, h, 10, 90, ""});
        m.set_provenance("of this run");
        m.add(padded, 400);
        QVERIFY_THROWS_EXCEPTION(Error, m.add(std::span(padded).first(4 * 64 * 47), 4 * 64));
        m.finish();
        const auto d = test::decode_movie(in("rows.mp4").string());
        QCOMPARE(d.frames.size(), std::size_t{1});
        QCOMPARE(QString::fromStdString(d.comment), QString("of this run"));
        QVERIFY(near(d.pixel(0, w - 1, h - 1), {10, 10, 10}, 6));
    }

    void qualityCosts()
    {
        std::vector<std::uintmax_t> sizes;
        for (int quality : {20, 95}) {
            MovieWriter m(in("q.mp4"), {320, 180, 25, quality, ""});
            for (int k = 0; k < 10; ++k) {
                auto p = picture(320, 180, {20, 30, 50}, {230, 60, 20}, k);
                for (std::size_t i = 0; i < p.size(); ++i)
                    p[i] = static_cast<std::uint8_t>(p[i] + (i * 7919 % 13));
                m.add(p, 1280);
            }
            m.finish();
            sizes.push_back(std::filesystem::file_size(in("q.mp4")));
        }
        QVERIFY(sizes[1] > 2 * sizes[0]);
    }

    void cancelledLeavesNothing()
    {
        {
            MovieWriter m(in("gone.mp4"), {64, 64, 10, 50, ""});
            m.add(picture(64, 64, {0, 0, 0}, {1, 1, 1}, 0), 256);
        }
        QVERIFY(!std::filesystem::exists(in("gone.mp4")));
        for (const auto& e : std::filesystem::directory_iterator(dir_.path().toStdString()))
            QVERIFY(e.path().filename().string().front() != '.');
        MovieWriter m(in("none.mp4"), {64, 64, 10, 50, ""});
        QVERIFY_THROWS_EXCEPTION(InputError, m.finish());
    }

    void refuses()
    {
        const auto reason = [&](const char* file, MovieOptions o) {
            try {
                MovieWriter m(in(file), o);
            } catch (const InputError& e) {
                return QString(e.what());
            }
            return QString();
        };
        QVERIFY(reason("a.avi", {}).contains(".mp4"));
        QVERIFY(reason("a.mp4", {641, 480, 25, 50, ""}).contains("even"));
        QVERIFY(reason("a.mp4", {0, 480, 25, 50, ""}).contains("want"));
        QVERIFY(reason("a.mp4", {640, 480, 0, 50, ""}).contains("want 1 to 240"));
        QVERIFY(reason("/proc/none/a.mp4", {}).contains("folder"));
        QCOMPARE(movie_extensions().front(), std::string(".mp4"));
    }

    void fullDisk()
    {
        rlimit old{};
        getrlimit(RLIMIT_FSIZE, &old);
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit low{20'000, old.rlim_max};
        setrlimit(RLIMIT_FSIZE, &low);
        bool thrown = false;
        try {
            MovieWriter m(in("full.mp4"), {320, 180, 25, 100, ""});
            std::uint32_t seed = 1;
            for (int k = 0; k < 60; ++k) {
                auto p = picture(320, 180, {20, 30, 50}, {230, 60, 20}, k);
                for (auto& b : p)
                    b = static_cast<std::uint8_t>((seed = seed * 1664525 + 1013904223) >> 24);
                m.add(p, 1280);
            }
            m.finish();
        } catch (const InputError&) {
            thrown = true;
        }
        setrlimit(RLIMIT_FSIZE, &old);
        QVERIFY(thrown);
        QVERIFY(!std::filesystem::exists(in("full.mp4")));
    }
};

QTEST_APPLESS_MAIN(TestMovie)
#include "test_movie.moc"
