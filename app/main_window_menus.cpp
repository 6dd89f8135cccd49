// SPDX-License-Identifier: GPL-3.0-or-later
// Menus, keys, start page, help.
#include "app/export_controller.hpp"
#include "app/keeping_controller.hpp"
#include "app/look_controller.hpp"
#include "app/main_window.hpp"
#include "app/mesh_controller.hpp"
#include "app/opening_controller.hpp"
#include "app/replay_controller.hpp"
#include "app/results_controller.hpp"
#include "app/run_controller.hpp"
#include "app/saving_controller.hpp"
#include "app/settings.hpp"
#include "app/study_controller.hpp"
#include "app/tool_bar.hpp"
#include "engine/simulation/results/export_kind.hpp"
#include "widgets/panels/guide_window.hpp"
#include "widgets/panels/hint_card.hpp"
#include "widgets/panels/icons.hpp"
#include "widgets/panels/overlay.hpp"
#include "widgets/panels/start_page.hpp"

#include <QActionGroup>
#include <QApplication>
#include <QDragEnterEvent>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QSettings>

#include <algorithm>
#include <tuple>

namespace tawara {
namespace {

struct NamedView
{
    scene::View view;
    const char *text, *key;
};
constexpr NamedView named_views[] = {
    {scene::View::oblique, QT_TRANSLATE_NOOP("MainWindow", "Reset camera"), "Home"},
    {scene::View::anterior, QT_TRANSLATE_NOOP("MainWindow", "Anterior (−y)"), "1"},
    {scene::View::posterior, QT_TRANSLATE_NOOP("MainWindow", "Posterior (+y)"), "2"},
    {scene::View::left, QT_TRANSLATE_NOOP("MainWindow", "Left (+x)"), "3"},
    {scene::View::right, QT_TRANSLATE_NOOP("MainWindow", "Right (−x)"), "4"},
    {scene::View::superior, QT_TRANSLATE_NOOP("MainWindow", "Base, from above (+z)"), "5"},
    {scene::View::inferior, QT_TRANSLATE_NOOP("MainWindow", "Apex, from below (−z)"), "6"},
};

} // namespace

void MainWindow::buildMenus()
{
    buildFileMenu();
    buildEditMenu();
    buildRunMenu();
    buildMeshMenu();
    menuBar()->addMenu(tr("&Tools"))->addActions(m_tools->modes());
    buildViewMenu();
    buildHelpMenu();
    m_opening->fillStart();
}

void MainWindow::buildFileMenu()
{
    auto* file = menuBar()->addMenu(tr("&File"));
    file->addAction(tr("&Start page"), this, [this] { showStart(true); });
    file->addAction(themedIcon("open"), tr("&Open mesh or session…"), m_opening.get(),
                    &OpeningController::ask)
        ->setShortcut(QKeySequence::Open);
    auto* recent = file->addMenu(tr("Open &recent"));
    connect(recent, &QMenu::aboutToShow, this, [this, recent] { m_opening->fillRecent(*recent); });
    file->addAction(tr("Open the &built-in heart"), this, [this] { m_opening->askAndOpen({}); });
    file->addAction(tr("&New heart…"), m_mesh.get(), &MeshController::askForHeart)
        ->setShortcut(QKeySequence::New);
    file->addAction(tr("New s&lab…"), m_mesh.get(), &MeshController::askForSlab);
    file->addSeparator();
    auto* save = file->addAction(tr("&Save session"), m_saving.get(), &SavingController::saveOrAsk);
    save->setObjectName("save");
    save->setShortcut(QKeySequence::Save);
    save->setEnabled(false);
    auto* as = file->addAction(tr("Save session &as…"), m_saving.get(), &SavingController::ask);
    as->setShortcut(QKeySequence(tr("Ctrl+Shift+S")));
    as->setEnabled(false);
    connect(m_host, &EngineHost::loaded, this, [save, as] {
        save->setEnabled(true);
        as->setEnabled(true);
    });
    m_keeping->addMenu(*file);
    file->addAction(themedIcon("camera"), tr("Save &picture…"), m_exporting.get(),
                    &ExportController::askForPicture)
        ->setShortcut(QKeySequence(tr("Ctrl+P")));
    file->addAction(themedIcon("movie"), tr("Make a &movie…"), m_exporting.get(),
                    &ExportController::askForMovie)
        ->setShortcut(QKeySequence(tr("Ctrl+M")));
    auto* film =
        file->addAction(tr("Film the &screen…"), m_exporting.get(), &ExportController::askForFilm);
    film->setObjectName("film");
    connect(m_exporting.get(), &ExportController::filmingChanged, film, [film](bool on) {
        film->setText(on ? tr("End the &film of the screen") : tr("Film the &screen…"));
    });
    buildExports(*file);
    file->addSeparator();
    file->addAction(tr("&Quit"), this, &QWidget::close)->setShortcut(QKeySequence::Quit);
}

void MainWindow::buildExports(QMenu& file)
{
    auto* exports = file.addMenu(tr("&Export"));
    exports->setObjectName("exports");
    exports->setToolTipsVisible(true);
    connect(exports, &QMenu::aboutToShow, this,
            [this, exports] { m_exporting->updateExports(exports); });
    exports->addAction(tr("Report with pictures (.pdf, .html)…"), m_exporting.get(),
                       &ExportController::askForReport);
    for (const auto& c : simulation::export_choices()) {
        if (c.kind == simulation::ExportKind::report_html)
            continue; // the window's has pictures
        const auto text = [](std::string_view v) {
            return QString::fromUtf8(v.data(), static_cast<qsizetype>(v.size()));
        };
        const QString kind = text(c.text); // some name their format already
        auto* action = exports->addAction(
            kind + (kind.endsWith(')') ? QStringLiteral("…")
                                       : QStringLiteral(" (%1)…").arg(text(c.extension))),
            this,
            [this, k = text(c.name), e = text(c.extension)] { m_exporting->askForExport(k, e); });
        action->setData(text(c.name));
    }
}

void MainWindow::buildEditMenu()
{
    auto* edit = menuBar()->addMenu(tr("&Edit"));
    auto& stack = m_document->edits().stack();
    auto* undo = stack.createUndoAction(this, tr("&Undo"));
    undo->setShortcut(QKeySequence::Undo);
    undo->setObjectName("undo");
    auto* redo = stack.createRedoAction(this, tr("&Redo"));
    redo->setShortcuts({QKeySequence(tr("Ctrl+Shift+Z")), QKeySequence(tr("Ctrl+Y"))});
    redo->setObjectName("redo");
    edit->addAction(undo);
    edit->addAction(redo);
}

void MainWindow::buildRunMenu()
{
    auto* run = menuBar()->addMenu(tr("&Run"));
    run->setToolTipsVisible(true);
    run->addAction(themedIcon("play"), tr("&Play or pause"), m_run.get(),
                   &RunController::playOrPause)
        ->setShortcut(Qt::Key_Space);
    run->addAction(themedIcon("step"), tr("One time &step"), this, [this] { m_host->step(1); })
        ->setShortcut(Qt::Key_Period);
    run->addAction(tr("&One millisecond"), m_run.get(), &RunController::stepMillisecond)
        ->setShortcut(Qt::SHIFT | Qt::Key_Period);
    run->addAction(themedIcon("reset"), tr("&Back to the start"), this,
                   [this] { m_run->backToStart(); })
        ->setShortcut(QKeySequence(tr("Ctrl+R")));
    run->addAction(tr("&Length of the run…"), m_run.get(), &RunController::askForLength);
    run->addAction(tr("N&umerics…"), m_run.get(), &RunController::askForNumerics)
        ->setObjectName("numerics");
    run->addAction(tr("Ou&tputs…"), m_run.get(), &RunController::askForOutputs)
        ->setObjectName("outputs");
    run->addSeparator();
    run->addAction(themedIcon("record"), tr("Start or end a r&ecording"), this,
                   [this] { m_run->recordByHand(!m_host->status().recording); })
        ->setShortcut(QKeySequence(tr("Ctrl+E")));
    run->addAction(tr("Re&play what was recorded"), this,
                   [this] { m_replay->replay(!m_replay->replaying()); })
        ->setShortcut(QKeySequence(tr("Shift+Space")));
    run->addAction(tr("&Follow the run"), m_replay.get(), &ReplayController::follow)
        ->setShortcut(QKeySequence(tr("End")));
    m_results->addKeep(*run);
    run->addSeparator();
    run->addAction(tr("&New study of this session…"), m_study.get(), &StudyController::askForNew)
        ->setObjectName("newStudy");
    run->addAction(tr("Open a stu&dy…"), m_study.get(), &StudyController::askForStudy)
        ->setObjectName("openStudy");
    run->addSeparator();
    m_run->addChoices(*run, *m_pace);
}

void MainWindow::buildMeshMenu()
{
    auto* mesh = menuBar()->addMenu(tr("&Mesh"));
    mesh->addAction(tr("&Refine…"), m_mesh.get(), &MeshController::askForRefinement)
        ->setObjectName("refine");
    mesh->addAction(tr("&Fibres from a file…"), m_mesh.get(), &MeshController::askForFibres)
        ->setObjectName("fibres");
    auto* byRule =
        mesh->addAction(tr("Fibres by &rule…"), m_mesh.get(), &MeshController::askForFibreRule);
    byRule->setObjectName("fibresByRule");
    byRule->setToolTip(tr("Fibres that turn across the wall, by angles"));
    connect(mesh, &QMenu::aboutToShow, this, [this, byRule] {
        byRule->setEnabled(
            std::holds_alternative<simulation::MeshFile>(m_document->session().mesh));
    });
}

void MainWindow::buildViewMenu()
{
    auto* menu = menuBar()->addMenu(tr("&View"));
    for (const NamedView& v : named_views) {
        auto* a = menu->addAction(tr(v.text), this, [this, view = v.view] {
            const int current = m_grid->current();
            m_grid->each([&](HeartView& h, int i) {
                if (i != current && !m_grid->linked())
                    return;
                h.scene().look(view);
                h.schedule();
            });
        });
        a->setShortcut(QKeySequence(QLatin1String(v.key)));
    }
    menu->addSeparator();
    auto* counts = new QActionGroup(this);
    for (const int n : {1, 2, 4}) {
        auto* a = menu->addAction(n == 1 ? tr("One view") : tr("%1 views").arg(n), this, [this, n] {
            m_look->choose([n](ViewSettings& s) { s.setCount(n); });
        });
        a->setObjectName(QStringLiteral("views%1").arg(n));
        a->setCheckable(true);
        a->setChecked(n == m_grid->count());
        counts->addAction(a);
        connect(m_grid, &ViewGrid::countChanged, a, [a, n](int now) { a->setChecked(now == n); });
    }
    menu->addSeparator();
    auto* scar = menu->addAction(tr("Outline of &scar"));
    scar->setObjectName("scarOutline");
    scar->setCheckable(true);
    scar->setChecked(m_views->settings().scar);
    scar->setToolTip(tr(
        "A line on the heart around tissue that cannot fire, a thinner one around border zones"));
    connect(scar, &QAction::triggered, this,
            [this](bool on) { m_look->choose([on](ViewSettings& s) { s.scar = on; }); });
    connect(m_look.get(), &LookController::applied, scar,
            [scar](const ViewSettings& s) { scar->setChecked(s.scar); });
    buildNetworkMenu(*menu);
    m_lightAction = menu->addAction(tr("&Light theme"));
    m_lightAction->setCheckable(true);
    m_lightAction->setShortcut(QKeySequence(tr("Ctrl+L")));
    connect(m_lightAction, &QAction::toggled, this,
            [this](bool on) { setTheme(on ? Theme::light : Theme::dark); });
    menu->addSeparator();
    menu->addActions(m_docks->toggles());
    menu->addAction(tr("Restore la&yout"), m_docks.get(), &PanelDocks::restoreFirst);
    menu->addAction(tr("&Full screen"), this,
                    [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); })
        ->setShortcut(Qt::Key_F11);
}

