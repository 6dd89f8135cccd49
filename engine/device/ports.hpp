// SPDX-License-Identifier: GPL-3.0-or-later
// Where other parts of a simulation meet the tissue: a network of cables, a bath, a circuit.
#pragma once
#include "engine/core/thread_pool.hpp"
#include "engine/device/problem.hpp"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace tawara::device {

/// Places of the tissue that give their potential and take a current.
struct Ports
{
    /// Port k reads the sum of weight * V [mV] over its terms.
    Gather potential;
    /// Port k's current I_k adds weight * I_k [pA/pF] to what stimulates each of its terms'
    /// unknowns.
    Gather current;
    std::size_t size() const { return potential.size(); }
};

/// @throws InputError unless both lists have as many ports and every term names one of the
///         problem's unknowns with cells and has a finite weight
void check_ports(const Ports& ports, const std::vector<std::uint8_t>& group);

/// What a part drives into the tissue at its ports, held over a step:
///
///     I_k = source_k - conductance_k v_k   [pA/pF], above 0 it depolarises
///
/// with v_k of the tissue [mV]. A junction of conductance g to a node at the potential u has the
/// source g u. Pointers are to the memory of the device where the part was made and stay the same.
struct PortLaw
{
    const double* source = nullptr;      ///< [ports] pA/pF
    const double* conductance = nullptr; ///< [ports] pA/pF/mV
    double current(std::size_t port, double v_mV) const
    {
        return source[port] - conductance[port] * v_mV;
    }
};

/// What a part is given for one step. Pointers are to the memory of the device where the part was
/// made, and stay the same from step to step.
struct PortStep
{
    const double* v_mV = nullptr;    ///< [ports] of the tissue, at the step's start
    const double* current = nullptr; ///< [ports] of the part's law, held over the step
    /// The number of the step is *step + offset.
    const long long* step = nullptr;
    int offset = 0;
    double dt_ms = 0;
    /// A cudaStream_t on which the part's work is enqueued, maybe while a graph is captured: no
    /// host work, no waiting. Null on the CPU: the work is done on return.
    void* stream = nullptr;
    /// Of the stepper, on the CPU: for the part's own loops. Null: it has none to lend.
    ThreadPool* pool = nullptr;
};

/// A part of a simulation beside the tissue, joined to it at ports. Both are stepped explicitly:
/// over the step from t to t + dt each sees the currents that the states of both at t make.
/// @thread that of the stepper
class Part
{
  public:
    virtual ~Part() = default;
    /// The currents of a step; its values are those of the part's state at the step's start. The
    /// stepper evaluates it, on a GPU in the kernel that reads the tissue's potential: the tissue
    /// waits for that kernel, so that a kernel of the part's own would be one more to wait for.
    virtual PortLaw law() const = 0;
    /// Takes the part's own step and leaves the values of its law for the next one. On a GPU it
    /// runs beside the tissue's step.
    virtual void advance(const PortStep& s) = 0;
    /// Host work between steps, such as a stimulus of the part's own that begins at this step.
    /// @return after how many steps, at most `most`, it is to be called again; at least 1
    virtual std::int64_t prepare(std::int64_t step, std::int64_t most)
    {
        static_cast<void>(step);
        return most;
    }
    /// The part's complete state; restoring it, its law's values with it, continues bit for bit.
    virtual std::vector<double> snapshot() const = 0;
    virtual void restore(std::span<const double> values) = 0;
};

/// Makes a part in the memory of a CUDA device, by CUDA's number of it, or of the CPU (-1).
using PartMaker = std::function<std::unique_ptr<Part>(int device)>;

} // namespace tawara::device
