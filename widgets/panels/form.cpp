// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/form.hpp"

#include "widgets/panels/field_note.hpp"
#include "widgets/panels/icons.hpp"

#include <QAbstractItemView>
#include <QApplication>
#include <QHeaderView>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QScrollArea>
#include <QScrollBar>
#include <QSlider>
#include <QStyleOption>
#include <QStylePainter>
#include <QToolButton>
#include <QToolTip>
#include <QTreeView>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tawara {

NumberBox::NumberBox(const QString& name, const QString& unit, const Range& range,
                     const QString& tip, QWidget* parent)
    : QDoubleSpinBox(parent), m_range(range), m_unit(unit)
{
    setObjectName(name);
    setDecimals(range.decimals);
    setRange(range.low, range.high);
    setSingleStep(range.step);
    if (!unit.isEmpty())
        setSuffix(QStringLiteral(" ") + unit);
    setToolTip(QStringLiteral("%1: %2").arg(tip, rangeText()));
    setButtonSymbols(QAbstractSpinBox::UpDownArrows);
    setAlignment(Qt::AlignRight);
    setFocusPolicy(Qt::StrongFocus);
    setKeyboardTracking(false);
    setMinimumWidth(64);
    // Return gives the keys back to the window: Space plays again
    connect(lineEdit(), &QLineEdit::returnPressed, this, &QWidget::clearFocus);
    connect(lineEdit(), &QLineEdit::textEdited, this, &NumberBox::sayWhileTyping);
    connect(lineEdit(), &QLineEdit::inputRejected, this, &NumberBox::sayNotTyped);
    // by other ways than typing: what was said of the value before goes
    connect(this, &QDoubleSpinBox::valueChanged, this, [this] {
        noteAt(this, {});
        giveRoom();
    });
    connect(this, &QAbstractSpinBox::editingFinished, this, [this] {
        setWrong(this, false);
        if (!m_told.isEmpty())
            noteAt(this, std::exchange(m_told, {}));
    });
}

void NumberBox::put(double value)
{
    if (value == this->value() && lineEdit()->isModified() && hasFocus())
        return; // what is being typed stays
    if (value != this->value())
        noteAt(this, {});
    const QSignalBlocker quiet(this);
    setRange(std::min(m_range.low, value), std::max(m_range.high, value));
    setValue(value);
    giveRoom();
}

void NumberBox::giveRoom()
{
    constexpr int beside_text = 5; // the cursor, and what a line of text leaves free
    if (minimumWidth() != m_given)
        m_least = minimumWidth(); // somebody gave it another one
    QStyleOptionSpinBox o;
    initStyleOption(&o);
    const QSize content(fontMetrics().horizontalAdvance(text()) + beside_text,
                        fontMetrics().height());
    const int needed = style()->sizeFromContents(QStyle::CT_SpinBox, &o, content, this).width();
    m_given = std::min(std::max(m_least, needed), maximumWidth());
    setMinimumWidth(m_given);
}

void NumberBox::makeNarrow()
{
    constexpr int least = 52;
    setButtonSymbols(QAbstractSpinBox::NoButtons);
    setSuffix({});
    setMinimumWidth(least);
    giveRoom();
}

QString NumberBox::rangeText() const
{
    return tawara::rangeText(m_range.low, m_range.high, m_unit);
}

std::optional<double> NumberBox::typed(const QString& input) const
{
    QString text = input;
    if (!suffix().isEmpty() && text.endsWith(suffix()))
        text.chop(suffix().size());
    bool number = false;
    const double v = locale().toDouble(text.trimmed(), &number);
    return number && std::isfinite(v) ? std::optional(v) : std::nullopt;
}

bool NumberBox::isPowerOfTen(const QString& input) const
{
    static const QRegularExpression form(
        QStringLiteral("^[+-]?[0-9]*[.,]?[0-9]*[eE][+-]?[0-9]{0,3}$"));
    QString text = input;
    if (!suffix().isEmpty() && text.endsWith(suffix()))
        text.chop(suffix().size());
    text = text.trimmed();
    return form.match(text).hasMatch() && text.front().toLower() != QLatin1Char('e');
}

