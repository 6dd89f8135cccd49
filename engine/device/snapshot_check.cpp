// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/snapshot_check.hpp"

#include "engine/core/error.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::device {
namespace {

constexpr double bound_mV = 1000; // as a step's verdict has it: no membrane reaches 1 V
constexpr std::int64_t most_steps = 1LL << 50; // exact as a double, and times dt still a time

[[noreturn]] void refuse(const std::string& why)
{
    throw InputError("checkpoint", why + "; resume with the session that wrote it, or use an older "
                                         "checkpoint");
}

void need_length(const char* what, std::size_t length, std::size_t wanted)
{
    if (length != wanted)
        refuse("holds " + std::to_string(length) + " values of " + what +
               " where this tissue has " + std::to_string(wanted) + " unknowns");
}

bool is_whole(double x, int least, int most)
{
    return x >= least && x <= most && x == std::floor(x);
}

void check_quiescent(const std::vector<double>& quiescent, const SnapshotShape& shape)
{
    if (quiescent.empty())
        return;
    if (shape.longest_quiescent == 0 ||
        (quiescent.size() != 2 * shape.unknowns + 2 && quiescent.size() != shape.unknowns + 2))
        throw InputError("checkpoint", "was written inside a long step of unknowns at rest; resume "
                                       "with the session that wrote it");
    const double done = quiescent[0], length = quiescent[1];
    if (!is_whole(length, 2, shape.longest_quiescent) ||
        !is_whole(done, 1, static_cast<int>(length) - 1))
        refuse(
            "is inside a long step of unknowns at rest that cannot be (its length should be 2 to " +
            std::to_string(shape.longest_quiescent) + " steps, of which at least one is to come)");
    const auto ends = quiescent.begin() + 2 + static_cast<std::ptrdiff_t>(shape.unknowns);
    if (!std::all_of(quiescent.begin() + 2, ends, [](double r) { return r == 0 || r == 1; }))
        refuse("says of unknowns neither that they rest nor that they move");
    if (!std::all_of(ends, quiescent.end(), [](double v) { return std::abs(v) <= bound_mV; }))
        refuse("has a potential of unknowns at rest that is no number of mV");
}

void check_implicit(const std::vector<std::vector<double>>& implicit, const SnapshotShape& shape)
{
    if (implicit.empty())
        return;
    const auto& head = implicit[0];
    if (shape.longest_implicit == 0 && head.size() == 4 && head[3] == 0)
        return; // between steps: nothing is needed of it
    const bool known = shape.longest_implicit > 0 && head.size() == 4 && head[0] >= 0 &&
                       std::isfinite(head[0]) && is_whole(head[1], 1, shape.longest_implicit) &&
                       is_whole(head[2], 1, shape.longest_implicit) &&
                       is_whole(head[3], 0, static_cast<int>(head[2]) - 1) &&
                       implicit.size() == (head[3] > 0 ? 5U : 2U);
    if (!known)
        refuse("is of steps by Newton's method that this session does not take");
    for (std::size_t k = 1; k < implicit.size(); ++k) {
        need_length("an implicit step", implicit[k].size(), shape.unknowns);
        if (!std::all_of(implicit[k].begin(), implicit[k].end(),
                         [](double x) { return std::isfinite(x); }))
            refuse("holds a value of an implicit step that is not finite");
    }
}

} // namespace

void check_shape(const Snapshot& s, const SnapshotShape& shape)
{
    if (s.step < 0 || s.step > most_steps)
        refuse("is at step " + std::to_string(s.step) + ", which no run reaches");
    if (s.v.size() != shape.unknowns || s.states.size() != shape.states.size())
        throw InputError("checkpoint",
                         "holds another number of unknowns or states than this session; "
                         "resume with the session that wrote it");
    for (std::size_t k = 0; k < s.states.size(); ++k)
        if (s.states[k].size() != shape.states[k])
            need_length("a state", s.states[k].size(), shape.unknowns);
    need_length("activation", s.activation_ms.size(), shape.unknowns);
    need_length("repolarisation", s.repolarisation_ms.size(), shape.unknowns);
    need_length("peak", s.peak_mV.size(), shape.unknowns);
    need_length("rest", s.rest_mV.size(), shape.unknowns);
    check_quiescent(s.quiescent, shape);
    check_implicit(s.implicit, shape);
    if (s.parts.size() != shape.parts.size())
        refuse("holds " + std::to_string(s.parts.size()) + " parts beside the tissue where there " +
               (shape.parts.size() == 1 ? "is 1" : "are " + std::to_string(shape.parts.size())));
    for (std::size_t k = 0; k < shape.parts.size(); ++k)
        if (s.parts[k].size() != shape.parts[k])
            refuse("holds " + std::to_string(s.parts[k].size()) + " values of part " +
                   std::to_string(k) + " where there are " + std::to_string(shape.parts[k]));
}

void check_values(const Snapshot& s, double dt_ms, std::span<const std::uint8_t> group)
{
    const auto all = [](const std::vector<double>& values, auto&& good) {
        return std::all_of(values.begin(), values.end(), good);
    };
    const auto finite = [](double x) { return std::isfinite(x); };
    const auto bounded = [](double x) { return x > -bound_mV && x < bound_mV; };
    const auto nearly = [](double x) { return std::abs(x) <= bound_mV; }; // 1e3: not known yet
    // a long step of unknowns at rest may date what happens within it
    const double latest =
        static_cast<double>(s.step) * dt_ms + TissueProblem::most_quiescent_ms + dt_ms;
    const auto passed = [&](double t) { return std::isnan(t) || (t >= 0 && t <= latest); };
    const auto where_cells_are = [&](const std::vector<double>& values, auto&& good) {
        for (std::size_t u = 0; u < values.size(); ++u)
            if (!good(values[u]) && (u >= group.size() || group[u] != no_cells))
                return false;
        return true;
    };
    if (!where_cells_are(s.v, bounded))
        refuse("holds a potential that is not finite or beyond 1 V");
    for (const auto& state : s.states)
        if (!all(state, finite))
            refuse("holds a state that is not finite");
    if (!where_cells_are(s.peak_mV, nearly) || !where_cells_are(s.rest_mV, nearly))
        refuse("holds a peak or a resting potential that is not finite or beyond 1 V");
    if (!all(s.activation_ms, passed) || !all(s.repolarisation_ms, passed))
        refuse("holds times of activation or repolarisation that have not come yet");
}

} // namespace tawara::device
