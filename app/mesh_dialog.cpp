// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/mesh_dialog.hpp"

#include "engine/core/error.hpp"
#include "widgets/panels/field_note.hpp"
#include "widgets/panels/form.hpp"

#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <new>
#include <stdexcept>

namespace tawara {
namespace {

constexpr int settle_ms = 150;   // after the last change
constexpr int forecast_rows = 7; // five of a table, and a warning of two lines

QString count(std::int64_t n)
{
    return spacedNumber(static_cast<double>(n));
}

/// With as many figures as an estimate is good for.
QString about(std::int64_t n)
{
    double unit = 1;
    for (double rest = static_cast<double>(n); rest >= 1000; rest /= 10)
        unit *= 10;
    return count(static_cast<std::int64_t>(unit * std::round(static_cast<double>(n) / unit)));
}

QString bytes(double n)
{
    return n < 1e9 ? MeshDialog::tr("%1 MB").arg(n / 1e6, 0, 'f', 0)
                   : MeshDialog::tr("%1 GB").arg(n / 1e9, 0, 'f', 1);
}

QString duration(double s)
{
    return s < 90 ? MeshDialog::tr("%1 s").arg(s, 0, 'f', 0)
                  : MeshDialog::tr("%1 min").arg(s / 60, 0, 'f', 0);
}

/// Why something failed, for somebody who has no file before him.
QString reasonOf(const std::exception& e)
{
    const auto* input = dynamic_cast<const InputError*>(&e);
    const bool fileless = input != nullptr && mesh::generator::of_parameters(*input);
    return fileless ? QString::fromStdString(input->reason) : QString::fromUtf8(e.what());
}

QString makeText()
{
    return MeshDialog::tr("&Make and open");
}

QString openText()
{
    return MeshDialog::tr("&Open it");
}

QString closeText()
{
    return MeshDialog::tr("Close");
}

QString cancelText()
{
    return MeshDialog::tr("Cancel");
}

QString keptText()
{
    return MeshDialog::tr("The mesh is made. It is kept until this dialog is closed or a value is "
                          "changed.");
}

/// A button as wide as the longest of the texts that it will have; it has the first.
void keepWidth(QPushButton* button, std::initializer_list<QString> texts)
{
    int wide = 0;
    for (const QString& text : texts) {
        button->setText(text);
        wide = std::max(wide, button->sizeHint().width());
    }
    button->setText(*texts.begin());
    button->setMinimumWidth(wide);
}

QString row(const QString& name, const QString& value)
{
    return QStringLiteral("<tr><td style='padding-right:14px'>%1</td><td>%2</td></tr>")
        .arg(name, value);
}

/// What a mesh will take, and whether this machine has it.
QString memoryWarning(double needed)
{
    const double has = simulation::machine_bytes();
    return has > 0 && needed > 0.9 * has
               ? MeshDialog::tr("It would take about %1 of memory; this machine has %2.")
                     .arg(bytes(needed), bytes(has))
               : QString();
}

} // namespace

MeshSaid describeRefinement(const RefinementSaid& now, const RefinementSaid& after,
                            diffusion::Scheme scheme, const QString& region)
{
    QString html = QStringLiteral("<table cellspacing='0' cellpadding='1'>");
    const auto line = [&html](const QString& name, const QString& a, const QString& b) {
        html += QStringLiteral("<tr><td style='padding-right:18px'>%1</td>"
                               "<td style='padding-right:26px' align='right'>%2</td>"
                               "<td align='right'>%3</td></tr>")
                    .arg(name, a, b);
    };
    const auto tr = [](const char* text) { return MeshDialog::tr(text); };
    const auto both = [&](const QString& name, auto&& of) { line(name, of(now), of(after)); };
    line({}, tr("<b>now</b>"), tr("<b>after</b>"));
    both(tr("Mean edge"),
         [&](const auto& s) { return tr("%1 mm").arg(s.mesh.edge_mm, 0, 'f', 2); });
    both(tr("Tetrahedra"), [](const auto& s) { return count(s.mesh.tetrahedra); });
    both(tr("Vertices"), [](const auto& s) { return count(s.mesh.vertices); });
    both(scheme == diffusion::Scheme::fvm ? tr("Unknowns (per tetrahedron)")
                                          : tr("Unknowns (per vertex)"),
         [&](const auto& s) { return count(s.mesh.unknowns(scheme)); });
    both(tr("Memory, about"),
         [&](const auto& s) { return bytes(simulation::session_bytes(s.mesh, scheme)); });
    const auto speed = [&](double v) {
        return v > 0 ? tr("%1 m/s").arg(v, 0, 'f', 2) : tr("no wave runs");
    };
    MeshSaid said;
    if (!region.isEmpty()) {
        const char* names[]{QT_TRANSLATE_NOOP("MeshDialog", "Waves along the fibres"),
                            QT_TRANSLATE_NOOP("MeshDialog", "across them"),
                            QT_TRANSLATE_NOOP("MeshDialog", "across the sheets")};
        for (std::size_t k = 0; k < 3; ++k)
            both(tr(names[k]), [&](const auto& s) { return speed(s.velocity.mesh[k]); });
        both(tr("Conductivities [S/m]"), [](const auto& s) {
            const auto& c = s.conductivity_S_per_m;
            return QStringLiteral("%1, %2, %3")
                .arg(c.fibre, 0, 'g', 3)
                .arg(c.sheet, 0, 'g', 3)
                .arg(c.normal, 0, 'g', 3);
        });
    }
    said.text = html + QStringLiteral("</table>");
    if (!region.isEmpty()) {
        const auto& f = after.velocity.fine;
        QString text = tr("On an infinitely fine mesh: %1, %2, %3 m/s (%4).")
                           .arg(f[0], 0, 'f', 2)
                           .arg(f[1], 0, 'f', 2)
                           .arg(f[2], 0, 'f', 2)
                           .arg(region.toHtmlEscaped());
        const QString warning = QString::fromStdString(after.velocity.warning);
        if (after.velocity.tuned)
            text = tr("Tuned to %1 m/s along fibre, sheet and normal, before and after (%2).")
                       .arg(QString::fromStdString(
                                simulation::velocity_text(after.velocity.tuned->wanted)),
                            region.toHtmlEscaped());
        else if (after.target) {
            const auto& t = *after.target;
            text = tr("The target is %1, %2, %3 m/s: what tissue's conductivities give on a fine "
                      "mesh (%4). They were raised as the mesh is coarse.")
                       .arg(t[0], 0, 'f', 2)
                       .arg(t[1], 0, 'f', 2)
                       .arg(t[2], 0, 'f', 2)
                       .arg(region.toHtmlEscaped());
        } else if (warning.isEmpty())
            text += QStringLiteral("<br>") + tr("After refining, waves are within 10 % of that: "
                                                "activation times can be trusted so far.");
        if (!warning.isEmpty() && after.target)
            said.warning = tr("Even then conductivities are above tissue's, to make up for the "
                              "mesh: take activation times as a picture, or refine once more.");
        else if (!warning.isEmpty())
            said.warning = tr("Even then: %1.").arg(warning);
        said.text += QStringLiteral("<p style='margin:6px 0 0 0'>%1</p>").arg(text);
    }
    const QString memory = memoryWarning(simulation::session_bytes(after.mesh, scheme));
    if (!memory.isEmpty())
        said.warning += (said.warning.isEmpty() ? QString() : QStringLiteral("\n")) + memory;
    return said;
}

MeshDialog::MeshDialog(const QString& title, QString scratch, simulation::Session current,
                       QWidget* parent)
    : QDialog(parent), m_scratch(std::move(scratch)), m_current(std::move(current)),
      m_values(new QWidget), m_said(new QWidget), m_body(new QVBoxLayout), m_text(new QLabel),
      m_warning(new QLabel), m_error(new QLabel), m_stage(new QLabel), m_file(new QLineEdit),
      m_bar(new QProgressBar)
{
    setWindowTitle(title);
    m_body->setContentsMargins(0, 0, 0, 0);
    m_values->setLayout(m_body);
    m_text->setObjectName("forecast");
    m_text->setTextFormat(Qt::RichText);
    m_text->setWordWrap(true);
    m_text->setText(tr("Counting…"));
    m_text->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_warning->setProperty("level", "warning");
    m_error->setProperty("level", "error");
    m_error->setObjectName("error");
    for (auto* l : {m_warning, m_error, m_stage}) {
        l->setWordWrap(true);
        l->hide();
    }
    // the buttons stay where they are while the mesh is made, and after
    for (QWidget* w : std::initializer_list<QWidget*>{m_stage, m_bar}) {
        QSizePolicy keeps = w->sizePolicy();
        keeps.setRetainSizeWhenHidden(true);
        w->setSizePolicy(keeps);
    }
    m_stage->setAlignment(Qt::AlignBottom | Qt::AlignLeft);
    m_stage->setProperty("weak", true);
    m_file->setObjectName("file");
    m_file->setPlaceholderText(tr("temporary; kept beside the session when that is saved"));
    m_file->setToolTip(tr("File of the mesh: .vtu, .vtk, .pts (CARP), .node (TetGen) or .msh "
                          "(Gmsh)"));
    m_file->setClearButtonEnabled(true);
    m_choose = new QPushButton(tr("Choose…"));
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    m_bar->hide();
    auto* file = new QHBoxLayout;
    file->addWidget(new QLabel(tr("File")));
    file->addWidget(m_file, 1);
    file->addWidget(m_choose);
    auto* buttons = new QDialogButtonBox;
    m_make = buttons->addButton(makeText(), QDialogButtonBox::ActionRole);
    m_make->setObjectName("make");
    m_make->setDefault(true);
    m_make->setEnabled(false);
    m_close = buttons->addButton(QDialogButtonBox::Close);
    m_close->setObjectName("cancel");
    m_close->setIcon({});
    keepWidth(m_make, {makeText(), openText()});
    keepWidth(m_close, {closeText(), cancelText()});
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 14, 16, 12);
    column->setSpacing(9);
    column->addWidget(m_values);
    column->addWidget(groupLabel(tr("What it will be")));
    auto* texts = new QVBoxLayout(m_said);
    texts->setContentsMargins(0, 0, 0, 0);
    texts->setSpacing(9);
    texts->addWidget(m_text);
    texts->addWidget(m_warning);
    texts->addWidget(m_error);
    texts->addStretch(1);
    column->addWidget(m_said, 1);
    column->addLayout(file);
    column->addWidget(m_stage);
    column->addWidget(m_bar);
    column->addWidget(buttons);
    m_due.setSingleShot(true);
    m_due.setInterval(settle_ms);
    connect(&m_due, &QTimer::timeout, this, &MeshDialog::describe);
    connect(m_make, &QPushButton::clicked, this, &MeshDialog::make);
    connect(m_choose, &QPushButton::clicked, this, &MeshDialog::chooseFile);
    connect(m_file, &QLineEdit::textChanged, this, [this] { keep({}); });
    connect(buttons, &QDialogButtonBox::rejected, this, &MeshDialog::reject);
    reserveRows(forecast_rows);
    m_due.start();
}

