// SPDX-License-Identifier: GPL-3.0-or-later
// Every panel in a fixed state, dark and light, against pictures that a person has looked at. With
// TAWARA_WRITE_BASELINES=1 in the environment they are written anew: look at them before
// committing.
#include "engine/simulation/session/session.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/render/baseline.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/performance_panel.hpp"
#include "widgets/panels/start_page.hpp"
#include "widgets/panels/transport_bar.hpp"

#include <QAbstractButton>
#include <QDockWidget>
#include <QFontDatabase>
#include <QLabel>

#include <cmath>

using namespace tawara;

namespace {

// Another FreeType draws edges of letters a little differently; what moves, is cut or has another
// colour differs more in its tile (see changesAreSeen(), anotherRasteriserPasses()).
constexpr double mean_limit = 2, tile_limit = 9;

simulation::Stimulus site(const char* name, const Vec3& at, double radius, double start)
{
    simulation::Stimulus s;
    s.name = name;
    s.region = simulation::Sphere{at, radius};
    s.start_ms = start;
    return s;
}

/// What a user may have set up.
void furnish(simulation::Session& s)
{
    s.end_ms = 1200;
    s.stimuli = {site("RV apex", {0, -28, -20}, 3, 0), site("LV lateral", {28, 0, -20}, 2.5, 40)};
    s.stimuli[0].period_ms = 600;
    s.stimuli[0].count = 2;
    s.stimuli[1].on = false;
    simulation::Region scar;
    scar.name = "Scar core";
    scar.kind = "scar_core";
    scar.model.clear();
    scar.where = simulation::Where{simulation::Sphere{{0, 28, -20}, 8}};
    s.regions.push_back(scar);
    s.drugs = {{"Dofetilide", {{"g_Kr", 0.5}}}};
    s.leads.kind = simulation::Leads::Kind::twelve_lead;
    s.probes = {{"Front", {0, -30, -5}}, {"Apex", {0, 0, -60}}};
}

/// The same letters everywhere.
void setFont()
{
    QFont font(QStringLiteral("DejaVu Sans"));
    font.setPixelSize(12);
    font.setHintingPreference(QFont::PreferNoHinting);
    font.setStyleStrategy(
        QFont::StyleStrategy(QFont::PreferAntialias | QFont::NoSubpixelAntialias));
    QApplication::setFont(font);
}

} // namespace

class TestPicturesOfPanels : public QObject
{
    Q_OBJECT
    std::unique_ptr<fake::WindowFixture> f;

    /// A panel in a window of its own, so that its size is ours.
    QWidget* panel(const char* name, const QSize& size)
    {
        auto* dock = f->window->findChild<QDockWidget*>(QLatin1String(name));
        dock->setFloating(true);
        dock->show();
        dock->raise();
        // the title takes some of it
        dock->resize(size);
        QApplication::processEvents();
        dock->resize(size + (size - dock->widget()->size()));
        QApplication::processEvents();
        return dock->widget();
    }
    static QImage picture(QWidget* w)
    {
        QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QApplication::processEvents();
        if (auto* focus = QApplication::focusWidget())
            focus->clearFocus(); // no cursor that blinks
        QImage image = w->grab().toImage();
        image.setDevicePixelRatio(1);
        return image.convertToFormat(QImage::Format_RGB32);
    }
    void theme(Theme t)
    {
        f->window->setTheme(t);
        QApplication::processEvents();
    }

