// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/equations/own_stimulus.hpp"
#include "engine/cell/compiler/graph/algebra.hpp"
#include "engine/cell/compiler/program.hpp"
#include "engine/core/file_content.hpp"
#include "engine/digest/sha256.hpp"
#include "tests/fuzz/read_any.hpp"
#include "tests/slowdown.hpp"

#include "engine/cell/imports.hpp"

#include <QtTest>
#include <fstream>
#include <map>
#include <sys/stat.h>

using namespace tawara::cell;
using namespace tawara::cell::compiler;

/// What the fuzzers start from and what they found (tests/fuzz/corpus), in every build: each text
/// is a model or refused by InputError, within seconds.
class TestHostile : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void corpus_data()
    {
        QTest::addColumn<bool>("cellml");
        for (const bool cellml : {false, true}) {
            const QDir d(QString(TAWARA_SOURCE_DIR "/tests/fuzz/corpus/") +
                         (cellml ? "cellml" : "mmt"));
            for (const auto& f : d.entryList(QDir::Files))
                QTest::newRow(qPrintable(d.filePath(f))) << cellml;
        }
    }
    void corpus()
    {
        QFETCH(bool, cellml);
        QFile f(QTest::currentDataTag());
        QVERIFY(f.open(QIODevice::ReadOnly));
        const QByteArray text = f.readAll();
        const tawara::test::ProcessorClock clock;
        read_any({text.constData(), static_cast<std::size_t>(text.size())}, cellml);
        QVERIFY2(clock.elapsed() < 3000 * tawara::test::slowdown, QTest::currentDataTag());
    }

    /// Each of these took for ever, or a deep recursion, before it was bounded.
    void what_it_says_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("message");
        QTest::newRow("calls") << "mmt/calls_expand"
                               << "called more than 20000 times";
        QTest::newRow("brackets") << "mmt/deep_brackets"
                                  << "nested more than 200 deep";
        QTest::newRow("elements") << "cellml/deep_elements"
                                  << "nested more than 500 deep";
        QTest::newRow("comments") << "cellml/depth_behind_comments"
                                  << "nested more than 500 deep";
        QTest::newRow("quotes") << "cellml/depth_behind_quotes"
                                << "nested more than 500 deep";
        QTest::newRow("exponent") << "cellml/huge_exponent"
                                  << "a whole number below 400";
    }
    void what_it_says()
    {
        QFETCH(QString, file);
        QFETCH(QString, message);
        QFile f(TAWARA_SOURCE_DIR "/tests/fuzz/corpus/" + file);
        QVERIFY(f.open(QIODevice::ReadOnly));
        const QByteArray text = f.readAll();
        const std::string_view t(text.constData(), static_cast<std::size_t>(text.size()));
        try {
            if (file.startsWith("mmt"))
                resolve(parse_mmt(t, "x.mmt"));
            else
                resolve(parse_cellml(t, "x.cellml", "/nowhere"));
            QFAIL("accepted");
        } catch (const tawara::InputError& e) {
            QVERIFY2(QString(e.what()).contains(message), e.what());
        }
    }
    /// A chain of initial values each of which has two of the next.
    void initial_values_once()
    {
        QFile f(TAWARA_SOURCE_DIR "/tests/fuzz/corpus/mmt/initial_expands");
        QVERIFY(f.open(QIODevice::ReadOnly));
        const CellSystem s = resolve(parse_mmt(f.readAll().toStdString(), "x.mmt"));
        QVERIFY(std::isfinite(s.states[0].initial));
    }
    /// Sixteen files that import the next one four times each: read once each, not four billion
    /// times.
    void imports_once()
    {
        QTemporaryDir folder;
        for (int k = 0; k < 16; ++k) {
            QFile f(folder.filePath(QString("f%1.cellml").arg(k)));
            QVERIFY(f.open(QIODevice::WriteOnly));
            QByteArray t = "<model name=\"m\" xmlns=\"http://www.cellml.org/cellml/1.1#\" "
                           "xmlns:x=\"http://www.w3.org/1999/xlink\">";
            for (int i = 0; i < 4 && k < 15; ++i)
                t += QString("<import x:href=\"f%1.cellml\"/>").arg(k + 1).toUtf8();
            f.write(t + "<component name=\"c\"/></model>");
        }
        const tawara::test::ProcessorClock clock;
        try {
            resolve(read_model(folder.filePath("f0.cellml").toStdString()));
            QFAIL("there is nothing to step");
        } catch (const tawara::InputError& e) {
            QVERIFY2(QString(e.what()).contains("no differential equation"), e.what());
        }
        QVERIFY(clock.elapsed() < 3000 * tawara::test::slowdown);
    }
    /// Imports stay below the model's folder, by whatever way they would leave it.
    void imports_stay_inside()
    {
        QTemporaryDir folder;
        const auto path = [&](const char* name) { return folder.filePath(name).toStdString(); };
        namespace fs = std::filesystem;
        fs::create_directories(path("in/below"));
        const auto write = [&](const char* name, const std::string& href) {
            std::ofstream(path(name))
                << "<model name=\"m\" xmlns=\"http://www.cellml.org/cellml/1.1#\" "
                   "xmlns:x=\"http://www.w3.org/1999/xlink\">"
                << (href.empty() ? "" : "<import x:href=\"" + href + "\"/>")
                << "<component name=\"c\"/></model>";
        };
        const auto says = [&](const char* name) {
            try {
                read_model(path(name));
            } catch (const tawara::InputError& e) {
                return QString(e.what());
            }
            return QString("read");
        };
        write("secret.cellml", "");
        write("in/part.cellml", "");
        write("in/below/up.cellml", "../part.cellml");
        write("in/good.cellml", "below/up.cellml");
        write("in/up.cellml", "../secret.cellml");
        fs::create_symlink(path("secret.cellml"), path("in/link.cellml"));
        write("in/by_link.cellml", "link.cellml");
        QCOMPARE(says("in/good.cellml"), "read");
        std::map<std::string, std::string> sources; // digests of the texts that were read
        for (const auto& s : read_model(path("in/good.cellml")).sources)
            sources[s.file.string()] = s.sha256;
        QCOMPARE(sources.size(), 3U);
        for (const char* read : {"in/good.cellml", "in/below/up.cellml", "in/part.cellml"})
            QCOMPARE(sources[path(read)], tawara::sha256(tawara::file_content(path(read))));
        for (const char* leaves : {"in/up.cellml", "in/by_link.cellml", "in/below/up.cellml"})
            QVERIFY2(says(leaves).contains("lies outside the model's folder"), leaves);
        allow_imports_anywhere(true);
        QCOMPARE(says("in/up.cellml"), "read");
        allow_imports_anywhere(false);
    }
    /// Each of these took minutes, or memory by the gigabyte.
    void bounded_data()
    {
        QTest::addColumn<bool>("cellml");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, bool cellml, const std::string& text,
                            const char* says) {
            QTest::newRow(name) << cellml << QByteArray(text.data(), qsizetype(text.size()))
                                << QString(says);
        };
        const auto many = [](int n, auto&& text) {
            std::string s;
            for (int i = 0; i < n; ++i)
                s += text(std::to_string(i));
            return s;
        };
        using S = const std::string&;
        const std::string mmt = "[[model]]\nc.V = -80\n[c]\ndot(V) = -V\n";
        row("units in a line", false, mmt + "k = 1" + many(20000, [](S) { return " in [mV]"; }),
            "more than 50 units");
        row("a unit", false, mmt + "k = 1 in [mV" + many(500000, [](S) { return "*m"; }) + "]\n",
            "unknown unit [mV*m*m");
        row("labels in a line", false, mmt + "k = 1" + many(20000, [](S) { return " label x"; }),
            "more than 50 units");
        row("variables", false, mmt + many(100000, [](S i) { return "k" + i + " = " + i + "\n"; }),
            "20000 and 100000 can be read");
        row("operations", false, mmt + "k = 1" + many(300000, [](S i) { return "+V*" + i; }),
            "more than 200000 operations");
        row("a long function", false,
            "[[model]]\nc.V = -80\nf(x) = 1" + many(20000, [](S) { return "+1"; }) +
                "\n[c]\ndot(V) = 0" + many(2000, [](S i) { return "+f(" + i + ")"; }) + "\n",
            "called more than 20000 times");
        row("a name", false, "[[model]]\nname: x\"; } extern \"C\"\nc.V = -80\n[c]\ndot(V) = 0\n",
            "the model's name has quotes");
        const std::string head =
            "<model name=\"m\" xmlns=\"http://www.cellml.org/cellml/1.1#\"><units "
            "name=\"mV\"><unit prefix=\"milli\" units=\"volt\"/></units>";
        row("attributes", true,
            "<model xmlns=\"http://www.cellml.org/cellml/1.1#\"" +
                many(100000, [](S i) { return " a" + i + "=\"\""; }) + "/>",
            "more than 64 kB");
        row("parts of units", true,
            "<model name=\"m\" xmlns=\"http://www.cellml.org/cellml/1.1#\"><units name=\"q\">" +
                many(1000, [](S) { return "<unit units=\"volt\"/>"; }) +
                "</units><component name=\"c\"/></model>",
            "units 'q' are made of more than 100 units");
        const auto variable = [](S i) { return "<variable name=\"v" + i + "\" units=\"mV\"/>"; };
        row("many variables", true, head + "<component name=\"c\">" + many(100000, variable),
            "not well-formed");
        row("many variables, closed", true,
            head + "<component name=\"c\">" + many(100000, variable) + "</component></model>",
            "20000 and 100000 can be read");
        row("equalities", true,
            head + "<component name=\"c\">" + many(10001, variable) +
                "<math xmlns=\"http://www.w3.org/1998/Math/MathML\">" +
                many(10000,
                     [](S i) {
                         return "<apply><eq/><ci>v" + i + "</ci><ci>v" +
                                std::to_string(std::stoi(i) + 1) + "</ci></apply>";
                     }) +
                "</math></component></model>",
            "2000 more equations");
        row("encapsulation", true,
            head + "<component name=\"c0\"/>" +
                many(20000,
                     [](S i) {
                         return "<component name=\"c" + std::to_string(std::stoi(i) + 1) + "\"/>";
                     }) +
                "<group><relationship_ref relationship=\"encapsulation\"/>" +
                many(20000,
                     [](S i) {
                         return "<component_ref component=\"c" + i +
                                "\"><component_ref component=\"c" +
                                std::to_string(std::stoi(i) + 1) + "\"/></component_ref>";
                     }) +
                "</group></model>",
            "nested more than 500 deep");
    }
    void bounded()
    {
        QFETCH(bool, cellml);
        QFETCH(QByteArray, text);
        QFETCH(QString, says);
        const std::string_view t(text.constData(), static_cast<std::size_t>(text.size()));
        const tawara::test::ProcessorClock clock;
        try {
            cellml ? parse_cellml(t, "x.cellml", "/nowhere") : parse_mmt(t, "x.mmt");
            QFAIL("accepted");
        } catch (const tawara::InputError& e) {
            QVERIFY2(QString(e.what()).contains(says), e.what());
        }
        QVERIFY2(clock.elapsed() < 3000 * tawara::test::slowdown,
                 qPrintable(QString::number(clock.elapsed())));
    }
    /// 500 equations that each pass on what one gives: it took a second and a half.
    void equalities_in_a_row()
    {
        std::string t = "<model name=\"m\" xmlns=\"http://www.cellml.org/cellml/1.1#\"><units "
                        "name=\"mV\"><unit prefix=\"milli\" units=\"volt\"/></units><component "
                        "name=\"c\">";
        for (int i = 0; i <= 500; ++i)
            t += "<variable name=\"v" + std::to_string(i) + "\" units=\"mV\"" +
                 (i == 500 ? " initial_value=\"7\"/>" : "/>");
        t += "<math xmlns=\"http://www.w3.org/1998/Math/MathML\">";
        for (int i = 0; i < 500; ++i)
            t += "<apply><eq/><ci>v" + std::to_string(i) + "</ci><ci>v" + std::to_string(i + 1) +
                 "</ci></apply>";
        const tawara::test::ProcessorClock clock;
        const ModelText m = parse_cellml(t + "</math></component></model>", "x.cellml", "/nowhere");
        QVERIFY(clock.elapsed() < 1000 * tawara::test::slowdown);
        QVERIFY(m.variables[0].value != no_node && m.graph.op(m.variables[0].value) == Op::symbol);
    }
    void long_chains_data()
    {
        QTest::addColumn<QByteArray>("operand");
        QTest::addColumn<QByteArray>("operation");
        QTest::addColumn<bool>("refused");
        QTest::newRow("powers of numbers") << QByteArray("9") << QByteArray("^") << false;
        QTest::newRow("powers of V") << QByteArray("V") << QByteArray("^") << false;
        QTest::newRow("a product") << QByteArray("9") << QByteArray("*") << false;
        QTest::newRow("powers of the time") << QByteArray("t") << QByteArray("^") << true;
    }
    /// What does not vary with the time was computed for each of 40 000 times.
    void long_chains()
    {
        QFETCH(QByteArray, operand);
        QFETCH(QByteArray, operation);
        QFETCH(bool, refused);
        std::string t =
            "[[model]]\nc.V = -80\n[c]\nt = 0 bind time\ndot(V) = " + operand.toStdString();
        for (int i = 0; i < 4000; ++i)
            t += (operation + operand).toStdString();
        const tawara::test::ProcessorClock clock;
        const CellSystem s = resolve(parse_mmt(t + "\n", "x.mmt"));
        if (refused)
            QVERIFY_THROWS_EXCEPTION(tawara::InputError, own_stimulus(s));
        else
            QVERIFY(!own_stimulus(s));
        QVERIFY2(clock.elapsed() < 3000 * tawara::test::slowdown,
                 qPrintable(QString::number(clock.elapsed())));
    }
    void pipes_are_not_waited_for()
    {
        QTemporaryDir folder;
        const std::string pipe = folder.filePath("p.mmt").toStdString();
        QCOMPARE(mkfifo(pipe.c_str(), 0600), 0);
        try {
            read_model(pipe);
            QFAIL("accepted");
        } catch (const tawara::InputError& e) {
            QVERIFY2(QString(e.what()).contains("a pipe or a device"), e.what());
        }
    }
    /// A rate with no slope in one branch has no time constant there: it is no gate, and
    /// Rush-Larsen steps it as forward Euler does.
    void no_gate_without_slope()
    {
        const CellSystem s = resolve(parse_mmt("[[model]]\nm.V = -80\nm.w = 0.5\nm.y = 0.2\n[m]\n"
                                               "dot(V) = 0\ndot(w) = -w\n"
                                               "dot(y) = if(w > 0.4, 1, -y)\n",
                                               "x.mmt"));
        QVERIFY(s.states[1].gate.has_value());
        QVERIFY(!s.states[2].gate.has_value());
    }
    /// A switch by a parameter between two formulas with removable singularities is no guard of
    /// one: the optimiser keeps the formula that is switched on.
    void a_switch_is_no_guard()
    {
        const std::string text = "[[model]]\nm.V = -80\n[m]\nmode = 1\n"
                                 "dot(V) = if(mode == 1, 3 * (V + 28) / (exp((V + 28) / 4) - 1), "
                                 "2 * (V + 28) / (exp((V + 28) / 4) - 1))\n";
        const CellSystem s = resolve(parse_mmt(text, "x.mmt"));
        const double expected = -3 * 52 / (std::exp(-13.0) - 1);
        const Program p = compile(CellSystem(s), Scheme::forward_euler);
        const auto row = p.row(s.parameter_values());
        const double next = evaluate(p.graph, p.next, [&](std::uint32_t id) {
            return symbol_kind(id) == Symbol::state   ? -80.0
                   : symbol_kind(id) == Symbol::table ? row[symbol_index(id)]
                   : symbol_kind(id) == Symbol::dt    ? 1e-3
                                                      : 0.0;
        })[0];
        QVERIFY(std::abs((next + 80) / 1e-3 - expected) < 1e-6 * expected);
    }
};

QTEST_GUILESS_MAIN(TestHostile)
#include "test_hostile.moc"
