// SPDX-License-Identifier: GPL-3.0-or-later
// Trials of ionic currents between vertices on the slab of Niederer et al. 2011 (PREDICTIONS.md,
// "I2"): the equations of ten Tusscher and Panfilov as printed, p1, lumped mass, explicit. Slow,
// and on one thread.
//     tawara-bench-interpolation-trials EDGE_MM|MESH nodal|tetrahedra|edges [KEY=NUMBER]...
// Keys: mu 0.5, near 0.585, front 5 [mV], linear 0, jitter 0 [edges], dt 0.02, end 60 [ms].
// One JSON record a line. tetrahedra: as `diffusion.currents: interpolated`, `near` the points'
// weight of their own vertex. edges: two Gauss points an edge, V and states cubic there (linear=1:
// linear).
#include "engine/core/error.hpp"
#include "engine/diffusion/system.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "tests/bench/built_from.hpp"
#include "tests/cell/oracle/tt06_plain.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

using namespace tawara;
namespace tt06 = cell::tt06;

namespace {

using State = std::array<double, tt06::state_count>;
constexpr double length_mm[] = {20, 7, 3};
constexpr double diffusivity[] = {0.0952984, 0.0125758, 0.0125758}; // fibres along x [mm2/ms]

struct Trial
{
    std::string mesh, currents;
    double mu = 0.5, near = 0.58541019662496852, front_mV = 5, jitter = 0, dt_ms = 0.02,
           end_ms = 60;
    bool linear = false;
};

/// An edge from vertex a to b, d apart, with -K_ab of diffusivities D and 1 [mm], 0 where negative.
struct Edge
{
    std::size_t a, b;
    Vec3 d;
    double k, k_isotropic;
};

mesh::TetMesh made(const Trial& t)
{
    char* rest = nullptr;
    const double h = std::strtod(t.mesh.c_str(), &rest);
    if (*rest != 0)
        return mesh::io::read(t.mesh, LengthUnit::mm).mesh;
    auto m = mesh::slab({length_mm[0], length_mm[1], length_mm[2]}, h);
    std::mt19937 random(1);
    std::uniform_real_distribution<double> by(-t.jitter * h, t.jitter * h);
    for (std::size_t v = 0; v < m.vertex_count(); ++v)
        for (auto [x, l] : {std::pair{&m.x[v], length_mm[0]}, std::pair{&m.y[v], length_mm[1]},
                            std::pair{&m.z[v], length_mm[2]}})
            if (const double moved = *x + by(random); *x > 1e-9 && *x < l - 1e-9)
                *x = moved;
    return m;
}

/// p1 with lumped mass; diffusivities along x and across.
diffusion::System operator_of(const mesh::TetMesh& m, double along, double across)
{
    const std::vector<diffusion::Tensor> d(m.tetrahedron_count(), {along, across, across, 0, 0, 0});
    diffusion::Options o;
    o.scheme = diffusion::Scheme::p1;
    o.mass = diffusion::Mass::lumped;
    return diffusion::assemble(m, mesh::face_neighbours(m), d, o);
}

class Slab
{
  public:
    explicit Slab(const Trial& t);
    void step(double t_ms);
    bool all_active() const { return active_ == act_.size(); }
    double activation_near(const Vec3& x) const;
    std::size_t vertices() const { return mass_.size(); }
    double negative_part() const { return negative_; }

  private:
    void list_edges();
    void list_gradients();
    void find_gradient(std::size_t v);
    void add_edges();
    void add_edge(const Edge& e);
    void add_tetrahedra();
    double current(const State& x) const { return tt06::plain::rates(x, p_, 0).d[tt06::V]; }

