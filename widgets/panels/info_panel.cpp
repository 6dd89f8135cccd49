// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/info_panel.hpp"

#include <QFormLayout>
#include <QLabel>
#include <QLocale>
#include <QScrollArea>
#include <QVBoxLayout>

namespace tawara {

InfoPanel::InfoPanel(QWidget* parent) : QWidget(parent)
{
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* inside = new QWidget;
    m_column = new QVBoxLayout(inside);
    m_column->setContentsMargins(12, 10, 12, 10);
    scroll->setWidget(inside);
    outer->addWidget(scroll);
    setScene(nullptr);
}

void InfoPanel::row(const QString& label, const QString& text, const QString& tip)
{
    auto* name = new QLabel(label);
    name->setProperty("weak", true);
    auto* value = new QLabel(text);
    value->setWordWrap(true);
    value->setTextFormat(Qt::PlainText);
    value->setTextInteractionFlags(Qt::TextSelectableByMouse);
    value->setToolTip(tip.isEmpty() ? text : tip);
    m_form->addRow(name, value);
}

void InfoPanel::setScene(const simulation::Scene* scene)
{
    delete m_content;
    m_content = new QWidget;
    m_column->insertWidget(0, m_content);
    m_form = new QFormLayout(m_content);
    m_form->setContentsMargins(0, 0, 0, 0);
    m_form->setVerticalSpacing(5);
    m_form->setHorizontalSpacing(12);
    m_form->setFieldGrowthPolicy(QFormLayout::ExpandingFieldsGrow);
    if (scene == nullptr) {
        auto* nothing = new QLabel(tr("Nothing is open."));
        nothing->setProperty("weak", true);
        m_form->addRow(nothing);
        return;
    }
    const QLocale l = QLocale::c();
    const auto count = [&l](std::size_t n) { return l.toString(static_cast<qulonglong>(n)); };
    row(tr("Name"), QString::fromStdString(scene->title));
    if (scene->mesh) {
        row(tr("Tetrahedra"), count(scene->mesh->tetrahedron_count()));
        row(tr("Vertices"), count(scene->mesh->vertex_count()));
    }
    if (scene->surface)
        row(tr("Surface"), tr("%1 triangles").arg(count(scene->surface->triangles.size())));
    const bool fvm = scene->session.scheme == diffusion::Scheme::fvm;
    row(tr("Unknowns"), count(static_cast<std::size_t>(std::max<std::int64_t>(0, scene->unknowns))),
        fvm ? tr("One per tetrahedron (finite volumes)") : tr("One per vertex (linear elements)"));
    row(tr("Scheme"), fvm ? tr("finite volumes") : tr("linear elements"));
    row(tr("Time step"), scene->substeps.empty()
                             ? tr("%1 ms").arg(scene->dt_ms)
                             : tr("%1 ms, %2").arg(scene->dt_ms).arg(
                                   QString::fromStdString(scene->substeps)));
    row(tr("Device"), QString::fromStdString(scene->device));
    for (const auto& n : scene->notices) {
        auto* note = new QLabel((n.level == Notice::Level::warning ? QStringLiteral("⚠ ")
                                                                   : QStringLiteral("· ")) +
                                QString::fromStdString(n.text));
        note->setWordWrap(true);
        note->setTextFormat(Qt::PlainText);
        note->setProperty("weak", n.level != Notice::Level::warning);
        m_form->addRow(note);
    }
}

} // namespace tawara
