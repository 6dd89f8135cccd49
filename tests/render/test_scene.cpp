// SPDX-License-Identifier: GPL-3.0-or-later
// The scene by numbers: geometry, picking, colours, the OpenGL buffer.
#include "tests/gui/window_fixture.hpp"
#include "tests/slowdown.hpp"
#include "widgets/scene/embedded.hpp"
#include "widgets/scene/note_lines.hpp"
#include "widgets/scene/overlays.hpp"
#include "widgets/scene/scalar_bar.hpp"
#include "widgets/scene/wall_geometry.hpp"

#include <QOpenGLContext>
#include <QOpenGLExtraFunctions>
#include <QVBoxLayout>

#include <cmath>
#include <functional>
#include <map>
#include <span>
#include <sstream>

using namespace tawara;

namespace {

/// A square within the bowl's cavity that faces the camera.
std::shared_ptr<const scene::Section> square_across(const scene::CameraPose& camera, double half_mm)
{
    const Vec3 ahead = normalized(camera.focal_point - camera.position),
               right = normalized(cross(ahead, camera.up)), up = cross(right, ahead);
    auto s = std::make_shared<scene::Section>();
    for (const auto& [x, y] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}) {
        const Vec3 p = camera.focal_point + half_mm * (x * right + y * up);
        s->from.push_back(0), s->to.push_back(0), s->at.push_back(0);
        for (double c : p)
            s->points.push_back(static_cast<float>(c));
    }
    s->triangles = {{0, 1, 2}, {0, 2, 3}};
    return s;
}

} // namespace

class TestScene : public QObject
{
    Q_OBJECT
    vtkNew<fake::VtkErrors> errors;
    std::unique_ptr<HeartView> view;

    void show(const fake::Bowl& b)
    {
        view = std::make_unique<HeartView>();
        view->resize(500, 400);
        view->show();
        QVERIFY(QTest::qWaitForWindowExposed(view.get()));
        view->setSurface(*b.mesh, *b.surface);
        view->scene().set_annotations(false);
        view->scene().set_color_map("grey");
    }
    QImage drawn(const std::vector<float>& values)
    {
        view->setValues(values, 0);
        return view->grabFramebuffer();
    }
    QImage drawn(float value) { return drawn(std::vector<float>(vertices, value)); }
    std::size_t vertices = 0;
    int centre(const QImage& i) { return qGray(i.pixel(i.width() / 2, i.height() * 6 / 10)); }

  private Q_SLOTS:
    void initTestCase() { vtkOutputWindow::SetInstance(errors); }

    void cleanup()
    {
        view.reset();
        const std::string text = std::exchange(errors->text, {});
        QVERIFY2(text.empty(), text.c_str());
    }

    void cleanupTestCase() { vtkOutputWindow::SetInstance(nullptr); }

    /// Names that would reach over the colour bar or the legend stand left of their markers.
    void namesLeaveTheBarAlone()
    {
        show(fake::bowl(16));
        auto& scene = view->scene();
        scene.set_annotations(true);
        scene::Marker marker;
        marker.name = "right ventricle, free wall, near the base";
        const auto pose = scene.camera();
        marker.position_mm = 0.5 * (pose.position + pose.focal_point); // nothing hides it
        marker.kind = scene::Marker::Kind::electrode;
        scene.set_markers(std::span(&marker, 1));
        const auto x = [&] {
            scene.set_texts(true); // as in pictures, reports and movies
            scene.prepare(500, 400, 1);
            const auto names = scene.written().names;
            return names.empty() ? NAN : names[0].x * 500;
        };
        const double at = scene.project(marker.position_mm)[0];
        QVERIFY2(x() < at, qPrintable(QString::number(x())));
        scene.set_bar(false); // a legend in its place
        scene.set_legend({{"a region", {200, 30, 30}}});
        QVERIFY2(x() < at, qPrintable(QString::number(x())));
        marker.name = "P";
        scene.set_markers(std::span(&marker, 1));
        QVERIFY(x() > at); // there is room
    }

