// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.hpp"
#include "engine/simulation/tissue/heart_store.hpp"
#include "engine/simulation/tissue/tissue.hpp"

#include <QTemporaryDir>
#include <QtTest>
#include <cstring>
#include <fstream>

using namespace tawara;
using namespace tawara::simulation;
namespace fs = std::filesystem;
using mesh::generator::HeartParameters;
using mesh::generator::HeartShape;

namespace {

/// A left ventricle of half the usual size takes half the time.
HeartParameters coarse(double edge_mm = 5, HeartShape shape = HeartShape::lv)
{
    HeartParameters p;
    p.shape = shape;
    p.edge_mm = edge_mm;
    if (shape == HeartShape::lv)
        p.lv_short_axis_mm = 12, p.lv_long_axis_mm = 25, p.base_plane_mm = 10;
    return p;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b)
{
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}
bool same_bits(const mesh::Directions& a, const mesh::Directions& b)
{
    return same_bits(a.x, b.x) && same_bits(a.y, b.y) && same_bits(a.z, b.z);
}
bool says(const Notices& notices, const std::string& text)
{
    return std::any_of(notices.begin(), notices.end(),
                       [&](const Notice& n) { return n.text.find(text) != std::string::npos; });
}

std::vector<fs::path> files(const fs::path& folder)
{
    std::vector<fs::path> all;
    for (const auto& entry : fs::directory_iterator(folder))
        all.push_back(entry.path());
    return all;
}

/// What differs; empty: nothing, to the last bit.
std::string difference(const mesh::TetMesh& a, const mesh::TetMesh& b)
{
    std::string all;
    const auto differs = [&](bool same, const std::string& what) { all += same ? "" : what + " "; };
    differs(same_bits(a.x, b.x) && same_bits(a.y, b.y) && same_bits(a.z, b.z), "vertices");
    for (std::size_t k = 0; k < 4; ++k)
        differs(same_bits(a.corner[k], b.corner[k]), "corners");
    differs(same_bits(a.region, b.region), "regions");
    differs(same_bits(a.fibre, b.fibre), "fibres");
    differs(same_bits(a.sheet, b.sheet), "sheets");
    differs(same_bits(a.normal, b.normal), "normals");
    differs(a.label_names == b.label_names, "names");
    differs(a.fields.size() == b.fields.size(), "fields");
    for (const auto& f : a.fields) { // in any order
        const auto* g = b.field(f.name);
        differs(g != nullptr && f.on == g->on && f.components == g->components &&
                    same_bits(f.values, g->values),
                f.name);
    }
    return all;
}

/// What kept_heart() tells.
Notices asked(const HeartParameters& p, const fs::path& folder,
              std::uintmax_t most_bytes = std::uintmax_t{1} << 30)
{
    Notices notices;
    kept_heart(p, folder, notices, {}, most_bytes);
    return notices;
}

} // namespace

class TestHeartStore : public QObject
{
    Q_OBJECT

  private Q_SLOTS:
    void aKeptHeartIsTheOneThatWouldBeMade_data()
    {
        QTest::addColumn<bool>("both");
        QTest::newRow("left ventricle") << false;
        QTest::newRow("both ventricles") << true;
    }
    void aKeptHeartIsTheOneThatWouldBeMade()
    {
        QFETCH(bool, both);
        QTemporaryDir dir;
        const fs::path folder = fs::path(dir.path().toStdString()) / "not yet" / "hearts";
        const auto p = both ? coarse(4.5, HeartShape::biventricular) : coarse();
        Notices first, second;
        const auto made = kept_heart(p, folder, first), read = kept_heart(p, folder, second);
        QVERIFY(says(first, "kept for the next time") && !says(first, "made before"));
        QVERIFY(says(second, "made before") && second.size() == 1);
        const auto anew = difference(made, mesh::generator::generate_heart(p));
        QVERIFY2(anew.empty(), anew.c_str());
        const auto from_disk = difference(made, read);
        QVERIFY2(from_disk.empty(), from_disk.c_str());
        QCOMPARE(files(folder).size(), std::size_t{1});
    }

    void otherParametersAreAnotherHeart()
    {
        QTemporaryDir dir;
        const fs::path folder = dir.path().toStdString();
        asked(coarse(), folder);
        HeartParameters steeper = coarse();
        steeper.helix_endo_deg += 1e-9;
        QVERIFY(!says(asked(steeper, folder), "made before"));
        QCOMPARE(files(folder).size(), std::size_t{2});
        HeartParameters bad = coarse();
        bad.edge_mm = -1;
        QVERIFY_THROWS_EXCEPTION(InputError, asked(bad, folder));
    }

