// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/calcium_panel.hpp"

#include "widgets/panels/color_scale.hpp"
#include "widgets/panels/folding_row.hpp"
#include "widgets/panels/form.hpp"
#include "widgets/panels/icons.hpp"
#include "widgets/plots/transient_plot.hpp"
#include "widgets/view3d/dyad_view.hpp"

#include <QButtonGroup>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QStackedLayout>
#include <QToolButton>

#include <algorithm>

namespace tawara {
namespace {

constexpr int least_ms = 40;    // between two pictures
constexpr int low_px = 230;     // a panel that is lower has its lines of words side by side
constexpr double beside = 1.55; // of this shape or wider, transients stand beside the view

/// Transients, in the order in which they are drawn.
std::vector<TransientPlot::Curve> curves()
{
    return {
        {CalciumPanel::tr("c_myo"), QStringLiteral("µM"),
         CalciumPanel::tr("Free calcium in the myoplasm, mean over dyads"), 3, 0.05},
        {CalciumPanel::tr("c_JSR"), QStringLiteral("mM"),
         CalciumPanel::tr("Free calcium in the junctional reticulum, mean over dyads"), 3, 0.05},
        {CalciumPanel::tr("I_CaL"), QStringLiteral("µA/µF"),
         CalciumPanel::tr("L-type calcium current of all dyads, as expected of their gates"), 3,
         0.05},
        {CalciumPanel::tr("J_rel"), QStringLiteral("µM/ms"),
         CalciumPanel::tr("Release through all open RyR, per volume of myoplasm"), 3, 0.02},
        {CalciumPanel::tr("Open RyR"),
         {},
         CalciumPanel::tr("Open ryanodine receptors in all"),
         7,
         20,
         1},
        {CalciumPanel::tr("Active dyads"),
         {},
         CalciumPanel::tr("Dyads with more than the active part of their RyR open (a fifth unless "
                          "the model's active_part says otherwise)"),
         6,
         5,
         1},
    };
}

/// A line of text that takes what place there is; the whole of it is its tool tip.
class CountsLabel : public QLabel
{
  public:
    CountsLabel() { setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); }

  protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter p(this);
        p.setPen(palette().color(foregroundRole()));
        p.drawText(contentsRect(), Qt::AlignLeft | Qt::AlignVCenter,
                   fontMetrics().elidedText(text(), Qt::ElideRight, contentsRect().width()));
    }
};

} // namespace

CalciumPanel::CalciumPanel(QWidget* parent) : QWidget(parent), m_stack(new QStackedLayout(this))
{
    m_stack->addWidget(makeEmpty());
    m_stack->addWidget(makeLive());
    m_due.setSingleShot(true);
    m_due.setInterval(least_ms);
    connect(&m_due, &QTimer::timeout, this, &CalciumPanel::showNewest);
    setControls(false);
    choose();
}

QWidget* CalciumPanel::makeEmpty()
{
    auto* w = new QWidget;
    auto* column = new QVBoxLayout(w);
    column->setContentsMargins(20, 12, 20, 12);
    m_hint = hintLabel(noDyadsText());
    m_hint->setObjectName("noDyads");
    m_hint->setMaximumWidth(520);
    auto* choose = new QPushButton(themedIcon("dyads"), tr("Choose a cell"));
    choose->setObjectName("chooseFirstCell");
    choose->setProperty("themedIcon", "dyads");
    choose->setToolTip(tr("The next clicks on the heart choose the cell that is shown (C)"));
    connect(choose, &QPushButton::clicked, this, [this] { Q_EMIT chooseRequested(true); });
    column->addStretch(1);
    column->addWidget(m_hint, 0, Qt::AlignHCenter);
    column->addWidget(choose, 0, Qt::AlignHCenter);
    column->addStretch(1);
    return w;
}

