// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/equations/system.hpp"
#include "engine/cell/compiler/graph/algebra.hpp"
#include "engine/cell/special_variables.hpp"
#include "engine/core/error.hpp"
#include "engine/core/resource.hpp"
#include "tests/cell_compiler/model_texts.hpp"

#include <QtTest>

#include <fstream>

using namespace tawara;
using namespace tawara::cell;
using namespace tawara::cell::compiler;

namespace {

std::string why(const std::function<void()>& f)
{
    try {
        f();
    } catch (const InputError& e) {
        return e.what();
    }
    return "accepted";
}

double rate(const CellSystem& s, std::size_t state, std::vector<double> x, double stimulus = 0)
{
    const auto p = s.parameter_values();
    return evaluate(s.graph, s.states[state].rate,
                    [&](std::uint32_t id) { return s.value(id, x, p, 0, stimulus); });
}

} // namespace

class TestParse : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void mmt_model()
    {
        const CellSystem s = resolve(parse_mmt(decay, "decay.mmt"));
        QCOMPARE(s.states.size(), std::size_t(2));
        QCOMPARE(QString::fromStdString(s.states[0].full_name), "membrane.V");
        QCOMPARE(s.states[0].initial, -80.0);
        QCOMPARE(QString::fromStdString(s.stimulus), "stimulus.i_stim");
        // below -60 mV: g = 0.25
        QCOMPARE(rate(s, 0, {-80, 0.1}), -(0.25 * -20 * 0.1) / 2);
        QCOMPARE(rate(s, 0, {-40, 0.1}), -(0.5 * 20 * 0.1) / 2);
        // 3 pA/pF from outside depolarises by 3 mV/ms, whatever sign and unit the text uses
        QCOMPARE(rate(s, 0, {-60, 0.1}, 3), 3.0);
        QVERIFY(s.states[1].gate.has_value() && s.states[1].gate->voltage_only);
        const double a = 1 / (1 + std::exp(80.0 / 7));
        const auto p = s.parameter_values();
        const std::vector<double> x{-80, 0.1};
        const auto at = [&](std::uint32_t id) { return s.value(id, x, p, 0); };
        QVERIFY(std::abs(evaluate(s.graph, s.states[1].gate->inf, at) - a) < 1e-15);
        QVERIFY(std::abs(evaluate(s.graph, s.states[1].gate->tau, at) - 1) < 1e-15);
        QCOMPARE(s.variants.size(), std::size_t(1));
        QCOMPARE(s.variants[0].parameters[0].second, 5.0);
        QCOMPARE(s.variants[0].initial[0].second, 0.2);
    }
    void unit_of_a_constant()
    {
        const ModelText m = parse_mmt("[[model]]\nm.V = 1\n[m]\ndot(V) = g * t\n"
                                      "g = 5 [mS/cm^2] : conductance\nt = 2 [min] in [h]\n",
                                      "x.mmt");
        const auto& g = m.variables[*m.find("m.g")];
        QCOMPARE(g.unit_text, std::string("mS/cm^2"));
        QCOMPARE(g.description, std::string("conductance"));
        const auto& t = m.variables[*m.find("m.t")]; // what "in" says comes first
        QCOMPARE(t.unit_text, std::string("h"));
        QCOMPARE(t.units->factor, 3600.0);
    }
    void mmt_errors_data()
    {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* f, const char* t, const char* m) {
            QTest::newRow(m) << f << t << m;
        };
        row("gate.m\n", "gate.mm\n",
            "decay.mmt:17: unknown variable 'gate.mm'; the nearest known is 'gate.m'");
        row("in [mV]", "in [mVV]", "decay.mmt:14: unknown unit [mVV]");
        std::string endless = "mV";
        while (endless.size() < 2000)
            endless += "*mV";
        row("in [mV]", ("in [" + endless + "]").c_str(), "decay.mmt:14: unknown unit [mV*mV*");
        row("exp(-V / 7)", "eyp(-V / 7)",
            "decay.mmt:28: unknown function 'eyp'; the nearest known is 'exp'");
        row("membrane.V = -80\n", "", "state 'membrane.V' has no initial value");
        row("b = k - a", "b = k - b", "'gate.m.b' depends on itself");
        row("k = 1\n", "k = 1\nk = 2\n", "'gate.k' is defined twice");
        row("V - E)", "V - E", "decay.mmt:17: a bracket is opened");
        row("0.5,", "0.5 0.6,", "is missing before '0.6");
        row("E = -60", "E = -60e999", "is no number in the range");
        row("dot(m) =", "m =", "'gate.m' has an initial value and is no state");
    }
    void mmt_errors()
    {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QFETCH(QString, message);
        QString text = QString::fromStdString(decay);
        QVERIFY(text.contains(from));
        text.replace(text.indexOf(from), from.size(), to);
        const std::string e = why([&] { resolve(parse_mmt(text.toStdString(), "decay.mmt")); });
        QVERIFY2(QString::fromStdString(e).contains(message), e.c_str());
    }
    /// A declared unit of another quantity is refused; none and a bare number are not.
    void units_of_special_variables()
    {
        const auto with = [](const std::string& from, const std::string& to) {
            std::string text = decay;
            text.replace(text.find(from), from.size(), to);
            return why([&] { resolve(parse_mmt(text, "f.mmt")); });
        };
        const std::string potential = "    in [mV]\n", time = "in [ms] bind",
                          stimulus = "engine.pace * -80";
        for (const char* unit : {"ms", "uA", "mM", "V/s"})
            QCOMPARE(with(potential, std::string("    in [") + unit + "]\n"),
                     std::string("f.mmt:13: 'membrane.V' is in ") + unit +
                         " and cannot be the membrane potential; it should be in [mV] or another "
                         "unit of voltage, or without a unit");
        for (const char* unit : {"mV", "1/ms", "m"})
            QCOMPARE(with(time, std::string("in [") + unit + "] bind"),
                     std::string("f.mmt:9: 'engine.time' is in ") + unit +
                         " and cannot be the time; it should be in [ms] or another unit of time, "
                         "or without a unit");
        for (const char* unit : {"mM", "mV", "ms"})
            QCOMPARE(with(stimulus, stimulus + " in [" + unit + "]"),
                     std::string("f.mmt:23: 'stimulus.i_stim' is in ") + unit +
                         " and cannot be the stimulus current; it should be in [A/F], [uA/cm^2], "
                         "[pA] or another unit of current, or without a unit");
        for (const char* unit : {"V", "uV", "1"})
            QCOMPARE(with(potential, std::string("    in [") + unit + "]\n"),
                     std::string("accepted"));
        QCOMPARE(with(potential, ""), std::string("accepted"));
        for (const char* unit : {"s", "min", "1"})
            QCOMPARE(with(time, std::string("in [") + unit + "] bind"), std::string("accepted"));
        for (const char* unit :
             {"A", "pA", "A/F", "uA/cm^2", "uA/mm^3", "mV/ms", "1/ms", "mM/ms", "1"})
            QCOMPARE(with(stimulus, stimulus + " in [" + unit + "]"), std::string("accepted"));
        // a base unit of the file's own says nothing about what it measures
        std::string own = cellml("mV", minus_kV);
        const std::string volts = "<unit prefix=\"milli\" units=\"volt\"/>";
        own.replace(own.find(volts), volts.size(), "");
        own.replace(own.find("units name=\"mV\""), 15, "units base_units=\"yes\" name=\"mV\"");
        QCOMPARE(why([&] { resolve(parse_cellml(own, "m.cellml", ".")); }),
                 std::string("accepted"));
    }
    void deep_nesting_is_refused()
    {
        const std::string deep =
            "[[model]]\n[c]\nx = " + std::string(100000, '(') + "1" + std::string(100000, ')');
        QVERIFY(why([&] { parse_mmt(deep, "deep.mmt"); }).find("nested more than 200 deep") !=
                std::string::npos);
        std::string xml = cellml("mV", minus_kV);
        std::string many;
        for (int i = 0; i < 100000; ++i)
            many += "<apply>";
        xml.insert(xml.find("<apply><minus/>"), many);
        QVERIFY(why([&] { parse_cellml(xml, "deep.cellml", "."); }).find("nested more than 500") !=
                std::string::npos);
        // functions that call each other grow exponentially
        std::string bomb = "[[model]]\nf0(x) = x + x*x\n";
        for (int i = 1; i < 60; ++i)
            bomb += "f" + std::to_string(i) + "(x) = f" + std::to_string(i - 1) + "(x) + f" +
                    std::to_string(i - 1) + "(x + 1)\n";
        bomb += "[c]\nx = f59(1)\n";
        QVERIFY(why([&] { parse_mmt(bomb, "bomb.mmt"); }) != "accepted");
    }
    void cellml_model_converts_units()
    {
        const CellSystem s = resolve(parse_cellml(cellml("volt", minus_kV), "m.cellml", "."));
        QCOMPARE(QString::fromStdString(s.potential), "membrane.V");
        QVERIFY(std::abs(rate(s, 0, {-50, 1}) - 100) < 1e-12);
        // dy/dt = V: -0.05 volt a second = -5e-5 volt a ms
        QVERIFY(std::abs(rate(s, 1, {-50, 1}) + 5e-5) < 1e-15);
    }
    /// mantissa<sep/>exponent is the number that one text of both would be, to the last bit.
    void e_notation_data()
    {
        QTest::addColumn<QString>("mantissa");
        QTest::addColumn<int>("exponent");
        QTest::addColumn<double>("number");
        QTest::newRow("mantissa below 1e-4") << "0.000012345678" << 3 << 0.012345678; // was 0
        QTest::newRow("both small") << "0.00005" << -3 << 5e-8;                       // was 0
        QTest::newRow("negative") << " -0.00001234\n" << 0 << -1.234e-5;
        QTest::newRow("above 1e16") << "123456789012345678" << -300 << 123456789012345678e-300;
        QTest::newRow("own exponent") << "1.5e-5" << -3 << 1.5e-8;
        QTest::newRow("last bit") << "0.1" << -3 << 0.1e-3;
        QTest::newRow("denormal") << "0.00001" << -310 << 1e-315;
        QTest::newRow("zero") << "0.0" << 5 << 0.0;
    }
    void e_notation()
    {
        QFETCH(QString, mantissa);
        QFETCH(int, exponent);
        QFETCH(double, number);
        const auto with = [](const QString& inner, const char* type) {
            const QString cn = "<cn cellml:units=\"mV\"%1>%2</cn>";
            const CellSystem s = resolve(
                parse_cellml(cellml("mV", cn.arg(type, inner).toStdString()), "m.cellml", "."));
            return rate(s, 0, {-50, 1});
        };
        const double whole = with(QString::number(number, 'g', 17), "");
        QCOMPARE(number == 0, whole == 0);
        const double apart =
            with(mantissa + "<sep/>" + QString::number(exponent), " type=\"e-notation\"");
        QVERIFY2(apart == whole, qPrintable(QString::number(apart, 'g', 17)));
    }
    void cellml_errors()
    {
        const auto refuse = [](const std::string& text) {
            return why([&] { resolve(parse_cellml(text, "m.cellml", ".")); });
        };
        const auto has = [](const std::string& t, const char* part) {
            if (t.find(part) == std::string::npos)
                qWarning("%s", t.c_str());
            return t.find(part) != std::string::npos;
        };
        QVERIFY(has(refuse(cellml("second", minus_kV)), "incompatible units"));
        QVERIFY(has(refuse(cellml("volts", minus_kV)), "m.cellml:11: unknown units 'volts'"));
        QVERIFY(
            has(refuse(cellml("mV", "<ci>W</ci>")), "use variable 'W', which it does not declare"));
        QVERIFY(has(refuse(cellml("mV", "<cn>1</cn>")), "lacks cellml:units"));
        QVERIFY(has(refuse(cellml("mV", "<apply><gt/><ci>V</ci><ci>k</ci></apply>")),
                    "cannot be a condition"));
        QVERIFY(has(refuse("<model"), "not well-formed XML"));
        QVERIFY(has(refuse("<html/>"), "a CellML 1.0, 1.1 or 2.0 <model> is needed"));
        QVERIFY(has(refuse(cellml_head + "<import xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
                                         "xlink:href=\"/etc/passwd\"/></model>"),
                    "give a relative path"));
    }

    /// What is wrong with a component of another file is said by that file and its line.
    void errors_name_the_imported_file()
    {
        QTemporaryDir folder;
        const auto path = [&](const char* name) {
            return folder.path().toStdString() + "/" + name;
        };
        std::string part =
            "<model name=\"part\" xmlns=\"http://www.cellml.org/cellml/1.1#\" "
            "xmlns:cellml=\"http://www.cellml.org/cellml/1.1#\">\n<component name=\"c\">\n"
            "<variable name=\"t\" units=\"second\"/>\n"
            "<variable name=\"V\" units=\"volt\" initial_value=\"-0.08\"/>\n"
            "<variable name=\"k\" units=\"volt\"/>\n"
            "<math xmlns=\"http://www.w3.org/1998/Math/MathML\"><apply><eq/><apply><diff/><bvar>"
            "<ci>t</ci></bvar><ci>V</ci></apply><apply><divide/><ci>k</ci>"
            "<cn "
            "cellml:units=\"second\">1</cn></apply></apply></math>\n</component>\n</model>\n";
        std::ofstream(path("part.cellml")) << part;
        std::ofstream(path("whole.cellml"))
            << "<model name=\"whole\" xmlns=\"http://www.cellml.org/cellml/1.1#\">\n"
               "<import xmlns:x=\"http://www.w3.org/1999/xlink\" x:href=\"part.cellml\">"
               "<component name=\"mine\" component_ref=\"c\"/></import>\n</model>\n";
        const auto text = why([&] { resolve(read_model(path("whole.cellml"))); });
        QVERIFY2(text.starts_with(path("part.cellml") + ":5: 'mine.k'") ||
                     text.starts_with(path("part.cellml") + ":5: 'c.k'"),
                 text.c_str());
        // mended; both files are known, for those who watch them
        part.replace(part.find("<variable name=\"k\" "), 19,
                     "<variable initial_value=\"1\" name=\"k\" ");
        std::ofstream(path("part.cellml")) << part;
        const auto files = model_info(path("whole.cellml")).files;
        QCOMPARE(files.size(), std::size_t(2));
        for (const char* file : {"part.cellml", "whole.cellml"})
            QVERIFY(std::any_of(files.begin(), files.end(), [&](const auto& f) {
                return std::filesystem::equivalent(f, path(file));
            }));
        QVERIFY(model_info("luo_rudy_1991").files.empty());
    }

    /// "next" starts where the event before ends.
    void protocols()
    {
        const auto with = [](const std::string& lines) {
            return decay + "\n[[protocol]]\n" + lines;
        };
        const auto m = parse_mmt(with("1 10 2 0 0\n2 next 3\n1.5 next 0.5 100 4\n"), "f");
        QCOMPARE(m.protocol.size(), std::size_t(3));
        QCOMPARE(m.protocol[1].start, 12.0);
        QCOMPARE(m.protocol[2].start, 15.0);
        QCOMPARE(m.protocol[2].count, 4);
        for (const char* wrong :
             {"1 next 2\n", "1 10 2 500 0\n1 next 2\n", "1 soon 2\n", "1 5\n"}) {
            const auto text = why([&] { parse_mmt(with(wrong), "f"); });
            QVERIFY2(text.starts_with("f:"), text.c_str());
        }
    }

    /// What a dialog asks when a file leaves open which variable is which.
    void candidates()
    {
        QTemporaryDir folder;
        const auto file = folder.path().toStdString() + "/two.mmt";
        std::ofstream(file) << "[[model]]\ncell.V = -80\nother.V = -70\ncell.m = 0\n"
                               "[engine]\ntime = 0 [ms] in [ms] bind time\npace = 0 bind pace\n"
                               "[cell]\npush = -25 [A/F] * engine.pace in [A/F]\n"
                               "dot(V) = -0.1 * (V + 80) - push in [mV]\ndot(m) = 1 - m\n"
                               "[other]\ndot(V) = 0.1 * (cell.V - V) in [mV]\n";
        const auto c = candidates_of(file);
        QVERIFY(c.must_ask());
        QCOMPARE(c.membrane_potential.size(), std::size_t(3));
        QCOMPARE(c.membrane_potential[1].name, std::string("other.V"));
        QCOMPARE(c.membrane_potential[1].unit, std::string("mV"));
        QCOMPARE(c.membrane_potential[1].reason, std::string("a state in volt, with a usual name"));
        QCOMPARE(c.membrane_potential[2].name, std::string("cell.m"));
        QCOMPARE(c.found.time, std::string("engine.time"));
        QVERIFY(c.found.stimulus.empty());
        QCOMPARE(c.stimulus.size(), std::size_t(1));
        QCOMPARE(c.stimulus[0].name, std::string("cell.push"));
        const SpecialVariables answer{"other.V", "cell.push", ""};
        const auto key = key_with(file, answer);
        QCOMPARE(path_of(key), file);
        QVERIFY(special_variables_of(key) == answer);
        QCOMPARE(model_info(key).states[0].full_name, std::string("other.V"));
        // what cannot be what it is said to be
        const auto refused = [&](const std::string& stimulus, const std::string& time) {
            ResolveOptions o;
            o.potential = "other.V", o.stimulus = stimulus, o.time = time;
            return why([&] { resolve(read_model(file), o); });
        };
        QCOMPARE(refused("cell.push", "engine.time"), std::string("accepted"));
        QVERIFY(refused("cell.m", "").find("'cell.m' is a state and cannot be the stimulus") !=
                std::string::npos);
        QVERIFY(refused("", "cell.push").find("is in A/F and cannot be the time") !=
                std::string::npos);
        QVERIFY(refused("", "cell.V").find("'cell.V' is a state and cannot be the time") !=
                std::string::npos);
        QVERIFY(!candidates_of(resource("resources/models/beeler_reuter_1977.mmt")).must_ask());
    }
};

QTEST_APPLESS_MAIN(TestParse)
#include "test_parse.moc"