    void aDamagedOneIsMadeAnew()
    {
        QTemporaryDir dir;
        const fs::path folder = dir.path().toStdString();
        asked(coarse(), folder);
        const auto file = files(folder).at(0);
        fs::resize_file(file, fs::file_size(file) / 2);
        const auto told = asked(coarse(), folder);
        QVERIFY(says(told, "made anew") && says(told, file.string()));
        QVERIFY(says(asked(coarse(), folder), "made before"));
    }

    void theOldestGoWhereThereIsNoRoom()
    {
        QTemporaryDir dir;
        const fs::path folder = dir.path().toStdString();
        asked(coarse(5), folder);
        const auto first = files(folder).at(0);
        fs::last_write_time(first, fs::file_time_type::clock::now() - std::chrono::hours(2));
        asked(coarse(4.9), folder);
        for (const auto& f : files(folder))
            if (f != first)
                fs::last_write_time(f, fs::file_time_type::clock::now() - std::chrono::hours(1));
        asked(coarse(5), folder); // wanted again: now the second is the oldest
        const auto room = fs::file_size(first) * 5 / 2;
        asked(coarse(4.8), folder, room);
        QCOMPARE(files(folder).size(), std::size_t{2});
        QVERIFY(fs::exists(first));
        const auto too_large = asked(coarse(4.7), folder, 1000); // than the bound itself
        QVERIFY(!says(too_large, "kept"));
        QCOMPARE(files(folder).size(), std::size_t{2});
    }

    void whereNothingCanBeWrittenItIsMadeAllTheSame()
    {
        QTemporaryDir dir;
        const fs::path file = fs::path(dir.path().toStdString()) / "file";
        std::ofstream(file) << "not a folder";
        Notices told;
        const auto m = kept_heart(coarse(), file / "hearts", told);
        QVERIFY(m.tetrahedron_count() > 1000);
        QVERIFY(says(told, "not kept for the next time") && says(told, file.string()));
        Notices none;
        kept_heart(coarse(), {}, none);
        QVERIFY(none.empty());
    }

    /// What another user could have put there is not taken, and nothing is put there.
    void aFolderOfOthersIsNotUsed()
    {
        QTemporaryDir dir;
        const fs::path folder = fs::path(dir.path().toStdString()) / "hearts";
        asked(coarse(), folder);
        QCOMPARE(fs::status(folder).permissions(), fs::perms::owner_all);
        const auto file = files(folder).at(0);
        QCOMPARE(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
        QCOMPARE(file.stem().string().size(), std::size_t{3 + 64}); // lv-, SHA-256
        fs::permissions(folder, fs::perms::all);
        const auto told = asked(coarse(), folder);
        QVERIFY(says(told, "others may write in the folder") && !says(told, "made before"));
        fs::permissions(folder, fs::perms::owner_all);
        QVERIFY(says(asked(coarse(), folder), "made before"));
        fs::permissions(file, fs::perms::all); // others may have written on it
        QVERIFY(!says(asked(coarse(), folder), "made before"));
        const auto elsewhere = fs::path(dir.path().toStdString()) / "other.vtu";
        fs::rename(file, elsewhere);
        fs::create_symlink(elsewhere, file);
        QVERIFY(!says(asked(coarse(), folder), "made before"));
    }

    void aSessionTakesItFromTheUsersCache()
    {
        QTemporaryDir dir;
        const auto before = qgetenv("XDG_CACHE_HOME");
        qputenv("XDG_CACHE_HOME", dir.path().toUtf8());
        Session s;
        s.mesh = MeshHeart{coarse()};
        Notices first, second;
        load_mesh(s, first);
        load_mesh(s, second);
        qputenv("XDG_CACHE_HOME", before);
        QVERIFY(says(first, dir.path().toStdString() + "/tawara/hearts/lv-"));
        QVERIFY(says(second, "made before"));
    }

    void cancellingTakesNothingAway()
    {
        QTemporaryDir dir;
        const fs::path folder = dir.path().toStdString();
        std::stop_source stop;
        stop.request_stop();
        Notices notices;
        QVERIFY_THROWS_EXCEPTION(Cancelled,
                                 kept_heart(coarse(), folder, notices, {{}, stop.get_token()}));
        QVERIFY(files(folder).empty());
        asked(coarse(), folder);
        QVERIFY_THROWS_EXCEPTION(Cancelled,
                                 kept_heart(coarse(), folder, notices, {{}, stop.get_token()}));
        QVERIFY(says(asked(coarse(), folder), "made before"));
    }
};

QTEST_GUILESS_MAIN(TestHeartStore)
#include "test_heart_store.moc"
