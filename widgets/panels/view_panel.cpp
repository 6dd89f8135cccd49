// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/view_panel.hpp"

#include "engine/simulation/live/messages.hpp"
#include "widgets/panels/color_map_editor.hpp"
#include "widgets/panels/field_note.hpp"
#include "widgets/panels/form.hpp"
#include "widgets/panels/phase_row.hpp"
#include "widgets/panels/steady_label.hpp"

#include <QAbstractItemView>
#include <QCheckBox>
#include <QColorDialog>
#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSlider>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace tawara {
namespace {

constexpr int least_opacity = 2; // [%]

/// A line that has its room also while it says nothing: what is below stays where it is.
QLabel* steadyHint(const char* name)
{
    constexpr int least_letters = 12;
    auto* l = new SteadyLabel;
    l->setObjectName(QLatin1String(name));
    l->setLeastLetters(least_letters);
    l->setProperty("weak", true);
    return l;
}

QComboBox* combo(const char* name, const QStringList& items, const QString& tip)
{
    auto* c = new ChoiceBox;
    c->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    c->setMinimumContentsLength(6); // long ones end in "…"
    c->setObjectName(QLatin1String(name));
    c->addItems(items);
    c->setToolTip(tip);
    return c;
}

QCheckBox* check(const char* name, const QString& text, const QString& tip)
{
    auto* c = new QCheckBox(text);
    c->setObjectName(QLatin1String(name));
    c->setToolTip(tip);
    return c;
}

QSlider* slider(const char* name, const QString& tip)
{
    auto* s = new QSlider(Qt::Horizontal);
    s->setObjectName(QLatin1String(name));
    s->setRange(0, 100);
    s->setToolTip(tip);
    return s;
}

} // namespace

ViewPanel::ViewPanel(QWidget* parent) : QWidget(parent)
{
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(10, 8, 10, 8);
    column->setSpacing(7);
    m_bullseye = new BullseyePlot;
    m_bullseye->setObjectName("bullseye");
    m_bullseye->setFixedHeight(220);
    column->addWidget(buildColors());
    column->addWidget(groupLabel(tr("Bull's-eye of the left ventricle")));
    column->addWidget(m_bullseye);
    column->addWidget(buildVolume());
    column->addStretch(1);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(scrolled(content));
    fill();
}

QWidget* ViewPanel::buildColors()
{
    auto* w = new QWidget;
    auto* form = new QFormLayout(w);
    form->setContentsMargins(0, 0, 0, 0);
    form->setVerticalSpacing(5);
    m_layout = combo("viewCount", {tr("One view"), tr("Two views"), tr("Four views")},
                     tr("Views of the same heart side by side"));
    m_linked = check("linked", tr("Linked cameras"), tr("Turning one view turns them all"));
    m_quantity = combo("quantity", quantityNames(), tr("What the current view shows"));
    m_beat = combo("beat", {},
                   tr("Which beat the maps are of: it begins with the first activation "
                      "after 40 ms in which nothing was activated. It has propagated when it "
                      "reached half of the tissue, or 1 % and new tissue 30 ms later: a pulse that "
                      "excites its own site alone does not count as newest. It has repolarised "
                      "when nine tenths of what it reached have: its APD map is whole"));
    m_plane = new PhaseRow;
    m_map = combo("colorMap", {}, tr("Colours of the values"));
    m_map->setIconSize({64, 14});
    m_reversed = check("reversed", tr("Reversed"), tr("The same colours from the other end"));
    m_own = new QPushButton(tr("Edit…"));
    m_own->setObjectName("ownMap");
    m_own->setToolTip(tr("Make an own colour map, starting from this one"));
    m_editor = new ColorMapEditor;
    m_editor->setObjectName("mapEditor");
    m_automatic =
        check("automatic", tr("Fit to the values"), tr("The range follows what is there"));
    m_low = new NumberBox("rangeLow", {}, {-1e6, 1e6, 5, 2}, tr("Value of the first colour"));
    m_high = new NumberBox("rangeHigh", {}, {-1e6, 1e6, 5, 2}, tr("Value of the last colour"));
    m_isochrones = check("isochrones", tr("Isochrones every"), tr("Lines of one value"));
    m_step = new NumberBox("isochroneStep", {}, {0.1, 1000, 5, 1}, tr("Distance of the lines"));
    m_annotations = check("annotations", tr("Annotations"), tr("Time, colour bar, axes"));
    auto* views = new QHBoxLayout;
    views->setSpacing(6);
    views->addWidget(m_layout, 1);
    views->addWidget(m_linked);
    auto* maps = new QHBoxLayout;
    maps->setSpacing(6);
    maps->addWidget(m_map, 1);
    maps->addWidget(m_own);
    auto* range = new QHBoxLayout;
    range->setSpacing(6);
    range->addWidget(m_low);
    range->addWidget(m_high);
    auto* lines = new QHBoxLayout;
    lines->setSpacing(6);
    lines->addWidget(m_isochrones);
    lines->addWidget(m_step, 1);
    auto* checks = new QHBoxLayout;
    checks->setSpacing(6);
    checks->addWidget(m_reversed);
    checks->addWidget(m_automatic);
    form->addRow(views);
    form->addRow(tr("Show"), m_quantity);
    form->addRow(tr("Of"), m_beat);
    form->addRow(tr("Plane"), m_plane);
    form->addRow(tr("Colours"), maps);
    form->addRow(m_editor);
    form->addRow(checks);
    form->addRow(tr("Range"), range);
    form->addRow(lines);
    form->addRow(m_annotations);
    connectColors();
    return w;
}

