// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/ranks/member.hpp"

#include "engine/cell/numerics_error.hpp"
#include "engine/core/error.hpp"
#include "engine/device/quiescent_state.hpp"
#include "engine/device/share_stepper.hpp"

#include <algorithm>
#include <limits>
#include <new>

namespace tawara::device::ranks {

RankHalo::RankHalo(const Share& s, Communicator& ranks) : ranks_(ranks)
{
    for (const auto& n : s.neighbours) {
        parts_.push_back({n.rank, n.give.size(), n.take.size()});
        given_.insert(given_.end(), n.give.begin(), n.give.end());
        taken_.insert(taken_.end(), n.take.begin(), n.take.end());
    }
}

void RankHalo::swap(std::span<const double> give, std::span<double> take, std::size_t each)
{
    exchanges_.clear();
    std::size_t given = 0, taken = 0;
    for (const auto& p : parts_) {
        exchanges_.push_back({p.rank, give.subspan(given * each, p.give * each),
                              take.subspan(taken * each, p.take * each)});
        given += p.give;
        taken += p.take;
    }
    ranks_.swap(exchanges_);
}

/// A number for each neighbour, and one from each.
void RankHalo::meet()
{
    exchanges_.clear();
    here_.resize(parts_.size(), 0);
    there_.resize(parts_.size());
    for (std::size_t k = 0; k < parts_.size(); ++k)
        exchanges_.push_back(
            {parts_[k].rank, std::span(here_).subspan(k, 1), std::span(there_).subspan(k, 1)});
    ranks_.swap(exchanges_);
}

std::optional<Halo::Shelves> RankHalo::shelves()
{
    if (ranks_.size() != ranks_.on_this_machine()) // which all of them see alike
        return {};
    constexpr std::size_t page = 4096; // whole ones: what is registered has none in common
    const auto bytes = given_.size() * sizeof(double),
               half = std::max<std::size_t>(1, (bytes + page - 1) / page) * page;
    memory_ = ranks_.share(2 * half);
    if (ranks_.any(memory_ == nullptr))
        return {};
    Shelves out;
    const auto own = memory_->of(ranks_.number_on_this_machine());
    out.memory.push_back(own);
    for (std::size_t k = 0; k < 2; ++k)
        out.set[k].given = own.subspan(k * half, bytes);
    // each neighbour is told where its values begin in the list of all that are given
    here_.clear();
    for (double next = 0; const auto& p : parts_) {
        here_.push_back(next);
        next += static_cast<double>(p.give);
    }
    meet();
    for (std::size_t k = 0; k < parts_.size(); ++k) {
        const auto all = memory_->of(parts_[k].rank); // on one machine ranks are numbered alike
        out.memory.push_back(all);
        for (std::size_t set = 0; set < 2; ++set)
            out.set[set].taken.push_back({all.data() + set * (all.size() / 2),
                                          static_cast<std::size_t>(there_[k]), parts_[k].take});
    }
    return out;
}

std::string ranks_text(const std::vector<std::string>& names, const std::string& met)
{
    std::string text;
    for (auto k = names.begin(); k != names.end(); ++k)
        if (std::find(names.begin(), k, *k) == k)
            text += (text.empty() ? "" : "; ") + *k;
    return met.empty() ? text : text + " (" + met + ")";
}

std::string of_whole(std::string text, std::int64_t here, std::int64_t whole)
{
    const auto said = "unknown " + std::to_string(here) + ",";
    if (const auto from = text.find(said); from != std::string::npos)
        text.replace(from, said.size(), "unknown " + std::to_string(whole) + ",");
    return text;
}

void Member::fail(Ask what, const std::string& why)
{
    ranks_.fail();
    throw DeviceError("rank " + std::to_string(ranks_.rank()),
                      what == Ask::meet ? "borders" : "a step", 0, why);
}

Bytes Member::answer(const Bytes& message)
{
    Unpack in(message);
    Pack out;
    const auto what = in.read<Ask>();
    try {
        out << Answer::done;
        act(what, in, out);
        return out.take();
    } catch (const NumericsError& e) {
        const auto of_share = static_cast<std::size_t>(std::max<std::int64_t>(e.unknown, 0));
        const std::int64_t whole = of_share < share_.own() ? share_.whole[of_share] : 0;
        out = {};
        out << Answer::numerics_error << e.time_ms << e.step << whole << e.position_mm << e.value
            << e.model << of_whole(e.what(), e.unknown, whole);
    } catch (const InputError& e) {
        if (what == Ask::meet) // the others are there already
            fail(what, e.what());
        out = {};
        out << Answer::input_error << e.file << e.where << e.reason;
    } catch (const DeviceError&) { // others may wait for this rank
        ranks_.fail();
        throw;
    } catch (const std::exception& e) {
        const bool memory = dynamic_cast<const std::bad_alloc*>(&e) != nullptr;
        const std::string text = memory ? "not enough memory" : e.what();
        if (what == Ask::advance || what == Ask::meet)
            fail(what, text);
        out = {};
        out << Answer::failed << text;
    }
    return out.take();
}

void Member::begin(Unpack& in, Pack& out)
{
    stepper_.reset();
    StepperOptions options;
    options.devices = Devices(in.read<std::string>());
    in >> options.precision >> options.threads;
    Bytes share;
    in >> share;
    share_ = unpacked_share(share);
    Bytes().swap(share);
    halo_.emplace(share_, ranks_);
    places_ = StatePlaces(share_.problem, options.precision);
    auto& p = share_.problem;
    try {
        stepper_ =
            make_share_stepper(p, options, ranks_.number_on_this_machine(), *halo_, progress_);
    } catch (const DeviceError& e) { // of a GPU here: the other ranks are well
        throw InputError("--devices", "rank " + std::to_string(ranks_.rank()) +
                                          " cannot step its share: " + e.what() +
                                          "; take more ranks and GPUs, or --devices cpu");
    }
    // the stepper has what it needs of these in its own order
    p.system.alpha = {};
    p.elements = {};
    out << stepper_->device() << stepper_->threads();
}

void Member::put_snapshot(Pack& out) const
{
    auto s = stepper_->snapshot();
    const auto own = share_.own();
    const auto cut = [own](std::vector<double>& values) -> std::vector<double>& {
        values.resize(std::min(values.size(), own));
        return values;
    };
    out << s.step << cut(s.v) << cut(s.activation_ms) << cut(s.repolarisation_ms) << cut(s.peak_mV)
        << cut(s.rest_mV);
    if (!s.quiescent.empty()) {
        QuiescentState q(s.quiescent, std::vector<double>(share_.problem.group.size()));
        q.resize(own);
        s.quiescent = q.packed();
    }
    out << s.quiescent << places_.numbers();
    for (std::size_t k = 0; k < places_.numbers(); ++k) {
        std::vector<double> numbers;
        for (std::size_t u = 0; u < own; ++u)
            if (places_.has(k, u))
                numbers.push_back(places_.of(s.states, k, u));
        out << numbers;
    }
}

void Member::take_snapshot(Unpack& in)
{
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    const auto all = share_.problem.group.size(), own = share_.own();
    Snapshot s;
    in >> s.step >> s.v >> s.activation_ms >> s.repolarisation_ms >> s.peak_mV >> s.rest_mV >>
        s.quiescent;
    if (!s.quiescent.empty()) {
        QuiescentState q(s.quiescent, s.v);
        q.resize(all);
        s.quiescent = q.packed();
    }
    s.v.resize(all, 0.0); // what others step comes from them before it is read
    for (auto* values : {&s.activation_ms, &s.repolarisation_ms})
        values->resize(all, none);
    for (auto* values : {&s.peak_mV, &s.rest_mV})
        values->resize(all, 0.0);
    s.states = places_.zeros();
    std::vector<double> numbers;
    for (std::size_t k = 0; k < places_.numbers(); ++k) {
        in >> numbers;
        std::size_t at = 0;
        for (std::size_t u = 0; u < own; ++u)
            if (places_.has(k, u))
                places_.of(s.states, k, u) = numbers.at(at++);
    }
    stepper_->restore(s);
}

void Member::act(Ask what, Unpack& in, Pack& out)
{
    switch (what) {
    case Ask::begin:
        begin(in, out);
        break;
    case Ask::meet:
        out << stepper_->meet_others();
        break;
    case Ask::forget:
        stepper_.reset();
        share_ = {};
        break;
    case Ask::advance:
        stepper_->advance(in.read<std::int64_t>());
        out << stepper_->step();
        break;
    case Ask::add_stimulus: {
        StimulusSource s;
        in >> s.unknowns >> s.amplitude_pA_per_pF >> s.start_ms >> s.duration_ms >> s.period_ms >>
            s.count;
        out << stepper_->add_stimulus(std::move(s));
        break;
    }
    case Ask::remove_stimulus:
        stepper_->remove_stimulus(in.read<std::size_t>());
        break;
    case Ask::set_types: {
        const auto group = in.read<std::size_t>();
        auto types = share_.problem.groups.at(group).types;
        types.resize(in.read<std::size_t>(), types.front());
        for (auto& t : types)
            in >> t.parameters >> t.initial >> t.protocol;
        stepper_->set_types(group, types);
        break;
    }
    case Ask::set_probes: {
        Gather g;
        const auto every = in.read<std::int64_t>();
        in >> g.unknown;
        g.weight.assign(g.unknown.size(), 1.0F);
        for (std::size_t k = 0; k < g.unknown.size(); ++k)
            g.first.push_back(static_cast<std::int64_t>(k + 1));
        stepper_->set_probes(std::move(g), every);
        break;
    }
    case Ask::restore:
        take_snapshot(in);
        break;
    default:
        tell(what, in, out);
    }
}

void Member::tell(Ask what, Unpack& in, Pack& out) const
{
    const auto own = static_cast<std::ptrdiff_t>(share_.own());
    const auto of_own = [&](auto&& fill) {
        std::vector<double> values(share_.problem.group.size());
        fill(values);
        values.resize(static_cast<std::size_t>(own));
        out << values;
    };
    switch (what) {
    case Ask::take_samples: {
        std::vector<std::int64_t> steps;
        std::vector<double> samples;
        stepper_->take_samples(steps, samples);
        out << steps << samples;
        break;
    }
    case Ask::potential:
        of_own([&](auto& v) { stepper_->potential(v); });
        break;
    case Ask::state:
        of_own([&, k = in.read<std::size_t>()](auto& v) { stepper_->state(k, v); });
        break;
    case Ask::cell_numbers: {
        CellNumbers n;
        stepper_->cell_numbers(in.read<std::size_t>(), n);
        out << n.v_mV << n.numbers;
        break;
    }
    case Ask::maps: {
        const auto m = stepper_->maps();
        out << std::vector<double>(m.activation_ms.begin(), m.activation_ms.begin() + own)
            << std::vector<double>(m.repolarisation_ms.begin(), m.repolarisation_ms.begin() + own);
        break;
    }
    case Ask::snapshot:
        put_snapshot(out);
        break;
    case Ask::kernels: {
        const auto all = stepper_->kernels();
        out << stepper_->share_quiescent() << all.size();
        for (const auto& k : all)
            out << k.name << k.calls << k.ms << k.bytes << k.flops << k.tetrahedra;
        break;
    }
    default: // Ask::end and Ask::parts are serve()'s
        break;
    }
}

bool serve(Communicator& ranks, const Progress& progress)
{
    Member member(ranks, progress);
    for (;;) {
        const auto message = ranks.receive(0);
        const auto what = Unpack(message).read<Ask>();
        if (what == Ask::end || what == Ask::parts)
            return what == Ask::parts;
        ranks.send(0, member.answer(message));
    }
}

void begin_parts(Communicator& ranks)
{
    for (int r = 1; r < ranks.size(); ++r)
        ranks.send(r, (Pack() << Ask::parts).take());
}

} // namespace tawara::device::ranks
