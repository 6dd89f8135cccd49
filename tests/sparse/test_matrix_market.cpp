// SPDX-License-Identifier: GPL-3.0-or-later
// Matrix Market files, right and wrong ones.
#include "engine/core/error.hpp"
#include "engine/sparse/matrix_market.hpp"
#include "tests/sparse/random_matrix.hpp"

#include <QtTest>

#include <fstream>

using namespace tawara;
using namespace tawara::sparse;

class TestMatrixMarket : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void whatIsWrittenIsRead()
    {
        const auto a = test::random_matrix(60, 45, 3, [](std::int32_t i) { return i % 7; });
        const auto file = path("a.mtx");
        write_matrix_market(file, a, "by chance\ntwo lines");
        const auto b = read_matrix_market(file);
        QCOMPARE(b.columns, a.columns);
        QVERIFY(b.first == a.first && b.column == a.column && b.value == a.value);
    }

    void kindsAreRead()
    {
        const auto a = read("%%MatrixMarket matrix coordinate real symmetric\n% a comment\n\n"
                            "3 3 3\n1 1 0.25D+01\n3 1 -1e-3\r\n2 2 +4\n");
        QCOMPARE(a.first, (std::vector<std::int64_t>{0, 2, 3, 4}));
        QCOMPARE(a.column, (std::vector<std::int32_t>{0, 2, 1, 0}));
        QCOMPARE(a.value, (std::vector<double>{2.5, -1e-3, 4, -1e-3}));
        const auto skew = read("%%MatrixMarket matrix coordinate integer skew-symmetric\n"
                               "2 2 1\n2 1 3\n");
        QCOMPARE(skew.value, (std::vector<double>{-3, 3}));
        const auto pattern =
            read("%%MatrixMarket Matrix Coordinate Pattern General\n2 3 2\n1 3\n2 1\n");
        QCOMPARE(pattern.columns, 3);
        QCOMPARE(pattern.value, (std::vector<double>{1, 1}));
    }

    void wrongFilesAreSaid_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("where");
        QTest::addColumn<QString>("says");
        const QByteArray head = "%%MatrixMarket matrix coordinate real general\n";
        QTest::newRow("empty") << QByteArray() << ""
                               << "the file is empty";
        QTest::newRow("no header") << QByteArray("3 3 1\n1 1 1\n") << "1"
                                   << "its first line must be";
        QTest::newRow("array") << QByteArray("%%MatrixMarket matrix array real general\n1 1\n1\n")
                               << "1"
                               << "its first line must be";
        QTest::newRow("complex") << QByteArray("%%MatrixMarket matrix coordinate complex general\n")
                                 << "1"
                                 << "'complex' are not read";
        QTest::newRow("hermitian")
            << QByteArray("%%MatrixMarket matrix coordinate real hermitian\n") << "1"
            << "'hermitian' are not read";
        QTest::newRow("no sizes") << head << "1"
                                  << "rows, columns and entries is missing";
        QTest::newRow("sizes") << head + "3 x 1\n"
                               << "2"
                               << "'x' is the number of columns";
        QTest::newRow("too many") << head + "3 3 900\n1 1 1\n"
                                  << "2"
                                  << "900 entries are announced";
        QTest::newRow("above") << QByteArray("%%MatrixMarket matrix coordinate real symmetric\n"
                                             "3 3 1\n1 3 1\n")
                               << "3"
                               << "above the diagonal";
        QTest::newRow("skew and on it")
            << QByteArray("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n2 2 1\n")
            << "3"
            << "on the diagonal";
        QTest::newRow("bomb") << head + "2000000000 1 1\n1 1 1\n"
                              << "2"
                              << "nearly all empty";
        QTest::newRow("outside") << head + "3 3 1\n1 4 1\n"
                                 << "3"
                                 << "'4' is a column";
        QTest::newRow("zero") << head + "3 3 1\n0 1 1\n"
                              << "3"
                              << "'0' is a row";
        QTest::newRow("value") << head + "3 3 1\n1 1 abc\n"
                               << "3"
                               << "'abc' must be a number";
        QTest::newRow("missing value") << head + "3 3 1\n1 1\n"
                                       << "3"
                                       << "must be a number";
        QTest::newRow("nan") << head + "3 3 1\n1 1 nan\n"
                             << "3"
                             << "finite";
        QTest::newRow("huge") << head + "3 3 1\n1 1 1e999\n"
                              << "3"
                              << "finite";
        QTest::newRow("ends") << head + "3 3 2\n1 1 1\n"
                              << "3"
                              << "ends after 1 of 2 entries";
        QTest::newRow("more") << head + "3 3 1\n1 1 1\n2 2 1\n"
                              << "4"
                              << "more entries follow";
        QTest::newRow("more in line") << head + "3 3 1\n1 1 1 9\n"
                                      << "3"
                                      << "more than the header";
        QTest::newRow("not square")
            << QByteArray("%%MatrixMarket matrix coordinate real symmetric\n3 2 1\n1 1 1\n") << "2"
            << "as many rows as columns";
    }
    void wrongFilesAreSaid()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, where);
        QFETCH(QString, says);
        try {
            read(text);
        } catch (const InputError& e) {
            QVERIFY2(QString::fromStdString(e.reason).contains(says), e.what());
            QCOMPARE(QString::fromStdString(e.where), where);
            return;
        }
        QFAIL("it was read");
    }

    void aMissingFileIsSaid()
    {
        QVERIFY_THROWS_EXCEPTION(InputError, read_matrix_market(path("none.mtx")));
    }

  private:
    std::string path(const char* name) const
    {
        return folder_.filePath(QString::fromLatin1(name)).toStdString();
    }
    Csr read(const QByteArray& text) const
    {
        std::ofstream(path("in.mtx"), std::ios::binary) << text.toStdString();
        return read_matrix_market(path("in.mtx"));
    }
    QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(TestMatrixMarket)
#include "test_matrix_market.moc"
