// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/ecg_panel.hpp"

#include "engine/simulation/observe/ecg.hpp"
#include "engine/simulation/observe/ecg_beats.hpp"
#include "widgets/panels/cell_editor.hpp"
#include "widgets/panels/folding_row.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMessageBox>
#include <QPainter>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace tawara {

using simulation::Session;

namespace {

constexpr int between_ms = 250;                     // two measurements
constexpr double before_ms = 2000, after_ms = 1000; // of what is shown, for beats that it cuts
constexpr double measured_ms = 10000; // at least: what is a beat does not depend on the zoom

/// A line of text that takes what place there is.
class ShortLabel : public QLabel
{
  public:
    ShortLabel() { setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); }

  protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter p(this);
        p.setPen(palette().color(foregroundRole()));
        p.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter,
                   fontMetrics().elidedText(text(), Qt::ElideRight, width()));
    }
};

/// A tool tip in lines that fit a screen: plain text has none but its own.
QString wrappedTip(const QString& text)
{
    return QStringLiteral("<p style='white-space: pre-wrap'>%1</p>").arg(text.toHtmlEscaped());
}

/// "QRS 96 ms", or a dash.
QString intervalText(const QString& name, double ms)
{
    return std::isfinite(ms) ? EcgPanel::tr("%1 %2 ms").arg(name).arg(std::round(ms))
                             : EcgPanel::tr("%1 –").arg(name);
}

/// Why an interval is not known; empty where it is.
QString whyText(const QString& name, const std::string& why)
{
    return why.empty() ? QString()
                       : EcgPanel::tr("%1 –: %2").arg(name, QString::fromStdString(why)) + '\n';
}

/// How many of the leads are of the user's own electrodes, beside the twelve.
int ownOf(const QStringList& names)
{
    std::vector<std::string> list;
    for (const QString& n : names)
        list.push_back(n.toStdString());
    return static_cast<int>(simulation::own_leads(list));
}

} // namespace

EcgPanel::EcgPanel(QWidget* parent) : QWidget(parent)
{
    m_plot = new EcgPlot;
    m_plot->setObjectName("ecgPlot");
    buildButtons();
    m_lead = new QComboBox;
    m_lead->setObjectName("ecgLead");
    m_lead->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_lead->setToolTip(tr("Leads of the strip"));
    m_unused = hintLabel({}); // beside the buttons: nothing moves when it comes
    m_unused->setObjectName("unusedElectrodes");
    m_unused->setWordWrap(false);
    m_unused->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_unused->setIndent(8);
    m_readings = new ShortLabel;
    m_readings->setObjectName("ecgReadings");
    auto* electrodes = new QHBoxLayout;
    for (auto* b : {m_twelve, m_torso, m_place, m_show})
        electrodes->addWidget(b);
    electrodes->addWidget(m_unused, 1);
    auto* shown = new QHBoxLayout;
    shown->addStretch(1);
    shown->addWidget(m_paper);
    shown->addWidget(m_sheet);
    shown->addWidget(m_lead);
    auto* bar = new FoldingRow;
    bar->setContentsMargins(8, 4, 8, 2);
    bar->setSpacing(14);
    bar->addLayout(electrodes, 1);
    bar->addLayout(shown);
    auto* intervals = new QHBoxLayout; // a line of their own: beside the buttons they would be cut
    intervals->setContentsMargins(10, 0, 8, 2);
    intervals->addWidget(m_readings);
    buildElectrodes();
    auto* middle = new QHBoxLayout;
    middle->setSpacing(0);
    middle->addWidget(m_plot, 1);
    middle->addWidget(m_electrodes, 1000); // as wide as it may be, while the plot has room
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    column->addLayout(bar);
    column->addLayout(intervals);
    column->addLayout(middle, 1);
    connectWidgets();
    setLeads({});
}

