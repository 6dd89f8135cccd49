// SPDX-License-Identifier: GPL-3.0-or-later
// A second part of a simulation, for tests of ports: a chain of passive cells.
//
//     dV_i/dt = -g (V_i - E) + c (V_{i-1} - V_i) + c (V_{i+1} - V_i) - r sum I_k,  I_k = G (V_i -
//     v_k)
//
// over the ports k on cell i, each port on the cell k cells / ports; Euler forward.
#pragma once
#include "engine/device/ports.hpp"

#include <memory>
#include <vector>

namespace tawara::test {

struct ChainValues
{
    int cells = 16, ports = 1;
    double rest_mV = -70, leak = 0.05, along = 0.4, back = 0.02, junction = 0.5;
    int cell_of(int port) const
    {
        return static_cast<int>(static_cast<long long>(port) * cells / ports);
    }
};

/// In the memory of the CPU.
class ChainPart : public device::Part
{
  public:
    ChainPart(const ChainValues& c, double first_mV)
        : c_(c), v_(static_cast<std::size_t>(c.cells), c.rest_mV), source_(at(c.ports)),
          conductance_(at(c.ports), c.junction)
    {
        v_[0] = first_mV;
        set_sources();
    }
    device::PortLaw law() const override { return {source_.data(), conductance_.data()}; }
    void advance(const device::PortStep& s) override
    {
        auto next = v_;
        for (int i = 0; i < c_.cells; ++i) {
            double rate = -c_.leak * (v_[at(i)] - c_.rest_mV);
            if (i > 0)
                rate += c_.along * (v_[at(i - 1)] - v_[at(i)]);
            if (i + 1 < c_.cells)
                rate += c_.along * (v_[at(i + 1)] - v_[at(i)]);
            next[at(i)] += s.dt_ms * rate;
        }
        for (int k = 0; k < c_.ports; ++k)
            next[at(c_.cell_of(k))] -= s.dt_ms * c_.back * s.current[k];
        v_ = next;
        set_sources();
    }
    std::vector<double> snapshot() const override { return v_; }
    void restore(std::span<const double> values) override
    {
        v_.assign(values.begin(), values.end());
        set_sources();
    }

  private:
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    void set_sources()
    {
        for (int k = 0; k < c_.ports; ++k)
            source_[at(k)] = c_.junction * v_[at(c_.cell_of(k))];
    }
    ChainValues c_;
    std::vector<double> v_, source_, conductance_;
};

/// In the memory of a CUDA device; null where this program has no CUDA code.
std::unique_ptr<device::Part> make_cuda_chain(const ChainValues& c, double first_mV, int device);

/// Where the stepper wants it.
inline device::PartMaker chain_maker(const ChainValues& c, double first_mV)
{
    return [=](int device) -> std::unique_ptr<device::Part> {
        if (device < 0)
            return std::make_unique<ChainPart>(c, first_mV);
        return make_cuda_chain(c, first_mV, device);
    };
}

} // namespace tawara::test
