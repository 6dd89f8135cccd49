// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/work_pool.hpp"
#include "engine/cell/model.hpp"

#include <QFileSystemWatcher>
#include <QObject>
#include <QSet>
#include <QTimer>

#include <map>
#include <string>
#include <vector>

namespace tawara {

/// The cell models of a session: described elsewhere, and their files watched, those that they
/// import too. Editors write in several steps, or put another file in the old one's place: it is
/// read when that has settled. One that is gone is looked for until it is there again.
///
/// @thread GUI thread; files are read on a thread of its own
class ModelFiles : public QObject
{
    Q_OBJECT
  public:
    explicit ModelFiles(QObject* parent = nullptr);
    ~ModelFiles() override;

    /// From now on these models (keys of sessions) are looked after: those that are not described
    /// yet will be, and the files among them are watched.
    void follow(const std::vector<std::string>& keys);
    /// All are described anew: another session was opened.
    void forget();
    /// Somebody has this description of a key.
    void take(const std::string& key, const cell::ModelInfo* info);
    /// What changed() told of, and take() not yet.
    const std::map<std::string, const cell::ModelInfo*>& offered() const { return m_offered; }

  Q_SIGNALS:
    /// The first description of a key.
    void described(const std::string& key, const tawara::cell::ModelInfo* info);
    /// The file's text is another one than that which take() or described() was about.
    void changed(const std::string& key, const tawara::cell::ModelInfo* info);
    /// It has changed and is no model now; `reason` is one line.
    void unreadable(const QString& file, const QString& reason);
    /// The system watches no more files: changes of this one will not be noticed.
    void unwatched(const QString& file);

  private:
    void describe(const std::string& key);
    void reread();
    /// Watches the files of the models that are followed, and no others.
    void watch();
    QStringList filesOf(const std::string& key) const;

    std::vector<std::string> m_followed;                    // keys
    std::map<std::string, const cell::ModelInfo*> m_models; // by key; null: being described
    std::map<std::string, const cell::ModelInfo*> m_offered;
    QFileSystemWatcher m_watcher;
    QSet<QString> m_touched, m_gone, m_unwatched;
    QTimer m_settle, m_return;
    quint64 m_session = 0;
    WorkPool m_pool;
};

} // namespace tawara