void MainWindow::buildNetworkMenu(QMenu& view)
{
    using Network = ViewSettings::Network;
    auto* menu = view.addMenu(tr("&Network"));
    menu->setObjectName("networkMenu");
    menu->setToolTipsVisible(true);
    auto* group = new QActionGroup(this);
    const std::tuple<Network, const char*, QString, QString> looks[] = {
        {Network::off, "networkOff", tr("&Off"), tr("The Purkinje network is not drawn")},
        {Network::inside, "networkInside", tr("&Inside the wall"),
         tr("Where it lies: seen through a cut or a translucent wall")},
        {Network::top, "networkTop", tr("On &top"), tr("All of it, drawn over the wall")},
    };
    for (const auto& [look, name, text, tip] : looks) {
        auto* a = menu->addAction(text, this, [this, look = look] {
            m_look->choose([look](ViewSettings& s) { s.network = look; });
        });
        a->setObjectName(QLatin1String(name));
        a->setToolTip(tip);
        a->setCheckable(true);
        a->setChecked(m_views->settings().network == look);
        group->addAction(a);
        connect(m_look.get(), &LookController::applied, a,
                [a, look = look](const ViewSettings& s) { a->setChecked(s.network == look); });
    }
}

void MainWindow::buildHelpMenu()
{
    auto* help = menuBar()->addMenu(tr("&Help"));
    help->addAction(tr("&Guide"), this, [this] { showGuide("start"); })
        ->setShortcut(QKeySequence(Qt::Key_F1));
    help->addAction(tr("&Keys and mouse"), this, &MainWindow::showShortcuts)
        ->setShortcut(QKeySequence("?"));
    help->addAction(tr("&Hints on the heart"), this, [this] {
        openSettings()->setValue("help/hintsSeen", false);
        showHints();
    });
    help->addAction(tr("&About Tawara"), this, [this] {
        auto* box = new QMessageBox(
            QMessageBox::NoIcon, tr("About Tawara"),
            tr("<h3>Tawara</h3><p>A workstation for cardiac electrophysiology: the electrical wave "
               "of a heart, computed and shown at once.</p><p>Free software under the GNU General "
               "Public License, version 3 or later. For research; not a medical "
               "device.</p><p>%1</p>")
                .arg(view()->glDescription().toHtmlEscaped()),
            QMessageBox::Close, this);
        box->setAttribute(Qt::WA_DeleteOnClose);
        box->setModal(false);
        box->show();
    });
}

