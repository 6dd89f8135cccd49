// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/json_size.hpp"

#include <QtTest>

using namespace tawara;

class TestJsonSize : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    /// Brackets in texts and comments are none; a quote in a comment begins no text.
    void sizesOfJson()
    {
        const auto s = json_size("{\"a\": \"[[:,\\\"{\", \"b\": [1, {\"c:\": []}], \"a\": 2}", 100);
        QCOMPARE(s.depth, std::size_t(4));
        QCOMPARE(s.keys, std::size_t(4));
        QCOMPARE(s.most_keys, std::size_t(3));
        QCOMPARE(s.values, std::size_t(11)); // 4 brackets, 4 keys, 3 commas
        QCOMPARE(json_size("// \"\n/* [\" */[[[1]]]", 100).depth, std::size_t(3));
        QCOMPARE(json_excess("[[[1]]]", 3), std::string());
        QCOMPARE(json_excess("[[[1]]]", 2), std::string("is nested more than 2 deep"));
        QCOMPARE(json_excess("]]}}\"\\", 2), std::string());
        const std::string blank(70'000, ' '), word(2'000, '9');
        QVERIFY(json_excess("[" + blank + "1]", 2).find("white space") != std::string::npos);
        QVERIFY(json_excess("[1, -" + word + "]", 2).find("a number or a word") !=
                std::string::npos);
        QCOMPARE(json_excess("[\"" + blank + word + "\"]", 2), std::string()); // within a text
    }
    /// A parser keeps white space over brackets and words, until a text or a number begins.
    void whiteSpaceAddsUp_data()
    {
        QTest::addColumn<QString>("between");
        QTest::addColumn<bool>("refused");
        QTest::newRow("lists") << "[]," << true;
        QTest::newRow("words") << "null," << true;
        QTest::newRow("numbers") << "-1," << false;
        QTest::newRow("texts") << "\"\"," << false;
    }
    void whiteSpaceAddsUp()
    {
        QFETCH(QString, between);
        QFETCH(bool, refused);
        std::string text = "[";
        for (int k = 0; k < 20; ++k)
            text += std::string(60'000, '\n') + between.toStdString();
        const std::string says = json_excess(text + "1]", 2);
        QCOMPARE(says.find("white space without a text or a number") != says.npos, refused);
        QCOMPARE(says.empty(), !refused);
    }
};

QTEST_GUILESS_MAIN(TestJsonSize)
#include "test_json_size.moc"
