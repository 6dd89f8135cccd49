// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model_files.hpp"

#include "engine/cell/special_variables.hpp"

#include <QFileInfo>

#include <utility>

namespace tawara {
namespace {

constexpr int settle_ms = 300;

/// What was read of a model.
struct Read
{
    const cell::ModelInfo* info = nullptr;
    QString error;
};

Read read(const std::string& key)
{
    Read r;
    try {
        r.info = &cell::model_info(key, cell::path_of(key));
    } catch (const std::exception& e) {
        r.error = QString::fromUtf8(e.what());
    }
    return r;
}

QString file_of(const std::string& key)
{
    return QString::fromStdString(cell::path_of(key));
}

} // namespace

ModelFiles::ModelFiles(QObject* parent) : QObject(parent)
{
    m_pool.setMaxThreadCount(1);
    m_settle.setSingleShot(true);
    m_settle.setInterval(settle_ms);
    connect(&m_settle, &QTimer::timeout, this, &ModelFiles::reread);
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, [this](const QString& file) {
        m_touched.insert(file);
        m_settle.start();
    });
}

ModelFiles::~ModelFiles()
{
    m_pool.waitForDone();
}

void ModelFiles::follow(const std::vector<std::string>& keys)
{
    QStringList files;
    for (const std::string& key : keys) {
        if (m_models.try_emplace(key, nullptr).second)
            describe(key);
        if (const QString file = file_of(key); cell::is_file(key) && !files.contains(file))
            files.push_back(file);
    }
    for (const QString& watched : m_watcher.files())
        if (!files.removeOne(watched))
            m_watcher.removePath(watched);
    if (!files.isEmpty())
        m_watcher.addPaths(files);
}

void ModelFiles::forget()
{
    m_models.clear();
    m_offered.clear();
    ++m_session;
}

void ModelFiles::take(const std::string& key, const cell::ModelInfo* info)
{
    m_models[key] = info;
    m_offered.erase(key);
}

void ModelFiles::describe(const std::string& key)
{
    m_pool.start([this, key, session = m_session] {
        QMetaObject::invokeMethod(
            this,
            [this, key, session, r = read(key)] {
                if (session != m_session || r.info == nullptr)
                    return; // where it can't be read the engine has refused the session
                m_models[key] = r.info;
                Q_EMIT described(key, r.info);
            },
            Qt::QueuedConnection);
    });
}

void ModelFiles::reread()
{
    const auto touched = std::exchange(m_touched, {});
    for (const QString& file : touched)
        if (QFileInfo::exists(file)) // one that was put in its place is not watched yet
            m_watcher.addPath(file);
    for (const auto& [key, known] : m_models) {
        if (known == nullptr || !touched.contains(file_of(key)))
            continue;
        m_pool.start([this, key = key, session = m_session] {
            QMetaObject::invokeMethod(
                this,
                [this, key, session, r = read(key)] {
                    if (session != m_session)
                        return;
                    if (r.info == nullptr)
                        Q_EMIT unreadable(file_of(key), r.error);
                    else if (r.info != m_models[key])
                        Q_EMIT changed(key, m_offered[key] = r.info);
                },
                Qt::QueuedConnection);
        });
    }
}

} // namespace tawara
