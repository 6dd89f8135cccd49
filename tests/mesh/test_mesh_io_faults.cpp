// SPDX-License-Identifier: GPL-3.0-or-later
// What files of meshes lack, and what ends their reading and writing.
#include "engine/core/error.hpp"
#include "engine/mesh/check.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "shapes.hpp"

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <csignal>
#include <fstream>
#include <sys/resource.h>

using namespace tawara;
using namespace tawara::mesh;
namespace fs = std::filesystem;

namespace {

bool has(const Notices& notices, const std::string& text)
{
    return std::any_of(notices.begin(), notices.end(),
                       [&](const Notice& n) { return n.text.find(text) != std::string::npos; });
}

void spill(const fs::path& file, const std::string& text)
{
    std::ofstream(file, std::ios::binary) << text;
}

} // namespace

class TestMeshIoFaults : public QObject
{
    Q_OBJECT
    QTemporaryDir folder_;
    fs::path in_folder(const std::string& name) const
    {
        return fs::path(folder_.path().toStdString()) / name;
    }

  private Q_SLOTS:
    void writing_is_whole_or_not_at_all()
    {
        QVERIFY_THROWS_EXCEPTION(InputError, io::write(shapes::rich(), in_folder("a.stl")));
        fs::create_directories(in_folder("w/x.ele")); // the second file cannot be written
        QVERIFY_THROWS_EXCEPTION(InputError, io::write(shapes::rich(), in_folder("w/x.node")));
        std::vector<std::string> left;
        for (const auto& e : fs::directory_iterator(in_folder("w")))
            left.push_back(e.path().filename().string());
        QCOMPARE(left, (std::vector<std::string>{"x.ele"}));
        auto m = shapes::rich(); // without fibres an earlier .lon is removed: here it cannot be
        m.fibre = {}, m.sheet = {}, m.normal = {};
        fs::create_directories(in_folder("v/x.lon/full"));
        QVERIFY_THROWS_EXCEPTION(InputError, io::write(m, in_folder("v/x.pts")));
        QVERIFY(!fs::exists(in_folder("v/x.pts")) && !fs::exists(in_folder("v/x.elem")));
        fs::create_symlink("y.lon", in_folder("v/y.lon")); // a link to itself
        io::write(m, in_folder("v/y.pts"));
        QVERIFY(!fs::is_symlink(in_folder("v/y.lon")) && fs::exists(in_folder("v/y.elem")));
    }

    void what_is_missing_is_said()
    {
        spill(in_folder("l.pts"), "5\n0 0 0\n3e4 0 0\n0 3e4 0\n0 0 30000\n30000 30000 30000\n");
        spill(in_folder("l.elem"), "2\nTt 0 1 2 3 7\nTt 1 2 3 4\n");
        QVERIFY(has(io::read(in_folder("l.pts")).check.notices,
                    "1 of 2 tetrahedra have no region label (first in line 3 of l.elem)"));
        spill(in_folder("two.vtk"),
              "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n"
              "POINTS 4 float\n0 0 0 30 0 0 0 30 0 0 0 30\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n"
              "CELL_DATA 1\nFIELD FieldData 1\nfibers 2 1 float\n1 0\n");
        QVERIFY(has(io::read(in_folder("two.vtk")).check.notices,
                    "array fibers has 2 components where 3 are due"));
    }

    /// Labels as floating-point numbers are labels while they are whole; else it is said which is
    /// not, and the array stays a field.
    void labels_that_are_no_whole_numbers()
    {
        const auto read = [&](const char* name, const char* labels) {
            spill(in_folder("labels.vtk"),
                  std::string("# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                              "POINTS 5 float\n0 0 0 30 0 0 0 30 0 0 0 30 30 30 30\nCELLS 3 14\n"
                              "3 0 1 2\n4 0 1 2 3\n4 1 2 3 4\nCELL_TYPES 3\n5 10 10\nCELL_DATA 3\n"
                              "SCALARS ") +
                      name + " float 1\nLOOKUP_TABLE default\n" + labels + "\n");
            return io::read(in_folder("labels.vtk"));
        };
        QCOMPARE(read("region", "7.5 1 2").mesh.region, (std::vector<std::int32_t>{1, 2}));
        for (const char* name : {"region", "material"}) {
            const auto l = read(name, "1 2 1.5");
            QVERIFY(has(l.check.notices,
                        std::string("array ") + name +
                            " is not taken as region labels: tetrahedron 1 (counted from 0) has "
                            "1.5, and labels are whole numbers of up to 32 bits"));
            QVERIFY(l.mesh.field(name) && l.mesh.field(name)->values[1] == 1.5F);
        }
        QVERIFY(
            has(read("tag", "1 nan 2").check.notices, "tetrahedron 0 (counted from 0) has nan"));
    }

    void a_full_disk_is_said_plainly()
    {
        rlimit before{};
        QCOMPARE(getrlimit(RLIMIT_FSIZE, &before), 0);
        const auto handler = std::signal(SIGXFSZ, SIG_IGN);
        const TetMesh m = slab({20, 20, 20}, 1);
        for (const char* f : {"full.vtu", "full.vtk", "full.pts"}) {
            rlimit small = before;
            small.rlim_cur = 20000;
            setrlimit(RLIMIT_FSIZE, &small);
            QString what;
            try {
                io::write(m, in_folder(f));
            } catch (const InputError& e) {
                what = e.what();
            }
            setrlimit(RLIMIT_FSIZE, &before);
            QVERIFY2(what.contains("writing failed: ") && what.endsWith("; is the disk full?"),
                     qPrintable(what));
            QVERIFY(!fs::exists(in_folder(f)));
        }
        std::signal(SIGXFSZ, handler);
    }

    void cancelling_works()
    {
        io::write(shapes::rich(), in_folder("c.pts"));
        std::stop_source stop;
        stop.request_stop();
        Progress p;
        p.stop = stop.get_token();
        QVERIFY_THROWS_EXCEPTION(Cancelled, io::read(in_folder("c.pts"), {}, p));
    }
};

QTEST_GUILESS_MAIN(TestMeshIoFaults)
#include "test_mesh_io_faults.moc"
