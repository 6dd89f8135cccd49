// SPDX-License-Identifier: GPL-3.0-or-later
// The fractal rule by which a Purkinje network grows on a surface.
#pragma once
#include "engine/cable/growth/near_points.hpp"
#include "engine/cable/growth/network.hpp"
#include "engine/cable/growth/parameters.hpp"
#include "engine/cable/growth/patch.hpp"

#include <functional>

namespace tawara::cable {

/// Where a network may go on: a point of the tree that lies on a patch, and a direction there.
struct Tip
{
    std::int32_t point = -1; ///< of the tree
    OnPatch at;
    Vec3 direction{}; ///< of length 1 in the plane of the triangle
};

/// A tree that grows, whichever patches it is on. Adds points; each lies on its patch, or in the
/// air where it is told to.
///
/// The fractal rule. A branch has a length by chance (normal, cut at a quarter of its mean) and
/// grows by segments. The direction d of a segment is that of the last one, turned away from the
/// nearest point q of the network by the weight w (repulsion), with p the end so far:
///
///     d <- (d + w (p - q) / |p - q|) / |..|,  in the plane of the surface
///
/// Points do not count where both are less than clearance / sin(angle) along the tree from where
/// their ways meet, nor those farther away than a mean branch. A segment goes straight on over the
/// surface. Where its end would lie nearer to the network than the clearance, or to the rim than
/// the margin, the branch ends before, and so does the network there. From the end of any other
/// branch two daughters go on, turned by the angle to either side, until the last generation.
/// Branches of one generation grow one after another in an order by chance.
///
/// Chance is by counters: a branch's numbers depend on the seed and on its number alone.
/// Twigs. Ends alone excite the wall, and trunks, early branches and their forks have none nearby.
/// Places of the wall that are farther than the reach from all ends, and not within the margin, get
/// twigs, the farthest place first: straight from the nearest point that is no end, until there, or
/// for a clearance where the network passes nearer than that. A twig ends before it comes within
/// half the clearance of another branch.
/// Source: Ijiri et al. 2008 (Vis. Comput. 24), Sahli Costabal et al. 2016 (J. Biomech. 49)
class Growth
{
  public:
    explicit Growth(const GrowthParameters& p);

    const Morphology& tree() const { return tree_; }
    Morphology take() { return std::move(tree_); }

    /// A point joined to `parent` (-1: the root), anywhere.
    std::int32_t add_point(std::int32_t parent, const Vec3& at_mm, Fascicle kind);
    /// A straight line of segments to a place, anywhere. @return its last point
    std::int32_t add_line(std::int32_t from, const Vec3& to_mm, Fascicle kind);
    /// A line over a patch that is steered: `wanted` gives the direction at a place.
    /// @return where it ended: after the length, or before the rim
    Tip add_trunk(const Patch& patch, Tip from, double length_mm, Fascicle kind,
                  const std::function<Vec3(const Vec3&)>& wanted);
    /// Branches by the fractal rule from some tips at once, all on one patch.
    /// @pre as many kinds as tips
    /// @cost about 10 us a segment
    void add_fractal(const Patch& patch, std::span<const Tip> tips,
                     std::span<const Fascicle> kinds);
    /// Twigs of some fascicles, all on one patch, from where these are by now.
    /// @cost the patch's points times the fascicles' ends
    void add_twigs(const Patch& patch, std::span<const Fascicle> kinds);

  private:
    struct Branch
    {
        Tip tip; ///< where it begins, then where it ends
        Fascicle kind = Fascicle::other;
        bool goes_on = false;
    };
    Vec3 draw(std::int64_t branch, std::uint32_t which) const; ///< uniform, in [0, 1)
    double length_of(std::int64_t branch) const;
    NearPoints::Found others(const Vec3& p, std::int32_t tip);
    void grow(const Patch& patch, std::int32_t branch);
    bool grow_twig(const Patch& patch, std::int32_t from, const Vec3& to);

    GrowthParameters p_;
    Morphology tree_;
    NearPoints near_;
    /// [points] the last call of others() that found a point close above its tip.
    std::vector<std::int64_t> above_;
    std::int64_t asked_ = 0; ///< calls of others()
    std::vector<Branch> branches_;
};

} // namespace tawara::cable
