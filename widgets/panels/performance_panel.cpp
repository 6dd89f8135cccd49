// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/performance_panel.hpp"

#include "engine/simulation/results/figures.hpp"
#include "widgets/panels/form.hpp"
#include "widgets/plots/axes.hpp"
#include "widgets/plots/roofline_plot.hpp"
#include "widgets/plots/strip_chart.hpp"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace tawara {
namespace {

enum Column {
    name_column,
    time_column,
    fraction_column, // what is read first, before a narrow panel ends
    bound_column,
    bytes_column,
    flops_column,
    counted_column,
    column_count
};

constexpr int all_columns_px = 420;

QString big(double v)
{
    const char* units[] = {"", " k", " M", " G", " T"};
    int k = 0;
    while (v >= 9999.5 && k < 4)
        v /= 1000, ++k;
    return QString::number(v, 'f', v < 10 && k > 0 ? 1 : 0) + QLatin1String(units[k]);
}

bool isCounted(const simulation::KernelFigure& k)
{
    return k.counted_bytes > 0 && k.bytes > 0;
}

QString operationsTip()
{
    return PerformancePanel::tr(
        "Additions, multiplications and multiply-adds count as one operation each, in the kernels "
        "and in the ceilings. Data sheets count a multiply-add as two: their GFLOP/s are twice as "
        "many.");
}

QString tipOf(const simulation::KernelFigure& k, int column, const QString& text)
{
    if (column == counted_column && isCounted(k))
        return PerformancePanel::tr("%1 times the bytes of the data structures went between the "
                                    "GPU and its memory, by its hardware counters")
            .arg(text);
    if (column != fraction_column && column != bound_column)
        return text;
    if (k.bound_by.empty())
        return PerformancePanel::tr("Ceilings were not measured: the button above does.");
    const auto remark = QString::fromStdString(simulation::remark_on(k));
    if (column == bound_column)
        return PerformancePanel::tr("Bound by %1").arg(QString::fromStdString(k.bound_by));
    return remark.isEmpty() ? text : text + QStringLiteral(": ") + remark;
}

/// The last row: what of a step's wall time is in no kernel [ms]; below 0: not known.
void showOther(QTableWidget* table, double ms)
{
    const int row = table->rowCount() - 1;
    for (int column = 0; column < column_count; ++column) {
        auto* item = table->item(row, column);
        if (item == nullptr)
            table->setItem(row, column, item = new QTableWidgetItem);
        item->setText(column == name_column
                          ? PerformancePanel::tr("other (launching, waiting, copies, samples)")
                      : column != time_column ? QString()
                      : ms < 0                ? QStringLiteral("–")
                                              : numberText(ms, 3));
        item->setToolTip(PerformancePanel::tr(
            "Wall time of a step that is in no kernel: launching kernels, waiting of threads or "
            "devices for each other, copies for the picture and between devices, samples for "
            "probes, ECG and maps, recording; at a limited speed the pauses as well. With the "
            "kernels above it makes up the time per step; of several devices, with those of the "
            "busiest."));
        if (column == time_column)
            item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    }
}

} // namespace