void EcgPanel::buildButtons()
{
    m_twelve = smallButton({}, tr("12 leads"), "twelveLeads",
                           tr("The standard electrodes on a torso around the heart: I to III, aVR, "
                              "aVL, aVF, V1 to V6; after them a lead of each electrode of your "
                              "own, against Wilson's central terminal.\n"
                              "Potentials grow with the source's "
                              "conductivities: the session's ecg.source_conductivity_S_per_m, else "
                              "those of the tissue, which are raised on a coarse mesh."));
    m_twelve->setCheckable(true);
    m_torso = smallButton(
        {}, tr("Torso"), "ecgTorso",
        tr("On: the heart lies in a trunk that its skin bounds, and the 12 leads' electrodes on "
           "the skin. Currents that cannot leave the body make the limb leads as large as people "
           "have them.\n"
           "Off: the same conductor everywhere, without an end."));
    m_torso->setCheckable(true);
    m_place =
        smallButton("probe", {}, "placeElectrode",
                    tr("The next click on the wall places an electrode 15 mm in front of it"));
    m_sheet = smallButton({}, tr("Sheet"), "ecgSheet", tr("All leads side by side, as on paper"));
    m_sheet->setCheckable(true);
    m_paper = smallButton({}, tr("Paper"), "ecgPaper",
                          tr("25 mm/s and 10 mm/mV, as recorders print: a large square is 200 ms "
                             "and 0.5 mV, a small one 40 ms and 0.1 mV; own electrodes' leads keep "
                             "a gain that fits. Else all gains do, and the wheel changes the "
                             "speed."));
    m_paper->setCheckable(true);
    for (auto* b : {m_twelve, m_torso, m_paper})
        b->setToolTip(wrappedTip(b->toolTip()));
    m_show =
        smallButton({}, tr("Electrodes"), "showElectrodes", tr("Where the electrodes are [mm]"));
    m_show->setCheckable(true);
}

void EcgPanel::buildElectrodes()
{
    m_electrodes = new QTableWidget(0, 5);
    m_electrodes->setObjectName("electrodes");
    m_electrodes->setHorizontalHeaderLabels(
        {tr("Electrode"), tr("x (mm)"), tr("y (mm)"), tr("z (mm)"), {}});
    coverCells(m_electrodes);
    m_electrodes->verticalHeader()->hide();
    m_electrodes->verticalHeader()->setDefaultSectionSize(26);
    m_electrodes->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_electrodes->horizontalHeader()->setSectionResizeMode(4, QHeaderView::Fixed);
    m_electrodes->horizontalHeader()->resizeSection(4, 30);
    m_electrodes->setMinimumWidth(150);
    m_electrodes->setMaximumWidth(336); // all columns, as that with the buttons that remove
    m_electrodes->hide();
}

void EcgPanel::askBeforeDropping(QToolButton* button, const QString& loss,
                                 const std::function<void()>& change)
{
    if (m_plot->sampleCount() == 0)
        return change();
    m_filling = true;
    button->toggle(); // back, until there is an answer
    m_filling = false;
    if (findChild<QMessageBox*>("ecgLoss") != nullptr)
        return; // it is being asked
    auto* box = new QMessageBox(QMessageBox::Question, tr("ECG"), loss,
                                QMessageBox::Discard | QMessageBox::Cancel, this);
    box->setObjectName("ecgLoss");
    box->setDefaultButton(QMessageBox::Cancel);
    box->setAttribute(Qt::WA_DeleteOnClose);
    connect(box, &QMessageBox::finished, this, [change](int answer) {
        if (answer == QMessageBox::Discard)
            change();
    });
    box->open();
}

void EcgPanel::connectWidgets()
{
    connect(m_twelve, &QToolButton::toggled, this, [this](bool on) {
        if (m_filling)
            return;
        const auto change = [this, on] {
            Q_EMIT edited(on ? tr("Add the 12 leads") : tr("Remove the 12 leads"),
                          [on](Session& s) {
                              s.leads.kind = on ? simulation::Leads::Kind::twelve_lead
                                                : simulation::Leads::Kind::none;
                          },
                          {});
        };
        if (on)
            return change(); // leads that are there keep what they have
        askBeforeDropping(m_twelve, tr("The 12 leads recorded so far would be dropped."), change);
    });
    connect(m_torso, &QToolButton::toggled, this, [this](bool on) {
        if (m_filling)
            return;
        askBeforeDropping(
            m_torso,
            tr("The ECG recorded so far was computed in the other conductor and would be dropped. "
               "New samples would begin where the run is."),
            [this, on] {
                Q_EMIT edited(on ? tr("ECG in a torso") : tr("ECG without a torso"),
                              [on](Session& s) {
                                  using Conductor = simulation::Leads::Conductor;
                                  s.leads.conductor = on ? Conductor::torso : Conductor::unbounded;
                              },
                              {});
            });
    });
    connect(m_place, &QToolButton::clicked, this, &EcgPanel::placeRequested);
    connect(m_show, &QToolButton::toggled, m_electrodes, &QWidget::setVisible);
    connect(m_sheet, &QToolButton::toggled, this, [this](bool on) {
        m_plot->setLayout(on ? EcgPlot::Layout::sheet : EcgPlot::Layout::strip);
        m_lead->setVisible(!on);
    });
    connect(m_paper, &QToolButton::toggled, m_plot, &EcgPlot::setPaper);
    connect(m_lead, &QComboBox::activated, this, [this] { m_wantedLeads = m_lead->currentText(); });
    connect(m_lead, &QComboBox::currentIndexChanged, this,
            [this] { m_plot->setShown(m_lead->currentData().toStringList()); });
    connect(m_electrodes, &QTableWidget::itemChanged, this, [this](QTableWidgetItem* item) {
        const auto row = static_cast<std::size_t>(item->row());
        if (m_filling || row >= m_known.size())
            return;
        auto e = m_known[row];
        if (item->column() == 0)
            e.name = item->text().toStdString();
        else
            e.position_mm[static_cast<std::size_t>(item->column() - 1)] = item->text().toDouble();
        Q_EMIT edited(tr("Move an electrode"),
                      [row, e](Session& s) {
                          if (row < s.electrodes.size())
                              s.electrodes[row] = e;
                      },
                      {});
    });
    m_due.setSingleShot(true);
    connect(&m_due, &QTimer::timeout, this, &EcgPanel::measure);
    connect(m_plot, &EcgPlot::changed, this, &EcgPanel::measureSoon);
}

