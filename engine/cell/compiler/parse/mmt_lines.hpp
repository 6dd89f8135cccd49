// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tawara::cell::compiler {

/// One statement of a .mmt file: comments gone, lines in brackets joined ('\n' kept, so that tokens
/// know their line).
struct MmtLine
{
    long line = 0;     ///< where it starts, from 1
    int indent = 0;    ///< blanks before it (a tab counts 4)
    bool meta = false; ///< "key: text"
    std::string text;  ///< statement, or the key of a meta line
    std::string note;  ///< text after ':'
};

/// Cuts the text of a .mmt file into statements.
/// @throws InputError for an unclosed string
std::vector<MmtLine> mmt_lines(std::string_view text, const std::string& file);

} // namespace tawara::cell::compiler
