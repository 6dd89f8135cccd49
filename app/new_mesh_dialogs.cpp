// SPDX-License-Identifier: GPL-3.0-or-later
// What each kind of new mesh asks for.
#include "app/mesh_dialog.hpp"
#include "engine/simulation/tissue/lowered.hpp"
#include "engine/simulation/tissue/velocity_estimate.hpp"
#include "widgets/panels/key_box.hpp"
#include "widgets/panels/region_place.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace tawara {
namespace {

using mesh::generator::HeartParameters;
using mesh::generator::HeartShape;
using mesh::generator::parameter_table;

/// What people call the parameters, by their names in files.
struct Label
{
    std::string_view name;
    const char* text;
};
constexpr Label labels[] = {
    {"edge_mm", QT_TRANSLATE_NOOP("HeartDialog", "Mean edge")},
    {"lv_short_axis_mm", QT_TRANSLATE_NOOP("HeartDialog", "Cavity radius")},
    {"lv_long_axis_mm", QT_TRANSLATE_NOOP("HeartDialog", "Cavity depth")},
    {"lv_wall_mm", QT_TRANSLATE_NOOP("HeartDialog", "Free wall")},
    {"apex_wall_mm", QT_TRANSLATE_NOOP("HeartDialog", "Wall at the apex")},
    {"base_plane_mm", QT_TRANSLATE_NOOP("HeartDialog", "Base above widest")},
    {"septum_mm", QT_TRANSLATE_NOOP("HeartDialog", "Septum")},
    {"rv_wall_mm", QT_TRANSLATE_NOOP("HeartDialog", "Free wall")},
    {"rv_offset_mm", QT_TRANSLATE_NOOP("HeartDialog", "Centre from axis")},
    {"rv_reach_mm", QT_TRANSLATE_NOOP("HeartDialog", "Reach from axis")},
    {"rv_span_mm", QT_TRANSLATE_NOOP("HeartDialog", "Half width")},
    {"rv_long_axis_mm", QT_TRANSLATE_NOOP("HeartDialog", "Depth")},
    {"rv_lean", QT_TRANSLATE_NOOP("HeartDialog", "Lean to the axis")},
    {"blend_mm", QT_TRANSLATE_NOOP("HeartDialog", "Rounding")},
    {"helix_endo_deg", QT_TRANSLATE_NOOP("HeartDialog", "Helix, endocardium")},
    {"helix_epi_deg", QT_TRANSLATE_NOOP("HeartDialog", "Helix, epicardium")},
    {"sheet_endo_deg", QT_TRANSLATE_NOOP("HeartDialog", "Sheet, endocardium")},
    {"sheet_epi_deg", QT_TRANSLATE_NOOP("HeartDialog", "Sheet, epicardium")},
    {"endo_fraction", QT_TRANSLATE_NOOP("HeartDialog", "Endocardial share")},
    {"epi_fraction", QT_TRANSLATE_NOOP("HeartDialog", "Epicardial share")},
};

QString text(std::string_view v)
{
    return QString::fromUtf8(v.data(), static_cast<qsizetype>(v.size()));
}

QString labelOf(std::string_view name)
{
    for (const Label& l : labels)
        if (l.name == name)
            return HeartDialog::tr(l.text);
    return text(name); // one that is newer than this list
}

/// Where a parameter stands in the table; its length for none.
std::size_t indexOf(std::string_view name)
{
    const auto table = parameter_table();
    return static_cast<std::size_t>(
        std::find_if(table.begin(), table.end(), [&](const auto& p) { return p.name == name; }) -
        table.begin());
}

QFormLayout* form()
{
    auto* f = new QFormLayout;
    f->setContentsMargins(0, 0, 0, 0);
    f->setVerticalSpacing(5);
    f->setHorizontalSpacing(10);
    f->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    return f;
}

} // namespace

