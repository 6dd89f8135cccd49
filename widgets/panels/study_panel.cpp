// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/study_panel.hpp"

#include "widgets/panels/form.hpp"
#include "widgets/panels/icons.hpp"
#include "widgets/panels/picture_box.hpp"
#include "widgets/panels/spot_proxy.hpp"
#include "widgets/plots/bullseye_plot.hpp"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace tawara {

using study::Keeper;
using study::Outcome;

namespace {

constexpr int study_wide_px = 540; // a panel of this width has its parts side by side
/// Widths of the first and the last part, beside the table: of a panel that is wide enough.
struct PartWidths
{
    int from_px, summary_px, sites_px;
};
constexpr PartWidths part_widths[] = {{1000, 250, 240}, {800, 236, 222}, {0, 204, 160}};
constexpr int stacked_sites_px = 220; // the last part's height below the others
constexpr int least_study_px = 230;
constexpr int least_table_px = 120;
constexpr const char* narrow_button = "padding-left: 6px; padding-right: 6px; min-width: 0";

QLabel* textLine(const char* name, bool weak)
{
    auto* l = weak ? hintLabel({}) : new QLabel;
    l->setObjectName(QLatin1String(name));
    l->setTextFormat(Qt::PlainText);
    l->setWordWrap(true);
    l->setMinimumWidth(0);
    return l;
}

std::int64_t countOf(const study::StudyView& v, study::State s)
{
    return v.counts[static_cast<std::size_t>(s)];
}

} // namespace

StudyPanel::StudyPanel(QWidget* parent)
    : QWidget(parent), m_model(new StudyModel(this)), m_sorted(new SpotProxy(this)),
      m_pages(new QStackedWidget)
{
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(StudyModel::SortRole);
    auto* content = new QWidget;
    m_columns = new QBoxLayout(QBoxLayout::TopToBottom, content);
    m_columns->setContentsMargins(10, 6, 10, 6);
    m_columns->setSpacing(12);
    m_columns->addWidget(makeSummary());
    m_columns->addWidget(makeTable(), 1);
    m_columns->addWidget(makeSites());
    m_pages->addWidget(makeEmpty());
    auto* area = scrolled(content);
    area->setMinimumWidth(least_study_px);
    m_pages->addWidget(area);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_pages);
    connectTable();
    setStudy(nullptr);
}

QWidget* StudyPanel::makeEmpty()
{
    auto* w = new QWidget;
    w->setObjectName("studyEmpty");
    auto* column = new QVBoxLayout(w);
    column->setContentsMargins(20, 8, 20, 8);
    auto* hint = hintLabel(
        tr("No study is open. A study runs one session many times: paced from many sites to see "
           "where re-entry is induced, with several values of a key, or with drugs at several "
           "concentrations. Begin with the session that is open, or with the worked example: at "
           "which of 17 sites is a heart with a scar inducible?"));
    hint->setObjectName("noStudy");
    hint->setAlignment(Qt::AlignCenter);
    const auto button = [this](const QString& text, const char* name, auto signal) {
        auto* b = new QPushButton(text);
        b->setObjectName(QLatin1String(name));
        connect(b, &QPushButton::clicked, this, signal);
        return b;
    };
    auto* row = new QHBoxLayout;
    row->addStretch(1);
    row->addWidget(button(tr("New study…"), "newStudyFirst", &StudyPanel::newRequested));
    row->addWidget(button(tr("Open…"), "openStudyFirst", &StudyPanel::openRequested));
    row->addWidget(button(tr("Example…"), "exampleStudyFirst", &StudyPanel::exampleRequested));
    row->addStretch(1);
    column->addStretch(1);
    column->addWidget(hint);
    column->addLayout(row);
    column->addStretch(1);
    return w;
}

