// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/main_window.hpp"
#include "app/theme.hpp"
#include "engine/core/error.hpp"
#include "tests/gui/fake_engine.hpp"
#include "tests/gui/several.hpp"

#include <QApplication>
#include <QDir>
#include <QSettings>
#include <QTemporaryDir>
#include <QtTest>

#include <functional>
#include <string>
#include <vtkNew.h>
#include <vtkObjectFactory.h>
#include <vtkOutputWindow.h>

namespace tawara::fake {

/// Collects every VTK error and warning: a shader that does not compile fails the test.
class VtkErrors : public vtkOutputWindow
{
  public:
    static VtkErrors* New();
    vtkTypeMacro(VtkErrors, vtkOutputWindow) // ends with no semicolon: -Wpedantic
        void DisplayText(const char* t) override
    {
        text += t;
    }
    std::string text;
};

/// Widget position that shows a point of a view's scene.
QPoint pixel_of(HeartView& view, const Vec3& position_mm);

/// Settings in a folder of the test, VTK's errors caught, a window with the fake engine on demand.
class WindowFixture
{
  public:
    WindowFixture();
    ~WindowFixture();
    /// Shows a window and loads the fake bowl; waits until its first frame is drawn.
    void start(bool autoPlay = false, bool load = true);
    void stop();
    /// How many commands of a kind the engine was given.
    template <class C>
    std::vector<C> posted()
    {
        std::lock_guard hold(shared->mutex);
        std::vector<C> out;
        for (const auto& c : shared->commands)
            if (const auto* p = std::get_if<C>(&c))
                out.push_back(*p);
        return out;
    }
    QPoint pixelOf(const Vec3& p) const { return pixel_of(*window->view(), p); }

    std::shared_ptr<FakeEngine::Shared> shared;
    std::unique_ptr<EngineHost> host;
    std::unique_ptr<MainWindow> window;
    std::string opener_error;                         ///< not empty: the opener throws it
    std::function<void(simulation::Session&)> opened; ///< what the opened session has beside a name
    VtkErrors* errors;

  private:
    QTemporaryDir settings_;
};

/// A test of the window: each of its functions has a fixture of its own, and VTK said nothing.
class WindowTest : public QObject
{
    Q_OBJECT
  protected:
    template <class W>
    W* child(const char* name = nullptr)
    {
        return f->window->findChild<W*>(QString::fromLatin1(name));
    }
    void press(const char* button);
    const simulation::Session& session() { return f->window->document()->session(); }
    /// The last command of a kind that the engine was given.
    template <class C>
    C newest()
    {
        const auto all = f->posted<C>();
        return all.empty() ? C{} : all.back();
    }

    std::unique_ptr<WindowFixture> f;

  protected Q_SLOTS:
    void init() { f = std::make_unique<WindowFixture>(); }

  private Q_SLOTS:
    void cleanup();
};

/// A test with the built-in heart: skipped as a whole where that was not made.
class HeartTest : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void initTestCase();
};

/// The action of a window with this text (mnemonics aside); nullptr where there is none.
QAction* action(const QWidget& window, const QString& text);

/// Chooses this in the file dialog that comes next.
void chooseFile(const QString& path);

/// The main() of a GUI test, in the theme that TAWARA_THEME names (else dark). Mesa keeps what it
/// compiles in a folder that all tests share, whatever the home folder allows.
template <class Test, class Application = QApplication>
int run(int argc, char** argv)
{
    if (!qEnvironmentVariableIsSet("MESA_SHADER_CACHE_DIR")) // which Mesa makes
        qputenv("MESA_SHADER_CACHE_DIR", QDir::temp().filePath("tawara-test-shaders").toUtf8());
    QSurfaceFormat::setDefaultFormat(viewFormat());
    Application app(argc, argv);
    app.setProperty("noHints", true);
    applyTheme(app, themeOf(qEnvironmentVariable("TAWARA_THEME")));
    if (QString why; !viewsSupported(&why)) {
        qWarning("skipped: %s", qPrintable(why));
        return 0;
    }
    Test t;
    return runAll(t, argc, argv);
}

/// Mean absolute difference of two pictures [0 .. 255]; 255 where their sizes differ.
double difference(const QImage& a, const QImage& b);
/// The same, of the part that `where` covers.
double difference(const QImage& a, const QImage& b, const QRect& where);

} // namespace tawara::fake