    /// The axes' letters are told to who writes them over a picture of few pixels: at the ends of
    /// the axes as they are turned.
    void lettersFollowTheCamera()
    {
        show(fake::bowl(16));
        auto& scene = view->scene();
        scene.set_annotations(true);
        scene.look_from({0, -1, 0}, {0, 0, 1});
        scene.prepare(500, 400, 1);
        const auto letters = [&] {
            std::map<std::string, std::pair<double, double>> out;
            for (const auto& l : scene.written().letters)
                out[l.text] = {500 * l.x, 400 * l.y};
            return out;
        };
        auto at = letters();
        QCOMPARE(at.size(), std::size_t(3));
        // x to the right, z up, y away: in the middle of the corner
        QVERIFY(at["x"].first > at["y"].first + 20 && at["z"].second < at["y"].second - 20);
        QVERIFY(std::abs(at["y"].first - 46) < 1 && std::abs(at["y"].second - (400 - 46)) < 1);
        scene.look_from({0, 0, 1}, {0, 1, 0});
        at = letters();
        QVERIFY(at["x"].first > at["z"].first + 20 && at["y"].second < at["z"].second - 20);
        scene.set_annotations(false);
        QVERIFY(scene.written().letters.empty() || !scene.written().shown);
    }

    void valueToColor()
    {
        const auto b = fake::bowl(12);
        vertices = b.surface->vertices.size();
        show(b);
        int before = -1;
        for (float v : {-90.F, -60.F, -30.F, 0.F, 40.F}) {
            const int g = centre(drawn(v));
            QVERIFY2(g > before + 8,
                     qPrintable(QString("%1 mV: %2 after %3").arg(v).arg(g).arg(before)));
            before = g;
        }
        QCOMPARE(centre(drawn(-200)), centre(drawn(-90))); // ends hold beyond the range
        QCOMPARE(centre(drawn(300)), centre(drawn(40)));
        const int middle = centre(drawn(-60));
        view->scene().set_range(-90, -60); // no new values needed
        QVERIFY(centre(view->grabFramebuffer()) > middle + 20);
        view->scene().set_color_map("viridis");
        const QRgb p = view->grabFramebuffer().pixel(250, 240);
        QVERIFY2(qRed(p) > qBlue(p) + 60, "the yellow end");
    }

    /// A wall of opacity p is p of its nearest layer over the next one, which is p over what lies
    /// behind: 99 % is nearly opaque, and nothing jumps on the way.
    void opacityLooksLikeItsNumber()
    {
        const auto b = fake::bowl(24);
        vertices = b.surface->vertices.size();
        show(b);
        view->scene().look(scene::View::anterior);
        std::vector<float> v(vertices, -60.F); // dark outside, bright inside
        for (std::size_t i = 0; i < vertices; ++i)
            for (std::size_t t = 0; t < b.surface->triangles.size(); ++t)
                if (b.surface->wall[t] == mesh::Wall::endo_lv)
                    for (auto k : b.surface->triangles[t])
                        v[static_cast<std::size_t>(k)] = 40.F;
        view->setValues(v, 0);
        for (const bool fine : {false, true}) {
            const auto at = [&](double opacity, int x) { // mean of a patch
                view->scene().set_opacity(opacity);
                const QImage image = fine ? view->finePicture() : view->grabFramebuffer();
                double sum = 0;
                for (int j = -6; j <= 6; ++j)
                    for (int i = -6; i <= 6; ++i)
                        sum += qGray(image.pixel(x + i, image.height() * 6 / 10 + j));
                return sum / 169;
            };
            const double behind = at(1, 10), near = at(1, 250), half = at(0.5, 250);
            const double next = (half - 0.5 * near - 0.25 * behind) / 0.25;
            QVERIFY2(next > near + 60, qPrintable(QString("%1, %2").arg(next).arg(near)));
            for (const double p : {0.99, 0.95, 0.9, 0.75, 0.51, 0.25, 0.1}) {
                const double right = p * near + (1 - p) * (p * next + (1 - p) * behind);
                const double got = at(p, 250);
                QVERIFY2(std::abs(got - right) < 2,
                         qPrintable(QString("%1: %2, not %3").arg(p).arg(got).arg(right)));
            }
        }
    }

