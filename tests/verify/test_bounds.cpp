// SPDX-License-Identifier: GPL-3.0-or-later
// What rows of the verification table are held against: published values, other programs' times.
#include "engine/cell/model.hpp"
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
};
static const tawara::test::Further<TestBounds> further;
#include "test_bounds.moc"
