// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/io/length_unit.hpp"

#include <QtTest>

#include <cmath>

using namespace tawara;
using namespace tawara::mesh;

namespace {

/// A mesh of which only its box's diagonal and its mean edge count.
io::Raw of_size(double diagonal, double edge)
{
    io::Raw raw;
    raw.format = "F";
    const double side = diagonal / std::sqrt(3);
    raw.mesh.add_vertex({0, 0, 0});
    raw.mesh.add_vertex({edge, 0, 0});
    raw.mesh.add_vertex({0, side, 0});
    raw.mesh.add_vertex({side, side, side});
    for (std::int32_t k = 0; k < 4; ++k)
        raw.mesh.corner[static_cast<std::size_t>(k)].push_back(k);
    return raw;
}

} // namespace

class TestLengthUnit : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    /// Both ends of each range of sizes; where edges decide, both sides of that.
    void inferred_data()
    {
        QTest::addColumn<double>("diagonal");
        QTest::addColumn<double>("edge");
        QTest::addColumn<LengthUnit>("unit");
        QTest::addColumn<bool>("sure");
        const auto row = [](const char* what, double d, double e, LengthUnit u, bool sure = false) {
            QTest::addRow("%s, %g", what, d) << d << e << u << sure;
        };
        row("speck in m", 1e-5, 1e-6, LengthUnit::m);
        row("block in m", 0.0005, 0.0001, LengthUnit::m);
        row("4 x 2 x 2 mm in m", 0.0049, 0.0005, LengthUnit::m);
        row("mouse in m", 0.0199, 0.0005, LengthUnit::m);
        row("heart in m", 0.02, 0.0005, LengthUnit::m);
        row("heart in m", 0.399, 0.002, LengthUnit::m);
        row("block in cm", 0.05, 0.02, LengthUnit::cm);
        row("block in cm", 0.399, 0.02, LengthUnit::cm);
        row("block in cm", 0.401, 0.05, LengthUnit::cm);
        row("slab in cm", 2.14, 0.05, LengthUnit::cm);
        row("block in mm", 0.401, 0.1, LengthUnit::mm);
        row("block in mm", 4.9, 0.25, LengthUnit::mm);
        row("small heart in cm", 4.99, 0.05, LengthUnit::cm);
        row("heart in cm", 5.01, 0.1, LengthUnit::cm);
        row("heart in cm", 19.9, 0.1, LengthUnit::cm);
        row("mouse in mm", 5.01, 0.2, LengthUnit::mm);
        row("mouse in mm", 19.9, 0.2, LengthUnit::mm);
        row("heart in mm", 20.1, 0.2, LengthUnit::mm, true);
        row("heart in mm", 399, 1, LengthUnit::mm, true);
        row("too large in mm", 401, 1, LengthUnit::mm);
        row("block in um", 401, 50, LengthUnit::um);
        row("too large in mm", 999, 1, LengthUnit::mm);
        row("block in um", 1001, 100, LengthUnit::um);
        row("block in um", 4999, 200, LengthUnit::um);
        row("mouse in um", 5001, 200, LengthUnit::um);
        row("mouse in um", 19900, 200, LengthUnit::um);
        row("heart in um", 20100, 200, LengthUnit::um, true);
        row("heart in um", 399000, 1000, LengthUnit::um, true);
        row("too large in um", 401000, 1000, LengthUnit::um);
        row("too large in um", 1e7, 1000, LengthUnit::um);
    }
    void inferred()
    {
        QFETCH(double, diagonal);
        QFETCH(double, edge);
        QFETCH(bool, sure);
        auto raw = of_size(diagonal, edge);
        QTEST(io::choose_unit(raw, {}), "unit");
        QCOMPARE(raw.notices.size(), std::size_t(1));
        QCOMPARE(raw.notices[0].level == Notice::Level::info, sure);
        QVERIFY(raw.notices[0].text.find("inferred from the size") != std::string::npos);
    }

    /// A unit that is given is taken, and doubted where it makes no heart.
    void given()
    {
        const auto said = [](double diagonal, LengthUnit unit) {
            auto raw = of_size(diagonal, diagonal / 10);
            if (io::choose_unit(raw, unit) != unit)
                return std::string("another");
            return (raw.notices[0].level == Notice::Level::warning ? "warning: " : "note: ") +
                   raw.notices[0].text;
        };
        QCOMPARE(said(0.0049, LengthUnit::mm),
                 std::string("warning: length unit mm (as given, though no piece of tissue is so "
                             "small): the mesh's box has a diagonal of 0.0049 mm; give the unit if "
                             "that is wrong"));
        QCOMPARE(said(0.0049, LengthUnit::m),
                 std::string("note: length unit m (as given): the mesh's box has a diagonal of "
                             "4.9 mm"));
        QVERIFY(said(110, LengthUnit::cm)
                    .starts_with("warning: length unit cm (as given, though "
                                 "no heart is so large)"));
    }

    /// A format's convention holds for what can be a heart, and is no reason against itself.
    void convention()
    {
        const auto said = [](double diagonal) {
            auto raw = of_size(diagonal, diagonal / 50);
            raw.convention = LengthUnit::um;
            io::choose_unit(raw, {});
            return raw.notices[0].text;
        };
        QVERIFY(said(600).starts_with("length unit um (by convention of F)"));
        QVERIFY(said(5e5).starts_with("length unit um (by convention of F)"));
        QVERIFY(said(100).starts_with("length unit mm (inferred from the size, though um is"));
        QVERIFY(said(0.0049).starts_with("length unit m (inferred from the size, though um is"));
    }
};

Q_DECLARE_METATYPE(tawara::LengthUnit)
QTEST_APPLESS_MAIN(TestLengthUnit)
#include "test_length_unit.moc"
