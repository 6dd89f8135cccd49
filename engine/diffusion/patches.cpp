// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/diffusion/operators.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace tawara::diffusion {

namespace {

constexpr int widest = 4;                   // rings of a patch
constexpr int most_again = 3;               // times that proven patches are given back
constexpr std::size_t most_cells = 600;     // of a patch: its factor costs the cube
constexpr std::size_t few_patches = 16;     // of which each may be wider: a factor takes seconds
constexpr std::size_t most_of_few = 2500;   // cells of one of them
constexpr std::int32_t most_of_one = 16;    // patches that a cell may be a node of
constexpr double share_of_limit = 1.0 / 32; // what a patch may use at a node

using Cells = std::vector<std::int32_t>; // ascending

/// sym(K_i), without rows and columns of faces that lead nowhere.
Eigen::Matrix4d symmetric(const FaceNeighbours& links, const FluxMatrices& k, std::size_t i)
{
    Eigen::Matrix4d s = Eigen::Matrix4d::Zero();
    for (std::size_t f = 0; f < 4; ++f)
        for (std::size_t g = 0; g < 4; ++g)
            if (links[i][f] >= 0 && links[i][g] >= 0)
                s(static_cast<Eigen::Index>(f), static_cast<Eigen::Index>(g)) =
                    (k[i][4 * f + g] + k[i][4 * g + f]) / 2;
    return s;
}

/// The cells and their neighbours.
Cells with_neighbours(const FaceNeighbours& links, const Cells& cells)
{
    Cells out = cells;
    for (const auto i : cells)
        for (const auto j : links[static_cast<std::size_t>(i)])
            if (j >= 0)
                out.push_back(j);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

/// Adds weight e^T sym(K_i) e to the energy of the nodes; what is not among them is 0.
void add_energy(Eigen::MatrixXd& a, const Cells& nodes, const FaceNeighbours& links,
                const Eigen::Matrix4d& s, std::int32_t i, double weight)
{
    std::array<Eigen::Index, 5> at{};
    const auto place = [&](std::int32_t cell) {
        const auto x = std::lower_bound(nodes.begin(), nodes.end(), cell);
        return cell >= 0 && x != nodes.end() && *x == cell
                   ? static_cast<Eigen::Index>(x - nodes.begin())
                   : Eigen::Index(-1);
    };
    for (std::size_t f = 0; f < 4; ++f)
        at[f] = place(links[static_cast<std::size_t>(i)][f]);
    at[4] = place(i);
    Eigen::Matrix<double, 5, 5> local; // of u of the neighbours, and of the cell
    local.topLeftCorner<4, 4>() = s;
    local.topRightCorner<4, 1>() = -s.rowwise().sum();
    local.bottomLeftCorner<1, 4>() = -s.colwise().sum();
    local(4, 4) = s.sum();
    for (Eigen::Index r = 0; r < 5; ++r)
        for (Eigen::Index c = 0; c < 5; ++c)
            if (at[static_cast<std::size_t>(r)] >= 0 && at[static_cast<std::size_t>(c)] >= 0)
                a(at[static_cast<std::size_t>(r)], at[static_cast<std::size_t>(c)]) +=
                    weight * local(r, c);
}

bool positive(const Eigen::MatrixXd& a)
{
    return a.allFinite() && Eigen::LLT<Eigen::MatrixXd>(a).info() == Eigen::Success;
}

class Patches
{
  public:
    Patches(ThreadPool& pool, const FaceNeighbours& links, const FluxMatrices& k,
            std::span<const double> rate)
        : pool_(pool), links_(links), k_(k), rate_(rate), left_(k.size(), 1),
          proven_in_(k.size(), 0)
    {
    }

    Growth judge(const std::vector<std::int32_t>& suspects, const Progress& progress,
                 const Stage& stage)
    {
        for (const auto i : suspects)
            left_[static_cast<std::size_t>(i)] = 0; // in its own patch alone, and wholly
        const std::size_t few = std::max<std::size_t>(1000, k_.size() / 100);
        std::vector<Cells> groups;
        for (const auto i : suspects)
            groups.push_back({i});
        for (int again = 0; again <= most_again && !groups.empty(); ++again) {
            if (again > 0)
                absorb(groups);
            for (int rings = again == 0 ? 1 : 2; rings <= widest && !groups.empty(); ++rings) {
                if (rings > 2 && groups.size() > few)
                    return Growth::unknown; // patches so wide would be most of the mesh, many times
                const double done = again + (rings - 1.0) / widest;
                progress.at(stage.from + (stage.to - stage.from) * done / (most_again + 1),
                            stage.name);
                if (rings > 1)
                    groups = joined(groups, rings - 1);
                if (round(rings, groups))
                    return Growth::certain;
            }
        }
        return groups.empty() ? Growth::none : Growth::unknown;
    }

  private:
    Cells around(Cells cells, int rings) const
    {
        for (int r = 0; r < rings; ++r)
            cells = with_neighbours(links_, cells);
        return cells;
    }

    /// Groups that have a cell in common within so many rings become one: a suspect's energy is
    /// negative in one direction, and what it has in the others holds those beside it.
    std::vector<Cells> joined(const std::vector<Cells>& groups, int rings) const
    {
        std::vector<std::size_t> root(groups.size());
        std::iota(root.begin(), root.end(), std::size_t{0});
        const auto find = [&](std::size_t g) {
            while (root[g] != g)
                g = root[g] = root[root[g]];
            return g;
        };
        std::unordered_map<std::int32_t, std::size_t> group_of;
        for (std::size_t g = 0; g < groups.size(); ++g)
            for (const auto i : around(groups[g], rings)) {
                const auto [x, first] = group_of.emplace(i, g);
                if (!first)
                    root[find(g)] = find(x->second);
            }
        std::map<std::size_t, Cells> by_root;
        for (std::size_t g = 0; g < groups.size(); ++g) {
            auto& cells = by_root[find(g)];
            cells.insert(cells.end(), groups[g].begin(), groups[g].end());
        }
        std::vector<Cells> out;
        for (auto& [none, cells] : by_root) {
            std::sort(cells.begin(), cells.end());
            out.push_back(std::move(cells));
        }
        return out;
    }

    /// Takes the groups that patches of so many rings prove from the list.
    /// @return whether a mode surely grows
    bool round(int rings, std::vector<Cells>& groups)
    {
        std::vector<Cells> patch(groups.size());
        std::vector<double> proven(groups.size(), 0); // by which part of its shares; 0: it is not
        pool_.for_range(patch.size(), 1, [&](std::size_t begin, std::size_t end, unsigned) {
            for (std::size_t p = begin; p < end; ++p)
                patch[p] = around(groups[p], rings);
        });
        std::vector<std::int32_t> in(k_.size(), 0); // patches that share its energy
        for (const auto& cells : patch)
            for (const auto i : cells)
                ++in[static_cast<std::size_t>(i)];
        const auto most = patch.size() <= few_patches ? most_of_few : most_cells;
        std::atomic<bool> grows = false;
        pool_.for_range(patch.size(), 1, [&](std::size_t begin, std::size_t end, unsigned) {
            for (std::size_t p = begin; p < end && !grows; ++p) {
                if (patch[p].size() > most)
                    continue;
                proven[p] = stable_with(patch[p], groups[p], in);
                if (proven[p] == 0 && grows_alone(patch[p]))
                    grows = true;
            }
        });
        if (grows)
            return true;
        std::vector<Cells> rest;
        const auto first = proven_.size();
        for (std::size_t p = 0; p < patch.size(); ++p) {
            if (proven[p] == 0 || !take_room(patch[p])) {
                rest.push_back(std::move(groups[p]));
                continue;
            }
            Proven done{std::move(groups[p]), std::move(patch[p]), {}};
            for (const auto i : done.patch)
                done.taken.push_back(proven[p] * share(i, in));
            proven_.push_back(std::move(done));
        }
        for (auto p = first; p < proven_.size(); ++p)
            add_left(proven_[p], -1);
        groups = std::move(rest);
        return false;
    }

    /// Groups get those whose proven patches reach into theirs, which give back what they took:
    /// together they need less.
    void absorb(std::vector<Cells>& groups)
    {
        std::vector<std::pair<std::int32_t, std::size_t>> holds; // cell, proven patch
        for (std::size_t p = 0; p < proven_.size(); ++p)
            for (const auto i : proven_[p].patch)
                holds.emplace_back(i, p);
        std::sort(holds.begin(), holds.end());
        std::vector<std::uint8_t> gone(proven_.size(), 0);
        for (auto& group : groups) {
            for (const auto i : around(group, 2))
                for (auto x =
                         std::lower_bound(holds.begin(), holds.end(), std::pair(i, std::size_t{0}));
                     x != holds.end() && x->first == i; ++x) {
                    if (std::exchange(gone[x->second], std::uint8_t{1}) != 0)
                        continue;
                    const auto& p = proven_[x->second];
                    add_left(p, 1);
                    for (const auto node : with_neighbours(links_, p.patch))
                        --proven_in_[static_cast<std::size_t>(node)];
                    group.insert(group.end(), p.suspects.begin(), p.suspects.end());
                }
            std::sort(group.begin(), group.end());
        }
        std::vector<Proven> kept;
        for (std::size_t p = 0; p < proven_.size(); ++p)
            if (gone[p] == 0)
                kept.push_back(std::move(proven_[p]));
        proven_ = std::move(kept);
    }

    double share(std::int32_t cell, const std::vector<std::int32_t>& in) const
    {
        const auto i = static_cast<std::size_t>(cell);
        return left_[i] / in[i];
    }

    /// The least part, of those that are tried, of the patch's shares of the others' energy that
    /// makes it no less than nothing together with the suspects' own, within the part of the limit
    /// that a patch may use; 0: all is too little.
    double stable_with(const Cells& patch, const Cells& suspects,
                       const std::vector<std::int32_t>& in) const
    {
        const auto nodes = with_neighbours(links_, patch);
        const auto n = static_cast<Eigen::Index>(nodes.size());
        Eigen::MatrixXd own = Eigen::MatrixXd::Zero(n, n), others = own;
        for (const auto i : patch) {
            const bool suspect = std::binary_search(suspects.begin(), suspects.end(), i);
            if (const double weight = suspect ? 1 : share(i, in); weight > 0)
                add_energy(suspect ? own : others, nodes, links_,
                           symmetric(links_, k_, static_cast<std::size_t>(i)), i, weight);
        }
        for (Eigen::Index x = 0; x < n; ++x)
            own(x, x) += share_of_limit * growth_limit * rate_of(nodes, x);
        for (const double part : {0.125, 0.25, 0.5, 1.0})
            if (positive(own + part * others))
                return part;
        return 0;
    }

    /// Whether a mode that is nothing outside the patch grows beyond the limit: then so does one of
    /// the whole.
    bool grows_alone(const Cells& patch) const
    {
        const auto n = static_cast<Eigen::Index>(patch.size());
        Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n, n);
        for (const auto i : with_neighbours(links_, patch))
            add_energy(a, patch, links_, symmetric(links_, k_, static_cast<std::size_t>(i)), i, 1);
        for (Eigen::Index x = 0; x < n; ++x)
            a(x, x) += growth_limit * rate_of(patch, x);
        return !positive(a);
    }

    double rate_of(const Cells& nodes, Eigen::Index x) const
    {
        return rate_[static_cast<std::size_t>(nodes[static_cast<std::size_t>(x)])];
    }

    /// Whether none of the nodes is in so many proven patches that their parts of the limit might
    /// be more than all of it; then it is in one more.
    bool take_room(const Cells& patch)
    {
        const auto nodes = with_neighbours(links_, patch);
        const auto count = [&](std::int32_t i) -> std::int32_t& {
            return proven_in_[static_cast<std::size_t>(i)];
        };
        if (std::any_of(nodes.begin(), nodes.end(),
                        [&](auto i) { return count(i) >= most_of_one; }))
            return false;
        for (const auto i : nodes)
            ++count(i);
        return true;
    }

    struct Proven
    {
        Cells suspects, patch;
        std::vector<double> taken; ///< of the energy of each of the patch's cells
    };
    void add_left(const Proven& p, double sign)
    {
        for (std::size_t c = 0; c < p.patch.size(); ++c)
            left_[static_cast<std::size_t>(p.patch[c])] += sign * p.taken[c];
    }

    ThreadPool& pool_;
    const FaceNeighbours& links_;
    const FluxMatrices& k_;
    std::span<const double> rate_;
    std::vector<Proven> proven_;
    std::vector<double> left_;            ///< of each cell's energy: no patch has it yet
    std::vector<std::int32_t> proven_in_; ///< patches, of which each cell is a node
};

} // namespace

Growth growth_by_patches(ThreadPool& pool, const FaceNeighbours& links, const FluxMatrices& k,
                         std::span<const double> rate, const std::vector<std::int32_t>& suspects,
                         const Progress& progress, const Stage& stage)
{
    return Patches(pool, links, k, rate).judge(suspects, progress, stage);
}

} // namespace tawara::diffusion
