// SPDX-License-Identifier: GPL-3.0-or-later
// Action potentials of the library's models against the papers.
#include "engine/cell/single_cell.hpp"
#include "engine/core/error.hpp"
#include "engine/verify/check.hpp"
#include "engine/verify/number.hpp"
#include "engine/verify/problems/library_cells.hpp"
#include "engine/verify/problems/published_beats.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace tawara::verify {
namespace {

constexpr double cycle_ms = 1000;

cell::ActionPotential last_beat(Bench& b, const PublishedBeat& p)
{
    cell::SingleCellOptions o;
    o.type = cell::make_cell_type(p.model, p.variant, {}, {});
    const auto& info = cell::model_info(p.model);
    const cell::ModelInfo* of[]{&info};
    o.scheme = cell::usual_scheme(of);
    constexpr double most_dt_ms = 0.02; // upstrokes want shorter steps than APD90
    o.dt_ms = std::min(most_dt_ms, cell::largest_step(info, o.scheme));
    o.end_ms = p.beats() * cycle_ms;
    o.sample_every_ms = 0;
    o.stimulus_pA_per_pF = p.amplitude_pA_per_pF;
    o.stimulus_period_ms = cycle_ms;
    o.stop = b.progress().stop;
    const auto r = cell::run_single_cell(o);
    b.progress().at(0, "running");
    if (r.beats.empty())
        throw Error("the pulses make no action potential");
    return r.beats.back();
}

/// Where the bounds of a beat are from.
std::string read_off(const PublishedBeat& p)
{
    const std::string_view paper = p.paper;
    const bool printed = paper.find("Fig.") != paper.npos || paper.find("Table") != paper.npos;
    return printed ? "what is read off the paper's figures"
                   : "what the paper's text says, and what the model was found to have where it "
                     "says nothing";
}

void beats(Bench& b)
{
    for (const auto& p : published_beats) {
        const std::string id =
            std::string(p.model) + (*p.variant == '\0' ? "" : std::string(".") + p.variant);
        const std::string of = " of beat " + std::to_string(p.beats()) + " at 1 Hz, " + p.model +
                               (*p.variant == '\0' ? "" : std::string(", ") + p.variant);
        const Demand apd{
            id + ".apd90", "APD90" + of,
            read_off(p),   within(p.apd90_ms - p.apd90_by_ms, p.apd90_ms + p.apd90_by_ms),
            "ms",          {},
            p.paper},
            rest{id + ".rest", "V at rest" + of,
                 read_off(p),  within(p.rest_mV - p.rest_by_mV, p.rest_mV + p.rest_by_mV),
                 "mV",         {},
                 p.paper};
        constexpr std::size_t most_states = 60; // more take longer than all others together
        if (b.short_form() &&
            (p.beats() > 6 || cell::model_info(p.model).states.size() > most_states))
            continue;
        try {
            const auto ap = last_beat(b, p);
            b.row(apd, ap.apd90_ms);
            b.row(rest, ap.rest_mV);
        } catch (const Cancelled&) {
            throw;
        } catch (const Error& e) {
            b.fail(apd, e.what());
            b.fail(rest, e.what());
        }
    }
}

/// A row for each cell of the library that no published value is known of, also of a model that
/// is new in it.
void unpublished(Bench& b)
{
    std::vector<LibraryCell> published;
    for (const auto& p : published_beats)
        published.push_back({p.model, p.variant});
    for (const auto& c : cells_beyond(published)) {
        const auto* why = std::find_if(without_published_beat.begin(), without_published_beat.end(),
                                       [&](const auto& w) { return c.model == w.model; });
        b.skip({c.model + (c.variant.empty() ? "" : "." + c.variant) + ".apd90",
                "APD90 and V at rest at 1 Hz, " + c.model +
                    (c.variant.empty() ? "" : ", " + c.variant),
                "what is read off the paper's figures",
                {},
                "ms",
                {},
                "none is known"},
               why == without_published_beat.end()
                   ? "no value that its paper prints is known to this table"
                   : why->reason);
    }
}

} // namespace

Group papers_group()
{
    return {"papers",
            "action potentials against the models' papers",
            {{"beats", "rest and APD90 at 1 Hz", true, beats, "the models' papers"},
             {"unpublished", "cells of the library of which no published value is known", true,
              unpublished, "the models' papers"}}};
}

} // namespace tawara::verify