void ViewPanel::connectColors()
{
    connect(m_layout, &QComboBox::activated, this,
            [this](int i) { set([i](ViewSettings& s) { s.setCount(i == 2 ? 4 : i + 1); }); });
    connect(m_linked, &QCheckBox::toggled, this,
            [this](bool on) { set([on](ViewSettings& s) { s.linked = on; }); });
    connect(m_quantity, &QComboBox::activated, this, [this](int q) {
        set([this, q](ViewSettings& s) {
            s.shown[static_cast<std::size_t>(m_view)] = static_cast<Quantity>(q);
        });
        fill();
    });
    connect(m_beat, &QComboBox::activated, this, [this](int i) {
        set([b = m_beat->itemData(i).toInt()](ViewSettings& s) { s.beat = b; });
    });
    connect(m_plane, &PhaseRow::changed, this, [this](const simulation::PhasePlane& p) {
        set([p](ViewSettings& s) { s.plane = p; });
    });
    connect(m_map, &QComboBox::activated, this, [this](int i) {
        const QString name = m_map->itemData(i).toString();
        set([this, name](ViewSettings&) { style().map = name; });
        fill();
    });
    connect(m_own, &QPushButton::clicked, this, [this] {
        set([this](ViewSettings& s) {
            QuantityStyle& st = style();
            if (s.customMaps.contains(st.map))
                return;
            QString name;
            for (int n = 1; name.isEmpty() || s.customMaps.contains(name); ++n)
                name = tr("own %1").arg(n);
            s.customMaps[name] = knotsOf(mapOf(st, s.customMaps));
            st.map = name;
            st.reversed = false;
        });
        fill();
    });
    connect(m_editor, &ColorMapEditor::changed, this, [this](const ColorKnots& knots) {
        set([this, knots](ViewSettings& s) { s.customMaps[style().map] = knots; });
    });
    connect(m_editor, &ColorMapEditor::colorWanted, this, [this](int knot) {
        const auto& k = m_editor->knots()[static_cast<std::size_t>(knot)];
        auto* dialog =
            new QColorDialog(QColor::fromRgbF(static_cast<float>(k[1]), static_cast<float>(k[2]),
                                              static_cast<float>(k[3])),
                             this);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        connect(dialog, &QColorDialog::colorSelected, m_editor,
                [this, knot](const QColor& c) { m_editor->setColor(knot, c); });
        dialog->open();
    });
    connect(m_reversed, &QCheckBox::toggled, this,
            [this](bool on) { set([this, on](ViewSettings&) { style().reversed = on; }); });
    connect(m_automatic, &QCheckBox::toggled, this, [this](bool on) {
        set([this, on](ViewSettings&) { style().automatic = on, style().stepFits |= on; });
        fill();
    });
    const auto range_changed = [this](NumberBox* box) {
        if (m_high->value() > m_low->value())
            return set([this](ViewSettings&) {
                style().low = m_low->value(), style().high = m_high->value();
            });
        box->put(box == m_low ? style().low : style().high);
        noteAt(box, tr("the first colour's value is below the last's: still %1")
                        .arg(spacedNumber(box->value())));
    };
    for (NumberBox* box : {m_low, m_high})
        connect(box, &QDoubleSpinBox::valueChanged, this,
                [range_changed, box] { range_changed(box); });
    connect(m_isochrones, &QCheckBox::toggled, this,
            [this](bool on) { set([this, on](ViewSettings&) { style().isochrones = on; }); });
    connect(m_step, &QDoubleSpinBox::valueChanged, this, [this](double v) {
        set([this, v](ViewSettings&) { style().step = v, style().stepFits = false; });
    });
    connect(m_annotations, &QCheckBox::toggled, this,
            [this](bool on) { set([on](ViewSettings& s) { s.annotations = on; }); });
}

