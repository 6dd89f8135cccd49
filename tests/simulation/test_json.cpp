// SPDX-License-Identifier: GPL-3.0-or-later
// What is said of a text that is not JSON: where, what was expected, what was found.
#include "engine/core/error.hpp"
#include "engine/simulation/session/json_fault.hpp"
#include "engine/simulation/session/session_json.hpp"
#include "tests/simulation/bad_sessions.hpp"

#include <QtTest>
#include <array>
#include <random>

using namespace tawara;
using namespace tawara::simulation;

class TestJson : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void faultsAreNamed_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("line");
        QTest::addColumn<int>("column");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* text, int line, int column, const char* says) {
            QTest::newRow(QByteArray(text).simplified())
                << QString::fromUtf8(text) << line << column << QString::fromUtf8(says);
        };
        row("{\"dt_ms\": 0.02\n \"end_ms\": 3}", 1, 15, // where the comma is missing
            "expected ',' or '}' after the value of \"dt_ms\"; found \"end_ms\" in line 2");
        row("{\"a\": [1 2]}", 1, 9, "expected ',' or ']' after element 1 of \"a\"; found 2");
        row("{\"a\": [1, 2}", 1, 12, "found '}', while the '[' of line 1 is open");
        row("{\n\"a\": [1,\n", 2, 9, // the file has no third line

            "expected element 2 of \"a\"; found the end of the file, while the '[' of line 2 is "
            "open");
        row("{\"a\": 1,}", 1, 8, "found '}'; leave out the ','");
        row("[1,]", 1, 3, "found ']'; leave out the ','");
        row("{\"a\": [\n1,\n]}", 2, 2, "found ']' in line 3; leave out the ','");
        row("{\"a\": 1,\n\n}", 1, 8, "found '}' in line 3; leave out the ','");
        row("{\"a\": 1\n\n", 1, 8, "found the end of the file, while the '{' of line 1 is open");
        row("{\"a\" 1}", 1, 6, "expected ':' after the key \"a\"; found 1");
        row("{a: 1}", 1, 2, "expected a key in double quotes or '}'; found a");
        row("{'a': 1}", 1, 2, "straight double quotes");
        row("{\"ä\": “x”}", 1, 7, "straight double quotes");
        row("{\"a\": // x\n1}", 1, 7, "JSON has no comments");
        row("{\"a\": epi}", 1, 7,
            "expected the value of \"a\"; found epi; a text stands in double quotes");
        row("{\"a\": True}", 1, 7, "found True; write true");
        row("{\"a\": None}", 1, 7, "found None; write null");
        row("{\"a\": .5}", 1, 7, "found .5; write a number as 0.5");
        row("{\"a\": NaN}", 1, 7, "found NaN; write a number as");
        row("{\"a\": 1e999}", 1, 7, "the number 1e999 is too large");
        row("{\"a\": \"C:\\mesh\"}", 1, 10, "write a backslash as \\\\");
        row("{\"a\": \"x\n}", 1, 7, "has no closing '\"' in its line");
        row("{\"a\": 1}}", 1, 9, "expected the end of the file; found '}'");
        row("hello", 1, 1, "expected an object, {...}; found hello");
    }
    void faultsAreNamed()
    {
        QFETCH(QString, text);
        QFETCH(int, line);
        QFETCH(int, column);
        QFETCH(QString, says);
        const auto f = json_fault(text.toStdString());
        QVERIFY(f);
        QCOMPARE(static_cast<int>(f->line), line);
        QCOMPARE(static_cast<int>(f->column), column);
        QVERIFY2(QString::fromStdString(f->what).contains(says), f->what.c_str());
    }

    void errorsCarryFileAndLine()
    {
        try {
            parse_json("{\"a\": 1\n \"b\": 2}", "s.json");
            QFAIL("was accepted");
        } catch (const InputError& e) {
            QCOMPARE(QString::fromUtf8(e.what()),
                     QString("s.json:1: is not JSON at column 8: expected ',' or '}' after the "
                             "value of \"a\"; found \"b\" in line 2"));
        }
    }

    /// Texts that a slip has changed: refused exactly where the JSON library refuses them.
    void agreesWithTheParser()
    {
        const std::array<std::string, 36> bits{",",
                                               ":",
                                               "{",
                                               "}",
                                               "[",
                                               "]",
                                               "\"",
                                               "\\",
                                               "\\u",
                                               "'",
                                               "/",
                                               "-",
                                               "+",
                                               ".",
                                               "0",
                                               "1e5",
                                               "e",
                                               "\n",
                                               "\t",
                                               " ",
                                               "a",
                                               "true",
                                               "tru",
                                               "null",
                                               "NaN",
                                               "1e999",
                                               "\x01",
                                               "\x80",
                                               "\xC3\xA9",
                                               "\xE2\x80\x9C",
                                               "\xED\xA0\x80",
                                               "\xF4\x90\x80\x80",
                                               "\xEF\xBB\xBF",
                                               "\\ud800",
                                               "\\udc00",
                                               "\\u00e9"};
        const std::array<std::string, 2> good{
            bad_sessions::good,
            R"({"a": [1, 2.5e-3, "t\u00e9\ud83d\ude00\n", {"b": null, "c": []}], "d": {}, "e": true})"};
        std::mt19937 random(1);
        int refused = 0;
        constexpr int texts = 40000;
        for (int k = 0; k < texts; ++k) {
            std::string text = good[static_cast<std::size_t>(k % 2)];
            for (auto changes = 1 + random() % 3; changes > 0; --changes) {
                const auto at = random() % (text.size() + 1);
                if (random() % 2 == 0)
                    text.insert(at, bits[random() % bits.size()]);
                else
                    text.erase(at, random() % 20 == 0 ? std::string::npos : 1 + random() % 3);
            }
            const bool accepted = Json::accept(text);
            const auto fault = json_fault(text);
            QVERIFY2(accepted != fault.has_value(),
                     (text + "\n" + (fault ? fault->what : "no fault")).c_str());
            refused += !accepted;
        }
        QVERIFY(refused > texts / 3 && refused < texts);
    }
};
QTEST_GUILESS_MAIN(TestJson)
#include "test_json.moc"
