// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/observe/dyad_recording.hpp"

#include "engine/core/error.hpp"
#include "engine/simulation/observe/dyad_watch.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tawara::simulation {
namespace {

constexpr int bits = 12;
constexpr std::uint64_t cells_share = 16; // of a recording's bytes that one cell may have
constexpr double longest_gap = 1.5;       // of the time between frames: one cell, watched on
constexpr double most_open = 255;

/// A range that values are kept in, as shares of it.
struct Range
{
    double low, high;
    bool log = true;

    float share(double x) const
    {
        return static_cast<float>(log ? std::log(std::max(x, low) / low) / std::log(high / low)
                                      : (x - low) / (high - low));
    }
    float value(float share) const
    {
        const auto s = static_cast<double>(share);
        return static_cast<float>(log ? low * std::exp(s * std::log(high / low))
                                      : low + s * (high - low));
    }
};
constexpr Range cleft{0.01, 2000}, subspace{0.005, 1000}, myoplasm{0.005, 100};
constexpr Range jsr{0, 5, false}, potential{-150, 100, false}, open{0, most_open, false};

/// A dyad's concentrations and where they are kept.
struct Field
{
    std::vector<float> calcium::DyadPicture::*of;
    const Range& range;
};
constexpr std::array fields{
    Field{&calcium::DyadPicture::c_d_uM, cleft}, Field{&calcium::DyadPicture::c_ss_uM, subspace},
    Field{&calcium::DyadPicture::c_myo_uM, myoplasm}, Field{&calcium::DyadPicture::c_jsr_mM, jsr}};

/// Numbers of a frame: of each dyad the fields and its open RyR, and V.
std::size_t numbers_of(const calcium::Grid& grid)
{
    return (fields.size() + 1) * static_cast<std::size_t>(grid.count()) + 1;
}

DyadSample sample_of(const DyadFrame& f)
{
    const auto number = [](double x) { return static_cast<float>(x); };
    const auto& s = f.picture.state;
    return {f.time_ms,
            number(f.picture.v_mV),
            number(1e3 * s.dyads.c_myo),
            number(s.dyads.c_jsr),
            number(s.i_CaL),
            number(1e3 * s.release_mM_per_ms),
            number(s.dyads.open_RyR),
            number(s.dyads.active)};
}

double mean(const std::vector<float>& values)
{
    double sum = 0;
    for (const float x : values)
        sum += static_cast<double>(x);
    return sum / static_cast<double>(values.size());
}

/// Of a picture that was kept: what its numbers tell, the rest by the sample of then.
void describe(calcium::DyadPicture& p, const DyadSample& s)
{
    auto& d = p.state.dyads;
    d.c_myo = 1e-3 * mean(p.c_myo_uM);
    d.c_ss = 1e-3 * mean(p.c_ss_uM);
    d.c_jsr = mean(p.c_jsr_mM);
    d.c_d = mean(p.c_d_uM);
    d.largest_c_d = static_cast<double>(*std::max_element(p.c_d_uM.begin(), p.c_d_uM.end()));
    for (const auto n : p.open_RyR)
        d.open_RyR += n;
    d.active = static_cast<double>(s.active);
    p.state.i_CaL = static_cast<double>(s.i_CaL);
    p.state.release_mM_per_ms = 1e-3 * static_cast<double>(s.release_uM_per_ms);
}

} // namespace

DyadRecording::DyadRecording(const DyadFrame& first, const RecordingOptions& options)
{
    like_.unknown = first.unknown;
    like_.position_mm = first.position_mm;
    like_.regions = first.regions;
    like_.picture.grid = first.picture.grid;
    like_.picture.RyR = first.picture.RyR;
    RecordingOptions o = options;
    o.low_mV = 0; // shares of ranges
    o.high_mV = 1;
    o.bits = bits;
    frames_ = std::make_shared<Recording>(numbers_of(first.picture.grid), o);
    append(first);
}

bool DyadRecording::is_of(const DyadFrame& f) const
{
    return f.unknown == like_.unknown && f.picture.grid == like_.picture.grid &&
           f.picture.RyR == like_.picture.RyR && f.regions == like_.regions &&
           f.position_mm == like_.position_mm;
}

