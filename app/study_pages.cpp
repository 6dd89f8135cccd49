// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/study_pages.hpp"

#include "widgets/panels/field_note.hpp"
#include "widgets/panels/form.hpp"
#include "widgets/plots/bullseye_plot.hpp"

#include <QCheckBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QRadioButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <set>

namespace tawara {
namespace {

constexpr int all_segments = 17;
constexpr int labels_px = 104; // of all groups alike

} // namespace

QStringList textParts(const QString& text)
{
    QStringList out;
    for (const QString& part : text.split(',', Qt::SkipEmptyParts))
        if (!part.trimmed().isEmpty())
            out << part.trimmed();
    return out;
}

std::vector<double> realsOf(const QString& text, QString* notTaken)
{
    std::vector<double> out;
    for (const QString& part : textParts(text)) {
        bool is = false;
        const double x = part.toDouble(&is);
        if (is && std::isfinite(x))
            out.push_back(x);
        else if (notTaken != nullptr && notTaken->isEmpty())
            *notTaken = part;
    }
    return out;
}

SitesPage::SitesPage(const simulation::Session& session)
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(20);
    row->addWidget(makeSites(session));
    row->addWidget(makeProtocol(), 1);
    std::vector<int> all(all_segments);
    for (int k = 0; k < all_segments; ++k)
        all[static_cast<std::size_t>(k)] = k + 1;
    setSegments(all);
}

QWidget* SitesPage::makeSites(const simulation::Session& session)
{
    std::set<std::string> names;
    for (const auto& s : session.stimuli)
        if (const auto* ball = std::get_if<simulation::Sphere>(&s.region)) {
            auto name = s.name.empty() ? "site" : s.name;
            while (!names.insert(name).second)
                name += "'";
            m_places.push_back({name, 0, ball->centre});
        }
    auto* w = new QWidget;
    auto* column = new QVBoxLayout(w);
    column->setContentsMargins(0, 0, 0, 0);
    m_segments = new QLineEdit;
    m_segments->setObjectName("studySegments");
    m_segments->setPlaceholderText(tr("none"));
    m_segments->setToolTip(tr("AHA segments of the left ventricle, as “1-6, 10”; a click on the "
                              "bull's-eye adds one or takes it out. Each is paced on the "
                              "endocardium in its middle"));
    m_eye = new BullseyePlot;
    m_eye->setObjectName("studySegmentsEye");
    m_eye->setMinimumSize(200, 200);
    m_eye->setNumbered(true);
    m_own = new QCheckBox(m_places.size() == 1
                              ? tr("The pacing site of the session")
                              : tr("The %1 pacing sites of the session").arg(m_places.size()));
    m_own->setObjectName("studyOwnSites");
    m_own->setEnabled(!m_places.empty());
    m_own->setToolTip(tr("Sites of the Pacing panel: points on the tissue. Their own protocols do "
                         "not count"));
    column->addWidget(groupLabel(tr("Sites")));
    auto* line = new QHBoxLayout;
    line->addWidget(new QLabel(tr("AHA segments")));
    line->addWidget(m_segments, 1);
    column->addLayout(line);
    column->addWidget(m_eye, 1);
    column->addWidget(m_own);
    connect(m_eye, &BullseyePlot::segmentClicked, this, [this](int segment) {
        auto now = segments();
        const auto at = std::find(now.begin(), now.end(), segment);
        if (at == now.end())
            now.insert(std::upper_bound(now.begin(), now.end(), segment), segment);
        else
            now.erase(at);
        setSegments(now);
    });
    connect(m_segments, &QLineEdit::textChanged, this, [this] {
        const auto now = segments();
        BullseyePlot::Shares shares;
        for (const int s : now)
            shares[static_cast<std::size_t>(s - 1)] = {1};
        m_eye->setParts(shares, tr("%1 of 17").arg(now.size()),
                        {{tr("paced"), QColor(79, 157, 232)}});
        Q_EMIT changed();
    });
    connect(m_own, &QCheckBox::toggled, this, &StudyPage::changed);
    return w;
}