HeartDialog::HeartDialog(const QString& scratch, const simulation::Session& current,
                         QWidget* parent)
    : MeshDialog(tr("New heart"), scratch, current, parent), m_shape(new QComboBox)
{
    setObjectName("heartDialog");
    m_shape->setObjectName("shape");
    m_shape->addItems({tr("Left ventricle"), tr("Both ventricles")});
    m_shape->setToolTip(tr("What the heart has"));
    for (const auto& p : parameter_table()) {
        const bool degrees = p.unit == "deg", plain = p.unit == "1";
        const QString unit = degrees ? QStringLiteral("°") : plain ? QString() : text(p.unit);
        const double step = degrees ? 5 : plain ? 0.05 : p.name == "edge_mm" ? 0.1 : 0.5;
        auto* box =
            new NumberBox(text(p.name), unit,
                          {p.min, p.max, step,
                           degrees               ? 0
                           : plain || step < 0.5 ? 2
                                                 : 1},
                          tr("%1; from %2 to %3").arg(text(p.description)).arg(p.min).arg(p.max));
        connect(box, &QDoubleSpinBox::valueChanged, this, &HeartDialog::changed);
        m_numbers.push_back(box);
    }
    auto* defaults = new QPushButton(tr("Defaults"));
    defaults->setObjectName("defaults");
    defaults->setToolTip(tr("The values of the built-in heart's generator"));
    QVBoxLayout* column[3];
    for (auto& c : column) {
        c = new QVBoxLayout;
        c->setSpacing(7);
    }
    auto* shape = group(column[0], tr("Heart"));
    shape->addRow(tr("Shape"), m_shape);
    shape->addRow(labelOf("edge_mm"), m_numbers.at(indexOf("edge_mm")));
    const std::size_t lv = indexOf("lv_short_axis_mm"), rv = indexOf("septum_mm"),
                      fibres = indexOf("helix_endo_deg"), layers = indexOf("endo_fraction");
    group(column[0], tr("Left ventricle"), lv, rv);
    group(column[1], tr("Septum and right ventricle"), rv, fibres);
    group(column[2], tr("Fibres and sheets"), fibres, layers);
    group(column[2], tr("Layers of the wall"), layers, m_numbers.size())
        ->addRow(QString(), defaults);
    for (auto* c : column)
        c->addStretch(1);
    auto* columns = new QHBoxLayout;
    columns->setSpacing(26);
    for (auto* c : column)
        columns->addLayout(c, 1);
    body()->addLayout(columns);
    connect(m_shape, &QComboBox::currentIndexChanged, this, &HeartDialog::shapeChosen);
    connect(defaults, &QPushButton::clicked, this, [this] { setParameters({}); });
    setParameters({});
}

QFormLayout* HeartDialog::group(QVBoxLayout* column, const QString& title, std::size_t from,
                                std::size_t to)
{
    auto* f = form();
    column->addWidget(groupLabel(title));
    column->addLayout(f);
    for (std::size_t i = from; i < to; ++i)
        f->addRow(labelOf(parameter_table()[i].name), m_numbers[i]);
    return f;
}

HeartParameters HeartDialog::parameters() const
{
    HeartParameters p;
    p.shape = m_shape->currentIndex() == 0 ? HeartShape::lv : HeartShape::biventricular;
    for (std::size_t i = 0; i < m_numbers.size(); ++i)
        p.*parameter_table()[i].value = m_numbers[i]->value();
    return p;
}

void HeartDialog::setParameters(const HeartParameters& p)
{
    for (std::size_t i = 0; i < m_numbers.size(); ++i)
        m_numbers[i]->put(p.*parameter_table()[i].value);
    m_shape->setCurrentIndex(p.shape == HeartShape::lv ? 0 : 1);
    shapeChosen();
}

void HeartDialog::shapeChosen()
{
    for (std::size_t i = 0; i < m_numbers.size(); ++i)
        m_numbers[i]->setEnabled(!parameter_table()[i].biventricular_only ||
                                 m_shape->currentIndex() == 1);
    changed();
}

QString HeartDialog::worded(const QString& error) const
{
    QString out = error;
    for (const auto& p : parameter_table())
        out.replace(text(p.name), tr("“%1”").arg(labelOf(p.name)));
    return out;
}

simulation::MeshRecipe HeartDialog::recipe() const
{
    return parameters();
}

SlabDialog::SlabDialog(const QString& scratch, const simulation::Session& current, QWidget* parent)
    : MeshDialog(tr("New slab"), scratch, current, parent)
{
    setObjectName("slabDialog");
    setMinimumWidth(430);
    const char* names[]{"sizeX", "sizeY", "sizeZ"};
    const double sizes[]{20, 7, 3};
    const QString tips[]{tr("Length along x, the direction of the fibres"),
                         tr("Width along y, across the fibres within the sheets"),
                         tr("Height along z, across the sheets")};
    auto* size = new QHBoxLayout;
    for (std::size_t k = 0; k < 3; ++k) {
        m_size[k] = keyBox(QLatin1String(names[k]), "/mesh/slab_mm", tips[k]);
        m_size[k]->put(sizes[k]);
        size->addWidget(m_size[k], 1);
        if (k < 2)
            size->addWidget(new QLabel(QStringLiteral("×")));
        connect(m_size[k], &QDoubleSpinBox::valueChanged, this, &SlabDialog::changed);
    }
    m_spacing = keyBox("spacing", "/mesh/spacing_mm");
    connect(m_spacing, &QDoubleSpinBox::valueChanged, this, &SlabDialog::changed);
    auto* f = form();
    f->addRow(tr("Length × width × height"), size);
    f->addRow(tr("Spacing of the grid"), m_spacing);
    body()->addLayout(f);
    body()->addWidget(hintLabel(tr("A box of tissue with its fibres along x and its sheets along "
                                   "y: for plane waves, benchmarks, spirals.")));
}

