// SPDX-License-Identifier: GPL-3.0-or-later
// The page of a run as HTML.
#include "engine/core/error.hpp"
#include "engine/simulation/report_page.hpp"

namespace tawara::simulation {
namespace {

constexpr const char* place_of_pictures = "<!-- pictures -->\n";

constexpr const char* style = R"(
body { font-family: "DejaVu Sans", sans-serif; font-size: 9pt; color: #1c2430; background: #ffffff; }
h1 { font-size: 17pt; font-weight: 600; color: #10151d; margin-top: 0; margin-bottom: 1px; }
p.sub { color: #5c6a7d; margin-top: 0; margin-bottom: 9px; }
h2 { font-size: 10.5pt; font-weight: 600; color: #8c2c1e; margin-top: 9px; margin-bottom: 3px; }
td, th { padding: 1px 9px 1px 0; text-align: left; vertical-align: top; }
td.name { color: #5c6a7d; }
th { color: #5c6a7d; font-weight: normal; }
td.half { padding-right: 20px; vertical-align: top; }
td.picture { padding: 0 9px 0 0; text-align: center; color: #5c6a7d; }
p.remark { color: #7a4b00; margin: 2px 0; }
p.foot { color: #8a94a3; margin-top: 10px; font-size: 8pt; }
)";

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

void add_table(std::string& out, const ReportPage::Table& t)
{
    if (t.rows.empty())
        return;
    out += "<h2>" + escaped(t.title) + "</h2>\n<table cellspacing=\"0\">\n";
    if (!t.head.empty()) {
        out += "<tr>";
        for (const auto& h : t.head)
            out += "<th>" + escaped(h) + "</th>";
        out += "</tr>\n";
    }
    for (const auto& row : t.rows) {
        out += "<tr>";
        for (std::size_t k = 0; k < row.size(); ++k)
            out += (t.head.empty() && k == 0 ? "<td class=\"name\">" : "<td>") + escaped(row[k]) +
                   "</td>";
        out += "</tr>\n";
    }
    out += "</table>\n";
}

std::string picture_row(const std::vector<ReportPage::Picture>& pictures)
{
    std::string out = "<table cellspacing=\"0\"><tr>\n";
    for (const auto& picture : pictures) {
        out += "<td class=\"picture\"><img alt=\"" + escaped(picture.caption) + "\"";
        if (picture.width > 0)
            out += " width=\"" + std::to_string(picture.width) + "\"";
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
        escaped(p.title) + "</title>\n<style>" + style + "</style>\n</head>\n<body>\n";
    out += "<h1>" + escaped(p.title) + "</h1>\n<p class=\"sub\">" + escaped(p.subtitle) + "</p>\n";
    out += p.pictures.empty() ? place_of_pictures : picture_row(p.pictures);
    out += "<table cellspacing=\"0\"><tr><td class=\"half\">\n";
    for (const auto& t : p.figures)
        add_table(out, t);
    out += "</td><td class=\"half\">\n";
    for (const auto& t : p.settings)
        add_table(out, t);
    out += "</td></tr></table>\n";
    for (const auto& t : p.wide)
        add_table(out, t);
    for (const auto& r : p.remarks)
        out += "<p class=\"remark\">" + escaped(r) + "</p>\n";
    return out + "<p class=\"foot\">" + escaped(p.foot) + "</p>\n</body>\n</html>\n";
}

} // namespace tawara::simulation
