// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/checkpoint.hpp"

#include "engine/core/error.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/observe/ecg.hpp"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <zlib.h>

namespace tawara::simulation {
namespace {

constexpr char magic[8] = {'T', 'A', 'W', 'A', 'R', 'A', 'C', '1'};

/// Packs values into a byte string.
class Pack
{
  public:
    std::string bytes;

    void put(const void* data, std::size_t n) { bytes.append(static_cast<const char*>(data), n); }
    void put(std::uint64_t n) { put(&n, sizeof n); }
    void put(const std::string& s)
    {
        put(static_cast<std::uint64_t>(s.size()));
        put(s.data(), s.size());
    }
    template <class T>
    void put(const std::vector<T>& v)
    {
        put(static_cast<std::uint64_t>(v.size()));
        put(v.data(), v.size() * sizeof(T));
    }
    void put(const std::vector<std::string>& list)
    {
        put(static_cast<std::uint64_t>(list.size()));
        for (const auto& s : list)
            put(s);
    }
};

class Unpack
{
  public:
    Unpack(const std::string& bytes, const std::filesystem::path& file) : bytes_(bytes), file_(file)
    {
    }

    void get(void* to, std::size_t n)
    {
        if (n > bytes_.size() - at_)
            throw InputError(file_.string(), "the checkpoint ends too early; use an older one");
        std::memcpy(to, bytes_.data() + at_, n);
        at_ += n;
    }
    std::uint64_t count()
    {
        std::uint64_t n = 0;
        get(&n, sizeof n);
        if (n > bytes_.size())
            throw InputError(file_.string(), "the checkpoint is damaged; use an older one");
        return n;
    }
    std::string text()
    {
        std::string s(count(), '\0');
        get(s.data(), s.size());
        return s;
    }
    bool at_end() const { return at_ == bytes_.size(); }
    template <class T = double>
    std::vector<T> numbers()
    {
        std::vector<T> v(count());
        get(v.data(), v.size() * sizeof(T));
        return v;
    }
    std::vector<std::string> texts()
    {
        std::vector<std::string> list(count());
        for (auto& s : list)
            s = text();
        return list;
    }