void CalciumPanel::makeChoices()
{
    m_quantity = new ChoiceBox;
    m_quantity->setObjectName("dyadQuantity");
    for (int q = 0; q < dyad_quantities; ++q) {
        const auto s = dyadScale(static_cast<DyadQuantity>(q));
        m_quantity->addItem(s.name);
        m_quantity->setItemData(q, s.meaning, Qt::ToolTipRole);
    }
    m_quantity->setToolTip(tr("What colours the dyads"));
    connect(m_quantity, &QComboBox::currentIndexChanged, this, &CalciumPanel::choose);
    m_volume = smallButton({}, tr("Volume"), "dyadVolume",
                           tr("The dyads in their places, seen through where little happens: drag "
                              "turns, the wheel zooms; arrow keys, + and − do so too, Home looks "
                              "at the whole cell"));
    m_layers = smallButton({}, tr("Layers"), "dyadLayers",
                           tr("All layers of the cell side by side, the first at the top left: "
                              "no dyad hides another"));
    auto* forms = new QButtonGroup(this);
    for (auto* b : {m_volume, m_layers}) {
        b->setCheckable(true);
        forms->addButton(b);
    }
    m_volume->setChecked(true);
    connect(forms, &QButtonGroup::buttonToggled, this, [this](QAbstractButton*, bool on) {
        if (on)
            choose();
    });
    m_choose =
        smallButton("dyads", {}, "chooseCell", tr("Clicks on the heart choose another cell (C)"));
    m_choose->setCheckable(true);
    connect(m_choose, &QToolButton::clicked, this, &CalciumPanel::chooseRequested);
    m_picture = smallButton("camera", {}, "dyadPicture", tr("Save a picture of this cell…"));
    connect(m_picture, &QToolButton::clicked, this, &CalciumPanel::pictureRequested);
    m_movie = smallButton("movie", {}, "dyadMovie",
                          tr("Make a movie of this cell from what was recorded of it…"));
    connect(m_movie, &QToolButton::clicked, this, &CalciumPanel::movieRequested);
    m_stop = smallButton("close", {}, "stopDyads",
                         tr("Show no cell: its dyads are no longer read while the run goes on"));
    connect(m_stop, &QToolButton::clicked, this, &CalciumPanel::stopRequested);
}

void CalciumPanel::makeControls()
{
    m_hold = smallButton({}, tr("Hold RyR open"), "holdRyR",
                         tr("Holds all RyR of the cell's region open: for the time beside, or "
                            "while the button is pressed"));
    m_holdMs = new NumberBox("holdMs", "ms", {0, 1000, 10, 1},
                             tr("Simulated time for which RyR are held open; 0: while the button "
                                "is pressed"));
    m_holdMs->setSpecialValueText(tr("pressed"));
    m_holdMs->put(100);
    m_holdMs->setMinimumWidth(m_holdMs->fontMetrics().horizontalAdvance("1000.0 ms") + 44);
    m_isoproterenol = new QCheckBox(tr("Isoproterenol"));
    m_isoproterenol->setObjectName("isoproterenol");
    setIsoproterenol(false);
    connect(m_hold, &QToolButton::pressed, this, [this] {
        if (m_holdMs->value() > 0)
            Q_EMIT holdRequested(m_holdMs->value());
        else
            Q_EMIT heldChanged(true);
    });
    connect(m_hold, &QToolButton::released, this, [this] {
        if (!(m_holdMs->value() > 0))
            Q_EMIT heldChanged(false);
    });
    connect(m_isoproterenol, &QCheckBox::clicked, this, &CalciumPanel::isoproterenolRequested);
}

/// What is said of the cell.
void CalciumPanel::makeLines()
{
    m_counts = new CountsLabel;
    m_counts->setObjectName("dyadCounts");
    m_moment = new CountsLabel;
    m_moment->setObjectName("dyadMoment");
    m_moment->hide();
    m_sparks = new CountsLabel;
    m_sparks->setObjectName("dyadSparks");
    m_saveSparks = smallButton({}, tr("Save sparks as CSV…"), "saveSparks",
                               tr("Saves the sparks of this cell since it was chosen, a row each: "
                                  "time, place, kind, amplitude, rise, duration, widths"));
    connect(m_saveSparks, &QToolButton::clicked, this, &CalciumPanel::sparksRequested);
}