    /// What is depolarised inside is seen through the wall, which goes on being drawn in front of
    /// it with the opacity that it has. It is pale.
    void depolarisedTissueIsSeenThroughTheWall()
    {
        const auto b = fake::bowl(24);
        vertices = b.surface->vertices.size();
        show(b);
        auto& s = view->scene();
        s.look(scene::View::anterior);
        view->setValues(std::vector<float>(vertices, -60.F), 0);
        for (const bool fine : {false, true}) {
            const auto green = [&](double opacity) { // mean of a patch
                s.set_opacity(opacity);
                const QImage image = fine ? view->finePicture() : view->grabFramebuffer();
                const auto at = s.project(s.camera().focal_point);
                double sum = 0;
                for (int j = -4; j <= 4; ++j)
                    for (int i = -4; i <= 4; ++i)
                        sum +=
                            qGreen(image.pixel(static_cast<int>(at[0]) + i,
                                               image.height() - 1 - static_cast<int>(at[1]) + j));
                return sum / 81;
            };
            s.overlays().set_depolarised({}, 0.85);
            const double wall = green(1), both = green(0.6);
            s.overlays().set_depolarised(square_across(s.camera(), 6), 0.85);
            QVERIFY(std::abs(green(1) - wall) < 1); // inside
            const auto under = [&](double p) { return (green(p) - p * wall) / (1 - p); };
            QVERIFY2(green(0.6) > both + 20,
                     qPrintable(QString("%1, %2").arg(green(0.6)).arg(both)));
            QVERIFY2(under(0.6) > 195, qPrintable(QString::number(under(0.6))));
            QVERIFY2(std::abs(under(0.3) - under(0.6)) < 4,
                     qPrintable(QString("%1, %2").arg(under(0.3)).arg(under(0.6))));
        }
    }

    /// A clip plane takes of lines and of depolarised tissue what it takes of the wall: of what is
    /// there already, and of what comes later.
    void whatIsCutAwayTakesOverlaysAlong()
    {
        const auto b = fake::bowl(24);
        vertices = b.surface->vertices.size();
        show(b);
        auto& s = view->scene();
        s.look(scene::View::anterior);
        s.set_opacity(0.3);
        view->setValues(std::vector<float>(vertices, -60.F), 0);
        const auto camera = s.camera();
        const Vec3 right = normalized(cross(camera.focal_point - camera.position, camera.up));
        const scene::Plane plane{right, dot(right, camera.focal_point)};
        using Kind = scene::Overlays::Kind;
        const auto change = [](const QImage& a, const QImage& c, int from, int to) {
            int most = 0;
            for (int y = 0; y < a.height(); ++y)
                for (int x = from; x < to; ++x)
                    most = std::max(most, std::abs(qGray(a.pixel(x, y)) - qGray(c.pixel(x, y))));
            return most;
        };
        const auto lines = [&](Kind kind, bool on) {
            scene::Lines l{.points = {}, .values = {}, .starts = {0}};
            for (const double x : {-6.0, 6.0})
                for (const double c : camera.focal_point + x * right)
                    l.points.push_back(static_cast<float>(c));
            l.values = {1, 1};
            l.starts.push_back(2);
            s.overlays().set_lines(kind, on ? l : scene::Lines{}, scene::color_map("grey"), 0, 1,
                                   kind == Kind::filaments ? 4 : 1.5);
        };
        const std::function<void(bool)> shows[] = {
            [&](bool on) {
                s.overlays().set_depolarised(on ? square_across(camera, 6) : nullptr, 0.85);
            },
            [&](bool on) { lines(Kind::fibres, on); }, [&](bool on) { lines(Kind::arrows, on); },
            [&](bool on) { lines(Kind::filaments, on); }};
        for (const auto& overlay : shows) {
            s.set_clip({});
            const QImage whole = view->grabFramebuffer();
            overlay(true);
            const QImage with = view->grabFramebuffer();
            QVERIFY(change(whole, with, 0, 248) > 20 && change(whole, with, 252, 500) > 20);
            s.set_clip(plane);
            const QImage there = view->grabFramebuffer();
            overlay(false);
            const QImage cut = view->grabFramebuffer();
            overlay(true);
            const QImage later = view->grabFramebuffer();
            QVERIFY(change(cut, there, 0, 248) > 20 && change(cut, there, 252, 500) < 2);
            QVERIFY(change(cut, later, 0, 248) > 20 && change(cut, later, 252, 500) < 2);
            overlay(false);
        }
    }

