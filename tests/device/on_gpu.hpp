// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/larger.hpp"
#include "engine/device/stepper.hpp"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace tawara::test {

/// Why no GPU can be used; empty where one can.
inline std::string gpu_reason()
{
    std::string reason;
    for (const auto& d : device::devices()) {
        if (d.id.rfind("cuda:", 0) == 0 && d.usable)
            return "";
        if (d.id != "cpu")
            reason = d.reason;
    }
    return reason;
}

/// Whether this machine has every device named.
inline bool usable(const std::string& text)
{
    const auto list = device::devices();
    return std::all_of(text.begin(), text.end(), [&](char c) {
        return c < '0' || c > '9' || std::any_of(list.begin(), list.end(), [c](const auto& d) {
                   return d.usable && d.id == std::string("cuda:") + c;
               });
    });
}

/// A stepper on these devices; on the CPU with two threads.
inline std::unique_ptr<device::Stepper> on(const device::TissueProblem& p, const char* devices,
                                           Precision precision = Precision::double_,
                                           const device::Tuning& tuning = {}, bool maps = true)
{
    device::StepperOptions o;
    o.devices = devices;
    o.precision = precision;
    o.threads = 2;
    o.tuning = tuning;
    o.maps = maps;
    return device::make_stepper(p, o);
}

/// Skips the test where there is no GPU: in a test class's init() each of its tests, in a test
/// itself by `if (!need_gpu()) return;`.
/// @return whether there is one
inline bool need_gpu()
{
    const auto reason = gpu_reason();
    if (!reason.empty())
        QTest::qSkip(("no GPU: " + reason).c_str(), __FILE__, __LINE__);
    return reason.empty();
}

inline std::vector<double> potential(const device::Stepper& s, std::size_t n)
{
    std::vector<double> v(n);
    s.potential(v);
    return v;
}

/// Of two numbers of which NaN stands for "never"; 1e300 where only one is NaN.
inline double map_difference(double a, double b)
{
    if (std::isnan(a) && std::isnan(b))
        return 0;
    return std::isnan(a) || std::isnan(b) ? 1e300 : std::abs(a - b);
}

/// The largest of two lists; NaN where either holds one.
inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b)
{
    double d = a.size() == b.size() ? 0 : 1e300;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        d = larger_or_nan(d, std::abs(a[i] - b[i]));
    return d;
}

/// The largest of two maps, in which NaN stands for "never".
inline double largest_map_difference(const std::vector<double>& a, const std::vector<double>& b)
{
    double d = a.size() == b.size() ? 0 : 1e300;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        d = larger_or_nan(d, map_difference(a[i], b[i]));
    return d;
}

/// The largest of V [mV] of all unknowns. Those without cells have no V, on either side; NaN where
/// any other has none.
inline double largest_difference_of_V(const device::TissueProblem& p, const std::vector<double>& a,
                                      const std::vector<double>& b)
{
    double d = a.size() == p.size() && b.size() == p.size() ? 0 : 1e300;
    for (std::size_t u = 0; u < std::min({p.size(), a.size(), b.size()}); ++u)
        d = larger_or_nan(d, p.has_cells(u) ? std::abs(a[u] - b[u]) : map_difference(a[u], b[u]));
    return d;
}

/// Largest difference of two snapshots' states relative to their size.
inline double difference_of_states(const device::Snapshot& a, const device::Snapshot& b)
{
    double most = a.states.size() == b.states.size() ? 0 : HUGE_VAL;
    for (std::size_t k = 0; k < std::min(a.states.size(), b.states.size()); ++k)
        for (std::size_t u = 0; u < a.states[k].size(); ++u)
            most = larger_or_nan(most, std::abs(a.states[k][u] - b.states[k][u]) /
                                           (1e-3 + std::abs(a.states[k][u])));
    return most;
}

/// Whether two snapshots are the same but for the record of peaks and rest, in which each back end
/// has values of its own for unknowns without cells. V may be NaN on both sides, as it is of these;
/// a state may not.
inline bool same_but_record(const device::Snapshot& a, const device::Snapshot& b)
{
    return a.step == b.step && largest_map_difference(a.v, b.v) == 0 && a.states == b.states &&
           largest_map_difference(a.activation_ms, b.activation_ms) == 0 &&
           largest_map_difference(a.repolarisation_ms, b.repolarisation_ms) == 0;
}

/// Whether two snapshots are the same, maps included.
inline bool same_bits(const device::Snapshot& a, const device::Snapshot& b)
{
    return same_but_record(a, b) && largest_map_difference(a.peak_mV, b.peak_mV) == 0 &&
           largest_map_difference(a.rest_mV, b.rest_mV) == 0;
}

} // namespace tawara::test