    Trial t_;
    mesh::TetMesh m_;
    diffusion::System d_, one_; ///< of D and of 1
    std::vector<double> mass_, p_, act_, v_, current_, more_, diffused_;
    std::vector<State> x_, before_;
    std::vector<Edge> edges_;
    double negative_ = 0; ///< negative -K_ab L^2 of D = 1, over the positive ones
    struct Term
    {
        std::size_t of;
        Vec3 weight;
    };
    std::vector<std::vector<Term>> gradient_;     ///< of each vertex, mean of its tetrahedra's
    std::vector<std::array<State, 3>> gradients_; ///< of the front
    std::vector<bool> in_front_;
    int sub_steps_ = 1;
    std::size_t active_ = 0;
};

Slab::Slab(const Trial& t)
    : t_(t), m_(made(t)), d_(operator_of(m_, diffusivity[0], diffusivity[1])),
      one_(operator_of(m_, 1, 1)), mass_(d_.volume)
{
    for (const auto& q : tt06::info().parameters) // of epicardial cells
        p_.push_back(q.value);
    // The benchmark's initial state
    const State rest{-85.23,   0.00621, 0.4712, 0.0095, 0.00172,  0.7444,  0.7045,
                     3.373e-5, 0.7888,  0.9755, 0.9953, 0.999998, 2.42e-8, 0.000126,
                     3.64,     0.00036, 0.9073, 8.604,  136.89};
    const std::size_t n = mass_.size();
    x_.assign(n, rest);
    v_.assign(n, rest[tt06::V]);
    act_.assign(n, std::nan(""));
    current_.assign(n, 0);
    diffused_.assign(n, 0);
    gradients_.resize(n);
    sub_steps_ = std::max(1, static_cast<int>(std::ceil(t.dt_ms / d_.stable_dt_ms)));
    list_edges();
    list_gradients();
}

void Slab::list_edges()
{
    double positive = 0, negative = 0;
    for (std::size_t a = 0; a < mass_.size(); ++a)
        for (auto k = one_.alpha.first[a]; k < one_.alpha.first[a + 1]; ++k) {
            const auto b = static_cast<std::size_t>(one_.alpha.column[static_cast<std::size_t>(k)]);
            if (b <= a)
                continue;
            const Vec3 d = m_.vertex(b) - m_.vertex(a);
            double of_d = 0;
            for (auto q = d_.alpha.first[a]; q < d_.alpha.first[a + 1]; ++q)
                if (static_cast<std::size_t>(d_.alpha.column[static_cast<std::size_t>(q)]) == b)
                    of_d = d_.alpha.value[static_cast<std::size_t>(q)] * mass_[a];
            const double of_1 = one_.alpha.value[static_cast<std::size_t>(k)] * mass_[a];
            (of_1 > 0 ? positive : negative) += of_1 * dot(d, d);
            const double least = 1e-9 * std::sqrt(dot(d, d));
            if (of_1 > least || of_d > least)
                edges_.push_back({a, b, d, std::max(of_d, 0.0), std::max(of_1, 0.0)});
        }
    negative_ = -negative / positive;
    for (auto& e : edges_) { // their volumes make up that of the slab
        e.k_isotropic *= 1 - negative_;
        e.k *= 1 - negative_;
    }
}

void Slab::list_gradients()
{
    std::vector<std::map<std::size_t, Vec3>> sums(mass_.size());
    for (std::size_t t = 0; t < m_.tetrahedron_count(); ++t) {
        const auto c = m_.corners(t);
        std::array<Vec3, 4> x;
        for (std::size_t k = 0; k < 4; ++k)
            x[k] = m_.vertex(static_cast<std::size_t>(c[k]));
        for (std::size_t k = 0; k < 4; ++k) { // |T| grad of a shape function: the face's area / 3
            const Vec3 &p = x[(k + 1) % 4], &q = x[(k + 2) % 4], &r = x[(k + 3) % 4];
            Vec3 normal = (1.0 / 6) * cross(q - p, r - p);
            if (dot(normal, x[k] - p) < 0)
                normal = -1.0 * normal;
            for (const auto v : c) {
                auto& sum = sums[static_cast<std::size_t>(v)][static_cast<std::size_t>(c[k])];
                sum = sum + normal;
            }
        }
    }
    gradient_.resize(mass_.size());
    for (std::size_t v = 0; v < sums.size(); ++v)
        for (const auto& [of, sum] : sums[v])
            gradient_[v].push_back({of, (1 / (4 * mass_[v])) * sum});
}

void Slab::find_gradient(std::size_t v)
{
    auto& g = gradients_[v];
    for (auto& part : g)
        part.fill(0);
    for (const auto& term : gradient_[v])
        for (std::size_t k = 0; k < 3; ++k)
            for (std::size_t s = 0; s < g[k].size(); ++s)
                g[k][s] += term.weight[k] * before_[term.of][s];
}

/// Slopes of cubics that do not leave the ends' values, less the difference: at a and at b.
double limited(double slope, double difference)
{
    return std::clamp(slope, std::min(0.0, 3 * difference), std::max(0.0, 3 * difference)) -
           difference;
}

void Slab::add_edge(const Edge& e)
{
    const State &a = before_[e.a], &b = before_[e.b];
    const auto &ga = gradients_[e.a], &gb = gradients_[e.b];
    double k = e.k_isotropic * dot(e.d, e.d);
    if (t_.mu > 0) { // n is the mean gradient's direction, whose length cancels
        Vec3 g{};
        double gDg = 0;
        for (std::size_t c = 0; c < 3; ++c) {
            g[c] = ga[c][tt06::V] + gb[c][tt06::V];
            gDg += diffusivity[c] * g[c] * g[c];
        }
        k = (1 - t_.mu) * k + (gDg > 0 ? t_.mu * e.k * dot(g, e.d) * dot(g, e.d) / gDg : 0);
    }
    State bend_a{}, bend_b{};
    for (std::size_t s = 0; s < a.size() && !t_.linear; ++s) {
        const auto slope = [&](const std::array<State, 3>& g) {
            return e.d[0] * g[0][s] + e.d[1] * g[1][s] + e.d[2] * g[2][s];
        };
        bend_a[s] = limited(slope(ga), b[s] - a[s]);
        bend_b[s] = limited(slope(gb), b[s] - a[s]);
    }
    double to_a = -0.5 * current_[e.a], to_b = -0.5 * current_[e.b];
    for (const double z : {0.5 - 0.5 / std::sqrt(3.0), 0.5 + 0.5 / std::sqrt(3.0)}) {
        State x;
        for (std::size_t s = 0; s < x.size(); ++s)
            x[s] = (1 - z) * a[s] + z * b[s] + z * (1 - z) * ((1 - z) * bend_a[s] - z * bend_b[s]);
        const double f = current(x);
        to_a += 0.5 * (1 - z) * f;
        to_b += 0.5 * z * f;
    }
    more_[e.a] += k * to_a;
    more_[e.b] += k * to_b;
}

void Slab::add_edges()
{
    in_front_.assign(mass_.size(), false);
    const auto steep = [&](const Edge& e) { return std::abs(v_[e.a] - v_[e.b]) > t_.front_mV; };
    for (const auto& e : edges_)
        if (steep(e))
            in_front_[e.a] = in_front_[e.b] = true;
    for (std::size_t v = 0; v < mass_.size(); ++v)
        if (in_front_[v])
            find_gradient(v);
    for (const auto& e : edges_)
        if (steep(e))
            add_edge(e);
}

void Slab::add_tetrahedra()
{
    const double near = t_.near, far = (1 - near) / 3;
    constexpr double own = 0.58541019662496852, other = 0.13819660112501052;
    for (std::size_t t = 0; t < m_.tetrahedron_count(); ++t) {
        const auto c = m_.corners(t);
        std::array<std::size_t, 4> at{};
        for (std::size_t k = 0; k < 4; ++k)
            at[k] = static_cast<std::size_t>(c[k]);
        const auto [low, high] = std::minmax({v_[at[0]], v_[at[1]], v_[at[2]], v_[at[3]]});
        if (!(high - low > t_.front_mV))
            continue;
        std::array<double, 4> f{};
        for (std::size_t p = 0; p < 4; ++p) {
            State x{};
            for (std::size_t k = 0; k < 4; ++k)
                for (std::size_t s = 0; s < x.size(); ++s)
                    x[s] += (k == p ? near : far) * before_[at[k]][s];
            f[p] = current(x);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            double sum = -current_[at[k]];
            for (std::size_t p = 0; p < 4; ++p)
                sum += (k == p ? own : other) * f[p];
            more_[at[k]] += m_.volume(t) / 4 * sum;
        }
    }
}

void Slab::step(double t_ms)
{
    const std::size_t n = mass_.size();
    const double dt = t_.dt_ms;
    for (std::size_t i = 0; i < n; ++i)
        x_[i][tt06::V] = v_[i];
    before_ = x_;
    for (std::size_t i = 0; i < n; ++i) {
        const auto r = tt06::plain::rates(x_[i], p_, 0);
        current_[i] = r.d[tt06::V];
        for (std::size_t g = tt06::Xr1; g <= tt06::r; ++g)
            x_[i][g] = r.inf[g] - (r.inf[g] - x_[i][g]) * std::exp(-dt / r.tau[g]);
        for (std::size_t s = tt06::Cai; s < tt06::state_count; ++s)
            x_[i][s] += dt * r.d[s];
    }
    more_.assign(n, 0);
    if (t_.currents == "edges")
        add_edges();
    else if (t_.currents == "tetrahedra")
        add_tetrahedra();
    const auto last = v_;
    for (std::size_t i = 0; i < n; ++i) {
        const Vec3 at = m_.vertex(i);
        const bool stimulated = t_ms < 2 && std::max({at[0], at[1], at[2]}) <= 1.5 + 1e-9;
        v_[i] += dt * (current_[i] + more_[i] / mass_[i] + (stimulated ? 35.714 : 0));
    }
    for (int s = 0; s < sub_steps_; ++s) {
        for (std::size_t i = 0; i < n; ++i) {
            diffused_[i] = 0;
            for (auto k = static_cast<std::size_t>(d_.alpha.first[i]);
                 k < static_cast<std::size_t>(d_.alpha.first[i + 1]); ++k)
                diffused_[i] +=
                    d_.alpha.value[k] * (v_[static_cast<std::size_t>(d_.alpha.column[k])] - v_[i]);
        }
        for (std::size_t i = 0; i < n; ++i)
            v_[i] += dt / sub_steps_ * diffused_[i];
    }
    for (std::size_t i = 0; i < n; ++i)
        if (std::isnan(act_[i]) && last[i] < 0 && v_[i] >= 0) {
            act_[i] = t_ms - dt * last[i] / (v_[i] - last[i]);
            ++active_;
        }
}

/// Mean of the nearest vertices.
double Slab::activation_near(const Vec3& x) const
{
    double sum = 0, nearest = INFINITY;
    int n = 0;
    for (std::size_t i = 0; i < act_.size(); ++i) {
        const Vec3 d = m_.vertex(i) - x;
        if (dot(d, d) > nearest + 1e-9)
            continue;
        if (dot(d, d) < nearest - 1e-9)
            sum = n = 0, nearest = dot(d, d);
        sum += act_[i];
        ++n;
    }
    return sum / n;
}

Trial read(int argc, char** argv)
{
    if (argc < 3)
        throw InputError("", "", "an edge or a mesh, and nodal, tetrahedra or edges are missing");
    Trial t;
    t.mesh = argv[1];
    t.currents = argv[2];
    if (t.currents != "nodal" && t.currents != "tetrahedra" && t.currents != "edges")
        throw InputError("", "", t.currents + ": nodal, tetrahedra or edges is wanted");
    const std::map<std::string, double*> numbers{{"mu", &t.mu},          {"near", &t.near},
                                                 {"front", &t.front_mV}, {"jitter", &t.jitter},
                                                 {"dt", &t.dt_ms},       {"end", &t.end_ms}};
    for (int k = 3; k < argc; ++k) {
        const std::string a = argv[k], key = a.substr(0, a.find('='));
        if (a.size() == key.size() || (key != "linear" && !numbers.contains(key)))
            throw InputError("", "", a + " is no setting");
        const double x = std::atof(a.c_str() + key.size() + 1);
        if (key == "linear")
            t.linear = x != 0;
        else
            *numbers.at(key) = x;
    }
    return t;
}

} // namespace