QWidget* CalciumPanel::makeLive()
{
    makeChoices();
    makeControls();
    makeLines();
    m_lines = new QVBoxLayout;
    m_lines->setSpacing(1);
    m_lines->addWidget(m_counts, 1);
    m_lines->addWidget(m_sparks, 1);
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(10, 1, 8, 2);
    foot->addLayout(m_lines, 1);
    foot->addWidget(m_saveSparks);
    auto* shown = new QHBoxLayout;
    for (QWidget* w : {static_cast<QWidget*>(m_quantity), static_cast<QWidget*>(m_volume),
                       static_cast<QWidget*>(m_layers)})
        shown->addWidget(w);
    shown->addStretch(1);
    auto* done = new QHBoxLayout;
    done->addStretch(1);
    done->addWidget(m_moment, 100); // where the controls stand while the run is shown
    for (QWidget* w : {static_cast<QWidget*>(m_isoproterenol), static_cast<QWidget*>(m_hold),
                       static_cast<QWidget*>(m_holdMs), static_cast<QWidget*>(m_choose),
                       static_cast<QWidget*>(m_picture), static_cast<QWidget*>(m_movie),
                       static_cast<QWidget*>(m_stop)})
        done->addWidget(w);
    auto* bar = new FoldingRow;
    bar->setContentsMargins(8, 4, 8, 2);
    bar->setSpacing(6);
    bar->addLayout(shown, 1);
    bar->addLayout(done, 1);
    m_scale = new ColorScale;
    m_scale->setObjectName("dyadScale");
    m_plot = new TransientPlot(curves());
    m_plot->setObjectName("transients");
    m_seen = new QVBoxLayout;
    m_seen->setSpacing(0);
    m_seen->addStretch(1); // the view's place, once there is one
    m_seen->addWidget(m_scale);
    m_bodyWidget = new QWidget;
    m_bodyWidget->installEventFilter(this);
    m_body = new QHBoxLayout(m_bodyWidget);
    m_body->setContentsMargins(0, 0, 0, 0);
    m_body->setSpacing(1);
    m_body->addLayout(m_seen, 11);
    m_body->addWidget(m_plot, 9);
    auto* w = new QWidget;
    auto* column = new QVBoxLayout(w);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(bar);
    column->addWidget(m_bodyWidget, 1);
    column->addLayout(foot);
    return w;
}

void CalciumPanel::makeView()
{
    m_view = new DyadView;
    m_view->setObjectName("dyadView");
    m_view->setToolTip(m_volume->toolTip());
    delete m_seen->takeAt(0);
    m_seen->insertWidget(0, m_view, 1);
    choose();
}

void CalciumPanel::arrange()
{
    const auto d = m_bodyWidget->width() > beside * m_bodyWidget->height()
                       ? QBoxLayout::LeftToRight
                       : QBoxLayout::TopToBottom;
    if (d != m_body->direction())
        m_body->setDirection(d);
    const bool low = height() < low_px;
    if (const auto lines = low ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom;
        lines != m_lines->direction()) {
        m_lines->setDirection(lines);
        m_lines->setSpacing(low ? 12 : 1);
    }
}

void CalciumPanel::resizeEvent(QResizeEvent* e)
{
    QWidget::resizeEvent(e);
    arrange();
}

bool CalciumPanel::eventFilter(QObject* watched, QEvent* e)
{
    if (watched == m_bodyWidget && e->type() == QEvent::Resize)
        arrange(); // its size follows the panel's
    return QWidget::eventFilter(watched, e);
}

void CalciumPanel::showEvent(QShowEvent* e)
{
    QWidget::showEvent(e);
    arrange();
    if (m_frame)
        m_due.start();
}

void CalciumPanel::choose()
{
    const auto scale = dyadScale(quantity(), m_frame ? m_frame->picture.RyR : 100);
    const auto& map = scene::color_map(scale.map);
    m_scale->set(scale.title(), map, scale.low, scale.high, scale.log);
    m_scale->setToolTip(scale.meaning);
    if (m_view == nullptr)
        return;
    m_view->scene().set_form(m_layers->isChecked() ? scene::DyadForm::layers
                                                   : scene::DyadForm::volume);
    m_view->scene().set_colors(map, scale.low_is_seen);
    showNewest();
}

void CalciumPanel::setFrame(const FramePtr& frame)
{
    if (!frame) {
        clear();
        m_hint->setText(dyadsGoneText());
        return;
    }
    m_frame = frame;
    m_stack->setCurrentIndex(1);
    if (isVisible() && !m_due.isActive())
        m_due.start();
}

void CalciumPanel::clear()
{
    m_due.stop();
    m_frame.reset();
    m_hint->setText(noDyadsText());
    m_stack->setCurrentIndex(0);
    setControls(false);
}

