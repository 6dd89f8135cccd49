// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/ranks/rank_stepper.hpp"

#include "engine/cell/numerics_error.hpp"
#include "engine/core/error.hpp"
#include "engine/device/cpu/interpolated_currents.hpp"
#include "engine/device/quiescent_state.hpp"
#include "engine/device/ranks/member.hpp"
#include "engine/device/share_stepper.hpp"
#include "engine/device/snapshot_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace tawara::device::ranks {
namespace {

class RankStepper final : public Stepper
{
  public:
    RankStepper(const TissueProblem& p, const StepperOptions& options, Communicator& ranks,
                const Progress& progress)
        : ranks_(ranks), here_(ranks, progress), groups_(p.groups), group_(p.group),
          places_(p, options.precision), dt_(p.dt_ms),
          longest_(p.rest_tolerance_mV > 0
                       ? static_cast<int>(p.longest_quiescent_ms * (1 + 1e-9) / p.dt_ms)
                       : 0),
          rank_of_(ranks_of_unknowns(p, ranks.size(), progress)), local_(p.size(), -1),
          own_(static_cast<std::size_t>(ranks.size()))
    {
        for (std::size_t u = 0; u < p.size(); ++u)
            if (rank_of_[u] >= 0) {
                auto& own = own_[static_cast<std::size_t>(rank_of_[u])];
                local_[u] = static_cast<std::int32_t>(own.size());
                own.push_back(static_cast<std::int32_t>(u));
            }
        begin(p, options, progress);
    }
    ~RankStepper() override
    {
        try {
            ask(Ask::forget);
        } catch (...) { // there is nobody to tell it
        }
    }
    RankStepper(const RankStepper&) = delete;
    RankStepper& operator=(const RankStepper&) = delete;

    void advance(std::int64_t n) override
    {
        try {
            const auto answers = ask(Pack() << Ask::advance << n);
            step_ = Unpack(answers.front().rest).read<std::int64_t>();
        } catch (const NumericsError& e) {
            step_ = e.step;
            throw;
        }
    }
    std::int64_t step() const override { return step_; }
    double dt_ms() const override { return dt_; }

    std::size_t add_stimulus(StimulusSource s) override
    {
        std::vector<std::vector<std::int32_t>> of(own_.size());
        for (const auto u : s.unknowns)
            if (const auto r = rank_of_.at(static_cast<std::size_t>(u)); r >= 0)
                of[static_cast<std::size_t>(r)].push_back(local_[static_cast<std::size_t>(u)]);
        const auto answers = ask_each([&](std::size_t r) {
            return (Pack() << Ask::add_stimulus << of[r] << s.amplitude_pA_per_pF << s.start_ms
                           << s.duration_ms << s.period_ms << s.count)
                .take();
        });
        return Unpack(answers.front().rest).read<std::size_t>();
    }
    void remove_stimulus(std::size_t id) override { ask(Pack() << Ask::remove_stimulus << id); }
    Part& add_part(const Ports&, const PartMaker&) override
    {
        throw InputError("--distributed", "a Purkinje network is not joined to tissue on several "
                                          "ranks; leave --distributed or purkinje out");
    }
    void set_types(std::size_t group, std::span<const cell::CellType> types) override
    {
        check_types(groups_.at(group), types);
        Pack message;
        message << Ask::set_types << group << types.size();
        for (const auto& t : types)
            message << t.parameters << t.initial << t.protocol;
        ask(std::move(message));
        groups_[group].types.assign(types.begin(), types.end());
    }

    void set_probes(Gather probes, std::int64_t every_steps) override;
    void take_samples(std::vector<std::int64_t>& steps, std::vector<double>& samples) override;
    void set_display(Gather display) override { display_ = std::move(display); }
    void display(std::span<float> out) override
    {
        std::vector<double> v(group_.size());
        potential(v);
        for (std::size_t k = 0; k < std::min(out.size(), display_.size()); ++k)
            out[k] = static_cast<float>(weighted(display_, k, v));
    }

