// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/tissue/dyad_cells.hpp"

#include "engine/calcium/cuda/reaction.hpp"
#include "engine/core/error.hpp"
#include "engine/core/memory.hpp"
#include "engine/device/layout.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/session/size_text.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::simulation {
namespace {

constexpr double source_dt_ms = 0.05; ///< of the public code whose parameters these are

std::string grid_text(const calcium::Grid& g)
{
    return std::to_string(g.nx) + " x " + std::to_string(g.ny) + " x " + std::to_string(g.nz);
}

/// Of a snapshot of a group's states, which has them in double precision.
double bytes_of_copy(const device::TissueProblem& p, std::size_t group, Precision precision)
{
    return static_cast<double>(dyad_memory(p, group, precision).cells) *
           static_cast<double>(sizeof(double) *
                               device::numbers_per_cell(p.groups[group], precision));
}

/// Their states, and a snapshot of them in double precision.
double bytes_for_dyads(const device::TissueProblem& p, Precision precision)
{
    double sum = 0;
    for (std::size_t g = 0; g < p.groups.size(); ++g) {
        const auto m = dyad_memory(p, g, precision);
        sum += m.bytes;
        if (m.cells > 0)
            sum += bytes_of_copy(p, g, precision);
    }
    return sum;
}

/// "; on a GPU 0.88 MB or ..", what the cells of a group take there; empty without CUDA.
std::string on_gpu(const device::TissueProblem& p, std::size_t group)
{
    const auto in_double = dyad_memory(p, group, Precision::double_, true);
    const auto in_single = dyad_memory(p, group, Precision::single, true);
    if (in_double.bytes == 0)
        return {};
    return "; on a GPU " + size_text(in_double.bytes_of_cell) + " or " +
           size_text(in_single.bytes_of_cell) + " a cell, " + size_text(in_double.bytes) + " or " +
           size_text(in_single.bytes) + " in all";
}

} // namespace

const calcium::DyadReactionModel* dyads_of(const device::CellGroup& group)
{
    return dynamic_cast<const calcium::DyadReactionModel*>(group.reaction.get());
}

DyadMemory dyad_memory(const device::TissueProblem& p, std::size_t group, Precision precision,
                       bool on_cuda)
{
    DyadMemory m;
    const auto* model = dyads_of(p.groups[group]);
    if (model == nullptr)
        return m;
    m.dyads = {model->grid().nx, model->grid().ny, model->grid().nz};
    m.seed = static_cast<std::int64_t>(model->seed());
    m.cells = std::count(p.group.begin(), p.group.end(), static_cast<std::uint8_t>(group));
    if (on_cuda) {
        m.bytes_of_cell =
            calcium::cuda::tissue_bytes_of_cell(model->grid(), precision == Precision::single);
        m.bytes = m.bytes_of_cell * static_cast<double>(m.cells);
        return m;
    }
    const auto word = precision == Precision::single ? sizeof(float) : sizeof(double);
    m.bytes_of_cell =
        static_cast<double>(word * device::numbers_per_cell(p.groups[group], precision));
    constexpr auto block = device::Layout::block;
    const auto whole_blocks = (m.cells + block - 1) / block;
    m.bytes = m.bytes_of_cell * static_cast<double>(whole_blocks * block);
    return m;
}

void need_steps_of_dyads(const Session& s, const CellTable& cells)
{
    const double dt_ms = s.splitting == Splitting::strang ? s.dt_ms / 2 : s.dt_ms;
    for (const auto& g : cells.groups) {
        const auto* dyads = dyads_of(g);
        if (!dyads)
            continue;
        for (const auto& type : g.types) {
            try {
                calcium::membrane_constants(calcium::dyad_type(type).parameters, dyads->grid(),
                                            dt_ms);
            } catch (const InputError& e) {
                throw InputError(s.name, "/time/dt_ms", e.reason);
            }
        }
        constexpr double most_steps = 2e9; // that a dyad's last activation is counted in
        if (s.end_ms / dt_ms > most_steps)
            throw InputError(s.name, "/time/end_ms",
                             "takes more than 2e9 steps, and cells with dyads count them in 32 "
                             "bits; give an earlier end");
    }
}

void say_dyads(const Session& s, const device::TissueProblem& p, Notices& notices)
{
    bool any = false;
    double copy_in_double = 0, copy_in_single = 0;
    for (std::size_t g = 0; g < p.groups.size(); ++g) {
        const auto* dyads = dyads_of(p.groups[g]);
        if (!dyads)
            continue;
        any = true;
        copy_in_double += bytes_of_copy(p, g, Precision::double_);
        copy_in_single += bytes_of_copy(p, g, Precision::single);
        const auto in_double = dyad_memory(p, g, Precision::double_);
        const auto in_single = dyad_memory(p, g, Precision::single);
        notices.push_back(
            {Notice::Level::info,
             std::to_string(in_double.cells) +
                 (in_double.cells == 1 ? " cell has " : " cells have ") + grid_text(dyads->grid()) +
                 " stochastic dyads" + (in_double.cells == 1 ? "" : " each") + ": " +
                 size_text(in_double.bytes_of_cell) + " a cell in double precision, " +
                 size_text(in_single.bytes_of_cell) + " in single; " + size_text(in_double.bytes) +
                 " or " + size_text(in_single.bytes) + " in all (room for multiples of 64 cells)" +
                 on_gpu(p, g)});
    }
    if (constexpr double large = 1e9; std::max(copy_in_double, copy_in_single) > large)
        notices.push_back({Notice::Level::info,
                           "a copy of the dyads' states, as a checkpoint and the way back to the "
                           "start take it, is " +
                               size_text(copy_in_double) + " in double precision, " +
                               size_text(copy_in_single) + " in single"});
    if (any && s.dt_ms > source_dt_ms * (1 + 1e-9))
        notices.push_back({Notice::Level::warning,
                           "a step of " + number_text(s.dt_ms, 4) +
                               " ms is longer than 0.05 ms, with which the cells with dyads were "
                               "made and checked; calcium depends on it by some per cent"});
}

void need_memory_for_dyads(const device::TissueProblem& p, const device::StepperOptions& options)
{
    if (bytes_for_dyads(p, options.precision) == 0 || device::on_cuda(p, options))
        return;
    const Precision precision = options.precision;
    const double wanted = bytes_for_dyads(p, precision), there = available_memory_bytes();
    if (there == 0 || wanted <= there)
        return;
    const double in_single = bytes_for_dyads(p, Precision::single);
    std::string fits;
    if (precision != Precision::single && in_single <= there)
        fits = "--precision single takes " + size_text(in_single);
    else {
        double dyads = 0, cells = 0;
        for (std::size_t g = 0; g < p.groups.size(); ++g)
            if (const auto* d = dyads_of(p.groups[g])) {
                const auto n = static_cast<double>(dyad_memory(p, g, precision).cells);
                cells += n;
                dyads += n * static_cast<double>(d->grid().count());
            }
        const double most = std::floor(dyads / cells * there / wanted / 100) * 100;
        fits = most >= 100 ? "up to " + number_text(most, 6) + " dyads a cell fit (\"dyads\")"
                           : "a smaller region of cells with dyads fits";
    }
    throw InputError("", "/tissue/regions",
                     "cells with dyads take " + size_text(wanted) + " in " +
                         std::string(name(precision)) +
                         " precision, with a copy for checkpoints and the way back to the start, "
                         "and this machine has " +
                         size_text(there) + " left; " + fits);
}

} // namespace tawara::simulation