QWidget* StudyPanel::makeSummary()
{
    auto* w = new QWidget;
    auto* column = new QVBoxLayout(w);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    m_name = groupLabel({});
    m_name->setObjectName("studyName");
    m_name->setTextFormat(Qt::PlainText);
    m_name->setWordWrap(true);
    m_counts = textLine("studyCounts", false);
    m_inducible = textLine("studyInducible", false);
    m_estimate = textLine("studyEstimate", true);
    m_failed = textLine("studyFailed", false);
    m_trouble = textLine("studyTrouble", false);
    m_trouble->setProperty("level", "error");
    m_progress = new QProgressBar;
    m_progress->setObjectName("studyProgress");
    m_progress->setTextVisible(false);
    m_progress->setMaximumHeight(8);
    m_start = new QPushButton;
    m_start->setObjectName("startStudy");
    m_start->setStyleSheet(QLatin1String(narrow_button));
    connect(m_start, &QPushButton::clicked, this, [this] {
        if (m_work.computing)
            Q_EMIT stopRequested();
        else
            Q_EMIT startRequested(false);
    });
    m_report = new QPushButton(tr("Report"));
    m_report->setObjectName("studyReport");
    m_report->setStyleSheet(QLatin1String(narrow_button));
    m_report->setToolTip(tr("Writes report.html of what is done so far, and opens it"));
    connect(m_report, &QPushButton::clicked, this, &StudyPanel::reportRequested);
    m_again = smallButton("reset", {}, "studyAgain", tr("Tries the runs that failed again"));
    connect(m_again, &QToolButton::clicked, this, [this] { Q_EMIT startRequested(true); });
    m_more = smallButton({}, QStringLiteral("⋯"), "studyMore",
                         tr("The study's folder, its command line, another study"));
    m_more->setPopupMode(QToolButton::InstantPopup);
    m_more->setMenu(new QMenu(m_more));
    connect(m_more->menu(), &QMenu::aboutToShow, this, &StudyPanel::fillMenu);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(4);
    buttons->addWidget(m_start, 1);
    buttons->addWidget(m_report);
    buttons->addWidget(m_again);
    buttons->addWidget(m_more);
    column->addWidget(m_name);
    column->addLayout(buttons);
    for (QWidget* part : std::initializer_list<QWidget*>{m_counts, m_progress, m_inducible,
                                                         m_estimate, m_failed, m_trouble})
        column->addWidget(part);
    column->addStretch(1);
    return w;
}

QWidget* StudyPanel::makeTable()
{
    m_table = new QTreeView;
    m_table->setObjectName("studyRuns");
    m_table->setModel(m_sorted);
    m_table->setRootIsDecorated(false);
    m_table->setUniformRowHeights(true);
    m_table->setAlternatingRowColors(true);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setIconSize({12, 12});
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(0, Qt::AscendingOrder);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    m_table->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->header()->setStretchLastSection(true);
    m_table->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Ignored);
    m_table->setMinimumHeight(least_table_px);
    return m_table;
}

QWidget* StudyPanel::makeSites()
{
    m_sites = new QWidget;
    auto* column = new QVBoxLayout(m_sites);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    m_pictures = new QStackedWidget;
    // as tall as there is room, beside the others
    m_pictures->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Ignored);
    m_pictures->setMinimumHeight(least_table_px);
    m_which = new ChoiceBox;
    m_which->setObjectName("studyWhich");
    m_which->setToolTip(tr("What is shown below: segments, of which runs, or the picture of the "
                           "chosen run"));
    connect(m_which, &QComboBox::currentIndexChanged, this, &StudyPanel::showSites);
    m_eye = new BullseyePlot;
    m_eye->setObjectName("studyEye");
    m_eye->setNumbered(true);
    m_picture = new PictureBox;
    m_picture->setObjectName("studyPicture");
    m_picture->setReason(tr("Choose a run at which re-entry was induced."));
    m_pictures->addWidget(m_eye);
    m_pictures->addWidget(m_picture);
    column->addWidget(m_which);
    column->addWidget(m_pictures, 1);
    return m_sites;
}

