// SPDX-License-Identifier: GPL-3.0-or-later
// Which program made a file: what every output carries.
#pragma once
#include <string>

namespace tawara {

/// Version of this program, e.g. "0.1.0".
std::string program_version();

/// The commit that the program was built from, twelve digits, with a "+" where files differed from
/// it; empty: not known. A program's main() tells it once, before anything is written.
/// @thread set before others ask
void set_program_commit(std::string commit);
const std::string& program_commit();

/// For people: "Tawara 0.1.0 (0123456789ab)", without the commit where it is not known.
std::string program_text();

/// One line of JSON: {"program":"tawara","version":"0.1.0","built_from":"0123456789ab"}; of a
/// commit that is not known null. What a run adds to it: simulation::Provenance.
std::string program_provenance();

/// The same for a comment in XML, where two hyphens must not follow each other: the second becomes
/// "\u002d", which JSON reads as one.
std::string xml_comment(const std::string& json);

/// The name under which files carry that line (fields of VTU, keywords of PNG, names in HTML).
inline constexpr const char* provenance_name = "provenance";

} // namespace tawara
