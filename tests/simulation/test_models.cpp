// SPDX-License-Identifier: GPL-3.0-or-later
// Tissue of any cell model: of the library, of a file beside the session, several in one tissue.
#include "engine/cell/cpu_kernel.hpp"
#include "engine/core/error.hpp"
#include "engine/device/stepper.hpp"
#include "engine/simulation/session/session.hpp"
#include "engine/simulation/tissue/tissue.hpp"

#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <filesystem>
#include <fstream>

using namespace tawara;
using namespace tawara::simulation;
namespace fs = std::filesystem;

namespace {

Session slab(const Vec3& size_mm, double spacing_mm)
{
    Session s;
    s.name = "slab";
    s.mesh = MeshSlab{size_mm, spacing_mm};
    s.stimuli.emplace_back();
    s.stimuli[0].name = "S1";
    s.stimuli[0].region = Box{{-1, -1, -1}, {1, 100, 100}};
    return s;
}

struct Running
{
    Tissue tissue;
    std::unique_ptr<device::Stepper> stepper;
    std::vector<double> potential() const
    {
        std::vector<double> v(tissue.problem.size());
        stepper->potential(v);
        return v;
    }
};

Running start(const Session& s, Precision precision = Precision::double_)
{
    Running r;
    r.tissue = build_tissue(s);
    device::StepperOptions o;
    o.devices = "cpu";
    o.precision = precision;
    r.stepper = device::make_stepper(r.tissue.problem, o);
    for (const auto& x : s.stimuli)
        for (auto& source : sources_of(r.tissue, x, "test", "/stimuli"))
            r.stepper->add_stimulus(std::move(source));
    return r;
}

/// Mean activation time of the unknowns around a place.
double activation(const Running& r, double x_mm)
{
    const auto maps = r.stepper->maps();
    double sum = 0;
    int n = 0;
    for (std::size_t u = 0; u < maps.activation_ms.size(); ++u)
        if (std::abs(r.tissue.problem.position_mm[u][0] - x_mm) < 0.3) {
            sum += maps.activation_ms[u];
            ++n;
        }
    return sum / n;
}

std::string text_of(const std::string& model, const std::string& more = "")
{
    return R"({"schema": 1, "name": "t", "mesh": {"slab_mm": [2, 1, 1], "spacing_mm": 0.5},
"tissue": {"surface_to_volume_per_mm": 140, "capacitance_uF_per_cm2": 1.0, "regions": [
 {"label": "*", "model": ")" +
           model + R"(", "conductivity_S_per_m": {"fibre": 0.13, "sheet": 0.02, "normal": 0.02})" +
           more + R"(}]},
"diffusion": {"scheme": "fvm"}, "reaction": {"scheme": "forward_euler"},
"time": {"dt_ms": 0.02, "end_ms": 10}, "stimuli": [], "probes": [], "output": {}})";
}

/// The line of the InputError that reading a session gives; empty when there is none.
std::string error_of(const std::string& text, const fs::path& file)
{
    try {
        parse_session(text, file.string());
    } catch (const InputError& e) {
        return e.what();
    }
    return {};
}

void write(const fs::path& file, const std::string& text)
{
    std::ofstream(file) << text;
}

/// A cell that relaxes to a level.
std::string relaxing(const std::string& rate)
{
    return "[[model]]\nname: relaxing\nmembrane.V = -80\n[engine]\ntime = 0 [ms] in [ms] bind "
           "time\n"
           "[membrane]\nlevel = -20\nk = 0.1\ndot(V) = " +
           rate + " in [mV]\n";
}

} // namespace