    void potential(std::span<double> out) const override
    {
        without_cells(out, std::numeric_limits<double>::quiet_NaN());
        from_shares(ask(Pack() << Ask::potential), out);
    }
    void state(std::size_t state, std::span<double> out) const override
    {
        without_cells(out, 0);
        from_shares(ask(Pack() << Ask::state << state), out);
    }
    void cell_numbers(std::size_t unknown, CellNumbers& out) const override
    {
        if (unknown >= group_.size() || rank_of_[unknown] < 0)
            throw InputError("unknown " + std::to_string(unknown), "has no cells");
        const auto message =
            (Pack() << Ask::cell_numbers << static_cast<std::size_t>(local_[unknown])).take();
        const auto answer = ask_one(rank_of_[unknown], message);
        Unpack(answer.rest) >> out.v_mV >> out.numbers;
    }
    Maps maps() const override
    {
        constexpr double none = std::numeric_limits<double>::quiet_NaN();
        Maps m;
        m.activation_ms.assign(group_.size(), none);
        m.repolarisation_ms.assign(group_.size(), none);
        const auto answers = ask(Pack() << Ask::maps);
        for (std::size_t r = 0; r < answers.size(); ++r) {
            Unpack in(answers[r].rest);
            put(in, r, m.activation_ms);
            put(in, r, m.repolarisation_ms);
        }
        return m;
    }
    Snapshot snapshot() const override;
    void restore(const Snapshot& s) override;

    std::vector<KernelRecord> kernels() const override;
    std::string device() const override
    {
        return std::to_string(ranks_.size()) + " ranks: " + device_;
    }
    unsigned threads() const override { return threads_; }
    Devices ceiling_device() const override { return here_.stepper().ceiling_device(); }
    double share_quiescent() const override;
    std::vector<std::int32_t> shard_of_unknown() const override { return rank_of_; }

  private:
    /// What a rank said, without its first word.
    struct Said
    {
        Bytes rest;
    };
    template <class Message>
    std::vector<Said> ask_each(Message&& message) const;
    std::vector<Said> ask(Pack message) const
    {
        const auto bytes = message.take();
        return ask_each([&](std::size_t) -> const Bytes& { return bytes; });
    }
    std::vector<Said> ask(Ask what) const { return ask(std::move(Pack() << what)); }
    Said ask_one(int rank, const Bytes& message) const;
    void begin(const TissueProblem& p, const StepperOptions& options, const Progress& progress);

    void without_cells(std::span<double> out, double value) const
    {
        for (std::size_t u = 0; u < std::min(out.size(), rank_of_.size()); ++u)
            if (rank_of_[u] < 0)
                out[u] = value;
    }
    /// The next list of a message, of rank r's unknowns, to the whole's.
    template <class Values>
    void put(Unpack& in, std::size_t r, Values& out) const
    {
        std::vector<double> values;
        in >> values;
        for (std::size_t k = 0; k < std::min(values.size(), own_[r].size()); ++k)
            out[static_cast<std::size_t>(own_[r][k])] = values[k];
    }
    void from_shares(const std::vector<Said>& answers, std::span<double> out) const
    {
        for (std::size_t r = 0; r < answers.size(); ++r) {
            Unpack in(answers[r].rest);
            put(in, r, out);
        }
    }
    /// What rank r has of a list of the whole's unknowns.
    std::vector<double> of_share(const std::vector<double>& all, std::size_t r) const
    {
        std::vector<double> out;
        out.reserve(own_[r].size());
        for (const auto u : own_[r])
            out.push_back(all[static_cast<std::size_t>(u)]);
        return out;
    }
    static double weighted(const Gather& g, std::size_t k, std::span<const double> values)
    {
        double sum = 0;
        for (auto i = static_cast<std::size_t>(g.first[k]);
             i < static_cast<std::size_t>(g.first[k + 1]); ++i)
            sum +=
                static_cast<double>(g.weight[i]) * values[static_cast<std::size_t>(g.unknown[i])];
        return sum;
    }

