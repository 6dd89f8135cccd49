// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/session/session.hpp"

#include <QFile>
#include <QString>
#include <QTemporaryDir>

#include <filesystem>

namespace tawara::simulation::test {

inline Session slab_session(double end_ms)
{
    Session s;
    s.name = "slab";
    s.mesh = MeshSlab{{5, 2, 1}, 0.5};
    s.regions[0].variant = "epi";
    s.end_ms = end_ms;
    Stimulus st;
    st.name = "S1";
    st.region = Box{{0, 0, 0}, {1, 2, 2}};
    s.stimuli.push_back(st);
    s.probes.push_back({"near, left", {0.5, 1, 0.5}});
    s.probes.push_back({"far", {4.5, 1, 0.5}});
    return s;
}

inline QByteArray content(const std::filesystem::path& f)
{
    QFile file(QString::fromStdString(f.string()));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

inline std::filesystem::path path(const QTemporaryDir& d)
{
    return d.path().toStdString();
}

} // namespace tawara::simulation::test
