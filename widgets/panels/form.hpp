// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/models/edit_stack.hpp"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QString>

#include <optional>

class QFormLayout;
class QLabel;
class QScrollArea;
class QToolButton;
class QTreeView;

namespace tawara {

/// A number with its unit. Turning the wheel over it scrolls the panel, unless it has the focus. A
/// number beyond its range can be typed: that it is, and what was taken in its place, is said, and
/// so is what cannot be typed (field_note.hpp). It is never narrower than its value, unless a
/// largest width was set.
class NumberBox : public QDoubleSpinBox
{
    Q_OBJECT
  public:
    struct Range
    {
        double low, high, step;
        int decimals;
    };
    NumberBox(const QString& name, const QString& unit, const Range& range, const QString& tip,
              QWidget* parent = nullptr);
    /// Without a signal. A value beyond the range is shown as it is, too.
    void put(double value);
    /// As three of them stand in a row: without buttons and unit.
    void makeNarrow();
    /// "0.1 to 200 ms"
    QString rangeText() const;
    QValidator::State validate(QString& input, int& pos) const override;
    void fixup(QString& input) const override;
    void stepBy(int steps) override;

  protected:
    bool event(QEvent* e) override; ///< letters and Space are the window's
    void wheelEvent(QWheelEvent* e) override;
    void keyPressEvent(QKeyEvent* e) override;

  private:
    std::optional<double> typed(const QString& input) const;
    /// "-1e9", or what may become such a number.
    bool isPowerOfTen(const QString& input) const;
    void giveRoom(); ///< for the value as it is
    void sayWhileTyping();
    void sayNotTyped();

    Range m_range;
    QString m_unit, m_key;  ///< what the key gave that is being pressed
    int m_least = 0;        ///< width that was asked for, whatever the value is [px]
    int m_given = 0;        ///< least width by the value [px]
    mutable QString m_told; ///< what became of what was typed
};

/// A choice whose text has a "…" in its middle where the box is too narrow (what differs is often
/// at the end), and is whole in the tool tip then; its list is as wide as its texts. Its
/// placeholder is shown where nothing is chosen.
class ChoiceBox : public QComboBox
{
    Q_OBJECT
  public:
    using QComboBox::QComboBox;
    void showPopup() override;

  protected:
    void paintEvent(QPaintEvent* e) override;
    bool event(QEvent* e) override;

  private:
    QString wholeText() const; ///< of what is chosen, or the placeholder where nothing is
    QString shownText() const;
};

/// A dim line that explains.
QLabel* hintLabel(const QString& text);
/// A bold line over a group of fields.
QLabel* groupLabel(const QString& text);
/// A panel's content in a scroll area without a frame.
QScrollArea* scrolled(QWidget* content);
/// A small button with an icon of resources/icons, or text where that is empty.
QToolButton* smallButton(const QString& icon, const QString& text, const QString& name,
                         const QString& tip);
/// "1, 4, 7" and "1-6" to numbers and back.
/// @param notTaken  the first part that is neither; may be null
std::vector<int> numbersOf(const QString& text, QString* notTaken = nullptr);
QString textOf(const std::vector<int>& numbers);

/// Gives a list of so many rows the height that it needs: up to six rows, or a third of its panel.
void fitList(QTreeView* list, int rows, int panelHeight);

} // namespace tawara
