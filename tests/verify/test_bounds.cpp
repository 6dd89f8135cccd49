// SPDX-License-Identifier: GPL-3.0-or-later
// What rows of the verification table are held against: published values, other programs' times.
#include "engine/cell/model.hpp"
#include "engine/verify/niederer_times.hpp"
#include "engine/verify/problems/published_beats.hpp"
#include "engine/verify/verify.hpp"
#include "tests/several.hpp"

#include <QtTest>
#include <algorithm>
#include <map>
#include <string>

using namespace tawara;
using namespace tawara::verify;

class TestBounds : public QObject
{
    Q_OBJECT

  private Q_SLOTS:
    /// Each cell of the library has a published beat or a row that says why it has none.
    void noModelIsLeftOutOfThePapers()
    {
        const std::string names[]{"papers.unpublished"};
        const auto t = make_table({}, chosen(verify::groups(), names));
        QCOMPARE(t.count(Verdict::skipped), t.rows.size());
        std::map<std::string, std::string> reasons;
        for (const auto& r : t.rows)
            QVERIFY2(!r.reason.empty() && reasons.emplace(r.id, r.reason).second, r.id.c_str());
        for (const auto& model : cell::model_names()) {
            const bool published = std::any_of(published_beats.begin(), published_beats.end(),
                                               [&](const auto& p) { return p.model == model; });
            QVERIFY2(published != reasons.contains("papers." + model + ".apd90"), model.c_str());
        }
        for (const auto& w : without_published_beat)
            QCOMPARE(reasons[std::string("papers.") + w.model + ".apd90"], std::string(w.reason));
        QVERIFY(reasons.contains("papers.ten_tusscher_2006.endo.apd90"));
    }

    /// A coarse mesh is late by lumped mass and early by interpolated currents: neither kind's
    /// times are within the other's bounds, nor within those of fvm, which has none of its kind.
    void timesAreHeldAgainstTheirOwnKind()
    {
        constexpr std::size_t P8 = 7;
        const auto on_P8 = [](const TimedProgram* kind, double dx_mm) {
            return times_like(kind, dx_mm).at(P8);
        };
        for (const auto& run : published_times) {
            const auto own = times_like(run.program, run.dx_mm);
            QCOMPARE(own.kind, run.program);
            for (std::size_t p = 0; p < run.ms.size(); ++p)
                QCOMPARE(judged(run.ms[p], own.at(p)), Verdict::passed);
        }
        for (const double dx_mm : {0.5, 0.2, 0.1})
            for (const auto* kind : {&fenicsx, &cardioid, &chaste, (const TimedProgram*)nullptr}) {
                const auto b = on_P8(kind, dx_mm);
                QVERIFY2(b.least > 0 && b.most < 1.8 * b.least, std::to_string(b.most).c_str());
            }
        QCOMPARE(judged(123.2, on_P8(&cardioid, 0.5)), Verdict::passed);
        for (const auto* kind : {&fenicsx, &chaste, (const TimedProgram*)nullptr})
            QCOMPARE(judged(123.2, on_P8(kind, 0.5)), Verdict::missed);
        QCOMPARE(judged(36.3, on_P8(&cardioid, 0.5)), Verdict::missed);
        QCOMPARE(times_like(nullptr, 0.5).dx_mm, 0.1);
        QCOMPARE(times_like(&chaste, 0.2).dx_mm, 0.1);
    }
};
static const tawara::test::Further<TestBounds> further;
#include "test_bounds.moc"
