// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/study_files.hpp"

#include "app/export/save_dialog.hpp"
#include "app/settings.hpp"
#include "engine/core/error.hpp"
#include "engine/core/file_content.hpp"
#include "engine/core/resource.hpp"
#include "engine/simulation/tissue/new_mesh.hpp"
#include "widgets/models/study_words.hpp"
#include "widgets/panels/field_note.hpp"

#include <QCoreApplication>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QPainter>
#include <QSvgRenderer>

#include <numeric>

namespace tawara {
namespace {

namespace fs = std::filesystem;

constexpr const char* study_ledger = "study.sqlite";
const QString place_key = QStringLiteral("files/study");

QString say(const char* text)
{
    return QCoreApplication::translate("StudyFiles", text);
}

/// The study's file in a folder that the window has made: NAME.json of NAME.
fs::path fileInFolder(const fs::path& folder)
{
    const auto whole = fs::absolute(folder).lexically_normal();
    const auto name = whole.filename().empty() ? whole.parent_path().filename() : whole.filename();
    return folder / (name.string() + ".json");
}

} // namespace

StudyToShow readStudy(const fs::path& path)
{
    StudyToShow out;
    std::error_code none;
    const bool folder = fs::is_directory(path, none);
    if (path.filename() == study_ledger || (folder && fs::exists(path / study_ledger, none))) {
        out.folder = fs::absolute(folder ? path : path.parent_path()).lexically_normal();
    } else {
        const auto file = fs::absolute(folder ? fileInFolder(path) : path).lexically_normal();
        if (folder && !fs::exists(file, none))
            throw InputError(path.string(), "there is no study here; want a study's file, or the "
                                            "folder of one with its ledger study.sqlite");
        out.study = study::read_study(file);
        out.folder = study::usual_folder(file);
    }
    if (fs::exists(out.folder / study_ledger, none) || !out.study) {
        out.watch = std::make_shared<study::StudyWatch>(out.folder);
        out.view = out.watch->look();
        if (out.study && !out.view.digest.empty() && out.view.digest != out.study->digest)
            throw InputError(out.study->file,
                             "was changed since " + out.folder.string() +
                                 " was begun with it; open that folder to see what it came to, or "
                                 "give the changed study another name");
    }
    if (out.study) {
        out.forecast = study::forecast(*out.study, {});
        if (out.view.runs.empty())
            out.view = study::planned_view(*out.study, out.folder);
    }
    return out;
}

std::pair<QString, QString> whatIsOpened(const study::Study& s, const study::StudyView& v,
                                         std::size_t run)
{
    const auto& r = v.runs[run];
    const auto& planned = s.runs[run];
    QString text = QString::fromStdString(r.row.name);
    if (planned.site && s.induction) {
        const auto& i = *s.induction;
        text += say(QT_TRANSLATE_NOOP("StudyFiles", ": paced at %1"))
                    .arg(QString::fromStdString(i.sites[*planned.site].name));
        if (r.site) {
            const auto& w = r.site->before.worst;
            const double last_ms = std::accumulate(w.couplings_ms.begin(), w.couplings_ms.end(),
                                                   (i.count - 1) * i.cycle_ms);
            text += say(QT_TRANSLATE_NOOP("StudyFiles", " with intervals of %1 ms. Re-entry after "
                                                        "the last pulse, at %2 ms: %3."))
                        .arg(QString::fromStdString(study::intervals_text(i.cycle_ms, w)),
                             spacedNumber(last_ms), outcomeName(w.outcome));
        } else {
            text +=
                say(QT_TRANSLATE_NOOP("StudyFiles", ", S1 alone: the site was not searched yet."));
        }
    } else {
        QStringList parts;
        for (const auto& [path, value] : study::differences(s, planned))
            parts << QString::fromStdString(path + " = " + value);
        if (!parts.isEmpty())
            text += QStringLiteral(": ") + parts.join(QStringLiteral(", "));
        text += '.';
        const auto last = study::checkpoint_of(planned, v.folder);
        if (!last.empty())
            text += say(QT_TRANSLATE_NOOP("StudyFiles", " It goes on from %1."))
                        .arg(QString::fromStdString(last.filename().string()));
        else if (r.row.state == study::State::done)
            text += say(QT_TRANSLATE_NOOP("StudyFiles",
                                          " It begins at its start, since the study keeps no "
                                          "checkpoint of it."));
    }
    const auto files = study::files_of_run(v.folder / r.row.name);
    return {text, files.frames.empty()
                      ? QString()
                      : say(QT_TRANSLATE_NOOP("StudyFiles", "Its recorded frames are in %1."))
                            .arg(QString::fromStdString(files.frames.string()))};
}

void writeStudySession(simulation::Session session, const std::optional<fs::path>& mesh,
                       const fs::path& file)
{
    if (auto* of_file = std::get_if<simulation::MeshFile>(&session.mesh); of_file && mesh) {
        const auto copy = "mesh" + mesh->extension().string();
        fs::copy_file(*mesh, file.parent_path() / copy);
        session.folder = file.parent_path();
        of_file->file = copy;
    }
    simulation::write_session(simulation::moved_to(std::move(session), file.parent_path()), file);
}

fs::path makeExample(const fs::path& folder)
{
    const auto file = resource("resources/studies/scar_risk.json");
    const auto s = study::read_study(file);
    auto session = simulation::parse_session(s.session, s.session_file);
    session.folder = fs::path(s.session_file).parent_path();
    return study::make_study(folder, file_content(file), [&](const fs::path& at) {
        writeStudySession(session, std::nullopt, at);
    });
}

QImage pictureOfRun(const fs::path& folder)
{
    QImage drawn(QString::fromStdString((folder / "picture.png").string()));
    return drawn.isNull() ? drawnPicture(folder / "report.html") : drawn;
}

QImage drawnPicture(const fs::path& page)
{
    const auto svg = study::first_picture(page);
    QSvgRenderer drawing(QByteArray::fromStdString(svg));
    if (svg.empty() || !drawing.isValid())
        return {};
    QImage out(drawing.defaultSize(), QImage::Format_RGB32);
    out.fill(Qt::white); // drawn for paper
    QPainter p(&out);
    p.setRenderHint(QPainter::Antialiasing);
    drawing.render(&p);
    return out;
}

QString commandOf(const study::StudyView& v)
{
    const auto quoted = [](const fs::path& path) {
        QString text = QString::fromStdString(path.string());
        return QLatin1Char('\'') + text.replace('\'', QLatin1String("'\\''")) + QLatin1Char('\'');
    };
    if (v.file.empty())
        return {};
    QString out = QStringLiteral("tawara-cli study run ") + quoted(v.file);
    if (study::usual_folder(v.file) != v.folder)
        out += QStringLiteral(" --out ") + quoted(v.folder);
    return out;
}

QString newStudyFolder(const QString& title)
{
    const QString remembered = openSettings()->value(place_key).toString();
    const QString folder = QFileInfo(remembered).isWritable()
                               ? remembered
                               : QFileInfo(saveProposal({}, {})).absolutePath();
    return folder + QLatin1Char('/') + fileName(title);
}

void rememberStudy(const fs::path& path)
{
    const QFileInfo file(QString::fromStdString(path.string()));
    openSettings()->setValue(place_key, file.absolutePath());
}

QString askForStudyFile(QWidget* parent)
{
    return QFileDialog::getOpenFileName(
        parent, say(QT_TRANSLATE_NOOP("StudyFiles", "Open a study")),
        openSettings()->value(place_key).toString(),
        say(QT_TRANSLATE_NOOP("StudyFiles", "Studies and their ledgers (*.json study.sqlite)")));
}

QString askForExampleFolder(QWidget* parent)
{
    const QString offered =
        QFileInfo(newStudyFolder(QString())).absolutePath() + QStringLiteral("/scar_risk");
    return askWhereToSave(
        parent, say(QT_TRANSLATE_NOOP("StudyFiles", "A new folder for the worked example")),
        offered, say(QT_TRANSLATE_NOOP("StudyFiles", "Folders (*)")));
}

} // namespace tawara
