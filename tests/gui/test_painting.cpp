// SPDX-License-Identifier: GPL-3.0-or-later
// Painting of tissue with the real engine on a small slab.
#include "app/painting_controller.hpp"
#include "app/real_engine.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/slowdown.hpp"
#include "widgets/panels/brush_card.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/tissue_panel.hpp"
#include "widgets/panels/view_panel.hpp"

#include <QComboBox>
#include <QDockWidget>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QPushButton>

using namespace tawara;

class TestPainting : public QObject
{
    Q_OBJECT
    fake::WindowFixture surroundings;
    QTemporaryDir dir;
    std::unique_ptr<EngineHost> host;
    std::unique_ptr<MainWindow> window;

    const simulation::Session& session() { return window->document()->session(); }
    template <class W>
    W* child(const char* name = nullptr)
    {
        return window->findChild<W*>(QString::fromLatin1(name));
    }
    QAction* paintAction() { return child<QAction>("modepaint"); }
    void stroke(const Vec3& from, const Vec3& to, Qt::KeyboardModifiers keys = {})
    {
        auto* v = window->view();
        const auto drawn = v->framesDrawn(); // panels that opened have moved what is clicked on
        v->update();
        QTRY_VERIFY_WITH_TIMEOUT(v->framesDrawn() > drawn, 60000);
        QTest::mousePress(v, Qt::LeftButton, keys, fake::pixel_of(*v, from));
        for (int k = 1; k <= 4; ++k) {
            const QPointF at = fake::pixel_of(*v, from + (k / 4.0) * (to - from));
            QMouseEvent move(QEvent::MouseMove, at, v->mapToGlobal(at), Qt::NoButton,
                             Qt::LeftButton, keys);
            QApplication::sendEvent(v, &move);
        }
        QTest::mouseRelease(v, Qt::LeftButton, keys, fake::pixel_of(*v, to));
    }
    std::size_t painted(std::size_t region)
    {
        const auto& w = session().regions.at(region).where;
        const auto* t = w ? std::get_if<simulation::Tetrahedra>(&*w) : nullptr;
        return t != nullptr ? t->tetrahedra.size() : 0;
    }

  private Q_SLOTS:
    void initTestCase() { qputenv("XDG_CACHE_HOME", dir.path().toUtf8()); }
    void init()
    {
        simulation::Session s;
        s.name = "slab";
        s.mesh = simulation::MeshSlab{{20, 10, 2}, 0.5};
        s.scheme = diffusion::Scheme::p1;
        s.dt_ms = 0.05;
        const auto file = dir.filePath("slab.json");
        simulation::write_session(s, file.toStdString());
        simulation::EngineOptions options;
        options.devices = "cpu";
        host = std::make_unique<EngineHost>(real_engine(options), session_opener());
        window = std::make_unique<MainWindow>(host.get());
        window->resize(1280, 800);
        window->setAutoPlay(false);
        window->show();
        QVERIFY(QTest::qWaitForWindowExposed(window.get()));
        QApplication::setActiveWindow(window.get());
        window->open(file);
        QTRY_VERIFY_WITH_TIMEOUT(host->scene() && window->viewController()->ready(), 60000);
        QTRY_VERIFY_WITH_TIMEOUT(window->view()->framesDrawn() > 0, 60000);
        window->view()->scene().look_from({0, 0, 1}, {0, 1, 0});
        window->view()->finePicture();
        QTRY_VERIFY_WITH_TIMEOUT(window->painting()->ready(), 60000);
    }
    void cleanup()
    {
        window.reset();
        host.reset();
        QVERIFY2(surroundings.errors->text.empty(), surroundings.errors->text.c_str());
    }

