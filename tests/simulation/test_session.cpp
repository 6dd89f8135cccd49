// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.hpp"
#include "engine/mesh/generator/heart.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/mesh/topology.hpp"
#include "engine/simulation/session/intervals.hpp"
#include "engine/simulation/session/output_keys.hpp"
#include "engine/simulation/session/session.hpp"
#include "engine/simulation/session/session_keys.hpp"
#include "engine/simulation/tissue/mesh_cache.hpp"
#include "engine/simulation/tissue/mesh_session.hpp"
#include "engine/simulation/tissue/tissue.hpp"
#include "tests/simulation/session_page.hpp"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>
#include <chrono>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace tawara;
using namespace tawara::simulation;

namespace {

/// The contract's own example.
const std::string example = R"({
  "schema": 1,
  "name": "slab, corner stimulus",
  "mesh": {"file": "slab.vtu", "length_unit": "mm"},
  "tissue": {
    "surface_to_volume_per_mm": 140, "capacitance_uF_per_cm2": 1.0,
    "regions": [
      {"label": "*", "model": "ten_tusscher_2006", "variant": "epi",
       "conductivity_S_per_m": {"fibre": 0.1334, "sheet": 0.0176, "normal": 0.0176},
       "parameters": {"g_Ks": 0.392}, "initial": {"V": -85.23}}
    ]
  },
  "diffusion": {"scheme": "fvm", "splitting": "godunov", "stepping": "explicit"},
  "reaction": {"scheme": "rush_larsen_light"},
  "time": {"dt_ms": 0.02, "end_ms": 100},
  "stimuli": [
    {"name": "S1", "region": {"box_mm": [[0,0,0],[1.5,1.5,1.5]]},
     "start_ms": 0, "duration_ms": 2, "amplitude_uA_per_cm3": 50000, "period_ms": 0, "count": 1}
  ],
  "probes": [{"name": "P8", "position_mm": [20, 7, 3]}],
  "output": {"activation_threshold_mV": 0, "frames_every_ms": 5, "frames": "vtu", "checkpoint_every_ms": 0}
})";

Session parse(const std::vector<std::string>& set = {}, const std::string& text = example)
{
    return parse_session(text, "s.json", set);
}

/// The line of the InputError that `body` throws; empty when it throws none.
template <class Body>
std::string line_of(Body body)
{
    try {
        body();
    } catch (const InputError& e) {
        return e.what();
    }
    return {};
}

template <class T>
const T& as(const StimulusRegion& r)
{
    return std::get<T>(r);
}

} // namespace

