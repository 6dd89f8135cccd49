// SPDX-License-Identifier: GPL-3.0-or-later
// Slices and cut faces show what the wall shows: by numbers, and by a picture.
#include "engine/core/larger.hpp"
#include "engine/mesh/check.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/render/baseline.hpp"
#include "widgets/scene/overlays.hpp"

#include <cmath>
#include <numbers>
#include <vtkActor.h>
#include <vtkActorCollection.h>
#include <vtkRenderer.h>

using namespace tawara;

namespace {

constexpr double pi = std::numbers::pi;
constexpr Vec3 size_mm{20, 8, 10};

double activation(const Vec3& p)
{
    return 2 * p[0] + 3 * p[1] - p[2] + 15; // linear: exact on every edge
}

} // namespace

class TestSlices : public QObject
{
    Q_OBJECT
    vtkNew<fake::VtkErrors> errors;
    std::unique_ptr<ViewGrid> grid;
    std::unique_ptr<ViewController> views;
    EngineHost::ScenePtr scene;
    ViewSettings settings;

    scene::Overlays& overlays() { return grid->view(0)->scene().overlays(); }
    std::vector<float> field(double (*of)(const Vec3&)) const
    {
        std::vector<float> out;
        for (std::size_t v = 0; v < scene->mesh->vertex_count(); ++v)
            out.push_back(static_cast<float>(of(scene->mesh->vertex(v))));
        return out;
    }
    std::vector<float> onWall(const std::vector<float>& all) const
    {
        std::vector<float> out;
        for (auto v : scene->surface->vertices)
            out.push_back(all[static_cast<std::size_t>(v)]);
        return out;
    }
    std::shared_ptr<simulation::MapFrame> maps() const
    {
        auto m = std::make_shared<simulation::MapFrame>();
        auto inside = std::make_shared<simulation::VolumeMaps>();
        inside->activation = field(activation);
        inside->repolarisation = field([](const Vec3& p) { return activation(p) + 300 - p[0]; });
        inside->apd90 = field([](const Vec3& p) { return 300 - p[0]; });
        inside->period = field([](const Vec3& p) { return 400 + 10 * p[2]; });
        m->activation = onWall(inside->activation);
        m->repolarisation = onWall(inside->repolarisation);
        m->apd90 = onWall(inside->apd90);
        m->period = onWall(inside->period);
        m->volume = std::move(inside);
        return m;
    }
    std::shared_ptr<simulation::Frame> frame() const
    {
        auto f = std::make_shared<simulation::Frame>();
        auto v = field([](const Vec3& p) { return -80 + 5 * p[1]; });
        f->values = onWall(v);
        f->volume = std::make_shared<const std::vector<float>>(std::move(v));
        return f;
    }
    void show(Quantity q)
    {
        settings.shown[0] = q;
        views->setSettings(settings);
    }
    /// Largest difference between the face's corners and a function of their place.
    double off(double (*of)(const Vec3&), double period = 0)
    {
        const auto* face = overlays().face();
        const auto values = overlays().face_values();
        if (face == nullptr || values.size() != 3 * face->triangles.size() || values.empty())
            return 1e9;
        double most = 0;
        for (std::size_t k = 0; k < values.size(); ++k) {
            const auto i = 3 * static_cast<std::size_t>(face->triangles[k / 3][k % 3]);
            const double want = of({face->points[i], face->points[i + 1], face->points[i + 2]});
            const double d = static_cast<double>(values[k]) - want;
            most = larger_or_nan(most, std::abs(period > 0 ? std::remainder(d, period) : d));
        }
        return most;
    }
    bool nothing()
    {
        const auto v = overlays().face_values();
        return !v.empty() && std::all_of(v.begin(), v.end(), [](float x) { return x < -1e20F; });
    }

