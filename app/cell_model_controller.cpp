// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cell_model_controller.hpp"

#include "app/document.hpp"
#include "app/scene_work.hpp"
#include "app/settings.hpp"
#include "engine/cell/own_model.hpp"
#include "engine/cell/special_variables.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/model_variables_dialog.hpp"
#include "widgets/panels/tissue_panel.hpp"

#include <QFileDialog>
#include <QFileInfo>
#include <QPointer>
#include <QSettings>

namespace tawara {
namespace {

/// What was read of a model file.
struct Read
{
    cell::Candidates candidates;
    const cell::ModelInfo* info = nullptr;
    QString error;
};

template <class Work>
void reading(Read& r, Work work)
{
    try {
        work();
    } catch (const std::exception& e) {
        r.error = QString::fromUtf8(e.what());
    }
}

} // namespace

CellModelController::CellModelController(QWidget& window, EngineHost& host, Document& document,
                                         TissuePanel& tissue, SceneWork& work, MessageBar& message)
    : m_window(window), m_host(host), m_document(document), m_tissue(tissue), m_work(work),
      m_message(message)
{
    connectFiles();
}

void CellModelController::describe()
{
    m_work.runAnyway(
        [] {
            std::vector<const cell::ModelInfo*> models;
            for (const auto& n : cell::model_names())
                models.push_back(&cell::model_info(n));
            for (const auto& n : cell::own_model_names())
                models.push_back(&cell::model_info(n));
            return models;
        },
        [this](const std::vector<const cell::ModelInfo*>& models) { m_tissue.setModels(models); });
}

void CellModelController::follow(const simulation::Session& session)
{
    std::vector<std::string> models;
    for (const auto& r : session.regions)
        if (!r.inherits())
            models.push_back(r.model);
    m_files.follow(models);
}

void CellModelController::showError(const QString& reason, const QString& advice)
{
    m_message.showMessage(MessageBar::Level::error, reason, advice, "model");
}

void CellModelController::askForFile(int region)
{
    const auto settings = openSettings();
    const QString path = QFileDialog::getOpenFileName(
        &m_window, tr("Cell model"), settings->value("files/models").toString(),
        tr("Cell models (*.mmt *.cellml *.xml);;All files (*)"));
    if (path.isEmpty())
        return;
    settings->setValue("files/models", QFileInfo(path).absolutePath());
    useFile(region, path);
}

void CellModelController::useFile(int region, const QString& path)
{
    const std::string key = cell::model_key(path.toStdString(), {});
    m_work.run(
        [key] {
            Read r;
            reading(r, [&] {
                r.candidates = cell::candidates_of(key);
                if (!r.candidates.must_ask())
                    r.info = &cell::model_info(key, key);
            });
            return r;
        },
        [this, region, path, key](const Read& r) {
            if (!r.error.isEmpty())
                return showError(r.error, tr("The region keeps its model."));
            m_message.settle("model");
            if (r.info != nullptr) {
                return useModel(region, key, r.info);
            }
            askForVariables(region, path, r.candidates);
        });
}

void CellModelController::useModel(int region, const std::string& key, const cell::ModelInfo* info)
{
    take(key, info);
    const auto before = m_document.session().regions;
    m_tissue.setModel(region, key);
    if (m_document.session().regions == before) // its file may have changed
        m_document.renewTissue();
}

void CellModelController::askForVariables(int region, const QString& path,
                                          const cell::Candidates& c)
{
    auto* dialog = new ModelVariablesDialog(path, c, &m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowModality(Qt::WindowModal); // the regions stay as they are meanwhile
    connect(dialog, &ModelVariablesDialog::chosen, this,
            [this, region, path, shown = QPointer(dialog)](const cell::SpecialVariables& names) {
                const std::string key =
                    cell::key_with(cell::model_key(path.toStdString(), {}), names);
                m_work.run(
                    [key] {
                        Read r;
                        reading(r, [&] { r.info = &cell::model_info(key, cell::path_of(key)); });
                        return r;
                    },
                    [this, region, key, shown](const Read& r) {
                        if (!shown)
                            return; // it was closed meanwhile
                        if (!r.error.isEmpty())
                            return shown->refuse(r.error);
                        useModel(region, key, r.info);
                        shown->accept();
                    });
            });
    dialog->show();
}

void CellModelController::take(const std::string& key, const cell::ModelInfo* info)
{
    m_files.take(key, info);
    m_tissue.addModel(key, info);
}

void CellModelController::readAnew(const std::string& key, const cell::ModelInfo* info)
{
    take(key, info);
    m_document.renewTissue();
    m_message.settle("model");
}

void CellModelController::connectFiles()
{
    connect(&m_files, &ModelFiles::described, &m_tissue, &TissuePanel::addModel);
    connect(&m_files, &ModelFiles::changed, this,
            [this](const std::string& key, const cell::ModelInfo* info) {
                const QString name =
                    QFileInfo(QString::fromStdString(cell::path_of(key))).fileName();
                m_message.showMessage(
                    MessageBar::Level::warning, tr("%1 has changed on disk.").arg(name),
                    tr("Where it is read anew its cells start from its initial state; V goes on."),
                    "model",
                    {tr("Read %1 anew").arg(name), [this, key, info] { readAnew(key, info); }});
            });
    // any change of the tissue makes the engine read its models' files as they are then
    connect(&m_host, &EngineHost::tissueApplied, this, [this] {
        for (const auto& [key, info] : m_files.offered())
            m_tissue.addModel(key, info);
    });
    connect(&m_files, &ModelFiles::unreadable, this, [this](const QString&, const QString& reason) {
        showError(reason, tr("The run keeps the model as it was read before."));
    });
    connect(&m_files, &ModelFiles::unwatched, this, [this](const QString& file) {
        m_message.showMessage(MessageBar::Level::warning,
                              tr("%1: the system watches no more files, so changes on disk will "
                                 "not be noticed.")
                                  .arg(file),
                              tr("Choosing the model again reads it anew."));
    });
}

} // namespace tawara
