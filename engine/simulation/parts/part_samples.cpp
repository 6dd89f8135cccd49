// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/parts/part_samples.hpp"

#include "engine/device/ranks/pack.hpp"

#include <algorithm>
#include <limits>

namespace tawara::simulation::parts {

using device::ranks::Pack;
using device::ranks::Unpack;

void PartSamples::begin(const PartTissue& t, Group& group, const std::vector<Probe>& probes,
                        const std::string& file, std::int64_t every_steps, device::Stepper& stepper)
{
    reads_ = probes_in(t, group, probes, file);
    for (const auto& p : probes)
        table_.names.push_back(p.name);
    std::vector<std::int64_t> terms;
    device::Gather own;
    const auto& whole = t.share.whole;
    for (std::size_t i = 0; i < reads_.unknown.size(); ++i) {
        const auto found = std::lower_bound(whole.begin(), whole.end(), reads_.unknown[i]);
        if (found == whole.end() || *found != reads_.unknown[i])
            continue;
        terms.push_back(static_cast<std::int64_t>(i));
        own.unknown.push_back(static_cast<std::int32_t>(found - whole.begin()));
        own.weight.push_back(1);
        own.first.push_back(static_cast<std::int64_t>(own.unknown.size()));
    }
    stepper.set_probes(std::move(own), every_steps);
    for (const auto& message : group.at_first((Pack() << terms).take()))
        Unpack(message) >> terms_.emplace_back();
}

Bytes PartSamples::taken(device::Stepper& stepper) const
{
    std::vector<std::int64_t> steps;
    std::vector<double> values;
    stepper.take_samples(steps, values);
    return (Pack() << steps << values).take();
}

void PartSamples::add(const std::vector<Bytes>& taken, double dt_ms)
{
    std::vector<std::int64_t> steps;
    std::vector<std::vector<double>> values(taken.size());
    for (std::size_t r = 0; r < taken.size(); ++r) {
        std::vector<std::int64_t> here;
        Unpack(taken[r]) >> here >> values[r];
        if (here.size() > steps.size()) // one without columns has none
            steps = std::move(here);
    }
    std::vector<double> term(reads_.unknown.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t k = 0; k < steps.size(); ++k) {
        for (std::size_t r = 0; r < taken.size(); ++r)
            for (std::size_t i = 0; i < terms_[r].size(); ++i)
                term[static_cast<std::size_t>(terms_[r][i])] = values[r][k * terms_[r].size() + i];
        table_.time_ms.push_back(static_cast<double>(steps[k]) * dt_ms);
        for (std::size_t p = 0; p + 1 < reads_.first.size(); ++p) {
            double sum = 0;
            for (auto i = static_cast<std::size_t>(reads_.first[p]);
                 i < static_cast<std::size_t>(reads_.first[p + 1]); ++i)
                sum += static_cast<double>(reads_.weight[i]) * term[i];
            table_.V_mV.push_back(sum);
        }
    }
}

} // namespace tawara::simulation::parts
