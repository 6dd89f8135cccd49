// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include <span>

namespace tawara {

/// A session that comes with the program, for the start page; texts are in English, and
/// exampleWords() gives them in the user's language.
struct ExampleText
{
    const char* file; ///< in resources/sessions; with a picture of the same name in the guide's
    const char *title, *text;
};
std::span<const ExampleText> exampleTexts();
QString exampleWords(const char* text);

/// The folder of all sessions that come with the program; empty where there is none.
QString examplesFolder();

/// What the example in a file is called; empty for any other file.
QString exampleTitle(const QString& path);

} // namespace tawara