PerformancePanel::PerformancePanel(QWidget* parent) : QWidget(parent)
{
    m_roofline = new RooflinePlot;
    m_roofline->setObjectName("roofline");
    m_roofline->setMinimumHeight(230);
    m_bandwidth = new StripChart(tr("Memory traffic"), tr("GB/s"), QColor(0x3f, 0x9f, 0xe0));
    m_bandwidth->setObjectName("bandwidth");
    m_step = new StripChart(tr("Time per step"), tr("ms"), QColor(0xe6, 0x9f, 0x00));
    m_step->setObjectName("timePerStep");
    m_step->setToolTip(
        tr("Wall time of one step: the sum of the table, the kernels' times and all that is in "
           "none. At a limited speed the pauses count as well."));
    m_bandwidth->setToolTip(tr("Bytes that the kernels moved, over the time they were busy."));
    m_table = new QTableWidget(0, column_count);
    m_table->setObjectName("kernels");
    // short, so that all of it is seen in a narrow panel
    const std::pair<QString, QString> heads[column_count] = {
        {tr("Kernel"), tr("What is computed; its device and calls are in the rows' tips")},
        {tr("ms"), tr("Time of each step [ms]")},
        {tr("Roof"),
         tr("Share of what the machine can do at most: of the ceiling that bounds it, over "
            "the whole run, as the points above")},
        {tr("Bound"), tr("What bounds it: memory, or arithmetic")},
        {tr("Bytes"), tr("Bytes moved in each step")},
        {tr("Ops"), tr("Operations of each step") + QChar('\n') + operationsTip()},
        {tr("HW"), tr("Bytes that the GPU's hardware counters saw, over those that the data "
                      "structures need; counted when ceilings are measured")}};
    for (int column = 0; column < column_count; ++column) {
        auto* head = new QTableWidgetItem(heads[column].first);
        head->setToolTip(heads[column].second);
        m_table->setHorizontalHeaderItem(column, head);
    }
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(23);
    m_table->setMinimumHeight(110);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(name_column, QHeaderView::Stretch);
    m_table->horizontalHeader()->setMinimumSectionSize(30);
    m_table->setWordWrap(false);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setShowGrid(false);
    m_measure = new QPushButton(tr("Measure ceilings"));
    m_measure->setObjectName("measureCeilings");
    m_measure->setToolTip(
        tr("Measure what memory and arithmetic of this machine reach; takes about a second "
           "and holds the simulation up"));
    auto* partition = new QPushButton(tr("Show partition"));
    partition->setObjectName("showPartition");
    partition->setToolTip(
        tr("Colour the heart by the device that computes each part; parts at borders are darker"));
    m_ceilings = hintLabel(tr("The roof is drawn once the ceilings were measured."));
    m_ceilings->setObjectName("ceilings");
    m_ceilings->setToolTip(operationsTip());
    m_above = hintLabel(tr("Above 100 %: works from caches, or the ceiling was measured while the "
                           "machine was busy; measure again."));
    m_above->setObjectName("aboveCeiling");
    m_above->hide();
    m_newton = hintLabel({});
    m_newton->setObjectName("newtonCounts");
    m_newton->hide();
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_measure);
    buttons->addWidget(partition);
    buttons->addStretch(1);
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(10, 8, 10, 8);
    column->addLayout(buttons);
    column->addWidget(m_ceilings);
    column->addWidget(m_roofline, 3);
    column->addWidget(m_bandwidth);
    column->addWidget(m_step);
    column->addWidget(m_table, 2);
    column->addWidget(m_above);
    column->addWidget(m_newton);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(scrolled(content));
    connect(m_measure, &QPushButton::clicked, this, [this] {
        m_ceilings->setText(tr("Measuring…"));
        Q_EMIT measureRequested();
    });
    connect(partition, &QPushButton::clicked, this, &PerformancePanel::partitionRequested);
}

void PerformancePanel::resizeEvent(QResizeEvent* e)
{
    QWidget::resizeEvent(e);
    chooseColumns();
}

void PerformancePanel::chooseColumns()
{
    // no sideways scrolling: the rows' tips have these too
    const bool narrow = width() < all_columns_px;
    for (const int column : {bytes_column, flops_column})
        m_table->setColumnHidden(column, narrow);
    m_table->setColumnHidden(counted_column, narrow || !m_counted);
}

void PerformancePanel::setCeilings(const device::Ceilings& c, const QString& device,
                                   const QString& notCounted)
{
    // kernels count a multiply-add as one operation, the measurement as two: here it is one
    // everywhere
    const double twice = c.fp64_GFLOP_per_s / 2, once = c.fp32_GFLOP_per_s / 2;
    m_ceilings->setText(
        tr("%1: %2 GB/s triad, %3 GB/s copy, %4 G operations/s double, %5 G operations/s single")
            .arg(device, numberText(c.triad_GB_per_s, 4), numberText(c.copy_GB_per_s, 4),
                 numberText(twice, 4), numberText(once, 4)));
    m_ceilings->setToolTip(operationsTip() +
                           (notCounted.isEmpty()
                                ? QString()
                                : QChar('\n') + tr("Bytes are those of the data structures; the "
                                                   "hardware did not count them: %1.")
                                                    .arg(notCounted)));
    m_roofline->setCeilings(c.triad_GB_per_s, twice);
    m_bandwidth->setLevel(c.triad_GB_per_s);
}

void PerformancePanel::reset()
{
    m_before.clear();
    m_stepsBefore = 0;
    m_roofline->clear();
    m_bandwidth->clear();
    m_step->clear();
    m_table->setRowCount(0);
    for (auto* said : {m_above, m_newton})
        said->hide();
}

void PerformancePanel::fillKernel(int row, const simulation::KernelFigure& k, const QString& name,
                                  const Since& since)
{
    const auto& [steps, ms, bytes, flops] = since;
    const QString texts[] = {
        name,
        steps > 0 ? numberText(ms / steps, 3) : QStringLiteral("–"),
        k.bound_by.empty() ? QStringLiteral("?") : tr("%1 %").arg(100 * k.fraction, 0, 'f', 0),
        k.bound_by.empty()       ? QStringLiteral("?")
        : k.bound_by == "memory" ? tr("mem.")
                                 : tr("arith."),
        steps > 0 ? big(bytes / steps) : QStringLiteral("–"),
        steps > 0 ? big(flops / steps) : QStringLiteral("–"),
        isCounted(k) ? QStringLiteral("%1×").arg(k.counted_bytes / k.bytes, 0, 'f', 2) : QString()};
    for (int column = 0; column < column_count; ++column) {
        auto* item = m_table->item(row, column);
        if (item == nullptr)
            m_table->setItem(row, column, item = new QTableWidgetItem);
        item->setText(texts[column]);
        item->setToolTip(
            column == name_column
                ? tr("%1 · %2: called %3 times; bytes of a step: %4, operations: %5")
                          .arg(QString::fromStdString(k.name), QString::fromStdString(k.device),
                               big(static_cast<double>(k.calls)).trimmed(), texts[bytes_column],
                               texts[flops_column]) +
                      (isCounted(k) ? QChar('\n') + tipOf(k, counted_column, texts[counted_column])
                                    : QString())
                : tipOf(k, column, texts[column]));
        if (column != name_column && column != bound_column)
            item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    }
}

