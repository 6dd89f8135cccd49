// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/conduction_controller.hpp"

#include "app/click_controller.hpp"
#include "app/document.hpp"
#include "app/grow_dialog.hpp"
#include "app/look_controller.hpp"
#include "app/replay_controller.hpp"
#include "app/settings.hpp"
#include "app/view_controller.hpp"
#include "engine/simulation/observe/network_frame.hpp"
#include "widgets/panels/conduction_panel.hpp"
#include "widgets/panels/message_bar.hpp"

#include <QFileDialog>
#include <QFileInfo>
#include <QSettings>

#include <algorithm>
#include <set>
#include <utility>

namespace tawara {

using simulation::PurkinjeKeys;

namespace {

constexpr const char* about = "network"; // of messages

std::string word(cable::Fascicle f)
{
    return std::string(cable::name(f));
}

/// The numbers of a fascicle's branches.
std::set<std::string> branchesOf(const simulation::NetworkShape& shape, cable::Fascicle f)
{
    std::set<std::string> out;
    const auto& kind = shape.network->morphology.kind;
    for (std::size_t i = 0; i < shape.point.size(); ++i)
        if (shape.parent[i] >= 0 &&
            kind[static_cast<std::size_t>(shape.point[i])] == static_cast<std::int32_t>(f))
            out.insert(std::to_string(shape.branch[i]));
    return out;
}

} // namespace

ConductionController::ConductionController(QWidget& window, EngineHost& host,
                                           ConductionPanel& panel, const Others& others)
    : m_window(window), m_host(host), m_document(others.document), m_panel(panel),
      m_clicks(others.clicks), m_replay(others.replay), m_views(others.views), m_look(others.look),
      m_message(others.message)
{
    connectPanel();
    connectHost();
}

void ConductionController::connectPanel()
{
    connect(&m_panel, &ConductionPanel::growRequested, this, &ConductionController::askToGrow);
    connect(&m_panel, &ConductionPanel::importRequested, this, &ConductionController::askForFile);
    connect(&m_panel, &ConductionPanel::removeRequested, this, [this] {
        replace(tr("Remove the network"), tr("Removing the network"),
                [](PurkinjeKeys& k) { k.wanted = false; });
    });
    connect(&m_panel, &ConductionPanel::hisChanged, this, [this](const ConductionPanel::His& his) {
        edit(
            tr("Change the rhythm of the bundle of His"),
            [his](PurkinjeKeys& k) { setHis(k, his); }, QStringLiteral("his"));
    });
    connect(&m_panel, &ConductionPanel::cutRequested, this, &ConductionController::cut);
    connect(&m_panel, &ConductionPanel::joinAllRequested, this, &ConductionController::joinAll);
    connect(&m_panel, &ConductionPanel::cuttingChosen, this,
            [this](bool on) { m_clicks.setMode(on ? ClickMode::branch : ClickMode::stimulate); });
    connect(&m_panel, &ConductionPanel::resistanceChanged, this, [this](double kOhm) {
        edit(
            tr("Change the resistance of junctions"),
            [kOhm](PurkinjeKeys& k) {
                k.resistance_kOhm = kOhm;
                k.antegrade_ms = 0;
            },
            QStringLiteral("resistance"));
    });
    connect(&m_panel, &ConductionPanel::searchRequested, this, [this](double ms) {
        if (m_document.session().purkinje->antegrade_ms == ms)
            return m_message.showMessage(
                MessageBar::Level::note,
                tr("The resistance is that of a delay of %1 ms already.").arg(ms), {}, about);
        replace(tr("Search for a delay"),
                tr("Searching for the resistance that gives %1 ms").arg(ms),
                [ms](PurkinjeKeys& k) { k.antegrade_ms = ms; });
    });
    connect(&m_panel, &ConductionPanel::cancelRequested, &m_host, &EngineHost::cancelChange);
    connect(&m_clicks, &ClickController::modeChanged, this, &ConductionController::setMode);
    connect(&m_clicks, &ClickController::branchChosen, this, &ConductionController::cutOrJoin);
}

void ConductionController::connectHost()
{
    connect(&m_document, &Document::networkChanged, this, [this] {
        m_panel.setKeys(*m_document.session().purkinje);
        showNetwork();
    });
    connect(&m_host, &EngineHost::loaded, this, [this] {
        m_work.clear();
        m_panel.setWork({});
        m_panel.setFrame(nullptr);
        showNetwork();
    });
    connect(&m_host, &EngineHost::sceneChanged, this, &ConductionController::showNetwork);
    connect(&m_host, &EngineHost::frameArrived, this, &ConductionController::showFrame);
    connect(&m_host, &EngineHost::networkProgress, this,
            [this](double fraction, const QString& stage) {
                if (m_work.isEmpty())
                    m_work = tr("Making the network");
                m_panel.setWork(stage.isEmpty() ? m_work : m_work + QStringLiteral(": ") + stage,
                                fraction);
            });
    const auto done = [this] {
        m_work.clear();
        m_panel.setWork({});
    };
    connect(&m_host, &EngineHost::networkApplied, this, done);
    connect(&m_host, &EngineHost::editRefused, this, done);
    connect(&m_replay, &ReplayController::momentChanged, this, [this] {
        m_panel.setMoment(m_replay.moment() ? tr("The tables are of the run, not of the replayed "
                                                 "moment.")
                                            : QString());
    });
}

void ConductionController::edit(const QString& what,
                                const std::function<void(PurkinjeKeys&)>& change,
                                const QString& key)
{
    if (!m_host.scene())
        return m_message.showMessage(MessageBar::Level::error, tr("There is no heart yet."),
                                     tr("Open a heart first (Ctrl+O)."), about);
    m_document.edits().edit(
        what,
        [change](simulation::Session& s) {
            change(*s.purkinje);
            if (s.purkinje->wanted && s.rest_tolerance_mV > 0)
                s.rest_where_possible = true; // tissue cannot rest beside a network
        },
        key);
}

void ConductionController::replace(const QString& what, const QString& work,
                                   const std::function<void(PurkinjeKeys&)>& change)
{
    if (m_host.scene()) {
        m_work = work;
        m_panel.setWork(work);
    }
    edit(what, change);
}

void ConductionController::askToGrow()
{
    if (!m_host.scene())
        return edit({}, [](PurkinjeKeys&) {}); // which says why not
    auto* dialog = new GrowDialog(m_document.session().purkinje->grow, &m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowModality(Qt::WindowModal);
    connect(dialog, &QDialog::accepted, this, [this, dialog] { grow(dialog->parameters()); });
    dialog->show();
}

void ConductionController::grow(const cable::GrowthParameters& p)
{
    const auto& now = *m_document.session().purkinje;
    if (now.wanted && now.files.empty() && now.grow == p)
        return m_message.showMessage(MessageBar::Level::note,
                                     tr("The network is the one that these numbers give."),
                                     tr("Another seed gives another tree."), about);
    replace(tr("Grow a network"), tr("Growing the network"), [p](PurkinjeKeys& k) {
        k.wanted = true;
        k.files.clear();
        k.unit.reset();
        k.grow = p;
        std::erase_if(k.cut, [](const std::string& c) { // numbers are of another tree
            return std::all_of(c.begin(), c.end(), [](char x) { return x >= '0' && x <= '9'; });
        });
    });
}

void ConductionController::askForFile()
{
    if (!m_host.scene())
        return edit({}, [](PurkinjeKeys&) {});
    const auto settings = openSettings();
    const QString path = QFileDialog::getOpenFileName(
        &m_window, tr("A Purkinje network"), settings->value("files/folder").toString(),
        tr("Networks (*.swc *.vtu *.vtk *.vtp *.txt *.csv);;All files (*)"));
    if (!path.isEmpty())
        importFile(path);
}

void ConductionController::importFile(const QString& path)
{
    const QString name = QFileInfo(path).fileName();
    replace(tr("Import %1").arg(name), tr("Reading %1").arg(name),
            [file = QFileInfo(path).absoluteFilePath().toStdString(),
             unit = m_panel.unit()](PurkinjeKeys& k) {
                k.wanted = true;
                k.files = {file};
                k.unit = unit;
                k.cut.clear(); // of another tree
            });
}

void ConductionController::cut(const std::vector<cable::Fascicle>& fascicles, bool on)
{
    if (!m_shape || fascicles.empty())
        return;
    std::vector<std::pair<std::string, std::set<std::string>>> of;
    for (const auto f : fascicles)
        of.emplace_back(word(f), branchesOf(*m_shape, f));
    const QString name = fascicleName(fascicles.front());
    edit(on ? tr("Cut: %1").arg(name) : tr("Join: %1").arg(name), [of, on](PurkinjeKeys& k) {
        for (const auto& [f, branches] : of) {
            std::erase_if(k.cut,
                          [&](const std::string& c) { return c == f || branches.contains(c); });
            if (on)
                k.cut.push_back(f);
        }
    });
}

void ConductionController::joinAll()
{
    edit(tr("Join all branches"), [](PurkinjeKeys& k) { k.cut.clear(); });
}

void ConductionController::cutOrJoin(int point)
{
    if (!m_shape || point < 0 || static_cast<std::size_t>(point) >= m_shape->point.size())
        return;
    const auto at = static_cast<std::size_t>(point);
    const auto kind =
        m_shape->network->morphology.kind[static_cast<std::size_t>(m_shape->point[at])];
    const auto fascicle = kind > 0 && kind < cable::fascicles ? static_cast<cable::Fascicle>(kind)
                                                              : cable::Fascicle::other;
    const auto branch = std::to_string(m_shape->branch[at]);
    if (!m_shape->cut(at))
        return edit(tr("Cut branch %1").arg(QString::fromStdString(branch)),
                    [branch](PurkinjeKeys& k) { k.cut.push_back(branch); });
    const auto& list = m_document.session().purkinje->cut;
    if (std::find(list.begin(), list.end(), word(fascicle)) != list.end())
        return cut({fascicle}, false);
    edit(tr("Join branch %1").arg(QString::fromStdString(branch)),
         [branch](PurkinjeKeys& k) { std::erase(k.cut, branch); });
}

void ConductionController::setMode(ClickMode mode)
{
    m_panel.setCutting(mode == ClickMode::branch);
    if (mode != ClickMode::branch)
        return;
    if (!m_shape)
        return m_message.showMessage(
            MessageBar::Level::note, tr("There is no Purkinje network to cut."),
            tr("The Conduction panel grows one, or takes one from a file."), about);
    m_message.showMessage(MessageBar::Level::note,
                          tr("Click on a branch to cut it, again to join it."), {}, about);
    using Network = ViewSettings::Network;
    if (m_views.settings().network == Network::off)
        m_look.choose([](ViewSettings& s) { s.network = Network::top; });
}

void ConductionController::showNetwork()
{
    const auto scene = m_host.scene();
    const auto shape = scene ? scene->network : nullptr;
    if (shape == m_shape)
        return;
    m_shape = shape;
    m_panel.setNetwork(shape);
    m_views.setNetwork(shape);
    if (m_host.frame())
        showFrame(m_host.frame());
}

void ConductionController::showFrame(const EngineHost::FramePtr& frame)
{
    m_panel.setFrame(frame->network);
}

} // namespace tawara
