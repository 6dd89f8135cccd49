// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cuda/device_reaction.cuh"

#include "engine/core/error.hpp"
#include "engine/device/cuda/compiled_reaction.cuh"

#include <algorithm>

namespace tawara::device::cuda {

template <class Real>
void DeviceReaction<Real>::launch_quiescent(StreamRef, const ReactionLaunch<Real>&,
                                            const Rest&) const
{
    throw Error("a reaction without long steps was asked for one");
}

template <class Real>
void DeviceReaction<Real>::launch_implicit(StreamRef, const ImplicitCells<Real>&) const
{
    throw Error("a reaction without implicit steps was asked for one");
}

template <class Real>
void DeviceReaction<Real>::set_types(std::span<const cell::CellType>, StreamRef)
{
    throw InputError("cell types", "this reaction has none that could be replaced");
}

template class DeviceReaction<double>;
template class DeviceReaction<float>;

const CudaReactionModel* cuda_model(const CellGroup& group)
{
    return dynamic_cast<const CudaReactionModel*>(group.reaction.get());
}

bool all_take_pass(const TissueProblem& p)
{
    return std::all_of(p.groups.begin(), p.groups.end(), [](const CellGroup& g) {
        return !g.reaction || (cuda_model(g) && cuda_model(g)->takes_pass());
    });
}

std::string reaction_reason(const TissueProblem& p)
{
    for (const auto& g : p.groups) {
        if (!g.reaction)
            continue;
        const auto* model = cuda_model(g);
        if (!model)
            return "reaction '" + g.reaction->name() + "' is computed on the CPU alone";
        if (p.rest_tolerance_mV > 0 && !(model->rests() && model->takes_pass()))
            return "reaction.rest_tolerance_mV needs compiled models of cells, not " +
                   model_name(g);
    }
    return compiled_cells_reason(p);
}

} // namespace tawara::device::cuda