QWidget* ViewPanel::buildVolume()
{
    auto* w = new QWidget;
    auto* form = new QFormLayout(w);
    form->setContentsMargins(0, 0, 0, 0);
    form->setVerticalSpacing(5);
    form->addRow(groupLabel(tr("Inside")));
    m_cut = combo("cut", {tr("Whole"), tr("Clip plane"), tr("Slice")},
                  tr("Clip: what lies in front of the plane is taken away. Slice: the plane within "
                     "a transparent wall"));
    m_axis = combo("cutAxis", {tr("x, left"), tr("y, back"), tr("z, long axis")},
                   tr("Direction of the plane's normal"));
    m_flip = check("cutFlip", tr("Other side"), tr("Which side of the plane is taken away"));
    m_position = slider("cutPosition", tr("Where the plane stands along its normal"));
    m_cutHint = steadyHint("cutHint");
    setGreyFace({});
    m_opacity = slider("opacity", tr("Opacity of the wall"));
    m_opacityHint = steadyHint("opacityHint");
    m_depolarised = check("depolarised", tr("Depolarised tissue above"),
                          tr("The boundary of tissue whose potential is above the threshold"));
    m_threshold = new NumberBox("threshold", tr("mV"), {-100, 60, 5, 0}, tr("Potential"));
    m_fibres = combo("fibres", {tr("No fibres"), tr("Fibre glyphs"), tr("Fibre streamlines")},
                     tr("Directions of the fibres, coloured by their angle"));
    m_filaments = check("filaments", tr("Filaments of re-entry"),
                        tr("Phase singularities: the lines around which waves turn; and a line "
                           "around each scar, insulator or hole that a wave turns around"));
    m_arrows =
        check("arrows", tr("Conduction velocity"),
              tr("Arrows along the propagation of the beat that the maps show; the view says "
                 "how fast: the median, and where 90 % of the places lie [m/s]"));
    m_opacityText = new QLabel;
    m_opacityText->setObjectName("opacityText");
    m_opacityText->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_opacityText->setMinimumWidth(m_opacityText->fontMetrics().horizontalAdvance("100 %") + 4);
    auto* opacity = new QHBoxLayout;
    opacity->setSpacing(6);
    opacity->addWidget(m_opacity, 1);
    opacity->addWidget(m_opacityText);
    auto* cut = new QHBoxLayout;
    cut->setSpacing(6);
    cut->addWidget(m_cut, 1);
    cut->addWidget(m_axis, 1);
    auto* place = new QHBoxLayout;
    place->setSpacing(6);
    place->addWidget(m_position, 1);
    place->addWidget(m_flip);
    auto* threshold = new QHBoxLayout;
    threshold->setSpacing(6);
    threshold->addWidget(m_depolarised, 1);
    threshold->addWidget(m_threshold);
    form->addRow(cut);
    form->addRow(place);
    form->addRow(m_cutHint);
    form->addRow(tr("Opacity"), opacity);
    form->addRow(m_opacityHint);
    form->addRow(threshold);
    form->addRow(m_fibres);
    form->addRow(m_filaments);
    form->addRow(m_arrows);
    connectVolume();
    return w;
}