simulation::MeshRecipe SlabDialog::recipe() const
{
    return simulation::MeshSlab{{m_size[0]->value(), m_size[1]->value(), m_size[2]->value()},
                                m_spacing->value()};
}

RefineDialog::RefineDialog(std::shared_ptr<const mesh::TetMesh> mesh, const QString& scratch,
                           const simulation::Session& current, QWidget* parent)
    : MeshDialog(tr("Refine the mesh"), scratch, current, parent), m_mesh(std::move(mesh)),
      m_times(new QComboBox),
      m_lower(new QCheckBox(tr("Lower conductivities that were raised because the mesh is coarse")))
{
    setObjectName("refineDialog");
    reserveRows(14); // ten of a table, and notes on the waves
    setMinimumWidth(560);
    m_times->setObjectName("times");
    m_times->addItems({tr("Once: 8 tetrahedra for each, half the edge"),
                       tr("Twice: 64 for each, a quarter of the edge"),
                       tr("Three times: 512 for each, an eighth of the edge")});
    auto* f = form();
    f->addRow(tr("Cut"), m_times);
    m_lower->setObjectName("lower");
    m_lower->setChecked(true);
    m_lower->setToolTip(tr("To the least with which waves run as fast as in tissue; else they run "
                           "faster on the finer mesh"));
    f->addRow(QString(), m_lower);
    body()->addLayout(f);
    body()->addWidget(hintLabel(
        tr("Labels, fibres, layers and segments go along, and so does the session: regions with "
           "what was painted, stimuli, probes, drugs, views. The run starts anew.")));
    connect(m_times, &QComboBox::currentIndexChanged, this, &RefineDialog::changed);
    connect(m_lower, &QCheckBox::toggled, this, &RefineDialog::changed);
}

simulation::MeshRecipe RefineDialog::recipe() const
{
    return simulation::Refinement{m_mesh, m_times->currentIndex() + 1, m_lower->isChecked()};
}

MeshDialog::Describer RefineDialog::describer() const
{
    return [mesh = m_mesh, recipe = recipe(), s = current()](const Progress& progress) {
        RefinementSaid now, after;
        after.mesh = simulation::forecast(recipe, progress);
        now.mesh.vertices = static_cast<std::int64_t>(mesh->vertex_count());
        now.mesh.tetrahedra = static_cast<std::int64_t>(mesh->tetrahedron_count());
        const auto grain = mesh::grain(*mesh);
        const mesh::Grain finer{after.mesh.edge_mm, grain.even}; // children are as alike
        now.mesh.edge_mm = grain.edge_mm;
        const auto region = std::find_if(s.regions.begin(), s.regions.end(),
                                         [](const auto& r) { // none is estimated for dyads
                                             return !r.inherits() && !has_dyads(r);
                                         });
        if (region == s.regions.end())
            return describeRefinement(now, after, s.scheme, {});
        const auto index = static_cast<std::size_t>(region - s.regions.begin());
        auto next = s;
        if (std::get<simulation::Refinement>(recipe).lower)
            for (const auto& l : simulation::lower_conductivities(next, grain, finer, progress))
                if (std::find(l.regions.begin(), l.regions.end(), index) != l.regions.end())
                    after.target = l.target;
        const auto say = [&](RefinementSaid& said, const simulation::Session& of,
                             const mesh::Grain& on) {
            const auto& r = of.regions[index];
            said.velocity = simulation::estimate_velocity(of, r, on, progress);
            const auto& tuned = said.velocity.tuned;
            said.conductivity_S_per_m =
                tuned ? tuned->conductivity_S_per_m : r.conductivity_S_per_m;
        };
        say(now, s, grain);
        say(after, next, finer);
        return describeRefinement(now, after, s.scheme, regionTitle(*region));
    };
}

} // namespace tawara
