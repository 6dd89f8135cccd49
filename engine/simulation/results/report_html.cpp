// SPDX-License-Identifier: GPL-3.0-or-later
// The page of a run as HTML.
#include "engine/core/error.hpp"
#include "engine/core/provenance.hpp"
#include "engine/simulation/results/report_page.hpp"

#include <algorithm>
#include <cctype>

namespace tawara::simulation {
namespace {

constexpr const char* place_of_pictures = "<!-- pictures -->\n";

constexpr const char* style = R"(
body { font-family: "DejaVu Sans", sans-serif; font-size: 9pt; color: #1c2430;
       background-color: #ffffff; }
h1 { font-size: 18pt; font-weight: 600; color: #10151d; margin-top: 0; margin-bottom: 1px; }
p.sub { color: #5c6a7d; margin-top: 0; margin-bottom: 8px; }
h2 { font-size: 10.5pt; font-weight: 600; color: #8c2c1e; margin-top: 9px; margin-bottom: 3px; }
td, th { padding: 1px 9px 1px 0; text-align: left; vertical-align: top; }
td.name { color: #5c6a7d; }
th { color: #5c6a7d; font-weight: normal; }
td.number, th.number { text-align: right; }
td.half { padding-right: 14px; vertical-align: top; }
td.key { background-color: #f3f5f8; padding: 6px 8px 6px 10px; }
span.value { font-size: 14pt; font-weight: 600; color: #10151d; }
span.what { color: #1c2430; }
span.small { color: #5c6a7d; font-size: 7.5pt; }
td.picture { padding: 8px 9px 0 0; text-align: center; color: #5c6a7d; }
p.note { color: #5c6a7d; margin-top: 2px; margin-bottom: 2px; font-size: 8pt; }
p.remark { margin: 2px 0; }
p.warning { color: #7a4b00; margin: 2px 0; }
p.foot { color: #8a94a3; margin-top: 8px; font-size: 8pt; }
)";

/// For browsers alone: Qt's documents know neither.
constexpr const char* style_of_screens =
    "<style media=\"screen\">body { max-width: 860px; margin: 24px auto; }"
    " img { max-width: 100%; height: auto; }</style>\n";

std::string escaped(const std::string& text)
{
    std::string out;
    for (char c : text)
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        default:
            out += c;
        }
    return out;
}

std::string base64(const std::string& bytes)
{
    constexpr const char* letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const auto at = [&](std::size_t k) {
            return i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u;
        };
        const unsigned word = at(0) << 16 | at(1) << 8 | at(2);
        for (unsigned k = 0; k < 4; ++k)
            out += i + k > bytes.size() ? '=' : letters[word >> (18 - 6 * k) & 63];
    }
    return out;
}

bool is_number(const std::string& text)
{
    const auto is_word = [](unsigned char c) { return std::isalpha(c) && c != 'e'; }; // 1e-5
    return text == "–" ||
           (!text.empty() && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9')) &&
            std::none_of(text.begin(), text.end(), is_word));
}

std::string cell(const std::string& text, const std::string& kind, bool head, std::size_t over = 1)
{
    const std::string tag = head ? "th" : "td";
    return "<" + tag + (kind.empty() ? "" : " class=\"" + kind + "\"") +
           (kind == "number" ? " align=\"right\"" : "") +
           (over > 1 ? " colspan=\"" + std::to_string(over) + "\"" : "") + ">" + escaped(text) +
           "</" + tag + ">";
}

void add_table(std::string& out, const ReportPage::Table& t, const std::string& title)
{
    if (t.rows.empty() && t.note.empty())
        return;
    if (!title.empty())
        out += "<h2>" + escaped(title) + "</h2>\n";
    if (!t.rows.empty())
        out += t.head.empty() ? "<table cellspacing=\"0\">\n"
                              : "<table cellspacing=\"0\" width=\"100%\">\n";
    const auto right = [&](std::size_t k) { // a column of numbers
        return !t.head.empty() && std::all_of(t.rows.begin(), t.rows.end(), [&](const auto& row) {
            return k < row.size() && is_number(row[k]);
        });
    };
    if (!t.head.empty()) {
        out += "<tr>";
        for (std::size_t k = 0; k < t.head.size(); ++k)
            out += cell(t.head[k], right(k) ? "number" : "", true);
        out += "</tr>\n";
    }
    for (const auto& row : t.rows) {
        out += "<tr>";
        for (std::size_t k = 0; k < row.size(); ++k)
            out += cell(row[k],
                        right(k)                   ? "number"
                        : t.head.empty() && k == 0 ? "name"
                                                   : "",
                        false,
                        row.size() < t.head.size() && k + 1 == row.size() ? t.head.size() - k : 1);
        out += "</tr>\n";
    }
    if (!t.rows.empty())
        out += "</table>\n";
    if (!t.note.empty())
        out += "<p class=\"note\">" + escaped(t.note) + "</p>\n";
}

void add_key(std::string& out, const std::vector<ReportPage::Figure>& key)
{
    if (key.empty())
        return;
    const std::string width = std::to_string(100 / key.size());
    out += "<table cellspacing=\"3\" width=\"100%\"><tr>\n";
    for (const auto& f : key)
        out += "<td class=\"key\" bgcolor=\"#f3f5f8\" width=\"" + width +
               "%\"><span class=\"value\">" + escaped(f.value) +
               "</span><br><span class=\"what\">" + escaped(f.name) +
               "</span><br><span class=\"small\">" + escaped(f.note) + "</span></td>\n";
    out += "</tr></table>\n";
}

/// `" height="H` of an SVG picture: who prints pages may take its pixels' height else.
std::string height_as_told(const std::string& svg)
{
    const std::string attribute = " height=\"";
    const auto at = svg.find(attribute);
    if (at == std::string::npos || at > svg.find('>'))
        throw Error("a picture without a height in a report");
    const auto from = at + attribute.size();
    return "\"" + attribute + svg.substr(from, svg.find('"', from) - from);
}

void add_section(std::string& out, const ReportPage::Section& s)
{
    if (s.svg.empty() && s.table.rows.empty() && s.table.note.empty())
        return;
    out += "<h2>" + escaped(s.title) + "</h2>\n";
    if (!s.svg.empty())
        out += "<p><img alt=\"" + escaped(s.title) + "\" width=\"" +
               std::to_string(ReportPage::width) + height_as_told(s.svg) +
               "\" src=\"data:image/svg+xml;base64," + base64(s.svg) + "\"></p>\n";
    add_table(out, s.table, {});
}

std::string picture_row(const std::vector<ReportPage::Picture>& pictures)
{
    std::string out = "<table cellspacing=\"0\"><tr>\n";
    for (const auto& picture : pictures) {
        out += "<td class=\"picture\"><img alt=\"" + escaped(picture.caption) + "\"";
        if (picture.width > 0)
            out += " width=\"" + std::to_string(picture.width) + "\" height=\"" +
                   std::to_string(picture.height) + "\"";
        out += " src=\"data:image/png;base64," + base64(picture.png) + "\"><br>" +
               escaped(picture.caption) + "<br>&nbsp;</td>\n";
    }
    return out + "</tr></table>\n";
}

} // namespace

std::string with_pictures(std::string html, const std::vector<ReportPage::Picture>& pictures)
{
    const auto at = html.find(place_of_pictures);
    if (at == std::string::npos)
        throw Error("this report has no place for pictures");
    if (!pictures.empty())
        html.replace(at, std::string_view(place_of_pictures).size(), picture_row(pictures));
    return html;
}

std::string to_html(const ReportPage& p)
{
    std::string out =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>" +
        escaped(p.title) + "</title>\n<meta name=\"generator\" content=\"" +
        escaped(program_text()) + "\">\n<meta name=\"" + provenance_name + "\" content=\"" +
        escaped(p.provenance.empty() ? program_provenance() : p.provenance) + "\">\n<style>" +
        style + "</style>\n" + style_of_screens + "</head>\n<body>\n";
    out += "<h1>" + escaped(p.title) + "</h1>\n<p class=\"sub\">" + escaped(p.subtitle) + "</p>\n";
    add_key(out, p.key);
    for (const auto& r : p.remarks)
        out += std::string("<p class=\"") +
               (r.level == Notice::Level::warning ? "warning" : "remark") + "\">" +
               escaped(r.text) + "</p>\n";
    out += p.pictures.empty() ? place_of_pictures : picture_row(p.pictures);
    for (const auto& section : p.sections)
        add_section(out, section);
    out += "<table cellspacing=\"0\" width=\"100%\"><tr><td class=\"half\" width=\"56%\">\n";
    for (const auto& t : p.results)
        add_table(out, t, t.title);
    out += "</td><td width=\"44%\">\n";
    for (const auto& t : p.settings)
        add_table(out, t, t.title);
    out += "</td></tr></table>\n";
    for (const auto& t : p.wide)
        add_table(out, t, t.title);
    return out + "<p class=\"foot\">" + escaped(p.foot) + "</p>\n</body>\n</html>\n";
}

} // namespace tawara::simulation