void EcgPanel::showEvent(QShowEvent* e)
{
    QWidget::showEvent(e);
    measure();
}

void EcgPanel::measureSoon()
{
    if (!isVisible())
        return;
    if (!m_measured.isValid() || m_measured.elapsed() >= between_ms)
        measure();
    else if (!m_due.isActive())
        m_due.start(between_ms - static_cast<int>(m_measured.elapsed()));
}

void EcgPanel::measure()
{
    m_measured.start();
    const auto [from, to] = m_plot->range();
    const auto& times = m_plot->times();
    const auto at = [&](double ms) {
        return std::lower_bound(times.begin(), times.end(), ms) - times.begin();
    };
    const auto first = at(std::min(from - before_ms, to - measured_ms)), last = at(to + after_ms);
    std::vector<std::string> names;
    std::vector<std::vector<float>> mV;
    for (int k = 0; k < m_plot->leads().size(); ++k) {
        names.push_back(m_plot->leads()[k].toStdString());
        const auto& v = m_plot->lead(k);
        mV.emplace_back(v.begin() + first, v.begin() + last);
    }
    auto found =
        simulation::ecg_beats(names,
                              std::span(times).subspan(static_cast<std::size_t>(first),
                                                       static_cast<std::size_t>(last - first)),
                              mV, m_pulses);
    if (!m_activated)
        simulation::no_beats_without_activation(found);
    std::vector<std::array<double, 3>> ends;
    for (const auto& b : found.beats)
        ends.push_back({b.onset_ms, b.end_ms, b.t_end_ms});
    m_plot->setEnds(std::move(ends));
    const auto* beat = m_plot->following() && !m_plot->moment()
                           ? simulation::newest_measured(found)
                           : simulation::newest_measured(found, m_plot->moment().value_or(to));
    const simulation::EcgBeat none;
    const auto& b = beat != nullptr ? *beat : none;
    m_readings->setText(
        names.empty()
            ? QString()
            : QStringList{intervalText(tr("QRS"), b.qrs_ms()), intervalText(tr("QT"), b.qt_ms()),
                          intervalText(tr("RR"), b.rr_ms), intervalText(tr("QTcF"), b.qtc_ms())}
                  .join(QStringLiteral(" · ")));
    QString tip =
        found.none.empty() ? tr("No beat yet") + '\n' : QString::fromStdString(found.none) + '\n';
    if (beat != nullptr)
        tip = tr("Beat at %1 ms, marked on the traces").arg(std::round(b.steepest_ms)) + '\n' +
              whyText(tr("QRS"), b.no_qrs) + whyText(tr("QT"), b.no_qt) +
              whyText(tr("RR"), b.no_rr);
    m_readings->setToolTip(wrappedTip(m_readings->text() + '\n' + tip +
                                      QString::fromStdString(simulation::ecg_method_text(found))));
}

QString EcgPanel::readings() const
{
    return m_readings->text();
}

void EcgPanel::setSession(const Session& s)
{
    m_filling = true;
    m_twelve->setChecked(s.leads.kind == simulation::Leads::Kind::twelve_lead);
    m_torso->setChecked(simulation::in_torso(s.electrodes, s.leads));
    m_torso->setEnabled(s.has_ecg());
    if (m_known != s.electrodes ||
        m_electrodes->rowCount() != static_cast<int>(s.electrodes.size()))
        fillElectrodes(s);
    sayUnused(s);
    m_filling = false;
}