class TestModels : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    /// A wave from ventricular into atrial cells and on into a simple model.
    void waveCrossesFromModelToModel()
    {
        auto s = slab({9, 0.6, 0.6}, 0.3);
        s.regions[0].variant = "epi";
        Region atrial, simple;
        atrial.model = "courtemanche_1998";
        atrial.where = Where(Box{{3, -1, -1}, {6, 9, 9}});
        simple.model = "mitchell_schaeffer_2003";
        simple.where = Where(Box{{6, -1, -1}, {9, 9, 9}});
        for (auto* r : {&atrial, &simple})
            r->conductivity_S_per_m = s.regions[0].conductivity_S_per_m;
        s.regions.push_back(atrial);
        s.regions.push_back(simple);
        auto r = start(s);
        QCOMPARE(r.tissue.problem.groups.size(), std::size_t(3));
        r.stepper->advance(2500); // 50 ms
        double last = 0;
        for (double x : {1.5, 4.5, 7.5}) {
            const double t = activation(r, x);
            QVERIFY2(std::isfinite(t) && t > last + 1 && t < 45, std::to_string(t).c_str());
            last = t;
        }
        const auto text = r.stepper->device();
        QVERIFY(!text.empty());
        auto snapshot = r.stepper->snapshot();
        r.stepper->advance(100);
        const auto later = r.potential();
        r.stepper->restore(snapshot);
        r.stepper->advance(100);
        QCOMPARE(r.potential(), later); // bit for bit, with states of three models
    }

    void everyLibraryModelRunsInTissue_data()
    {
        QTest::addColumn<bool>("single");
        for (const auto& name : cell::model_names())
            for (bool single : {false, true})
                QTest::addRow("%s %s", name.c_str(), single ? "single" : "double") << single;
    }
    void everyLibraryModelRunsInTissue()
    {
        QFETCH(bool, single);
        auto s = slab({2, 0.5, 0.5}, 0.25);
        s.regions[0].model = QString(QTest::currentDataTag()).section(' ', 0, 0).toStdString();
        s.reaction = cell::Scheme::grl1; // buffers of the larger models are too fast for others
        s.dt_ms = 0.01;
        s.stimuli[0].region = Box{{-1, -1, -1}, {9, 9, 9}};
        s.stimuli[0].duration_ms = 2;
        auto r = start(s, single ? Precision::single : Precision::double_);
        const double rest = r.potential()[0];
        r.stepper->advance(100);
        const double risen = r.potential()[0];
        r.stepper->advance(700);
        for (double v : r.potential())
            QVERIFY2(std::isfinite(v) && v > -120 && v < 120, std::to_string(v).c_str());
        QVERIFY2(risen > rest + 20, "the stimulus depolarises");
        for (const auto& k : r.stepper->kernels())
            if (k.name == "reaction")
                QVERIFY(k.flops > 0 && k.bytes > 0);
    }

    void parametersAndInitialValuesByName()
    {
        const auto session = [](const std::string& more) {
            return parse_session(text_of("luo_rudy_1991", more), "/tmp/s.json");
        };
        auto a = start(session(""));
        auto b = start(session(R"(, "parameters": {"g_K": 0.0}, "initial": {"V": -70})"));
        QVERIFY(std::abs(b.potential()[0] + 70) < 1e-12);
        const auto& types = b.tissue.problem.groups[0].types;
        QVERIFY(types[0].parameters != a.tissue.problem.groups[0].types[0].parameters);
    }

    /// A model file beside the session; the session is written with the path as it was.
    void fileBesideTheSession()
    {
        QTemporaryDir dir;
        const fs::path folder = dir.path().toStdString();
        fs::create_directories(folder / "models");
        write(folder / "models" / "mine.mmt", relaxing("k * (level - V)"));
        write(folder / "s.json", text_of("models/mine.mmt", R"(, "parameters": {"level": 0})"));
        const auto s = read_session(folder / "s.json");
        QVERIFY(to_json(s).find("\"models/mine.mmt\"") != std::string::npos);
        auto r = start(s);
        r.stepper->advance(500);
        const double expected = -80 * std::pow(1 - 0.1 * 0.02, 500);
        QVERIFY(std::abs(r.potential()[0] - expected) < 1e-9);
        // parameters can change on the way
        auto type = r.tissue.problem.groups[0].types[0];
        const auto& info = cell::model_info(s.regions[0].model);
        for (std::size_t k = 0; k < info.parameters.size(); ++k)
            if (info.parameters[k].name == "level")
                type.parameters[k] = expected;
        r.stepper->set_types(0, std::span(&type, 1));
        r.stepper->advance(500);
        QVERIFY(std::abs(r.potential()[0] - expected) < 1e-9);
    }

    void changedEquationsAreSeenAndCompiledOnce()
    {
        QTemporaryDir dir;
        const fs::path file = fs::path(dir.path().toStdString()) / "m.mmt";
        write(file, relaxing("k * (level - V)"));
        const auto kernel = [&](double k) {
            const std::pair<std::string, double> set[]{{"k", k}};
            const auto type = cell::make_cell_type(file.string(), "", set, {});
            return cell::make_cpu_kernel<double>(std::span(&type, 1), cell::Scheme::forward_euler);
        };
        QVERIFY(kernel(0.1)->compile_ms() > 0);
        QCOMPARE(kernel(0.2)->compile_ms(), 0.0); // a changed parameter
        const auto before = cell::make_cell_type(file.string(), "", {}, {});
        write(file, relaxing("k * (level - V) * 2.5"));
        fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(2));
        const auto changed = kernel(0.1); // a changed equation
        QVERIFY(changed->compile_ms() > 0);
        // a cell type that was made before keeps the equations that it was made with
        QVERIFY(before.system != cell::make_cell_type(file.string(), "", {}, {}).system);
    }

    void errorsNameThePlaceAndTheNearest_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("more");
        QTest::addColumn<QStringList>("says");
        QTest::newRow("model") << "luo_rudy_1992"
                               << "" << QStringList{"/tissue/regions/0/model", "'luo_rudy_1991'"};
        QTest::newRow("file") << "nothing.mmt"
                              << "" << QStringList{"/tissue/regions/0/model", "nothing.mmt"};
        QTest::newRow("extension")
            << "model.txt"
            << "" << QStringList{"/tissue/regions/0/model", ".mmt or .cellml"};
        QTest::newRow("variant") << "ohara_rudy_2011"
                                 << ", \"variant\": \"midd\""
                                 << QStringList{"/tissue/regions/0/variant", "'mid'"};
        QTest::newRow("variant of none")
            << "luo_rudy_1991"
            << ", \"variant\": \"epi\"" << QStringList{"/tissue/regions/0/variant", "has none"};
        QTest::newRow("parameter") << "luo_rudy_1991"
                                   << ", \"parameters\": {\"g_Kk\": 1}"
                                   << QStringList{"/tissue/regions/0/parameters/g_Kk", "'g_K"};
        QTest::newRow("state") << "luo_rudy_1991"
                               << ", \"initial\": {\"Vv\": -80}"
                               << QStringList{"/tissue/regions/0/initial/Vv", "known are V"};
        QTest::newRow("text") << "broken.mmt"
                              << "" << QStringList{"broken.mmt:9", "nowhere"};
    }
    void errorsNameThePlaceAndTheNearest()
    {
        QFETCH(QString, model);
        QFETCH(QString, more);
        QFETCH(QStringList, says);
        QTemporaryDir dir;
        const fs::path folder = dir.path().toStdString();
        write(folder / "broken.mmt", relaxing("k * (level - V) + nowhere"));
        const auto line = QString::fromStdString(
            error_of(text_of(model.toStdString(), more.toStdString()), folder / "s.json"));
        for (const auto& part : says)
            QVERIFY2(line.contains(part), qPrintable(line));
    }
};

QTEST_GUILESS_MAIN(TestModels)
#include "test_models.moc"