QValidator::State NumberBox::validate(QString& input, int& pos) const
{
    const auto state = QDoubleSpinBox::validate(input, pos);
    if (state != QValidator::Invalid)
        return state;
    if (input.trimmed().startsWith('-') &&
        input.mid(input.indexOf('-') + 1).trimmed() == suffix().trimmed())
        return QValidator::Intermediate; // of a number that will be told to be out of range
    if (isPowerOfTen(input))
        return QValidator::Intermediate; // fixup() writes it out
    const auto v = typed(input);
    return v && (*v < minimum() || *v > maximum()) ? QValidator::Intermediate : state;
}

void NumberBox::fixup(QString& input) const
{
    const auto v = typed(input);
    if (!v) {
        QDoubleSpinBox::fixup(input);
        m_told =
            tr("no number was given: still %1")
                .arg(value() <= minimum() && !specialValueText().isEmpty() ? specialValueText()
                                                                           : spacedNumber(value()));
        return;
    }
    if (*v >= minimum() && *v <= maximum()) {
        if (!isPowerOfTen(input))
            return QDoubleSpinBox::fixup(input);
        input = textFromValue(*v) + suffix();
        if (const auto now = typed(input); now && *now != *v)
            m_told =
                tr("%1 has more digits than can be taken: now %2").arg(*v).arg(spacedNumber(*now));
        return;
    }
    const double taken = std::clamp(*v, minimum(), maximum());
    m_told = tr("%1 cannot be taken (%2): now %3")
                 .arg(spacedNumber(*v), rangeText(), spacedNumber(taken));
    input = textFromValue(taken) + suffix();
}

void NumberBox::stepBy(int steps)
{
    QDoubleSpinBox::stepBy(steps);
    m_told.clear(); // of a text that the step has replaced
}

void NumberBox::sayWhileTyping()
{
    const auto v = typed(lineEdit()->text());
    // what more digits may bring into the range is not wrong yet
    const bool beyond = v && ((*v > maximum() && *v > 0) || (*v < minimum() && *v < 0));
    setWrong(this, beyond);
    noteAt(this, beyond ? rangeText() : QString());
}

void NumberBox::sayNotTyped()
{
    if (m_key.isEmpty() || !m_key.front().isPrint())
        return noteAt(this, tr("a number, %1").arg(rangeText())); // pasted, say
    if (!m_key.front().isDigit())
        return noteAt(this, tr("“%1” cannot be taken: a number, %2").arg(m_key, rangeText()));
    noteAt(this, decimals() > 0
                     ? tr("at most %1 after the point")
                           .arg(decimals() == 1 ? tr("one digit") : tr("%1 digits").arg(decimals()))
                     : tr("a whole number, %1").arg(rangeText()));
}