void ViewPanel::connectVolume()
{
    connect(m_cut, &QComboBox::activated, this, [this](int i) {
        set([i](ViewSettings& s) { s.cut = static_cast<ViewSettings::Cut>(i); });
        fill();
    });
    connect(m_axis, &QComboBox::activated, this,
            [this](int i) { set([i](ViewSettings& s) { s.axis = i; }); });
    connect(m_flip, &QCheckBox::toggled, this,
            [this](bool on) { set([on](ViewSettings& s) { s.flip = on; }); });
    connect(m_position, &QSlider::valueChanged, this,
            [this](int v) { set([v](ViewSettings& s) { s.position = v / 100.0; }); });
    connect(m_opacity, &QSlider::valueChanged, this, [this](int v) {
        set([v](ViewSettings& s) { s.opacity = std::max(least_opacity, v) / 100.0; });
        fillOpacity();
    });
    connect(m_depolarised, &QCheckBox::toggled, this,
            [this](bool on) { set([on](ViewSettings& s) { s.depolarised = on; }); });
    connect(m_threshold, &QDoubleSpinBox::valueChanged, this,
            [this](double v) { set([v](ViewSettings& s) { s.threshold_mV = v; }); });
    connect(m_fibres, &QComboBox::activated, this, [this](int i) {
        set([i](ViewSettings& s) { s.fibres = static_cast<ViewSettings::Fibres>(i); });
        fillOpacity();
    });
    connect(m_filaments, &QCheckBox::toggled, this, [this](bool on) {
        set([on](ViewSettings& s) { s.filaments = on; });
        fillPlane();
        fillOpacity();
    });
    connect(m_arrows, &QCheckBox::toggled, this,
            [this](bool on) { set([on](ViewSettings& s) { s.arrows = on; }); });
}

void ViewPanel::set(const std::function<void(ViewSettings&)>& f)
{
    if (m_filling)
        return;
    f(m_settings);
    Q_EMIT changed(m_settings);
}

void ViewPanel::setSettings(const ViewSettings& s)
{
    m_settings = s;
    fill();
}

void ViewPanel::setCurrentView(int view)
{
    m_view = view;
    fill();
}

void ViewPanel::setFoundRange(Quantity q, double low, double high, double step)
{
    m_found[q] = {low, high, step};
    if (q != m_settings.shownIn(m_view) || !style().automatic)
        return;
    m_low->put(low);
    m_high->put(high);
    if (style().stepFits)
        m_step->put(step);
}

void ViewPanel::setBeats(const QStringList& labels, int first, int propagated, int repolarised)
{
    if (labels == m_beatLabels && first == m_firstBeat && propagated == m_propagatedBeat &&
        repolarised == m_repolarisedBeat)
        return;
    m_beatLabels = labels, m_firstBeat = first;
    m_propagatedBeat = propagated, m_repolarisedBeat = repolarised;
    if (!m_beat->view()->isVisible()) // nobody chooses just now
        fillBeats();
}

void ViewPanel::fillBeats()
{
    const QSignalBlocker quiet(m_beat);
    m_beat->clear();
    const auto newest = [this](const QString& which, int number, qint64 asked) {
        m_beat->addItem(m_beatLabels.isEmpty() ? which
                                               : QStringLiteral("%1 (%2)").arg(which).arg(number),
                        static_cast<int>(asked));
    };
    using simulation::WatchMaps;
    newest(tr("Newest that propagated"), m_propagatedBeat, WatchMaps::newest);
    newest(tr("Newest that repolarised"), m_repolarisedBeat, WatchMaps::newest_repolarised);
    for (qsizetype k = m_beatLabels.size(); k-- > 0;)
        m_beat->addItem(m_beatLabels[k], m_firstBeat + static_cast<int>(k));
    if (m_settings.beat > 0 && m_beat->findData(m_settings.beat) < 0) // it is to come, or forgotten
        m_beat->addItem(tr("Beat %1").arg(m_settings.beat), m_settings.beat);
    m_beat->setCurrentIndex(m_beat->findData(m_settings.beat));
}

void ViewPanel::fillMaps()
{
    QStringList names;
    for (const auto& n : scene::color_map_names())
        names << QString::fromStdString(n);
    names << m_settings.customMaps.keys();
    m_map->clear();
    for (const QString& n : names) {
        QuantityStyle s = style();
        s.map = n;
        m_map->addItem(QIcon(mapSwatch(mapOf(s, m_settings.customMaps), 64, 14)), n, n);
    }
    m_map->setCurrentIndex(m_map->findData(style().map));
}

