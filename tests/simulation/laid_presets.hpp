// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/session/presets.hpp"
#include "engine/simulation/tissue/tissue.hpp"

#include <QString>
#include <QStringList>

#include <stdexcept>

namespace tawara::simulation::test {

inline const TissuePreset& preset(const std::string& kind)
{
    for (const auto& p : tissue_presets())
        if (p.region.kind == kind)
            return p;
    throw std::runtime_error("no preset of kind " + kind);
}

/// A slab of one model with a preset on its half.
inline Session with_preset(const std::string& model, const std::string& kind)
{
    Session s;
    s.mesh = MeshSlab{{4, 2, 2}, 1};
    s.scheme = diffusion::Scheme::p1;
    s.reaction = cell::Scheme::rush_larsen;
    s.regions[0].model = model;
    s.regions.push_back(preset(kind).region);
    s.regions[1].where = Box{{0, 0, 0}, {2, 2, 2}};
    return s;
}

inline QString said(const Tissue& t, const QString& of)
{
    QStringList all;
    for (const auto& n : t.notices)
        if (const auto text = QString::fromStdString(n.text); text.contains(of))
            all << (n.level == Notice::Level::warning ? "warning: " : "note: ") + text;
    return all.join('\n');
}

} // namespace tawara::simulation::test
