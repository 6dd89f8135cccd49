// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/parse/model_text.hpp"

#include <optional>
#include <vector>

namespace tawara::cell::compiler {

/// A variable that may be the one looked for, and why.
struct Likely
{
    std::uint32_t variable = 0;
    int rank = 0; ///< higher: likelier
    const char* reason = "";
};

/// Variables that may be the membrane potential (all states), the time or the stimulus current, by
/// label, binding, unit and usual names; likeliest first.
std::vector<Likely> potentials(const ModelText& m);
std::vector<Likely> times(const ModelText& m);
std::vector<Likely> stimuli(const ModelText& m);

/// Whether it is a state, or its equation depends on one, however indirectly. Neither the time nor
/// a stimulus does.
bool depends_on_state(const ModelText& m, std::uint32_t variable);

/// Variables that a model's text marks by label, binding, metadata or a usual name.
/// @return empty when nothing fits
/// @throws InputError when several fit equally well, naming them
std::optional<std::uint32_t> recognise_potential(const ModelText& m);
std::optional<std::uint32_t> recognise_time(const ModelText& m);
std::optional<std::uint32_t> recognise_stimulus(const ModelText& m);

/// The variable that is bound to the pacing, and what it drives: the variables whose equations use
/// it, and "dot(NAME)" of those whose derivatives do.
struct Pacing
{
    std::string variable;
    std::vector<std::string> drives;
};
std::optional<Pacing> pacing(const ModelText& m);

} // namespace tawara::cell::compiler
