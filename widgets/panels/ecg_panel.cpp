// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/ecg_panel.hpp"

#include "engine/simulation/ecg.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace tawara {

using simulation::Session;

namespace {

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
    m_twelve = smallButton({}, tr("12 leads"), "twelveLeads",
                           tr("The standard electrodes on a torso around the heart: I to III, aVR, "
                              "aVL, aVF, V1 to V6; after them a lead of each electrode of your "
                              "own, against Wilson's central terminal"));
    m_twelve->setCheckable(true);
    m_place =
        smallButton("probe", tr("Electrode"), "placeElectrode",
                    tr("The next click on the wall places an electrode 15 mm in front of it"));
    m_sheet = smallButton({}, tr("Sheet"), "ecgSheet", tr("All leads side by side, as on paper"));
    m_sheet->setCheckable(true);
    m_show =
        smallButton({}, tr("Electrodes"), "showElectrodes", tr("Where the electrodes are [mm]"));
    m_show->setCheckable(true);
    m_lead = new QComboBox;
    m_lead->setObjectName("ecgLead");
    m_lead->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_lead->setToolTip(tr("Leads of the strip"));
    m_unused = hintLabel({}); // beside the buttons: nothing moves when it comes
    m_unused->setObjectName("unusedElectrodes");
    m_unused->setWordWrap(false);
    m_unused->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_unused->setIndent(8);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(8, 4, 8, 2);
    bar->addWidget(m_twelve);
    bar->addWidget(m_place);
    bar->addWidget(m_show);
    bar->addWidget(m_unused, 1);
    bar->addWidget(m_sheet);
    bar->addWidget(m_lead);
    m_electrodes = new QTableWidget(0, 5);
    m_electrodes->setObjectName("electrodes");
    m_electrodes->setHorizontalHeaderLabels(
        {tr("Electrode"), tr("x (mm)"), tr("y (mm)"), tr("z (mm)"), {}});
    m_electrodes->verticalHeader()->hide();
    m_electrodes->verticalHeader()->setDefaultSectionSize(26);
    m_electrodes->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_electrodes->horizontalHeader()->setSectionResizeMode(4, QHeaderView::Fixed);
    m_electrodes->horizontalHeader()->resizeSection(4, 30);
    m_electrodes->setFixedWidth(336); // all columns, as that with the buttons that remove
    m_electrodes->hide();
    auto* middle = new QHBoxLayout;
    middle->setSpacing(0);
    middle->addWidget(m_plot, 1);
    middle->addWidget(m_electrodes);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    column->addLayout(bar);
    column->addLayout(middle, 1);

    connect(m_twelve, &QToolButton::toggled, this, [this](bool on) {
        if (m_filling)
            return;
        Q_EMIT edited(on ? tr("12 leads") : tr("No 12 leads"),
                      [on](Session& s) {
                          s.leads.kind = on ? simulation::Leads::Kind::twelve_lead
                                            : simulation::Leads::Kind::none;
                      },
                      {});
    });
    connect(m_place, &QToolButton::clicked, this, &EcgPanel::placeRequested);
    connect(m_show, &QToolButton::toggled, m_electrodes, &QWidget::setVisible);
    connect(m_sheet, &QToolButton::toggled, this, [this](bool on) {
        m_plot->setLayout(on ? EcgPlot::Layout::sheet : EcgPlot::Layout::strip);
        m_lead->setVisible(!on);
    });
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
    setLeads({});
}

void EcgPanel::setSession(const Session& s)
{
    m_filling = true;
    m_twelve->setChecked(s.leads.kind == simulation::Leads::Kind::twelve_lead);
    if (m_known != s.electrodes ||
        m_electrodes->rowCount() != static_cast<int>(s.electrodes.size()))
        fillElectrodes(s);
    sayUnused(s);
    m_filling = false;
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
}

void EcgPanel::chooseLeads()
{
    m_lead->setCurrentIndex(std::max(0, m_lead->findText(m_wantedLeads)));
    m_plot->setShown(m_lead->currentData().toStringList());
}

QJsonObject EcgPanel::look() const
{
    return {{"sheet", m_sheet->isChecked()},
            {"leads", m_wantedLeads},
            {"electrodes", m_show->isChecked()}};
}

void EcgPanel::setLook(const QJsonObject& o)
{
    m_sheet->setChecked(o["sheet"].toBool());
    m_show->setChecked(o["electrodes"].toBool());
    m_wantedLeads = o["leads"].toString();
    const QSignalBlocker quiet(m_lead);
    chooseLeads();
}

} // namespace tawara