MeshDialog::~MeshDialog()
{
    m_describing.request_stop();
    m_pool.waitForDone();
}

void MeshDialog::setFile(const QString& path)
{
    m_file->setText(path);
}

QString MeshDialog::said() const
{
    return m_error->isHidden() ? m_text->text() + m_warning->text() : m_error->text();
}

void MeshDialog::changed()
{
    m_described = false;
    keep({});
    m_make->setEnabled(false);
    m_due.start();
}

void MeshDialog::keep(std::optional<simulation::Session> made)
{
    m_made = std::move(made);
    m_make->setText(m_made ? openText() : makeText());
    if (m_made)
        m_stage->setText(keptText());
    m_stage->setVisible(m_made.has_value());
}

void MeshDialog::describe()
{
    m_describing.request_stop();
    m_describing = {};
    const quint64 asked = ++m_asked;
    m_pool.start(this, [this, asked, job = describer(), stop = m_describing.get_token(),
                        context = m_context] {
        MeshSaid said;
        try {
            said = job(Progress{{}, stop, context});
        } catch (const std::exception& e) {
            said.error = reasonOf(e);
        }
        postTo(this, [this, asked, said] {
            if (asked == m_asked && !m_due.isActive())
                say(said);
        });
    });
}

MeshDialog::Describer MeshDialog::describer() const
{
    return [recipe = recipe()](const Progress& p) {
        const auto f = simulation::forecast(recipe, p);
        const auto number = [&](std::int64_t n) { return f.counted ? count(n) : about(n); };
        // what session_for_mesh() takes
        const double memory = simulation::session_bytes(f, diffusion::Scheme::p1);
        MeshSaid said;
        said.text =
            QStringLiteral("<table cellspacing='0' cellpadding='1'>") +
            row(tr("Tetrahedra"), number(f.tetrahedra)) + row(tr("Vertices"), number(f.vertices)) +
            row(tr("Mean edge"), tr("%1 mm").arg(f.edge_mm, 0, 'g', 3)) +
            row(tr("Memory"), tr("about %1").arg(bytes(memory))) +
            (f.seconds > 0 ? row(tr("Making takes"), tr("about %1").arg(duration(f.seconds)))
                           : QString()) +
            QStringLiteral("</table>");
        said.warning = memoryWarning(memory);
        return said;
    };
}

