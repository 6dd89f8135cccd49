// SPDX-License-Identifier: GPL-3.0-or-later
// What a scene is made of, without a picture: the wall's vertices, colours, ticks, lines of
// remarks.
#include "tests/gui/window_fixture.hpp"
#include "widgets/scene/embedded.hpp"
#include "widgets/scene/note_lines.hpp"
#include "widgets/scene/scalar_bar.hpp"
#include "widgets/scene/wall_geometry.hpp"

#include <cmath>
#include <sstream>

using namespace tawara;

namespace {

/// A cube's surface, two triangles a side.
fake::Bowl cube()
{
    fake::Bowl b{std::make_shared<mesh::TetMesh>(), std::make_shared<mesh::Surface>()};
    for (int v = 0; v < 8; ++v) {
        b.mesh->add_vertex({10.0 * (v & 1), 10.0 * (v >> 1 & 1), 10.0 * (v >> 2)});
        b.surface->vertices.push_back(v);
    }
    const int sides[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                             {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (const auto& s : sides)
        for (int k = 1; k < 3; ++k) {
            b.surface->triangles.push_back({s[0], s[k], s[k + 1]});
            b.surface->wall.push_back(mesh::Wall::other);
            b.surface->tetrahedron.push_back(0);
        }
    return b;
}

} // namespace

class TestSceneParts : public QObject
{
    Q_OBJECT

  private Q_SLOTS:
    void creasesAreSplit()
    {
        const auto b = cube();
        const auto g = scene::wall_geometry(*b.mesh, *b.surface);
        QCOMPARE(g.source.size(), 24U); // each corner once per side
        QCOMPARE(g.triangles.size(), 12U);
        for (std::size_t t = 0; t < 12; ++t)
            for (std::size_t k = 0; k < 3; ++k) {
                const auto v = static_cast<std::size_t>(g.triangles[t][k]);
                const auto of = static_cast<std::size_t>(g.triangle_source[t]);
                QCOMPARE(g.source[v], b.surface->triangles[of][k]);
                const Vec3 n{g.normals[3 * v], g.normals[3 * v + 1], g.normals[3 * v + 2]};
                QVERIFY(std::abs(norm(n) - 1) < 1e-6);
                QVERIFY2(std::abs(n[of / 4 == 0   ? 2
                                    : of / 4 == 1 ? 1
                                                  : 0]) > 0.999,
                         "along its side");
            }
        for (std::size_t v = 0; v < 8; ++v)
            QCOMPARE(g.source[v], static_cast<std::int32_t>(v)); // the first ones are themselves
        const auto smooth = scene::wall_geometry(*b.mesh, *b.surface, 120);
        QCOMPARE(smooth.source.size(), 8U);
    }

    /// Remarks end above the axes and left of the bar: wider where lines would be many, shortened
    /// where there is too little room.
    void remarksTakeTheRoomThatThereIs()
    {
        const auto wide = [](const std::string& s) { return 7.0 * static_cast<double>(s.size()); };
        const std::string words = "grey: not activated, or not repolarised yet";
        std::string many;
        for (int k = 0; k < 12; ++k)
            many += (k == 0 ? "" : " ") + words;
        const auto longest = [&](const scene::NoteLines& n) {
            double most = 0;
            std::istringstream lines(n.text);
            for (std::string line; std::getline(lines, line);)
                most = std::max(most, wide(line));
            return most;
        };
        const auto count = [](const scene::NoteLines& n) {
            return 1 + std::count(n.text.begin(), n.text.end(), '\n');
        };
        for (const auto& [w, h] : {std::pair{940.0, 420.0}, {440.0, 190.0}, {200.0, 150.0}}) {
            const auto room = scene::note_room(w, h, w - 70, 16);
            const auto little = scene::note_lines(words, room, wide);
            QVERIFY(longest(little) <= std::max(180.0, 0.24 * w));
            const auto much = scene::note_lines(many, room, wide);
            QVERIFY(longest(much) <= w - 70 - 16);
            QVERIFY(36 + 16 * count(much) <= std::max(h - 92, 36.0 + 16));
            QCOMPARE(much.cut, much.text.size() < many.size());
            QCOMPARE(much.cut, w < 900);
            QCOMPARE(much.text.ends_with("…"), much.cut);
        }
        // a number stays with its unit, at whatever width
        for (double w = 200; w < 500; w += 20) {
            const auto text =
                scene::note_lines("a local beat: 22 % of the wall at 40 cm/s, in 9 segments",
                                  scene::note_room(w, 400, w - 20, 16), wide)
                    .text;
            QVERIFY(text.find("22 %") != std::string::npos &&
                    text.find("40 cm/s,") != std::string::npos);
        }
    }

    void bowlHasACrispRimOnly()
    {
        const auto b = fake::bowl(16);
        const auto g = scene::wall_geometry(*b.mesh, *b.surface);
        QCOMPARE(g.source.size(), b.surface->vertices.size() + 2 * 4 * 16); // both edges of the rim
        for (std::size_t v = 0; v < g.source.size(); ++v) {
            const Vec3 n{g.normals[3 * v], g.normals[3 * v + 1], g.normals[3 * v + 2]};
            QVERIFY(std::abs(norm(n) - 1) < 1e-5);
        }
    }

    void colorMaps()
    {
        for (const auto& name : scene::color_map_names())
            QCOMPARE(scene::color_map(name).name, name);
        QCOMPARE(scene::color_map("no such").name, std::string("tissue"));
        const auto& v = scene::color_map("viridis").colors;
        QVERIFY(std::abs(v[0][0] - 68) < 6 && std::abs(v[0][2] - 84) < 6);       // #440154
        QVERIFY(std::abs(v[255][0] - 253) < 6 && std::abs(v[255][1] - 231) < 6); // #fde725
        QVERIFY_THROWS_EXCEPTION(Error, (void)scene::parse_color_map("x", "0,0,0,0\n"));
        QVERIFY_THROWS_EXCEPTION(Error, (void)scene::parse_color_map("x", "0,0,0,0\n0,1,1,1\n"));
        QVERIFY_THROWS_EXCEPTION(Error, (void)scene::parse_color_map("x", "0,0,0\n1,1,1,1\n"));
        QVERIFY_THROWS_EXCEPTION(Error, (void)scene::embedded("no.glsl"));
        QVERIFY_THROWS_EXCEPTION(Error, (void)scene::shader_part("wall_light.frag.glsl", "x"));
    }

    void roundTicks()
    {
        QCOMPARE(scene::round_ticks(-90, 40, 6), (std::vector<double>{-90, -60, -30, 0, 30}));
        QCOMPARE(scene::round_ticks(0, 1, 5).size(), 6U);
        QVERIFY(scene::round_ticks(1, 1, 5).empty());
    }

    void ticksArePlainNumbers()
    {
        using Texts = std::vector<std::string>;
        QCOMPARE(scene::tick_texts({10400, 10600}), (Texts{"10400", "10600"}));
        QCOMPARE(scene::tick_texts({990000, 1000000}), (Texts{"990000", "1000000"}));
        QCOMPARE(scene::tick_texts({60000, 60000.5}), (Texts{"60000", "60000.5"}));
        QCOMPARE(scene::tick_texts({-30, 0, 30}), (Texts{"\u221230", "0", "30"}));
        QCOMPARE(scene::tick_texts({0.25, 0.5}), (Texts{"0.25", "0.5"}));
    }
};
static const fake::Further<TestSceneParts> further;
#include "test_scene_parts.moc"
