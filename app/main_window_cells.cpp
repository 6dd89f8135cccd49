// SPDX-License-Identifier: GPL-3.0-or-later
// Cell models of files.
#include "app/main_window.hpp"
#include "engine/cell/special_variables.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/model_variables_dialog.hpp"
#include "widgets/panels/tissue_panel.hpp"

#include <QFileDialog>
#include <QFileInfo>
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

void MainWindow::askForModelFile(int region)
{
    const auto settings = openSettings();
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Cell model"), settings->value("files/models").toString(),
        tr("Cell models (*.mmt *.cellml *.xml);;All files (*)"));
    if (path.isEmpty())
        return;
    settings->setValue("files/models", QFileInfo(path).absolutePath());
    useModelFile(region, path);
}

void MainWindow::useModelFile(int region, const QString& path)
{
    const std::string key = cell::model_key(path.toStdString(), {});
    elsewhere(
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
                return showError(r.error, tr("The region keeps its model."), "model");
            m_message->settle("model");
            if (r.info != nullptr) {
                return useModel(region, key, r.info);
            }
            askForVariables(region, path, r.candidates);
        });
}

void MainWindow::useModel(int region, const std::string& key, const cell::ModelInfo* info)
{
    takeModel(key, info);
    const auto before = m_document->session().regions;
    m_tissue->setModel(region, key);
    if (m_document->session().regions == before) // its file may have changed
        m_document->renewTissue();
}

void MainWindow::askForVariables(int region, const QString& path, const cell::Candidates& c)
{
    auto* dialog = new ModelVariablesDialog(path, c, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowModality(Qt::WindowModal); // the regions stay as they are meanwhile
    connect(dialog, &ModelVariablesDialog::chosen, this,
            [this, region, path, shown = QPointer(dialog)](const cell::SpecialVariables& names) {
                const std::string key =
                    cell::key_with(cell::model_key(path.toStdString(), {}), names);
                elsewhere(
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

void MainWindow::takeModel(const std::string& key, const cell::ModelInfo* info)
{
    m_models->take(key, info);
    m_tissue->addModel(key, info);
}

void MainWindow::readModelAnew(const std::string& key, const cell::ModelInfo* info)
{
    takeModel(key, info);
    m_document->renewTissue();
    m_message->settle("model");
}

void MainWindow::connectModels()
{
    connect(m_models, &ModelFiles::described, m_tissue, &TissuePanel::addModel);
    connect(
        m_models, &ModelFiles::changed, this,
        [this](const std::string& key, const cell::ModelInfo* info) {
            const QString name = QFileInfo(QString::fromStdString(cell::path_of(key))).fileName();
            m_message->showMessage(
                MessageBar::Level::warning, tr("%1 has changed on disk.").arg(name),
                tr("Where it is read anew its cells start from its initial state; V goes on."),
                "model",
                {tr("Read %1 anew").arg(name), [this, key, info] { readModelAnew(key, info); }});
        });
    // any change of the tissue makes the engine read its models' files as they are then
    connect(m_host, &EngineHost::tissueApplied, this, [this] {
        for (const auto& [key, info] : m_models->offered())
            m_tissue->addModel(key, info);
    });
    connect(m_models, &ModelFiles::unreadable, this, [this](const QString&, const QString& reason) {
        showError(reason, tr("The run keeps the model as it was read before."), "model");
    });
    connect(m_models, &ModelFiles::unwatched, this, [this](const QString& file) {
        m_message->showMessage(MessageBar::Level::warning,
                               tr("%1: the system watches no more files, so changes on disk will "
                                  "not be noticed.")
                                   .arg(file),
                               tr("Choosing the model again reads it anew."));
    });
}

} // namespace tawara
