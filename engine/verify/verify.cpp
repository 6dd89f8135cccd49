// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verify/verify.hpp"

#include "engine/core/error.hpp"
#include "engine/core/machine.hpp"
#include "engine/core/nearest.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace tawara::verify {
namespace {

/// The row that stands for a whole check.
Row whole(const Group& g, const Check& c, Verdict v, const std::string& reason)
{
    Row r;
    r.id = r.check = g.name + "." + c.id;
    r.group = g.name;
    r.what = c.what;
    r.verdict = v;
    r.reason = reason;
    return r;
}

/// Whether this form of the table has a check.
bool in_this_form(const Settings& s, const Group& g, const Check& c)
{
    return s.short_form ? c.in_short
                        : c.in_whole || std::find(s.only.begin(), s.only.end(),
                                                  g.name + "." + c.id) != s.only.end();
}

/// "a row of that name is made by one of cells.cvode, cells.order"; empty where no group
/// has a row of that name.
std::string known_in(std::span<const Group> groups, const std::string& row)
{
    for (const auto& g : groups)
        if (row.starts_with(g.name + ".")) {
            std::string out;
            for (const auto& c : g.checks)
                out += (out.empty() ? "" : ", ") + g.name + "." + c.id;
            return "a row of that name is made by one of " + out;
        }
    return {};
}

} // namespace

std::size_t Table::count(Verdict v) const
{
    return static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [v](const Row& r) { return r.verdict == v; }));
}

Table make_table(const Settings& settings, std::span<const Group> groups, const Progress& progress,
                 const std::function<void(const Row&)>& taken)
{
    Table t;
    t.settings = settings;
    t.begun = utc_now();
    const auto begun = std::chrono::steady_clock::now();
    const Check* now = nullptr;
    const auto take = [&](Row r) {
        if (r.source.empty())
            r.source = now->source;
        if (taken)
            taken(r);
        t.rows.push_back(std::move(r));
    };
    double checks = 0, done = 0;
    for (const auto& g : groups)
        checks += static_cast<double>(
            std::count_if(g.checks.begin(), g.checks.end(),
                          [&](const Check& c) { return in_this_form(settings, g, c); }));
    for (const auto& g : groups)
        for (const auto& c : g.checks) {
            if (!in_this_form(settings, g, c))
                continue;
            now = &c;
            if (t.stopped) {
                take(whole(g, c, Verdict::skipped, "the table was stopped before"));
                continue;
            }
            try {
                progress.at(done / checks, "running");
                Bench bench(settings, progress.silent(), g.name, c.id, take);
                const auto rows = t.rows.size();
                c.run(bench);
                if (t.rows.size() == rows)
                    take(whole(g, c, Verdict::missed, "it made no row"));
            } catch (const Cancelled&) {
                t.stopped = true;
                take(whole(g, c, Verdict::skipped, "the table was stopped here"));
            } catch (const Skip& e) {
                take(whole(g, c, Verdict::skipped, e.what()));
            } catch (const std::exception& e) {
                take(whole(g, c, Verdict::missed, e.what()));
            }
            ++done;
        }
    t.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    return t;
}

std::vector<Group> chosen(std::vector<Group> groups, std::span<const std::string> names)
{
    if (names.empty())
        return groups;
    std::vector<std::string> known;
    for (const auto& g : groups) {
        known.push_back(g.name);
        for (const auto& c : g.checks)
            known.push_back(g.name + "." + c.id);
    }
    const auto named = [](std::span<const std::string> in, const std::string& name) {
        return std::find(in.begin(), in.end(), name) != in.end();
    };
    for (const auto& n : names)
        if (!named(known, n))
            throw InputError("--only " + n, "there is no such group or check; " +
                                                (known_in(groups, n).empty()
                                                     ? "the nearest known is " + nearest(n, known)
                                                     : known_in(groups, n)) +
                                                " (--list names all)");
    for (auto& g : groups)
        if (!named(names, g.name))
            std::erase_if(g.checks,
                          [&](const Check& c) { return !named(names, g.name + "." + c.id); });
    std::erase_if(groups, [](const Group& g) { return g.checks.empty(); });
    return groups;
}

} // namespace tawara::verify
