// SPDX-License-Identifier: GPL-3.0-or-later
// The search for conductivities along several directions, on velocities that are formulas.
#include "engine/simulation/tissue/joint_search.hpp"

#include <QtTest>

#include <cmath>

using namespace tawara::simulation;

class TestJointSearch : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    /// Two directions of which each moves the other's waves, one of which stops below a
    /// conductivity, and one whose waves are always too fast.
    void directionsAreSearchedTogether()
    {
        int rounds = 0;
        JointSearch search(
            [&](const std::vector<double>& c) {
                ++rounds;
                return std::vector{
                    c[0] < 0.3 ? 0.0 : 0.6 * std::pow(c[0], 1.2) * std::pow(c[1], 0.2),
                    0.3 * std::pow(c[1], 0.7) * std::pow(c[0], 0.3), 0.4 * std::pow(c[0], 0.5)};
            },
            {0.6, 0.3, 0.2}, {0, 0, 0.05});
        const auto found = search.from({0.1, 0.2, 0.1}, 0.005);
        QVERIFY(found);
        QVERIFY2(rounds < 9, qPrintable(QString::number(rounds)));
        QVERIFY(std::abs(found->at(0).sigma - 1) < 0.02 && std::abs(found->at(1).sigma - 1) < 0.02);
        QCOMPARE(found->at(2).sigma, 0.05);
        QVERIFY(found->at(2).velocity > 0.35);
    }

    /// Waves that stop with a little less than what makes them too fast.
    void whatStopsBetweenIsNotFound()
    {
        JointSearch jumps([](const auto& c) { return std::vector{c[0] < 1 ? 0.0 : 0.9}; }, {0.6},
                          {0});
        QVERIFY(!jumps.from({0.5}, 0.005));
        QVERIFY(jumps.last().at(0) > 0.5);
    }

    /// Without a floor waves that are too fast with the least conductivity are not taken.
    void withoutAFloorNothingIsTooFast()
    {
        JointSearch fast([](const auto&) { return std::vector{0.5}; }, {0.2}, {0});
        QVERIFY(!fast.from({0.1}, 0.005));
        JointSearch floored([](const auto&) { return std::vector{0.5}; }, {0.2}, {0.01});
        const auto found = floored.from({0.1}, 0.005);
        QVERIFY(found);
        QCOMPARE(found->at(0).sigma, 0.01);
    }
};

QTEST_GUILESS_MAIN(TestJointSearch)
#include "test_joint_search.moc"
