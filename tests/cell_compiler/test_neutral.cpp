// SPDX-License-Identifier: GPL-3.0-or-later
// Parameters of disease that a normal cell is computed without.
#include "engine/cell/compiler/emit/cuda/cuda_text.hpp"
#include "engine/cell/compiler/emit/llvm/llvm_target.hpp"
#include "engine/cell/compiler/library.hpp"
#include "engine/cell/compiler/schemes/schemes.hpp"
#include "engine/cell/normal.hpp"
#include "engine/cell/single_cell.hpp"
#include "engine/core/error.hpp"
#include "engine/core/resource.hpp"

#include <QtTest>

#include <bit>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

using namespace tawara::cell;
using namespace tawara::cell::compiler;
using tawara::InputError;

namespace {

const std::vector<std::string> with_ischaemia{"ten_tusscher_2006", "ohara_rudy_2011",
                                              "ohara_rudy_2011_tissue", "grandi_bers_2010"};

std::string replaced(std::string text, const std::string& from, const std::string& to)
{
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

/// The text of a library model, and that text without what it has for ischaemia.
std::pair<std::string, std::string> texts(const std::string& model)
{
    std::ifstream in(tawara::resource("resources/models/" + model + ".mmt"));
    std::ostringstream whole;
    whole << in.rdbuf();
    std::string bare = whole.str();
    const auto cut = [&bare](const std::string& from, const std::string& to) {
        const auto a = bare.find(from);
        bare.erase(a, bare.find(to, a) - a);
    };
    cut("neutral:", "largest_step_ms:");
    cut("[ischaemia]", "[[protocol]]");
    for (const char* word : {" + ischaemia.i_KATP", ", ischaemia.V_Na"})
        bare = replaced(bare, word, "");
    return {whole.str(), replaced(bare, "V_Na", "V")};
}

/// A program's text with its values numbered as they come: it names them by nodes of the graph.
std::string operations(const Program& p, bool single)
{
    const std::string text = cuda_text(p, single);
    static const std::regex value("\\bn[0-9]+\\b");
    std::map<std::string, std::size_t> number;
    std::string out;
    auto from = text.begin();
    for (std::sregex_iterator at(text.begin(), text.end(), value), end; at != end; ++at) {
        out.append(from, text.begin() + at->position());
        out += 'n' + std::to_string(number.emplace(at->str(), number.size()).first->second);
        from = text.begin() + at->position() + at->length();
    }
    return out.append(from, text.end());
}

std::string bits(const std::vector<double>& values)
{
    std::ostringstream out;
    for (const double x : values)
        out << std::hex << std::bit_cast<std::uint64_t>(x) << ' ';
    return out.str();
}

CellType type_of(const std::string& model, double g_KATP, double shift_mV)
{
    const std::pair<std::string, double> values[]{{"g_KATP", g_KATP}, {"shift_Na", shift_mV}};
    return make_cell_type(model, "", values, {});
}

} // namespace

class TestNeutral : public QObject
{
    Q_OBJECT

  private Q_SLOTS:
    /// The step of a normal cell is that of the model as published, in every operation, by each
    /// scheme on a GPU and on a processor.
    void aNormalCellsStepIsThatOfThePaper_data()
    {
        QTest::addColumn<QString>("model");
        for (const auto& m : with_ischaemia)
            QTest::newRow(m.c_str()) << QString::fromStdString(m);
    }
    void aNormalCellsStepIsThatOfThePaper()
    {
        QFETCH(QString, model);
        const auto [whole, bare] = texts(model.toStdString());
        QVERIFY(bare.find("ischaemia.") == std::string::npos); // all of it is gone
        const auto now = resolve(parse_mmt(whole, "m.mmt")),
                   paper = resolve(parse_mmt(bare, "m.mmt"));
        QVERIFY(now.plain && !paper.plain);
        QCOMPARE(now.neutral.size(), std::size_t{2});
        QCOMPARE(bits(now.plain->initial_values()), bits(paper.initial_values()));
        auto parameters = now.parameter_values();
        QCOMPARE(parameters.size(), paper.parameters.size() + 2);
        for (std::size_t k = 0; k < paper.parameters.size(); ++k)
            QCOMPARE(now.parameters[k].full_name, paper.parameters[k].full_name);
        for (const Scheme scheme : compiled_schemes())
            for (const bool single : {false, true})
                for (const bool processor : {false, true}) {
                    if (single && (processor || scheme != Scheme::grl1))
                        continue; // the rest would take a minute
                    const auto of = [&](const CellSystem& s) {
                        return compile(s, scheme,
                                       options_for(s, processor ? processor_target(single)
                                                                : Target::gpu(single)));
                    };
                    const auto a = of(*now.plain), b = of(paper);
                    QVERIFY2(operations(a, single) == operations(b, single), name(scheme).data());
                    QCOMPARE(bits(a.row(parameters)), bits(b.row(paper.parameter_values())));
                }
    }

    void aTypeWithAValueHasTheWholeEquations()
    {
        for (const auto& model : with_ischaemia) {
            const auto usual = make_cell_type(model, "", {}, {}), given = type_of(model, 0, 0),
                       ill = type_of(model, 0.01, 3.4);
            QVERIFY(is_normal(usual) && is_normal(given) && !is_normal(ill));
            QVERIFY(same_model(usual, ill) && !same_equations(usual, ill));
            QVERIFY(same_equations(usual, given));
            QVERIFY(system_of(usual) == system_of(given) && system_of(usual) != system_of(ill));
            const CellType both[]{usual, ill};
            QVERIFY(system_of(both) == system_of(ill));
            QCOMPARE(parameters_in_use(usual).size() + 2, parameters_in_use(ill).size());
            QCOMPARE(text_digest(usual), text_digest(ill));
        }
        QVERIFY(is_normal(make_cell_type("luo_rudy_1991", "", {}, {})));
    }

    /// The whole equations with next to nothing of the disease give what the normal ones give.
    void bothEquationsAgree()
    {
        for (const auto& model : with_ischaemia) {
            SingleCellOptions o;
            o.scheme = Scheme::grl1;
            o.dt_ms = 0.005;
            o.end_ms = 400;
            const auto last = [&](const CellType& type) {
                o.type = type;
                return run_single_cell(o).final_state;
            };
            const auto normal = last(make_cell_type(model, "", {}, {})),
                       nearly = last(type_of(model, 1e-300, 1e-300));
            for (std::size_t k = 0; k < normal.size(); ++k)
                QVERIFY2(std::abs(normal[k] - nearly[k]) <=
                             1e-6 * std::max(std::abs(normal[k]), 1e-6),
                         qPrintable(QString("%1 %2: %3 %4")
                                        .arg(model.c_str())
                                        .arg(k)
                                        .arg(normal[k], 0, 'g', 17)
                                        .arg(nearly[k], 0, 'g', 17)));
        }
    }

    void neutralNamesHaveToBeNumbers()
    {
        const auto [whole, bare] = texts("ten_tusscher_2006");
        for (const char* name : {"ischaemia.g_ATP", "ischaemia.i_KATP", "membrane.V"}) {
            try {
                parse_mmt(
                    replaced(whole, "neutral: ischaemia.g_KATP", std::string("neutral: ") + name),
                    "m.mmt");
                QFAIL(name);
            } catch (const InputError& e) {
                QVERIFY2(e.reason.find(name) != std::string::npos, e.reason.c_str());
                QCOMPARE(e.where, std::string("14"));
            }
        }
    }
};
QTEST_GUILESS_MAIN(TestNeutral)
#include "test_neutral.moc"
