// SPDX-License-Identifier: GPL-3.0-or-later
// What meshes do to velocities: the table against waves that are run.
#include "engine/mesh/measure.hpp"
#include "engine/simulation/tissue/mesh_errors.hpp"
#include "engine/simulation/tissue/tissue.hpp"
#include "engine/simulation/tissue/velocity_estimate.hpp"

#include <QtTest>
#include <cmath>
#include <fstream>
#include <vector>

using namespace tawara;
using namespace tawara::simulation;

namespace {

/// Of a wave that is run on a bar, with edges so many widths of its front long.
/// @param ratio  of the conductivity in the wave's direction to the one across fibres, or of the
/// one
///               across to the one along them
double error_of(const MeshScheme& by, double edge_in_widths, double sigma_S_per_m, double ratio = 1)
{
    Session s;
    s.scheme = by.scheme;
    s.mass = by.mass;
    s.currents = by.currents;
    auto r = s.regions.front();
    r.variant = "epi";
    const double across = sigma_S_per_m / ratio;
    r.conductivity_S_per_m = {sigma_S_per_m, across, across};
    if (ratio < 1) // the wave runs across the fibres
        r.conductivity_S_per_m = {across, sigma_S_per_m, sigma_S_per_m};
    const std::size_t axis = ratio < 1 ? 1 : 0;
    const double edge_mm = edge_in_widths * front_width_mm(sigma_S_per_m, s);
    return velocity_on_mesh(s, r, axis, edge_mm) / velocity_on_fine(s, r, axis) - 1;
}

constexpr double along = 0.13341772;

} // namespace

class TestMeshErrors : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void tableIsTrue_data()
    {
        QTest::addColumn<int>("scheme");
        QTest::addColumn<double>("edge");
        QTest::addColumn<double>("sigma");
        QTest::addColumn<double>("ratio");
        QTest::addColumn<double>("within");
        constexpr double close = 0.02;
        for (int k = 0; k < 4; ++k)
            for (const double edge : {1.2, 4.4})
                QTest::addRow("%s %g", mesh_schemes()[static_cast<std::size_t>(k)].words.data(),
                              edge)
                    << k << edge << along << 1.0 << close;
        // with fibres as in the tissue benchmark, and between these and none; p1 has no columns of
        // its own for them
        for (int k = 0; k < 4; ++k)
            for (const double ratio : {fibre_ratio, 1 / fibre_ratio, 4.0, 0.25})
                QTest::addRow("%s, ratio %g",
                              mesh_schemes()[static_cast<std::size_t>(k)].words.data(), ratio)
                    << k << 2.7 << along << ratio << (k == 0 ? close : 0.04);
        // it is the width of a front that counts
        QTest::addRow("across") << 1 << 2.2 << 0.01760618 << 1.0 << close;
        QTest::addRow("raised") << 0 << 2.2 << 1.4 << 1.0 << close;
    }
    void tableIsTrue()
    {
        QFETCH(int, scheme);
        QFETCH(double, edge);
        QFETCH(double, sigma);
        QFETCH(double, ratio);
        QFETCH(double, within);
        const auto& by = mesh_schemes()[static_cast<std::size_t>(scheme)];
        const double run = error_of(by, edge, sigma, ratio);
        const double said = velocity_error(by.scheme, by.mass, by.currents, edge, 1, ratio);
        QVERIFY2(std::abs(run - said) < within, qPrintable(QString("%1 %2").arg(run).arg(said)));
    }

    void wordsOfErrors()
    {
        QCOMPARE(error_words(-1), std::string("no wave"));
        QCOMPARE(error_words(-0.234), std::string("23 % slower"));
        QCOMPARE(error_words(0.064), std::string("6 % faster"));
        QCOMPARE(error_words(0.004), std::string("as fast"));
        using diffusion::Mass, diffusion::Scheme;
        // half way between a wave and none there is none; beyond the table it is as at its end
        QCOMPARE(velocity_error(Scheme::p1, Mass::lumped, IonicCurrents::nodal, 7, 1, 1), -1.0);
        QCOMPARE(velocity_error(Scheme::fvm, Mass::lumped, IonicCurrents::nodal, 1e3, 1, 1), -1.0);
        QCOMPARE(velocity_error(Scheme::fvm, Mass::lumped, IonicCurrents::nodal, 0, 1, 1), 0.0);
    }

    void coarseMeshesAreSaid()
    {
        Session s;
        s.mesh = MeshSlab{{3, 1, 1}, 0.5};
        const auto said = [&] {
            for (const auto& n : build_tissue(s).notices)
                if (n.text.starts_with("coarse mesh"))
                    return QString::fromStdString(n.text);
            return QString();
        };
        s.scheme = diffusion::Scheme::p1;
        const auto nodal = said();
        QVERIFY2(nodal.contains("(mean edge 0.6"), qPrintable(nodal));
        QVERIFY2(nodal.contains(" % slower along the fibres and ") &&
                     nodal.contains("% slower across them, against a fine mesh"),
                 qPrintable(nodal));
        QVERIFY2(nodal.contains("take diffusion."), qPrintable(nodal));
        s.scheme = diffusion::Scheme::fvm;
        QVERIFY2(!said().contains("scheme \"fvm\""), qPrintable(said()));
        s.scheme = diffusion::Scheme::p1;
        s.mesh = MeshSlab{{20, 4, 4}, 1};
        QVERIFY2(said().contains("come to a stand across them"), qPrintable(said()));
        s.regions[0].conductivity_S_per_m = {1.4, 1.4, 1.4};
        QVERIFY2(said().contains("conductivities above tissue's"), qPrintable(said()));
        s.regions[0].conductivity_S_per_m = {};
        s.regions[0].velocity_m_per_s = ConductionVelocity{0.6, 0.6, 0.6};
        QVERIFY2(said().contains("conductivities were found"), qPrintable(said()));
        s.mesh = MeshSlab{{0.3, 0.1, 0.1}, 0.05};
        s.regions[0] = {};
        QVERIFY2(said().isEmpty(), qPrintable(said()));
    }

    /// With TAWARA_TABLE the table is measured anew and written to that file.
    void tableIsMeasured()
    {
        const auto file = qEnvironmentVariable("TAWARA_TABLE").toStdString();
        if (file.empty())
            QSKIP("TAWARA_TABLE names no file for the table");
        std::ofstream out(file);
        for (const double edge : {0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 8.0, 10.0,
                                  12.0, 16.0, 20.0, 24.0}) {
            out << "{" << edge;
            for (const auto& by : mesh_schemes()) {
                const bool fvm = by.scheme == diffusion::Scheme::fvm;
                for (const double ratio :
                     fvm ? std::vector{1.0, fibre_ratio, 1 / fibre_ratio} : std::vector{1.0})
                    out << ", " << (edge > 0 ? error_of(by, edge, along, ratio) : 0.0)
                        << std::flush;
            }
            out << "},\n" << std::flush;
        }
    }
};

QTEST_APPLESS_MAIN(TestMeshErrors)
#include "test_mesh_errors.moc"
