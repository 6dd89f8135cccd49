// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/view3d/heart_view.hpp"

#include <QToolBar>

class QActionGroup;

namespace tawara {

/// The bar at the left: what a click on the heart does, and what is wanted often.
///
/// @thread GUI thread
class ToolBar : public QToolBar
{
    Q_OBJECT
  public:
    explicit ToolBar(QWidget* parent = nullptr);
    /// The tools alone, for a menu.
    QList<QAction*> modes() const;
    void setMode(ClickMode mode);
    /// Without words where a window of that size leaves no room for them.
    void fit(const QSize& window);
    /// Under the pointer is what is there now: a button whose menu or dialog took the pointer away
    /// is not told, and would look touched until the pointer comes and goes again.
    void forgetHover();

  Q_SIGNALS:
    void modeChosen(tawara::ClickMode mode);
    void cameraRequested(); ///< looks at the whole heart
    void viewsRequested();  ///< another number of views
    void pictureRequested();
    void movieRequested();

  private:
    /// A button whose icon follows the theme.
    QAction* add(const QString& text, const char* icon, const QString& tip);

    QActionGroup* m_modes;
};

} // namespace tawara
