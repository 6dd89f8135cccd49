// SPDX-License-Identifier: GPL-3.0-or-later
// What files of checkpoints hold, by other code than the program's.
#pragma once
#include "engine/simulation/results/checkpoint.hpp"

#include <cstring>
#include <string>
#include <vector>
#include <zlib.h>

namespace tawara::checkpoint_bytes {

/// A file of version 1 around unpacked bytes.
inline std::string version_1(const std::string& bytes)
{
    uLongf size = compressBound(bytes.size());
    std::string packed(size, '\0');
    compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
              reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), 1);
    const std::uint64_t full = bytes.size();
    return "TAWARAC1" + std::string(reinterpret_cast<const char*>(&full), sizeof full) +
           packed.substr(0, size);
}

/// What a file of version 2 holds, unpacked.
inline std::string unpacked(const std::string& file)
{
    constexpr std::size_t full_at = 16, packed_at = 32; // after magic, version and checksum
    std::uint64_t full = 0;
    std::memcpy(&full, file.data() + full_at, sizeof full);
    std::string out(full, '\0');
    uLongf size = full;
    uncompress(reinterpret_cast<Bytef*>(out.data()), &size,
               reinterpret_cast<const Bytef*>(file.data() + packed_at), file.size() - packed_at);
    return out;
}

/// A checkpoint as that version had it before tables had names, unpacked.
inline std::string bytes_of_version(int version, const simulation::Checkpoint& c)
{
    const auto& ecg = c.tables.at("ecg.csv");
    std::string out;
    const auto raw = [&](const void* p, std::size_t n) {
        out.append(static_cast<const char*>(p), n);
    };
    const auto number = [&](std::uint64_t n) { raw(&n, sizeof n); };
    const auto text = [&](const std::string& s) {
        number(s.size());
        out += s;
    };
    const auto list = [&](const auto& v) {
        number(v.size());
        raw(v.data(), v.size() * sizeof v[0]);
    };
    const auto texts = [&](const std::vector<std::string>& v) {
        number(v.size());
        for (const auto& s : v)
            text(s);
    };
    text(c.fingerprint);
    if (version == 2)
        list(c.layout);
    number(static_cast<std::uint64_t>(c.state.step));
    list(c.state.v);
    number(c.state.states.size());
    for (const auto& s : c.state.states)
        list(s);
    for (const auto* v :
         {&c.state.activation_ms, &c.state.repolarisation_ms, &c.state.peak_mV, &c.state.rest_mV})
        list(*v);
    if (version == 2)
        list(c.state.quiescent), texts(c.probes.names);
    list(c.probes.time_ms);
    list(c.probes.V_mV);
    if (version == 1)
        texts(c.probes.names), list(c.state.quiescent);
    text(c.probes_of);
    texts(ecg.rows.names);
    list(ecg.rows.time_ms);
    list(ecg.rows.V_mV);
    text(ecg.of);
    number(static_cast<std::uint64_t>(c.traces.first_step));
    number(c.traces.V_mV.size());
    for (const auto& v : c.traces.V_mV)
        list(v);
    list(std::vector<double>{c.threshold_mV});
    number(c.pulses.size());
    for (const auto& s : c.pulses) {
        text(s.of);
        list(s.verdicts);
        list(s.watch);
    }
    if (version == 1)
        list(c.layout);
    list(std::vector<double>{});
    list(std::vector<double>{c.maps_from_ms});
    return out;
}

} // namespace tawara::checkpoint_bytes
