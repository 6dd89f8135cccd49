// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QTimer>

#include <functional>
#include <vector>

namespace tawara {

class HeartView;

/// Changes of widgets that come along with the next picture of a view: on software OpenGL every
/// change composes the whole window anew.
///
/// @thread GUI thread
class PictureChanges : public QObject
{
    Q_OBJECT
  public:
    /// @param view  whose pictures are waited for; must outlive this
    explicit PictureChanges(const HeartView& view);
    /// Makes the change: at once where a graphics card draws, else with the next picture, or soon
    /// where none comes.
    void add(std::function<void()> change);
    /// Makes all that wait, in the order in which they came.
    void flush();
    /// None of them is wanted: they are of another scene.
    void forget() { m_waiting.clear(); }

  private:
    const HeartView& m_view;
    std::vector<std::function<void()>> m_waiting;
    QTimer m_due;
};

} // namespace tawara
