// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFrame>
#include <QPixmap>

#include <vector>

class QGridLayout;

namespace tawara {

/// A worked example on the start page.
struct Example
{
    QString file; ///< session
    QString title, text;
    QPixmap picture; ///< may be null
};

/// Where a person starts: worked examples that run at once, recent files, open, the guide.
class StartPage : public QFrame
{
    Q_OBJECT
  public:
    explicit StartPage(QWidget* parent = nullptr);
    void setExamples(const std::vector<Example>& examples);
    void setRecent(const QStringList& files);

  Q_SIGNALS:
    void openRequested(const QString& file); ///< empty: ask for one
    void heartRequested();
    void guideRequested();
    void closed();

  private:
    QGridLayout *m_examples, *m_recent;
    QWidget* m_recentBox;
};

} // namespace tawara
