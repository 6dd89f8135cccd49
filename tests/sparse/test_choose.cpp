// SPDX-License-Identifier: GPL-3.0-or-later
// The way that is chosen for a matrix, held against what was measured (product_times.txt).
#include "engine/sparse/choose.hpp"

#include <QtTest>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

using namespace tawara;
using namespace tawara::sparse;

namespace {

/// One matrix and precision: what may be chosen, and what it took.
struct Measured
{
    std::string precision, matrix, mode;
    std::int64_t rows = 0;
    int run = 1;
    RowLengths length;
    double best_us = 0;
    std::vector<std::pair<std::string, double>> way;
};

std::vector<Measured> measured()
{
    std::ifstream in(TAWARA_SOURCE_DIR "/tests/sparse/product_times.txt");
    std::vector<Measured> out;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with('#'))
            continue;
        const auto bar = line.find('|');
        Measured m;
        std::istringstream head(line.substr(0, bar));
        head >> m.precision >> m.matrix >> m.mode >> m.rows >> m.length.mean >>
            m.length.deviation >> m.length.most >> m.run >> m.best_us;
        std::istringstream ways(line.substr(bar + 1));
        for (std::string w; std::getline(ways, w, ';');) {
            const auto begin = w.find_first_not_of(' '), space = w.find_last_of(' ');
            m.way.emplace_back(w.substr(begin, space - begin), std::stod(w.substr(space)));
        }
        out.push_back(std::move(m));
    }
    return out;
}

/// As the table writes it.
std::string text(const Choice& c)
{
    if (c.format == Choice::Format::csr)
        return "csr " + std::to_string(c.threads);
    std::ostringstream out;
    const auto& o = c.options;
    out << (c.cuthill_mckee ? "rcm " : "own ") << o.window << ' ' << o.threshold << ' '
        << o.long_first << ' ' << o.pack << ' ' << o.widest << ' ' << o.run << ' ' << c.block << ' '
        << c.flight << ' ' << c.ahead << ' ' << static_cast<int>(c.early);
    return out.str();
}

Precision precision(const std::string& name)
{
    for (const auto p : {Precision::double_, Precision::single})
        if (name == tawara::name(p))
            return p;
    return Precision::mixed;
}

} // namespace

class TestChoose : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void isWithinFivePercentOfTheBestMeasured()
    {
        const auto all = measured();
        QCOMPARE(all.size(), std::size_t{88}); // 22 matrices, with new numbers and without
        double worst = 0;
        std::string which;
        for (const auto& m : all) {
            const auto c =
                choose(m.length, m.rows, m.run, precision(m.precision), m.mode == "free");
            const auto way = text(c);
            const auto found = std::find_if(m.way.begin(), m.way.end(),
                                            [&](const auto& w) { return w.first == way; });
            const auto name = m.precision + " " + m.matrix + " " + m.mode + ": " + way;
            QVERIFY2(found != m.way.end(), (name + " is not among the ways near the best").c_str());
            const double over = found->second / m.best_us;
            if (over > worst)
                worst = over, which = name;
            QVERIFY2(over <= 1.05,
                     (name + " takes " + std::to_string(over) + " of the best").c_str());
        }
        qInfo("worst: %.3f times the best, %s", worst, which.c_str());
    }

    void choicesCanBeLaidOut()
    {
        std::vector<Entry> entries;
        for (std::int32_t i = 0; i < 3000; ++i)
            for (std::int32_t k = 0; k < 1 + i % 5; ++k)
                entries.push_back({i, (i * 7 + k * 31) % 3000, 1.0});
        const auto a = csr_of(3000, 3000, entries);
        for (const auto p : {Precision::double_, Precision::single, Precision::mixed})
            for (const bool renumber : {false, true}) {
                const auto c = choose(a, p, renumber);
                QCOMPARE(c.options.renumbered, renumber);
                QCOMPARE(c.cuthill_mckee && !renumber, false);
                QVERIFY(make_layout(a, c.options).padded() >= a.entries());
            }
    }

    void nodesOfSeveralUnknownsAreStoredInRuns()
    {
        // a node and its next on a line, `size` unknowns each
        const auto line = [](std::int32_t size) {
            std::vector<Entry> entries;
            const std::int32_t rows = 4000 * size;
            for (std::int32_t i = 0; i < rows; ++i)
                for (std::int32_t k = 0; k < 2 * size; ++k)
                    if (const auto j = i / size * size + k; j < rows)
                        entries.push_back({i, j, 1.0});
            return csr_of(rows, rows, entries);
        };
        for (const auto p : {Precision::double_, Precision::single, Precision::mixed}) {
            QCOMPARE(best_run(line(3), p), 3);
            QCOMPARE(best_run(line(6), p), 3);
            QCOMPARE(best_run(csr_of(3, 5, {}), p), 1);
            const auto a = line(3);
            const auto c = choose(a, p, true);
            QCOMPARE(c.options.run, 3);
            QCOMPARE(c.options.renumbered, false);
            QCOMPARE(make_layout(a, c.options).padded() % 32, 0);
        }
        // two in a row: runs of 2 hold both and nothing else
        std::vector<Entry> pairs;
        for (std::int32_t i = 0; i < 4000; ++i)
            for (const std::int32_t j : {0, 1, 100, 101})
                pairs.push_back({i, (i / 2 * 2 + j) % 4000, 1.0});
        QCOMPARE(best_run(csr_of(4000, 4000, pairs), Precision::double_), 2);
    }

    void oblongAndEmptyMatricesKeepTheirNumbers()
    {
        const Entry one[] = {{0, 4, 1.0}};
        const auto a = csr_of(3, 5, one);
        QCOMPARE(choose(a, Precision::double_, true).options.renumbered, false);
        QVERIFY(choose(a, Precision::double_, true).cuthill_mckee == false);
        QVERIFY(choose(Csr{}, Precision::single, true).block > 0);
    }
};

QTEST_APPLESS_MAIN(TestChoose)
#include "test_choose.moc"
