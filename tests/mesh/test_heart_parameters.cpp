// SPDX-License-Identifier: GPL-3.0-or-later
// What a heart's parameters may be.
#include "engine/core/error.hpp"
#include "engine/mesh/generator/heart.hpp"

#include <QtTest>
#include <cmath>
#include <set>

using namespace tawara;
using namespace tawara::mesh::generator;

class TestHeartParameters : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void tableDescribesTheParameters()
    {
        const HeartParameters p;
        std::set<std::string_view> names;
        for (const auto& row : parameter_table()) {
            QVERIFY(names.insert(row.name).second);
            QCOMPARE(p.*row.value, row.fallback);
            QVERIFY(row.min < row.max && row.fallback >= row.min && row.fallback <= row.max);
            QVERIFY(!row.description.empty() && !row.unit.empty());
            if (row.unit == "mm" || row.unit == "deg")
                QVERIFY(row.name.ends_with("_" + std::string(row.unit)));
        }
        QCOMPARE(names.size() * sizeof(double) + sizeof(double), sizeof(HeartParameters));
        validate(p);
        QVERIFY(heart_shape("lv") == HeartShape::lv);
        QVERIFY(!heart_shape("LV "));
    }

    void valuesOutOfRangeAreNamed()
    {
        for (const auto& row : parameter_table())
            for (double bad : {row.min - 1e-3, row.max + 1e-3, std::nan(""), HUGE_VAL}) {
                HeartParameters p;
                p.*row.value = bad;
                try {
                    validate(p, "p.json");
                    QFAIL("accepted");
                } catch (const InputError& e) {
                    QCOMPARE(e.file, std::string("p.json"));
                    QCOMPARE(e.where, "/" + std::string(row.name));
                    QVERIFY(e.reason.find("from ") != std::string::npos);
                }
            }
    }

    void impossibleCombinationsAreNamed_data()
    {
        QTest::addColumn<QString>("key");
        QTest::addColumn<double>("value");
        QTest::newRow("thin wall, long edges") << "edge_mm" << 4.9;
        QTest::newRow("base above the cavity") << "base_plane_mm" << 60.0;
        QTest::newRow("flat") << "lv_long_axis_mm" << 20.0;
        QTest::newRow("no right cavity") << "rv_reach_mm" << 35.0;
        QTest::newRow("right on the left") << "rv_offset_mm" << 15.0;
        QTest::newRow("leaning over") << "rv_lean" << 0.5;
        QTest::newRow("short right") << "rv_long_axis_mm" << 22.5;
        QTest::newRow("fractions") << "epi_fraction" << 0.8;
    }
    void impossibleCombinationsAreNamed()
    {
        QFETCH(QString, key);
        QFETCH(double, value);
        HeartParameters p;
        for (const auto& row : parameter_table())
            if (row.name == key.toStdString())
                p.*row.value = value;
        try {
            validate(p);
            QFAIL("accepted");
        } catch (const InputError& e) {
            QVERIFY2(e.reason.find(" should be ") != std::string::npos, e.what());
            QVERIFY2(e.where.find(key == "rv_offset_mm" ? "rv_" : key.toStdString()) !=
                         std::string::npos,
                     e.what());
        }
    }

    void aRightVentricleOutOfReachIsRefused()
    {
        HeartParameters p;
        p.shape = HeartShape::biventricular;
        p.edge_mm = 3.5;
        p.rv_offset_mm = 20, p.rv_reach_mm = 39.5, p.rv_long_axis_mm = 25, p.rv_lean = 0;
        p.blend_mm = 6;
        validate(
            p); // each value and pair is fine; at the base the right one is all inside the left
        QVERIFY_THROWS_EXCEPTION(InputError, generate_heart(p));
    }
};

QTEST_GUILESS_MAIN(TestHeartParameters)
#include "test_heart_parameters.moc"
