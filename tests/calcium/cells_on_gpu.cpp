// SPDX-License-Identifier: GPL-3.0-or-later
// Where there is no CUDA compiler.
#include "tests/calcium/cells_on_gpu.hpp"

namespace tawara::test {

std::string dyads_give_the_cpus_bits()
{
    return {};
}
std::string cells_follow_the_cpu()
{
    return {};
}
std::string batches_and_devices_do_not_matter()
{
    return {};
}
std::string states_go_on()
{
    return {};
}
std::string forced_opening_empties_the_sr()
{
    return {};
}
std::string calcium_is_conserved()
{
    return {};
}
std::string means_lie_within_the_spread_of_seeds()
{
    return {};
}
std::string captured_steps_are_steps()
{
    return {};
}
std::string too_many_cells_are_refused()
{
    return {};
}

} // namespace tawara::test
