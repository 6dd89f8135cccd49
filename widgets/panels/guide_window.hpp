// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDialog>

#include <vector>

class QListWidget;
class QTextBrowser;

namespace tawara {

/// The guide inside the program: pages of resources/guide, written in Markdown, with pictures of
/// the program itself.
class GuideWindow : public QDialog
{
    Q_OBJECT
  public:
    explicit GuideWindow(QWidget* parent = nullptr);
    /// A page by its file name without ending, e.g. "pacing".
    void showPage(const QString& name);
    static QStringList pages();

  private:
    QListWidget* m_list;
    QTextBrowser* m_text;
};

/// All keys and what the mouse does, in one table, from the actions themselves.
class ShortcutSheet : public QDialog
{
    Q_OBJECT
  public:
    /// @param rows  key, what it does; an empty key makes a heading
    ShortcutSheet(const std::vector<std::pair<QString, QString>>& rows, QWidget* parent = nullptr);
};

} // namespace tawara
