// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that fail, and what they should have left.
#pragma once
#include "engine/simulation/results/checkpoint.hpp"
#include "engine/simulation/results/outputs.hpp"
#include "engine/simulation/run/run.hpp"
#include "engine/simulation/session/output_keys.hpp"
#include "tests/simulation/live_bar.hpp"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace tawara::simulation::test {

namespace fs = std::filesystem;

inline Session slab_session(double end_ms = 4)
{
    auto s = bar(end_ms);
    s.mesh = MeshSlab{{3, 1, 1}, 0.5};
    s.probes = {{"near", {0.5, 0.5, 0.5}}};
    auto pulse = end_of_bar(0);
    pulse.region = Box{{0, 0, 0}, {0.5, 1, 1}};
    s.stimuli = {pulse};
    s.output->checkpoint_every_ms = 1;
    return s;
}

inline QByteArray content(const fs::path& f)
{
    QFile file(QString::fromStdString(f.string()));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// One run into a folder of its own.
struct Runs
{
    QTemporaryDir dir;
    RunOptions o;
    std::vector<std::string> said;

    Runs()
    {
        o.out = fs::path(dir.path().toStdString()) / "out";
        o.device.devices = "cpu";
        o.device.threads = 1;
        o.notice = [this](const Notice& n) { said.push_back(n.text); };
    }
    QJsonObject report() const
    {
        return QJsonDocument::fromJson(content(o.out / "report.json")).object();
    }
    QStringList checkpoints() const
    {
        return QDir(QString::fromStdString(o.out.string())).entryList({"checkpoint-*.tcp"});
    }
    bool was_said(const std::string& part) const
    {
        return std::any_of(said.begin(), said.end(),
                           [&](const auto& s) { return s.find(part) != std::string::npos; });
    }
};

/// How many requests farther the next one fails: TAWARA_FAULT_STRIDE=1 tries all of them.
inline long next_request(long by_default)
{
    const int asked = qEnvironmentVariableIntValue("TAWARA_FAULT_STRIDE");
    return asked > 0 ? asked : by_default;
}

/// What a run that memory failed in should have left, and has not.
inline std::vector<std::string> what_is_amiss(const Runs& r)
{
    std::vector<std::string> out;
    const auto need = [&](bool good, const std::string& what) {
        if (!good)
            out.push_back(what);
    };
    const QDir all(QString::fromStdString(r.o.out.string()));
    need(all.entryList(QDir::Files | QDir::Hidden).filter(".part-").isEmpty(), "a part is left");
    for (const auto& name : r.checkpoints())
        need(read_checkpoint(r.o.out / name.toStdString()).state.step > 0, "a checkpoint is bad");
    const auto report = r.report();
    need(!report["ended"].toString().isEmpty(), "no report");
    const auto files = report["files"].toArray();
    for (const char* f : {"probes.csv", "activation.csv", "activation.vtu", "beats.csv"})
        need(files.contains(f), std::string("not listed: ") + f);
    for (const auto& f : files)
        need(fs::exists(r.o.out / f.toString().toStdString()),
             "not there: " + f.toString().toStdString());
    const auto rows = content(r.o.out / "probes.csv").trimmed().split('\n');
    need(rows.size() > 1 && std::all_of(rows.begin(), rows.end(),
                                        [](const QByteArray& row) { return row.count(',') == 1; }),
         "rows of probes.csv are not whole");
    return out;
}

inline bool has_note(const SceneChanged* c, const std::string& part)
{
    return c != nullptr && c->scene &&
           std::any_of(c->scene->notices.begin(), c->scene->notices.end(),
                       [&](const Notice& n) { return n.text.find(part) != std::string::npos; });
}

} // namespace tawara::simulation::test