    Communicator& ranks_;
    mutable Member here_; ///< this rank's own share
    std::vector<CellGroup> groups_;
    std::vector<std::uint8_t> group_;
    StatePlaces places_;
    double dt_;
    int longest_;
    std::vector<std::int32_t> rank_of_, local_;  ///< of each unknown
    std::vector<std::vector<std::int32_t>> own_; ///< of each rank, unknowns of the whole
    std::int64_t step_ = 0;
    Gather display_;
    Gather probes_; ///< of the samples of all ranks, one after the other
    std::string device_;
    unsigned threads_ = 0;
};

/// Throws what a rank's answer tells, if it is a failure.
void throw_failure(Unpack& in, Answer answer)
{
    switch (answer) {
    case Answer::done:
        return;
    case Answer::numerics_error: {
        const auto time_ms = in.read<double>();
        const auto step = in.read<std::int64_t>(), unknown = in.read<std::int64_t>();
        const auto at = in.read<Vec3>();
        const auto value = in.read<double>();
        const auto model = in.read<std::string>(), text = in.read<std::string>();
        throw FailedElsewhere({time_ms, step, unknown, at, value, model}, text);
    }
    case Answer::input_error: {
        const auto file = in.read<std::string>(), where = in.read<std::string>();
        throw InputError(file, where, in.read<std::string>());
    }
    case Answer::failed:
        break;
    }
    throw Error(in.read<std::string>());
}

/// An answer as it came, to what follows its first word.
template <class Said>
Said said(Bytes answer, int rank)
{
    Unpack in(answer);
    const auto word = in.read<Answer>();
    if (word == Answer::failed)
        throw Error("rank " + std::to_string(rank) + " failed: " + in.read<std::string>());
    throw_failure(in, word);
    answer.erase(answer.begin(), answer.begin() + sizeof(Answer));
    return {std::move(answer)};
}

template <class Message>
std::vector<RankStepper::Said> RankStepper::ask_each(Message&& message) const
{
    const auto n = own_.size();
    for (std::size_t r = 1; r < n; ++r)
        ranks_.send(static_cast<int>(r), message(r));
    std::vector<Bytes> answers{here_.answer(message(std::size_t{0}))};
    for (std::size_t r = 1; r < n; ++r) // all of them, whatever the first ones say
        answers.push_back(ranks_.receive(static_cast<int>(r)));
    std::vector<Said> out;
    std::optional<FailedElsewhere> earliest; // on GPUs others may have gone some steps further
    for (std::size_t r = 0; r < n; ++r)
        try {
            out.push_back(said<Said>(std::move(answers[r]), static_cast<int>(r)));
        } catch (const FailedElsewhere& e) {
            if (!earliest || e.step < earliest->step)
                earliest.emplace(e);
        }
    if (earliest)
        throw FailedElsewhere(*earliest);
    return out;
}

RankStepper::Said RankStepper::ask_one(int rank, const Bytes& message) const
{
    if (rank == 0)
        return said<Said>(here_.answer(message), 0);
    ranks_.send(rank, message);
    return said<Said>(ranks_.receive(rank), rank);
}

void RankStepper::begin(const TissueProblem& p, const StepperOptions& options,
                        const Progress& progress)
{
    std::vector<ElementPlace> places;
    if (p.currents == IonicCurrents::interpolated)
        places = cpu::element_places(p, make_layout(p));
    const auto answers = ask_each([&](std::size_t r) {
        progress.at(static_cast<double>(r) / static_cast<double>(own_.size()), "sharing out");
        return (Pack() << Ask::begin << options.devices.text() << options.precision
                       << options.threads
                       << packed(share_of(p, rank_of_, static_cast<int>(r), places)))
            .take();
    });
    std::vector<std::string> names;
    for (const auto& a : answers) {
        Unpack in(a.rest);
        names.push_back(in.read<std::string>());
        threads_ += in.read<unsigned>();
    }
    const auto met = ask(Ask::meet);
    device_ = ranks_text(names, Unpack(met.front().rest).read<std::string>());
}

void RankStepper::set_probes(Gather probes, std::int64_t every_steps)
{
    std::vector<std::vector<std::int32_t>> of(own_.size());
    std::vector<std::int32_t> column; // of each term, in its rank's
    const auto rank_at = [&](std::size_t term) {
        return rank_of_.at(static_cast<std::size_t>(probes.unknown[term]));
    };
    for (std::size_t i = 0; i < probes.unknown.size(); ++i) {
        column.push_back(0);
        if (rank_at(i) < 0)
            continue;
        auto& list = of[static_cast<std::size_t>(rank_at(i))];
        column.back() = static_cast<std::int32_t>(list.size());
        list.push_back(local_[static_cast<std::size_t>(probes.unknown[i])]);
    }
    std::vector<std::int32_t> before{0}; // and behind all of them, what has no cells
    for (const auto& list : of)
        before.push_back(before.back() + static_cast<std::int32_t>(list.size()));
    for (std::size_t i = 0; i < column.size(); ++i)
        column[i] += rank_at(i) < 0 ? before.back() : before[static_cast<std::size_t>(rank_at(i))];
    ask_each(
        [&](std::size_t r) { return (Pack() << Ask::set_probes << every_steps << of[r]).take(); });
    probes_ = std::move(probes);
    probes_.unknown = std::move(column);
}

void RankStepper::take_samples(std::vector<std::int64_t>& steps, std::vector<double>& samples)
{
    steps.clear();
    samples.clear();
    if (probes_.size() == 0)
        return;
    const auto answers = ask(Ask::take_samples);
    std::vector<std::vector<double>> of;
    for (const auto& a : answers) {
        std::vector<std::int64_t> taken;
        Unpack(a.rest) >> taken >> of.emplace_back();
        if (taken.size() > steps.size()) // one without columns has none
            steps = std::move(taken);
    }
    std::vector<double> row;
    for (std::size_t k = 0; k < steps.size(); ++k) {
        row.clear();
        for (const auto& values : of) {
            const auto n = values.size() / steps.size();
            const auto from = values.begin() + static_cast<std::ptrdiff_t>(k * n);
            row.insert(row.end(), from, from + static_cast<std::ptrdiff_t>(n));
        }
        row.push_back(std::numeric_limits<double>::quiet_NaN());
        for (std::size_t c = 0; c < probes_.size(); ++c)
            samples.push_back(weighted(probes_, c, row));
    }
}

Snapshot RankStepper::snapshot() const
{
    const auto n = group_.size();
    Snapshot s;
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    s.v.assign(n, none);
    s.activation_ms.assign(n, none);
    s.repolarisation_ms.assign(n, none);
    s.peak_mV.assign(n, -1e3);
    s.rest_mV.assign(n, none);
    s.states = places_.zeros();
    std::optional<QuiescentState> q;
    const auto answers = ask(Ask::snapshot);
    for (std::size_t r = 0; r < answers.size(); ++r) {
        Unpack in(answers[r].rest);
        in >> s.step;
        for (auto* values : {&s.v, &s.activation_ms, &s.repolarisation_ms, &s.peak_mV, &s.rest_mV})
            put(in, r, *values);
        std::vector<double> quiescent;
        in >> quiescent;
        if (!quiescent.empty()) {
            const QuiescentState own(quiescent, std::vector<double>(own_[r].size()));
            if (!q)
                q.emplace(own.done, own.length, n);
            q->put(own_[r], own);
        }
        const auto numbers = in.read<std::size_t>();
        std::vector<double> values;
        for (std::size_t k = 0; k < numbers; ++k) {
            in >> values;
            std::size_t at = 0;
            for (const auto u : own_[r])
                if (places_.has(k, static_cast<std::size_t>(u)))
                    places_.of(s.states, k, static_cast<std::size_t>(u)) = values.at(at++);
        }
    }
    if (q)
        s.quiescent = q->packed();
    return s;
}

void RankStepper::restore(const Snapshot& s)
{
    check_shape(s, {group_.size(), places_.lengths(), longest_, {}, 0});
    ask_each([&](std::size_t r) {
        Pack out;
        out << Ask::restore << s.step;
        for (const auto* values :
             {&s.v, &s.activation_ms, &s.repolarisation_ms, &s.peak_mV, &s.rest_mV})
            out << of_share(*values, r);
        std::vector<double> quiescent;
        if (!s.quiescent.empty())
            quiescent = QuiescentState(s.quiescent, s.v).of(own_[r]).packed();
        out << quiescent;
        std::vector<double> values;
        for (std::size_t k = 0; k < places_.numbers(); ++k) {
            values.clear();
            for (const auto u : own_[r])
                if (places_.has(k, static_cast<std::size_t>(u)))
                    values.push_back(places_.of(s.states, k, static_cast<std::size_t>(u)));
            out << values;
        }
        return out.take();
    });
    step_ = s.step;
}

std::vector<KernelRecord> RankStepper::kernels() const
{
    std::vector<KernelRecord> out;
    for (const auto& a : ask(Ask::kernels)) {
        Unpack in(a.rest);
        in.read<double>(); // share_quiescent()
        const auto n = in.read<std::size_t>();
        for (std::size_t k = 0; k < n; ++k) {
            KernelRecord of;
            in >> of.name >> of.calls >> of.ms >> of.bytes >> of.flops >> of.tetrahedra;
            const auto same = std::find_if(out.begin(), out.end(), [&](const KernelRecord& other) {
                return other.name == of.name;
            });
            if (same == out.end()) {
                out.push_back(std::move(of));
                continue;
            }
            same->ms = std::max(same->ms, of.ms); // they run beside each other
            same->bytes += of.bytes;
            same->flops += of.flops;
            same->tetrahedra += of.tetrahedra;
        }
    }
    return out;
}

double RankStepper::share_quiescent() const
{
    double sum = 0, cells = 0;
    const auto answers = ask(Ask::kernels);
    for (std::size_t r = 0; r < answers.size(); ++r) {
        const auto own = static_cast<double>(own_[r].size());
        sum += own * Unpack(answers[r].rest).read<double>();
        cells += own;
    }
    return cells > 0 ? sum / cells : 0;
}

} // namespace

std::unique_ptr<Stepper> make_rank_stepper(const TissueProblem& problem,
                                           const StepperOptions& options, Communicator& ranks,
                                           const Progress& progress)
{
    check_share(options);
    return std::make_unique<RankStepper>(problem, options, ranks, progress);
}

void dismiss(Communicator& ranks)
{
    for (int r = 1; r < ranks.size(); ++r)
        try {
            ranks.send(r, (Pack() << Ask::end).take());
        } catch (...) { // it has ended by itself
        }
}

} // namespace tawara::device::ranks
