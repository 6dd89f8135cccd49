// SPDX-License-Identifier: GPL-3.0-or-later
// Files of studies, for the window: what is read on other threads, and what is asked for.
#pragma once
#include "engine/study/forecast.hpp"

#include <QImage>
#include <QString>

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

class QWidget;

namespace tawara {

/// A study that was read, to be shown.
struct StudyToShow
{
    std::filesystem::path folder; ///< of its ledger and its runs
    study::StudyView view;
    std::optional<study::Study> study;        ///< where its file was named
    std::shared_ptr<study::StudyWatch> watch; ///< where it was begun
    std::optional<study::Forecast> forecast;
};

/// @param path  a study's file, its folder, or its ledger
/// @throws InputError
StudyToShow readStudy(const std::filesystem::path& path);

/// A run as a session, and what is said of it.
struct RunToOpen
{
    simulation::Session session;
    std::filesystem::path checkpoint; ///< that it begins with; empty: there is none
    QString text, advice;
};
/// "run-06: paced at AHA 7, 600-320-240 ms; sustained re-entry follows at 1 160 ms."
std::pair<QString, QString> whatIsOpened(const study::Study& s, const study::StudyView& v,
                                         std::size_t run);

/// Writes the session of a study that is made.
/// @param mesh  a file of this program's own that the session names, which is copied beside it
void writeStudySession(simulation::Session session,
                       const std::optional<std::filesystem::path>& mesh,
                       const std::filesystem::path& file);

/// The worked example with its session in a folder of the user's. @return the study's file
std::filesystem::path makeExample(const std::filesystem::path& folder);

/// What shows a run: its picture.png, or else its page's first picture; null where it has none.
QImage pictureOfRun(const std::filesystem::path& folder);
/// The first picture of a page, drawn; null where it has none.
QImage drawnPicture(const std::filesystem::path& page);

/// The command line that goes on with a study; empty where its file is not known.
QString commandOf(const study::StudyView& v);

/// What the folder of a study of what is open begins with.
QString newStudyFolder(const QString& title);
/// The place of a study that was opened or made: the next one is asked for there.
void rememberStudy(const std::filesystem::path& path);
/// Asks for a study; empty: given up.
QString askForStudyFile(QWidget* parent);
/// Asks where the worked example is to lie; empty: given up.
QString askForExampleFolder(QWidget* parent);

} // namespace tawara
