// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/window_fixture.hpp"

#include "engine/core/resource.hpp"

#include <QAction>
#include <QApplication>
#include <QFileDialog>
#include <QLineEdit>
#include <QTimer>
#include <QToolButton>

#include <cmath>
#include <cstdlib>

namespace tawara::fake {

vtkStandardNewMacro(VtkErrors);

WindowFixture::WindowFixture() : errors(VtkErrors::New())
{
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings_.path());
    vtkOutputWindow::SetInstance(errors);
}

WindowFixture::~WindowFixture()
{
    stop();
    vtkOutputWindow::SetInstance(nullptr);
    errors->Delete();
}

void WindowFixture::start(bool autoPlay, bool load)
{
    stop();
    if (!shared)
        shared = std::make_shared<FakeEngine::Shared>();
    host = std::make_unique<EngineHost>(maker(shared), [this](const std::filesystem::path& p) {
        if (!opener_error.empty())
            throw InputError(p.string(), opener_error);
        simulation::Session s;
        s.name = "Fake bowl";
        if (opened)
            opened(s);
        return s;
    });
    window = std::make_unique<MainWindow>(host.get());
    window->setAutoPlay(autoPlay);
    window->resize(1280, 800);
    window->show();
    QVERIFY(QTest::qWaitForWindowExposed(window.get()));
    QApplication::setActiveWindow(
        window.get()); // no window manager does it here; shortcuts need it
    if (!load)
        return;
    window->open({});
    QTRY_VERIFY_WITH_TIMEOUT(host->scene() != nullptr && !host->isLoading(), 20000);
    QTRY_VERIFY_WITH_TIMEOUT(window->viewController()->ready(), 20000);
    const auto drawn = window->view()->framesDrawn();
    QTRY_VERIFY_WITH_TIMEOUT(window->view()->framesDrawn() > drawn, 20000);
}

void WindowFixture::stop()
{
    window.reset();
    host.reset();
}

void WindowTest::press(const char* button)
{
    QTest::mouseClick(child<QToolButton>(button), Qt::LeftButton);
}

void chooseFile(const QString& path)
{
    QTimer::singleShot(20, qApp, [path] {
        auto* d = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
        if (d == nullptr)
            return chooseFile(path);
        d->findChild<QLineEdit*>("fileNameEdit")->setText(path);
        static_cast<QDialog*>(d)->accept();
    });
}

void WindowTest::cleanup()
{
    const std::string text = f->errors->text;
    f.reset();
    QVERIFY2(text.empty(), text.c_str());
}

void HeartTest::initTestCase()
{
    try {
        (void)resource("meshes/default_heart.vtu");
    } catch (const Error& e) {
        QSKIP(e.what());
    }
}

QPoint pixel_of(HeartView& view, const Vec3& p)
{
    const auto d = view.scene().project(p);
    const double s = view.pixelRatio();
    return {qRound(d[0] / s), qRound(view.height() - 1 - d[1] / s)};
}

QAction* action(const QWidget& window, const QString& text)
{
    for (auto* a : window.findChildren<QAction*>())
        if (a->text().remove('&') == text)
            return a;
    return nullptr;
}

double difference(const QImage& a, const QImage& b)
{
    return difference(a, b, a.rect());
}

double difference(const QImage& a, const QImage& b, const QRect& where)
{
    if (a.size() != b.size())
        return 255;
    const QRect r = where & a.rect();
    double sum = 0;
    for (int y = r.top(); y <= r.bottom(); ++y)
        for (int x = r.left(); x <= r.right(); ++x) {
            const QRgb p = a.pixel(x, y), q = b.pixel(x, y);
            sum += std::abs(qRed(p) - qRed(q)) + std::abs(qGreen(p) - qGreen(q)) +
                   std::abs(qBlue(p) - qBlue(q));
        }
    return sum / (3.0 * r.width() * r.height());
}

} // namespace tawara::fake
