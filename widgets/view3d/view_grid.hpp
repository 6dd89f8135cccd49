// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/view3d/heart_view.hpp"

#include <QStringList>
#include <QWidget>

#include <array>
#include <vector>

class QComboBox;
class QGridLayout;
class QToolButton;

namespace tawara {

/// One, two or four views of one heart, each with a line above it that says and chooses what it
/// shows. Linked views share the camera. Views that are not shown do not exist.
///
/// @thread GUI thread
class ViewGrid : public QWidget
{
    Q_OBJECT
  public:
    static constexpr int most = 4;
    /// @param quantities  what a view may show, in the order of their numbers
    explicit ViewGrid(const QStringList& quantities, QWidget* parent = nullptr);

    /// The first view is always there; null for one that is not shown.
    HeartView* view(int i) const
    {
        return i < m_count ? m_cells[static_cast<std::size_t>(i)].view : nullptr;
    }
    int count() const { return m_count; }
    /// @param n  1, 2 or 4
    void setCount(int n);
    bool linked() const { return m_linked; }
    void setLinked(bool on);
    void setQuantity(int view, int quantity);
    /// The view that was clicked or turned last; tools and the View panel speak of it.
    int current() const { return m_current; }
    void setCurrent(int view);
    /// Calls f(view, index) for each view there is.
    template <class F>
    void each(F f)
    {
        for (int i = 0; i < m_count; ++i)
            f(*view(i), i);
    }
    /// All views as one picture.
    QImage picture();
    /// A press anywhere in a cell makes its view the current one.
    bool eventFilter(QObject* watched, QEvent* e) override;

  Q_SIGNALS:
    void viewAdded(tawara::HeartView* view, int index); ///< made: once for each
    void viewShown(tawara::HeartView* view, int index); ///< from now on: whenever it comes back
    void quantityChosen(int view, int quantity);
    void currentChanged(int view);
    void countChanged(int count);

  private:
    class Caption;
    struct Cell
    {
        QWidget* frame = nullptr;
        QComboBox* quantity = nullptr;
        Caption* caption = nullptr;
        HeartView* view = nullptr;
    };
    void make(int i);
    /// Lets the next of the views that were made be seen, when the one before has drawn itself.
    void showNext();
    void follow(int i);

    QStringList m_quantities;
    QGridLayout* m_grid;
    std::array<Cell, most> m_cells;
    std::vector<int> m_waiting; // made, and not seen yet: each makes a context and its shaders
    int m_count = 0, m_current = 0;
    bool m_linked = true, m_following = false;
};

} // namespace tawara