  private:
    const std::string& bytes_;
    std::filesystem::path file_;
    std::size_t at_ = 0;
};

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

std::string place_text(const Vec3& position_mm)
{
    std::string out;
    for (double x : position_mm)
        append_number(out += ' ', x, 9);
    return out + '\n';
}

/// With as many digits as it has.
std::string exact(double x)
{
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

} // namespace

std::string fingerprint(const device::TissueProblem& p, Precision precision)
{
    uLong crc = crc32(0, nullptr, 0);
    add(crc, p.system.alpha.first);
    add(crc, p.system.alpha.column);
    add(crc, p.system.alpha.value);
    add(crc, p.group);
    add(crc, p.type);
    std::string cells;
    for (const auto& g : p.groups) {
        cells += std::string(cell::name(g.scheme)) + " ";
        for (const auto& t : g.types) {
            cells += t.model + " ";
            add(crc, t.parameters);
            if (cell::is_file(t.model)) // its text is not this program's
                add(crc, std::vector<std::uint64_t>{cell::text_digest(t)});
        }
    }
    if (p.rest_tolerance_mV > 0)
        add(crc, std::vector<double>{p.rest_tolerance_mV});
    if (p.table_step_mV > 0)
        add(crc, std::vector<double>{-p.table_step_mV});
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

std::string difference(const std::string& of_checkpoint, const std::string& here)
{
    const Print a(of_checkpoint), b(here);
    std::string out;
    const auto add = [&](const std::string& text) { out += (out.empty() ? "" : "; ") + text; };
    if (a.unknowns != b.unknowns)
        add("its mesh or diffusion.scheme is another one (" + std::to_string(a.unknowns) +
            " unknowns, here " + std::to_string(b.unknowns) + ")");
    if (a.dt_ms != b.dt_ms)
        add("its time step is " + exact(a.dt_ms) + " ms, here " + exact(b.dt_ms) + " ms");
    if (a.precision != b.precision)
        add("its precision is " + a.precision + ", here " + b.precision);
    if (a.splitting != b.splitting)
        add("its diffusion.splitting is another one");
    if (a.stepping != b.stepping)
        add("its diffusion.stepping is another one");
    if (a.cells != b.cells)
        add("its cell models or reaction.scheme are others");
    if (out.empty())
        add("its tissue, conductivities, parameters, drugs, mass, tables or rest tolerance are "
            "others");
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
                t.model + (cell::is_file(t.model) ? std::to_string(cell::text_digest(t)) : ""), 0);
            if (fresh)
                at->second = static_cast<std::uint32_t>(
                    crc32(0, reinterpret_cast<const Bytef*>(at->first.data()),
                          static_cast<uInt>(at->first.size())));
            model[g].push_back(at->second);
        }
    std::vector<std::uint32_t> of_unknown(p.size());
    for (std::size_t u = 0; u < p.size(); ++u)
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

std::string ecg_print(const EcgLayout& layout)
{
    std::string out;
    for (const auto& e : layout.electrodes)
        out += e.name + place_text(e.position_mm);
    for (const auto& lead : layout.leads)
        for (const auto& [name, weight] : lead.weights)
            append_number(out += lead.name + ' ' + name + ' ', weight, 9);
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
                         "is of another simulation: " + others +
                             ". Resume with the session and precision that wrote it; its stimuli, "
                             "probes, ECG, outputs and end may be others; --branch takes other "
                             "parameters, drugs, conductivities and reaction schemes, too");
    if (c.layout.empty())
        throw InputError(file.string(), "is of an earlier version, from which no run can branch "
                                        "off; write it again");
    if (c.layout == here.layout)
        return true;
    const char* const what[] = {"unknowns", "diffusion.scheme", "time step", "mesh", "cell models"};
    std::string differ;
    for (std::size_t k = 0; k < std::size(what) && k < c.layout.size(); ++k)
        if (c.layout[k] != here.layout[k])
            differ += (differ.empty() ? "" : ", ") + std::string(what[k]);
    throw InputError(file.string(), "no run with another mesh, diffusion.scheme or time step or "
                                    "other cell models can branch off; other are: " +
                                        differ);
}

void need_other_folder(const std::filesystem::path& out, const std::filesystem::path& checkpoint)
{
    std::error_code none;
    const auto of = std::filesystem::weakly_canonical(checkpoint, none).parent_path();
    if (std::filesystem::equivalent(out, of, none))
        throw InputError("--out", "is " + out.string() +
                                      ", the folder of the checkpoint's own run, whose outputs a "
                                      "branch would replace; give the branch a folder of its own");
}

void write_checkpoint(const Checkpoint& c, const std::filesystem::path& file)
{
    Pack p;
    p.put(c.fingerprint);
    p.put(static_cast<std::uint64_t>(c.state.step));
    p.put(c.state.v);
    p.put(static_cast<std::uint64_t>(c.state.states.size()));
    for (const auto& s : c.state.states)
        p.put(s);
    for (const auto* v : {&c.state.activation_ms, &c.state.repolarisation_ms, &c.state.peak_mV,
                          &c.state.rest_mV, &c.probes.time_ms, &c.probes.V_mV})
        p.put(*v);
    p.put(c.probes.names);
    p.put(c.state.resting);
    p.put(c.probes_of);
    p.put(c.ecg.names);
    p.put(c.ecg.time_ms);
    p.put(c.ecg.V_mV);
    p.put(c.ecg_of);
    p.put(static_cast<std::uint64_t>(c.traces.first_step));
    p.put(static_cast<std::uint64_t>(c.traces.V_mV.size()));
    for (const auto& v : c.traces.V_mV)
        p.put(v);
    p.put(std::vector<double>{c.threshold_mV});
    p.put(static_cast<std::uint64_t>(c.pulses.size()));
    for (const auto& s : c.pulses) {
        p.put(s.of);
        p.put(s.verdicts);
        p.put(s.watch);
    }
    p.put(c.layout);
    std::vector<double> branched_ms;
    for (const auto& b : c.branches)
        branched_ms.push_back(b.time_ms);
    p.put(branched_ms);
    p.put(std::vector<double>{c.maps_from_ms});
    uLongf size = compressBound(p.bytes.size());
    std::string packed(size, '\0');
    if (compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                  reinterpret_cast<const Bytef*>(p.bytes.data()), p.bytes.size(), 1) != Z_OK)
        throw Error("zlib could not compress a checkpoint");
    write_whole(file, [&](std::ostream& out) {
        const std::uint64_t full = p.bytes.size();
        out.write(magic, sizeof magic);
        out.write(reinterpret_cast<const char*>(&full), sizeof full);
        out.write(packed.data(), static_cast<std::streamsize>(size));
    });
}

