// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/diffusion/operators.hpp"

#include <cmath>
#include <cstdio>
#include <numeric>

namespace tawara::diffusion {

namespace {

using Map = Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>;

void store(const Eigen::Matrix4d& k, std::array<double, 16>& out)
{
    Eigen::Map<Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(out.data()) = k;
}

/// Row i of B: the cell's own fluxes, less the shares that its neighbours put on the common faces.
void fvm_row(const FaceNeighbours& links, const FluxMatrices& k,
             const std::vector<std::uint8_t>& back, std::size_t i, RowBuffer<20>& row)
{
    row.count = 0;
    const auto self = static_cast<std::int32_t>(i);
    for (std::size_t g = 0; g < 4; ++g) {
        if (links[i][g] < 0)
            continue;
        double sum = 0;
        for (std::size_t f = 0; f < 4; ++f)
            if (links[i][f] >= 0)
                sum += k[i][4 * f + g];
        row.add(links[i][g], sum);
    }
    for (int f = 0; f < 4; ++f) {
        const auto j = links[i][static_cast<std::size_t>(f)];
        if (j < 0)
            continue;
        const auto u = static_cast<std::size_t>(j);
        const auto face = static_cast<std::size_t>(back_face(back[i], f));
        for (std::size_t g = 0; g < 4; ++g) {
            if (links[u][g] < 0)
                continue;
            row.add(j, k[u][4 * face + g]);
            if (links[u][g] != self)
                row.add(links[u][g], -k[u][4 * face + g]);
        }
    }
    row.sort();
}

Rows fvm_rows(ThreadPool& pool, const FaceNeighbours& links, const FluxMatrices& k,
              const Progress& progress)
{
    const auto back = back_faces(links);
    const std::size_t n = links.size();
    Rows rows;
    rows.first.assign(n + 1, 0);
    for_each_index(pool, n, progress, {"assembling diffusion", 0.7, 0.85}, [&](std::size_t i) {
        RowBuffer<20> row;
        fvm_row(links, k, back, i, row);
        rows.first[i + 1] = static_cast<std::int64_t>(row.count);
    });
    std::partial_sum(rows.first.begin(), rows.first.end(), rows.first.begin());
    rows.column.resize(static_cast<std::size_t>(rows.first[n]));
    rows.value.resize(rows.column.size());
    for_each_index(pool, n, progress, {"assembling diffusion", 0.85, 1}, [&](std::size_t i) {
        RowBuffer<20> row;
        fvm_row(links, k, back, i, row);
        auto at = static_cast<std::size_t>(rows.first[i]);
        for (std::size_t e = 0; e < row.count; ++e, ++at) {
            rows.column[at] = row.entry[e].first;
            rows.value[at] = row.entry[e].second;
        }
    });
    return rows;
}

/// Repairs cells by rising threshold until no mode grows (NUMERICS.md, 2).
class Repair
{
  public:
    Repair(ThreadPool& pool, const mesh::TetMesh& m, const FaceNeighbours& links,
           std::span<const Tensor> diffusivity, Whole* whole, const Progress& progress)
        : pool_(pool), mesh_(m), links_(links), d_(diffusivity), whole_(whole), progress_(progress)
    {
    }

    Stability run(FluxMatrices& k, const std::vector<float>& least)
    {
        Stability s;
        s.smallest_m = 1;
        bool any = false;
        for (std::size_t i = 0; i < least.size(); ++i) {
            if (own(i)) {
                s.smallest_m = std::min(s.smallest_m, static_cast<double>(least[i]));
                any = any || least[i] < 0;
            }
            if (least[i] < 0)
                suspects_.push_back(static_cast<std::int32_t>(i));
        }
        if (whole_ != nullptr) {
            s.smallest_m = -whole_->largest(-s.smallest_m);
            any = whole_->any(any);
        }
        if (!any) {
            s.proven_cell_by_cell = true;
            return s;
        }
        bool grows = judge(s, k, least, 0);
        int round = 0;
        for (const double theta : {-2.0, -1.0, -0.5, -0.2, -0.1, 0.0}) {
            if (!grows)
                break;
            s.theta = theta;
            const auto fixed = fix(k, least, theta);
            s.repaired_cells += fixed;
            // At 0 every cell's sym(K_i) >= 0, so that no mode can grow.
            s.proven_cell_by_cell = theta == 0;
            if (theta == 0)
                s.largest_growth = 0;
            else if (fixed > 0)
                grows = judge(s, k, least, ++round);
        }
        return s;
    }

  private:
    /// Whether a mode grows: by patches where these tell, else by Lanczos.
    bool judge(Stability& s, const FluxMatrices& k, const std::vector<float>& least,
               int round) const
    {
        const auto rate = row_rates(pool_, links_, k, whole_);
        const double from = 0.3 + 0.4 * (1 - std::pow(0.5, round));
        const Stage stage{"checking stability", from, 0.5 * (from + 0.7)};
        s.proven_by_patches = false;
        if (whole_ == nullptr) {
            std::vector<std::int32_t> now; // not repaired so far
            for (const auto i : suspects_)
                if (static_cast<double>(least[static_cast<std::size_t>(i)]) >= done_)
                    now.push_back(i);
            const auto g = growth_by_patches(pool_, links_, k, rate, now, progress_, stage);
            s.proven_by_patches = g == Growth::none;
            if (g != Growth::unknown) {
                s.largest_growth = g == Growth::none ? 0 : growth_limit;
                return g == Growth::certain;
            }
        }
        s.largest_growth =
            largest_growth(pool_, links_, k, rate, suspects_, whole_, progress_, stage);
        return s.largest_growth > growth_limit;
    }