void DyadRecording::append(const DyadFrame& f)
{
    std::vector<float> numbers;
    numbers.reserve(numbers_of(f.picture.grid));
    for (const auto& field : fields)
        for (const float x : f.picture.*field.of)
            numbers.push_back(field.range.share(static_cast<double>(x)));
    for (const auto n : f.picture.open_RyR)
        numbers.push_back(open.share(n));
    numbers.push_back(potential.share(f.picture.v_mV));
    frames_->append(f.time_ms, numbers);
    std::lock_guard hold(mutex_);
    sparks_ = f.sparks;
    while (!samples_.empty() && samples_.back().time_ms >= f.time_ms)
        samples_.pop_back();
    if (samples_.size() == most_samples) {
        std::size_t kept = 0;
        for (std::size_t k = 0; k < samples_.size(); k += 2)
            samples_[kept++] = samples_[k];
        samples_.resize(kept);
    }
    samples_.push_back(sample_of(f));
}

double DyadRecording::first_ms() const
{
    std::lock_guard hold(mutex_);
    return samples_.front().time_ms;
}

double DyadRecording::last_ms() const
{
    std::lock_guard hold(mutex_);
    return samples_.back().time_ms;
}

std::shared_ptr<const DyadFrame> DyadRecording::at(double time_ms) const
{
    const auto f = frames_->at(time_ms);
    return f ? cell_of(*f) : nullptr;
}

std::shared_ptr<const DyadFrame> DyadRecording::cell_of(const RecordedFrame& f) const
{
    auto out = std::make_shared<DyadFrame>(like_);
    out->time_ms = f.time_ms;
    auto& p = out->picture;
    const auto n = static_cast<std::size_t>(p.grid.count());
    auto from = f.values.begin();
    for (const auto& field : fields) {
        auto& to = p.*field.of;
        to.resize(n);
        for (float& x : to)
            x = field.range.value(*from++);
    }
    p.open_RyR.resize(n);
    for (auto& x : p.open_RyR)
        x = static_cast<std::uint8_t>(std::lround(open.value(*from++)));
    p.v_mV = static_cast<double>(potential.value(*from));
    DyadSample now;
    {
        std::lock_guard hold(mutex_);
        const auto after =
            std::upper_bound(samples_.begin(), samples_.end(), f.time_ms,
                             [](double t, const DyadSample& s) { return t < s.time_ms; });
        const auto before =
            std::min(static_cast<std::ptrdiff_t>(DyadWatch::most), after - samples_.begin());
        out->history.assign(after - before, after);
        out->sparks = sparks_;
    }
    if (!out->history.empty())
        now = out->history.back();
    describe(p, now);
    return out;
}

void DyadRecordings::forget_from(double time_ms)
{
    std::lock_guard hold(mutex_);
    std::erase_if(cells_, [&](const auto& c) { return c->first_ms() >= time_ms; });
}

void DyadRecordings::append(const DyadFrame& f)
{
    forget_from(f.time_ms);
    std::shared_ptr<DyadRecording> last;
    {
        std::lock_guard hold(mutex_);
        const double gone_ms = f.time_ms - longest_gap * options_.every_ms;
        if (!cells_.empty() && cells_.back()->is_of(f) && cells_.back()->last_ms() >= gone_ms)
            last = cells_.back();
    }
    try {
        if (last) {
            last->append(f);
        } else {
            RecordingOptions o = options_;
            o.max_bytes /= cells_share;
            last = std::make_shared<DyadRecording>(f, o);
            std::lock_guard hold(mutex_);
            if (cells_.size() == most_cells)
                cells_.erase(cells_.begin());
            cells_.push_back(std::move(last));
        }
        std::lock_guard hold(mutex_);
        why_.clear();
    } catch (const InputError& e) {
        std::lock_guard hold(mutex_);
        why_ = e.reason;
    }
}

std::shared_ptr<const DyadRecording> DyadRecordings::watched_at(double time_ms) const
{
    std::lock_guard hold(mutex_);
    for (auto c = cells_.rbegin(); c != cells_.rend(); ++c)
        if ((*c)->first_ms() <= time_ms)
            return time_ms <= (*c)->last_ms() + longest_gap * (*c)->frames()->every_ms() ? *c
                                                                                         : nullptr;
    return nullptr;
}

std::shared_ptr<const DyadFrame> DyadRecordings::at(double time_ms) const
{
    const auto c = watched_at(time_ms);
    return c ? c->at(time_ms) : nullptr;
}

std::shared_ptr<const DyadRecording> DyadRecordings::newest() const
{
    std::lock_guard hold(mutex_);
    return cells_.empty() ? nullptr : cells_.back();
}

std::uint64_t DyadRecordings::bytes() const
{
    std::lock_guard hold(mutex_);
    std::uint64_t sum = 0;
    for (const auto& c : cells_)
        sum += c->frames()->bytes();
    return sum;
}

std::string DyadRecordings::why() const
{
    std::lock_guard hold(mutex_);
    return why_;
}

} // namespace tawara::simulation