Checkpoint read_checkpoint(const std::filesystem::path& file)
{
    std::ifstream in(file, std::ios::binary);
    if (!in)
        throw InputError(file.string(),
                         "cannot be opened; give a checkpoint-*.tcp of an earlier run");
    const std::string all{std::istreambuf_iterator<char>(in), {}};
    std::uint64_t full = 0;
    if (all.size() < sizeof magic + sizeof full ||
        std::memcmp(all.data(), magic, sizeof magic) != 0)
        throw InputError(file.string(), "is no Tawara checkpoint; give a checkpoint-*.tcp");
    std::memcpy(&full, all.data() + sizeof magic, sizeof full);
    const std::size_t head = sizeof magic + sizeof full;
    std::string bytes;
    uLongf size = 0;
    if (full < (std::uint64_t(1) << 12) * all.size() + 4096) { // zlib packs by 1032 to 1 at most
        bytes.resize(full);
        size = full;
    }
    if (bytes.empty() ||
        uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size,
                   reinterpret_cast<const Bytef*>(all.data() + head), all.size() - head) != Z_OK ||
        size != full)
        throw InputError(file.string(),
                         "the checkpoint is damaged or was cut short; use an older one");
    Unpack u(bytes, file);
    Checkpoint c;
    c.fingerprint = u.text();
    std::uint64_t step = 0;
    u.get(&step, sizeof step);
    c.state.step = static_cast<std::int64_t>(step);
    c.state.v = u.numbers();
    c.state.states.resize(u.count());
    for (auto& s : c.state.states)
        s = u.numbers();
    for (auto* v : {&c.state.activation_ms, &c.state.repolarisation_ms, &c.state.peak_mV,
                    &c.state.rest_mV, &c.probes.time_ms, &c.probes.V_mV})
        *v = u.numbers();
    c.probes.names = u.texts();
    if (!u.at_end())
        c.state.resting = u.numbers();
    if (u.at_end())
        return c; // of an earlier version
    c.probes_of = u.text();
    c.ecg.names = u.texts();
    c.ecg.time_ms = u.numbers();
    c.ecg.V_mV = u.numbers();
    c.ecg_of = u.text();
    u.get(&step, sizeof step);
    c.traces.first_step = static_cast<std::int64_t>(step);
    c.traces.V_mV.resize(u.count());
    for (auto& v : c.traces.V_mV)
        v = u.numbers<float>();
    if (!u.at_end())
        if (const std::vector<double> threshold = u.numbers(); threshold.size() == 1)
            c.threshold_mV = threshold[0];
    if (!u.at_end())
        c.pulses.resize(u.count());
    for (auto& s : c.pulses) {
        s.of = u.text();
        s.verdicts = u.numbers();
        s.watch = u.numbers();
    }
    if (!u.at_end())
        c.layout = u.numbers();
    if (!u.at_end()) {
        for (const double time_ms : u.numbers())
            c.branches.push_back(branch_at(time_ms));
        if (const std::vector<double> from = u.numbers(); from.size() == 1)
            c.maps_from_ms = from[0];
    }
    return c;
}

} // namespace tawara::simulation