int main(int argc, char** argv)
{
    try {
        const Trial t = read(argc, argv);
        Slab slab(t);
        for (int k = 0; k * t.dt_ms < t.end_ms && !slab.all_active(); ++k)
            slab.step(k * t.dt_ms);
        nlohmann::ordered_json j{{"bench", "interpolation trials"},
                                 {"commit", bench::built_from},
                                 {"mesh", t.mesh},
                                 {"vertices", slab.vertices()},
                                 {"negative_part", slab.negative_part()},
                                 {"currents", t.currents}};
        if (t.currents == "edges")
            j["mu"] = t.mu, j["linear"] = t.linear;
        if (t.currents == "tetrahedra")
            j["near"] = t.near;
        j["front_mV"] = t.front_mV, j["jitter"] = t.jitter, j["dt_ms"] = t.dt_ms;
        for (const Vec3& x :
             {Vec3{0, 0, 0}, Vec3{0, 7, 0}, Vec3{20, 0, 0}, Vec3{20, 7, 0}, Vec3{0, 0, 3},
              Vec3{0, 7, 3}, Vec3{20, 0, 3}, Vec3{20, 7, 3}, Vec3{10, 3.5, 1.5}})
            j["activation_ms"].push_back(std::round(1000 * slab.activation_near(x)) / 1000);
        std::printf("%s\n", j.dump().c_str());
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
