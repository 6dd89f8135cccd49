// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The unit cube by TetGen.
#include "engine/core/thread_pool.hpp"
#include "engine/diffusion/implicit.hpp"
#include "engine/diffusion/permute.hpp"
#include "engine/diffusion/system.hpp"
#include "engine/partition/partition.hpp"
#include "engine/verify/problems/cube.hpp"

#include <QDir>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <chrono>
#include <cmath>
#include <fstream>
#include <numbers>

namespace tawara::testing {

inline bool have_tetgen()
{
    return !QStandardPaths::findExecutable("tetgen").isEmpty();
}

/// The unit cube in tetrahedra of at most that volume; an empty mesh when TetGen fails.
inline mesh::TetMesh tetgen_cube(const std::string& switches)
{
    mesh::TetMesh m;
    QTemporaryDir dir;
    std::ofstream(dir.filePath("cube.smesh").toStdString())
        << "8 3 0 0\n0 0 0 0\n1 1 0 0\n2 1 1 0\n3 0 1 0\n4 0 0 1\n5 1 0 1\n6 1 1 1\n7 0 1 1\n"
           "6 0\n4 0 1 2 3\n4 4 5 6 7\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n0\n0\n";
    QProcess p;
    p.setWorkingDirectory(dir.path());
    p.start("tetgen", {QString::fromStdString(switches), "cube.smesh"});
    if (!p.waitForFinished(600000) || p.exitCode() != 0)
        return m;
    std::ifstream nodes(dir.filePath("cube.1.node").toStdString());
    std::size_t n = 0;
    int dimensions = 0, attributes = 0, markers = 0, id = 0;
    nodes >> n >> dimensions >> attributes >> markers;
    for (std::size_t i = 0; i < n; ++i) {
        Vec3 x;
        nodes >> id >> x[0] >> x[1] >> x[2];
        m.add_vertex(x);
        if (markers)
            nodes >> id;
    }
    std::ifstream tets(dir.filePath("cube.1.ele").toStdString());
    tets >> n >> dimensions >> attributes;
    for (std::size_t t = 0; t < n; ++t) {
        std::array<std::int32_t, 4> c;
        tets >> id >> c[0] >> c[1] >> c[2] >> c[3];
        m.add_tetrahedron(c, 1);
        if (m.volume(t) < 0) {
            std::swap(c[2], c[3]);
            for (std::size_t k = 0; k < 4; ++k)
                m.corner[k][t] = c[k];
        }
    }
    return m;
}

using verify::apply;
using verify::cosine_mode;
using verify::CubeResult;
using verify::euler;
using verify::rkl2_step;

} // namespace tawara::testing