    void paintOpensTheBrushAndMakesAScar()
    {
        auto* tissue = child<TissuePanel>();
        QVERIFY(tissue->visibleRegion().isEmpty());
        QVERIFY(!tissue->brush()->isVisible());
        paintAction()->trigger();
        QTRY_VERIFY(!tissue->brush()->visibleRegion().isEmpty());
        auto* what = child<QComboBox>("brushWhat");
        QStringList offered;
        for (int k = 0; k < what->count(); ++k)
            offered << what->itemText(k);
        for (const char* kind : {"Scar", "Border", "Ischaemia", "own cells"})
            QVERIFY2(!offered.filter(kind).isEmpty(), qPrintable(offered.join(", ")));
        QCOMPARE(window->viewController()->settings().shownIn(0), Quantity::regions);
        // nothing was chosen in the list of regions: the stroke makes what the brush says
        child<QDoubleSpinBox>("brushRadius")->setValue(2);
        stroke({6, 5, 2}, {12, 5, 2});
        QCOMPARE(session().regions.size(), std::size_t(2));
        QCOMPARE(session().regions[1].kind, std::string("scar_core"));
        const auto first = painted(1);
        QVERIFY(first > 50);
        QCOMPARE(tissue->brush()->region(), std::optional(1));
        QCOMPARE(tissue->chosen(), 1);
        // the next goes into the same, Alt rubs out
        stroke({6, 8, 2}, {12, 8, 2});
        QVERIFY(painted(1) > first);
        const auto both = painted(1);
        stroke({6, 8, 2}, {12, 8, 2}, Qt::AltModifier);
        QVERIFY(painted(1) < both);
        QCOMPARE(session().regions.size(), std::size_t(2));
        auto& stack = window->document()->edits().stack();
        stack.undo();
        stack.undo();
        QCOMPARE(painted(1), first);
        stack.undo(); // region and first stroke are one step
        QCOMPARE(session().regions.size(), std::size_t(1));
        stack.redo();
        child<QPushButton>("brushDone")->click();
        QCOMPARE(window->mode(), ClickMode::stimulate);
        QVERIFY(!tissue->brush()->isVisible());
        QCOMPARE(window->viewController()->settings().shownIn(0), Quantity::potential);
    }

    void theBrushSaysHowDeepItPaints()
    {
        paintAction()->trigger();
        child<QDoubleSpinBox>("brushRadius")->setValue(2);
        const auto said = [&] {
            QString all;
            for (const auto* l : child<TissuePanel>()->brush()->findChildren<QLabel*>())
                all += l->text();
            return all;
        };
        QVERIFY2(said().contains("2 mm below the surface"), qPrintable(said()));
        child<QDoubleSpinBox>("brushDepth")->setValue(0.6);
        QVERIFY2(said().contains("0.6 mm below the surface"), qPrintable(said()));
        stroke({6, 5, 2}, {12, 5, 2});
        const auto& mesh = *host->scene()->mesh;
        const auto reach = [&] { // of what is painted: downwards, and across the stroke
            double deep = 0, wide = 0;
            for (auto t :
                 std::get<simulation::Tetrahedra>(*session().regions.at(1).where).tetrahedra) {
                const Vec3 c = mesh.centroid(static_cast<std::size_t>(t));
                deep = std::max(deep, 2 - c[2]), wide = std::max(wide, std::abs(c[1] - 5));
            }
            return std::pair(deep, wide);
        };
        QVERIFY(painted(1) > 20);
        QVERIFY2(reach().first <= 0.65 && reach().second > 1.2,
                 qPrintable(QString("%1 %2").arg(reach().first).arg(reach().second)));
        child<QDoubleSpinBox>("brushDepth")->setValue(8); // through the wall
        stroke({6, 5, 2}, {12, 5, 2});
        QVERIFY2(reach().first > 1.6 && reach().second < 2.3,
                 qPrintable(QString("%1 %2").arg(reach().first).arg(reach().second)));
    }

    void changesDuringAndAfterARunAreSaid()
    {
        auto* bar = child<MessageBar>();
        const auto drug = [&](double factor) {
            window->document()->edits().edit("drug", [factor](simulation::Session& s) {
                s.drugs = {{"I_Kr block", {{"g_Kr", factor}}}};
            });
        };
        bar->clear(); // of the mesh
        drug(0.9);    // before the run: nothing to say
        QTRY_COMPARE(host->scene()->session.drugs.size(), std::size_t(1));
        QVERIFY(!bar->isVisible());
        host->runUntil(2);
        QTRY_VERIFY(host->status().time_ms >= 2 - 1e-6);
        drug(0.5);
        QTRY_COMPARE(bar->text(), QString("I_Kr block acts from 2 ms on."));
        window->document()->edits().stack().undo();
        QTRY_COMPARE(host->scene()->session.drugs.at(0).factors.at(0).second, 0.9);
        window->document()->edits().edit(
            "end", [](simulation::Session& s) { s.end_ms = 4, s.drugs = {}; });
        QTRY_COMPARE(bar->text(), QString("I_Kr block acts no longer, from 2 ms on."));
        host->play();
        QTRY_COMPARE(host->status().state, simulation::Status::State::finished);
        QTRY_COMPARE(bar->text(), QString("nothing was activated: the session has no stimulus"));
        bar->settle("unexcited");
        QCOMPARE(bar->waiting(), 0);
        drug(0.5);
        QTRY_COMPARE(host->scene()->session.drugs.size(), std::size_t(1));
        QTRY_VERIFY2(bar->text().startsWith("The run has ended") && bar->text().contains("Ctrl+R"),
                     qPrintable(bar->text()));
        QCOMPARE(bar->waiting(), 1); // stays until the run is anew
        host->reset();
        QTRY_COMPARE(bar->waiting(), 0);
    }