    void copiesShowTheValueOfTheirVertex()
    {
        const auto b = fake::bowl(12);
        vertices = b.surface->vertices.size();
        show(b);
        view->scene().set_color_map("viridis");
        std::vector<float> v(vertices, -90.F);
        const QImage rest = drawn(v);
        // the ring of the outer rim is bright, on the wall as well as on the base
        std::vector<Vec3> rim;
        for (std::size_t i = 0; i < vertices; ++i) {
            const Vec3 p = b.mesh->vertex(i);
            if (p[2] > -0.01 && std::hypot(p[0], p[1]) > 29) {
                v[i] = 40.F;
                rim.push_back(p);
            }
        }
        const QImage lit = drawn(v);
        const auto d = view->scene().project({0, -30, 0});
        const int x = static_cast<int>(d[0]), y = lit.height() - 1 - static_cast<int>(d[1]);
        QVERIFY2(qRed(lit.pixel(x, y + 3)) > qRed(rest.pixel(x, y + 3)) + 40, "wall below the rim");
        QVERIFY2(qRed(lit.pixel(x, y - 2)) > qRed(rest.pixel(x, y - 2)) + 40, "base above it");
    }

    void bufferCanBeWrittenByOthers()
    {
        const auto b = fake::bowl(12);
        vertices = b.surface->vertices.size();
        show(b);
        const int rest = centre(drawn(-85));
        view->makeCurrent();
        const unsigned buffer = view->scene().gl_buffer();
        const std::vector<float> bright(view->scene().gl_buffer_sources().size(), 40.F);
        auto* gl = QOpenGLContext::currentContext()->extraFunctions();
        gl->glBindBuffer(GL_ARRAY_BUFFER, buffer);
        gl->glBufferSubData(GL_ARRAY_BUFFER, 0,
                            static_cast<GLsizeiptr>(bright.size() * sizeof(float)), bright.data());
        gl->glBindBuffer(GL_ARRAY_BUFFER, 0);
        view->doneCurrent();
        QVERIFY(centre(view->grabFramebuffer()) > rest + 60);
    }

    void sectionsLookOneWay()
    {
        mesh::TetMesh m; // a cube of five tetrahedra
        for (int i = 0; i < 8; ++i)
            m.add_vertex({static_cast<double>(i & 1), static_cast<double>((i >> 1) & 1),
                          static_cast<double>((i >> 2) & 1)});
        for (const auto& c :
             {std::array{0, 1, 2, 4}, std::array{3, 2, 1, 7}, std::array{5, 4, 7, 1},
              std::array{6, 7, 4, 2}, std::array{1, 2, 4, 7}})
            m.add_tetrahedron({c[0], c[1], c[2], c[3]}, 1);
        const Vec3 normal{0, 0, 1};
        const auto s = scene::plane_section(m, {normal, 0.4});
        double area = 0;
        for (const auto& t : s.triangles) {
            const auto at = [&](std::size_t k) {
                const auto i = 3 * static_cast<std::size_t>(t[k]);
                return Vec3{s.points[i], s.points[i + 1], s.points[i + 2]};
            };
            const Vec3 c = cross(at(1) - at(0), at(2) - at(0));
            QVERIFY(c[2] >= 0);
            area += norm(c) / 2;
        }
        QVERIFY2(std::abs(area - 1) < 1e-6, qPrintable(QString::number(area)));
        std::vector<float> z, out;
        for (double v : m.z)
            z.push_back(static_cast<float>(v));
        s.carry(z, out);
        for (float v : out)
            QVERIFY(std::abs(v - 0.4F) < 1e-6F);
        const auto same = scene::isosurface(m, z, 0.4F);
        QCOMPARE(same.triangles.size(), s.triangles.size());
    }

