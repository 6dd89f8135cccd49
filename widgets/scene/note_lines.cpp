// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scene/note_lines.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <vector>

namespace tawara::scene {
namespace {

constexpr int few_lines = 4, widths = 5;
constexpr double beside_right = 10; // left of the bar that nothing is written on
constexpr const char* ellipsis = "…";

using Wide = std::function<double(const std::string&)>;

/// The words of a paragraph; a number and a short word behind it, its unit, are one.
std::vector<std::string> words_of(const std::string& paragraph)
{
    constexpr std::size_t longest_unit = 5; // "cm/s,"
    const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    std::vector<std::string> words;
    std::istringstream in(paragraph);
    for (std::string word; in >> word;)
        if (!words.empty() && digit(words.back().back()) && !digit(word.front()) &&
            word.size() <= longest_unit)
            words.back() += ' ' + word;
        else
            words.push_back(word);
    return words;
}

std::vector<std::string> broken(const std::string& note, double room, const Wide& wide)
{
    std::vector<std::string> lines;
    std::istringstream paragraphs(note);
    for (std::string paragraph; std::getline(paragraphs, paragraph);) {
        std::string line;
        for (const auto& word : words_of(paragraph)) {
            if (!line.empty() && wide(line + ' ' + word) > room) {
                lines.push_back(line);
                line.clear();
            }
            line += (line.empty() ? "" : " ") + word;
        }
        lines.push_back(line);
    }
    return lines;
}

} // namespace

NoteRoom note_room(double width, double height, double right, double line)
{
    NoteRoom room;
    room.most = std::max(1.0, std::min(right, width) - beside_right - NoteRoom::left);
    room.beside = std::min(std::max(NoteRoom::part * width, NoteRoom::least), room.most);
    room.lines = std::max(1, static_cast<int>((height - NoteRoom::top - NoteRoom::axes) / line));
    return room;
}

NoteLines note_lines(const std::string& note, const NoteRoom& room, const Wide& wide)
{
    const int few = std::min(few_lines, room.lines);
    std::vector<std::string> lines;
    for (int k = 0; k < widths; ++k) {
        lines = broken(note, room.beside + k * (room.most - room.beside) / (widths - 1), wide);
        if (static_cast<int>(lines.size()) <= few)
            break;
    }
    NoteLines out;
    out.cut = static_cast<int>(lines.size()) > room.lines;
    if (out.cut) {
        lines.resize(static_cast<std::size_t>(room.lines));
        std::string& last = lines.back();
        for (auto space = last.rfind(' ');
             space != std::string::npos && wide(last + ' ' + ellipsis) > room.most;
             space = last.rfind(' '))
            last.erase(space);
        last += std::string(" ") + ellipsis;
    }
    for (const auto& line : lines)
        out.text += (out.text.empty() ? "" : "\n") + line;
    return out;
}

} // namespace tawara::scene