    void resultsAreOldWhileTheTissueIsAnother()
    {
        auto* bar = child<MessageBar>();
        auto& edits = window->document()->edits();
        const auto old = [bar] {
            return bar->waiting() == 1 && bar->text().startsWith("The run has ended");
        };
        const auto settled = [this](std::size_t drugs, std::size_t regions) {
            const auto& s = host->scene()->session;
            return s.drugs.size() == drugs && s.regions.size() == regions;
        };
        edits.edit("end", [](simulation::Session& s) { s.end_ms = 2; });
        host->play();
        QTRY_COMPARE(host->status().state, simulation::Status::State::finished);
        QTRY_COMPARE(bar->text(), QString("nothing was activated: the session has no stimulus"));
        bar->clear();
        edits.edit("drug", [](simulation::Session& s) {
            s.drugs = {{"I_Kr block", {{"g_Kr", 0.5}}}};
        });
        QTRY_VERIFY(settled(1, 1));
        QTRY_VERIFY_WITH_TIMEOUT(old(), 5000 * test::slowdown);
        edits.stack().undo(); // back to what was computed
        QTRY_VERIFY(settled(0, 1));
        QTRY_COMPARE(bar->waiting(), 0);
        edits.stack().redo();
        QTRY_VERIFY(old());
        edits.stack().undo();
        QTRY_COMPARE(bar->waiting(), 0);
        // another tissue, which takes its time; a name alone is none
        edits.edit("name", [](simulation::Session& s) { s.regions[0].name = "all of it"; });
        edits.edit("scar", [](simulation::Session& s) {
            simulation::Region scar;
            scar.model.clear();
            scar.kind = "scar_core";
            scar.where = simulation::Sphere{{10, 5, 2}, 3};
            s.regions.push_back(scar);
        });
        QTRY_VERIFY(settled(0, 2));
        QTRY_VERIFY(old());
        edits.stack().undo();
        QTRY_VERIFY(settled(0, 1));
        QTRY_COMPARE(bar->waiting(), 0);
        // what the engine refuses changes nothing, and that is said until the next edit
        QSignalSpy applied(host.get(), &EngineHost::editApplied);
        edits.edit("bad", [](simulation::Session& s) {
            s.regions[0].parameters = {{"g_of_nothing", 0.5}};
        });
        QTRY_COMPARE(applied.count(), 1); // the tissue that it was before
        QVERIFY2(bar->isVisible() && bar->text().contains("taken back"), qPrintable(bar->text()));
        QCOMPARE(bar->waiting(), 1);
        // a run that goes on has results of its own again
        edits.edit("drug", [](simulation::Session& s) {
            s.drugs = {{"I_Kr block", {{"g_Kr", 0.5}}}};
        });
        QTRY_VERIFY(old());
        edits.edit("end", [](simulation::Session& s) { s.end_ms = 4; });
        QTRY_COMPARE(host->status().end_ms, 4.0);
        host->play();
        QTRY_COMPARE(host->status().time_ms, 4.0);
        QTRY_COMPARE(host->status().state, simulation::Status::State::finished);
        QTRY_COMPARE(bar->text(), QString("nothing was activated: the session has no stimulus"));
        bar->settle("unexcited");
        QCOMPARE(bar->waiting(), 0);
        edits.stack().undo(); // the end; it stands where the run is already
        edits.stack().undo(); // the drug, with which it was computed
        QTRY_VERIFY(settled(0, 1));
        QTRY_VERIFY(bar->text().startsWith("The run has ended"));
    }