    void picks()
    {
        const auto b = fake::bowl(40);
        show(b);
        int tried = 0;
        for (double turn = -2.0; turn < -0.4; turn += 0.2)
            for (double polar = 0.6; polar < 1.4; polar += 0.15, ++tried) {
                const Vec3 p{30 * std::sin(polar) * std::cos(turn),
                             30 * std::sin(polar) * std::sin(turn), -60 * std::cos(polar)};
                const auto d = view->scene().project(p);
                const auto hit = view->scene().pick(d[0], d[1]);
                QVERIFY(hit.has_value());
                const auto& x = hit->position_mm;
                QVERIFY2(norm(x - p) < 1.5, qPrintable(QString("%1 %2: (%3 %4 %5) for (%6 %7 %8)")
                                                           .arg(turn)
                                                           .arg(polar)
                                                           .arg(x[0])
                                                           .arg(x[1])
                                                           .arg(x[2])
                                                           .arg(p[0])
                                                           .arg(p[1])
                                                           .arg(p[2])));
                QCOMPARE(b.surface->wall[static_cast<std::size_t>(hit->triangle)], mesh::Wall::epi);
                QVERIFY(dot(hit->normal, normalized(Vec3{p[0], p[1], 0})) > 0.2);
                const auto v = b.mesh->vertex(static_cast<std::size_t>(
                    b.surface->vertices[static_cast<std::size_t>(hit->vertex)]));
                QVERIFY(norm(v - p) < 3);
            }
        QVERIFY(tried > 40);
        QVERIFY(!view->scene().pick(2, 2));
        view->scene().clear();
        QVERIFY(view->scene().empty());
        QVERIFY(!view->scene().pick(250, 200));
    }

    void picksAreQuick()
    {
        const auto b = fake::bowl(115); // 211 thousand triangles
        show(b);
        QVERIFY(view->scene().triangle_count() > 200000);
        const test::ProcessorClock clock;
        for (int i = 0; i < 200; ++i)
            (void)view->scene().pick(150 + i, 150);
        QVERIFY2(clock.elapsed() < 1000 * tawara::test::slowdown,
                 qPrintable(QString::number(clock.elapsed())));
    }

    void flashFades()
    {
        const auto b = fake::bowl(20);
        vertices = b.surface->vertices.size();
        show(b);
        const QImage rest = drawn(-85);
        const Vec3 front{0, -30 * std::cos(0.5), -60 * std::sin(0.5)};
        view->scene().flash(front, 8);
        const QImage once = view->grabFramebuffer();
        QVERIFY(fake::difference(rest, once) > 0.5);
        for (int k = 0; k < 4; ++k) // as while paused: they do not add up
            view->scene().flash(front, 8);
        QVERIFY(fake::difference(once, view->grabFramebuffer()) < 0.01);
        QVERIFY(view->scene().advance_flashes(0.5));
        QVERIFY(view->scene().advance_flashes(1));
        QVERIFY(!view->scene().advance_flashes(0.1));
        QVERIFY(fake::difference(rest, view->grabFramebuffer()) < 0.01);
        view->scene().set_brush(front, 8);
        QVERIFY(fake::difference(rest, view->grabFramebuffer()) > 0.1);
        view->scene().set_brush({}, 8);
        QVERIFY(fake::difference(rest, view->grabFramebuffer()) < 0.01);
    }

    void anotherWindowKeepsThePicture()
    {
        const auto b = fake::bowl(12);
        vertices = b.surface->vertices.size();
        show(b);
        QWidget first, second;
        for (QWidget* w : {&first, &second})
            (new QVBoxLayout(w))->setContentsMargins(0, 0, 0, 0);
        first.layout()->addWidget(view.get());
        first.resize(500, 400);
        first.show();
        QVERIFY(QTest::qWaitForWindowExposed(&first));
        const QImage before = drawn(-20);
        second.layout()->addWidget(view.get()); // a new context: everything is built anew
        second.resize(500, 400);
        second.show();
        QVERIFY(QTest::qWaitForWindowExposed(&second));
        QTRY_COMPARE(view->size(), QSize(500, 400));
        QTRY_VERIFY(fake::difference(before, view->grabFramebuffer()) < 0.3);
        view->setParent(nullptr);
    }

    void fitsTheView()
    {
        const auto b = fake::bowl(20);
        vertices = b.surface->vertices.size();
        show(b);
        for (auto v : {scene::View::anterior, scene::View::superior, scene::View::oblique}) {
            view->scene().look(v);
            double low = 1e9, high = -1e9;
            for (std::size_t i = 0; i < vertices; ++i) {
                const auto d = view->scene().project(b.mesh->vertex(i));
                low = std::min(low, d[1]), high = std::max(high, d[1]);
            }
            QVERIFY(low > 0 && high < 400);
            QVERIFY2(v == scene::View::superior || high - low > 300, "fills it");
        }
    }
};

int main(int argc, char** argv)
{
    return fake::run<TestScene>(argc, argv);
}
#include "test_scene.moc"
