// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/graph/algebra.hpp"
#include "engine/cell/compiler/program.hpp"
#include "tests/fuzz/read_any.hpp"

#include <QtTest>

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
        QElapsedTimer clock;
        clock.start();
        read_any({text.constData(), static_cast<std::size_t>(text.size())}, cellml);
        QVERIFY2(clock.elapsed() < 3000, QTest::currentDataTag());
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
        QElapsedTimer clock;
        clock.start();
        try {
            resolve(read_model(folder.filePath("f0.cellml").toStdString()));
            QFAIL("there is nothing to step");
        } catch (const tawara::InputError& e) {
            QVERIFY2(QString(e.what()).contains("no differential equation"), e.what());
        }
        QVERIFY(clock.elapsed() < 3000);
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