    /// Repairs those below theta that were not repaired before.
    std::int64_t fix(FluxMatrices& k, const std::vector<float>& least, double theta)
    {
        std::vector<std::int32_t> now;
        std::int64_t own_ones = 0;
        for (auto i : suspects_) {
            const auto m = static_cast<double>(least[static_cast<std::size_t>(i)]);
            if (m < theta && m >= done_) {
                now.push_back(i);
                own_ones += own(static_cast<std::size_t>(i)) ? 1 : 0;
            }
        }
        done_ = theta;
        pool_.for_range(now.size(), 1, [&](std::size_t begin, std::size_t end, unsigned) {
            for (std::size_t e = begin; e < end; ++e) {
                const auto i = static_cast<std::size_t>(now[e]);
                store(repaired_flux(fvm_cell(mesh_, links_, d_, i)), k[i]);
            }
        });
        return whole_ == nullptr ? own_ones
                                 : std::llround(whole_->sum(static_cast<double>(own_ones)));
    }
    bool own(std::size_t i) const { return whole_ == nullptr || whole_->own()[i] != 0; }

    ThreadPool& pool_;
    const mesh::TetMesh& mesh_;
    const FaceNeighbours& links_;
    std::span<const Tensor> d_;
    Whole* whole_; ///< null: all cells are here
    const Progress& progress_;
    std::vector<std::int32_t> suspects_; ///< cells with m_i < 0
    double done_ = -INFINITY;            ///< cells below it were repaired
};

std::string sentence(const Stability& s, std::size_t cells)
{
    char text[256];
    if (s.repaired_cells == 0)
        return s.proven_cell_by_cell ? "diffusion (fvm): stable, proven cell by cell"
               : s.proven_by_patches ? "diffusion (fvm): stable, proven patch by patch"
                                     : "diffusion (fvm): stable, no mode grows";
    std::snprintf(text, sizeof text,
                  "diffusion (fvm): a mode of the plain scheme would grow on this mesh; %lld of "
                  "%zu tetrahedra (%.3g %%) were repaired, now no mode grows",
                  static_cast<long long>(s.repaired_cells), cells,
                  100.0 * static_cast<double>(s.repaired_cells) / static_cast<double>(cells));
    return text;
}

} // namespace

std::vector<std::uint8_t> back_faces(const FaceNeighbours& links)
{
    std::vector<std::uint8_t> back(links.size(), 0);
    for (std::size_t i = 0; i < links.size(); ++i)
        for (std::size_t f = 0; f < 4; ++f) {
            if (links[i][f] < 0)
                continue;
            const auto& other = links[static_cast<std::size_t>(links[i][f])];
            for (unsigned g = 0; g < 4; ++g)
                if (other[g] == static_cast<std::int32_t>(i))
                    back[i] = static_cast<std::uint8_t>(back[i] | (g << (2 * f)));
        }
    return back;
}

std::vector<double> row_rates(ThreadPool& pool, const FaceNeighbours& links, const FluxMatrices& k,
                              Whole* whole)
{
    const auto back = back_faces(links);
    std::vector<double> rate(links.size());
    pool.for_range(rate.size(), 64, [&](std::size_t begin, std::size_t end, unsigned) {
        for (std::size_t i = begin; i < end; ++i) {
            RowBuffer<20> row;
            fvm_row(links, k, back, i, row);
            double sum = 0;
            for (std::size_t e = 0; e < row.count; ++e)
                sum += std::abs(row.entry[e].second);
            rate[i] = sum > 0 ? sum : 1;
        }
    });
    if (whole != nullptr)
        whole->share(rate);
    return rate;
}

System assemble_fvm(ThreadPool& pool, const mesh::TetMesh& m, const FaceNeighbours& links,
                    std::span<const Tensor> diffusivity, const Options& options, Whole* whole,
                    const Progress& progress)
{
    const std::size_t n = m.tetrahedron_count();
    System s;
    s.volume.resize(n);
    FluxMatrices k(n);
    std::vector<float> least(options.check_stability ? n : 0);
    for_each_index(pool, n, progress, {"assembling diffusion", 0, 0.3}, [&](std::size_t i) {
        s.volume[i] = m.volume(i);
        const bool alone = links[i] == std::array<std::int32_t, 4>{-1, -1, -1, -1};
        if (alone) { // also tissue that does not conduct
            k[i] = {};
            if (!least.empty())
                least[i] = 1;
            return;
        }
        const FvmCell c = fvm_cell(m, links, diffusivity, i);
        const Eigen::Matrix4d flux = plain_flux(c);
        store(flux, k[i]);
        if (!least.empty())
            least[i] = static_cast<float>(smallest_eigenvalue(c, flux));
    });
    if (options.check_stability) {
        s.stability = Repair(pool, m, links, diffusivity, whole, progress).run(k, least);
        s.stability.stable = s.stability.largest_growth <= growth_limit;
        s.stability.notices.push_back(
            {s.stability.repaired_cells > 0 ? Notice::Level::warning : Notice::Level::info,
             sentence(s.stability, whole != nullptr ? whole->size() : n)});
    } else {
        s.stability.stable = false; // nobody knows
        s.stability.notices.push_back(
            {Notice::Level::warning, "diffusion (fvm): stability was not checked"});
    }
    s.alpha = fvm_rows(pool, links, k, progress);
    return s;
}

} // namespace tawara::diffusion
