// SPDX-License-Identifier: GPL-3.0-or-later
// Tissue that does not conduct: no cells, no current, no value.
#include "engine/core/error.hpp"
#include "engine/device/quiescent_state.hpp"
#include "engine/simulation/observe/ecg.hpp"
#include "engine/simulation/results/report.hpp"
#include "engine/simulation/run/run.hpp"
#include "engine/simulation/session/presets.hpp"
#include "engine/simulation/tissue/tissue.hpp"

#include <QtTest>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace tawara;
using namespace tawara::simulation;

namespace {

constexpr double h = 0.25;          // spacing [mm]
constexpr double low = 1, high = 2; // the isthmus is this part of a bar 3 mm wide
const Box isthmus{{-1, low, low}, {99, high, high}};

Session paced(const MeshSlab& mesh, diffusion::Scheme scheme, diffusion::Mass mass)
{
    Session s;
    s.mesh = mesh;
    s.scheme = scheme;
    s.mass = mass;
    s.mass_scaling = 0;
    s.dt_ms = 0.02;
    s.end_ms = 25;
    Stimulus end;
    end.name = "S1";
    end.region = Box{{-1, -1, -1}, {1, 99, 99}};
    s.stimuli = {end};
    return s;
}

/// Velocity between 2 and 5 mm along a bar [mm/ms], by a line through all times there.
double velocity(const Session& s)
{
    const auto t = build_tissue(s);
    auto stepper = device::make_stepper(t.problem, {"cpu", Precision::double_, 1});
    for (auto& source : sources_of(t, s.stimuli[0], "s", "/stimuli/0"))
        stepper->add_stimulus(std::move(source));
    stepper->advance(std::llround(s.end_ms / s.dt_ms));
    const auto maps = stepper->maps();
    double n = 0, sx = 0, st = 0, sxx = 0, sxt = 0;
    for (std::size_t u = 0; u < t.problem.size(); ++u) {
        const Vec3& at = t.problem.position_mm[u];
        if (!t.problem.has_cells(u) || at[0] < 2 || at[0] > 5)
            continue;
        const double a = maps.activation_ms[u];
        n += 1, sx += at[0], st += a, sxx += at[0] * at[0], sxt += at[0] * a;
    }
    return (n * sxx - sx * sx) / (n * sxt - sx * st);
}

const char* const two_halves = R"({
  "schema": 1, "name": "halves", "mesh": {"slab_mm": [4, 2, 1], "spacing_mm": 0.5},
  "tissue": {"regions": [
    {"label": "*", "model": "ten_tusscher_2006", "variant": "epi",
     "conductivity_S_per_m": {"fibre": 0.2, "sheet": 0.1, "normal": 0.1}},
    {"where": {"box_mm": [[2, 0, 0], [4, 2, 1]]}, "name": "fat", "insulating": true}]},
  "diffusion": {"scheme": "p1"},
  "time": {"dt_ms": 0.02, "end_ms": 12},
  "stimuli": [{"name": "S1", "region": {"box_mm": [[0, 0, 0], [1, 2, 1]]}, "duration_ms": 2,
               "amplitude_pA_per_pF": 50}],
  "probes": [{"name": "tissue", "position_mm": [1.5, 1, 0.5]},
             {"name": "beyond", "position_mm": [3.3, 1.1, 0.4]}],
  "output": {"probes_every_ms": 1}
})";

Session halves(std::vector<std::string> more = {})
{
    return parse_session(two_halves, "s.json", more);
}

QByteArray error_of(const std::vector<std::string>& more)
{
    try {
        (void)build_tissue(halves(more));
    } catch (const InputError& e) {
        return e.what();
    }
    return {};
}

std::vector<std::string> lines_of(const std::filesystem::path& file)
{
    std::ifstream in(file);
    std::vector<std::string> out;
    for (std::string line; std::getline(in, line);)
        out.push_back(line);
    return out;
}

} // namespace

