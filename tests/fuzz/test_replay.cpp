// SPDX-License-Identifier: GPL-3.0-or-later
// What fuzzers start from and what they have found (corpus), and simple changes of it, through
// every reader of files from others, in every build: each is read or refused by InputError, soon.
#include "engine/core/error.hpp"
#include "tests/fuzz/readers.hpp"
#include "tests/slowdown.hpp"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>
#include <ctime>
#include <random>
#include <sys/resource.h>

namespace {

using namespace tawara;
namespace fs = std::filesystem;

using fuzz::Named;
constexpr Named all[] = {TAWARA_FUZZ_READERS(TAWARA_FUZZ_NAMED)};

QString corpus()
{
    return TAWARA_SOURCE_DIR "/tests/fuzz/corpus/";
}

double processor_s()
{
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// A text changed at a place that chance takes; the same for the same text and number.
std::string changed(std::string text, unsigned number)
{
    std::mt19937 chance(number + 7919U * static_cast<unsigned>(text.size()));
    const auto below = [&](std::size_t n) { return n == 0 ? 0 : chance() % n; };
    const auto at = below(text.size());
    static const char* const put[] = {
        "-1",   "0", "99999999999999999999", "1e999", "nan", "\n", "\"", "-1e-320", "[[[[", "}",
        "\xff", ""};
    constexpr std::size_t kinds = 6;
    switch (number % kinds) {
    case 0: // a bit
        if (!text.empty())
            text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
    case 1: // the end is missing
        text.resize(at);
        break;
    case 2: // a piece is there again
        text.insert(at, text.substr(below(text.size()), 1 + below(64)));
        break;
    case 3: // a word stands in place of some letters
        text.replace(at, 1 + below(6), put[below(std::size(put))]);
        break;
    case 4: // a piece is missing
        text.erase(at, 1 + below(32));
        break;
    default: // bytes of a number
        for (std::size_t k = at; k < std::min(at + 8, text.size()); ++k)
            text[k] = static_cast<char>(number % 4 == 0 ? 0xff : chance() & 0xff);
    }
    return text;
}

} // namespace

class TestReplay : public QObject
{
    Q_OBJECT
    QTemporaryDir dir_;
    double longest_s_ = 0;

    void feed(const Named& reader, const std::string& bytes, const QByteArray& what)
    {
        const double before = processor_s();
        try {
            reader.read(bytes, dir_.path().toStdString());
        } catch (const InputError& e) {
            const std::string said = e.what();
            QVERIFY2(!said.empty() && said.find('\n') == said.npos, what.constData());
        } catch (const std::exception& e) {
            QFAIL((what + ": ends with " + e.what()).constData());
        }
        const double took = processor_s() - before;
        longest_s_ = std::max(longest_s_, took);
        QVERIFY2(took < 2 * test::slowdown,
                 (what + ": took " + QByteArray::number(took) + " s").constData());
    }

  private Q_SLOTS:
    void everyReaderHasACorpus()
    {
        QStringList names;
        for (const auto& r : all) {
            names << r.name;
            QVERIFY2(!QDir(corpus() + r.name).entryList(QDir::Files).isEmpty(), r.name);
        }
        names.sort();
        QCOMPARE(QDir(corpus()).entryList(QDir::Dirs | QDir::NoDotAndDotDot), names);
    }

    void replay_data()
    {
        QTest::addColumn<int>("reader");
        for (int r = 0; r < int(std::size(all)); ++r)
            for (const auto& f : QDir(corpus() + all[r].name).entryList(QDir::Files))
                QTest::newRow((QByteArray(all[r].name) + "/" + f.toUtf8()).constData()) << r;
    }
    /// TAWARA_REPLAY_CHANGES=N makes more of them.
    void replay()
    {
        QFETCH(int, reader);
        const QByteArray name = QTest::currentDataTag();
        QFile f(corpus() + name);
        QVERIFY(f.open(QIODevice::ReadOnly));
        const auto text = f.readAll().toStdString();
        const auto& r = all[reader];
        feed(r, text, name);
        bool given = false;
        const int more = qEnvironmentVariableIntValue("TAWARA_REPLAY_CHANGES", &given);
        constexpr int few = 12;
        for (int k = 0; k < (given ? more : few) && !QTest::currentTestFailed(); ++k)
            feed(r, changed(text, unsigned(k)), name + ", change " + QByteArray::number(k));
    }

    /// What is nested a million deep is refused: each of these ended two readers before.
    void deep_data()
    {
        QTest::addColumn<QByteArray>("before");
        const auto row = [](const char* reader, const char* before) {
            QTest::newRow(reader) << QByteArray(before);
        };
        row("session", R"({"schema": 1, "name": )");
        row("heart_parameters", R"({"shape": )");
        row("study", "@@study.json\n{\"schema\": 1, \"session\": {\"a\": ");
        row("study_records", "@@beats.json\n[{\"interval_ms\": ");
        row("mesh_parts", R"({"tawara_parts": )");
        row("provenance", "@@verify.json\n{\"program\": \"tawara\", \"form\": ");
        row("kept_states", "@@7.kept.json\n{\"schema\": ");
        row("report", R"({"program": "tawara", "reproduction": {"session_path": "s", "session": )");
        row("run_folder", "@@report.json\n{\"program\": \"tawara\", \"files\": ");
    }
    void deep()
    {
        QFETCH(QByteArray, before);
        constexpr std::size_t depth = 1'000'000;
        const std::string text =
            before.toStdString() + std::string(depth, '[') + std::string(depth, ']') + "}";
        for (const auto& r : all)
            if (QByteArray(r.name) == QTest::currentDataTag())
                feed(r, text, r.name);
    }

    /// A frame's name of a million digits ended the reader of folders by a signal.
    void longName()
    {
        constexpr std::size_t length = 1'000'000;
        feed({"run_folder", fuzz::run_folder},
             "@@frames.pvd\n<DataSet timestep=\"0\" file=\"frames/" + std::string(length, '1') +
                 ".vtu\"/>\n",
             "run_folder, a long name");
    }

    void memory()
    {
        rusage used{};
        getrusage(RUSAGE_SELF, &used);
        constexpr long most_MB = 1000;
        QVERIFY2(used.ru_maxrss / 1024 < most_MB,
                 qPrintable(QString::number(used.ru_maxrss / 1024)));
        qInfo("longest input: %.3f s, largest memory: %ld MB", longest_s_, used.ru_maxrss / 1024);
    }
};

QTEST_GUILESS_MAIN(TestReplay)
#include "test_replay.moc"
