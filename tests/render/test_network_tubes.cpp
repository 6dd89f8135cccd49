// SPDX-License-Identifier: GPL-3.0-or-later
// A network in the picture: its colours, cuts, the wall before it, clicks.
#include "tests/gui/window_fixture.hpp"
#include "widgets/scene/network_tubes.hpp"

#include <cmath>

using namespace tawara;

class TestNetworkTubes : public QObject
{
    Q_OBJECT
    vtkNew<fake::VtkErrors> errors;
    std::unique_ptr<HeartView> view;
    std::size_t vertices = 0;

    /// A straight line of two branches in the middle of the bowl, across the view.
    std::shared_ptr<scene::NetworkModel> line()
    {
        const auto pose = view->scene().camera();
        const Vec3 ahead = normalized(pose.focal_point - pose.position),
                   right = normalized(cross(ahead, pose.up));
        auto m = std::make_shared<scene::NetworkModel>();
        for (int k = 0; k < 9; ++k) {
            m->point_mm.push_back(pose.focal_point + (2.0 * (k - 4)) * right);
            m->parent.push_back(k - 1);
            m->branch.push_back(k > 4 ? 1 : 0);
            m->width.push_back(1);
            m->cut.push_back(0);
        }
        m->marked = {8};
        return m;
    }
    QImage drawn()
    {
        view->setValues(std::vector<float>(vertices, -90.0F), 0);
        view->finePicture();
        return view->grabFramebuffer();
    }
    QPoint at(const scene::NetworkModel& m, std::size_t point)
    {
        return fake::pixel_of(*view, m.point_mm[point]) * view->devicePixelRatio();
    }

  private Q_SLOTS:
    void initTestCase() { vtkOutputWindow::SetInstance(errors); }
    void init()
    {
        const auto b = fake::bowl(16);
        view = std::make_unique<HeartView>();
        view->resize(500, 400);
        view->show();
        QVERIFY(QTest::qWaitForWindowExposed(view.get()));
        view->setSurface(*b.mesh, *b.surface);
        view->scene().set_annotations(false);
        view->scene().set_color_map("grey");
        view->scene().set_range(-90, 40);
        vertices = b.surface->vertices.size();
        drawn();
    }
    void cleanup()
    {
        view.reset();
        const std::string text = std::exchange(errors->text, {});
        QVERIFY2(text.empty(), text.c_str());
    }
    void cleanupTestCase() { vtkOutputWindow::SetInstance(nullptr); }

    void theColourIsThatOfV()
    {
        const auto m = line();
        auto& net = view->scene().network();
        net.set_model(m, 1.2);
        net.set_look(scene::NetworkLook::top);
        const QPoint p = at(*m, 2);
        net.set_values(std::vector<float>(9, -85.0F));
        const int low = qGray(drawn().pixel(p));
        net.set_values(std::vector<float>(9, 35.0F));
        const int high = qGray(drawn().pixel(p));
        QVERIFY2(high > low + 80, qPrintable(QString("%1 %2").arg(low).arg(high)));
    }

    /// Over the wall it is seen, inside it is not.
    void theWallHidesItOrNot()
    {
        const auto m = line();
        auto& net = view->scene().network();
        const QImage bare = drawn();
        const auto other = [&](const QImage& i) {
            const QPoint p = at(*m, 2);
            return std::abs(qGray(i.pixel(p)) - qGray(bare.pixel(p))) > 20;
        };
        net.set_model(m, 1.2);
        net.set_values(std::vector<float>(9, 35.0F));
        net.set_look(scene::NetworkLook::top);
        QVERIFY(other(drawn()));
        net.set_look(scene::NetworkLook::off);
        QVERIFY(!other(drawn()));
        net.set_look(scene::NetworkLook::inside);
        const bool hidden = !view->scene().network_at(at(*m, 2).x(), 0, 1e9).has_value();
        QCOMPARE(other(drawn()), !hidden);
        QVERIFY(hidden); // the bowl's wall lies before its middle
    }

    /// What is cut is grey whatever V is, and thin.
    void cutsAreGrey()
    {
        const auto whole = line();
        auto cut = std::make_shared<scene::NetworkModel>(*whole);
        for (std::size_t i = 5; i < 9; ++i)
            cut->cut[i] = 1;
        auto& net = view->scene().network();
        net.set_look(scene::NetworkLook::top);
        net.set_model(cut, 1.2);
        const QPoint p = at(*whole, 6);
        net.set_values(std::vector<float>(9, 35.0F));
        const int up = qGray(drawn().pixel(p));
        net.set_values(std::vector<float>(9, -85.0F));
        QCOMPARE(qGray(drawn().pixel(p)), up);
        QCOMPARE(net.values().size(), 9U);
        net.set_model(whole, 1.2); // the same points: values stay
        QCOMPARE(net.values().size(), 9U);
        QVERIFY(std::abs(qGray(drawn().pixel(p)) - up) > 20);
    }

    void junctionsHaveTheirColour()
    {
        const auto m = line();
        auto& net = view->scene().network();
        net.set_look(scene::NetworkLook::top);
        net.set_model(m, 1.2);
        net.set_values(std::vector<float>(9, -85.0F));
        net.set_marks({{255, 0, 0}});
        const QColor c = drawn().pixelColor(at(*m, 8));
        QVERIFY2(c.red() > c.green() + 60 && c.red() > c.blue() + 60, qPrintable(c.name()));
    }

    void aClickFindsABranch()
    {
        const auto m = line();
        auto& net = view->scene().network();
        net.set_look(scene::NetworkLook::top);
        net.set_model(m, 1.2);
        drawn();
        const auto pixel = view->scene().project(0.5 * (m->point_mm[5] + m->point_mm[6]));
        const auto hit = view->scene().network_at(pixel[0], pixel[1] + 3, 9);
        QVERIFY(hit && *hit == 6);
        QVERIFY(!view->scene().network_at(pixel[0], pixel[1] + 40, 9));
        net.set_look(scene::NetworkLook::off);
        QVERIFY(!view->scene().network_at(pixel[0], pixel[1] + 3, 9));
    }
};

static const fake::Further<TestNetworkTubes> further;
#include "test_network_tubes.moc"