void MeshDialog::say(const MeshSaid& said)
{
    m_described = true;
    m_text->setText(said.text);
    m_text->setVisible(said.error.isEmpty());
    m_warning->setText(said.warning);
    m_warning->setVisible(!said.warning.isEmpty());
    m_error->setText(worded(said.error));
    m_error->setVisible(!said.error.isEmpty());
    m_make->setEnabled(said.error.isEmpty() && !m_job);
    makeRoom();
}

void MeshDialog::reserveRows(int rows)
{
    constexpr int padding = 3; // of a table's row
    m_text->ensurePolished();
    m_said->setMinimumHeight(rows * (m_text->fontMetrics().lineSpacing() + padding));
}

void MeshDialog::showEvent(QShowEvent* e)
{
    // of what the stage will say the text that is kept takes the most lines
    const int wide =
        width() - layout()->contentsMargins().left() - layout()->contentsMargins().right();
    const QRect lines(0, 0, wide, QWIDGETSIZE_MAX);
    m_stage->ensurePolished();
    m_stage->setMinimumHeight(
        m_stage->fontMetrics().boundingRect(lines, Qt::TextWordWrap, keptText()).height());
    QDialog::showEvent(e);
}

void MeshDialog::makeRoom()
{
    layout()->activate();
    resize(width(), std::max(height(), layout()->totalHeightForWidth(width())));
}

