// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/ecg_intervals.hpp"

#include "engine/analysis/ecg_record.hpp"
#include "engine/analysis/ecg_t_wave.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

namespace tawara::analysis {
namespace {

constexpr double coarsest_ms = 2, gap_steps = 2.5;
constexpr double fine_ms = 2, wide_ms = 5; // half the window of slopes, without and with noise
constexpr double of_largest = 0.05;        // S of the beat: below it is quiet
constexpr double of_again = 1.4;           // times the level: S after it was below
constexpr double of_quartile = 3;          // of S over the record: noise
constexpr double most_noise = 0.15;        // of the beat's S
constexpr double a_beat = 0.30;            // of the record's S
constexpr double quiet_ms = 20, longest_qrs_ms = 400;
constexpr double least_velocity = 5e-4; // of a beat [mV/ms]: less is rounding
constexpr double surely_over_ms = 600;  // after a beat whose T wave is not measured
constexpr double as_steep = 0.5;        // as QRS: less may be its T wave
constexpr double again_ms = 60;         // after a QRS at the earliest: tissue is refractory
constexpr double away = 0.2;            // of the largest: leads that are not back at their baseline
constexpr double near = 0.05;           // the same, where they come much nearer later on
constexpr double come_nearer = 0.5;     // times as far as at the end of QRS's quick part
constexpr double flat_ms = 20;          // the part of ST that is the flattest
constexpr double over_flat = 3;         // of S there: the wave still runs
constexpr double at_least = 0.005;      // of the beat's S: the same
constexpr double passed = 1.5;          // times S of the flattest part: what follows is T

constexpr const char* unresting = "the leads do not come to rest between beats";
constexpr const char* restless = "too much noise, or no rest between beats";

/// Where S crosses a level between two samples.
double crossing(std::span<const double> t, const Values& s, std::size_t a, std::size_t b,
                double level)
{
    const double d = s[b] - s[a];
    return d == 0 ? t[b] : t[a] + (level - s[a]) / d * (t[b] - t[a]);
}

/// First and last sample of a QRS, and what is known of its ends.
struct Complex
{
    std::size_t first, last, steepest;
    EcgBeat beat;
    bool cycle = false; ///< of a rhythm without rests
};

void not_over(EcgBeat& b)
{
    b.end_ms = EcgBeat::unknown;
    if (b.no_qrs.empty())
        b.no_qrs = "QRS is not over yet";
}

bool pulse_between(const EcgRecord& r, double after_ms, double until_ms)
{
    return std::any_of(r.pulses.begin(), r.pulses.end(),
                       [&](double p) { return p > after_ms && p <= until_ms; });
}

/// Goes on from a sample until S has been below a level for long enough; where it rises above again
/// before that, it counts if it becomes `of_again` times as much: leads that begin to repolarise
/// hover about the level.
/// @param edge  moves to the last sample above
/// @param step  1 or -1
/// @return the last sample that was looked at
std::size_t run_out(const EcgRecord& r, const Values& s, double level, std::size_t& edge, int step)
{
    const auto next = [step](std::size_t k) { return step > 0 ? k + 1 : k - 1; };
    std::size_t i = edge;
    bool rest = false; // since the edge
    while (i != (step > 0 ? r.size() - 1 : 0) && std::abs(r.t[next(i)] - r.t[edge]) < quiet_ms) {
        i = next(i);
        if (s[i] <= level)
            rest = true;
        else if (!rest || s[i] > of_again * level) {
            edge = i;
            rest = false;
        }
    }
    return i;
}

/// Goes from the steepest sample outward until S has been quiet for long enough.
/// @param half_ms  of the windows of S
Complex complex_at(const EcgRecord& r, const Values& s, std::size_t peak, double noise,
                   double half_ms)
{
    Complex c{peak, peak, peak, {}};
    EcgBeat& b = c.beat;
    b.steepest_ms = r.t[peak];
    const double level = std::max(of_largest * s[peak], noise);
    const auto i = run_out(r, s, level, c.first, -1), j = run_out(r, s, level, c.last, 1);
    const double quiet_before = r.t[c.first] - r.t[i], quiet_after = r.t[j] - r.t[c.last];
    if (noise > most_noise * s[peak]) {
        b.no_qrs = restless;
        return c;
    }
    if (r.t[c.last] - r.t[c.first] > longest_qrs_ms) {
        b.no_qrs = unresting;
        return c;
    }
    const bool whole = i > 0 || quiet_before + r.step >= quiet_ms || r.at_rest;
    if (whole) {
        b.onset_ms = c.first == 0 ? r.t[0] : crossing(r.t, s, c.first - 1, c.first, level);
        // the windows of the first slopes reach over the pulse
        std::optional<double> pulse; // the first: others may have come before its wave
        for (const double p : r.pulses)
            if (p > b.onset_ms && p <= b.onset_ms + half_ms + r.step)
                pulse = std::min(p, pulse.value_or(p));
        b.onset_ms = pulse.value_or(b.onset_ms);
    } else
        b.no_qrs = "it began before the record";
    if (j + 1 < r.size() || quiet_after + r.step >= quiet_ms)
        b.end_ms = crossing(r.t, s, c.last, std::min(c.last + 1, r.size() - 1), level);
    else
        not_over(b);
    return c;
}

/// Whether the second goes on with what the first began: a wave that runs evenly for a while moves
/// no lead, but it keeps them from their baseline, and no tissue fires again so soon.
bool goes_on(const EcgRecord& r, const Complex& first, const Complex& second)
{
    if (r.t[second.first] - r.t[first.last] >= again_ms ||
        pulse_between(r, r.t[first.last], r.t[second.steepest]))
        return false;
    double most = 0, least = std::numeric_limits<double>::infinity();
    for (std::size_t i = first.first; i <= second.last; ++i) {
        double square = 0;
        for (const auto& v : r.leads)
            square += std::pow(static_cast<double>(v[i]) - static_cast<double>(v[first.first]), 2);
        most = std::max(most, square);
        if (i > first.last && i < second.first)
            least = std::min(least, square);
    }
    return least > away * away * most;
}

/// Both as one, which reaches as far as either: the less steep one has the lower level, and may
/// begin before the other or end after it.
void join(Complex& first, const Complex& second, const EcgRecord& r, const Values& s)
{
    if (second.first < first.first) {
        first.first = second.first;
        first.beat.onset_ms = second.beat.onset_ms;
    }
    if (second.last > first.last) {
        first.last = second.last;
        first.beat.end_ms = second.beat.end_ms;
    }
    if (s[second.steepest] > s[first.steepest]) {
        first.steepest = second.steepest;
        first.beat.steepest_ms = second.beat.steepest_ms;
    }
    if (r.t[first.last] - r.t[first.first] > longest_qrs_ms) {
        first.beat.onset_ms = first.beat.end_ms = EcgBeat::unknown;
        first.beat.no_qrs = unresting;
    } else if (first.beat.no_qrs.empty())
        first.beat.no_qrs = second.beat.no_qrs;
}

std::vector<Complex> complexes(const EcgRecord& r, const Values& s, double noise, double half_ms)
{
    std::vector<Complex> out;
    const double least = std::max(least_velocity, a_beat * *std::max_element(s.begin(), s.end()));
    std::vector<std::size_t> order(s.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::erase_if(order, [&](std::size_t i) { return s[i] < least || s[i] <= noise; });
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return s[a] > s[b]; });
    for (const std::size_t i : order)
        if (std::none_of(out.begin(), out.end(),
                         [i](const Complex& c) { return c.first <= i && i <= c.last; }))
            out.push_back(complex_at(r, s, i, noise, half_ms));
    std::sort(out.begin(), out.end(),
              [](const Complex& a, const Complex& b) { return a.steepest < b.steepest; });
    std::vector<Complex> beats; // without T waves
    for (std::size_t k = 0; k < out.size(); ++k) {
        const Complex& c = out[k];
        if (!beats.empty() && goes_on(r, beats.back(), c)) {
            join(beats.back(), c, r, s);
            continue;
        }
        // after a T wave comes a QRS again; what goes on as flat are beats
        const bool alone = k + 1 == out.size() || s[c.steepest] < as_steep * s[out[k + 1].steepest];
        if (!beats.empty() && alone) {
            const Complex& qrs = beats.back();
            const double end = r.t[qrs.last];
            if (s[c.steepest] < as_steep * s[qrs.steepest] && r.t[c.first] - end >= t_after_ms &&
                r.t[c.steepest] - r.t[qrs.steepest] <= surely_over_ms &&
                !pulse_between(r, end, r.t[c.steepest]))
                continue;
        }
        beats.push_back(c);
    }
    return beats;
}

/// The flattest part of `flat_ms`.
struct Flattest
{
    std::size_t first = 0; ///< its first sample; 0: there is no part so long
    double mean = std::numeric_limits<double>::infinity(); ///< of S there
    double later = 0;                                      ///< the largest mean of a part after it
};

/// @param from, to  samples that it may hold
Flattest flattest_of(const EcgRecord& r, const Values& s, std::size_t from, std::size_t to)
{
    Flattest out;
    const auto n = static_cast<std::size_t>(flat_ms / r.step);
    for (std::size_t i = from; i + n <= to; ++i) {
        const auto begin = s.begin() + static_cast<std::ptrdiff_t>(i);
        const double mean = std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(n), 0.0) /
                            static_cast<double>(n);
        if (mean < out.mean)
            out = {i, mean, 0};
        out.later = std::max(out.later, mean);
    }
    return out;
}