class TestSession : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    /// The page's tables are made of the table of session keys. With TAWARA_WRITE_PAGE=1 in the
    /// environment they are written anew.
    void thePageIsMadeOfTheTable()
    {
        const QString path = QStringLiteral(TAWARA_SOURCE_DIR "/resources/sessions/README.md");
        QFile f(path);
        QVERIFY(f.open(QIODevice::ReadOnly));
        const std::string page = f.readAll().toStdString();
        f.close();
        const std::string anew = session_page::made_anew(page);
        if (qEnvironmentVariableIsSet("TAWARA_WRITE_PAGE")) {
            QVERIFY(f.open(QIODevice::WriteOnly));
            QCOMPARE(f.write(anew.c_str()), qint64(anew.size()));
            return;
        }
        QVERIFY2(page == anew, "run test_session with TAWARA_WRITE_PAGE=1 to write the page anew");
        QStringList
            unexplained; // keys of objects without a table of their own, in backticks or quotes
        for (const auto& key : session_keys()) {
            const auto name = QString::fromUtf8(key.name().data(), qsizetype(key.name().size()));
            if (name != "#" && !QString::fromStdString(page).contains(
                                   QRegularExpression("[`.\"]" + name + "[`\"\\[\\].]")))
                unexplained << name;
        }
        QVERIFY2(unexplained.isEmpty(), qPrintable(unexplained.join(' ')));
    }

    /// What fields of the window offer lies within what the reader takes.
    void fieldsOfferWhatTheReaderTakes()
    {
        for (const auto& key : session_keys()) {
            const auto& box = key.also.box;
            const bool low = std::isinf(box.low) || box.low > key.range.low ||
                             (box.low == key.range.low && !key.range.above);
            QVERIFY2(low && (std::isinf(box.high) || box.high <= key.range.high),
                     std::string(key.at).c_str());
        }
    }

    /// Times between events are marked in the table, which tells their steps and what is rounded.
    void intervalsAreRounded()
    {
        Session s;
        s.dt_ms = 0.02;
        for (const auto& key : session_keys()) {
            QVERIFY2(key.also.interval == key.name().ends_with("every_ms"),
                     std::string(key.at).c_str());
            if (!key.also.interval)
                continue;
            QVERIFY2(key.member.of(typeid(Session)), std::string(key.at).c_str());
            key.member.set(&s, 0.25);
        }
        const auto said = [&](const std::string& key) {
            const auto all = rounded_intervals(s);
            return std::any_of(all.begin(), all.end(), [&](const Notice& n) {
                return n.text == key + ": 0.25 ms is no whole number of steps; every 0.26 ms in "
                                       "its place";
            });
        };
        QCOMPARE(interval_steps(s, "/output/probes_every_ms"), 13);
        QCOMPARE(interval_steps(s, "/output/frames_every_ms"), 13);
        QVERIFY(said("output.probes_every_ms") && said("output.checkpoint_every_ms") &&
                said("output.frames_every_ms"));
        QVERIFY(interval_steps(s, "/ecg/every_ms") == 0 && !said("ecg.every_ms")); // no leads
        s.leads.kind = Leads::Kind::twelve_lead;
        s.output->frames = FrameFormat::none;
        QVERIFY(interval_steps(s, "/ecg/every_ms") == 13 && said("ecg.every_ms"));
        QVERIFY(interval_steps(s, "/output/frames_every_ms") == 0 &&
                !said("output.frames_every_ms"));
        s.output->probes_every_ms = 0;
        QCOMPARE(interval_steps(s, "/output/probes_every_ms"), 0);
        s.ecg_every_ms = 0.24;
        QVERIFY(interval_steps(s, "/ecg/every_ms") == 12 && !said("ecg.every_ms"));
        QVERIFY_THROWS_EXCEPTION(std::logic_error, interval_steps(s, "/time/dt_ms"));
    }

    /// Each number, choice and text of the table is read and written; a number beyond its range is
    /// an error that names the key.
    void everyRowIsReadAndWritten()
    {
        auto base = nlohmann::ordered_json::parse(to_json(parse()));
        base["diffusion"]["scheme"] = "p1";
        int seen = 0;
        for (const auto& key : session_keys()) {
            const std::string object(key.object());
            if (key.member.type != Member::Type::number || object.find('#') != std::string::npos ||
                *key.member.owner != typeid(Session))
                continue;
            ++seen;
            auto document = base;
            const nlohmann::ordered_json::json_pointer at{std::string(key.at)};
            const double low = std::isfinite(key.range.low) ? key.range.low : 0;
            const double value =
                std::isfinite(key.range.high) ? (low + key.range.high) / 2 : low + 1.5;
            document[at] = value;
            if (object == "/ecg")
                document["ecg"]["leads"] = "twelve_lead";
            if (object == "/diffusion/newton" || key.name() == "dt_max_ms") {
                document["diffusion"]["stepping"] = "newton";
                document["diffusion"].erase("splitting");
            }
            const auto again =
                nlohmann::ordered_json::parse(to_json(parse_session(document.dump(), "s.json")));
            QVERIFY2(again.contains(at) && again[at] == value, std::string(key.at).c_str());
            document[at] = key.range.low - 1;
            const auto line = line_of([&] { parse_session(document.dump(), "s.json"); });
            QVERIFY2(line.starts_with("s.json:" + std::string(key.at) + ": is "), line.c_str());
        }
        QVERIFY(seen >= 15);
    }

    void readsTheContractsExample()
    {
        const auto s = parse();
        QCOMPARE(s.name, std::string("slab, corner stimulus"));
        const auto& file = std::get<MeshFile>(s.mesh);
        QCOMPARE(file.file, std::string("slab.vtu"));
        QVERIFY(file.unit == LengthUnit::mm);
        QCOMPARE(s.regions.size(), 1u);
        QVERIFY(s.regions[0].labels.empty());
        QCOMPARE(s.regions[0].variant, std::string("epi"));
        QCOMPARE(s.regions[0].conductivity_S_per_m.fibre, 0.1334);
        QCOMPARE(s.regions[0].conductivity_S_per_m.normal, 0.0176);
        QCOMPARE(s.regions[0].parameters[0].first, std::string("g_Ks"));
        QCOMPARE(s.regions[0].initial[0].second, -85.23);
        QVERIFY(s.scheme == diffusion::Scheme::fvm);
        QVERIFY(s.reaction == cell::Scheme::rush_larsen_light);
        QCOMPARE(s.dt_ms, 0.02);
        QCOMPARE(s.end_ms, 100.0);
        QCOMPARE(as<Box>(s.stimuli[0].region).high[2], 1.5);
        QCOMPARE(s.probes[0].position_mm[1], 7.0);
        QCOMPARE(s.output->frames_every_ms, 5.0);
    }

    void convertsVolumeCurrentsToMillivoltsPerMillisecond()
    {
        // 50000 uA/cm3 = 50 uA/mm3; over 140 /mm and 0.01 uF/mm2: 35.714 mV/ms (Niederer 2011).
        const auto s = parse();
        QVERIFY(std::abs(s.stimuli[0].amplitude_pA_per_pF - 35.714285714285715) < 1e-12);
        const auto twice = parse({"tissue.capacitance_uF_per_cm2=2"});
        QVERIFY(std::abs(twice.stimuli[0].amplitude_pA_per_pF - 35.714285714285715 / 2) < 1e-12);
    }

    void combinesBothDomainsConductivities()
    {
        const auto s = parse({R"(tissue.regions.0.conductivity_S_per_m={"intracellular":)"
                              R"({"fibre":0.17,"sheet":0.019,"normal":0.019},"extracellular":)"
                              R"({"fibre":0.62,"sheet":0.24,"normal":0.24}})"});
        const auto& c = s.regions[0].conductivity_S_per_m;
        QVERIFY(std::abs(c.fibre - 0.13341772) < 1e-8);
        QVERIFY(std::abs(c.sheet - 0.01760618) < 1e-8);
    }

    void takesWhatMayBeLeftOut()
    {
        const auto s = parse({}, R"({"schema": 1, "mesh": {"embedded": true},
            "tissue": {"regions": [{"label": [1, 2], "model": "ten_tusscher_2006",
              "conductivity_S_per_m": {"fibre": 1, "sheet": 1, "normal": 1}}]},
            "time": {"dt_ms": 0.01, "end_ms": 1}})");
        QVERIFY(std::holds_alternative<MeshEmbedded>(s.mesh));
        QCOMPARE(s.surface_to_volume_per_mm, 140.0);
        QCOMPARE(s.regions[0].labels, (std::vector<std::int32_t>{1, 2}));
        QVERIFY(s.stimuli.empty());
        QVERIFY(s.probes.empty());
    }

    /// Models for which LRL is good at no step are stepped by the scheme that is.
    void aSessionWithoutASchemeTakesTheModels_data()
    {
        QTest::addColumn<std::string>("model");
        QTest::addColumn<int>("scheme");
        using cell::Scheme;
        QTest::newRow("TT06") << std::string("ten_tusscher_2006") << int(Scheme::rush_larsen_light);
        QTest::newRow("O'Hara-Rudy") << std::string("ohara_rudy_2011") << int(Scheme::grl1);
        QTest::newRow("Greenstein")
            << std::string("greenstein_2006") << int(Scheme::backward_euler);
    }
    void aSessionWithoutASchemeTakesTheModels()
    {
        QFETCH(std::string, model);
        QFETCH(int, scheme);
        auto j = nlohmann::json::parse(example);
        j.erase("reaction");
        auto& region = j["tissue"]["regions"][0];
        region["model"] = model;
        for (const char* own : {"variant", "parameters", "initial"})
            region.erase(own);
        QCOMPARE(int(parse({}, j.dump()).reaction), scheme);
        j["reaction"]["scheme"] = "forward_euler";
        QVERIFY(parse({}, j.dump()).reaction == cell::Scheme::forward_euler);
    }

    /// Unknowns may rest at 0.5 mV at most: what that costs was measured up to there.
    void theRestToleranceIsCapped()
    {
        auto j = nlohmann::json::parse(example);
        j["reaction"]["rest_tolerance_mV"] = 0.5;
        QCOMPARE(parse({}, j.dump()).rest_tolerance_mV, 0.5);
        j["reaction"]["rest_tolerance_mV"] = 0.51;
        QVERIFY_THROWS_EXCEPTION(InputError, parse({}, j.dump()));
    }

    void overridesKeys()
    {
        const auto s = parse({"time.dt_ms=0.005", "tissue.regions.0.variant=endo",
                              "diffusion.scheme=p1", "diffusion.mass=consistent", "name=other one",
                              "probes.1={\"name\": \"P9\", \"position_mm\": [1, 2, 3]}",
                              "tissue.regions.0.parameters.g_Kr=0.2"});
        QCOMPARE(s.dt_ms, 0.005);
        QCOMPARE(s.regions[0].variant, std::string("endo"));
        QVERIFY(s.scheme == diffusion::Scheme::p1);
        QVERIFY(s.mass == diffusion::Mass::consistent);
        QCOMPARE(s.name, std::string("other one"));
        QCOMPARE(s.probes.size(), 2u);
        QCOMPARE(s.probes[1].position_mm[2], 3.0);
        QCOMPARE(s.regions[0].parameters.size(), 2u);
        QCOMPARE(parse({"output.probes_every_ms=0.5"}).output->probes_every_ms, 0.5);
    }

    void saysThatAnOverrideIsWrong()
    {
        const auto line = line_of([] { parse({"time.dt_ms=-1"}); });
        QCOMPARE(line, std::string("s.json:/time/dt_ms: is -1; it should be a number above 0 ms "
                                   "(from --set time.dt_ms=-1)"));
        QVERIFY(line_of([] { parse({"time.dt=0.1"}); }).find("dt_ms") != std::string::npos);
        for (const char* bad : {"time.dt_ms", "=1", "time..dt_ms=1", "stimuli.7.name=a",
                                "stimuli.x.name=a", "time.dt_ms.x=1"})
            QVERIFY2(!line_of([&] { parse({bad}); }).empty(), bad);
    }

    void roundTripsExactly_data()
    {
        QTest::addColumn<QString>("json");
        QTest::newRow("example") << QString::fromStdString(to_json(parse()));
        QTest::newRow("default") << QString::fromStdString(to_json(default_session()));
        Session s = parse({"diffusion.scheme=p1", "diffusion.mass=consistent",
                           "diffusion.stepping=crank_nicolson", "diffusion.splitting=strang",
                           "reaction.scheme=grl1", "output.frames=none"});
        s.mesh = MeshHeart{};
        std::get<MeshHeart>(s.mesh).parameters.lv_wall_mm = 0.1 + 0.2 + 9;
        s.dt_ms = 1.0 / 3;
        s.regions.push_back(s.regions[0]);
        s.regions[1].labels = {-4, 7};
        s.regions[1].parameters = {{"g_Ks", 0.1}, {"g_Kr", 1e-300}, {"alpha", 2.5}};
        s.stimuli.resize(5);
        s.stimuli[0].region = Sphere{{1e-17, -3, 4.000000000000001}, 0.7};
        s.stimuli[1].region = Label{{3}};
        s.stimuli[2].region = Label{{3, 4}};
        s.stimuli[3].region = SurfaceRegion{mesh::Wall::endo_rv};
        s.stimuli[4].region = Nodes{{0, 5, 2'000'000'000}};
        s.stimuli[4].period_ms = 300.25, s.stimuli[4].count = 0;
        s.probes.push_back({"near, left \xc3\xa4", {0.1, 0.2, 0.3}});
        s.output->probes_every_ms = 0.1;
        s.output->maps_from_ms = 12.5;
        s.rest_tolerance_mV = 0.05;
        s.mass_scaling_largest = 1.7;
        s.tables_mV = 0.25;
        QTest::newRow("everything") << QString::fromStdString(to_json(s));
        s.mesh = MeshSlab{{20, 7, 3}, 0.1};
        s.mass = diffusion::Mass::lumped, s.currents = IonicCurrents::interpolated;
        QTest::newRow("slab") << QString::fromStdString(to_json(s));
    }
    void roundTripsExactly()
    {
        QFETCH(QString, json);
        const auto text = json.toStdString();
        const auto s = parse({}, text);
        QCOMPARE(QString::fromStdString(to_json(s)), json);
    }

    /// A model file with two voltages: the session says which is the membrane potential.
    void saysWhichVariableIsTheMembranePotential()
    {
        QTemporaryDir folder;
        std::ofstream(folder.path().toStdString() + "/two.mmt")
            << "[[model]]\ncell.V = -80\nother.V = -70\n[engine]\ntime = 0 [ms] bind time\n"
               "[cell]\ndot(V) = -0.1 * (V + 80) in [mV]\n"
               "[other]\ndot(V) = 0.1 * (cell.V - V) in [mV]\n";
        auto text = example;
        const std::string plain = R"("model": "ten_tusscher_2006", "variant": "epi",)";
        text.replace(text.find(plain), plain.size(), R"("model": "two.mmt",)");
        const std::string parameters = R"("parameters": {"g_Ks": 0.392}, "initial": {"V": -85.23})";
        text.replace(text.find(parameters), parameters.size(),
                     R"("model_variables": {"membrane_potential": "other.V"})");
        const auto file = folder.path().toStdString() + "/s.json";
        const auto session = parse_session(text, file);
        const auto type = cell::make_cell_type(session.regions[0].model, "", {}, {});
        QCOMPARE(type.initial[0], -70.0);
        write_session(session, file);
        QCOMPARE(read_session(file).regions[0].model, session.regions[0].model);
        text.replace(text.find("other.V"), 7, "other.W");
        QVERIFY(line_of([&] { parse_session(text, file); }).find("other.W") != std::string::npos);
        text.replace(text.find("\"membrane_potential\""), 20, "\"membrane\"");
        QVERIFY(line_of([&] { parse_session(text, file); }).find("membrane") != std::string::npos);
    }

    void roundTripsEveryBitOfANumber()
    {
        Session s = parse();
        s.dt_ms = 0.1 + 0.2;
        s.regions[0].conductivity_S_per_m = {0.1334177215189873, 5e-324, 1.7976931348623157e308};
        s.stimuli[0].amplitude_uA_per_cm3 = 12345.678901234567;
        s.stimuli[0].region = Sphere{{1.0 / 3, 2.0 / 7, -1e-9}, 0.30000000000000004};
        const auto r = parse({}, to_json(s));
        QVERIFY(r.dt_ms == s.dt_ms);
        QVERIFY(r.regions[0].conductivity_S_per_m.fibre == s.regions[0].conductivity_S_per_m.fibre);
        QVERIFY(r.regions[0].conductivity_S_per_m.sheet == s.regions[0].conductivity_S_per_m.sheet);
        QVERIFY(r.regions[0].conductivity_S_per_m.normal ==
                s.regions[0].conductivity_S_per_m.normal);
        QVERIFY(*r.stimuli[0].amplitude_uA_per_cm3 == 12345.678901234567);
        QVERIFY(as<Sphere>(r.stimuli[0].region).centre == as<Sphere>(s.stimuli[0].region).centre);
        QVERIFY(as<Sphere>(r.stimuli[0].region).radius == 0.30000000000000004);
    }

    void writesFilesThatItReads()
    {
        QTemporaryDir dir;
        const std::filesystem::path file = (dir.path() + "/a/s.json").toStdString();
        write_session(parse(), file);
        const auto s = read_session(file);
        QCOMPARE(to_json(s), to_json(parse()));
        QCOMPARE(s.folder, file.parent_path());
    }

    void readsHeartParameters()
    {
        QTemporaryDir dir;
        const std::filesystem::path file = (dir.path() + "/h.json").toStdString();
        const auto line = [&](const std::string& text) {
            std::ofstream(file) << text;
            return line_of([&] { read_heart_parameters(file); });
        };
        QCOMPARE(line(R"({"shape": "lv", "lv_wall_mm": 9})"), std::string());
        std::ofstream(file) << R"({"shape": "lv", "lv_wall_mm": 9})";
        QCOMPARE(read_heart_parameters(file).lv_wall_mm, 9.0);
        QVERIFY(line(R"({"lv_wal_mm": 9})").find("'lv_wall_mm'") != std::string::npos);
        QVERIFY(line(R"({"edge_mm": 0})").find("/edge_mm") != std::string::npos);
        QVERIFY(line(R"({"shape": "round"})").find("biventricular") != std::string::npos);
        QVERIFY(line(R"({"endo_fraction": 0.7, "epi_fraction": 0.7})").find("/epi_fraction") !=
                std::string::npos);
    }

    void defaultSessionFitsTheEmbeddedHeart()
    {
        const auto s = default_session();
        QVERIFY(std::holds_alternative<MeshEmbedded>(s.mesh));
        std::vector<std::int32_t> labels;
        for (const auto& r : s.regions) {
            labels.insert(labels.end(), r.labels.begin(), r.labels.end());
            QVERIFY(!r.variant.empty());
        }
        std::sort(labels.begin(), labels.end());
        QCOMPARE(labels, (std::vector<std::int32_t>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
        QCOMPARE(s.stimuli.size(), 1u);
        QVERIFY(s.stimuli[0].period_ms > 0);
        QCOMPARE(s.stimuli[0].count, 0);
        QCOMPARE(s.probes.size(), 1u);
        const auto tissue = build_tissue(s);
        QVERIFY(tissue.problem.size() > 10'000);
        QVERIFY(unknowns_in(tissue, s.stimuli[0].region, "default", "/stimuli/0").size() > 20);
        QCOMPARE(probe_weights(tissue, s.probes, "default").size(), 1u);
    }

    void examplesAreRead()
    {
        const QDir folder(QStringLiteral(TAWARA_SOURCE_DIR "/resources/sessions"));
        const auto files = folder.entryList({"*.json"});
        QVERIFY(files.size() >= 3);
        for (const auto& f : files) {
            const auto line = line_of([&] { read_session(folder.filePath(f).toStdString()); });
            QVERIFY2(line.empty(), line.c_str());
        }
    }

    void meshesGetARunnableSession_data()
    {
        QTest::addColumn<QString>("extension");
        QTest::newRow("VTU") << ".vtu";
        QTest::newRow("CARP") << ".pts";
    }
    void meshesGetARunnableSession()
    {
        QFETCH(QString, extension);
        QTemporaryDir dir;
        const std::filesystem::path file = (dir.path() + "/heart" + extension).toStdString();
        mesh::generator::HeartParameters p;
        p.shape = mesh::generator::HeartShape::lv;
        p.edge_mm = 5;
        mesh::io::write(mesh::generator::generate_heart(p), file);
        const auto s = session_for_mesh({.mesh = file, .tune = false});
        QCOMPARE(to_json(parse({}, to_json(s))), to_json(s));
        // read once: what was read for the session is there for the tissue, and for one alone
        auto kept = take_mesh(file, std::get<MeshFile>(s.mesh).unit);
        QVERIFY(kept && kept->check.neighbours == mesh::face_neighbours(kept->mesh));
        QVERIFY(!take_mesh(file, {}));
        keep_mesh(file, *kept);
        QVERIFY(!take_mesh(file, LengthUnit::m));
        const auto tissue = build_tissue(s);
        QVERIFY(!take_mesh(file, {}));
        QVERIFY(tissue.mesh->corner == build_tissue(s).mesh->corner); // once more from the file
        keep_mesh(file, std::move(*kept));
        std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now() +
                                                   std::chrono::seconds(5));
        QVERIFY(!take_mesh(file, {})); // changed since
        const auto paced = unknowns_in(tissue, s.stimuli.at(0).region, "s", "/stimuli/0");
        QVERIFY(!paced.empty());
        // All of them in the lowest quarter: the apex points down.
        double low = 1e9, high = -1e9;
        for (const auto& x : tissue.problem.position_mm) {
            low = std::min(low, x[2]);
            high = std::max(high, x[2]);
        }
        for (auto u : paced)
            QVERIFY(tissue.problem.position_mm[static_cast<std::size_t>(u)][2] <
                    low + 0.25 * (high - low));
    }
};

QTEST_GUILESS_MAIN(TestSession)
#include "test_session.moc"
