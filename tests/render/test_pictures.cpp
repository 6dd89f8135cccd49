// SPDX-License-Identifier: GPL-3.0-or-later
// Whole pictures against baselines that a person has looked at (software OpenGL). With
// TAWARA_WRITE_BASELINES=1 in the environment it writes them anew: look at them before committing.
#include "tests/gui/window_fixture.hpp"
#include "tests/render/baseline.hpp"

#include <cmath>

using namespace tawara;

class TestPictures : public QObject
{
    Q_OBJECT
    vtkNew<fake::VtkErrors> errors;

  private Q_SLOTS:
    void initTestCase() { vtkOutputWindow::SetInstance(errors); }
    void cleanup() { QVERIFY2(errors->text.empty(), errors->text.c_str()); }
    void cleanupTestCase() { vtkOutputWindow::SetInstance(nullptr); }

    void heart_data()
    {
        QTest::addColumn<QString>("map");
        QTest::addColumn<int>("view");
        QTest::addColumn<double>("time");
        QTest::newRow("tissue") << "tissue" << static_cast<int>(scene::View::oblique) << 60.0;
        QTest::newRow("night-base") << "night" << static_cast<int>(scene::View::superior) << 90.0;
        QTest::newRow("viridis-front")
            << "viridis" << static_cast<int>(scene::View::anterior) << 300.0;
    }
    void heart()
    {
        QFETCH(QString, map);
        QFETCH(int, view);
        QFETCH(double, time);
        HeartView v;
        v.resize(640, 480);
        v.show();
        QVERIFY(QTest::qWaitForWindowExposed(&v));
        const auto b = fake::bowl(40);
        v.setSurface(*b.mesh, *b.surface);
        v.scene().set_color_map(map.toStdString());
        v.scene().look(static_cast<scene::View>(view));
        const scene::Marker markers[] = {{1, "Front", {0, -30, -1}, {0.34, 0.71, 0.91}},
                                         {2, "Behind", {0, 30, -1}, {0.9, 0.62, 0}}};
        v.scene().set_markers(markers);
        std::vector<float> values;
        for (auto i : b.surface->vertices)
            values.push_back(fake::wave_mV(b.mesh->vertex(static_cast<std::size_t>(i)), time));
        v.setValues(values, time);
        baseline::check(v.finePicture(), QTest::currentDataTag(), 1.5);
    }

    void emptyScene()
    {
        HeartView v;
        v.resize(320, 240);
        v.show();
        QVERIFY(QTest::qWaitForWindowExposed(&v));
        baseline::check(v.finePicture(), "empty", 1.5);
    }
};

int main(int argc, char** argv)
{
    return fake::run<TestPictures>(argc, argv);
}
#include "test_pictures.moc"