class TestInsulators : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    /// What does not conduct loads nobody: a wave in an isthmus 1 mm wide runs as in a bar of that
    /// width. (With the mass and the cells of what lies beside it, it lost a quarter.)
    void anIsthmusConductsAsIfItWereAlone_data()
    {
        QTest::addColumn<int>("scheme");
        QTest::addColumn<int>("mass");
        QTest::addColumn<bool>("flag");
        QTest::addRow("p1, lumped, conductivity 0") << 1 << 0 << false;
        QTest::addRow("p1, lumped, insulating") << 1 << 0 << true;
        QTest::addRow("p1, consistent") << 1 << 1 << true;
        QTest::addRow("fvm") << 0 << 0 << true;
    }
    void anIsthmusConductsAsIfItWereAlone()
    {
        QFETCH(int, scheme);
        QFETCH(int, mass);
        QFETCH(bool, flag);
        const auto by = static_cast<diffusion::Scheme>(scheme);
        const auto with = static_cast<diffusion::Mass>(mass);
        const double width = high - low;
        const double alone = velocity(paced({{6, width, width}, h}, by, with));
        auto s = paced({{6, 3, 3}, h}, by, with);
        Region channel;
        channel.where = isthmus;
        s.regions.push_back(channel);
        s.regions[0].insulating = flag;
        if (!flag)
            s.regions[0].conductivity_S_per_m = {};
        const double between = velocity(s);
        qInfo("alone %.4f mm/ms, in the isthmus %.4f: %+.2f %%", alone, between,
              100 * (between / alone - 1));
        QVERIFY(alone > 0.3);
        QVERIFY(std::abs(between / alone - 1) < 1e-6);
    }

    void theRimHasCellsAndTheInsideNone()
    {
        for (const auto scheme : {diffusion::Scheme::p1, diffusion::Scheme::fvm}) {
            auto s = halves();
            s.scheme = scheme;
            const auto t = build_tissue(s);
            for (std::size_t u = 0; u < t.problem.size(); ++u)
                QCOMPARE(t.problem.has_cells(u), t.problem.position_mm[u][0] <= 2);
        }
    }

    /// As `run` writes it: empty where there are no cells.
    void outputsAreEmptyThere_data()
    {
        QTest::addColumn<QString>("scheme");
        QTest::addRow("p1") << "p1";
        QTest::addRow("fvm") << "fvm";
    }
    void outputsAreEmptyThere()
    {
        QFETCH(QString, scheme);
        QTemporaryDir folder;
        RunOptions o;
        o.out = folder.path().toStdString();
        o.device.devices = "cpu";
        std::string said;
        o.notice = [&](const Notice& n) { said += n.text + "\n"; };
        const auto s = halves({"diffusion.scheme=" + scheme.toStdString()});
        const auto report = nlohmann::json::parse(run_session(s, o).json);
        const auto unknowns = report["unknowns"].get<int>();
        const auto cells = report["unknowns_with_cells"].get<int>();
        QVERIFY(cells > 0 && cells < unknowns);
        QCOMPARE(report["activated"].get<int>(), cells);
        QVERIFY2(said.find("insulating tissue: " + std::to_string(unknowns - cells) + " of ") !=
                     std::string::npos,
                 said.c_str());
        QVERIFY2(said.find("probe 'beyond' lies in insulating tissue") != std::string::npos,
                 said.c_str());
        int empty = 0;
        for (const auto& line : lines_of(o.out / "activation.csv"))
            empty += line.find(",,,,") != std::string::npos; // no times
        QCOMPARE(empty, unknowns - cells);
        const auto rows = lines_of(o.out / "probes.csv");
        QVERIFY(rows.size() > 10 && rows[0] == "time_ms,tissue,beyond");
        for (std::size_t k = 1; k < rows.size(); ++k) {
            QVERIFY2(rows[k].ends_with(","), rows[k].c_str());
            QVERIFY2(!rows[k].ends_with(",,"), rows[k].c_str());
        }
    }

    void sessionsSaySo()
    {
        const auto s = halves();
        QVERIFY(s.regions[1].insulating && s.regions[1].inherits());
        QVERIFY(parse_session(to_json(s), "again").regions == s.regions);
        QVERIFY(!to_json(halves({"tissue.regions.1.insulating=false"})).empty());
        // without a model and with nothing beneath it
        const auto first = parse_session(R"({"schema": 1, "mesh": {"slab_mm": [2, 1, 1],
            "spacing_mm": 0.5}, "tissue": {"regions": [{"label": "*", "insulating": true},
            {"where": {"box_mm": [[0, 0, 0], [1, 1, 1]]}, "model": "ten_tusscher_2006",
             "conductivity_S_per_m": {"fibre": 0.1, "sheet": 0.1, "normal": 0.1}}]},
            "time": {"dt_ms": 0.02, "end_ms": 1}})",
                                         "first");
        QVERIFY(build_tissue(first).problem.with_cells() > 0);
        // a conductivity of 0 in all directions is the same
        const auto zero =
            build_tissue(halves({R"(tissue.regions.1={"where": {"box_mm": [[2, 0, 0], [4, 2, 1]]},
                "model": "ten_tusscher_2006", "conductivity_S_per_m":
                {"fibre": 0, "sheet": 0, "normal": 0}})"}));
        QCOMPARE(zero.problem.group, build_tissue(s).problem.group);
    }

    void whatCannotBeIsRefused()
    {
        const auto says = [](const QByteArray& error, const char* what) {
            if (!error.contains(what))
                qWarning("%s", error.constData());
            return error.contains(what);
        };
        QByteArray error;
        try {
            (void)halves({"tissue.regions.0.conductivity_S_per_m.sheet=0"});
        } catch (const InputError& e) {
            error = e.what();
        }
        QVERIFY(says(error, "/tissue/regions/0/conductivity_S_per_m/sheet"));
        QVERIFY(says(error, "0 in all three directions"));
        QVERIFY(
            says(error_of({"tissue.regions.0.insulating=true"}), "all tissue of this mesh is "));
        const auto t = build_tissue(halves());
        try {
            error.clear();
            (void)unknowns_in(t, Box{{2.6, 0, 0}, {4, 2, 1}}, "s.json", "/stimuli/0/region");
        } catch (const InputError& e) {
            error = e.what();
        }
        QVERIFY(says(error, "holds insulating tissue alone"));
    }

    /// The electrocardiogram is of the tissue that is there: the same as of that tissue alone.
    void theEcgIsOfTheTissueThatIsThere()
    {
        for (const auto scheme : {diffusion::Scheme::p1, diffusion::Scheme::fvm}) {
            const auto lead = [&](const Session& s) {
                const auto t = build_tissue(s);
                std::vector<double> v;
                for (std::size_t u = 0; u < t.problem.size(); ++u)
                    v.push_back(t.problem.has_cells(u) ? 30 * t.problem.position_mm[u][0] - 80
                                                       : std::nan(""));
                const auto layout =
                    ecg_layout(t, std::vector<Electrode>{{"A", {20, 5, 1}}}, Leads{}, "s");
                return EcgField(*t.mesh, t.stars, t.on_vertices(), t.patches, layout, 0.2)
                    .leads(v)[0];
            };
            auto whole = halves();
            whole.scheme = scheme;
            auto cut = whole;
            cut.mesh = MeshSlab{{2, 2, 1}, 0.5};
            cut.regions.pop_back();
            cut.probes.clear();
            QVERIFY(std::isfinite(lead(whole)) && lead(whole) != 0);
            QVERIFY(std::abs(lead(whole) / lead(cut) - 1) < 1e-5);
        }
    }

    void cellsThatComeBackStartAnew()
    {
        auto s = halves();
        const auto with = build_tissue(s);
        s.regions.pop_back();
        const auto without = build_tissue(s);
        const auto start = initial_snapshot(with.problem);
        const auto back = carried(start, with.problem, without.problem);
        const auto gone = carried(back, without.problem, with.problem);
        const auto& rest = without.problem.groups[0].types[0].initial;
        for (std::size_t u = 0; u < with.problem.size(); ++u) {
            QCOMPARE(back.v[u], rest[0]);
            QCOMPARE(back.states[3][u], rest[4]);
            QCOMPARE(std::isnan(gone.v[u]), !with.problem.has_cells(u));
        }
    }

    /// Inside a long step what had rested comes to its end, and new cells do not.
    void cellsThatComeBackInsideALongStepStartAnew()
    {
        auto s = halves();
        const auto with = build_tissue(s);
        s.regions.pop_back();
        const auto without = build_tissue(s);
        auto inside = initial_snapshot(with.problem);
        device::QuiescentState q(1, 4, with.problem.size());
        for (std::size_t u = 0; u < with.problem.size(); ++u)
            q.end_mV[u] = with.problem.has_cells(u) ? -70 : 0;
        inside.quiescent = q.packed();
        const auto back = carried(inside, with.problem, without.problem);
        QVERIFY(back.quiescent.empty());
        const auto& rest = without.problem.groups[0].types[0].initial;
        for (std::size_t u = 0; u < with.problem.size(); ++u)
            QCOMPARE(back.v[u], with.problem.has_cells(u) ? -70.0 : rest[0]);
    }

    void aPresetInsulates()
    {
        const auto list = tissue_presets();
        const auto p = std::find_if(list.begin(), list.end(),
                                    [](const auto& x) { return x.region.insulating; });
        QVERIFY(p != list.end() && inexcitable(p->region));
    }
};

QTEST_GUILESS_MAIN(TestInsulators)
#include "test_insulators.moc"
