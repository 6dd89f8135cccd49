// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cable/network/part.hpp"

#include "engine/cable/network/law.hpp"
#include "engine/core/error.hpp"

#include <algorithm>
#include <array>

namespace tawara::cable {
namespace {

/// Keeps a crossing, where there was one.
void note(double& first_ms, double& newest_ms, double now_ms)
{
    if (now_ms < 0)
        return;
    newest_ms = now_ms;
    if (first_ms < 0)
        first_ms = now_ms;
}

class CpuNetwork final : public NetworkPart
{
  public:
    explicit CpuNetwork(const NetworkDescription& d)
        : d_(d), cables_(d.cables), pool_(1), nodes_(cables_.nodes()), before_(nodes_.size()),
          source_(d.junctions.size()), conductance_(d.junctions.size()),
          tissue_before_(d.junctions.size(), unknown_mV)
    {
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            nodes_[i] = static_cast<std::int32_t>(i);
        restart_times();
        cables_.potentials(nodes_, before_);
        set_law();
    }
    device::PortLaw law() const override { return {source_.data(), conductance_.data()}; }

    void advance(const device::PortStep& s) override
    {
        const double t_ms = static_cast<double>(*s.step + s.offset) * s.dt_ms;
        currents_.clear();
        for (std::size_t k = 0; k < d_.junctions.size(); ++k) {
            const auto& j = d_.junctions[k];
            if (!(j.tissue_uF > 0))
                continue; // its port reads nothing
            const auto n = numbers_of(j, d_.fibres);
            currents_.push_back({j.node, s.current[k] * n.fibre_nA, n.slope_uS});
            note_tissue(k, s.v_mV[k], t_ms, s.dt_ms);
        }
        for (const auto& x : d_.stimuli) {
            const double part = x.overlap(t_ms, s.dt_ms);
            if (part > 0)
                for (const auto node : x.unknowns)
                    currents_.push_back(
                        {node, part * x.amplitude_pA_per_pF * // pA/pF nF = nA
                                   d_.cables.compartments
                                       .capacitance_nF[static_cast<std::size_t>(node)]});
        }
        cables_.advance(currents_, s.pool != nullptr ? *s.pool : pool_);
        after_.resize(before_.size());
        cables_.potentials(nodes_, after_);
        for (std::size_t i = 0; i < after_.size(); ++i)
            note(times_.node_ms[i], times_.newest_node_ms[i],
                 crossing_ms(before_[i], after_[i], d_.activation_threshold_mV, t_ms, s.dt_ms));
        before_.swap(after_);
        set_law();
    }

    std::vector<double> snapshot() const override
    {
        const auto c = cables_.snapshot();
        std::vector<double> out{static_cast<double>(c.step)};
        for (const auto* v : numbers(c))
            out.insert(out.end(), v->begin(), v->end());
        return out;
    }

    void restore(std::span<const double> values) override
    {
        auto c = cables_.snapshot();
        std::size_t due = 1;
        for (const auto* v : numbers(c))
            due += v->size();
        if (values.size() != due)
            throw InputError("state", "the Purkinje network's state has " +
                                          std::to_string(values.size()) +
                                          " numbers, and this one "
                                          "has " +
                                          std::to_string(due));
        c.step = static_cast<std::int64_t>(values[0]);
        std::size_t at = 1;
        auto& t = times_;
        for (auto* v : {&c.V_mV, &c.states, &t.node_ms, &t.junction_tissue_ms, &t.newest_node_ms,
                        &t.newest_junction_tissue_ms, &tissue_before_}) {
            std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(at), v->size(), v->begin());
            at += v->size();
        }
        cables_.restore(c);
        cables_.potentials(nodes_, before_);
        set_law();
    }

    void potentials(std::span<const std::int32_t> nodes, std::span<double> out) const override
    {
        cables_.potentials(nodes, out);
    }
    NetworkTimes times() const override { return times_; }
    void restart_times() override
    {
        times_.node_ms.assign(nodes_.size(), never_ms);
        times_.junction_tissue_ms.assign(d_.junctions.size(), never_ms);
        times_.newest_node_ms = times_.node_ms;
        times_.newest_junction_tissue_ms = times_.junction_tissue_ms;
    }
    void change(const NetworkDescription& d) override
    {
        if (d.junctions.size() != d_.junctions.size())
            throw Error("a network of " + std::to_string(d_.junctions.size()) +
                        " junctions cannot go on with " + std::to_string(d.junctions.size()));
        cables_.set_couplings(d.cables.compartments.coupling_uS);
        for (std::size_t k = 0; k < d.junctions.size(); ++k)
            d_.junctions[k].resistance_kOhm = d.junctions[k].resistance_kOhm;
        d_.stimuli = d.stimuli;
        set_law();
    }

  private:
    /// What a snapshot holds, in its order.
    /// @param c  a state of the cables
    std::array<const std::vector<double>*, 7> numbers(const CablesState& c) const
    {
        const auto& t = times_;
        return {&c.V_mV,           &c.states,
                &t.node_ms,        &t.junction_tissue_ms,
                &t.newest_node_ms, &t.newest_junction_tissue_ms,
                &tissue_before_};
    }

    /// v of the tissue when a step begins, which is when the one before has ended.
    void note_tissue(std::size_t k, double v_mV, double t_ms, double dt_ms)
    {
        note(times_.junction_tissue_ms[k], times_.newest_junction_tissue_ms[k],
             crossing_ms(tissue_before_[k], v_mV, d_.activation_threshold_mV, t_ms - dt_ms, dt_ms));
        tissue_before_[k] = v_mV;
    }
    void set_law()
    {
        for (std::size_t k = 0; k < d_.junctions.size(); ++k) {
            const auto& j = d_.junctions[k];
            conductance_[k] = numbers_of(j, d_.fibres).conductance;
            source_[k] = conductance_[k] * cables_.potential(j.node);
        }
    }

    NetworkDescription d_;
    Cables<double> cables_;
    ThreadPool pool_; ///< where the stepper lends none
    std::vector<std::int32_t> nodes_;
    std::vector<double> before_, after_;
    std::vector<double> source_, conductance_;
    std::vector<double> tissue_before_; ///< [junctions] v at the last step's start
    NetworkTimes times_;
    std::vector<NodeCurrent> currents_;
};

} // namespace

std::unique_ptr<NetworkPart> make_cpu_network(const NetworkDescription& d)
{
    return std::make_unique<CpuNetwork>(d);
}

} // namespace tawara::cable
