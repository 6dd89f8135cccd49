// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/panels/calcium_words.hpp"

#include <QJsonObject>
#include <QTimer>
#include <QWidget>

#include <memory>

class QBoxLayout;
class QCheckBox;
class QComboBox;
class QLabel;
class QStackedLayout;
class QToolButton;

namespace tawara {

class ColorScale;
class DyadView;
class NumberBox;
class TransientPlot;

/// One cell's calcium: its dyads as a volume or layers in the colours of what is chosen, its
/// transients, counts, sparks; and what can be done with the cell. Without a cell it says how one
/// is chosen.
///
/// @cost  at most 25 pictures a second, and none while it is not seen; the view and its OpenGL
///        context are made with the first cell
class CalciumPanel : public QWidget
{
    Q_OBJECT
  public:
    using FramePtr = std::shared_ptr<const simulation::DyadFrame>;
    explicit CalciumPanel(QWidget* parent = nullptr);
    /// The newest of the cell that is watched; null: it has no dyads any more.
    void setFrame(const FramePtr& frame);
    /// No cell is watched.
    void clear();
    const FramePtr& frame() const { return m_frame; }
    /// Whether clicks on the heart choose a cell.
    void setChoosing(bool on);
    /// Whether the cell's region has isoproterenol; said without a signal.
    /// @param whyNot  why it cannot be given or taken away; empty: it can
    void setIsoproterenol(bool on, const QString& whyNot = {});
    /// A line: which moment it is of; empty: that of the run.
    void setMoment(const QString& line);
    /// Holding RyR open and isoproterenol are there for this cell.
    void setControls(bool on);
    /// What is seen of the cell: view, colours, transients.
    QImage picture();
    /// What is shown and how, for the session.
    QJsonObject look() const;
    void setLook(const QJsonObject& o);
    DyadView* view() { return m_view; } ///< null before the first cell
    DyadQuantity quantity() const;      ///< that gives the colours

  Q_SIGNALS:
    void chooseRequested(bool on); ///< clicks on the heart choose a cell, or no longer do
    void stopRequested();
    void pictureRequested();
    void movieRequested();
    void sparksRequested(); ///< those of the cell as a file
    /// All RyR of the cell's region are held open: for so many simulated ms, or until released.
    void holdRequested(double ms);
    void heldChanged(bool on);
    void isoproterenolRequested(bool on);

  protected:
    void resizeEvent(QResizeEvent* e) override;
    bool eventFilter(QObject* watched, QEvent* e) override;
    void showEvent(QShowEvent* e) override;

  private:
    QWidget* makeEmpty();
    QWidget* makeLive();
    void makeChoices();
    void makeControls();
    void makeLines();
    void makeView();
    void arrange();
    void choose();
    void showNewest();
    void showHistory();
    void showSparks();

    QStackedLayout* m_stack;
    QLabel *m_hint = nullptr, *m_counts = nullptr, *m_moment = nullptr, *m_sparks = nullptr;
    QComboBox* m_quantity = nullptr;
    QToolButton *m_volume = nullptr, *m_layers = nullptr, *m_choose = nullptr, *m_picture = nullptr,
                *m_movie = nullptr, *m_stop = nullptr, *m_hold = nullptr, *m_saveSparks = nullptr;
    NumberBox* m_holdMs = nullptr;
    QCheckBox* m_isoproterenol = nullptr;
    QBoxLayout *m_body = nullptr, *m_seen = nullptr, *m_lines = nullptr;
    QWidget* m_bodyWidget = nullptr;
    DyadView* m_view = nullptr;
    ColorScale* m_scale = nullptr;
    TransientPlot* m_plot = nullptr;
    FramePtr m_frame;
    QTimer m_due;
    calcium::Grid m_grid{0, 0, 0}; ///< of the view
};

} // namespace tawara
