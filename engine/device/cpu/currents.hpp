// SPDX-License-Identifier: GPL-3.0-or-later
// The currents into the tissue: of sources that change with time alone, and of parts at ports.
#pragma once
#include "engine/core/aligned.hpp"
#include "engine/device/layout.hpp"
#include "engine/device/ports.hpp"

#include <memory>
#include <vector>

namespace tawara::device::cpu {

/// @thread that of the stepper
template <class Real>
class Currents
{
  public:
    /// @param layout  stays where it is as long as this lives
    Currents(const Layout& layout, double dt_ms);

    std::size_t add(StimulusSource source);
    void remove(std::size_t id) { sources_.at(id).unknowns = {}; }
    /// Joins a part to the tissue at ports that were checked.
    Part& add(const Ports& ports, const PartMaker& make);

    /// Sets the currents of a step from the potentials of all slots at its start.
    void set(std::int64_t step, const Real* v);
    /// Parts take their own step, once the tissue's has succeeded.
    /// @pre  set() of this step was the last
    void advance_parts(std::int64_t step, ThreadPool& pool);
    /// [slots] pA/pF; null where no current flows.
    const Real* values() const { return driven_.empty() ? nullptr : values_.data(); }

    bool has_parts() const { return !parts_.empty(); }
    /// Steps from here, at most `most`, over which every source stays as it is.
    std::int64_t steady(std::int64_t step, std::int64_t most) const;

    std::vector<std::vector<double>> snapshot() const;
    void restore(const std::vector<std::vector<double>>& parts);
    std::vector<std::size_t> sizes() const; ///< of each part's snapshot

  private:
    struct Joined
    {
        Ports ports; ///< of slots
        std::unique_ptr<Part> part;
        std::vector<double> v_mV, current;
    };
    void add_current(std::int32_t slot, double value);
    void drive(Joined& j, std::int64_t step, const Real* v);

    const Layout& layout_;
    double dt_ms_;
    std::vector<StimulusSource> sources_; ///< of slots
    std::vector<Joined> parts_;
    AlignedVector<Real> values_;
    std::vector<std::int32_t> driven_; ///< slots that have a current
};
extern template class Currents<double>;
extern template class Currents<float>;

/// Sum of weight * v over the terms of output k.
template <class Real>
double weighted(const Gather& g, std::size_t k, const Real* v)
{
    double sum = 0;
    for (auto i = static_cast<std::size_t>(g.first[k]);
         i < static_cast<std::size_t>(g.first[k + 1]); ++i)
        sum += static_cast<double>(g.weight[i]) *
               static_cast<double>(v[static_cast<std::size_t>(g.unknown[i])]);
    return sum;
}

/// The same gather, of slots.
Gather to_slots(Gather g, const Layout& layout);

} // namespace tawara::device::cpu