void StudyPanel::connectTable()
{
    const auto activate = [this](const QModelIndex&) { Q_EMIT runActivated(chosenRun()); };
    connect(m_table, &QTreeView::activated, this, activate);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
        showFailure();
        Q_EMIT runChosen(chosenRun());
    });
    connect(m_table, &QWidget::customContextMenuRequested, this, [this](const QPoint& at) {
        const auto run = chosenRun();
        if (run < 0)
            return;
        auto* menu = new QMenu(this);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->addAction(tr("&Open in the window"), this, [this, run] { Q_EMIT runActivated(run); });
        menu->addAction(tr("Its &page"), this, [this, run] { Q_EMIT runPageRequested(run); });
        menu->addAction(tr("Its &folder"), this, [this, run] { Q_EMIT runFolderRequested(run); });
        menu->addSeparator();
        auto* all = menu->addAction(tr("&All results"), m_model, &StudyModel::setAllResults);
        all->setCheckable(true);
        all->setChecked(m_model->allResults());
        menu->popup(m_table->viewport()->mapToGlobal(at));
    });
}

void StudyPanel::fillMenu()
{
    auto* menu = m_more->menu();
    menu->clear();
    menu->addAction(tr("Open its &folder"), this, &StudyPanel::folderRequested);
    menu->addAction(tr("&Copy the command that goes on"), this, &StudyPanel::commandRequested);
    auto* all =
        menu->addAction(tr("&All results in the table"), m_model, &StudyModel::setAllResults);
    all->setCheckable(true);
    all->setChecked(m_model->allResults());
    menu->addSeparator();
    menu->addAction(tr("&New study…"), this, &StudyPanel::newRequested);
    menu->addAction(tr("&Open…"), this, &StudyPanel::openRequested);
    menu->addAction(tr("&Example…"), this, &StudyPanel::exampleRequested);
    menu->addAction(tr("C&lose this study"), this, &StudyPanel::closeRequested);
}

std::int64_t StudyPanel::chosenRun() const
{
    const auto* r = m_model->run(m_sorted->mapToSource(m_table->currentIndex()).row());
    return r == nullptr ? -1 : r->row.number;
}

void StudyPanel::setStudy(const StudyViewPtr& view)
{
    const bool other = !view || !m_view || view->folder != m_view->folder;
    const auto chosen = other ? -1 : chosenRun();
    m_view = view;
    m_model->setStudy(view);
    m_pages->setCurrentIndex(view ? 1 : 0);
    if (other) {
        m_picture->setPicture({});
        setTrouble({});
        m_which->setCurrentIndex(0);
    } else if (chosen >= 0 && chosenRun() != chosen) { // the table was made anew
        const QSignalBlocker quiet(m_table->selectionModel());
        m_table->setCurrentIndex(
            m_sorted->mapFromSource(m_model->index(static_cast<int>(chosen), 0)));
    }
    m_outcomes = view ? segmentOutcomes(*view) : std::vector<SegmentOutcomes>();
    m_sites->setVisible(!m_outcomes.empty() || !m_picture->picture().isNull());
    if (!view)
        return;
    showSummary();
    showFailure();
    showButtons();
    const QSignalBlocker quiet(m_which);
    const int was = m_which->currentIndex();
    m_which->clear();
    for (const auto& o : m_outcomes) {
        m_which->addItem(o.combination.isEmpty() ? tr("inducible segments") : o.combination);
        if (o.ablated)
            m_which->addItem(o.combination.isEmpty() ? tr("after ablation")
                                                     : tr("%1, after ablation").arg(o.combination));
    }
    m_which->addItem(tr("picture of the chosen run"));
    m_which->setVisible(m_which->count() > 1);
    const bool picture = other && !sitesInSegments(*view);
    m_which->setCurrentIndex(picture ? m_which->count() - 1
                                     : std::clamp(was, 0, m_which->count() - 1));
    showSites();
}

