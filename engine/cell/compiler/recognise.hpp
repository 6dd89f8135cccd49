// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/parse/model_text.hpp"

namespace tawara::cell::compiler {

/// Variables that a model's text marks by label, binding, metadata or a usual name.
/// @return empty when nothing fits
/// @throws InputError when several fit equally well, naming them
std::optional<std::uint32_t> recognise_potential(const ModelText& m);
std::optional<std::uint32_t> recognise_time(const ModelText& m);
std::optional<std::uint32_t> recognise_stimulus(const ModelText& m);

} // namespace tawara::cell::compiler
