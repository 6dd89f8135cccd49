// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/phase.hpp"

#include "engine/mesh/topology.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_map>

namespace tawara::analysis {
namespace {

constexpr float pi = std::numbers::pi_v<float>;

/// Corners of face k, anticlockwise seen from outside.
std::array<std::size_t, 3> corners_of_face(std::size_t k)
{
    const auto& f = mesh::face_corners[k];
    return {static_cast<std::size_t>(f[0]), static_cast<std::size_t>(f[1]),
            static_cast<std::size_t>(f[2])};
}

class Finder
{
  public:
    Finder(const mesh::TetMesh& m, const std::vector<std::array<std::int32_t, 4>>& neighbours,
           std::span<const float> phase, std::span<const float> now, std::span<const float> delayed,
           float centre, std::span<const std::uint8_t> silent)
        : m_(m), neighbours_(neighbours), phase_(phase), now_(now), delayed_(delayed),
          silent_(silent), centre_(centre)
    {
    }

    Filaments find()
    {
        for (std::size_t t = 0; t < m_.tetrahedron_count(); ++t)
            look(t);
        link();
        return std::move(out_);
    }

  private:
    struct Node
    {
        Vec3 at{};
        std::array<std::int32_t, 2> next{-1, -1};
        std::int32_t vertex = -1; ///< of the mesh
        bool done = false;
    };

    bool silent(std::int32_t v) const
    {
        return !silent_.empty() && silent_[static_cast<std::size_t>(v)] != 0;
    }

    void look(std::size_t t)
    {
        const auto c = m_.corners(t);
        std::array<float, 4> p{};
        for (std::size_t k = 0; k < 4; ++k)
            p[k] = phase_[static_cast<std::size_t>(c[k])];
        if (std::any_of(p.begin(), p.end(), [](float x) { return std::isnan(x); }))
            return; // a place without cells has no phase
        const auto [low, high] = std::minmax({p[0], p[1], p[2], p[3]});
        if (!(high - low > pi)) // no edge jumps, so no face winds
            return;
        std::array<std::int32_t, 4> found{};
        std::size_t n = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            const auto f = corners_of_face(k);
            if (silent(c[f[0]]) || silent(c[f[1]]) || silent(c[f[2]]))
                continue;
            const int winds = phase_jump(p[f[0]], p[f[1]]) + phase_jump(p[f[1]], p[f[2]]) +
                              phase_jump(p[f[2]], p[f[0]]);
            if (winds != 0)
                found[n++] = node(t, k, winds);
        }
        for (std::size_t i = 0; i + 1 < n; i += 2) {
            join(found[i], found[i + 1]);
            join(found[i + 1], found[i]);
        }
    }

    void join(std::int32_t a, std::int32_t b)
    {
        auto& next = nodes_[static_cast<std::size_t>(a)].next;
        next[next[0] < 0 ? 0 : 1] = b;
    }

    std::int32_t node(std::size_t t, std::size_t k, int winds)
    {
        const std::int32_t other = neighbours_[t][k];
        auto owner = t;
        auto face = k;
        if (other >= 0 && static_cast<std::size_t>(other) < t) {
            owner = static_cast<std::size_t>(other);
            for (face = 0; face < 3; ++face)
                if (neighbours_[owner][face] == static_cast<std::int32_t>(t))
                    break;
        }
        const auto [at, fresh] =
            index_.emplace(4 * owner + face, static_cast<std::int32_t>(nodes_.size()));
        if (fresh) {
            nodes_.push_back({point(t, k), {-1, -1}, m_.corners(t)[corners_of_face(k)[0]], false});
            if (other < 0) {
                out_.ends.push_back(nodes_.back().at);
                // Ahead of the front the phase is that of an earlier time: it falls in the sense of
                // turning.
                out_.turn.push_back(winds > 0 ? -1 : 1);
            }
        }
        return at->second;
    }

    /// Where both interpolants are zero in a face.
    Vec3 point(std::size_t t, std::size_t k) const
    {
        std::array<double, 3> x{}, y{}, w{};
        std::array<std::size_t, 3> v{};
        const auto c = m_.corners(t);
        for (std::size_t i = 0; i < 3; ++i) {
            v[i] = static_cast<std::size_t>(c[corners_of_face(k)[i]]);
            x[i] = static_cast<double>(now_[v[i]] - centre_);
            y[i] = static_cast<double>(delayed_[v[i]] - centre_);
        }
        double sum = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            const std::size_t a = (i + 1) % 3, b = (i + 2) % 3;
            sum += w[i] = x[a] * y[b] - x[b] * y[a];
        }
        if (!(std::abs(sum) > 1e-30)) {
            w = {1, 1, 1};
            sum = 3;
        }
        Vec3 out{};
        for (std::size_t i = 0; i < 3; ++i)
            out = out + std::clamp(w[i] / sum, 0.0, 1.0) * m_.vertex(v[i]);
        return out;
    }

    void follow(std::size_t start)
    {
        std::vector<Vec3> line;
        std::vector<std::int32_t> beside;
        auto at = static_cast<std::int32_t>(start);
        std::int32_t before = -1;
        while (at >= 0) {
            auto& n = nodes_[static_cast<std::size_t>(at)];
            line.push_back(n.at);
            beside.push_back(n.vertex);
            if (n.done)
                break; // a closed line is back
            n.done = true;
            const auto next = n.next[0] != before ? n.next[0] : n.next[1];
            before = at;
            at = next;
        }
        if (line.size() < 2)
            return; // one face, between tetrahedra that no wave enters
        out_.lines.push_back(std::move(line));
        out_.core.push_back(beside[beside.size() / 2]);
    }

    void link()
    {
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            if (!nodes_[i].done && nodes_[i].next[1] < 0)
                follow(i);
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            if (!nodes_[i].done)
                follow(i);
    }

    const mesh::TetMesh& m_;
    const std::vector<std::array<std::int32_t, 4>>& neighbours_;
    std::span<const float> phase_, now_, delayed_;
    std::span<const std::uint8_t> silent_;
    float centre_;
    std::vector<Node> nodes_;
    std::unordered_map<std::size_t, std::int32_t> index_;
    Filaments out_;
};

} // namespace

void phases(std::span<const float> now, std::span<const float> delayed, float centre_mV,
            std::span<float> out)
{
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = std::atan2(delayed[i] - centre_mV, now[i] - centre_mV);
}

Filaments filaments(const mesh::TetMesh& m,
                    const std::vector<std::array<std::int32_t, 4>>& neighbours,
                    std::span<const float> phase, std::span<const float> now,
                    std::span<const float> delayed, float centre_mV,
                    std::span<const std::uint8_t> silent)
{
    return Finder(m, neighbours, phase, now, delayed, centre_mV, silent).find();
}

int phase_jump(float a, float b)
{
    const float d = b - a;
    return d > pi ? -1 : d < -pi ? 1 : 0;
}

} // namespace tawara::analysis
