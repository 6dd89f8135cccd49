// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/observe/recording.hpp"
#include "tests/gui/window_fixture.hpp"

#include <cmath>

namespace tawara::fake {

/// A wave that runs down the bowl.
inline std::vector<float> values(const Bowl& b, double time)
{
    std::vector<float> out;
    for (auto v : b.surface->vertices) {
        const double since = time - (20 - b.mesh->z[static_cast<std::size_t>(v)]) / 0.6;
        out.push_back(since < 0 ? -85.0f : static_cast<float>(-85 + 115 * std::exp(-since / 80)));
    }
    return out;
}

/// A bowl with a wave, on screen and recorded.
class ResultsTest : public QObject
{
    Q_OBJECT
  protected:
    vtkNew<VtkErrors> errors;
    Bowl bowl = fake::bowl(40);
    QTemporaryDir dir;
    std::shared_ptr<simulation::Recording> recording;

    void show(HeartView& v)
    {
        v.resize(500, 400);
        v.show();
        QVERIFY(QTest::qWaitForWindowExposed(&v));
        v.setSurface(*bowl.mesh, *bowl.surface);
        v.setValues(values(bowl, 60), 60);
        QTRY_VERIFY(v.framesDrawn() > 0);
    }
    /// Leaves a picture for people to look at, where one asks for it.
    static void keep(const QImage& image, const char* name)
    {
        if (const QString folder = qEnvironmentVariable("TAWARA_KEEP"); !folder.isEmpty())
            image.save(folder + "/" + name);
    }

  private Q_SLOTS:
    void initTestCase()
    {
        vtkOutputWindow::SetInstance(errors);
        simulation::RecordingOptions o;
        o.folder = dir.filePath("recordings").toStdString();
        o.every_ms = 2;
        recording = std::make_shared<simulation::Recording>(bowl.surface->vertices.size(), o);
        for (int k = 0; k <= 100; ++k)
            recording->append(2 * k, values(bowl, 2 * k));
        recording->flush();
    }
    void cleanup() { QVERIFY2(errors->text.empty(), errors->text.c_str()); }
    void cleanupTestCase() { vtkOutputWindow::SetInstance(nullptr); }
};

} // namespace tawara::fake
