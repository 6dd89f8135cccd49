// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/study_dialog.hpp"

#include "app/export/save_dialog.hpp"
#include "app/study_pages.hpp"
#include "engine/simulation/session/purkinje_keys.hpp"
#include "widgets/models/study_words.hpp"
#include "widgets/panels/field_note.hpp"
#include "widgets/panels/form.hpp"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <cmath>

namespace tawara {

QString forecastText(const study::Forecast& f, double ms_per_s)
{
    QStringList parts{f.runs == 1 ? StudyDialog::tr("1 run.")
                                  : StudyDialog::tr("%1 runs.").arg(spacedNumber(double(f.runs)))};
    if (f.runs == 0)
        return {};
    const bool known = ms_per_s > 0;
    const QString time = known ? durationText(f.simulated_ms / ms_per_s) : QString();
    if (f.at_least)
        parts << (known ? StudyDialog::tr("S1 alone takes about %1 at the speed of the run in the "
                                          "window; the rest is known when one site is done.")
                              .arg(time)
                        : StudyDialog::tr("How long they take is known when one site is done."));
    else
        parts << (known
                      ? StudyDialog::tr("About %1 at the speed of the run in the window.").arg(time)
                      : StudyDialog::tr("How long they take is known when one run is done."));
    if (f.bytes)
        parts << StudyDialog::tr("About %1 on disk.").arg(bytesText(*f.bytes));
    return parts.join(QLatin1Char(' '));
}

StudyDialog::StudyDialog(const simulation::Session& session, const study::MeshCount& mesh,
                         double ms_per_s, const QString& folder, QWidget* parent)
    : QDialog(parent), m_session(session), m_mesh(mesh), m_msPerS(ms_per_s), m_offered(folder),
      m_kind(new ChoiceBox), m_pages(new QStackedWidget), m_name(new QLineEdit),
      m_folder(new QLineEdit), m_keep(new QWidget), m_form(new QWidget), m_forecast(new QLabel),
      m_fault(new QLabel)
{
    setObjectName("studyDialog");
    setWindowTitle(tr("New study"));
    setAttribute(Qt::WA_DeleteOnClose);
    m_kind->setObjectName("studyKind");
    m_kind->addItems({tr("Inducible sites: where do extrastimuli induce re-entry?"),
                      tr("Values of keys: the same run with other numbers or words"),
                      tr("Doses: drugs at several concentrations")});
    for (StudyPage* p : std::initializer_list<StudyPage*>{new SitesPage(session),
                                                          new ValuesPage(session), new DosesPage}) {
        m_pages->addWidget(p);
        connect(p, &StudyPage::changed, this, &StudyDialog::describe);
    }
    m_name->setObjectName("studyNameField");
    m_name->setText(QString::fromStdString(session.name));
    m_folder->setObjectName("studyFolderField");
    m_folder->setToolTip(tr("A new folder, for the study's file, its session and its results"));
    auto* browse = new QPushButton(tr("Browse…"));
    connect(browse, &QPushButton::clicked, this, &StudyDialog::chooseFolder);
    auto* place = new QHBoxLayout;
    place->addWidget(m_folder, 1);
    place->addWidget(browse);
    makeKeep();
    auto* form = new QFormLayout(m_form);
    form->setContentsMargins(0, 0, 0, 0);
    form->addRow(tr("Kind"), m_kind);
    form->addRow(tr("Name"), m_name);
    form->addRow(tr("Folder"), place);
    form->addRow(tr("Keep"), m_keep);
    m_forecast->setObjectName("studyForecast");
    m_fault->setObjectName("studyFault");
    for (auto* l : {m_forecast, m_fault}) {
        l->setWordWrap(true);
        l->setTextFormat(Qt::PlainText);
    }
    m_fault->setProperty("level", "error");
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    m_make = buttons->addButton(tr("Make the study"), QDialogButtonBox::AcceptRole);
    m_make->setObjectName("studyMake");
    connect(buttons, &QDialogButtonBox::accepted, this, &StudyDialog::makeRequested);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* all = new QVBoxLayout(this);
    all->addWidget(m_form);
    all->addWidget(m_pages, 1);
    all->addWidget(m_forecast);
    all->addWidget(m_fault);
    all->addWidget(buttons);
    connect(m_kind, &QComboBox::currentIndexChanged, this, &StudyDialog::showKind);
    connect(m_name, &QLineEdit::textChanged, this, &StudyDialog::describe);
    connect(m_folder, &QLineEdit::textChanged, this, &StudyDialog::describe);
    showKind();
}

void StudyDialog::showKind()
{
    constexpr const char* names[] = {"sites", "values", "doses"};
    m_pages->setCurrentIndex(kind());
    qobject_cast<QFormLayout*>(m_form->layout())->setRowVisible(m_keep, kind() != sites);
    if (!m_folder->isModified()) {
        QString free = m_offered + QLatin1Char('-') + QLatin1String(names[kind()]);
        for (int n = 2; QFileInfo::exists(free); ++n)
            free = QStringLiteral("%1-%2-%3").arg(m_offered, QLatin1String(names[kind()])).arg(n);
        m_folder->setText(free);
    }
    describe();
}

void StudyDialog::makeKeep()
{
    auto* keep = new QHBoxLayout(m_keep);
    keep->setContentsMargins(0, 0, 0, 0);
    const auto kept = [&](const QString& text, const char* name, const QString& tip) {
        auto* box = new QCheckBox(text);
        box->setObjectName(QLatin1String(name));
        box->setToolTip(tip);
        keep->addWidget(box);
        return box;
    };
    m_activation = kept(tr("maps"), "studyKeepMaps", tr("Activation and repolarisation"));
    m_ecg = kept(tr("ECG"), "studyKeepEcg", tr("The electrocardiogram's samples"));
    m_frames = kept(tr("frames"), "studyKeepFrames",
                    tr("The potential over time, where the session has output.frames_every_ms"));
    m_ecg->setChecked(true);
    for (auto* box : {m_activation, m_ecg, m_frames})
        connect(box, &QCheckBox::toggled, this, &StudyDialog::describe);
    keep->addWidget(hintLabel(tr("beside the report and the probes of each run")), 1);
}

StudyDialog::Kind StudyDialog::kind() const
{
    return static_cast<Kind>(m_kind->currentIndex());
}

StudyPage* StudyDialog::page() const
{
    return qobject_cast<StudyPage*>(m_pages->currentWidget());
}

QString StudyDialog::folder() const
{
    return QDir::cleanPath(QDir::fromNativeSeparators(m_folder->text().trimmed()));
}

void StudyDialog::chooseFolder()
{
    const QString path =
        askWhereToSave(this, tr("A new folder for the study"), m_folder->text(), tr("Folders (*)"));
    if (!path.isEmpty()) {
        m_folder->setText(path);
        m_folder->setModified(true);
    }
}

study::NewStudy StudyDialog::study() const
{
    study::NewStudy s;
    s.name = m_name->text().trimmed().toStdString();
    page()->addTo(s);
    if (kind() != sites) {
        s.keep.emplace();
        for (const auto& [box, what] :
             {std::pair(m_activation, study::Keep::activation), std::pair(m_ecg, study::Keep::ecg),
              std::pair(m_frames, study::Keep::frames)})
            if (box->isChecked())
                s.keep->insert(what);
    }
    return s;
}

void StudyDialog::describe()
{
    QString fault = page()->fault();
    if (fault.isEmpty() && kind() == sites && m_session.purkinje->wanted)
        fault = tr("Sites are searched in tissue without a Purkinje network; remove the session's "
                   "(Conduction) first.");
    if (fault.isEmpty() && m_name->text().trimmed().isEmpty())
        fault = tr("Give the study a name.");
    if (fault.isEmpty() && m_folder->text().trimmed().isEmpty())
        fault = tr("Choose a folder.");
    m_forecast->setText(
        page()->fault().isEmpty()
            ? tawara::forecastText(study::forecast(study(), m_session, m_mesh), m_msPerS)
            : QString());
    setFault(fault);
    m_make->setEnabled(fault.isEmpty());
}

void StudyDialog::setFault(const QString& text)
{
    m_fault->setText(text);
}

void StudyDialog::setMaking(bool on)
{
    m_form->setEnabled(!on);
    m_pages->setEnabled(!on);
    m_make->setEnabled(!on);
    m_make->setText(on ? tr("Is being made…") : tr("Make the study"));
}

} // namespace tawara