void CalciumPanel::setMoment(const QString& line)
{
    m_moment->setText(line);
    m_moment->setToolTip(line);
    m_moment->setVisible(!line.isEmpty());
}

DyadQuantity CalciumPanel::quantity() const
{
    return static_cast<DyadQuantity>(m_quantity->currentIndex());
}

void CalciumPanel::showNewest()
{
    if (!m_frame || !isVisible())
        return;
    const auto& p = m_frame->picture;
    if (m_view == nullptr)
        return makeView(); // which comes back
    if (p.grid != m_grid) {
        m_grid = p.grid;
        m_view->setVisible(m_grid.count() <= scene::DyadScene::most_blocks);
        if (!m_view->isHidden())
            m_view->scene().set_grid({m_grid.nx, m_grid.ny, m_grid.nz});
    }
    if (!m_view->isHidden()) {
        m_view->scene().set_values(dyadShares(p, quantity()));
        m_view->schedule();
    }
    QString counts = dyadCountsText(*m_frame);
    if (m_view->isHidden())
        counts.prepend(tr("Too many dyads to be drawn. "));
    m_counts->setText(counts);
    m_counts->setToolTip(dyadCellText(m_frame->position_mm) + QLatin1Char('\n') + counts);
    showHistory();
    showSparks();
}

void CalciumPanel::showSparks()
{
    const auto sparks =
        m_frame->sparks ? m_frame->sparks->until(m_frame->time_ms) : simulation::SparkSummary();
    const QString text = sparksText(sparks);
    m_sparks->setText(text);
    m_sparks->setToolTip(
        text + QLatin1Char('\n') +
        tr("Since the cell was chosen. A spark is of dyads beside each other with a fifth of their "
           "RyR open, and counts when it is over. Amplitude: myoplasmic calcium at its peak over "
           "that at rest, where the spark began. Its length is the time above half of that rise."));
    m_saveSparks->setEnabled(sparks.count > 0);
}

void CalciumPanel::showHistory()
{
    const auto& samples = m_frame->history;
    std::vector<double> times;
    std::vector<std::vector<float>> values(6);
    times.reserve(samples.size());
    for (auto& v : values)
        v.reserve(samples.size());
    for (const auto& s : samples) {
        times.push_back(s.time_ms);
        const float row[] = {s.c_myo_uM,          s.c_jsr_mM, s.i_CaL,
                             s.release_uM_per_ms, s.open_RyR, s.active};
        for (std::size_t k = 0; k < values.size(); ++k)
            values[k].push_back(row[k]);
    }
    m_plot->setSamples(std::move(times), std::move(values));
}

void CalciumPanel::setChoosing(bool on)
{
    m_choose->setChecked(on);
}

void CalciumPanel::setIsoproterenol(bool on, const QString& whyNot)
{
    m_isoproterenol->setChecked(on);
    m_isoproterenol->setEnabled(whyNot.isEmpty());
    m_isoproterenol->setToolTip(
        !whyNot.isEmpty()
            ? whyNot
            : tr("The cell's region with or without isoproterenol, from the next step on"));
}

void CalciumPanel::setControls(bool on)
{
    for (QWidget* w : {static_cast<QWidget*>(m_hold), static_cast<QWidget*>(m_holdMs),
                       static_cast<QWidget*>(m_isoproterenol)})
        w->setVisible(on);
}

QImage CalciumPanel::picture()
{
    return m_bodyWidget->grab().toImage();
}

QJsonObject CalciumPanel::look() const
{
    return {{"quantity", QString::fromLatin1(dyadScale(quantity()).key)},
            {"form", m_layers->isChecked() ? "layers" : "volume"},
            {"span_ms", m_plot->span()}};
}

void CalciumPanel::setLook(const QJsonObject& o)
{
    for (int q = 0; q < dyad_quantities; ++q)
        if (o["quantity"].toString() == QLatin1String(dyadScale(static_cast<DyadQuantity>(q)).key))
            m_quantity->setCurrentIndex(q);
    (o["form"].toString() == QLatin1String("layers") ? m_layers : m_volume)->setChecked(true);
    m_plot->setSpan(o["span_ms"].toDouble(m_plot->span()));
}

} // namespace tawara
