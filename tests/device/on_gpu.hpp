// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
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
                                           const device::Tuning& tuning = {})
{
    device::StepperOptions o;
    o.devices = devices;
    o.precision = precision;
    o.threads = 2;
    o.tuning = tuning;
    return device::make_stepper(p, o);
}

/// In a test class's init(): its tests are skipped where there is no GPU.
inline void need_gpu()
{
    const auto reason = gpu_reason();
    if (!reason.empty())
        QSKIP(("no GPU: " + reason).c_str());
}

inline std::vector<double> potential(const device::Stepper& s, std::size_t n)
{
    std::vector<double> v(n);
    s.potential(v);
    return v;
}

/// Of two lists in which NaN stands for "never"; 1e300 where only one has it.
inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b)
{
    double d = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        d = std::isnan(a[i]) == std::isnan(b[i])
                ? std::max(d, std::isnan(a[i]) ? 0 : std::abs(a[i] - b[i]))
                : 1e300;
    return d;
}

/// Whether two snapshots are the same, maps included.
inline bool same_bits(const device::Snapshot& a, const device::Snapshot& b)
{
    const auto same = [](const std::vector<double>& x, const std::vector<double>& y) {
        return largest_difference(x, y) == 0;
    };
    return a.step == b.step && same(a.v, b.v) && a.states == b.states &&
           same(a.activation_ms, b.activation_ms) &&
           same(a.repolarisation_ms, b.repolarisation_ms) && same(a.peak_mV, b.peak_mV) &&
           same(a.rest_mV, b.rest_mV);
}

} // namespace tawara::test
