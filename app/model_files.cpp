// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model_files.hpp"

#include "engine/cell/special_variables.hpp"

#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace tawara {
namespace {

constexpr int files_settle_ms = 300, look_ms = 1000;

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

} // namespace

ModelFiles::ModelFiles(QObject* parent) : QObject(parent)
{
    m_settle.setSingleShot(true);
    m_settle.setInterval(files_settle_ms);
    connect(&m_settle, &QTimer::timeout, this, &ModelFiles::reread);
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, [this](const QString& file) {
        m_touched.insert(file);
        m_settle.start();
    });
    m_return.setInterval(look_ms);
    connect(&m_return, &QTimer::timeout, this, [this] {
        for (const QString& file : QSet(m_gone))
            if (QFileInfo::exists(file)) {
                m_gone.remove(file);
                m_touched.insert(file);
                m_settle.start();
            }
        if (m_gone.isEmpty())
            m_return.stop();
    });
}

ModelFiles::~ModelFiles()
{
    m_pool.waitForDone();
}

void ModelFiles::follow(const std::vector<std::string>& keys)
{
    m_followed = keys;
    for (const std::string& key : keys)
        if (m_models.try_emplace(key, nullptr).second)
            describe(key);
    watch();
}

QStringList ModelFiles::filesOf(const std::string& key) const
{
    if (!cell::is_file(key))
        return {};
    QStringList files{QString::fromStdString(cell::path_of(key))};
    if (const auto m = m_models.find(key); m != m_models.end() && m->second != nullptr)
        for (const auto& f : m->second->files)
            if (const auto name = QString::fromStdString(f.string()); !files.contains(name))
                files.push_back(name);
    return files;
}

void ModelFiles::watch()
{
    QSet<QString> wanted;
    for (const std::string& key : m_followed)
        for (const QString& file : filesOf(key))
            wanted.insert(file);
    m_gone.intersect(wanted);
    for (const QString& watched : m_watcher.files())
        if (!wanted.remove(watched))
            m_watcher.removePath(watched);
    for (const QString& file : wanted) {
        if (m_watcher.addPath(file))
            m_unwatched.remove(file);
        else if (!QFileInfo::exists(file))
            m_gone.insert(file);
        else if (!m_unwatched.contains(file))
            Q_EMIT unwatched(*m_unwatched.insert(file));
    }
    if (!m_gone.isEmpty())
        m_return.start();
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
    watch();
}

void ModelFiles::describe(const std::string& key)
{
    m_pool.start(this, [this, key, session = m_session] {
        postTo(this, [this, key, session, r = read(key)] {
            if (session != m_session || r.info == nullptr)
                return; // where it can't be read the engine has refused the session
            m_models[key] = r.info;
            watch();
            Q_EMIT described(key, r.info);
        });
    });
}

void ModelFiles::reread()
{
    const auto touched = std::exchange(m_touched, {});
    watch(); // a file that was put in another's place is not watched yet
    for (const auto& [key, known] : m_models) {
        const QStringList files = filesOf(key);
        if (known == nullptr || std::none_of(files.begin(), files.end(),
                                             [&](const QString& f) { return touched.contains(f); }))
            continue;
        m_pool.start(this, [this, key = key, session = m_session] {
            postTo(this, [this, key, session, r = read(key)] {
                if (session != m_session)
                    return;
                if (r.info == nullptr)
                    Q_EMIT unreadable(filesOf(key).value(0), r.error);
                else if (r.info != m_models[key])
                    Q_EMIT changed(key, m_offered[key] = r.info);
            });
        });
    }
}

} // namespace tawara