void StudyPanel::setWork(const Work& work)
{
    if (work == m_work)
        return;
    m_work = work;
    showSummary();
    showButtons();
}

void StudyPanel::setEstimate(const QString& text)
{
    m_estimate->setText(text);
    m_estimate->setVisible(!text.isEmpty());
}

void StudyPanel::setPicture(const QImage& picture)
{
    m_picture->setPicture(picture);
    m_sites->setVisible(!m_outcomes.empty() || !picture.isNull());
}

void StudyPanel::setTrouble(const QString& text)
{
    m_trouble->setText(text);
    m_trouble->setVisible(!text.isEmpty());
}

QString StudyPanel::countsText() const
{
    const auto& v = *m_view;
    std::int64_t running = 0, left = 0;
    QStringList others;
    for (const auto& r : v.runs) {
        running += r.keeper == Keeper::here || r.keeper == Keeper::elsewhere;
        left += r.keeper == Keeper::ended || r.keeper == Keeper::silent;
        if (const auto owner = QString::fromStdString(study::owner_text(r.row.owner));
            r.keeper == Keeper::elsewhere && !others.contains(owner))
            others << owner;
    }
    QString text = tr("%1 of %2 runs done").arg(countOf(v, study::State::done)).arg(v.runs.size());
    const auto add = [&text](std::int64_t n, const QString& what) {
        if (n > 0)
            text += QStringLiteral(", %1 %2").arg(n).arg(what);
    };
    add(running, tr("running"));
    add(left, tr("interrupted"));
    add(countOf(v, study::State::failed), tr("failed"));
    text += '.';
    if (!others.isEmpty())
        text += QLatin1Char(' ') + tr("Computed by %1.").arg(others.join(QStringLiteral(", ")));
    return text;
}

void StudyPanel::showSummary()
{
    if (!m_view)
        return;
    const auto& v = *m_view;
    const QString folder = QString::fromStdString(v.folder.string());
    m_name->setText(QString::fromStdString(v.name));
    m_name->setToolTip(folder);
    m_counts->setText(m_work.stopping ? tr("It stops when its runs have kept where they are.")
                      : m_work.computing && !m_work.text.isEmpty() ? m_work.text
                                                                   : countsText());
    m_progress->setRange(0, std::max(1, static_cast<int>(v.runs.size())));
    m_progress->setValue(
        static_cast<int>(countOf(v, study::State::done) + countOf(v, study::State::failed)));
    std::int64_t searched = 0, induced = 0, brief = 0, after = 0, repeated = 0;
    for (const auto& r : v.runs)
        if (r.site) {
            ++searched;
            induced += r.site->before.worst.outcome == Outcome::sustained;
            brief += r.site->before.worst.outcome == Outcome::transient;
            repeated += r.site->after.has_value();
            after += r.site->after && r.site->after->worst.outcome == Outcome::sustained;
        }
    QString text;
    if (searched > 0)
        text = tr("Sustained re-entry from %1 of %2 sites").arg(induced).arg(searched);
    if (brief > 0)
        text += tr(", non-sustained from %1").arg(brief);
    if (repeated > 0)
        text += tr("; after ablation from %1").arg(after);
    m_inducible->setText(text.isEmpty() ? text : text + '.');
    m_inducible->setVisible(!text.isEmpty());
}

void StudyPanel::showFailure()
{
    if (!m_view)
        return;
    const study::RunView* shown = nullptr;
    const auto chosen = chosenRun();
    for (const auto& r : m_view->runs)
        if (r.row.state == study::State::failed && (shown == nullptr || r.row.number == chosen))
            shown = &r;
    m_failed->setVisible(shown != nullptr);
    if (shown == nullptr)
        return;
    constexpr qsizetype most = 140; // letters; all of it is in the table
    const QString why = QString::fromStdString(shown->row.reason);
    m_failed->setText(tr("%1 failed: %2")
                          .arg(QString::fromStdString(shown->row.name),
                               why.size() > most ? why.left(most) + QStringLiteral("…") : why));
    m_failed->setToolTip(why);
}