QWidget* SitesPage::makeProtocol()
{
    using I = study::Induction;
    auto* w = new QWidget;
    auto* column = new QVBoxLayout(w);
    column->setContentsMargins(0, 0, 0, 0);
    QFormLayout* form = nullptr;
    const auto group = [&](const QString& title) {
        form = new QFormLayout;
        column->addWidget(groupLabel(title));
        column->addLayout(form);
    };
    const auto number = [&](const char* name, const QString& label, const QString& unit,
                            const NumberBox::Range& range, const QString& tip) {
        auto* box = new NumberBox(QLatin1String(name), unit, range, tip);
        auto* text = new QLabel(label);
        text->setBuddy(box);
        text->setMinimumWidth(labels_px);
        form->addRow(text, box);
        connect(box, &QDoubleSpinBox::valueChanged, this, &StudyPage::changed);
        return box;
    };
    const auto field = [&](const char* name, const QString& label, const QString& unit,
                           const NumberBox::Range& range, const QString& tip, double I::*member) {
        auto* box = number(name, label, unit, range, tip);
        box->setValue(I().*member);
        m_fields.push_back({box, member});
    };
    const QString ms = QStringLiteral("ms");
    group(tr("Train S1"));
    field("studyCycle", tr("Cycle"), ms, {50, 10000, 10, 0}, tr("Between the pulses of S1"),
          &I::cycle_ms);
    m_count = number("studyCount", tr("Pulses"), {}, {1, 1000, 1, 0}, tr("How many S1 are given"));
    m_count->setValue(I().count);
    group(tr("Extrastimuli"));
    m_extra = number("studyExtra", tr("At most"), {}, {1, 8, 1, 0},
                     tr("How many follow S1: 1 is S2 alone, 3 is up to S4"));
    m_extra->setValue(I().extra);
    field("studyFirst", tr("First interval"), ms, {1, 10000, 10, 0},
          tr("The first coupling interval that is tried, of each extrastimulus"),
          &I::first_coupling_ms);
    field("studyDecrement", tr("Decrement"), ms, {0.1, 1000, 5, 1},
          tr("Each next one is so much earlier, until it does not capture"), &I::decrement_ms);
    field("studyShortest", tr("Shortest"), ms, {1, 10000, 10, 0}, tr("No shorter one is tried"),
          &I::shortest_ms);
    field("studySustained", tr("Sustained after"), ms, {200, 1e6, 100, 0},
          tr("Re-entry that lasts so long after the last pulse is sustained, and ends the search"),
          &I::sustained_ms);
    group(tr("Each pulse"));
    field("studyRadius", tr("Radius"), QStringLiteral("mm"), {0.01, 100, 1, 2},
          tr("Of the ball of tissue that is stimulated"), &I::radius_mm);
    field("studyAmplitude", tr("Amplitude"), QStringLiteral("pA/pF"), {0.01, 1e5, 5, 2},
          tr("Of the current"), &I::amplitude_pA_per_pF);
    field("studyDuration", tr("Duration"), ms, {0.01, 20, 0.5, 2}, tr("Of a pulse"),
          &I::duration_ms);
    column->addStretch(1);
    return w;
}

void SitesPage::setSegments(const std::vector<int>& segments)
{
    m_segments->setText(textOf(segments));
}

std::vector<int> SitesPage::segments(QString* notTaken) const
{
    auto out = numbersOf(m_segments->text(), notTaken);
    for (const int s : out)
        if ((s < 1 || s > all_segments) && notTaken != nullptr && notTaken->isEmpty())
            *notTaken = QString::number(s);
    std::erase_if(out, [](int s) { return s < 1 || s > all_segments; });
    return out;
}

void SitesPage::addTo(study::NewStudy& s) const
{
    study::Induction i;
    for (const int k : segments())
        i.sites.push_back({"AHA " + std::to_string(k), k, {}});
    if (m_own->isChecked())
        i.sites.insert(i.sites.end(), m_places.begin(), m_places.end());
    i.count = static_cast<int>(m_count->value());
    i.extra = static_cast<int>(m_extra->value());
    for (const auto& f : m_fields)
        i.*f.number = f.box->value();
    s.induction = std::move(i);
    s.keep.emplace(); // a site's page is all that there is
}

