// SPDX-License-Identifier: GPL-3.0-or-later
// What test_calcium_cuda runs on a GPU: what failed, or nothing.
#pragma once
#include <string>

namespace tawara::test {

std::string dyads_give_the_cpus_bits();
std::string cells_follow_the_cpu();
std::string batches_and_devices_do_not_matter();
std::string states_go_on();
std::string forced_opening_empties_the_sr();
std::string calcium_is_conserved();
std::string means_lie_within_the_spread_of_seeds();
std::string captured_steps_are_steps();
std::string too_many_cells_are_refused();

} // namespace tawara::test
