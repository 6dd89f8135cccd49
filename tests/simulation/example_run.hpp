// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of the worked examples with all that is asked of them. No program of its own.
#pragma once
#include "engine/device/stepper.hpp"
#include "engine/simulation/observe/ecg.hpp"
#include "engine/simulation/observe/ecg_beats.hpp"
#include "engine/simulation/results/figures.hpp"
#include "engine/simulation/tissue/purkinje.hpp"
#include "engine/simulation/tissue/tissue.hpp"

#include <QDirIterator>
#include <QProcess>
#include <QTemporaryDir>
#include <cmath>
#include <map>

namespace tawara::simulation {

inline Session example(const char* name)
{
    return read_session(std::string(TAWARA_SOURCE_DIR "/resources/sessions/") + name + ".json");
}

struct ExampleRun
{
    std::map<std::string, std::vector<Beat>> beats; ///< by probe
    std::vector<double> ecg_ms;
    std::map<std::string, std::vector<float>> ecg; ///< by lead
    device::Maps maps;
    cable::NetworkTimes network; ///< where the session has one
};

inline ExampleRun run(const Session& s, double until_ms)
{
    ExampleRun out;
    const auto t = build_tissue(s);
    const auto stepper = device::make_stepper(t.problem, {"cpu", Precision::single, 0});
    for (std::size_t k = 0; k < s.stimuli.size(); ++k)
        for (auto& source : sources_of(t, s.stimuli[k], "s", "/stimuli"))
            stepper->add_stimulus(std::move(source));
    const auto* network =
        t.network ? &add_network(*t.network, joints_of(*t.network), *stepper) : nullptr;
    const auto every = std::llround(1 / s.dt_ms);
    stepper->set_probes(probe_weights(t, s.probes, "s"), std::llround(0.5 / s.dt_ms));
    EcgField field;
    if (s.has_ecg())
        field = EcgField(*t.mesh, t.stars, t.on_vertices(), t.patches,
                         ecg_layout(t, s.electrodes, s.leads, "s"), s.bath_conductivity_S_per_m);
    std::vector<double> v(t.problem.size());
    std::vector<double> times;
    std::vector<std::vector<float>> traces(s.probes.size());
    const auto sample_ecg = [&] {
        if (field.empty())
            return;
        stepper->potential(v);
        out.ecg_ms.push_back(stepper->time_ms());
        const auto mV = field.leads(v);
        for (std::size_t l = 0; l < mV.size(); ++l)
            out.ecg[field.layout().leads[l].name].push_back(mV[l]);
    };
    sample_ecg();
    while (stepper->time_ms() < until_ms) {
        stepper->advance(every);
        std::vector<std::int64_t> steps;
        std::vector<double> samples;
        stepper->take_samples(steps, samples);
        for (std::size_t k = 0; k < steps.size(); ++k) {
            times.push_back(static_cast<double>(steps[k]) * s.dt_ms);
            for (std::size_t p = 0; p < traces.size(); ++p)
                traces[p].push_back(static_cast<float>(samples[k * traces.size() + p]));
        }
        sample_ecg();
    }
    for (std::size_t p = 0; p < traces.size(); ++p)
        out.beats[s.probes[p].name] = beats_of(times, traces[p]);
    out.maps = stepper->maps();
    if (network != nullptr)
        out.network = network->times();
    return out;
}

/// The value of a lead that is the farthest from 0 in a window of time; NaN where one is.
inline float peak(const ExampleRun& r, const std::string& lead, double from_ms, double to_ms)
{
    float out = 0;
    const auto& v = r.ecg.at(lead);
    for (std::size_t k = 0; k < v.size(); ++k)
        if (r.ecg_ms[k] >= from_ms && r.ecg_ms[k] < to_ms && !(std::abs(v[k]) <= std::abs(out))) {
            out = v[k];
            if (std::isnan(out))
                break;
        }
    return out;
}

/// The largest (sign 1) or least (sign -1) value of a lead in a window of time; NaN where one is.
inline float extreme(const ExampleRun& r, const char* lead, double from_ms, double to_ms, int sign)
{
    float out = 0;
    const auto& v = r.ecg.at(lead);
    for (std::size_t k = 0; k < v.size(); ++k)
        if (r.ecg_ms[k] >= from_ms && r.ecg_ms[k] <= to_ms) {
            if (std::isnan(v[k]))
                return v[k];
            out = sign > 0 ? std::max(out, v[k]) : std::min(out, v[k]);
        }
    return out;
}

inline EcgIntervals intervals(const ExampleRun& r)
{
    std::vector<std::string> names;
    std::vector<std::vector<float>> mV;
    for (const auto& [name, values] : r.ecg) {
        names.push_back(name);
        mV.push_back(values);
    }
    return ecg_beats(names, r.ecg_ms, mV);
}

inline QString found(const QTemporaryDir& folder, const QString& name)
{
    QDirIterator i(folder.path(), {name}, QDir::Files, QDirIterator::Subdirectories);
    return i.hasNext() ? i.next() : QString();
}

/// Unpacks a human heart of which the electrodes are known too; its .pts, or nothing where the
/// reference meshes are not beside this checkout.
inline QString imagesHeart(const QTemporaryDir& folder)
{
    const QString data = QStringLiteral(TAWARA_SOURCE_DIR "/../shared/data/meshes/");
    for (const char* archive : {"dti004_carp_192k.tar.xz", "dti004_nodefields_original.tar.xz"}) {
        if (!QFile::exists(data + archive))
            return {};
        QProcess tar;
        tar.start("tar", {"xJf", data + archive, "-C", folder.path()});
        if (!tar.waitForFinished(60000) || tar.exitCode() != 0)
            return {};
    }
    return found(folder, "dti004.pts");
}

} // namespace tawara::simulation