QString SitesPage::fault() const
{
    QString notTaken;
    if (segments(&notTaken).empty() && !m_own->isChecked() && notTaken.isEmpty())
        return tr("Choose at least one site.");
    if (!notTaken.isEmpty())
        return tr("“%1” is no AHA segment: want numbers from 1 to 17, as “1-6, 10”.").arg(notTaken);
    study::NewStudy s;
    addTo(s);
    const auto& i = *s.induction;
    if (i.first_coupling_ms < i.shortest_ms)
        return tr("The first interval must be at least the shortest one, %1 ms.")
            .arg(i.shortest_ms);
    if (i.first_coupling_ms > i.cycle_ms)
        return tr("The first interval must be at most the cycle of S1, %1 ms.").arg(i.cycle_ms);
    return {};
}

DosesPage::DosesPage()
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(hintLabel(
        tr("Each drug is given at each concentration, beside the drugs that the session has. IC50, "
           "Hill coefficients and C_max (the free drug in plasma at its highest dose) are those of "
           "the CiPA initiative; each block is a simple pore block.")));
    m_drugs = new QListWidget;
    m_drugs->setObjectName("studyDrugs");
    for (const auto& d : study::known_drugs()) {
        auto* item = new QListWidgetItem(
            tr("%1, C_max %2 nM").arg(QString::fromStdString(d.name)).arg(d.cmax_nM), m_drugs);
        item->setData(Qt::UserRole, QString::fromStdString(d.name));
        item->setFlags(Qt::ItemIsUserCheckable | Qt::ItemIsEnabled);
        item->setCheckState(Qt::Unchecked);
        QStringList blocks;
        for (const auto& b : d.blocks)
            blocks << tr("%1: IC50 %2 nM, Hill %3")
                          .arg(QString::fromStdString(b.parameter))
                          .arg(b.ic50_nM)
                          .arg(b.hill);
        item->setToolTip(blocks.join('\n'));
    }
    m_cmax = new QRadioButton(tr("multiples of C_max"));
    m_cmax->setChecked(true);
    m_nM = new QRadioButton(tr("nM"));
    m_nM->setObjectName("studyNanomolar");
    m_values = new QLineEdit(QStringLiteral("0, 1, 2, 4"));
    m_values->setObjectName("studyConcentrations");
    auto* row = new QHBoxLayout;
    row->addWidget(new QLabel(tr("Concentrations")));
    row->addWidget(m_values, 1);
    row->addWidget(m_cmax);
    row->addWidget(m_nM);
    column->addWidget(groupLabel(tr("Drugs")));
    column->addWidget(m_drugs, 1);
    column->addLayout(row);
    connect(m_drugs, &QListWidget::itemChanged, this, &StudyPage::changed);
    connect(m_values, &QLineEdit::textChanged, this, &StudyPage::changed);
    connect(m_nM, &QRadioButton::toggled, this, &StudyPage::changed);
}

void DosesPage::addTo(study::NewStudy& s) const
{
    study::ChosenDoses d;
    for (int k = 0; k < m_drugs->count(); ++k)
        if (const auto* item = m_drugs->item(k); item->checkState() == Qt::Checked)
            d.drugs.push_back(item->data(Qt::UserRole).toString().toStdString());
    d.times_cmax = m_cmax->isChecked();
    d.values = realsOf(m_values->text());
    s.doses = std::move(d);
}

QString DosesPage::fault() const
{
    study::NewStudy s;
    addTo(s);
    if (s.doses->drugs.empty())
        return tr("Choose at least one drug.");
    QString notTaken;
    const auto values = realsOf(m_values->text(), &notTaken);
    if (!notTaken.isEmpty())
        return tr("“%1” is no number: want concentrations as “0, 1, 4”.").arg(notTaken);
    if (values.empty())
        return tr("Give at least one concentration.");
    for (const double v : values)
        if (v < 0 || std::count(values.begin(), values.end(), v) > 1)
            return v < 0 ? tr("%1 is below 0.").arg(spacedNumber(v))
                         : tr("%1 is there twice; give each value once.").arg(v);
    return {};
}

} // namespace tawara