/// A wave that goes on slowly after most of the tissue was quick moves the leads little (S is below
/// its level), but it keeps them from their baseline: QRS ends where it ends. It goes on up to the
/// flattest part that follows, where the leads are back, and S is much less than before it; where
/// they do not come back ST is raised or lowered, and QRS ended before. A very quick first part may
/// leave the leads nearly where they began: then a slow rest is what keeps them there for a while
/// and lets them come much nearer afterwards.
/// @param to  samples up to there are this beat's
void settle(const EcgRecord& r, const Values& s, double noise, Complex& c, std::size_t to,
            bool another)
{
    double most = 0;
    for (std::size_t i = c.first; i <= c.last; ++i)
        most = std::max(most, distance(r, i, c.first));
    const double left = distance(r, c.last, c.first);
    if (left <= near * most)
        return;
    const double quick = std::max(of_largest * s[c.steepest], noise);
    // so late S is this quick again in a T wave alone: the slow rest of a QRS stays below
    const auto repolarises = [&](std::size_t i) {
        return r.t[i] - r.t[c.last] >= again_ms && s[i] > quick;
    };
    std::size_t end = c.last; // of what QRS may reach
    while (end + 1 < to && r.t[end + 1] - r.t[c.first] < longest_qrs_ms && !repolarises(end + 1) &&
           !pulse_between(r, r.t[c.last], r.t[end + 1]))
        ++end;
    const Flattest f = flattest_of(r, s, c.last + 1, end + 1);
    const std::size_t flat = f.first;
    const double floor = std::max(noise, at_least * s[c.steepest]);
    const bool open =
        !another && end + 1 == r.size() && r.t[end] - r.t[c.first] < longest_qrs_ms - 2 * r.step;
    if (open && (flat == 0 || (over_flat * f.mean > floor && f.later < passed * f.mean))) {
        not_over(c.beat); // a flatter part may follow
        return;
    }
    const bool nearly_back = left <= away * most;
    const double back = nearly_back ? come_nearer * left : away * most;
    const bool seen = flat > 0 && distance(r, flat, c.first) <= back;
    if (nearly_back) {
        std::size_t nearer = c.last;
        while (nearer < end && distance(r, nearer, c.first) > back)
            ++nearer;
        if (!seen || r.t[nearer] - r.t[c.last] < quiet_ms)
            return;
    }
    if (!seen) {
        if (open)
            not_over(c.beat);
        return;
    }
    double least = most; // in between: less than at the flat part is a T wave of the other sign
    for (std::size_t i = c.last; i < flat; ++i)
        least = std::min(least, distance(r, i, c.first));
    const double level = std::max(floor, over_flat * f.mean);
    std::size_t last = flat;
    while (last > c.last && s[last] <= level)
        --last;
    if (last == c.last || least < 0.5 * distance(r, flat, c.first))
        return;
    c.last = last;
    c.beat.end_ms = crossing(r.t, s, last, last + 1, level);
}

