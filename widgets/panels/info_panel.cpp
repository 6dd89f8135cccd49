// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/info_panel.hpp"

#include "engine/simulation/session/reaction_words.hpp"
#include "widgets/panels/field_note.hpp"

#include <QEvent>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace tawara {
namespace {

QString weak(const QString& text)
{
    return QStringLiteral("<span style='color:@weak'>%1</span>").arg(text);
}

} // namespace

InfoPanel::InfoPanel(QWidget* parent) : QWidget(parent), m_text(new QLabel)
{
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_text->setTextFormat(Qt::RichText);
    m_text->setWordWrap(true);
    m_text->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_text->setContentsMargins(10, 8, 10, 8);
    m_text->setMinimumWidth(10);
    scroll->setWidget(m_text);
    outer->addWidget(scroll);
    setScene(nullptr);
}

void InfoPanel::setScene(const simulation::Scene* scene)
{
    const auto* mesh = scene == nullptr ? nullptr : scene->mesh.get();
    if (std::exchange(m_mesh, mesh) != mesh)
        m_labels.clear();
    if (scene == nullptr) {
        m_html = weak(tr("Nothing is open."));
        return fill();
    }
    QString html = QStringLiteral("<table cellspacing='0' cellpadding='2'>");
    const auto row = [&html](const QString& name, const QString& value) {
        html += QStringLiteral("<tr><td style='padding-right:10px'>%1</td><td>%2</td></tr>")
                    .arg(weak(name), value.toHtmlEscaped());
    };
    const auto count = [](auto n) { return spacedNumber(static_cast<double>(n)); };
    row(tr("Name"), QString::fromStdString(scene->title));
    if (scene->mesh) {
        row(tr("Tetrahedra"), count(scene->mesh->tetrahedron_count()));
        row(tr("Vertices"), count(scene->mesh->vertex_count()));
    }
    if (scene->surface)
        row(tr("Surface"), tr("%1 triangles").arg(count(scene->surface->triangles.size())));
    const bool fvm = scene->session.scheme == diffusion::Scheme::fvm;
    row(tr("Scheme"), fvm ? tr("finite volumes, one unknown per tetrahedron")
                          : tr("linear elements, one unknown per vertex"));
    row(tr("Cells"),
        scene->session.stepping == simulation::Stepping::newton
            ? tr("by Newton's method, at once with diffusion")
            : tr("by %1").arg(QString::fromStdString(simulation::reaction_words(scene->session))));
    row(tr("Unknowns"), count(std::max<std::int64_t>(0, scene->unknowns)));
    row(tr("Time step"),
        tr("%1 ms").arg(scene->dt_ms) +
            (scene->substeps.empty()
                 ? QString()
                 : QStringLiteral(", ") + QString::fromStdString(scene->substeps)));
    row(tr("Device"), QString::fromStdString(scene->device));
    html += QStringLiteral("<!-- labels --></table>");
    for (const auto& n : scene->notices) {
        const QString text = QString::fromStdString(n.text).toHtmlEscaped();
        html += QStringLiteral("<p style='margin:5px 2px 0 2px'>%1</p>")
                    .arg(n.level == Notice::Level::warning
                             ? QStringLiteral("<span style='color:@warn'>⚠ %1</span>").arg(text)
                             : weak(text));
    }
    m_html = html;
    fill();
}

void InfoPanel::setLabels(const std::vector<mesh::RegionName>& names)
{
    constexpr std::size_t most = 24;
    QString rows;
    for (std::size_t k = 0; k < names.size() && k < most; ++k) {
        const auto& r = names[k];
        const QString text =
            QString::number(r.label) +
            (r.name.empty() ? QString() : QLatin1Char(' ') + QString::fromStdString(r.name)) +
            tr(", %1 % of the volume").arg(100 * r.share, 0, 'g', r.share < 0.1 ? 2 : 3);
        rows += QStringLiteral("<tr><td style='padding-right:10px'>%1</td><td>%2</td></tr>")
                    .arg(weak(k == 0 ? tr("Labels") : QString()), text.toHtmlEscaped());
    }
    if (names.size() > most)
        rows += QStringLiteral("<tr><td></td><td>%1</td></tr>")
                    .arg(tr("and %1 more").arg(names.size() - most));
    m_labels = rows;
    fill();
}

void InfoPanel::fill()
{
    const bool dark = palette().color(QPalette::Window).lightness() < 128;
    QString html = m_html;
    html.replace(QLatin1String("<!-- labels -->"), m_labels);
    html.replace(QLatin1String("@weak"), QLatin1String(dark ? "#8d97a8" : "#5b6678"));
    html.replace(QLatin1String("@warn"), QLatin1String(dark ? "#f0b95a" : "#8a5600"));
    m_text->setText(html);
}

void InfoPanel::changeEvent(QEvent* e)
{
    QWidget::changeEvent(e);
    if (e->type() == QEvent::PaletteChange || e->type() == QEvent::StyleChange)
        fill();
}

} // namespace tawara