  private Q_SLOTS:
    void initTestCase()
    {
        vtkOutputWindow::SetInstance(errors);
        auto mesh = std::make_shared<mesh::TetMesh>(mesh::slab(size_mm, 1));
        auto s = std::make_shared<simulation::Scene>();
        s->surface = std::make_shared<const mesh::Surface>(
            mesh::surface(*mesh, mesh::face_neighbours(*mesh)));
        s->mesh = std::move(mesh);
        scene = s;
    }
    void init()
    {
        grid = std::make_unique<ViewGrid>(quantityNames());
        grid->resize(520, 420);
        grid->show();
        QVERIFY(QTest::qWaitForWindowExposed(grid.get()));
        views = std::make_unique<ViewController>(grid.get());
        settings = {};
        settings.cut = ViewSettings::Cut::clip;
        settings.axis = 0;
        settings.position = 0.53; // between the layers of vertices
        views->setSettings(settings);
        views->setScene(scene);
        QTRY_VERIFY(views->ready() && overlays().face() != nullptr);
        views->showFrame(frame());
        views->showMaps(maps());
    }
    void cleanup()
    {
        views.reset();
        grid.reset();
        QVERIFY2(errors->text.empty(), errors->text.c_str());
    }
    void markersOfWhatIsCutAwayAreHidden()
    {
        using Kind = scene::Marker::Kind;
        const double y = 0.5 * size_mm[1], z = size_mm[2];
        const auto marker = [](Kind kind, const Vec3& at) {
            scene::Marker m;
            m.kind = kind;
            m.position_mm = at;
            return m;
        };
        const Vec3 kept{1, y, z}, cut{size_mm[0] - 1, y, z}, free{size_mm[0] - 1, y, z + 5};
        views->setMarkers(
            {marker(Kind::probe, kept), marker(Kind::site, cut), marker(Kind::electrode, free)});
        const auto shown = [this](const Vec3& at) { // -1: no such marker
            auto* actors = grid->view(0)->scene().renderer()->GetActors();
            actors->InitTraversal();
            while (auto* a = actors->GetNextActor())
                if (const double* p = a->GetPosition(); norm(Vec3{p[0], p[1], p[2]} - at) < 1e-9)
                    return a->GetVisibility();
            return -1;
        };
        QTRY_COMPARE(shown(cut), 0);
        QCOMPARE(shown(kept), 1);
        QCOMPARE(shown(free), 1);
        settings.flip = true;
        views->setSettings(settings);
        QTRY_COMPARE(shown(kept), 0);
        QCOMPARE(shown(cut), 1);
        settings.cut = ViewSettings::Cut::none;
        views->setSettings(settings);
        QTRY_COMPARE(shown(kept), 1);
    }
    void cleanupTestCase() { vtkOutputWindow::SetInstance(nullptr); }

    void mapsAreSampled()
    {
        show(Quantity::activation);
        QVERIFY(overlays().face()->triangles.size() > 100);
        QVERIFY2(off(activation) < 1e-3, qPrintable(QString::number(off(activation))));
        show(Quantity::repolarisation);
        QVERIFY(off([](const Vec3& p) { return activation(p) + 300 - p[0]; }) < 1e-3);
        show(Quantity::apd);
        QVERIFY(off([](const Vec3& p) { return 300 - p[0]; }) < 1e-3);
        show(Quantity::period);
        QVERIFY(off([](const Vec3& p) { return 400 + 10 * p[2]; }) < 1e-3);
        show(Quantity::potential);
        QVERIFY(off([](const Vec3& p) { return -80 + 5 * p[1]; }) < 1e-3);
        // the plane moves, the values with it
        settings.axis = 2;
        show(Quantity::apd);
        QTRY_VERIFY(std::abs(overlays().face()->points[2] - 5.3F) < 1e-3F);
        QVERIFY(off([](const Vec3& p) { return 300 - p[0]; }) < 1e-3);
    }

    void phaseGoesTheShortWayRound()
    {
        // over pi within the face: halfway between 3 and -3 lies pi, not 0
        const auto phase = [](const Vec3& p) { return std::remainder(0.55 * p[1] + 1.4, 2 * pi); };
        auto f = frame();
        auto all = field(phase);
        f->phase = std::make_shared<const std::vector<float>>(onWall(all));
        f->phase_volume = std::make_shared<const std::vector<float>>(std::move(all));
        f->phase_time_ms = 7;
        show(Quantity::phase);
        views->showFrame(f);
        QVERIFY2(off(phase, 2 * pi) < 1e-3, qPrintable(QString::number(off(phase, 2 * pi))));
    }

    void regionsAreNotSmoothed()
    {
        std::vector<std::int32_t> of(scene->mesh->tetrahedron_count(), 0);
        for (std::size_t t = 0; t < of.size(); ++t)
            of[t] = scene->mesh->centroid(t)[1] > 4 ? 3 : 1;
        views->setTissue({of, {}, {}, {}});
        show(Quantity::regions);
        const auto* face = overlays().face();
        const auto values = overlays().face_values();
        QCOMPARE(values.size(), 3 * face->triangles.size());
        for (std::size_t k = 0; k < values.size(); ++k) {
            const auto t = static_cast<std::size_t>(face->tetrahedron[k / 3]);
            QCOMPARE(values[k], static_cast<float>(of[t]));
        }
    }