    void anotherViewBecomesCurrentWhilePainting()
    {
        auto s = window->viewController()->settings();
        s.count = 2;
        child<ViewPanel>()->setSettings(s);
        Q_EMIT child<ViewPanel>()->changed(s);
        paintAction()->trigger();
        window->views()->setCurrent(1);
        window->setMode(ClickMode::stimulate);
        QCOMPARE(window->viewController()->settings().shownIn(0), Quantity::potential);
        QCOMPARE(window->viewController()->settings().shownIn(1), Quantity::activation);
    }

    void noStrokeVanishesSilently()
    {
        auto* bar = child<MessageBar>();
        paintAction()->trigger();
        stroke({6, 5, 2}, {8, 5, 2}, Qt::AltModifier); // there is nothing to rub out
        QTRY_VERIFY(bar->isVisible() && bar->text().contains("rubbed out"));
        QCOMPARE(session().regions.size(), std::size_t(1));
        child<QDoubleSpinBox>("brushRadius")->setValue(0.5); // no middle of a tetrahedron in it
        bar->clear();
        bool told = false;
        for (int k = 0; k < 12 && !told; ++k) {
            const Vec3 at{3 + 0.13 * k, 5, 2};
            const auto before = session().regions.size();
            stroke(at, at);
            told = bar->text().contains("larger radius");
            QVERIFY(told || session().regions.size() > before || painted(1) > 0);
        }
    }

    void scarIsOutlined()
    {
        auto* views = window->viewController();
        auto& scene = window->view()->scene();
        const auto plain = window->view()->finePicture();
        QCOMPARE(views->scar().count(), std::size_t(0));
        simulation::Region scar;
        scar.model.clear();
        scar.kind = "scar_core";
        scar.name = "scar";
        scar.scale = {{"g_Na", 0}, {"g_NaL", 0}, {"g_CaL", 0}}; // its cells cannot fire
        scar.where = simulation::Sphere{{10, 5, 2}, 3};
        window->document()->edits().edit(
            "scar", [scar](simulation::Session& s) { s.regions.push_back(scar); });
        QTRY_VERIFY(views->scar().count() > 20);
        const auto& p = views->scar().light;
        for (std::size_t k = 0; k + 2 < p.size(); k += 3) { // around the ball
            const double r = std::hypot(p[k] - 10, p[k + 1] - 5, p[k + 2] - 2);
            QVERIFY2(r > 1.5 && r < 4.5, qPrintable(QString::number(r)));
        }
        const auto around = [&](double r) { // part of the picture around the scar's edge
            const auto a = scene.project({10 - r, 5 + r, 2}), b = scene.project({10 + r, 5 - r, 2});
            const int h = window->view()->renderWindow()->GetSize()[1];
            return QRect(QPoint(qRound(a[0]), qRound(h - a[1])),
                         QPoint(qRound(b[0]), qRound(h - b[1])));
        };
        const QImage marked = window->view()->finePicture();
        QVERIFY(fake::difference(plain, marked, around(4)) > 2);
        auto* action = child<QAction>("scarOutline");
        QVERIFY(action->isChecked());
        action->trigger();
        QVERIFY(!views->settings().scar);
        QVERIFY(fake::difference(plain, window->view()->finePicture(), around(4)) < 0.5);
        window->document()->edits().stack().undo();
        QVERIFY(views->settings().scar && action->isChecked());
        // tissue that conducts slowly has a thinner line, any other none
        const auto width = [views] { // of a piece
            const auto& q = views->scar().light;
            return std::hypot(q[9] - q[0], q[10] - q[1], q[11] - q[2]);
        };
        const auto bold = width();
        window->document()->edits().edit("border", [](simulation::Session& s) {
            s.regions.back().kind = "border_zone";
            s.regions.back().scale = {{"g_Na", 0.38}};
        });
        QTRY_VERIFY(views->scar().count() > 20 && width() < 0.6F * bold);
        window->document()->edits().edit("other", [](simulation::Session& s) {
            s.regions.back().kind = "ischaemia";
            s.regions.back().scale = {{"g_Na", 0.8}};
        });
        QTRY_COMPARE(views->scar().count(), std::size_t(0));
    }
};

int main(int argc, char** argv)
{
    return fake::run<TestPainting>(argc, argv);
}
#include "test_painting.moc"