void MainWindow::showShortcuts()
{
    std::vector<std::pair<QString, QString>> rows;
    for (auto* top : menuBar()->actions()) {
        const auto below = top->menu()->actions();
        if (std::none_of(below.begin(), below.end(),
                         [](const QAction* a) { return !a->shortcut().isEmpty(); }))
            continue; // no heading over nothing
        rows.emplace_back(QString(), top->text().remove('&'));
        for (auto* a : below)
            if (!a->shortcut().isEmpty())
                rows.emplace_back(a->shortcut().toString(QKeySequence::NativeText),
                                  a->text().remove('&').remove(QStringLiteral("…")));
    }
    const auto views = std::find_if(rows.begin(), rows.end(),
                                    [](const auto& r) { return r.first == QLatin1String("1"); });
    rows.emplace(views, tr("V"), tr("One, two or four views in turn"));
    rows.emplace_back(QString(), tr("Anywhere"));
    rows.emplace_back(tr("Esc"), tr("Leave the tool or the start page"));
    rows.emplace_back(QString(), tr("Mouse on the heart"));
    rows.emplace_back(tr("Left drag"), tr("turn"));
    rows.emplace_back(tr("Wheel, right drag"), tr("zoom"));
    rows.emplace_back(tr("Middle or Shift drag"), tr("move"));
    rows.emplace_back(tr("Click"), tr("what the tool says"));
    rows.emplace_back(tr("Drag a site or probe"), tr("move it along the wall (A, P)"));
    rows.emplace_back(tr("Alt while painting"), tr("rub out"));
    rows.emplace_back(QString(), tr("Mouse on the plots"));
    rows.emplace_back(tr("Wheel"), tr("length of time shown"));
    rows.emplace_back(tr("Shift + click"), tr("cursors A and B"));
    rows.emplace_back(QString(), tr("On a cell's dyads"));
    rows.emplace_back(tr("Arrows, + and \u2212, Home"), tr("turn, zoom, the whole cell"));
    auto* sheet = new ShortcutSheet(rows, this);
    sheet->setAttribute(Qt::WA_DeleteOnClose);
    sheet->show();
}

