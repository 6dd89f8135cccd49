// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/field_note.hpp"

#include <QCoreApplication>
#include <QEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QScrollArea>
#include <QStyle>
#include <QTimer>
#include <QVariant>

#include <algorithm>

namespace tawara {
namespace {

constexpr int shown_ms = 7000, widest_px = 340, gap_px = 2;
constexpr QChar thin_space(0x202f), minus(0x2212);

class FieldNote : public QLabel
{
  public:
    explicit FieldNote(QWidget* host) : QLabel(host)
    {
        setObjectName("fieldNote");
        setWordWrap(true);
        setAttribute(Qt::WA_TransparentForMouseEvents);
        m_away.setSingleShot(true);
        QObject::connect(&m_away, &QTimer::timeout, this, &QWidget::hide);
    }
    void about(QWidget* field, const QString& text, const QRect& part)
    {
        if (m_field) {
            m_field->removeEventFilter(this);
            m_field->disconnect(this);
        }
        m_field = field;
        field->installEventFilter(this);
        // another text is another matter
        if (const auto* line = qobject_cast<QLineEdit*>(field))
            QObject::connect(line, &QLineEdit::textChanged, this, &QWidget::hide);
        setText(text);
        const QRect within = part.isNull() ? field->rect() : part;
        const QWidget* host = parentWidget();
        const QPoint at = field->mapTo(host, within.bottomLeft());
        ensurePolished();
        const int room = std::min(widest_px, host->width() - 4);
        setWordWrap(false); // as wide as its words, where there is room
        const int w = std::min(room, sizeHint().width() + 2);
        setWordWrap(true);
        const int h = heightForWidth(w) > 0 ? heightForWidth(w) : sizeHint().height();
        int y = at.y() + 1 + gap_px;
        if (y + h > host->height())
            y = at.y() + 1 - within.height() - gap_px - h;
        setGeometry(std::clamp(at.x(), 2, std::max(2, host->width() - w - 2)), y, w, h);
        raise();
        show();
        m_away.start(shown_ms);
    }
    bool isAbout(const QWidget* field) const { return m_field == field; }

  protected:
    bool eventFilter(QObject* watched, QEvent* e) override
    {
        if (watched == m_field && (e->type() == QEvent::Hide || e->type() == QEvent::Move))
            hide();
        return QLabel::eventFilter(watched, e);
    }

  private:
    QPointer<QWidget> m_field;
    QTimer m_away;
};

/// What scrolls with the field, else its window.
QWidget* hostOf(QWidget* field)
{
    for (QWidget* w = field; w->parentWidget() != nullptr && !w->isWindow(); w = w->parentWidget())
        if (auto* area = qobject_cast<QScrollArea*>(w->parentWidget()->parentWidget());
            area != nullptr && area->widget() == w)
            return w;
    return field->window();
}

} // namespace

void noteAt(QWidget* field, const QString& text, const QRect& part)
{
    QWidget* host = hostOf(field);
    auto* note = static_cast<FieldNote*>(
        host->findChild<QLabel*>(QStringLiteral("fieldNote"), Qt::FindDirectChildrenOnly));
    if (text.isEmpty()) {
        if (note != nullptr && note->isAbout(field))
            note->hide();
        return;
    }
    if (note == nullptr)
        note = new FieldNote(host);
    note->about(field, text, part);
}

void setWrong(QWidget* field, bool wrong)
{
    if (field->property("wrong").toBool() == wrong)
        return;
    field->setProperty("wrong", wrong);
    field->style()->unpolish(field);
    field->style()->polish(field);
    field->update();
}

QString spacedNumber(double v)
{
    QString text = QString::number(v, 'g', 10);
    const qsizetype first = text.startsWith('-') ? 1 : 0;
    const qsizetype point = text.indexOf('.'), exponent = text.indexOf('e');
    if (exponent < 0)
        for (qsizetype k = (point < 0 ? text.size() : point) - 3; k > first; k -= 3)
            text.insert(k, thin_space);
    return text.replace('-', minus);
}

QString rangeText(double low, double high, const QString& unit)
{
    const QString text = QCoreApplication::translate("FieldNote", "%1 to %2")
                             .arg(spacedNumber(low), spacedNumber(high));
    return unit.isEmpty() ? text : text + QChar(0x00a0) + unit;
}

} // namespace tawara