void EcgPanel::setTime(double ms, bool ended)
{
    const QString when =
        ended ? tr("The run ended without these leads: they have no samples unless it goes on "
                   "(Run > Length of the run…).")
              : tr("These leads begin with the next steps of the run.");
    m_plot->setWaiting(
        ms > 0 ? when + QLatin1Char(' ') +
                     tr("Back to the start (Ctrl+R) and Play compute them from the beginning.")
               : when);
}

QString EcgPanel::freeName() const
{
    for (int n = 1;; ++n) {
        const QString name = QStringLiteral("E%1").arg(n);
        if (std::none_of(m_known.begin(), m_known.end(), [&](const simulation::Electrode& e) {
                return QString::fromStdString(e.name) == name;
            }))
            return name;
    }
}

void EcgPanel::sayUnused(const Session& s)
{
    QStringList names;
    for (const auto& n : simulation::electrodes_without_lead(s.electrodes, s.leads))
        names << QString::fromStdString(n);
    m_unused->setToolTip({});
    m_unused->setVisible(!names.isEmpty());
    if (names.isEmpty())
        return m_unused->clear();
    const QString which = names.join(QStringLiteral(", "));
    m_unused->setText(
        (names.size() == 1 ? tr("%1 is in no lead") : tr("%1 are in no lead")).arg(which));
    m_unused->setToolTip(tr("The leads that the session gives are of other electrodes."));
}

void EcgPanel::fillElectrodes(const Session& s)
{
    m_known = s.electrodes;
    m_electrodes->setRowCount(static_cast<int>(m_known.size()));
    for (int row = 0; row < m_electrodes->rowCount(); ++row) {
        const auto& e = m_known[static_cast<std::size_t>(row)];
        m_electrodes->setItem(row, 0, new QTableWidgetItem(QString::fromStdString(e.name)));
        for (int k = 0; k < 3; ++k)
            m_electrodes->setItem(row, k + 1,
                                  new QTableWidgetItem(QString::number(
                                      e.position_mm[static_cast<std::size_t>(k)], 'f', 1)));
        auto* remove = smallButton("close", {}, "removeElectrode", tr("Remove this electrode"));
        remove->setIconSize({12, 12});
        remove->setStyleSheet("QToolButton { padding: 2px; }"); // in a row so low
        connect(remove, &QToolButton::clicked, this, [this, row] {
            Q_EMIT edited(tr("Remove an electrode"),
                          [row](Session& x) { x.electrodes.erase(x.electrodes.begin() + row); },
                          {});
        });
        m_electrodes->setCellWidget(row, 4, remove);
    }
}

void EcgPanel::setLeads(const QStringList& names)
{
    const int count = ownOf(names);
    m_plot->setLeads(names);
    m_plot->setOwn(count);
    const QSignalBlocker quiet(m_lead);
    m_lead->clear();
    const QStringList usual{"II", "V1", "V5"};
    if (count > 0)
        m_lead->addItem(tr("II, V1, V5 and own"), usual + names.last(count));
    if (names.contains(QStringLiteral("II")))
        m_lead->addItem(tr("II, V1, V5"), usual);
    m_lead->addItem(tr("All leads"), QStringList());
    for (const QString& n : names)
        m_lead->addItem(n, QStringList{n});
    chooseLeads();
    m_lead->setEnabled(!names.isEmpty());
    m_sheet->setEnabled(!names.isEmpty());
    m_paper->setEnabled(!names.isEmpty());
    m_readings->setVisible(!names.isEmpty());
}

void EcgPanel::chooseLeads()
{
    m_lead->setCurrentIndex(std::max(0, m_lead->findText(m_wantedLeads)));
    m_plot->setShown(m_lead->currentData().toStringList());
}

QJsonObject EcgPanel::look() const
{
    return {{"sheet", m_sheet->isChecked()},
            {"paper", m_paper->isChecked()},
            {"leads", m_wantedLeads},
            {"electrodes", m_show->isChecked()}};
}

void EcgPanel::setLook(const QJsonObject& o)
{
    m_sheet->setChecked(o["sheet"].toBool());
    m_paper->setChecked(o["paper"].toBool());
    m_show->setChecked(o["electrodes"].toBool());
    m_wantedLeads = o["leads"].toString();
    const QSignalBlocker quiet(m_lead);
    chooseLeads();
}

} // namespace tawara