    void whatIsNotKnownInsideIsGrey()
    {
        show(Quantity::potential);
        QVERIFY(!nothing());
        auto past = std::make_shared<simulation::RecordedFrame>();
        past->values = frame()->values;
        views->lookBack(past);
        QVERIFY(nothing());
        QVERIFY(views->noteOf(Quantity::potential).contains("only the wall is recorded"));
        views->lookBack(nullptr);
        QVERIFY(!nothing());
        QVERIFY(views->noteOf(Quantity::potential).isEmpty());
        show(Quantity::partition);
        QVERIFY(nothing());
        QVERIFY(views->noteOf(Quantity::partition).contains("on the wall only"));
        auto wall = maps();
        wall->volume.reset(); // the first maps after the cut was chosen
        show(Quantity::activation);
        QVERIFY(!nothing());
        views->showMaps(wall);
        QVERIFY(nothing());
        // places that were never activated
        auto some = maps();
        auto inside = std::make_shared<simulation::VolumeMaps>(*some->volume);
        for (std::size_t v = 0; v < inside->activation.size(); ++v)
            if (scene->mesh->vertex(v)[1] > 4)
                inside->activation[v] = std::numeric_limits<float>::quiet_NaN();
        some->volume = inside;
        views->showMaps(some);
        const auto values = overlays().face_values();
        const auto never =
            std::count_if(values.begin(), values.end(), [](float x) { return x < -1e20F; });
        QVERIFY(never > 0 && static_cast<std::size_t>(never) < values.size());
    }

    void theWallAroundASliceIsPlain()
    {
        show(Quantity::activation);
        views->showMaps(maps());
        auto& s = grid->view(0)->scene();
        s.look_from({1, -0.6, 0.45}, {0, 0, 1});
        const auto colourfulness = [&](const Vec3& at) { // of the brightest place around
            const QImage i = grid->view(0)->finePicture();
            const auto d = s.project(at); // where that picture has it
            int most = 0;
            for (int dy = -6; dy <= 6; ++dy)
                for (int dx = -6; dx <= 6; ++dx) {
                    const QColor c = i.pixelColor(static_cast<int>(d[0]) + dx,
                                                  i.height() - 1 - static_cast<int>(d[1]) + dy);
                    most = std::max(most, std::max({c.red(), c.green(), c.blue()}) -
                                              std::min({c.red(), c.green(), c.blue()}));
                }
            return most;
        };
        const Vec3 wall{size_mm[0] * 0.25, 0, 5}, slice{size_mm[0] * 0.53, 4, 5};
        settings.cut = ViewSettings::Cut::none;
        show(Quantity::activation);
        QVERIFY2(colourfulness(wall) > 60, qPrintable(QString::number(colourfulness(wall))));
        settings.cut = ViewSettings::Cut::slice;
        show(Quantity::activation);
        QVERIFY2(colourfulness(wall) < 30, qPrintable(QString::number(colourfulness(wall))));
        QVERIFY2(colourfulness(slice) > 60, qPrintable(QString::number(colourfulness(slice))));
    }

    void sameColoursAsTheWall()
    {
        show(Quantity::activation);
        auto& s = grid->view(0)->scene();
        s.look_from({1, -0.6, 0.45}, {0, 0, 1});
        baseline::check(grid->view(0)->finePicture(), "cut-activation", 1.5);
        // one value everywhere: another colour of the map on the face
        const auto d = s.project({size_mm[0] * 0.53, 4, 5});
        const auto shown = [&](float value) {
            auto m = maps();
            auto inside = std::make_shared<simulation::VolumeMaps>(*m->volume);
            inside->activation.assign(inside->activation.size(), value);
            m->volume = inside;
            views->showMaps(m);
            const QImage i = grid->view(0)->grabFramebuffer();
            return i.pixelColor(static_cast<int>(d[0]), i.height() - 1 - static_cast<int>(d[1]));
        };
        const auto [low, high] = views->range(Quantity::activation);
        const QColor early = shown(static_cast<float>(low + 0.13 * (high - low))),
                     late = shown(static_cast<float>(low + 0.87 * (high - low)));
        QVERIFY2(early.red() > early.blue() + 60, qPrintable(early.name()));
        QVERIFY2(late.blue() > late.red() + 60, qPrintable(late.name()));
    }
};

int main(int argc, char** argv)
{
    return fake::run<TestSlices>(argc, argv);
}
#include "test_slices.moc"
