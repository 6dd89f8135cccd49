// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures for print as SVG: what charts are drawn with.
#pragma once
#include <array>
#include <string>

namespace tawara::simulation {

inline constexpr std::array<const char*, 8> inks{"#1f7fb8", "#b07300", "#14876a", "#9a8a00",
                                                 "#c2407f", "#d2491a", "#4f63d8", "#5c6470"};
inline constexpr const char *grey = "#5c6a7d", *pale = "#e2e6ec", *black = "#1c2430";

/// A number to two places after the dot, as the pictures have them.
std::string num(double x);
/// A round distance that divides a span into at most so many parts.
double round_step(double span, int parts);

/// Pieces of an SVG, in its pixels.
class Drawing
{
  public:
    Drawing(int width, int height);
    void line(double x0, double y0, double x1, double y1, const char* ink, double width,
              const char* dashes = "none");
    void text(double x, double y, const std::string& words, const char* anchor, const char* ink);
    void path(const std::string& d, const char* ink, double width);
    /// A closed path, filled.
    /// @param edge  colour of its outline
    void area(const std::string& d, const char* fill, const char* edge);
    void box(double x, double y, double width, double height, const char* ink);
    /// @param filled  else its outline alone
    void dot(double x, double y, double radius, const char* ink, bool filled);
    std::string done() { return out_ + "</svg>\n"; }

  private:
    std::string out_;
};

} // namespace tawara::simulation
