// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/drawing.hpp"

#include "engine/simulation/session/csv.hpp"

#include <cmath>

namespace tawara::simulation {
namespace {

std::string as_text(const std::string& words)
{
    std::string out;
    for (char c : words)
        out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
    return out;
}

} // namespace

std::string num(double x)
{
    return number_text(std::round(100 * x) / 100, 7);
}

double round_step(double span, int parts)
{
    const double raw = span / parts, unit = std::pow(10, std::floor(std::log10(raw)));
    for (double s : {1.0, 2.0, 5.0})
        if (s * unit >= raw)
            return s * unit;
    return 10 * unit;
}

Drawing::Drawing(int width, int height)
{
    const std::string w = std::to_string(width), h = std::to_string(height);
    out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + w + "\" height=\"" + h +
           "\" viewBox=\"0 0 " + w + " " + h +
           "\" font-family=\"DejaVu Sans, sans-serif\" font-size=\"10\">\n";
}

void Drawing::line(double x0, double y0, double x1, double y1, const char* ink, double width,
                   const char* dashes)
{
    out_ += "<line x1=\"" + num(x0) + "\" y1=\"" + num(y0) + "\" x2=\"" + num(x1) + "\" y2=\"" +
            num(y1) + "\" stroke=\"" + ink + "\" stroke-width=\"" + num(width) +
            "\" stroke-dasharray=\"" + dashes + "\"/>\n";
}

void Drawing::text(double x, double y, const std::string& words, const char* anchor,
                   const char* ink)
{
    out_ += "<text x=\"" + num(x) + "\" y=\"" + num(y) + "\" text-anchor=\"" + anchor +
            "\" fill=\"" + ink + "\">" + as_text(words) + "</text>\n";
}

void Drawing::path(const std::string& d, const char* ink, double width)
{
    if (!d.empty())
        out_ += "<path d=\"" + d + "\" fill=\"none\" stroke=\"" + ink + "\" stroke-width=\"" +
                num(width) + "\" stroke-linejoin=\"round\"/>\n";
}

void Drawing::area(const std::string& d, const char* fill, const char* edge)
{
    out_ += "<path d=\"" + d + "Z\" fill=\"" + fill + "\" stroke=\"" + edge +
            "\" stroke-width=\"0.6\" stroke-linejoin=\"round\"/>\n";
}

void Drawing::box(double x, double y, double width, double height, const char* ink)
{
    out_ += "<rect x=\"" + num(x) + "\" y=\"" + num(y) + "\" width=\"" + num(width) +
            "\" height=\"" + num(height) + "\" fill=\"" + ink + "\"/>\n";
}

void Drawing::dot(double x, double y, double radius, const char* ink, bool filled)
{
    out_ += "<circle cx=\"" + num(x) + "\" cy=\"" + num(y) + "\" r=\"" + num(radius) +
            "\" fill=\"" + (filled ? ink : "none") + "\" stroke=\"" + ink +
            "\" stroke-width=\"1.3\"/>\n";
}

} // namespace tawara::simulation