bool NumberBox::event(QEvent* e)
{
    if (e->type() == QEvent::ShortcutOverride) { // shall a shortcut of the window wait?
        const auto* key = static_cast<QKeyEvent*>(e);
        const QString text = key->text();
        if ((key->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == Qt::NoModifier &&
            text.size() == 1 && (text.front().isLetter() || text.front() == ' ')) {
            e->ignore(); // no part of a number
            return true;
        }
    }
    const bool done = QDoubleSpinBox::event(e);
    if (e->type() == QEvent::Polish || e->type() == QEvent::FontChange)
        giveRoom(); // in the letters and margins that it has now
    return done;
}

void NumberBox::keyPressEvent(QKeyEvent* e)
{
    m_key = e->text();
    // "for ever" gives way to a number that is typed
    if (!m_key.isEmpty() && m_key.front().isDigit() && !specialValueText().isEmpty() &&
        lineEdit()->text() == specialValueText())
        lineEdit()->selectAll();
    QDoubleSpinBox::keyPressEvent(e);
    m_key.clear();
}

void NumberBox::wheelEvent(QWheelEvent* e)
{
    if (hasFocus())
        QDoubleSpinBox::wheelEvent(e);
    else
        e->ignore();
}

QString ChoiceBox::wholeText() const
{
    return currentIndex() < 0 ? placeholderText() : currentText();
}

QString ChoiceBox::shownText() const
{
    QStyleOptionComboBox o;
    initStyleOption(&o);
    const QRect field =
        style()->subControlRect(QStyle::CC_ComboBox, &o, QStyle::SC_ComboBoxEditField, this);
    return fontMetrics().elidedText(wholeText(), Qt::ElideMiddle, field.width());
}

void ChoiceBox::showPopup()
{
    constexpr int beside_text = 48, widest = 520; // icon, margins, bar
    int wide = width();
    for (int k = 0; k < count(); ++k)
        wide = std::max(wide, fontMetrics().horizontalAdvance(itemText(k)) + beside_text);
    view()->setTextElideMode(Qt::ElideMiddle);
    view()->setMinimumWidth(std::min(wide, widest));
    QComboBox::showPopup();
}

void ChoiceBox::paintEvent(QPaintEvent*)
{
    QStylePainter p(this);
    QStyleOptionComboBox o;
    initStyleOption(&o);
    o.currentText = shownText();
    if (currentIndex() < 0)
        o.palette.setBrush(QPalette::ButtonText, o.palette.placeholderText());
    p.drawComplexControl(QStyle::CC_ComboBox, o);
    p.drawControl(QStyle::CE_ComboBoxLabel, o);
}

bool ChoiceBox::event(QEvent* e)
{
    if (auto* help = e->type() == QEvent::ToolTip ? static_cast<QHelpEvent*>(e) : nullptr;
        help != nullptr && shownText() != wholeText()) {
        QToolTip::showText(
            help->globalPos(),
            toolTip().isEmpty() ? wholeText() : wholeText() + QChar('\n') + toolTip(), this);
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

namespace {

/// The wheel scrolls a panel, and changes what it happens to stand over only where that has the
/// focus.
class CalmWheel : public QObject
{
  public:
    using QObject::QObject;
    bool eventFilter(QObject* o, QEvent* e) override
    {
        if (e->type() != QEvent::Wheel && e->type() != QEvent::Polish)
            return false;
        auto* field = qobject_cast<QWidget*>(o);
        if (qobject_cast<QComboBox*>(o) == nullptr && qobject_cast<QSlider*>(o) == nullptr)
            return false;
        if (e->type() == QEvent::Polish) { // else the wheel itself would give it the focus
            if (field->focusPolicy() == Qt::WheelFocus)
                field->setFocusPolicy(Qt::StrongFocus);
            return false;
        }
        if (field->hasFocus() || !inScrollArea(field))
            return false;
        e->ignore();
        return true;
    }

  private:
    static bool inScrollArea(const QWidget* w)
    {
        for (w = w->parentWidget(); w != nullptr && !w->isWindow(); w = w->parentWidget())
            if (qobject_cast<const QScrollArea*>(w) != nullptr)
                return true;
        return false;
    }
};

} // namespace

namespace {

/// No narrower than its content: that is scrolled up and down alone.
class PanelArea : public QScrollArea
{
  public:
    using QScrollArea::QScrollArea;
    QSize minimumSizeHint() const override
    {
        const int content = widget() == nullptr ? 0 : widget()->minimumSizeHint().width();
        const QSize usual = QScrollArea::minimumSizeHint();
        return {std::max(usual.width(), content + verticalScrollBar()->sizeHint().width()),
                usual.height()};
    }

  protected:
    bool eventFilter(QObject* watched, QEvent* e) override
    {
        if (watched == widget() && e->type() == QEvent::LayoutRequest)
            updateGeometry();
        return QScrollArea::eventFilter(watched, e);
    }
};

} // namespace

QScrollArea* scrolled(QWidget* content)
{
    static const bool calm = [] {
        qApp->installEventFilter(new CalmWheel(qApp));
        return true;
    }();
    Q_UNUSED(calm);
    auto* area = new PanelArea;
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

std::vector<int> numbersOf(const QString& text, QString* notTaken)
{
    std::vector<int> out;
    for (const QString& part : text.split(',', Qt::SkipEmptyParts)) {
        const QStringList ends = part.trimmed().split('-');
        bool ok = false, also = true;
        const int first = ends.value(0).toInt(&ok);
        const int last = ends.size() == 2 ? ends[1].toInt(&also) : first;
        if (ok && also && ends.size() <= 2 && first <= last && last - first < 1000)
            for (int k = first; k <= last; ++k)
                out.push_back(k);
        else if (notTaken != nullptr && notTaken->isEmpty() && !part.trimmed().isEmpty())
            *notTaken = part.trimmed();
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

void fitList(QTreeView* list, int rows, int panelHeight)
{
    constexpr int least = 84, most = 170;
    // of large fonts more
    const int head = std::max(30, list->header()->sizeHint().height() + 4),
              row = std::max(27, list->model()->rowCount() > 0 ? list->sizeHintForRow(0) : 0);
    list->setFixedHeight(std::clamp(head + row * rows, least, std::max(most, panelHeight / 3)));
}

} // namespace tawara
