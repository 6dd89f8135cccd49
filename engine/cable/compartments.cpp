// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cable/compartments.hpp"

#include "engine/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

namespace tawara::cable {
namespace {

constexpr double um_per_mm = 1000;
constexpr std::size_t most_nodes = 100'000'000;

std::string point(std::size_t i)
{
    return "point " + std::to_string(i) + " of a morphology ";
}

/// A frustum with lengths in um.
struct Frustum
{
    double length, r0, r1;

    double radius(double x) const { return length > 0 ? r0 + (r1 - r0) * x / length : r1; }
    /// Of its side between x0 and x1.
    double area(double x0, double x1) const
    {
        const double slope = (r1 - r0) / length;
        return std::numbers::pi * (radius(x0) + radius(x1)) * (x1 - x0) *
               std::sqrt(1 + slope * slope);
    }
    /// int dx / (pi r^2) [1/um]
    double resistance(double x0, double x1) const
    {
        return (x1 - x0) / (std::numbers::pi * radius(x0) * radius(x1));
    }
};

/// Cuts a morphology, stretch after stretch.
class Cutter
{
  public:
    Cutter(const Morphology& m, const Cutting& c) : m_(m), c_(c) {}

    Compartments run()
    {
        check(m_);
        if (!(c_.space_step_um > 0) || !std::isfinite(c_.space_step_um))
            throw Error("the space step of a cable is " + std::to_string(c_.space_step_um) +
                        " um; it should be above 0");
        find_stops();
        out_.node_of_point.assign(m_.points(), -1);
        out_.tree.parent.clear();
        add_node(-1, 0, m_.kind[0], m_.radius_um[0], m_.point_mm[0], 0);
        out_.node_of_point[0] = 0;
        for (std::size_t i = 1; i < m_.points(); ++i) {
            if (m_.is_wire(i))
                out_.node_of_point[i] = out_.node_of_point[parent(i)];
            else if (stop_[i])
                cut_stretch(i);
        }
        for (std::size_t i = 0; i < out_.nodes(); ++i)
            if (!(out_.capacitance_nF[i] > 0))
                throw Error("node " + std::to_string(i) +
                            " of a cable has no membrane; a cable has some length");
        return std::move(out_);
    }

  private:
    std::size_t parent(std::size_t i) const { return static_cast<std::size_t>(m_.parent[i]); }
    const Material& material(std::int32_t kind) const
    {
        const auto it = c_.by_kind.find(kind);
        return it == c_.by_kind.end() ? c_.material : it->second;
    }
    double length_um(std::size_t i) const
    {
        return um_per_mm * norm(m_.point_mm[i] - m_.point_mm[parent(i)]);
    }
    Frustum frustum(std::size_t i) const
    {
        return {length_um(i), m_.radius_um[parent(i)], m_.radius_um[i]};
    }

    /// Points that are nodes: where the cable forks, ends, hangs on a wire or changes its kind.
    void find_stops()
    {
        const auto n = m_.points();
        std::vector<int> children(n, 0);
        stop_.assign(n, false);
        stop_[0] = true;
        for (std::size_t i = 1; i < n; ++i) {
            const auto p = parent(i);
            ++children[p];
            if (m_.is_wire(i))
                stop_[i] = stop_[p] = true;
            else if (m_.kind[i] != m_.kind[p])
                stop_[p] = true;
        }
        for (std::size_t i = 0; i < n; ++i)
            if (children[i] != 1)
                stop_[i] = true;
    }

    std::int32_t add_node(std::int32_t from, double coupling, std::int32_t kind, double radius,
                          const Vec3& place, double distance)
    {
        if (out_.nodes() >= most_nodes)
            throw Error("a cable of more than " + std::to_string(most_nodes) +
                        " nodes; a longer space step is due");
        out_.tree.parent.push_back(from);
        out_.coupling_uS.push_back(coupling);
        out_.capacitance_nF.push_back(0);
        out_.area_um2.push_back(0);
        out_.radius_um.push_back(radius);
        out_.from_root_um.push_back(distance);
        out_.place_mm.push_back(place);
        out_.kind.push_back(kind);
        return static_cast<std::int32_t>(out_.nodes() - 1);
    }
    void add_area(std::int32_t node, double um2, const Material& of)
    {
        const auto i = static_cast<std::size_t>(node);
        out_.area_um2[i] += um2;
        out_.capacitance_nF[i] += um2 * of.capacitance_uF_per_cm2 * 1e-5; // uF/cm2 = 1e-5 nF/um2
    }

    /// The stretch that ends at point `last`.
    void cut_stretch(std::size_t last)
    {
        pieces_.clear();
        double length = 0;
        std::size_t top = last;
        do {
            pieces_.push_back(top);
            length += length_um(top);
            top = parent(top);
        } while (!stop_[top]);
        std::reverse(pieces_.begin(), pieces_.end());
        const double parts_wanted = std::ceil(length / c_.space_step_um * (1 - 1e-12));
        if (!(parts_wanted < static_cast<double>(most_nodes)))
            throw Error("a stretch of " + std::to_string(length) + " um has too many steps of " +
                        std::to_string(c_.space_step_um) + " um; a longer space step is due");
        const auto parts = std::max<std::size_t>(1, static_cast<std::size_t>(parts_wanted));
        const auto from = out_.node_of_point[top];
        walk(length, parts, from);
        // nodes are in place now: points within take the nearest
        const auto first = static_cast<std::int32_t>(out_.nodes() - parts);
        double x = 0;
        for (const auto i : pieces_) {
            x += length_um(i);
            const auto k = static_cast<std::int32_t>(std::min(
                static_cast<double>(parts), std::round(x / length * static_cast<double>(parts))));
            out_.node_of_point[i] = i == last ? first + static_cast<std::int32_t>(parts) - 1
                                    : k == 0  ? from
                                              : first + k - 1;
        }
    }

