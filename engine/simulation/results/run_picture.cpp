// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/run_picture.hpp"

#include "engine/core/error.hpp"
#include "engine/core/provenance.hpp"
#include "engine/core/whole_file.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace tawara::simulation {
namespace {

constexpr int side = 240, wide = 2 * side, margin = 6;

struct Rgba
{
    std::uint8_t red = 0, green = 0, blue = 0, alpha = 0;
};

/// Red to blue through yellow and green, darker where the surface turns away.
Rgba ink(double share, double light)
{
    const auto part = [&](double centre) {
        const double x = std::clamp(1.5 - 4 * std::abs(share - centre), 0.0, 1.0);
        return static_cast<std::uint8_t>(std::lround(255 * x * light));
    };
    return {part(0.15), part(0.5), part(0.85), 255};
}

Rgba ink_of(double value, const Pictured& p, double light)
{
    constexpr double grey = 184;
    if (std::isnan(value)) {
        const auto g = static_cast<std::uint8_t>(std::lround(grey * light));
        return {g, g, g, 255};
    }
    const double share = std::clamp((value - p.from) / std::max(p.to - p.from, 1e-9), 0.0, 1.0);
    return ink(p.reversed ? 1 - share : share, light);
}

struct View
{
    Vec3 right{}, up{}, eye{};
    int left_px = 0;
};

/// The axes across which the tissue is seen, and its scale.
class Sides
{
  public:
    explicit Sides(const mesh::TetMesh& m)
    {
        low_ = high_ = m.vertex(0);
        for (std::size_t v = 0; v < m.vertex_count(); ++v)
            for (std::size_t k = 0; k < 3; ++k) {
                low_[k] = std::min(low_[k], m.vertex(v)[k]);
                high_[k] = std::max(high_[k], m.vertex(v)[k]);
            }
        const Vec3 size = high_ - low_;
        const auto thin =
            static_cast<std::size_t>(std::min_element(size.begin(), size.end()) - size.begin());
        const std::size_t up = thin == 2 ? 1 : 2, right = 3 - thin - up;
        scale_ = (side - 2 * margin) / std::max({size[up], size[right], 1e-9});
        for (std::size_t k = 0; k < 2; ++k) {
            auto& v = views[k];
            v.right[right] = k == 0 ? 1 : -1, v.up[up] = 1;
            v.eye = cross(v.right, v.up);
            v.left_px = static_cast<int>(k) * side;
        }
    }
    /// On the screen [px], and towards the eye [mm].
    Vec3 seen(const View& v, const Vec3& p) const
    {
        const Vec3 d = p - 0.5 * (low_ + high_);
        return {v.left_px + side / 2.0 + scale_ * dot(v.right, d),
                side / 2.0 - scale_ * dot(v.up, d), dot(v.eye, d)};
    }
    std::array<View, 2> views;

  private:
    Vec3 low_{}, high_{};
    double scale_ = 1;
};

class Canvas
{
  public:
    void triangle(const std::array<Vec3, 3>& c, int left_px, const Rgba& colour)
    {
        const auto [x0, x1] = std::minmax({c[0][0], c[1][0], c[2][0]});
        const auto [y0, y1] = std::minmax({c[0][1], c[1][1], c[2][1]});
        const double area = turn(c[0], c[1], c[2]);
        if (std::abs(area) < 1e-12)
            return;
        const int left = std::max(left_px, static_cast<int>(std::floor(x0))),
                  right = std::min(left_px + side - 1, static_cast<int>(std::ceil(x1)));
        const int top = std::max(0, static_cast<int>(std::floor(y0))),
                  bottom = std::min(side - 1, static_cast<int>(std::ceil(y1)));
        for (int y = top; y <= bottom; ++y)
            for (int x = left; x <= right; ++x) {
                const Vec3 at{x + 0.5, y + 0.5, 0};
                const double a = turn(c[1], c[2], at) / area, b = turn(c[2], c[0], at) / area;
                constexpr double hair = -1e-9;
                if (a < hair || b < hair || 1 - a - b < hair)
                    continue;
                const double depth = a * c[0][2] + b * c[1][2] + (1 - a - b) * c[2][2];
                const auto k = static_cast<std::size_t>(y) * wide + static_cast<std::size_t>(x);
                if (depth > depth_[k])
                    depth_[k] = depth, pixel_[k] = colour;
            }
    }