void MainWindow::showGuide(const QString& page)
{
    if (m_guide == nullptr)
        m_guide = new GuideWindow(this);
    m_guide->showPage(page);
    m_guide->show();
    m_guide->raise();
}

void MainWindow::showStart(bool on)
{
    if (on)
        m_opening->fillStart();
    m_start->setVisible(on);
    m_grid->setVisible(!on);
    if (auto* hints = m_viewFrame->findChild<QFrame*>("hints")) // they are of the heart
        hints->setVisible(!on && m_grid->count() == 1);
    if (!on && !m_host->scene() && !m_host->isLoading())
        m_overlay->showEmpty();
    else if (on)
        m_overlay->hide();
}

void MainWindow::showHints()
{
    const auto settings = openSettings();
    if (settings->value("help/hintsSeen", false).toBool() || qApp->property("noHints").toBool() ||
        m_viewFrame->findChild<QFrame*>("hints") != nullptr)
        return;
    auto* card = new HintCard(m_viewFrame);
    connect(card, &HintCard::seen, card, [card] {
        openSettings()->setValue("help/hintsSeen", true);
        card->deleteLater();
    });
    card->setVisible(!m_start->isVisible() && m_grid->count() == 1);
    connect(m_grid, &ViewGrid::countChanged, card, // it would lie across several views
            [this, card](int n) { card->setVisible(n == 1 && !m_start->isVisible()); });
}

void MainWindow::keyPressEvent(QKeyEvent* e)
{
    if (e->key() == Qt::Key_Escape && m_start->isVisible())
        showStart(false);
    else if (e->key() == Qt::Key_Escape)
        setMode(ClickMode::rotate);
    else
        QMainWindow::keyPressEvent(e);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* e)
{
    const auto urls = e->mimeData()->urls();
    if (!urls.isEmpty() && urls.first().isLocalFile())
        e->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* e)
{
    const auto urls = e->mimeData()->urls();
    if (urls.isEmpty() || !urls.first().isLocalFile())
        return;
    e->acceptProposedAction();
    m_opening->askAndOpen(urls.first().toLocalFile());
}

} // namespace tawara