void StudyPanel::showButtons()
{
    if (!m_view)
        return;
    const auto failed = countOf(*m_view, study::State::failed),
               done = countOf(*m_view, study::State::done);
    const auto left = std::count_if(m_view->runs.begin(), m_view->runs.end(), [](const auto& r) {
        return r.row.state == study::State::planned || r.keeper == Keeper::ended ||
               r.keeper == Keeper::silent;
    });
    m_start->setText(m_work.stopping                  ? tr("Stopping…")
                     : m_work.computing               ? tr("Stop")
                     : done + failed > 0 || left == 0 ? tr("Go on")
                                                      : tr("Start"));
    m_start->setToolTip(m_work.computing
                            ? tr("Stops; runs under way go on later from where they are kept")
                            : tr("Computes the runs that nobody computes, several at once"));
    m_start->setEnabled(m_work.computing ? !m_work.stopping : left > 0);
    m_again->setVisible(failed > 0);
    m_again->setEnabled(!m_work.computing);
    m_report->setEnabled(done > 0);
}

void StudyPanel::showSites()
{
    int at = m_which->currentIndex();
    m_pictures->setCurrentIndex(at == m_which->count() - 1 ? 1 : 0);
    for (const auto& o : m_outcomes) {
        if (at == 0)
            return showEye(o, false);
        if (at == 1 && o.ablated)
            return showEye(o, true);
        at -= o.ablated ? 2 : 1;
    }
}

void StudyPanel::showEye(const SegmentOutcomes& s, bool after)
{
    const std::vector<BullseyePlot::Part> parts{
        {tr("sustained"), outcomeColor(Outcome::sustained)},
        {tr("non-sustained"), outcomeColor(Outcome::transient)},
        {tr("none"), outcomeColor(Outcome::none)},
        {tr("is searched"), QColor(79, 157, 232)},
        {tr("focal"), outcomeColor(Outcome::focal)}};
    BullseyePlot::Shares shares;
    for (std::size_t k = 0; k < shares.size(); ++k) {
        const auto& o = after ? s.after[k] : s.before[k];
        if (!o && !s.searched[k])
            continue;
        shares[k].assign(parts.size(), 0);
        constexpr std::array<std::size_t, 5> part{2, 2, 4, 1, 0}; // of each Outcome
        shares[k][o ? part[static_cast<std::size_t>(*o)] : 3] = 1;
    }
    m_eye->setReason(sitesInSegments(*m_view)
                         ? QString()
                         : tr("No site of this study lies in an AHA segment so far."));
    m_eye->setParts(shares, after ? tr("Re-entry after ablation") : tr("Induced re-entry"), parts);
}

void StudyPanel::arrange()
{
    const bool wide = width() >= study_wide_px;
    const auto d = wide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom;
    if (d != m_columns->direction())
        m_columns->setDirection(d);
    const auto& px = *std::find_if(std::begin(part_widths), std::end(part_widths),
                                   [this](const auto& w) { return width() >= w.from_px; });
    auto* first = m_columns->itemAt(0)->widget();
    first->setMaximumWidth(wide ? px.summary_px : QWIDGETSIZE_MAX);
    first->setMinimumWidth(wide ? px.summary_px : 0);
    m_sites->setMaximumWidth(wide ? px.sites_px : QWIDGETSIZE_MAX);
    m_sites->setMinimumWidth(wide ? px.sites_px : 0);
    m_sites->setMinimumHeight(wide ? 0 : stacked_sites_px);
}

void StudyPanel::resizeEvent(QResizeEvent* e)
{
    QWidget::resizeEvent(e);
    arrange();
}

} // namespace tawara
