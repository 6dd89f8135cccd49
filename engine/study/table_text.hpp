// SPDX-License-Identifier: GPL-3.0-or-later
// Values as tables of a study have them.
#pragma once
#include <string>

namespace tawara::study {

/// As a field of a table of commas.
std::string field(const std::string& text);
/// The shortest text that is read as the same number.
std::string exact(double x);
/// To five digits, for people.
std::string rounded(double x);
/// A text's quotes are of JSON alone.
std::string plain(const std::string& json);

} // namespace tawara::study
