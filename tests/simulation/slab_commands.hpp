// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cli/cli.hpp"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>
#include <sstream>

namespace tawara::test {

/// What one command line gave.
struct RunResult
{
    int status;
    QString err;
    QString shown() const { return QString::number(status) + " " + err; }
};

inline constexpr const char* slab = R"({"schema": 1, "name": "slab",
  "mesh": {"slab_mm": [5, 2, 1], "spacing_mm": 0.5},
  "tissue": {"regions": [{"label": "*", "model": "ten_tusscher_2006", "variant": "epi",
    "conductivity_S_per_m": {"fibre": 0.1334, "sheet": 0.0176, "normal": 0.0176}}]},
  "diffusion": {"scheme": "p1", "mass": "lumped"},
  "time": {"dt_ms": 0.02, "end_ms": 10},
  "stimuli": [{"name": "S1", "region": {"box_mm": [[0, 0, 0], [1, 2, 1]]}, "start_ms": 0,
               "duration_ms": 2, "amplitude_pA_per_pF": 50}],
  "probes": [{"name": "near", "position_mm": [2, 1, 0.5]},
             {"name": "far", "position_mm": [4.5, 1, 0.5]}],
  "output": {"checkpoint_every_ms": 4}})";

inline const QByteArray at_4_ms = "/checkpoint-00000004.000ms.tcp";

inline QByteArray content(const QString& file)
{
    QFile f(file);
    return f.open(QIODevice::ReadOnly) ? f.readAll() : QByteArray();
}

/// Tests of `tawara-cli run` on a slab.
class SlabCommands : public QObject
{
  protected:
    QTemporaryDir dir_;
    QString path(const QString& name) const { return dir_.filePath(name); }
    /// The slab with another value of one of its keys.
    void write_session(const QString& name, const QString& key = {}, const QJsonValue& value = {})
    {
        auto session = QJsonDocument::fromJson(slab).object();
        if (!key.isEmpty())
            session[key] = value;
        QFile f(path(name));
        QVERIFY(f.open(QIODevice::WriteOnly));
        f.write(QJsonDocument(session).toJson());
    }
    /// Runs a session into a folder; `more` are words of the command line.
    RunResult run(const QString& session, const QString& folder, const QStringList& more = {})
    {
        std::vector<std::string> args{"run", path(session).toStdString(), "--devices", "cpu"};
        args.insert(args.end(), {"--out", path(folder).toStdString()});
        for (const auto& w : more)
            args.push_back(w.toStdString());
        std::ostringstream out, err;
        const int status = cli::run(args, {out, err, {}, false});
        return {status, QString::fromStdString(err.str())};
    }
    static QJsonObject electrodes(const QStringList& names)
    {
        QJsonArray list;
        for (const auto& n : names)
            list.append(
                QJsonObject{{"name", n},
                            {"position_mm", QJsonArray{60.0 + 10 * double(list.size()), -40, 20}}});
        return {{"leads", "twelve_lead"}, {"electrodes", list}};
    }
    const QStringList standard_{"RA", "LA", "LL", "V1", "V2", "V3", "V4", "V5", "V6"};
    static QStringList without(QStringList list, const QString& name, const QString& other = {})
    {
        list.removeAll(name);
        if (!other.isEmpty())
            list.append(other);
        return list;
    }
};

} // namespace tawara::test
