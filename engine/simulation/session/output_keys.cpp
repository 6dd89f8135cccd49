// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/session/output_keys.hpp"

template class tawara::Held<tawara::simulation::OutputKeys>;