void ViewPanel::fillPlane()
{
    m_plane->setEnabled(m_settings.shownIn(m_view) == Quantity::phase || m_settings.filaments);
    m_plane->setPlane(m_settings.plane);
}

void ViewPanel::fill()
{
    m_filling = true;
    const Quantity q = m_settings.shownIn(m_view);
    const QuantityStyle& s = style();
    const auto& info = quantityInfo(q);
    m_layout->setCurrentIndex(m_settings.count == 4 ? 2 : m_settings.count - 1);
    m_linked->setChecked(m_settings.linked);
    m_linked->setEnabled(m_settings.count > 1);
    m_quantity->setCurrentIndex(static_cast<int>(q));
    fillBeats();
    m_beat->setEnabled(info.maps);
    fillPlane();
    fillMaps();
    const bool own = m_settings.customMaps.contains(s.map);
    for (QWidget* w :
         std::initializer_list<QWidget*>{m_map, m_reversed, m_own, m_automatic, m_isochrones})
        w->setEnabled(!info.flat);
    m_own->setEnabled(!own && !info.flat);
    m_editor->setVisible(own);
    if (own)
        m_editor->setKnots(m_settings.customMaps[s.map]);
    m_reversed->setChecked(s.reversed);
    m_automatic->setChecked(s.automatic);
    for (auto* b : {m_low, m_high}) {
        b->setEnabled(!s.automatic && !info.flat);
        b->setSuffix(*info.unit == 0 ? QString() : QStringLiteral(" ") + QLatin1String(info.unit));
    }
    m_low->put(s.low);
    m_high->put(s.high);
    m_isochrones->setChecked(s.isochrones);
    m_step->setSuffix(*info.unit == 0 ? QString() : QStringLiteral(" ") + QLatin1String(info.unit));
    m_step->put(s.step);
    if (const auto found = m_found.constFind(q); s.automatic && found != m_found.constEnd())
        setFoundRange(q, found->low, found->high, found->step);
    m_annotations->setChecked(m_settings.annotations);
    m_cut->setCurrentIndex(static_cast<int>(m_settings.cut));
    m_axis->setCurrentIndex(m_settings.axis);
    const bool cutting = m_settings.cut != ViewSettings::Cut::none;
    for (QWidget* w : std::initializer_list<QWidget*>{m_axis, m_flip, m_position})
        w->setEnabled(cutting);
    fillCutHint();
    m_flip->setChecked(m_settings.flip);
    m_position->setValue(static_cast<int>(std::lround(100 * m_settings.position)));
    m_opacity->setValue(static_cast<int>(std::lround(100 * m_settings.opacity)));
    m_depolarised->setChecked(m_settings.depolarised);
    m_threshold->put(m_settings.threshold_mV);
    m_fibres->setCurrentIndex(static_cast<int>(m_settings.fibres));
    m_filaments->setChecked(m_settings.filaments);
    m_arrows->setChecked(m_settings.arrows);
    m_filling = false;
    fillOpacity();
}

void ViewPanel::fillOpacity()
{
    const auto percent = [](double part) { return static_cast<int>(std::lround(100 * part)); };
    const int drawn = percent(m_settings.drawnOpacity());
    m_opacityText->setText(tr("%1 %").arg(drawn));
    const bool less = drawn < percent(m_settings.opacity);
    const QString what = !m_settings.filaments ? tr("fibres")
                         : m_settings.fibres == ViewSettings::Fibres::none
                             ? tr("filaments")
                             : tr("fibres and filaments");
    m_opacityHint->setText(!less ? QString()
                           : m_settings.cut == ViewSettings::Cut::slice
                               ? tr("At most %1 % around a slice.").arg(drawn)
                               : tr("At most %1 % while %2 are shown.").arg(drawn).arg(what));
}

void ViewPanel::setGreyFace(const QString& why)
{
    m_greyFace = why;
    fillCutHint();
}

void ViewPanel::fillCutHint()
{
    m_cutHint->setText(m_settings.cut == ViewSettings::Cut::none ? QString()
                       : m_greyFace.isEmpty() ? tr("The cut face shows what the wall shows.")
                                              : m_greyFace + QLatin1Char('.'));
}

} // namespace tawara
