// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/form.hpp"

#include "widgets/panels/icons.hpp"

#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QStylePainter>
#include <QToolButton>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>

namespace tawara {

NumberBox::NumberBox(const QString& name, const QString& unit, const Range& range,
                     const QString& tip, QWidget* parent)
    : QDoubleSpinBox(parent)
{
    setObjectName(name);
    setDecimals(range.decimals);
    setRange(range.low, range.high);
    setSingleStep(range.step);
    if (!unit.isEmpty())
        setSuffix(QStringLiteral(" ") + unit);
    setToolTip(unit.isEmpty() ? tip : QStringLiteral("%1 [%2]").arg(tip, unit));
    setButtonSymbols(QAbstractSpinBox::UpDownArrows);
    setAlignment(Qt::AlignRight);
    setFocusPolicy(Qt::StrongFocus);
    setKeyboardTracking(false);
    setMinimumWidth(64);
    // Return gives the keys back to the window: Space plays again
    connect(lineEdit(), &QLineEdit::returnPressed, this, &QWidget::clearFocus);
}

void NumberBox::put(double value)
{
    const QSignalBlocker quiet(this);
    setValue(value);
}

void NumberBox::wheelEvent(QWheelEvent* e)
{
    if (hasFocus())
        QDoubleSpinBox::wheelEvent(e);
    else
        e->ignore();
}

QString ChoiceBox::shownText() const
{
    QStyleOptionComboBox o;
    initStyleOption(&o);
    const QRect field =
        style()->subControlRect(QStyle::CC_ComboBox, &o, QStyle::SC_ComboBoxEditField, this);
    return fontMetrics().elidedText(currentText(), Qt::ElideRight, field.width());
}

void ChoiceBox::paintEvent(QPaintEvent*)
{
    QStylePainter p(this);
    QStyleOptionComboBox o;
    initStyleOption(&o);
    o.currentText = shownText();
    p.drawComplexControl(QStyle::CC_ComboBox, o);
    p.drawControl(QStyle::CE_ComboBoxLabel, o);
}

bool ChoiceBox::event(QEvent* e)
{
    if (auto* help = e->type() == QEvent::ToolTip ? static_cast<QHelpEvent*>(e) : nullptr;
        help != nullptr && shownText() != currentText()) {
        QToolTip::showText(
            help->globalPos(),
            toolTip().isEmpty() ? currentText() : currentText() + QChar('\n') + toolTip(), this);
        return true;
    }
    return QComboBox::event(e);
}

QLabel* hintLabel(const QString& text)
{
    auto* l = new QLabel(text);
    l->setWordWrap(true);
    l->setProperty("weak", true);
    return l;
}

QLabel* groupLabel(const QString& text)
{
    auto* l = new QLabel(text);
    l->setProperty("group", true);
    return l;
}

QScrollArea* scrolled(QWidget* content)
{
    auto* area = new QScrollArea;
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setWidget(content);
    return area;
}

QToolButton* smallButton(const QString& icon, const QString& text, const QString& name,
                         const QString& tip)
{
    auto* b = new QToolButton;
    b->setObjectName(name);
    b->setToolTip(tip);
    b->setProperty("small", true);
    b->setProperty("themedIcon", icon);
    if (!icon.isEmpty()) {
        b->setIcon(themedIcon(icon));
        b->setIconSize({16, 16});
    }
    if (!text.isEmpty()) {
        b->setText(text);
        b->setToolButtonStyle(icon.isEmpty() ? Qt::ToolButtonTextOnly
                                             : Qt::ToolButtonTextBesideIcon);
    }
    b->setAccessibleName(text.isEmpty() ? tip : text);
    return b;
}

std::vector<int> numbersOf(const QString& text)
{
    std::vector<int> out;
    for (const QString& part : text.split(',', Qt::SkipEmptyParts)) {
        const QStringList ends = part.trimmed().split('-');
        bool ok = false, also = true;
        const int first = ends.value(0).toInt(&ok);
        const int last = ends.size() == 2 ? ends[1].toInt(&also) : first;
        if (ok && also && ends.size() <= 2 && last - first < 1000)
            for (int k = first; k <= last; ++k)
                out.push_back(k);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

QString textOf(const std::vector<int>& numbers)
{
    QStringList parts;
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t j = i;
        while (j + 1 < numbers.size() && numbers[j + 1] == numbers[j] + 1)
            ++j;
        parts << (j > i + 1 ? QStringLiteral("%1-%2").arg(numbers[i]).arg(numbers[j])
                            : QString::number(numbers[i]));
        i = j > i + 1 ? j + 1 : i + 1;
    }
    return parts.join(QStringLiteral(", "));
}

void fitList(QWidget* list, int rows, int panelHeight)
{
    constexpr int head = 30, row = 27, least = 84, most = 170;
    list->setFixedHeight(std::clamp(head + row * rows, least, std::max(most, panelHeight / 3)));
}

} // namespace tawara
