// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/checkpoint.hpp"

#include "engine/core/error.hpp"
#include "engine/core/whole_file.hpp"

#include <cstring>
#include <fstream>
#include <iterator>
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
    void put(const std::vector<double>& v)
    {
        put(static_cast<std::uint64_t>(v.size()));
        put(v.data(), v.size() * sizeof(double));
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
    std::vector<double> doubles()
    {
        std::vector<double> v(count());
        get(v.data(), v.size() * sizeof(double));
        return v;
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
    p.put(static_cast<std::uint64_t>(c.probes.names.size()));
    for (const auto& n : c.probes.names)
        p.put(n);
    if (!c.state.resting.empty())
        p.put(c.state.resting);
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
    c.state.v = u.doubles();
    c.state.states.resize(u.count());
    for (auto& s : c.state.states)
        s = u.doubles();
    for (auto* v : {&c.state.activation_ms, &c.state.repolarisation_ms, &c.state.peak_mV,
                    &c.state.rest_mV, &c.probes.time_ms, &c.probes.V_mV})
        *v = u.doubles();
    c.probes.names.resize(u.count());
    for (auto& n : c.probes.names)
        n = u.text();
    if (!u.at_end())
        c.state.resting = u.doubles();
    return c;
}

} // namespace tawara::simulation
