// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cable/step/cables.hpp"

#include "engine/cable/step/cables_impl.hpp"
#include "engine/cell/compiler/equations/ranges.hpp"
#include "engine/cell/compiler/library.hpp"
#include "engine/cell/numerics_error.hpp"
#include "engine/core/error.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::cable {
namespace {

constexpr std::size_t vector_slots = 16; ///< that cells come in (CellArrays)
constexpr std::size_t worth_a_thread = 512;
constexpr std::size_t fewest_for_lanes = 4; ///< copies; fewer would leave most lanes idle

std::size_t rounded_up(std::size_t n, std::size_t to)
{
    return (n + to - 1) / to * to;
}

} // namespace

template <class Real>
std::size_t Cables<Real>::Impl::node_checked(std::int32_t node, std::size_t copy) const
{
    if (node < 0 || static_cast<std::size_t>(node) >= d.compartments.nodes() || copy >= d.copies)
        throw Error("node " + std::to_string(node) + " of copy " + std::to_string(copy) +
                    " is no node of these cables");
    return static_cast<std::size_t>(node);
}

template <class Real>
Cables<Real>::Impl::Impl(CablesDescription given) : d(std::move(given))
{
    const auto& c = d.compartments;
    const auto n = c.nodes();
    check(c.tree);
    if (c.coupling_uS.size() != n || c.capacitance_nF.size() != n || c.place_mm.size() != n)
        throw Error("the arrays of a cable are not of one length");
    if (d.types.empty())
        throw Error("cables have at least one type of cells");
    if (d.copies == 0)
        throw Error("there are no copies of a cable; at least one is due");
    if (!(d.dt_ms > 0) || !std::isfinite(d.dt_ms))
        throw Error("the time step of cables is " + std::to_string(d.dt_ms) +
                    " ms; it should be above 0");
    if (d.type_of_node.empty())
        d.type_of_node.assign(n, 0);
    if (d.type_of_node.size() != n)
        throw Error("types of nodes are not as many as nodes");
    for (std::size_t i = 0; i < n; ++i) {
        if (d.type_of_node[i] >= d.types.size())
            throw Error("node " + std::to_string(i) + " has the cell type " +
                        std::to_string(d.type_of_node[i]) + " of " +
                        std::to_string(d.types.size()));
        if (!(c.capacitance_nF[i] > 0) || !(c.coupling_uS[i] >= 0))
            throw Error("node " + std::to_string(i) +
                        " of a cable has no membrane or a coupling below 0");
    }
    lanes = d.copies < fewest_for_lanes ? 1 : lanes_together;
    blocks = (d.copies + lanes - 1) / lanes;
    slots = rounded_up(n * lanes, vector_slots);
    capacitance.assign(c.capacitance_nF.begin(), c.capacitance_nF.end());
    add_up_couplings();
    make_groups();
    v.assign(blocks * slots, Real(0));
    for (std::size_t b = 0; b < blocks; ++b)
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t k = 0; k < lanes; ++k)
                v[b * slots + i * lanes + k] =
                    static_cast<Real>(d.types[d.type_of_node[i]].initial.at(0));
}

template <class Real>
void Cables<Real>::Impl::add_up_couplings()
{
    const auto& c = d.compartments;
    coupling.assign(c.coupling_uS.begin(), c.coupling_uS.end());
    coupling[0] = 0;
    std::vector<double> sum(c.nodes(), 0);
    for (std::size_t i = 1; i < c.nodes(); ++i) {
        sum[i] += c.coupling_uS[i];
        sum[static_cast<std::size_t>(c.tree.parent[i])] += c.coupling_uS[i];
    }
    couplings.assign(sum.begin(), sum.end());
}

