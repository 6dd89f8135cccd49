// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/reference.hpp"
#include "engine/core/error.hpp"

#include <QtTest>

#include <fstream>
#include <sstream>

using namespace tawara;
using namespace tawara::cell::compiler;

/// Models of the collection, solved by CVODE, against traces that other people's programs computed.
class TestReference : public QObject
{
    Q_OBJECT
    QTemporaryDir folder_;

    static std::vector<std::vector<double>> table(const QString& file)
    {
        std::ifstream in(file.toStdString());
        std::vector<std::vector<double>> rows;
        for (std::string line; std::getline(in, line);) {
            if (line.empty() || line[0] == '#')
                continue;
            std::vector<double> row;
            std::istringstream cells(line);
            for (std::string c; std::getline(cells, c, ',');)
                row.push_back(std::stod(c));
            rows.push_back(row);
        }
        return rows;
    }

  private Q_SLOTS:
    void initTestCase()
    {
        for (const char* name : {"cellml", "cellml_reference"}) {
            const QString archive =
                QString(TAWARA_SOURCE_DIR "/../shared/data/") + name + ".tar.xz";
            if (!QFile::exists(archive) ||
                QProcess::execute("tar", {"xJf", archive, "-C", folder_.path()}) != 0)
                QSKIP("the collections of models and traces are not here");
        }
    }
    void traces_data()
    {
        QTest::addColumn<double>("bound"); // RRMS of V, per cent
        const std::pair<const char*, double> models[] = {
            {"beeler_reuter_model_1977", 1},
            {"bueno_2007_epi", 1},
            {"courtemanche_ramirez_nattel_1998", 1},
            {"faber_rudy_2000", 1},
            {"hodgkin_huxley_squid_axon_model_1952_modified", 1},
            {"iyer_2004", 1},
            {"luo_rudy_1991", 1},
            {"maleckar_model_2009", 1},
            {"noble_model_1962", 1},
            {"ohara_rudy_2011_epi", 1},
            // beats by itself at 0.6 s: a shift of some ms in that beat is counted in full
            {"paci_hyttinen_aaltosetala_severi_ventricularVersion", 9},
            {"ten_tusscher_model_2006_epi", 1},
        };
        for (const auto& [m, bound] : models)
            QTest::newRow(m) << bound;
    }
    void traces()
    {
        QFETCH(double, bound);
        const QString model = QTest::currentDataTag();
        const auto rows =
            table(folder_.filePath("cellml_reference/" + model + "/GraphState/outputs_state.csv"));
        QVERIFY(rows.size() > 500);
        ResolveOptions o;
        // this file divides a stimulus in A/F by the capacitance once more; the trace has none
        o.own_stimulus = !model.startsWith("paci_");
        const CellSystem s = resolve(
            read_model(folder_.filePath("cellml/chaste/" + model + ".cellml").toStdString()), o);
        const auto initial = s.initial_values(), parameters = s.parameter_values();
        const auto result =
            Reference(s).run(parameters, initial, static_cast<double>(rows.size() - 1), 1);
        // the column of V starts with its initial value; the traces have it in mV whatever the
        // text's unit
        std::size_t column = 0;
        while (column < rows[0].size() &&
               std::abs(rows[0][column] - initial[0]) > 1e-6 * std::abs(initial[0]))
            ++column;
        QVERIFY(column < rows[0].size());
        double square = 0, difference = 0, largest = 0;
        for (std::size_t k = 0; k < rows.size(); ++k) {
            const double v = rows[k][column], d = result[k][0] - v;
            square += v * v;
            difference += d * d;
            largest = std::max(largest, std::abs(d));
        }
        const double rrms = 100 * std::sqrt(difference / square);
        qInfo("%-52s RRMS %.4f %%, largest difference %.3f mV", qPrintable(model), rrms, largest);
        QVERIFY(rrms < bound);
    }
};

QTEST_GUILESS_MAIN(TestReference)
#include "test_reference.moc"
