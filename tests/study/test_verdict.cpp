// SPDX-License-Identifier: GPL-3.0-or-later
// Verdicts of studies against recordings that were labelled by looking at them, and who came from
// whom.
#include "engine/core/file_content.hpp"
#include "tests/study/recorded_pulse.hpp"

#include <QDir>
#include <QtTest>

#include <nlohmann/json.hpp>
#include <set>

using namespace tawara;
using namespace tawara::study;

namespace {

const QString folder = QStringLiteral(TAWARA_SOURCE_DIR "/tests/study/recordings/");

nlohmann::json recipes()
{
    return nlohmann::json::parse(file_content((folder + "recipes.json").toStdString()))
        .at("recordings");
}

QString class_of(const Verdict& v)
{
    if (v.outcome == Outcome::none)
        return "no re-entry";
    const QString word = name(v.outcome);
    if (v.outcome != Outcome::sustained)
        return word;
    return word + (v.reentry.monomorphic ? " monomorphic" : " polymorphic");
}

} // namespace

class TestVerdict : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void recordingsHaveTheirClass_data()
    {
        QTest::addColumn<QString>("label");
        const auto all = recipes();
        for (const auto& [name, recipe] : all.items())
            QTest::newRow(name.c_str())
                << QString::fromStdString(recipe.at("label").get<std::string>());
    }
    void recordingsHaveTheirClass()
    {
        QFETCH(QString, label);
        const auto r = recorded_pulse(folder + QTest::currentDataTag() + ".pulse");
        QVERIFY2(r, "there is no such recording");
        const auto v = verdict(r->after());
        qInfo("%s: cycle %.0f ms, variability %.3f, drift %.3f", qPrintable(class_of(v)),
              v.reentry.cycle_length_ms, v.reentry.variability, v.reentry.drift);
        QCOMPARE(class_of(v), label);
    }

    void thereAreTwentyOfAllClasses()
    {
        std::set<std::string> labels;
        const auto all = recipes();
        for (const auto& r : all)
            labels.insert(r.at("label").get<std::string>());
        QCOMPARE(labels.size(), std::size_t(5));
        QVERIFY(all.size() >= 20);
        const auto files = QDir(folder).entryList({"*.pulse"});
        QCOMPARE(static_cast<std::size_t>(files.size()), all.size());
    }

    /// What follows a pulse is not judged before its end: the same rotor, seen for less.
    void whatEndsIsNotSustained()
    {
        auto r = recorded_pulse(folder + "rotor.pulse");
        QVERIFY(r);
        QCOMPARE(verdict(r->after()).outcome, Outcome::sustained);
        r->to_its_end = false;
        QCOMPARE(verdict(r->after()).outcome, Outcome::transient);
        r->to_its_end = true;
        const auto stopped_ms = static_cast<float>(r->now_ms - 600);
        std::erase_if(r->activations, [&](const auto& a) { return a.time_ms > stopped_ms; });
        QCOMPARE(verdict(r->after()).outcome, Outcome::transient);
    }

    /// Two places side by side: the second follows the first by 5 ms, or fires by itself.
    void wavesAreFollowedFromPlaceToPlace()
    {
        const std::vector<Vec3> at{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
        const std::vector<double> volume{1, 1, 1};
        const std::vector<std::int64_t> first{0, 1, 3, 4};
        const std::vector<std::int32_t> place{1, 0, 2, 1};
        // to and fro without a rest, and from the left every 100 ms
        std::vector<analysis::Activation> fro, left;
        for (int k = 0; k < 20; ++k) {
            const float t = 100 * static_cast<float>(k);
            for (const auto& [p, after] : {std::pair(0, 0.0F), {1, 25.0F}, {2, 50.0F}, {1, 75.0F}})
                fro.push_back({p, t + after});
            for (const auto& [p, after] : {std::pair(0, 0.0F), {1, 5.0F}, {2, 10.0F}})
                left.push_back({p, t + after});
        }
        const auto share = [&](const auto& events, double cycle_ms) {
            return analysis::share_of_old_waves({events, at, volume}, {first, place}, cycle_ms,
                                                1000);
        };
        QCOMPARE(share(fro, 100), 1.0);
        QCOMPARE(share(left, 100), 0.0);
        QCOMPARE(share(std::vector<analysis::Activation>(), 100), 0.0);
    }
};

QTEST_APPLESS_MAIN(TestVerdict)
#include "test_verdict.moc"
