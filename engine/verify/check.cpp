// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verify/check.hpp"

#include "engine/core/error.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <utility>

namespace tawara::verify {
namespace {

double now_s()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

} // namespace

Bench::Bench(const Settings& settings, const Progress& progress, std::string group,
             std::string check, Taken taken)
    : settings_(settings), progress_(progress), group_(std::move(group)), check_(std::move(check)),
      taken_(std::move(taken)), pool_(std::max(1U, progress.context.threads)), begun_s_(now_s())
{
}

void Bench::add(Demand d, double figure, Verdict v, std::string reason)
{
    Row r;
    r.id = group_ + "." + d.id;
    r.group = group_;
    r.check = group_ + "." + check_;
    r.what = std::move(d.what);
    r.requirement = std::move(d.requirement);
    r.source = std::move(d.source);
    r.bound = d.bound;
    r.figure = figure;
    r.unit = std::move(d.unit);
    r.verdict = v;
    r.reason = std::move(reason);
    r.charts = std::move(d.charts);
    r.seconds = now_s() - begun_s_;
    taken_(std::move(r));
    begun_s_ = now_s();
}

void Bench::row(Demand d, double figure)
{
    const auto v = judged(figure, d.bound);
    add(std::move(d), figure, v, {});
}

void Bench::skip(Demand d, const std::string& why)
{
    add(std::move(d), unknown, Verdict::skipped, why);
}

void Bench::fail(Demand d, const std::string& why)
{
    add(std::move(d), unknown, Verdict::missed, why);
}

void Bench::row(Demand d, const std::function<double()>& figure)
{
    try {
        const double found = figure();
        row(std::move(d), found);
    } catch (const Cancelled&) {
        throw;
    } catch (const Skip& e) {
        skip(std::move(d), e.what());
    } catch (const std::exception& e) {
        fail(std::move(d), e.what());
    }
}

std::vector<Group> groups()
{
    return {diffusion_group(),  conservation_group(), stability_group(), velocity_group(),
            niederer_group(),   cable_group(),        cells_group(),     papers_group(),
            partitions_group(), devices_group(),      savings_group(),   spiral_group(),
            ecg_group(),        implicit_group(),     calcium_group()};
}

} // namespace tawara::verify