  private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY2(QFontDatabase::families().contains("DejaVu Sans"),
                 "install the package fonts-dejavu-core");
        f = std::make_unique<fake::WindowFixture>();
        f->shared = std::make_shared<fake::FakeEngine::Shared>();
        f->shared->free_running = false;
        f->start();
        f->window->document()->edits().edit("furnished", furnish);
        QTRY_COMPARE(f->posted<simulation::AddProbe>().size(), std::size_t{2});
        f->host->runUntil(330);
        QTRY_VERIFY(f->host->frame() && f->host->frame()->time_ms >= 330);
        QTest::qWait(400); // traces, beats and status are asked for now and then
    }
    void cleanupTestCase()
    {
        QVERIFY2(f->errors->text.empty(), f->errors->text.c_str());
        f.reset();
    }

    void docks_data()
    {
        QTest::addColumn<QByteArray>("dock");
        QTest::addColumn<QSize>("size");
        QTest::addColumn<bool>("light");
        const std::pair<const char*, QSize> docks[] = {
            {"pacing", {360, 640}},      {"tissue", {360, 640}}, {"view", {360, 640}},
            {"performance", {360, 640}}, {"info", {360, 420}},   {"plot", {860, 240}},
            {"beats", {860, 240}},       {"ecg", {860, 240}}};
        for (const auto& [name, size] : docks)
            for (bool light : {false, true})
                QTest::addRow("panel-%s-%s", name, light ? "light" : "dark")
                    << QByteArray(name) + "Dock" << size << light;
    }
    void docks()
    {
        QFETCH(QByteArray, dock);
        QFETCH(QSize, size);
        QFETCH(bool, light);
        theme(light ? Theme::light : Theme::dark);
        auto* w = panel(dock, size);
        if (auto* p = qobject_cast<PerformancePanel*>(w)) {
            device::Ceilings c;
            c.triad_GB_per_s = 20, c.copy_GB_per_s = 18;
            c.fp64_GFLOP_per_s = 120, c.fp32_GFLOP_per_s = 240;
            p->reset();
            p->setCeilings(c, "Fake");
            simulation::Status s;
            s.state = simulation::Status::State::running;
            s.step = 1000;
            p->setKernels({{"diffusion", "Fake", 1000, 50, 1.2e9, 2e8, 20, 60, 0.7, "memory"},
                           {"reaction", "Fake", 1000, 150, 3e9, 6e9, 20, 60, 0.66, "arithmetic"}},
                          s);
        }
        QTest::qWait(60);
        QCOMPARE(w->size(), size);
        baseline::check(picture(w), QTest::currentDataTag(), mean_limit, tile_limit);
    }

    void barsAndStart_data()
    {
        QTest::addColumn<bool>("light");
        QTest::newRow("dark") << false;
        QTest::newRow("light") << true;
    }
    void barsAndStart()
    {
        QFETCH(bool, light);
        const Theme t = light ? Theme::light : Theme::dark;
        theme(t);
        const auto check = [&](QWidget* w, const char* what) {
            baseline::check(picture(w), QStringLiteral("panel-%1-%2").arg(what, name(t)),
                            mean_limit, tile_limit);
        };
        const auto alone = [&](QWidget* w, int width) {
            w->setFixedSize(width, w->sizeHint().height());
            QApplication::processEvents();
        };
        TransportBar transport;
        transport.show();
        simulation::Status s;
        s.state = simulation::Status::State::running;
        s.time_ms = 123.4;
        s.end_ms = 1600;
        s.ms_per_second = 40.1;
        transport.setStatus(s);
        alone(&transport, 900);
        check(&transport, "transport");
        MessageBar message;
        message.showMessage(MessageBar::Level::error, "heart.vtu:12: a tetrahedron has no volume",
                            "Repair the mesh, or open another one.");
        alone(&message, 900);
        check(&message, "message");
        StartPage start;
        start.setFixedSize(900, 560);
        start.show();
        QTRY_COMPARE(start.size(), QSize(900, 560));
        check(&start, "start");
    }

    void anotherRasteriserPasses()
    {
        // letters that lie a third of a pixel aside and are a little bolder
        theme(Theme::dark);
        const QImage before = picture(panel("pacingDock", {360, 640}));
        QImage after = before;
        for (int y = 0; y < before.height(); ++y)
            for (int x = 1; x < before.width(); ++x) {
                const QColor left = before.pixelColor(x - 1, y), here = before.pixelColor(x, y);
                const auto mix = [](int a, int b) {
                    return std::clamp(static_cast<int>(std::lround(1.04 * (a + 2 * b) / 3)), 0,
                                      255);
                };
                after.setPixelColor(x, y,
                                    {mix(left.red(), here.red()), mix(left.green(), here.green()),
                                     mix(left.blue(), here.blue())});
            }
        const auto d = baseline::compare(before, after);
        qInfo("another rasteriser: %.2f in the mean, %.2f in the worst tile", d.mean, d.worst);
        QVERIFY(d.mean > 0.1 && d.mean < mean_limit && d.worst < tile_limit);
    }

    void changesAreSeen()
    {
        theme(Theme::dark);
        auto* w = panel("pacingDock", {360, 640});
        const QImage before = picture(w);
        QCOMPARE(baseline::compare(before, picture(w)).worst, 0.0);
        const auto seen = [&](const char* what) {
            const auto d = baseline::compare(before, picture(w));
            qInfo("%s: %.2f in the mean, %.2f in the worst tile", what, d.mean, d.worst);
            return d.mean >= mean_limit || d.worst >= tile_limit;
        };
        QLabel* label = nullptr;
        for (auto* l : w->findChildren<QLabel*>())
            if (label == nullptr && l->isVisible() && l->text() == "Duration")
                label = l; // the site's: a click's may lie below what is seen
        QVERIFY(label != nullptr);
        const QRect place = label->geometry();
        label->resize(place.width() - 14, place.height());
        QVERIFY(seen("a label that is cut by 14 pixels"));
        label->setGeometry(place.translated(4, 0));
        QVERIFY(seen("a label that moved by 4 pixels"));
        label->setGeometry(place.translated(0, 3));
        QVERIFY(seen("a label that moved by 3 pixels"));
        label->setGeometry(place);
        label->setStyleSheet("color: #e2674a");
        QVERIFY(seen("a label in another colour"));
        label->setStyleSheet({});
        QAbstractButton* button = nullptr;
        for (auto* b : w->findChildren<QAbstractButton*>())
            if (b->isVisible() && b->text() == "Suggested")
                button = b;
        QVERIFY(button != nullptr);
        button->setStyleSheet("background: #343d4f"); // as under the pointer
        QVERIFY(seen("a button a shade lighter"));
        button->setStyleSheet({});
        QVERIFY(!seen("as before"));
    }
};

int main(int argc, char** argv)
{
    qputenv("QT_FONT_DPI", "96");
    qputenv("QT_QPA_PLATFORMTHEME", "");
    qputenv("QT_SCALE_FACTOR", "1");
    QLocale::setDefault(QLocale::c());
    QSurfaceFormat::setDefaultFormat(viewFormat());
    QApplication app(argc, argv);
    app.setProperty("noHints", true);
    setFont();
    applyTheme(app);
    if (QString why; !viewsSupported(&why)) {
        qWarning("skipped: %s", qPrintable(why));
        return 0;
    }
    TestPicturesOfPanels t;
    return QTest::qExec(&t, argc, argv);
}
#include "test_pictures_of_panels.moc"
