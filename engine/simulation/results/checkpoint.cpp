// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/checkpoint.hpp"

#include "engine/cell/normal.hpp"
#include "engine/core/error.hpp"
#include "engine/simulation/observe/table_rows.hpp"
#include "engine/simulation/session/session_keys.hpp"
#include "engine/simulation/session/session_purkinje.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <zlib.h>

namespace tawara::simulation {
namespace {

/// CRC-32 over pieces of any size.
template <class T>
void add(uLong& crc, const std::vector<T>& v)
{
    const auto* p = reinterpret_cast<const Bytef*>(v.data());
    std::size_t left = v.size() * sizeof(T);
    while (left) {
        const auto n = static_cast<uInt>(std::min<std::size_t>(left, 1u << 30));
        crc = crc32(crc, p, n);
        p += n;
        left -= n;
    }
}

/// A fingerprint's parts.
struct Print
{
    std::size_t unknowns = 0;
    double dt_ms = 0;
    int splitting = 0, stepping = 0;
    std::set<std::string> cells; ///< words of schemes and models
    std::string precision;
    /// Of cells with dyads what their identities say behind the model's name.
    std::string dyads() const
    {
        std::string out;
        for (const auto& word : cells)
            if (const auto colon = word.find(':'); colon != std::string::npos)
                out += (out.empty() ? "" : " and ") + word.substr(colon + 1);
        return out;
    }