template <class Real>
void Cables<Real>::Impl::make_groups()
{
    std::vector<std::size_t> group_of_type;
    std::vector<cell::TypeIndex> row_of_type;
    for (const auto& t : d.types) {
        std::size_t g = 0;
        while (g < groups.size() && !cell::same_model(groups[g].types[0], t))
            ++g;
        if (g == groups.size())
            groups.emplace_back();
        group_of_type.push_back(g);
        row_of_type.push_back(static_cast<cell::TypeIndex>(groups[g].types.size()));
        groups[g].types.push_back(t);
    }
    const auto type_of = [&](std::int32_t i) {
        return d.type_of_node[static_cast<std::size_t>(i)];
    };
    for (std::size_t i = 0; i < d.type_of_node.size(); ++i)
        groups[group_of_type[d.type_of_node[i]]].nodes.push_back(static_cast<std::int32_t>(i));
    std::erase_if(groups, [](const auto& g) { return g.nodes.empty(); });
    for (auto& g : groups) {
        g.all = groups.size() == 1;
        if (!g.all) // cells of a type side by side
            std::stable_sort(g.nodes.begin(), g.nodes.end(), [&](std::int32_t a, std::int32_t b) {
                return type_of(a) < type_of(b);
            });
        g.slots = rounded_up(g.nodes.size() * lanes, vector_slots);
        const auto info = cell::compiler::describe(*cell::compiler::system_of(g.types));
        const auto scheme = d.scheme.value_or(usual_cable_scheme(info, d.second_order));
        g.kernel = cell::make_cable_kernel<Real>(g.types, scheme);
        const auto states = g.types[0].initial.size() - 1;
        g.states.assign(states, AlignedVector<Real>(blocks * g.slots, Real(0)));
        g.type.assign(g.slots, 0);
        for (std::size_t i = 0; i < g.slots; ++i) {
            const auto node = g.nodes[std::min(i / lanes, g.nodes.size() - 1)];
            g.type[i] = row_of_type[type_of(node)];
            for (std::size_t k = 0; k < states; ++k)
                for (std::size_t b = 0; b < blocks; ++b)
                    g.states[k][b * g.slots + i] =
                        static_cast<Real>(g.types[g.type[i]].initial[k + 1]);
        }
    }
    std::size_t most = slots;
    for (const auto& g : groups)
        most = std::max(most, g.slots);
    shared.fit(most);
}

template <class Real>
void Cables<Real>::Impl::gather(const Group<Real>& g, std::size_t block, Real* to) const
{
    const Real* from = v.data() + block * slots;
    if (g.all) {
        std::copy_n(from, slots, to);
        return;
    }
    for (std::size_t i = 0; i < g.nodes.size(); ++i)
        std::copy_n(from + static_cast<std::size_t>(g.nodes[i]) * lanes, lanes, to + i * lanes);
    std::fill(to + g.nodes.size() * lanes, to + g.slots, to[0]);
}

template <class Real>
void Cables<Real>::Impl::scatter(const Group<Real>& g, const Scratch<Real>& s, Real* rate,
                                 Real* slope) const
{
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const auto at = static_cast<std::size_t>(g.nodes[i]) * lanes;
        std::copy_n(s.rate.data() + i * lanes, lanes, rate + at);
        std::copy_n(s.slope.data() + i * lanes, lanes, slope + at);
    }
}

/// The cells of the slots [begin, end) of a block: s.v is V, and s.rate and s.slope become theirs.
template <class Real>
void Cables<Real>::Impl::cells(const Group<Real>& g, std::size_t block, std::int64_t at,
                               Scratch<Real>& s, std::size_t begin, std::size_t end) const
{
    thread_local std::vector<Real*> pointers;
    pointers.clear();
    for (const auto& a : g.states) // written by this block alone
        pointers.push_back(const_cast<Real*>(a.data()) + block * g.slots);
    pointers.push_back(s.rate.data());
    pointers.push_back(s.slope.data());
    cell::CellArrays<Real> c;
    c.v = s.v.data();
    c.states = pointers.data();
    c.type = g.types.size() > 1 ? g.type.data() : nullptr;
    c.begin = begin;
    c.end = end;
    const double dt = d.second_order && at == 0 ? d.dt_ms / 2 : d.dt_ms;
    g.kernel->step(c, static_cast<double>(at) * d.dt_ms, dt);
}

