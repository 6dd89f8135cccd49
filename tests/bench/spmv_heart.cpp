// SPDX-License-Identifier: GPL-3.0-or-later
// spmv_heart TETRAHEDRA FILE: a generated heart of about so many, for tawara-bench-spmv.
#include "engine/mesh/generator/heart.hpp"
#include "tests/bench/heart_file.hpp"

#include <cstdio>
#include <cstdlib>

int main(int count, char** text)
{
    using namespace tawara;
    if (count != 3) {
        std::fprintf(stderr, "usage: spmv_heart TETRAHEDRA FILE\n");
        return 2;
    }
    try {
        mesh::generator::HeartParameters p;
        p.edge_mm = mesh::generator::edge_mm_for(p, std::atoll(text[1]));
        const auto m = mesh::generator::generate_heart(p);
        bench::write_heart(text[2], m);
        std::printf("%s: %zu vertices, %zu tetrahedra, edge %.4f mm\n", text[2], m.vertex_count(),
                    m.tetrahedron_count(), p.edge_mm);
        return 0;
    } catch (const Error& e) {
        std::fprintf(stderr, "error: %s\n", e.what());
        return 2;
    }
}