    explicit Print(const std::string& text)
    {
        int kind = 0, stages = 0, end = 0;
        unsigned long crc = 0;
        std::sscanf(text.c_str(),
                    "%zu unknowns, dt %lf ms, split %d, step %d, sub %d x %d, crc %lx, %n",
                    &unknowns, &dt_ms, &splitting, &stepping, &kind, &stages, &crc, &end);
        const auto space = text.rfind(' ');
        if (end <= 0 || space == std::string::npos || space + 1 < static_cast<std::size_t>(end))
            return;
        const auto from = static_cast<std::size_t>(end);
        std::istringstream words(text.substr(from, space - from));
        for (std::string word; words >> word;)
            cells.insert(word);
        precision = text.substr(space + 1);
    }
};

/// With as many digits as it has.
std::string exact(double x)
{
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

} // namespace

std::string fingerprint(const device::TissueProblem& p, const Session& s, Precision precision)
{
    uLong crc = crc32(0, nullptr, 0);
    add(crc, p.system.alpha.first);
    add(crc, p.system.alpha.column);
    add(crc, p.system.alpha.value);
    add(crc, p.group);
    // one byte a type wherever that is enough, as checkpoints have it that were written when it
    // always was
    if (std::all_of(p.type.begin(), p.type.end(), [](auto t) { return t <= 0xff; }))
        add(crc, std::vector<std::uint8_t>(p.type.begin(), p.type.end()));
    else
        add(crc, p.type);
    std::string cells;
    for (const auto& g : p.groups) {
        cells += (g.reaction ? g.reaction->identity() : std::string(cell::name(g.scheme))) + " ";
        for (const auto& t : g.types) {
            if (!g.reaction)
                cells += t.model + " ";
            add(crc, cell::parameters_in_use(t));
            if (cell::is_file(t.model)) // its text is not this program's
                add(crc, std::vector<std::uint64_t>{cell::text_digest(t)});
        }
    }
    for (const Key& key : session_keys()) {
        using Fixed = Key::Fixed;
        const auto fixed = key.also.fixed;
        if (fixed == Fixed::no || fixed == Fixed::problem || !key.member.of(typeid(Session)) ||
            key.member.get(&s) == key.member.fallback())
            continue;
        if (fixed == Fixed::value)
            add(crc, std::vector<char>(key.at.begin(), key.at.end()));
        const double value = key.member.get(&s);
        add(crc, std::vector<double>{fixed == Fixed::negated ? -value : value});
    }
    const auto network = purkinje_text(s);
    add(crc, std::vector<char>(network.begin(), network.end()));
    char text[160];
    std::snprintf(text, sizeof text,
                  "%zu unknowns, dt %.17g ms, split %d, step %d, sub %d x %d, crc %08lx, ",
                  p.size(), p.dt_ms, static_cast<int>(p.splitting), static_cast<int>(p.stepping),
                  static_cast<int>(p.substeps.kind), p.substeps.stages, crc);
    return text + cells + std::string(name(precision));
}

std::vector<double> StepTraces::times_ms(double dt_ms) const
{
    std::vector<double> out;
    out.reserve(static_cast<std::size_t>(steps()));
    for (std::int64_t k = 0; k < steps(); ++k)
        out.push_back(static_cast<double>(first_step + k) * dt_ms);
    return out;
}

std::string difference(const std::string& of_checkpoint, const std::string& here, bool same_mesh)
{
    const Print a(of_checkpoint), b(here);
    std::string out;
    const auto add = [&](const std::string& text) { out += (out.empty() ? "" : "; ") + text; };
    if (a.unknowns != b.unknowns)
        add("mesh or diffusion.scheme differ (" + std::to_string(a.unknowns) + " unknowns, here " +
            std::to_string(b.unknowns) + ")");
    if (a.dt_ms != b.dt_ms)
        add("time step is " + exact(a.dt_ms) + " ms, here " + exact(b.dt_ms) + " ms");
    if (a.precision != b.precision)
        add("precision is " + a.precision + ", here " + b.precision);
    if (a.splitting != b.splitting)
        add("diffusion.splitting differs");
    if (a.stepping != b.stepping)
        add("diffusion.stepping differs");
    const auto dyads_a = a.dyads(), dyads_b = b.dyads();
    if (dyads_a != dyads_b && !dyads_a.empty() && !dyads_b.empty())
        add("dyads are " + dyads_a + ", here " + dyads_b);
    else if (a.cells != b.cells)
        add("cell models or reaction.scheme differ");
    if (out.empty())
        add(std::string(same_mesh ? "" : "mesh, ") +
            "tissue, conductivities, parameters, drugs, mass, tables, rest tolerance" +
            (a.stepping == static_cast<int>(device::Stepping::newton)
                 ? ", settings of Newton's method (diffusion.newton, time.dt_max_ms)"
                 : "") +
            " or the Purkinje network differ");
    return out;
}

TissueEdit branch_at(double time_ms)
{
    return {time_ms, "the run branched off"};
}

std::vector<double> layout_print(const device::TissueProblem& p, const mesh::TetMesh& m)
{
    uLong mesh = crc32(0, nullptr, 0), cells = mesh;
    for (const auto* x : {&m.x, &m.y, &m.z})
        add(mesh, *x);
    for (const auto& corner : m.corner)
        add(mesh, corner);
    std::map<std::string, std::uint32_t> number; // of each model, as they come
    std::vector<std::vector<std::uint32_t>> model(p.groups.size());
    for (std::size_t g = 0; g < p.groups.size(); ++g)
        for (const auto& t : p.groups[g].types) {
            const auto [at, fresh] = number.emplace(
                (p.groups[g].reaction ? p.groups[g].reaction->identity() : t.model) +
                    (cell::is_file(t.model) ? std::to_string(cell::text_digest(t)) : ""),
                0);
            if (fresh)
                at->second = static_cast<std::uint32_t>(
                    crc32(0, reinterpret_cast<const Bytef*>(at->first.data()),
                          static_cast<uInt>(at->first.size())));
            model[g].push_back(at->second);
        }
    std::vector<std::uint32_t> of_unknown(p.size());
    for (std::size_t u = 0; u < p.size(); ++u)
        if (p.has_cells(u))
            of_unknown[u] =
                model[static_cast<std::size_t>(p.group[u])][static_cast<std::size_t>(p.type[u])];
    add(cells, of_unknown);
    return {static_cast<double>(p.size()), static_cast<double>(p.system.scheme), p.dt_ms,
            static_cast<double>(mesh), static_cast<double>(cells)};
}

std::string probes_print(std::span<const Probe> probes)
{
    std::string out;
    for (const auto& p : probes)
        out += place_text(p.position_mm);
    return out;
}

bool differs(const Checkpoint& c, const Checkpoint& here, bool branch,
             const std::filesystem::path& file)
{
    if (c.fingerprint == here.fingerprint)
        return false;
    const std::string others = difference(c.fingerprint, here.fingerprint);
    if (!branch)
        throw InputError(file.string(),
                         "belongs to another simulation: " + others +
                             ". Resume with the session and precision that wrote the checkpoint; "
                             "stimuli, probes, ECG, outputs and end may differ. With --branch, "
                             "parameters, drugs, conductivities and reaction scheme may differ "
                             "too");
    if (c.layout.empty())
        throw InputError(file.string(), "was written by an earlier version, and no run can branch "
                                        "off from it; write the checkpoint again");
    const Print before(c.fingerprint), now(here.fingerprint);
    if (before.precision != now.precision && !now.dyads().empty())
        throw InputError(file.string(), "has cells with dyads in " + before.precision +
                                            " precision, whose states are others in " +
                                            now.precision + "; branch off with --precision " +
                                            before.precision);
    if (c.layout == here.layout)
        return true;
    const char* const what[] = {"unknowns", "diffusion.scheme", "time step", "mesh", "cell models"};
    std::string differ;
    for (std::size_t k = 0; k < std::size(what) && k < c.layout.size(); ++k)
        if (c.layout[k] != here.layout[k])
            differ += (differ.empty() ? "" : ", ") + std::string(what[k]);
    throw InputError(file.string(), "a branch needs the checkpoint's mesh, diffusion.scheme, time "
                                    "step and cell models; these differ: " +
                                        differ);
}

void need_other_folder(const std::filesystem::path& out, const std::filesystem::path& checkpoint)
{
    std::error_code none;
    const auto of = std::filesystem::weakly_canonical(checkpoint, none).parent_path();
    if (std::filesystem::equivalent(out, of, none))
        throw InputError("--out", "is " + out.string() +
                                      ", the folder of the checkpoint's own run; a branch would "
                                      "replace that run's outputs. Give the branch another folder");
}

} // namespace tawara::simulation
