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
                m_tissue->addModel(key, r.info);
                return m_tissue->setModel(region, key);
            }
            askForVariables(region, path, r.candidates);
        });
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
                        m_tissue->addModel(key, r.info);
                        m_tissue->setModel(region, key);
                        shown->accept();
                    });
            });
    dialog->show();
}

void MainWindow::describeModels()
{
    for (const std::string& key : m_tissue->unknownModels())
        if (m_describedModels.insert(key).second)
            m_pool.start([this, key] {
                Read r;
                reading(r, [&] { r.info = &cell::model_info(key); });
                if (r.info != nullptr) // else the engine has refused the session
                    QMetaObject::invokeMethod(
                        this, [this, key, info = r.info] { m_tissue->addModel(key, info); },
                        Qt::QueuedConnection);
            });
}

} // namespace tawara