    /// Rows of a PNG, each after the number of its filter.
    std::string rows() const
    {
        std::string out;
        for (std::size_t k = 0; k < pixel_.size(); ++k) {
            if (k % wide == 0)
                out += '\0';
            const auto& p = pixel_[k];
            for (const auto part : {p.red, p.green, p.blue, p.alpha})
                out += static_cast<char>(part);
        }
        return out;
    }

  private:
    static double turn(const Vec3& a, const Vec3& b, const Vec3& c)
    {
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    }
    std::vector<Rgba> pixel_ = std::vector<Rgba>(std::size_t{wide} * side);
    std::vector<double> depth_ = std::vector<double>(std::size_t{wide} * side, -INFINITY);
};

std::string big_endian(std::uint32_t x)
{
    std::string out;
    for (const int shift : {24, 16, 8, 0})
        out += static_cast<char>(x >> shift & 0xff);
    return out;
}

std::string chunk(const std::string& kind, const std::string& data)
{
    const std::string body = kind + data;
    const auto sum =
        crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
    return big_endian(static_cast<std::uint32_t>(data.size())) + body +
           big_endian(static_cast<std::uint32_t>(sum));
}

std::string png(const Canvas& canvas, const std::string& provenance)
{
    const std::string rows = canvas.rows();
    auto size = compressBound(static_cast<uLong>(rows.size()));
    std::string packed(size, '\0');
    if (compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                  reinterpret_cast<const Bytef*>(rows.data()), static_cast<uLong>(rows.size()),
                  Z_BEST_COMPRESSION) != Z_OK)
        throw std::bad_alloc(); // the only reason with so large a buffer
    packed.resize(size);
    const std::string eight_bits_rgba{8, 6, 0, 0, 0};
    return "\x89PNG\r\n\x1a\n" +
           chunk("IHDR", big_endian(wide) + big_endian(side) + eight_bits_rgba) +
           chunk("iTXt", std::string(provenance_name) + std::string(5, '\0') + provenance) +
           chunk("IDAT", packed) + chunk("IEND", {});
}

} // namespace

Pictured pictured_activation(std::span<const double> activation_ms)
{
    Pictured p{activation_ms, INFINITY, -INFINITY, false};
    for (const double a : activation_ms)
        if (!std::isnan(a))
            p.from = std::min(p.from, a), p.to = std::max(p.to, a);
    return p;
}

Pictured pictured_potential(std::span<const double> V_mV)
{
    constexpr double rest_mV = -85, plateau_mV = 30;
    return {V_mV, rest_mV, plateau_mV, true};
}

void write_run_picture(const Tissue& t, const Pictured& p, const Provenance& by,
                       const std::filesystem::path& file)
{
    const auto& s = *t.surface;
    const Sides sides(*t.mesh);
    Canvas canvas;
    constexpr double dark = 0.55;
    for (std::size_t k = 0; k < s.triangles.size(); ++k) {
        std::array<Vec3, 3> corner;
        double sum = 0;
        for (std::size_t c = 0; c < 3; ++c) {
            const auto v =
                static_cast<std::size_t>(s.vertices[static_cast<std::size_t>(s.triangles[k][c])]);
            corner[c] = t.mesh->vertex(v);
            sum += t.on_vertices() ? p.value[v] : 0;
        }
        const double value =
            t.on_vertices() ? sum / 3 : p.value[static_cast<std::size_t>(s.tetrahedron[k])];
        const Vec3 out = cross(corner[1] - corner[0], corner[2] - corner[0]);
        for (const auto& view : sides.views)
            if (const double facing = dot(out, view.eye); facing > 0)
                canvas.triangle({sides.seen(view, corner[0]), sides.seen(view, corner[1]),
                                 sides.seen(view, corner[2])},
                                view.left_px,
                                ink_of(value, p, dark + (1 - dark) * facing / norm(out)));
    }
    const auto bytes = png(canvas, by.text);
    write_whole(file, [&](std::ostream& o) {
        o.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    });
}

} // namespace tawara::simulation