template <class Real>
void Cables<Real>::Impl::need_ranges(const Group<Real>& g, std::size_t block, std::int64_t at,
                                     const Scratch<Real>& s) const
{
    const auto used = g.nodes.size() * lanes;
    const auto bad = std::find_if(s.v.begin(), s.v.begin() + static_cast<std::ptrdiff_t>(used),
                                  [](Real x) { return !(std::abs(x) < Real(1e5)); });
    const auto i = static_cast<std::size_t>(bad - s.v.begin());
    if (i == used || block * lanes + i % lanes >= d.copies)
        return;
    const auto node = static_cast<std::size_t>(g.nodes[i / lanes]);
    const auto& type = d.types[d.type_of_node[node]];
    const auto why =
        cell::compiler::left_range(*cell::compiler::system_of(type), static_cast<double>(*bad));
    throw NumericsError(
        static_cast<double>(at) * d.dt_ms, at, static_cast<std::int64_t>(node),
        d.compartments.place_mm[node],
        static_cast<double>(v[place(g.nodes[i / lanes], block * lanes + i % lanes)]),
        type.model + (why.empty() ? "" : ": " + why));
}

template <class Real>
void Cables<Real>::Impl::add(const NodeCurrent& c, StepRows<Real>& rows, std::size_t block) const
{
    node_checked(c.node, c.copy);
    if (c.copy / lanes != block)
        return;
    const auto at = static_cast<std::size_t>(c.node) * lanes + c.copy % lanes;
    rows.rhs[at] += static_cast<Real>(c.nA);
    rows.diagonal[at] += static_cast<Real>(c.slope_uS);
}

template <class Real>
void Cables<Real>::Impl::solve(std::size_t block, std::int64_t at,
                               std::span<const NodeCurrent> currents, Scratch<Real>& s)
{
    StepRows<Real> rows;
    rows.nodes = d.compartments.nodes();
    rows.lanes = lanes;
    rows.parent = d.compartments.tree.parent.data();
    rows.coupling = coupling.data();
    rows.couplings = couplings.data();
    rows.capacitance = capacitance.data();
    rows.rate = rate_of(s);
    rows.slope = slope_of(s);
    rows.v = v.data() + block * slots;
    rows.diagonal = s.diagonal.data();
    rows.rhs = s.rhs.data();
    prepare(rows, d.second_order ? d.dt_ms / 2 : d.dt_ms);
    for (const auto& c : currents)
        add(c, rows, block);
    if (!move(rows, d.second_order ? 2 : 1))
        fail(block, at);
}

template <class Real>
void Cables<Real>::Impl::fail(std::size_t block, std::int64_t at) const
{
    std::size_t node = 0;
    double value = 0;
    for (std::size_t copy = block * lanes; copy < std::min(d.copies, (block + 1) * lanes); ++copy)
        for (std::size_t i = 0; i < d.compartments.nodes(); ++i) {
            const auto x = static_cast<double>(v[place(static_cast<std::int32_t>(i), copy)]);
            if (!(std::abs(x) <= 1000)) {
                node = i, value = x;
                break;
            }
        }
    throw NumericsError(static_cast<double>(at + 1) * d.dt_ms, at + 1,
                        static_cast<std::int64_t>(node), d.compartments.place_mm[node], value,
                        d.types[d.type_of_node[node]].model);
}

cell::Scheme usual_cable_scheme(const cell::ModelInfo& model, bool second_order)
{
    if (second_order)
        return cell::Scheme::grl2;
    const cell::ModelInfo* models[]{&model};
    const auto usual = cell::usual_scheme(models);
    return usual == cell::Scheme::backward_euler ? cell::Scheme::grl1 : usual;
}

template <class Real>
Cables<Real>::Cables(CablesDescription d) : impl_(std::make_unique<Impl>(std::move(d)))
{
}
template <class Real>
Cables<Real>::~Cables() = default;
template <class Real>
Cables<Real>::Cables(Cables&&) noexcept = default;
template <class Real>
Cables<Real>& Cables<Real>::operator=(Cables&&) noexcept = default;

