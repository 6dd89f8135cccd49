// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cell_compiler/collections.hpp"

#include <QtTest>

#include <map>

using namespace tawara;
using namespace tawara::cell::compiler;
namespace fs = std::filesystem;

/// Reads every model of the collections beside the repository (shared/data), when they are there.
class TestCollections : public QObject
{
    Q_OBJECT
    QTemporaryDir folder_;

    bool unpack(const char* name)
    {
        const QString archive = QString(TAWARA_SOURCE_DIR "/../shared/data/") + name + ".tar.xz";
        return QFile::exists(archive) &&
               QProcess::execute("tar", {"xJf", archive, "-C", folder_.path()}) == 0;
    }

    struct Count
    {
        int read = 0, refused = 0;
        std::map<std::string, std::string> reasons;
    };
    Count sweep(const QString& sub)
    {
        Count c;
        for (const auto& e :
             fs::recursive_directory_iterator(folder_.filePath(sub).toStdString())) {
            const auto ext = e.path().extension();
            if (ext != ".mmt" && ext != ".cellml" && ext != ".xml")
                continue;
            try {
                const CellSystem s = resolve(read_model(e.path()));
                ++c.read;
                if (s.states.empty())
                    c.reasons[e.path().filename()] = "no state";
            } catch (const InputError& x) {
                ++c.refused;
                c.reasons[e.path().filename()] = x.what();
            }
        }
        qInfo("%s: %d read, %d refused", qPrintable(sub), c.read, c.refused);
        return c;
    }

  private Q_SLOTS:
    void cellml()
    {
        if (!unpack("cellml"))
            QSKIP("models of the shared data are not beside the repository");
        const Count chaste = sweep("cellml/chaste");
        QCOMPARE(chaste.refused, 0); // all are complete models
        QCOMPARE(chaste.read, 42);
        const Count imports = sweep("cellml/cellmltoolkit-1.1-imports");
        QVERIFY(imports.read >= 5);
        for (const char* model : {"Noble_1962.cellml", "ohara_rudy_cipa_v1_2017.cellml.xml"})
            QVERIFY2(!imports.reasons.count(model),
                     imports.reasons.count(model) ? imports.reasons.at(model).c_str() : "");
        Count odd = sweep("cellml/cellmlmanip-tests");
        const std::pair<const char*, const char*> expected[] = {
            {"err_connect_to_non_existing_component.cellml", "does not exist"},
            {"err_bad_connection_units.cellml", "incompatible units"},
            {"err_connect_to_hidden_component.cellml", "neither siblings nor parent and child"},
            {"err_override_builtin_units.cellml", "built in"},
            {"5.4.2.2.unit_cycle_3.cellml", "defined by themselves"},
            {"4.algebraic_ode_model.cellml", "solve it for one"},
            {"boolean_in_inequality.cellml", "a number is needed"},
            {"3.4.2.1.component_with_reactions.cellml", "reactions"},
            {"test_duplicate_component_names.cellml", "defined twice"},
        };
        for (const auto& [file, reason] : expected)
            QVERIFY2(odd.reasons[file].find(reason) != std::string::npos,
                     (file + odd.reasons[file]).c_str());
        QVERIFY(sweep("cellml/libcellml-2.0").read >= 10);
    }
    /// Models that are read are paced too: a few of them here, all with TAWARA_FULL set (minutes).
    void beats()
    {
        if (!unpack("cellml") || !unpack("mmt"))
            QSKIP("models of the shared data are not beside the repository");
        const bool full = qEnvironmentVariableIsSet("TAWARA_FULL");
        QElapsedTimer clock;
        clock.start();
        int paced = 0, index = 0;
        for (const char* sub : {"cellml/chaste", "mmt/myokit-models"})
            for (const auto& file : model_files(folder_.filePath(sub).toStdString())) {
                if (!full && (++index % 6 != 0 || clock.elapsed() > 30000))
                    continue;
                const Outcome o = try_model(file, true);
                if (!o.read)
                    continue; // refused: the tests above know of it
                // that file has exp(-11 (V + 9.8)) for the paper's -0.11: no finite rate at rest
                if (file.stem().string().rfind("bernus_", 0) == 0) {
                    QVERIFY(!o.paced);
                    continue;
                }
                QVERIFY2(o.paced, (file.string() + ": " + o.reason).c_str());
                // stiff channels of thirteen states, and one of eight, that no explicit scheme
                // steps
                if (file.stem().string().rfind("iyer", 0) != 0 &&
                    file.stem().string().rfind("winslow", 0) != 0)
                    QVERIFY2(o.rrms_percent < 5, file.c_str());
                // (Bueno-Orovio's potential is a number from 0 to 1.5)
                QVERIFY2(o.highest_mV > o.lowest_mV + (o.lowest_mV < -20 ? 30 : 1), file.c_str());
                ++paced;
            }
        qInfo("%d models paced", paced);
        QVERIFY(paced >= (full ? 60 : 6));
    }
    void mmt()
    {
        if (!unpack("mmt"))
            QSKIP("models of the shared data are not beside the repository");
        Count models = sweep("mmt/myokit-models");
        for (const auto& [file, reason] : models.reasons) // two models are no cells
            QVERIFY2((file == "lotka-volterra.mmt" || file == "logistic.mmt") &&
                         reason.find("membrane potential") != std::string::npos,
                     (file + reason).c_str());
        QCOMPARE(models.read, 21);
        QVERIFY(sweep("mmt/myokit-tests").read >= 20);
    }
};

QTEST_GUILESS_MAIN(TestCollections)
#include "test_collections.moc"