void MeshDialog::chooseFile()
{
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Write the mesh to"), QFileInfo(m_scratch).fileName(),
                                     tr("Meshes (*.vtu *.vtk *.pts *.node *.msh)"));
    if (!path.isEmpty())
        setFile(QFileInfo(path).suffix().isEmpty() ? path + QStringLiteral(".vtu") : path);
}

void MeshDialog::make()
{
    if (m_job)
        return;
    if (m_made) {
        Q_EMIT made(*m_made);
        return;
    }
    const bool temporary = m_file->text().trimmed().isEmpty();
    const QString file =
        temporary ? m_scratch : QFileInfo(m_file->text().trimmed()).absoluteFilePath();
    if (const QString folder = QFileInfo(file).absolutePath(); !QFileInfo(folder).isDir())
        return ended(tr("There is no folder %1; choose another file.").arg(folder));
    const auto session = std::make_shared<simulation::Session>();
    const auto lost = std::make_shared<Notices>();
    m_job = std::make_unique<Job>(
        [recipe = recipe(), file = file.toStdString(), now = m_current, session,
         lost](const Progress& p) {
            try {
                *session = simulation::session_on_new_mesh(recipe, file, now, p, lost.get());
            } catch (const std::bad_alloc&) {
                throw std::runtime_error(
                    tr("Not enough memory for this mesh; choose a coarser one.").toStdString());
            } catch (const InputError& e) {
                throw std::runtime_error(reasonOf(e).toStdString());
            }
            if (p.stop.stop_requested()) // as it was all but done
                throw Cancelled{};
        },
        m_context);
    connect(m_job.get(), &Job::progressed, this, [this](double f, const QString& stage) {
        m_bar->setValue(static_cast<int>(1000 * f));
        m_stage->setText(stage.left(1).toUpper() + stage.mid(1) + QStringLiteral("…"));
    });
    connect(m_job.get(), &Job::ended, this,
            [this, session, lost](const QString& error, bool cancelled) {
                if (error.isEmpty() && !cancelled && !m_closing) {
                    ended({});
                    m_lost = *lost;
                    keep(*session);
                    makeRoom();
                    Q_EMIT made(*session);
                    return;
                }
                ended(cancelled ? tr("Given up; no mesh was made.") : worded(error));
                Q_EMIT failed(error);
                if (m_closing)
                    QDialog::reject();
            });
    m_error->hide();
    m_bar->setValue(0);
    m_bar->show();
    m_stage->setText(tr("Starting…"));
    m_stage->show();
    for (QWidget* w : std::initializer_list<QWidget*>{m_values, m_make, m_choose, m_file})
        w->setEnabled(false);
    m_close->setText(cancelText());
    makeRoom();
    m_job->start();
}

void MeshDialog::ended(const QString& reason)
{
    if (m_job)
        m_job.release()->deleteLater(); // it is emitting
    m_bar->hide();
    m_stage->hide();
    for (QWidget* w : std::initializer_list<QWidget*>{m_values, m_choose, m_file, m_close})
        w->setEnabled(true);
    m_close->setText(closeText());
    m_make->setEnabled(m_described);
    m_error->setText(reason);
    m_error->setVisible(!reason.isEmpty());
    makeRoom();
}

void MeshDialog::reject()
{
    if (!m_job)
        return QDialog::reject();
    m_closing = !isVisible();
    m_close->setEnabled(false);
    m_stage->setText(tr("Ending…"));
    m_job->cancel();
}

} // namespace tawara
