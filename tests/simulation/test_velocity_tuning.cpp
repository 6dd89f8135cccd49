// SPDX-License-Identifier: GPL-3.0-or-later
// Conductivities found for wanted velocities, and that waves run at these.
#include "engine/core/error.hpp"
#include "engine/device/stepper.hpp"
#include "engine/mesh/check.hpp"
#include "engine/mesh/measure.hpp"
#include "engine/simulation/results/checkpoint.hpp"
#include "engine/simulation/run/run.hpp"
#include "engine/simulation/session/notice_kinds.hpp"
#include "engine/simulation/session/output_keys.hpp"
#include "engine/simulation/session/session_keys.hpp"
#include "engine/simulation/tissue/new_mesh.hpp"
#include "engine/simulation/tissue/tissue.hpp"
#include "engine/simulation/tissue/tuning_store.hpp"
#include "engine/simulation/tissue/velocity_estimate.hpp"

#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <fstream>
#include <map>

using namespace tawara;
using namespace tawara::simulation;
namespace fs = std::filesystem;

namespace {

enum class Kind { fvm, p1, consistent };

Session session_of(Kind kind, double spacing_mm)
{
    Session s;
    s.name = "slab";
    s.scheme = kind == Kind::fvm ? diffusion::Scheme::fvm : diffusion::Scheme::p1;
    s.mass = kind == Kind::consistent ? diffusion::Mass::consistent : diffusion::Mass::lumped;
    s.mesh = MeshSlab{{8 * spacing_mm, 2 * spacing_mm, 2 * spacing_mm}, spacing_mm};
    s.regions[0].variant = "epi";
    s.regions[0].velocity_m_per_s = ConductionVelocity{};
    s.activation_threshold_mV = -20;
    return s;
}

/// Velocity of a plane wave along an axis of a slab of 4 x 4 cubes across, by its times at two
/// cross-sections. [m/s]
double run_along(Session s, std::size_t axis, double spacing_mm)
{
    const double cubes = std::max(30.0, std::round(14 / spacing_mm));
    const double across = std::max(4, qEnvironmentVariableIntValue("TAWARA_CUBES_ACROSS"));
    Vec3 size{across * spacing_mm, across * spacing_mm, across * spacing_mm};
    const double length = cubes * spacing_mm;
    size[axis] = length;
    s.mesh = MeshSlab{size, spacing_mm};
    auto t = build_tissue(s);
    const auto stepper = device::make_stepper(t.problem, {"cpu", Precision::double_, 1});
    device::StimulusSource end;
    end.amplitude_pA_per_pF = 60;
    end.duration_ms = 2;
    const auto& at = t.problem.position_mm;
    for (std::size_t u = 0; u < t.problem.size(); ++u)
        if (at[u][axis] < std::max(1.5, 3 * spacing_mm))
            end.unknowns.push_back(static_cast<std::int32_t>(u));
    stepper->add_stimulus(end);
    const double slow =
        0.5 * std::array{s.regions[0].velocity_m_per_s->fibre, s.regions[0].velocity_m_per_s->sheet,
                         s.regions[0].velocity_m_per_s->normal}[axis];
    stepper->advance(static_cast<std::int64_t>(0.85 * length / slow / s.dt_ms));
    const auto maps = stepper->maps();
    const auto section = [&](double x) {
        double sum = 0, n = 0, where = 0;
        for (std::size_t u = 0; u < t.problem.size(); ++u)
            if (std::abs(at[u][axis] - x) < 0.6 * spacing_mm)
                sum += maps.activation_ms[u], where += at[u][axis], n += 1;
        return std::pair{sum / n, where / n};
    };
    const auto near = section(0.45 * length), far = section(0.8 * length);
    return (far.second - near.second) / (far.first - near.first);
}

std::string line_of(const std::function<void()>& what)
{
    try {
        what();
    } catch (const InputError& e) {
        return e.what();
    }
    return {};
}

QByteArray content(const fs::path& f)
{
    QFile file(QString::fromStdString(f.string()));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestVelocityTuning : public QObject
{
    Q_OBJECT
    QTemporaryDir cache_;

    fs::path kept() const { return (cache_.path() + "/tawara/velocities").toStdString(); }

    static void runsAsFound(const Session& s, const Region& region, const mesh::Grain& grain,
                            const TunedConductivity& found)
    {
        constexpr int across = 4;
        Region r = region;
        r.velocity_m_per_s.reset();
        r.conductivity_scale = {};
        r.scale.clear();
        r.conductivity_S_per_m = found.conductivity_S_per_m;
        const Vec3 told{found.reached.fibre, found.reached.sheet, found.reached.normal};
        const Vec3 wanted{found.wanted.fibre, found.wanted.sheet, found.wanted.normal};
        for (std::size_t k = 0; k < 3; ++k) {
            const double v = velocity_on_mesh(s, r, k, grain, {}, 0.05, across);
            qInfo("%s %s %zu: wanted %g, found %.4f, runs at %.4f m/s", s.name.c_str(),
                  r.variant.c_str(), k, wanted[k], told[k], v);
            QVERIFY(std::abs(v / told[k] - 1) < 0.002);
            QVERIFY(std::abs(told[k] / wanted[k] - 1) <= tuning_tolerance || told[k] > wanted[k]);
        }
    }

  private Q_SLOTS:
    void initTestCase() { qputenv("XDG_CACHE_HOME", cache_.path().toUtf8()); }

    void wavesRunAsWanted_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<double>("spacing_mm");
        const std::pair<const char*, Kind> kinds[]{
            {"fvm", Kind::fvm}, {"p1", Kind::p1}, {"p1 consistent", Kind::consistent}};
        const bool all = qEnvironmentVariableIsSet("TAWARA_ALL_TUNINGS");
        for (const auto& [name, kind] : kinds)
            for (const double mm : {0.25, 0.5, 1.0})
                if (all || (mm == 0.5 && kind != Kind::consistent) ||
                    (mm == 1.0 && kind == Kind::p1))
                    QTest::addRow("%s, %g mm", name, mm) << static_cast<int>(kind) << mm;
    }
    /// What is found on a strip holds in a slab of such tetrahedra.
    void wavesRunAsWanted()
    {
        QFETCH(int, kind);
        QFETCH(double, spacing_mm);
        const auto s = session_of(static_cast<Kind>(kind), spacing_mm);
        QElapsedTimer clock;
        clock.start();
        const auto t = build_tissue(s);
        const double seconds = 1e-3 * static_cast<double>(clock.elapsed());
        QCOMPARE(t.patches.tuned.size(), std::size_t{1});
        const auto& f = t.patches.tuned[0].found;
        QVERIFY(t.patches.regions[0].conductivity_S_per_m == f.conductivity_S_per_m);
        const Vec3 wanted{0.6, 0.3, 0.2};
        const Vec3 reached{f.reached.fibre, f.reached.sheet, f.reached.normal};
        for (std::size_t k = 0; k < 3; ++k) {
            const double v = run_along(s, k, spacing_mm);
            const auto told = QStringLiteral("edge %1 mm, direction %2: strip %3 m/s, slab %4")
                                  .arg(f.edge_mm)
                                  .arg(k)
                                  .arg(reached[k])
                                  .arg(v);
            qInfo().noquote() << told;
            QVERIFY2(std::abs(reached[k] / wanted[k] - 1) <= tuning_tolerance, qPrintable(told));
            QVERIFY2(std::abs(v / wanted[k] - 1) < 0.02, qPrintable(told));
        }
        const auto& c = f.conductivity_S_per_m;
        const auto& fine = f.on_fine_S_per_m;
        qInfo("%.1f s, %d strips; S/m %.4g, %.4g, %.4g; on a fine mesh %.4g, %.4g, %.4g", seconds,
              f.strips, c.fibre, c.sheet, c.normal, fine.fibre, fine.sheet, fine.normal);
        // a wave at 0.6 m/s wants about tissue's conductivity where the mesh resolves it
        QVERIFY(fine.fibre > 0.09 && fine.fibre < 0.15);
        QVERIFY(std::abs(fine.sheet / fine.fibre - 0.25) < 0.001);
        QVERIFY(has_kind(t.notices, notice_kind::tissue));
        QVERIFY(std::any_of(t.notices.begin(), t.notices.end(), [](const Notice& n) {
            return n.text.find("were found for waves of 0.6, 0.3, 0.2 m/s") != std::string::npos;
        }));
    }

    /// Of the session's numbers those count that act on the steps; the threshold where it is low.
    void keysThatActAreTunedAnew()
    {
        auto s = session_of(Kind::p1, 1);
        const auto explicit_key = tuning_key(s, s.regions[0], 1.2);
        for (const Key& key : session_keys()) {
            if (!key.member.of(typeid(Session)) || key.member.get == nullptr)
                continue;
            const bool of_newton = key.object() == "/diffusion/newton" || key.name() == "dt_max_ms";
            s.stepping = of_newton ? Stepping::newton : Stepping::explicit_;
            const auto before = of_newton ? tuning_key(s, s.regions[0], 1.2) : explicit_key;
            Session other = s;
            const double old = key.member.get(&s);
            key.member.set(&other, key.member.type == Member::Type::truth ? 1 - old
                                   : old == key.also.first                ? old + 1
                                                                          : old / 2);
            const bool acts = key.also.fixed != Key::Fixed::no;
            QVERIFY2((tuning_key(other, s.regions[0], 1.2) != before) == acts ||
                         key.at == "/output/activation_threshold_mV",
                     std::string(key.at).c_str());
        }
        s.stepping = Stepping::explicit_;
        const auto& before = explicit_key;
        Session other = s;
        other.reaction = cell::Scheme::forward_euler;
        QVERIFY(tuning_key(other, s.regions[0], 1.2) != before);
        other = s;
        other.activation_threshold_mV = 0;
        QCOMPARE(tuning_key(other, s.regions[0], 1.2), before);
        other.activation_threshold_mV = -40;
        QVERIFY(tuning_key(other, s.regions[0], 1.2) != before);
    }

    void equalVelocitiesHaveOneConductivity()
    {
        auto s = session_of(Kind::p1, 1);
        s.regions[0].velocity_m_per_s = ConductionVelocity{0.4, 0.4, 0.4};
        const auto c = build_tissue(s).patches.regions[0].conductivity_S_per_m;
        QVERIFY(c.fibre == c.sheet && c.fibre == c.normal);
        QVERIFY(c.fibre > 0.05 && c.fibre < 0.5);
    }

    void whatCannotBeReachedIsSaid()
    {
        auto s = session_of(Kind::p1, 8);
        s.regions[0].velocity_m_per_s = ConductionVelocity{1.5, 1.5, 1.5};
        auto line = line_of([&] { (void)build_tissue(s); });
        qInfo("%s", line.c_str());
        QVERIFY2(line.starts_with("slab:/tissue/regions/0/velocity_m_per_s: 1.5 m/s along the "
                                  "fibres cannot be reached on this mesh (mean edge 10.1 mm)"),
                 line.c_str());
        QCOMPARE(std::count(line.begin(), line.end(), '\n'), 0);
        s = session_of(Kind::p1, 0.5);
        s.regions[0].parameters = {{"g_Na", 0}, {"g_CaL", 0}};
        line = line_of([&] { (void)build_tissue(s); });
        QVERIFY2(line.find("no wave runs in tissue of ten_tusscher_2006") != std::string::npos,
                 line.c_str());
        s.regions[0].parameters = {{"K_o", 1e9}}; // what the strip's cells do not survive
        line = line_of([&] { (void)build_tissue(s); });
        QVERIFY2(line.starts_with("slab:/tissue/regions/0/velocity_m_per_s: ") &&
                     line.find("parameters") != std::string::npos,
                 line.c_str());
        std::stop_source stop;
        stop.request_stop();
        s = session_of(Kind::p1, 0.9);
        QVERIFY_THROWS_EXCEPTION(Cancelled, (void)build_tissue(s, {{}, stop.get_token()}));
    }

    /// Strips of each stepping, one of which has no single precision.
    void steppingsAreTuned()
    {
        auto s = session_of(Kind::p1, 1);
        for (const auto stepping : {Stepping::crank_nicolson, Stepping::newton}) {
            s.stepping = stepping;
            const auto f = tune_conductivity(s, s.regions[0], 1.2);
            for (const auto v :
                 {f.reached.fibre / 0.6, f.reached.sheet / 0.3, f.reached.normal / 0.2})
                QVERIFY(std::abs(v - 1) <= tuning_tolerance);
        }
    }

    /// Directions that the mesh does not tell are no directions of a velocity.
    void directionsWantFibres()
    {
        const auto s = session_of(Kind::p1, 0.5);
        auto m = mesh::slab({4, 1, 1}, 0.5);
        m.fibre = {};
        m.sheet = {};
        Tissue t;
        t.mesh = std::make_shared<const mesh::TetMesh>(m);
        const auto line = line_of([&] { make_problem(s, t); });
        QVERIFY2(line.find("/tissue/regions/0/velocity_m_per_s: differs by direction") !=
                     std::string::npos,
                 line.c_str());
    }

    /// The same from memory, from the disk and anew; nothing that is not whole is taken.
    void whatWasFoundIsKept()
    {
        const auto s = session_of(Kind::p1, 1);
        const double edge = 1.2;
        const auto first = tune_conductivity(s, s.regions[0], edge);
        const auto same = [&](const TunedConductivity& f) {
            return f.conductivity_S_per_m == first.conductivity_S_per_m &&
                   f.reached == first.reached && f.on_fine_S_per_m == first.on_fine_S_per_m &&
                   f.strips == first.strips && f.edge_mm == edge;
        };
        fs::path file;
        auto newest = fs::file_time_type::min();
        for (const auto& e : fs::directory_iterator(kept()))
            if (e.last_write_time() >= newest)
                newest = e.last_write_time(), file = e.path();
        const auto text = content(file);
        const auto write = [&](const QByteArray& to) {
            std::ofstream(file, std::ios::trunc) << to.toStdString();
            forget_tunings();
        };
        QVERIFY(same(tune_conductivity(s, s.regions[0], edge)));
        auto other = first;
        other.conductivity_S_per_m.fibre = 0.25;
        keep_tuning(tuning_key(s, s.regions[0], edge), other);
        forget_tunings();
        QCOMPARE(tune_conductivity(s, s.regions[0], edge).conductivity_S_per_m.fibre, 0.25);
        const auto lost = QByteArray(text).replace(3, 1, text[3] == '1' ? "2" : "1");
        for (const auto& broken :
             {QByteArray(), text.left(text.size() / 2), text + "1\n", "-1\n" + text, lost}) {
            write(broken);
            QVERIFY(same(tune_conductivity(s, s.regions[0], edge)));
        }
    }

    /// Nobody waits for the sessions that ship: what was found for them ships, too, and waves on
    /// strips run so. TAWARA_WRITE_TUNED=1 adds what is missing and drops what no session asks for,
    /// TAWARA_ALL_TUNINGS=1 has waves run for all of it.
    void shippedSessionsAreTuned()
    {
        std::vector<Session> sessions{default_session()};
        for (const auto& e : fs::directory_iterator(TAWARA_SOURCE_DIR "/resources/sessions"))
            if (e.path().extension() == ".json")
                sessions.push_back(read_session(e.path()));
        Notices notices;
        const auto grain = mesh::grain(load_mesh(sessions[0], notices).mesh);
        QVERIFY(!grain.even);
        const bool all = qEnvironmentVariableIsSet("TAWARA_ALL_TUNINGS");
        std::map<std::string, std::string> lines; // by key
        for (const Session& s : sessions) {
            if (!std::holds_alternative<MeshEmbedded>(s.mesh))
                continue;
            for (const Region& r : s.regions) {
                if (r.inherits())
                    continue;
                QVERIFY2(r.velocity_m_per_s, s.name.c_str()); // in place of raised conductivities
                const auto key = tuning_key(s, r, grain);
                if (lines.contains(key))
                    continue;
                const auto found = tune_conductivity(s, r, grain);
                if (all || lines.empty())
                    runsAsFound(s, r, grain, found);
                lines[key] = shipped_line(key, found);
            }
        }
        QByteArray text;
        for (const auto& [key, line] : lines)
            text += QByteArray::fromStdString(line) + '\n';
        const fs::path file = fs::path(TAWARA_SOURCE_DIR) / shipped_tunings;
        if (qEnvironmentVariableIsSet("TAWARA_WRITE_TUNED"))
            std::ofstream(file, std::ios::trunc) << text.toStdString();
        QCOMPARE(content(file), text); // else one is missing there, or not wanted
    }

    /// Drugs and factors act on the tissue that was tuned; another cell or velocity is tuned anew.
    void factorsActOnTunedTissue()
    {
        auto s = session_of(Kind::p1, 1);
        auto t = build_tissue(s);
        const auto c = t.patches.regions[0].conductivity_S_per_m;
        s.drugs = {{"blocker", {{"g_Na", 0.5}}}};
        s.regions[0].scale = {{"g_Kr", 0.5}};
        QVERIFY(update_types(s, t));
        QVERIFY(t.patches.regions[0].conductivity_S_per_m == c);
        s.regions[0].conductivity_scale = 0.5;
        QVERIFY(!update_types(s, t));
        QCOMPARE(build_tissue(s).patches.regions[0].conductivity_S_per_m.fibre, 0.5 * c.fibre);
        s.regions[0].conductivity_scale = 1;
        s.regions[0].velocity_m_per_s->fibre = 0.5;
        QVERIFY(!update_types(s, t));
        make_problem(s, t);
        QVERIFY(t.patches.regions[0].conductivity_S_per_m.fibre < c.fibre);
        QVERIFY(update_types(s, t));
        s.regions[0].velocity_m_per_s.reset();
        QVERIFY(!update_types(s, t));
        // what lies on tuned tissue has its conductivities
        s = session_of(Kind::p1, 1);
        Region zone;
        zone.model.clear();
        zone.where = Box{{0, 0, 0}, {2, 2, 2}};
        zone.conductivity_scale = 0.25;
        s.regions.push_back(zone);
        const auto laid = build_tissue(s).patches;
        for (const auto& r : laid.regions)
            QVERIFY(!r.velocity_m_per_s);
        QCOMPARE(laid.regions[1].conductivity_S_per_m.fibre, 0.25 * c.fibre);
    }

    void estimatesAreOfTunedTissue()
    {
        const auto s = session_of(Kind::p1, 1);
        const auto v = estimate_velocity(s, s.regions[0], 1.2);
        QVERIFY(v.tuned && v.target);
        QCOMPARE(v.target->at(2), 0.2);
        for (std::size_t k = 0; k < 3; ++k)
            QVERIFY(std::abs(v.mesh[k] / v.target->at(k) - 1) <= tuning_tolerance);
        QVERIFY2(v.warning.find("give plane waves the wanted velocities") != std::string::npos,
                 v.warning.c_str());
    }

    /// What is found on a strip of uneven tetrahedra holds in a wider one, of others. On coarse
    /// ones waves run across at no less than what the conductivity along the fibres makes, which is
    /// said.
    void unevenTetrahedraAreTuned()
    {
        auto s = session_of(Kind::p1, 1);
        const auto along = [](const auto& of, std::size_t k) {
            return std::array{of.fibre, of.sheet, of.normal}[k];
        };
        s.regions[0].velocity_m_per_s->normal = 0.3; // 0.2 cannot be had, below
        const auto f = tune_conductivity(s, s.regions[0], {0.6, false});
        Region found = s.regions[0];
        found.velocity_m_per_s.reset();
        found.conductivity_S_per_m = f.conductivity_S_per_m;
        for (std::size_t k = 0; k < 3; ++k) {
            const double wide = velocity_on_mesh(s, found, k, {0.6, false}, {}, 0.05, 6);
            qInfo("%zu: strip %.4f m/s, wide %.4f m/s, %.4g S/m", k, along(f.reached, k), wide,
                  along(f.conductivity_S_per_m, k));
            QVERIFY(std::abs(along(f.reached, k) / along(f.wanted, k) - 1) < 0.02);
            QVERIFY(std::abs(wide / along(f.wanted, k) - 1) < 0.05);
        }
        QVERIFY(too_fast_words(f).empty());
        // even ones of that edge want more, since waves meet layer after layer in them
        const auto even = tune_conductivity(s, s.regions[0], 0.6).conductivity_S_per_m;
        QVERIFY(f.conductivity_S_per_m.sheet < 0.9 * even.sheet);
        s.regions[0].velocity_m_per_s->normal = 0.2;
        const auto v = estimate_velocity(s, s.regions[0], {2.67, false});
        QVERIFY(v.tuned->reached.normal > 0.25);
        QVERIFY(std::abs(v.tuned->reached.fibre / 0.6 - 1) < 0.02);
        QVERIFY2(v.warning.find("in place of 0.2 m/s") != std::string::npos, v.warning.c_str());
    }

    /// A refined mesh has the velocities that the coarse one had, by lower conductivities.
    void refinedMeshesKeepTheTarget()
    {
        const QTemporaryDir dir;
        const fs::path file = (dir.path() + "/fine.vtu").toStdString();
        const auto coarse = std::make_shared<const mesh::TetMesh>(mesh::slab({8, 4, 4}, 1));
        auto s = session_of(Kind::p1, 1);
        s.mesh = MeshSlab{{8, 4, 4}, 1};
        const auto next = session_on_new_mesh(Refinement{coarse, 1}, file, s);
        QVERIFY(next.regions == s.regions);
        const auto a = build_tissue(s).patches.tuned.at(0).found;
        const auto b = build_tissue(next).patches.tuned.at(0).found;
        QVERIFY(a.wanted == b.wanted);
        QVERIFY(b.edge_mm < 0.6 * a.edge_mm);
        QVERIFY(b.conductivity_S_per_m.fibre < 0.9 * a.conductivity_S_per_m.fibre);
        QVERIFY(std::abs(b.reached.normal / 0.2 - 1) <= tuning_tolerance);
    }

    /// A new mesh asks for velocities, where they can be reached.
    void meshesAreTuned()
    {
        const QTemporaryDir dir;
        const fs::path file = (dir.path() + "/slab.vtu").toStdString();
        auto s = session_on_new_mesh(MeshSlab{{8, 4, 4}, 1}, file, {});
        QVERIFY(s.regions.at(0).velocity_m_per_s == ConductionVelocity{});
        s = session_on_new_mesh(MeshSlab{{80, 40, 40}, 20}, file, {});
        QVERIFY(!s.regions.at(0).velocity_m_per_s);
    }

    /// The report says what was used; a run that goes on has the same bits, found or kept.
    void runsSayAndResume()
    {
        const QTemporaryDir dir;
        const fs::path out = dir.path().toStdString();
        auto s = session_of(Kind::fvm, 1);
        s.end_ms = 8;
        s.output->checkpoint_every_ms = 4;
        Stimulus st;
        st.region = Box{{0, 0, 0}, {2, 2, 2}};
        s.stimuli = {st};
        s.probes = {{"P", {5, 1, 1}}};
        RunOptions o;
        o.device.devices = "cpu";
        o.out = out / "whole";
        run_session(s, o);
        const auto report = QJsonDocument::fromJson(content(o.out / "report.json")).object();
        const auto said = report["velocity_tuning"].toArray().at(0).toObject();
        const auto tuned = build_tissue(s).patches.tuned.at(0).found;
        QCOMPARE(said["conductivity_S_per_m"].toObject()["sheet"].toDouble(),
                 tuned.conductivity_S_per_m.sheet);
        QCOMPARE(said["velocity_m_per_s"].toObject()["fibre"].toDouble(), 0.6);
        QVERIFY(report["notices"].toArray().first().isString());
        for (const auto& e : fs::directory_iterator(kept()))
            fs::remove(e.path());
        forget_tunings();
        o.resume = out / "whole" / "checkpoint-00000004.000ms.tcp";
        o.out = out / "resumed";
        run_session(s, o);
        QCOMPARE(content(out / "resumed" / "probes.csv"), content(out / "whole" / "probes.csv"));
        QCOMPARE(content(out / "resumed" / "activation.csv"),
                 content(out / "whole" / "activation.csv"));
        s.regions[0].velocity_m_per_s->fibre = 0.5;
        const auto line = line_of([&] { run_session(s, o); });
        QVERIFY2(line.find("conductivities") != std::string::npos, line.c_str());
    }
};

QTEST_GUILESS_MAIN(TestVelocityTuning)
#include "test_velocity_tuning.moc"
