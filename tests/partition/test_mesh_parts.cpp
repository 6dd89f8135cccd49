// SPDX-License-Identifier: GPL-3.0-or-later
// Meshes in parts: what each part holds, and the files of parts.
#include "engine/mesh/parallel/files.hpp"
#include "engine/mesh/uneven_bar.hpp"

#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <numeric>

using namespace tawara;
using namespace tawara::mesh::parallel;
namespace fs = std::filesystem;

namespace {

/// A mesh with two labels, a field on each kind of place, and what is cut with it.
struct Whole
{
    mesh::TetMesh mesh = mesh::uneven_bar(10, 4, 1);
    std::vector<std::array<std::int32_t, 4>> neighbours;
    mesh::Surface surface;
    Whole()
    {
        for (std::size_t t = 0; t < mesh.tetrahedron_count(); t += 3)
            mesh.region[t] = -4;
        mesh.label_names[-4] = "every third";
        std::vector<float> v(mesh.vertex_count()), t(2 * mesh.tetrahedron_count());
        std::iota(v.begin(), v.end(), 0.5F);
        std::iota(t.begin(), t.end(), -7.0F);
        mesh.fields.push_back({"height", mesh::Field::On::vertices, 1, v});
        mesh.fields.push_back({"pair", mesh::Field::On::tetrahedra, 2, t});
        neighbours = mesh::face_neighbours(mesh);
        surface = mesh::surface(mesh, neighbours);
    }
    std::vector<Part> parts(const Cut& c) const
    {
        const Cutter cutter(mesh, neighbours, surface, c);
        std::vector<Part> out;
        for (std::int32_t k = 0; k < c.parts; ++k)
            out.push_back(cutter.part(k));
        return out;
    }
};

std::string content(const fs::path& f)
{
    std::ifstream in(f, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void put(const fs::path& f, const std::string& text)
{
    std::ofstream(f, std::ios::binary) << text;
}

/// The line that reading all parts fails with; empty where nothing does.
std::string failure(const fs::path& index)
{
    try {
        const auto i = read_index(index);
        for (std::size_t k = 0; k < i.parts.size(); ++k)
            read_part(index, i, static_cast<std::int32_t>(k));
    } catch (const MeshError& e) {
        return e.what();
    }
    return {};
}

bool same(const mesh::TetMesh& a, const mesh::TetMesh& b)
{
    const auto fields = [](const mesh::TetMesh& m) {
        std::vector<std::pair<std::string, std::vector<float>>> out;
        for (const auto& f : m.fields)
            out.emplace_back(f.name, f.values);
        return out;
    };
    return a.x == b.x && a.y == b.y && a.z == b.z && a.corner == b.corner && a.region == b.region &&
           a.fibre.x == b.fibre.x && a.sheet.y == b.sheet.y && a.normal.z == b.normal.z &&
           a.label_names == b.label_names && fields(a) == fields(b);
}

} // namespace

class TestMeshParts : public QObject
{
    Q_OBJECT
    QTemporaryDir dir_;
    const Whole whole_;

    fs::path path(const std::string& name) const { return dir_.path().toStdString() + "/" + name; }
    fs::path written(const std::string& name, int parts) const
    {
        write_parts(whole_.mesh, whole_.neighbours, whole_.surface, cut(whole_.mesh, parts), "bar",
                    Body{{1, 2, 3}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, 0.5}, path(name));
        return path(name);
    }

  private Q_SLOTS:
    void partsFollowNoLink()
    {
        fs::create_directory(path("linked"));
        std::ofstream(path("other")) << "precious";
        fs::create_symlink("../other", path("linked/l-0000.part"));
        fs::create_symlink("../other", path("linked/l.parts")); // the mesh's source, say
        std::ofstream(path("linked/.frames.part-0123456789abcdef.igb")) << "of a killed run";
        std::ofstream(path("linked/.l.part-0123456789abcdef.parts")) << "of such a command";
        const auto file = written("linked/l.parts", 2);
        QCOMPARE(fs::file_size(path("other")), std::uintmax_t{8});
        QVERIFY(!fs::is_symlink(path("linked/l-0000.part")) && !fs::is_symlink(file));
        QVERIFY(fs::exists(path("linked/.frames.part-0123456789abcdef.igb")));
        QVERIFY(!fs::exists(path("linked/.l.part-0123456789abcdef.parts")));
        QCOMPARE(read_part(file, read_index(file), 0).parts, 2);
    }

    void everythingIsOwnedOnce()
    {
        const auto c = cut(whole_.mesh, 5);
        std::vector<int> vertices(whole_.mesh.vertex_count(), 0),
            tets(whole_.mesh.tetrahedron_count(), 0);
        for (const auto& p : whole_.parts(c)) {
            for (std::size_t v = 0; v < p.vertex.size(); ++v)
                vertices[static_cast<std::size_t>(p.vertex[v])] += p.vertex_owner[v] == p.number;
            for (std::size_t t = 0; t < p.tetrahedron.size(); ++t)
                tets[static_cast<std::size_t>(p.tetrahedron[t])] +=
                    p.tetrahedron_owner[t] == p.number;
            const auto own = std::count(p.vertex_owner.begin(), p.vertex_owner.end(), p.number);
            QVERIFY(5 * own < 1.1 * static_cast<double>(vertices.size()));
        }
        QVERIFY(std::all_of(vertices.begin(), vertices.end(), [](int n) { return n == 1; }));
        QVERIFY(std::all_of(tets.begin(), tets.end(), [](int n) { return n == 1; }));
    }

    /// Of an own vertex all tetrahedra around it; of an own tetrahedron its neighbours and theirs.
    void whatRowsNeedIsThere()
    {
        const auto stars = mesh::vertex_stars(whole_.mesh);
        for (auto of : {Unknowns::vertices, Unknowns::tetrahedra})
            for (auto p : whole_.parts(cut(whole_.mesh, 4))) {
                keep_for(p, of);
                const auto has = [&](std::int32_t t) {
                    return std::binary_search(p.tetrahedron.begin(), p.tetrahedron.end(), t);
                };
                for (std::size_t v = 0; v < p.vertex.size(); ++v) {
                    const auto g = static_cast<std::size_t>(p.vertex[v]);
                    QCOMPARE(p.mesh.vertex(v), whole_.mesh.vertex(g));
                    QCOMPARE(p.mesh.fields[0].values[v], whole_.mesh.fields[0].values[g]);
                    if (of == Unknowns::vertices && p.vertex_owner[v] == p.number)
                        for (auto k = stars.first[g]; k < stars.first[g + 1]; ++k)
                            QVERIFY(has(stars.tets[static_cast<std::size_t>(k)]));
                }
                for (std::size_t t = 0; t < p.tetrahedron.size(); ++t) {
                    const auto g = static_cast<std::size_t>(p.tetrahedron[t]);
                    for (std::size_t k = 0; k < 4; ++k)
                        QCOMPARE(p.vertex[static_cast<std::size_t>(p.mesh.corner[k][t])],
                                 std::int64_t{whole_.mesh.corner[k][g]});
                    QCOMPARE(p.mesh.fibre[t], whole_.mesh.fibre[g]);
                    if (of != Unknowns::tetrahedra || p.tetrahedron_owner[t] != p.number)
                        continue;
                    for (const auto n : whole_.neighbours[g])
                        for (const auto far : n < 0
                                                  ? std::array{-1, -1, -1, -1}
                                                  : whole_.neighbours[static_cast<std::size_t>(n)])
                            QVERIFY(n < 0 || (has(n) && (far < 0 || has(far))));
                }
            }
    }

    /// What one part gives is what the other takes.
    void bordersFitTogether()
    {
        for (auto of : {Unknowns::vertices, Unknowns::tetrahedra}) {
            auto parts = whole_.parts(cut(whole_.mesh, 6));
            std::vector<std::vector<Border>> borders;
            for (auto& p : parts) {
                keep_for(p, of);
                borders.push_back(borders_of(p, of, mesh::face_neighbours(p.mesh)));
            }
            const auto numbers = [&](const Part& p, const std::vector<std::int32_t>& list) {
                std::vector<std::int64_t> out;
                for (const auto u : list)
                    out.push_back((of == Unknowns::vertices
                                       ? p.vertex
                                       : p.tetrahedron)[static_cast<std::size_t>(u)]);
                return out;
            };
            std::size_t pairs = 0;
            for (const auto& p : parts)
                for (const auto& b : borders[static_cast<std::size_t>(p.number)]) {
                    const auto& other = parts[static_cast<std::size_t>(b.part)];
                    const auto& back = borders[static_cast<std::size_t>(b.part)];
                    const auto found = std::find_if(back.begin(), back.end(), [&](const Border& x) {
                        return x.part == p.number;
                    });
                    QVERIFY(found != back.end());
                    QVERIFY(!b.give.empty() && !b.take.empty());
                    QVERIFY(numbers(p, b.give) == numbers(other, found->take));
                    QVERIFY(numbers(p, b.take) == numbers(other, found->give));
                    ++pairs;
                }
            QVERIFY(pairs >= 10);
        }
    }

    void filesGiveThePartsBack()
    {
        const auto index = written("round.parts", 3);
        const auto i = read_index(index);
        QCOMPARE(i.vertices, static_cast<std::int64_t>(whole_.mesh.vertex_count()));
        QCOMPARE(i.labels.size(), std::size_t(2));
        QVERIFY(i.body && i.body->origin_mm == Vec3({1, 2, 3}) && i.body->scale == 0.5);
        QCOMPARE(i.label_names.at(-4), std::string("every third"));
        const auto parts = whole_.parts(cut(whole_.mesh, 3));
        for (const auto& p : parts) {
            const auto read = read_part(index, i, p.number);
            QVERIFY(same(read.mesh, p.mesh));
            QVERIFY(read.vertex == p.vertex && read.tetrahedron == p.tetrahedron);
            QVERIFY(read.vertex_owner == p.vertex_owner && read.needed_by == p.needed_by);
            QVERIFY(read.surface.triangles == p.surface.triangles &&
                    read.surface.wall == p.surface.wall &&
                    read.surface.tetrahedron == p.surface.tetrahedron);
            QVERIFY(!p.surface.triangles.empty());
        }
    }

    void partsOfAnEarlierMeshGo()
    {
        const auto index = written("again.parts", 4);
        QVERIFY(fs::exists(path("again-0003.part")));
        written("again.parts", 2);
        QVERIFY(!fs::exists(path("again-0003.part")) && !fs::exists(path("again-0002.part")));
        QCOMPARE(failure(index), std::string());
        // what an index names, but is no part, is not the program's
        put(path("mine.vtu"), "mine");
        auto text = content(index);
        const std::string named = "again-0001.part";
        text.replace(text.find(named), named.size(), "mine.vtu");
        put(index, text);
        written("again.parts", 1);
        QCOMPARE(content(path("mine.vtu")), std::string("mine"));
    }

    /// Cut at any place, or with any byte changed, a part gives one line that names it.
    void damagedPartsAreTold()
    {
        const auto index = written("bad.parts", 2);
        const auto part = path("bad-0001.part");
        const auto sound = content(part);
        QCOMPARE(failure(index), std::string());
        const auto told = [&](const std::string& text) {
            put(part, text);
            const auto why = failure(index);
            return why.starts_with(part.string()) && why.find('\n') == std::string::npos;
        };
        for (std::size_t n = 0; n < sound.size(); n += sound.size() / 97 + 1)
            QVERIFY2(told(sound.substr(0, n)), std::to_string(n).c_str());
        QVERIFY(told(sound.substr(0, sound.size() - 1)));
        QVERIFY(told(sound + "x"));
        for (std::size_t n = 0; n < sound.size(); n += sound.size() / 197 + 1) {
            auto other = sound;
            other[n] = static_cast<char>(other[n] ^ 0x41);
            QVERIFY2(told(other), std::to_string(n).c_str());
        }
        put(part, content(path("bad-0000.part")));
        QVERIFY(failure(index).find("is part 0 of 2, where the index names part 1") !=
                std::string::npos);
        fs::remove(part);
        QVERIFY(failure(index).find("cannot be opened") != std::string::npos);
    }

    void badIndexesAreTold_data()
    {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("no JSON") << QByteArray("{") << QByteArray("[") << QByteArray("no JSON");
        QTest::newRow("other") << QByteArray("tawara_parts") << QByteArray("tawara_pants")
                               << QByteArray("has no key tawara_parts");
        QTest::newRow("version") << QByteArray("\"tawara_parts\": 1")
                                 << QByteArray("\"tawara_parts\": 2") << QByteArray("should be 1");
        QTest::newRow("way out") << QByteArray("index-0000.part")
                                 << QByteArray("../index-0000.part")
                                 << QByteArray("/parts/0/file: should be the name of a file");
        QTest::newRow("counts") << QByteArray("\"vertices\": ") << QByteArray("\"vertices\": -")
                                << QByteArray("/vertices: should be a whole number");
        QTest::newRow("sums") << QByteArray("\"tetrahedra\": ") << QByteArray("\"tetrahedra\": 1")
                              << QByteArray("/parts: have other vertices and tetrahedra");
        QTest::newRow("checksum") << QByteArray("\"checksum\": ") << QByteArray("\"checksum\": 1")
                                  << QByteArray("");
    }
    void badIndexesAreTold()
    {
        QFETCH(QByteArray, from);
        QFETCH(QByteArray, to);
        QFETCH(QByteArray, says);
        const auto index = written("index.parts", 2);
        auto text = QByteArray::fromStdString(content(index));
        const auto at = text.indexOf(from);
        QVERIFY(at >= 0);
        put(index, text.replace(at, from.size(), to).toStdString());
        const auto why = failure(index);
        QVERIFY2(!why.empty() && QByteArray::fromStdString(why).contains(says), why.c_str());
    }

    void whatCannotBeCutIsTold()
    {
        QVERIFY_THROWS_EXCEPTION(InputError, cut(whole_.mesh, 0));
        QVERIFY_THROWS_EXCEPTION(InputError, cut(whole_.mesh, 1 << 20));
        QVERIFY_THROWS_EXCEPTION(InputError, written("no.vtu", 2));
    }
};

QTEST_GUILESS_MAIN(TestMeshParts)
#include "test_mesh_parts.moc"