/// Whether a beat had repolarised at that time.
bool over_before(const EcgBeat& b, double time_ms)
{
    if (std::isfinite(b.onset_ms) && b.no_qrs.empty())
        return b.t_end_ms < time_ms;
    return time_ms - b.steepest_ms > surely_over_ms;
}

/// What S is where nothing happens, the window of its slopes, and whether that is too much.
struct Noise
{
    Values s;
    double half_ms = fine_ms, level = 0;
    double scatter = 0; ///< of the level at most: what slopes that change smoothly do not add to
    bool too_much = false;
};

Noise noise_of(const EcgRecord& r)
{
    Noise out;
    double most = 0;
    const auto measure = [&](double half_ms) {
        out.s = spatial_velocity(r, out.half_ms = half_ms);
        most = *std::max_element(out.s.begin(), out.s.end());
        out.level = of_quartile * lower_quartile(out.s);
    };
    measure(fine_ms);
    const auto scatter = [&] { return of_quartile * quartile_by_scatter(r, out.half_ms); };
    if (out.level > of_largest * most && scatter() > of_largest * most)
        measure(wide_ms);
    out.scatter = std::min(out.level, scatter());
    if (out.level <= of_largest * most)
        return out;
    // much of the record is QRS or T, or never at rest; is it noise?
    out.level = out.scatter;
    out.too_much = most > least_velocity && out.level > most_noise * most;
    return out;
}