    /// Walks along the pieces by halves of a part: area goes to the nearer node, resistance to the
    /// part.
    void walk(double length, std::size_t parts, std::int32_t from)
    {
        const Material& of = material(m_.kind[pieces_.back()]);
        const auto kind = m_.kind[pieces_.back()];
        const double start = out_.from_root_um[static_cast<std::size_t>(from)];
        const double half = length / static_cast<double>(2 * parts);
        std::size_t p = 0;
        Frustum f = frustum(pieces_[0]);
        double x = 0; ///< within the piece
        std::int32_t node = from;
        double resistance = 0;
        for (std::size_t h = 0; h < 2 * parts; ++h) {
            double left = half, area = 0;
            const bool ends = h + 1 == 2 * parts; // takes what rounding leaves
            while (true) {
                const double room = f.length - x;
                const bool last_piece = p + 1 == pieces_.size();
                const double go = ends ? room : std::min(left, room);
                area += f.area(x, x + go);
                resistance += f.resistance(x, x + go);
                x += go;
                left -= go;
                if (ends ? last_piece : left <= 0 || last_piece)
                    break;
                f = frustum(pieces_[++p]);
                x = 0;
            }
            if (h % 2 == 1) {
                // R_i [ohm cm] / um = 1e4 ohm, of which the reciprocal is 100 uS
                const double uS = 100 / (of.axial_resistivity_ohm_cm * resistance);
                const auto at = pieces_[p];
                const double share = f.length > 0 ? x / f.length : 1;
                const Vec3 place =
                    m_.point_mm[parent(at)] + share * (m_.point_mm[at] - m_.point_mm[parent(at)]);
                node = add_node(node, uS, kind, f.radius(x), ends ? m_.point_mm[at] : place,
                                start + half * static_cast<double>(h + 1));
                resistance = 0;
            }
            add_area(node, area, of);
        }
    }

    const Morphology& m_;
    const Cutting& c_;
    Compartments out_;
    std::vector<bool> stop_;
    std::vector<std::size_t> pieces_; ///< of the stretch, from its top
};

} // namespace

void check(const Morphology& m)
{
    const auto n = m.points();
    if (n == 0)
        throw Error("a morphology has at least one point");
    if (m.point_mm.size() != n || m.radius_um.size() != n || m.kind.size() != n ||
        (!m.wire.empty() && m.wire.size() != n))
        throw Error("the arrays of a morphology are not of one length");
    for (std::size_t i = 0; i < n; ++i) {
        const auto p = m.parent[i];
        if (i == 0 ? p != -1 : p < 0 || static_cast<std::size_t>(p) >= i)
            throw Error(point(i) + "has the parent " + std::to_string(p) + "; " +
                        (i == 0 ? std::string("the first is the root, of parent -1")
                                : "it should be from 0 to " + std::to_string(i - 1)));
        for (const double x : m.point_mm[i])
            if (!std::isfinite(x))
                throw Error(point(i) + "has a coordinate that is no finite number");
        if (!(m.radius_um[i] > 0) || !std::isfinite(m.radius_um[i]))
            throw Error(point(i) + "has the radius " + std::to_string(m.radius_um[i]) +
                        " um; it should be above 0");
        if (i > 0 && !m.is_wire(i) &&
            !(norm(m.point_mm[i] - m.point_mm[static_cast<std::size_t>(p)]) > 0))
            throw Error(point(i) + "lies on its parent; such a piece is a wire");
    }
}

Compartments discretise(const Morphology& m, const Cutting& cutting)
{
    return Cutter(m, cutting).run();
}

Compartments joined(std::span<const Compartments> parts)
{
    if (parts.empty())
        throw Error("there is no cable to be joined");
    Compartments out = parts[0];
    const auto append = [](auto& to, const auto& from) {
        to.insert(to.end(), from.begin(), from.end());
    };
    for (const auto& c : parts.subspan(1)) {
        if (c.nodes() + out.nodes() >
            static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
            throw Error("cables that are joined have too many nodes for one numbering");
        const auto first = static_cast<std::int32_t>(out.nodes());
        for (const auto p : c.tree.parent)
            out.tree.parent.push_back(p < 0 ? 0 : p + first);
        for (const auto n : c.node_of_point)
            out.node_of_point.push_back(n + first);
        append(out.coupling_uS, c.coupling_uS);
        append(out.capacitance_nF, c.capacitance_nF);
        append(out.area_um2, c.area_um2);
        append(out.radius_um, c.radius_um);
        append(out.from_root_um, c.from_root_um);
        append(out.place_mm, c.place_mm);
        append(out.kind, c.kind);
    }
    return out;
}

} // namespace tawara::cable
