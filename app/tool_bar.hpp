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
    /// Without words where these would take from the views of a window of that size, or where the
    /// bar would not have room for all tools with them.
    /// @param height  that the bar has [px]
    void fit(const QSize& window, int height);
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
    bool hasWords() const; ///< below the icons
    void setWords(bool on);

    QActionGroup* m_modes;
    int m_heightWithWords = 0; ///< that all tools take [px], when that was known last
};

} // namespace tawara
