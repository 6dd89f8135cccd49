// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/length_dialog.hpp"

#include "widgets/panels/field_note.hpp"
#include "widgets/panels/form.hpp"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <optional>

namespace tawara {
namespace {

constexpr double longest_ms = 1e8;

/// What was typed, with or without spaces between thousands and the unit.
std::optional<double> numberOf(QString text)
{
    text.replace(QChar(0x2212), QLatin1Char('-'));
    text.remove(QStringLiteral("ms"));
    text.removeIf([](QChar c) { return c.isSpace(); });
    bool number = false;
    const double v = QLocale::c().toDouble(text, &number);
    return number && std::isfinite(v) ? std::optional(v) : std::nullopt;
}

} // namespace

LengthDialog::LengthDialog(double endMs, double nowMs, double stepMs, QWidget* parent)
    : QDialog(parent), m_endMs(endMs), m_nowMs(nowMs), m_stepMs(stepMs),
      m_ends(new QRadioButton(tr("The run &ends at"))),
      m_goesOn(new QRadioButton(tr("&No end: it goes on until it is paused"))),
      m_number(new QLineEdit), m_note(new QLabel)
{
    setObjectName("lengthDialog");
    setWindowTitle(tr("Length of the run"));
    m_goesOn->setObjectName("noEnd");
    m_number->setObjectName("runEnd");
    m_number->setAlignment(Qt::AlignRight);
    m_note->setObjectName("lengthNote");
    m_note->setWordWrap(true);
    constexpr int lines_of_note = 2; // room, so that the buttons stay where they are
    m_note->setMinimumHeight(lines_of_note * m_note->fontMetrics().lineSpacing());
    m_note->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    const bool endless = endMs >= no_end_ms;
    (endless ? m_goesOn : m_ends)->setChecked(true);
    if (!endless)
        m_number->setText(QString::number(endMs, 'g', 12));
    auto* row = new QHBoxLayout;
    row->addWidget(m_ends);
    row->addWidget(m_number, 1);
    row->addWidget(new QLabel(tr("ms")));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    m_ok = buttons->button(QDialogButtonBox::Ok);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* all = new QVBoxLayout(this);
    all->addLayout(row);
    all->addWidget(m_goesOn);
    all->addWidget(m_note);
    all->addWidget(buttons);
    constexpr int room_for_title = 400;
    setMinimumWidth(room_for_title);
    connect(m_number, &QLineEdit::textEdited, this, [this] {
        m_ends->setChecked(true);
        describe();
    });
    connect(m_ends, &QRadioButton::toggled, this, [this](bool on) {
        if (on)
            m_number->setFocus();
        describe();
    });
    if (!endless) {
        m_number->setFocus();
        m_number->selectAll();
    }
    describe();
}

double LengthDialog::end() const
{
    if (m_goesOn->isChecked()) {
        const double far = std::max(no_end_ms, m_endMs);
        return m_nowMs < far ? far : std::max(longest_ms, m_endMs);
    }
    if (!m_number->isModified() && m_endMs < no_end_ms)
        return m_endMs; // all digits of it
    return numberOf(m_number->text()).value_or(0);
}

QString LengthDialog::fault() const
{
    if (m_goesOn->isChecked())
        return {};
    const auto ms = numberOf(m_number->text());
    if (!ms)
        return m_number->text().trimmed().isEmpty()
                   ? tr("When does it end? Want a time in ms, e.g. 600.")
                   : tr("That is no number: want a time in ms, e.g. 600.");
    if (*ms < m_stepMs)
        return tr("The end must be at least one time step, %1 ms.").arg(m_stepMs);
    if (*ms < m_nowMs)
        return tr("The run is past that time: it is at %1 ms. Want a later end, or go back to the "
                  "start first (Ctrl+R).")
            .arg(spacedNumber(std::ceil(10 * m_nowMs) / 10));
    if (*ms > longest_ms)
        return tr("The end can be at most %1 ms.").arg(spacedNumber(longest_ms));
    return {};
}

void LengthDialog::setNow(double ms)
{
    m_nowMs = ms;
    describe();
}

void LengthDialog::describe()
{
    const QString why = fault();
    const bool typed = m_ends->isChecked() && !m_number->text().trimmed().isEmpty();
    m_note->setText(why);
    m_note->setProperty("level", why.isEmpty() || !typed ? "" : "error");
    m_note->style()->polish(m_note);
    setWrong(m_number, typed && !why.isEmpty());
    m_ok->setEnabled(why.isEmpty());
}

} // namespace tawara
