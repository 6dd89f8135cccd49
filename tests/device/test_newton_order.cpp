// SPDX-License-Identifier: GPL-3.0-or-later
// Steps by Newton's method are of the second order in space. tests/bench/newton_order.cpp has the
// same on finer meshes.
#include "tests/device/plane_wave.hpp"

#include <QtTest>

using namespace tawara;
using namespace tawara::test;

class TestNewtonOrder : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    /// Against explicit steps on a mesh of a quarter of the finest edge, with either mass.
    void errorsAreOfTheSecondOrderInSpace()
    {
        const auto fine = plane_wave_in_the_limit(
            {1.0 / 32, device::Stepping::explicit_, diffusion::Mass::lumped, 0.001, 0.125});
        for (const auto mass : {diffusion::Mass::lumped, diffusion::Mass::consistent}) {
            std::vector<PlaneWaveError> e;
            for (const double edge : {0.5, 0.25, 0.125}) {
                e.push_back(difference(
                    plane_wave_in_the_limit({edge, device::Stepping::newton, mass, 0.1}), fine));
                qInfo("%s mass, %.3f mm: V %.3f mV, activation %.4f ms",
                      std::string(diffusion::name(mass)).c_str(), edge, e.back().v_mV,
                      e.back().activation_ms);
            }
            for (const std::size_t k : {0U, 1U})
                for (const double order : {std::log2(e[k].v_mV / e[k + 1].v_mV),
                                           std::log2(e[k].activation_ms / e[k + 1].activation_ms)})
                    QVERIFY2(order > 1.8 && order < 2.4, qPrintable(QString::number(order)));
        }
    }
};

QTEST_GUILESS_MAIN(TestNewtonOrder)
#include "test_newton_order.moc"
