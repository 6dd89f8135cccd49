// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

class QWidget;

namespace tawara {

/// What save dialogs offer from now on: names begin with the session's; the folder is its file's
/// until another one was chosen for it.
/// @param file  of what is open; empty where it has none
void setSaveDefaults(const QString& sessionName, const QString& file);

/// Folder and name that are offered for a file: "FOLDER/session-what.ext". The folder is the one
/// chosen last in this session, else that of the session's file (not within the program's own),
/// else the one chosen last at all, else the user's documents.
QString saveProposal(const QString& what, const QString& extension);

/// A name for people as a file's name, e.g. "slab, corner stimulus" as "slab_corner_stimulus".
QString fileName(const QString& name);

/// Remembers the folder of a file that was saved.
void rememberSaved(const QString& path);

/// Asks where a file is to be written; empty: given up. A name without a suffix gets the first one
/// of the chosen filter, e.g. "PDF (*.pdf);;HTML (*.html)", before an existing file is asked about.
/// The folder that is chosen is remembered.
/// @param proposal  folder and name that are offered
QString askWhereToSave(QWidget* parent, const QString& title, const QString& proposal,
                       const QString& filters);

} // namespace tawara
