// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export/size_row.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSpinBox>

namespace tawara {
namespace {

struct Usual
{
    const char* name;
    int width, height; // 0: as on screen
};
constexpr Usual usual[] = {
    {QT_TRANSLATE_NOOP("SizeRow", "As on screen"), 0, 0},
    {QT_TRANSLATE_NOOP("SizeRow", "HD, 1280 × 720"), 1280, 720},
    {QT_TRANSLATE_NOOP("SizeRow", "Full HD, 1920 × 1080"), 1920, 1080},
    {QT_TRANSLATE_NOOP("SizeRow", "4K, 3840 × 2160"), 3840, 2160},
    {QT_TRANSLATE_NOOP("SizeRow", "Square, 1080 × 1080"), 1080, 1080},
    {QT_TRANSLATE_NOOP("SizeRow", "Print, 2400 × 1800"), 2400, 1800},
};

constexpr int least = 64, most = 16384;

} // namespace

SizeRow::SizeRow(const QSize& onScreen, QWidget* parent)
    : QWidget(parent), m_usual(new QComboBox), m_width(new QSpinBox), m_height(new QSpinBox)
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    for (const Usual& u : usual)
        m_usual->addItem(tr(u.name), u.width > 0 ? QSize(u.width, u.height) : onScreen);
    m_usual->addItem(tr("Other"), QSize());
    for (auto* box : {m_width, m_height}) {
        box->setRange(least, most);
        box->setSuffix(tr(" px"));
        box->setToolTip(tr("%1 to %2 px").arg(least).arg(most));
        connect(box, &QSpinBox::valueChanged, this, [this] {
            m_usual->setCurrentIndex(m_usual->findData(value()) >= 0 ? m_usual->findData(value())
                                                                     : m_usual->count() - 1);
            Q_EMIT changed();
        });
    }
    m_width->setObjectName("width");
    m_height->setObjectName("height");
    connect(m_usual, &QComboBox::activated, this, [this] {
        if (const QSize s = m_usual->currentData().toSize(); !s.isEmpty())
            setValue(s);
    });
    row->addWidget(m_usual, 1);
    row->addWidget(m_width);
    row->addWidget(new QLabel(QStringLiteral("×")));
    row->addWidget(m_height);
    setValue(onScreen);
}

QSize SizeRow::value() const
{
    return {m_width->value(), m_height->value()};
}

void SizeRow::setValue(const QSize& size)
{
    m_width->setValue(size.width());
    m_height->setValue(size.height());
}

} // namespace tawara