/// Beats of a part that does not rest: its cycles, of which RR alone is known.
std::vector<Complex> cycles_of(const EcgRecord& r, const Values& s, const Complex& whole)
{
    std::vector<Complex> out;
    for (const double t : recurrences(r, s, whole.first, whole.last)) {
        const auto i = static_cast<std::size_t>(
            std::min(std::lower_bound(r.t.begin(), r.t.end(), t), r.t.end() - 1) - r.t.begin());
        Complex c{i, i, i, {}, true};
        c.beat.steepest_ms = t;
        c.beat.no_qrs = unresting;
        out.push_back(c);
    }
    if (out.empty())
        out.push_back(whole);
    return out;
}

void find_rr(const Complex* before, Complex& c)
{
    EcgBeat& b = c.beat;
    if (before == nullptr) {
        b.no_rr = c.cycle ? "no cycle like it before" : "no beat before it";
        return;
    }
    const EcgBeat& a = before->beat;
    b.rr_ms = b.onset_ms - a.onset_ms;
    if (!std::isfinite(b.rr_ms))
        b.rr_ms = b.end_ms - a.end_ms;
    if (c.cycle && before->cycle)
        b.rr_ms = b.steepest_ms - a.steepest_ms;
    if (!std::isfinite(b.rr_ms))
        b.no_rr = c.cycle ? "no cycle like it before" : "QRS is not known of both beats";
}

/// @param none  why it has no beats, where that is known
std::vector<EcgBeat> measure(const EcgRecord& r, std::string& none)
{
    const Noise noise = noise_of(r);
    if (noise.too_much) {
        none = restless;
        return {};
    }
    std::vector<Complex> found;
    for (Complex& c : complexes(r, noise.s, noise.level, noise.half_ms)) {
        if (c.beat.no_qrs != unresting) {
            found.push_back(std::move(c));
            continue;
        }
        const auto cycles = cycles_of(r, noise.s, c);
        found.insert(found.end(), cycles.begin(), cycles.end());
    }
    std::vector<EcgBeat> out;
    for (std::size_t k = 0; k < found.size(); ++k) {
        Complex& c = found[k];
        EcgBeat& b = c.beat;
        const bool another = k + 1 < found.size();
        const std::size_t to = another ? std::max(c.last + 1, found[k + 1].first) : r.size();
        if (b.no_qrs.empty())
            settle(r, noise.s, noise.scatter, c, to, another);
        if (!b.no_qrs.empty())
            b.no_qt = b.no_qrs;
        else if (k > 0 && !over_before(found[k - 1].beat, b.onset_ms))
            b.no_qt = "the beat before was not over"; // there is no baseline
        else
            find_t_end(r, {c.first, c.last}, to, another, b);
        find_rr(k > 0 ? &found[k - 1] : nullptr, c);
        out.push_back(b);
    }
    return out;
}

double median_step(std::span<const double> t)
{
    Values steps;
    for (std::size_t i = 1; i < t.size(); ++i)
        steps.push_back(t[i] - t[i - 1]);
    const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
    std::nth_element(steps.begin(), middle, steps.end());
    return *middle;
}

} // namespace

EcgIntervals ecg_intervals(std::span<const double> t_ms, std::span<const std::vector<float>> mV,
                           bool begins_at_rest, std::span<const double> pulses_ms)
{
    EcgIntervals out;
    if (t_ms.size() > 1)
        out.step_ms = median_step(t_ms);
    if (!mV.empty() && out.step_ms > coarsest_ms + 1e-9) {
        out.none = "samples are further apart than 2 ms";
        return out;
    }
    if (mV.empty() || t_ms.size() < 8) {
        out.none = mV.empty()     ? "no leads"
                   : t_ms.empty() ? "no samples yet"
                                  : "fewer than 8 samples";
        return out;
    }
    for (std::size_t first = 0, i = 1; i <= t_ms.size(); ++i) {
        if (i < t_ms.size() && t_ms[i] - t_ms[i - 1] <= gap_steps * out.step_ms)
            continue;
        EcgRecord r{t_ms.subspan(first, i - first),
                    {},
                    out.step_ms,
                    begins_at_rest && first == 0,
                    pulses_ms};
        for (const auto& lead : mV) {
            const auto part = std::span(lead).subspan(first, i - first);
            if (std::all_of(part.begin(), part.end(), [](float x) { return std::isfinite(x); }))
                r.leads.push_back(part);
        }
        first = i;
        if (r.size() < 8 || r.leads.empty())
            continue;
        const auto beats = measure(r, out.none);
        out.beats.insert(out.beats.end(), beats.begin(), beats.end());
    }
    if (!out.beats.empty())
        out.none.clear();
    return out;
}

} // namespace tawara::analysis