template <class Real>
const CablesDescription& Cables<Real>::description() const
{
    return impl_->d;
}
template <class Real>
std::size_t Cables<Real>::nodes() const
{
    return impl_->d.compartments.nodes();
}
template <class Real>
std::size_t Cables<Real>::copies() const
{
    return impl_->d.copies;
}
template <class Real>
std::int64_t Cables<Real>::step() const
{
    return impl_->step;
}
template <class Real>
double Cables<Real>::time_ms() const
{
    return static_cast<double>(impl_->step) * impl_->d.dt_ms;
}

template <class Real>
void Cables<Real>::advance(std::span<const NodeCurrent> currents, ThreadPool& pool)
{
    auto& m = *impl_;
    if (!m.one_by_one()) {
        pool.for_range(m.blocks, 1, [&](std::size_t begin, std::size_t end, unsigned) {
            for (auto b = begin; b < end; ++b)
                advance_block(b, m.step, currents);
        });
        end_block_steps(1);
        return;
    }
    for (std::size_t b = 0; b < m.blocks; ++b) {
        for (const auto& g : m.groups) {
            m.gather(g, b, m.shared.v.data());
            pool.for_range(g.slots, worth_a_thread,
                           [&](std::size_t begin, std::size_t end, unsigned) {
                               m.cells(g, b, m.step, m.shared, begin, end);
                           });
            m.need_ranges(g, b, m.step, m.shared);
            if (!g.all)
                m.scatter(g, m.shared, m.shared.node_rate.data(), m.shared.node_slope.data());
        }
        m.solve(b, m.step, currents, m.shared);
    }
    end_block_steps(1);
}

template <class Real>
void Cables<Real>::advance_block(std::size_t b, std::int64_t step,
                                 std::span<const NodeCurrent> currents)
{
    auto& m = *impl_;
    thread_local Scratch<Real> s;
    s.fit(m.shared.v.size());
    for (const auto& g : m.groups) {
        m.gather(g, b, s.v.data());
        m.cells(g, b, step, s, 0, g.slots);
        m.need_ranges(g, b, step, s);
        if (!g.all)
            m.scatter(g, s, s.node_rate.data(), s.node_slope.data());
    }
    m.solve(b, step, currents, s);
}

template <class Real>
void Cables<Real>::end_block_steps(std::int64_t steps)
{
    impl_->step += steps;
}
template <class Real>
std::size_t Cables<Real>::blocks() const
{
    return impl_->blocks;
}
template <class Real>
std::pair<std::size_t, std::size_t> Cables<Real>::block(std::size_t b) const
{
    const auto& m = *impl_;
    return {b * m.lanes, std::min(m.d.copies, (b + 1) * m.lanes)};
}

template <class Real>
double Cables<Real>::potential(std::int32_t node, std::size_t copy) const
{
    impl_->node_checked(node, copy);
    return static_cast<double>(impl_->v[impl_->place(node, copy)]);
}
template <class Real>
void Cables<Real>::potentials(std::span<const std::int32_t> nodes, std::span<double> out,
                              std::size_t copy) const
{
    if (nodes.size() != out.size())
        throw Error("potentials are not as many as their nodes");
    for (std::size_t k = 0; k < nodes.size(); ++k)
        out[k] = potential(nodes[k], copy);
}

template <class Real>
void Cables<Real>::set_couplings(std::span<const double> uS)
{
    auto& own = impl_->d.compartments.coupling_uS;
    if (uS.size() != own.size() ||
        !std::all_of(uS.begin(), uS.end(), [](double g) { return g >= 0 && std::isfinite(g); }))
        throw Error("the couplings of a cable with " + std::to_string(own.size()) +
                    " nodes should be as many numbers of at least 0");
    std::copy(uS.begin() + 1, uS.end(), own.begin() + 1);
    impl_->add_up_couplings();
}

template <class Real>
std::string Cables<Real>::target() const
{
    return impl_->groups[0].kernel->target();
}
template <class Real>
double Cables<Real>::compile_ms() const
{
    double sum = 0;
    for (const auto& g : impl_->groups)
        sum += g.kernel->compile_ms();
    return sum;
}

template class Cables<double>;
template class Cables<float>;

} // namespace tawara::cable