void PerformancePanel::setKernels(const std::vector<simulation::KernelFigure>& kernels,
                                  const simulation::Status& status)
{
    const auto now = std::chrono::steady_clock::now();
    const auto busyNow = [](const auto& k) { return k.ms > 0; };
    if (std::none_of(kernels.begin(), kernels.end(), busyNow))
        return; // back at the start: what the run before came to stays until there is more
    if (status.step < m_stepsBefore)
        reset(); // the run began anew
    const auto news = [this](const auto& k) {
        return m_before[k.device + "/" + k.name].ms != k.ms;
    };
    if (std::none_of(kernels.begin(), kernels.end(), news)) { // asked before the engine noted more
        if (status.step == m_stepsBefore)
            m_timeBefore = now; // it stands: no time of a step
        return;
    }
    const auto steps = static_cast<double>(status.step - m_stepsBefore);
    const double wall = std::chrono::duration<double, std::milli>(now - m_timeBefore).count();
    std::vector<RooflinePlot::Point> points;
    double bytes = 0, busy = 0, memory = 0, arithmetic = 0;
    std::map<std::string, double> busyOf; // of each device
    m_table->setRowCount(static_cast<int>(kernels.size()) + 1);
    int row = 0;
    m_above->setVisible(std::any_of(kernels.begin(), kernels.end(), [](const auto& k) {
        return !simulation::remark_on(k).empty();
    }));
    m_counted = std::any_of(kernels.begin(), kernels.end(), isCounted);
    chooseColumns();
    const bool several = std::any_of(kernels.begin(), kernels.end(), [&](const auto& k) {
        return k.device != kernels.front().device;
    });
    for (const auto& k : kernels) {
        auto& old = m_before[k.device + "/" + k.name];
        if (old.ms > k.ms)
            old = {};
        const double ms = k.ms - old.ms, b = k.bytes - old.bytes, f = k.flops - old.flops;
        old = k;
        memory = std::max(memory, k.ceiling_GB_per_s);
        arithmetic = std::max(arithmetic, k.ceiling_GFLOP_per_s);
        bytes += b, busy += ms;
        busyOf[k.device] += ms;
        // of the device what stands before its details: the panel is narrow
        const QString where = QString::fromStdString(k.device);
        const QString name =
            QString::fromStdString(k.name) +
            (!several ? QString() : QStringLiteral(" · ") + where.section(',', 0, 0));
        if (k.ms > 0 && k.bytes > 0) // of the whole run, as the share of the roof is
            points.push_back({name, k.flops / k.bytes, k.flops / k.ms / 1e6});
        fillKernel(row++, k, name, {steps, ms, b, f});
    }
    m_roofline->setPoints(points);
    if (memory > 0 && arithmetic > 0)
        m_roofline->setCeilings(memory, arithmetic);
    if (busy > 0)
        m_bandwidth->add(bytes / busy / 1e6);
    const bool timed =
        steps > 0 && m_stepsBefore > 0 && status.state == simulation::Status::State::running;
    if (timed)
        m_step->add(wall / steps);
    double busiest = 0;
    for (const auto& [device, ms] : busyOf)
        busiest = std::max(busiest, ms);
    showOther(m_table, timed ? std::max(0.0, wall - busiest) / steps : -1);
    m_stepsBefore = status.step;
    m_timeBefore = now;
    showNewton(status.newton);
}

void PerformancePanel::showNewton(const std::optional<device::NewtonCounts>& c)
{
    m_newton->setVisible(c && c->steps > 0);
    if (!m_newton->isVisibleTo(this))
        return;
    const auto steps = static_cast<double>(c->steps);
    m_newton->setText(tr("Newton's method: %1 iterations a step (%2 at most), %3 of conjugate "
                         "gradients; %4 steps. %5 long steps were refused, %6 time steps were cut.")
                          .arg(static_cast<double>(c->newton) / steps, 0, 'f', 1)
                          .arg(c->most_newton)
                          .arg(static_cast<double>(c->linear) / steps, 0, 'f', 1)
                          .arg(c->steps)
                          .arg(c->rejected)
                          .arg(c->halved));
    QString tip = tr("Means of all steps of this run. A step is one time step or, where V moves "
                     "slowly, several of them.");
    if (!c->host_decides.empty())
        tip += tr(" The host decides how iterations go on, and not the GPU by itself: %1.")
                   .arg(QString::fromStdString(c->host_decides));
    m_newton->setToolTip(tip);
}

} // namespace tawara
