// SPDX-License-Identifier: GPL-3.0-or-later
// Clicks at many places of the built-in heart and at many moments: what is said of each against
// what the tissue does with and without it.
#include "engine/device/stepper.hpp"
#include "engine/mesh/measure.hpp"
#include "engine/simulation/pacing/capture.hpp"
#include "engine/simulation/pacing/pulse_strength.hpp"
#include "engine/simulation/session/session.hpp"
#include "engine/simulation/tissue/tissue.hpp"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <optional>

using namespace tawara;
using namespace tawara::simulation;

namespace {

constexpr double every_ms = 0.25; ///< between two looks at V
constexpr float fires_mV = -20;
constexpr double soon_ms = 2; ///< as long as a pulse

/// The built-in heart, paced at its apex at 0, in longer steps than the window takes.
Session heart()
{
    Session s = default_session();
    s.dt_ms = 0.05;
    s.stimuli[0].period_ms = 0;
    s.stimuli[0].count = 1;
    return s;
}

/// What a click did.
struct Click
{
    Vec3 at{};
    bool wave = false; ///< tissue far from it fired that would not have, or later
    /// Some did, but not much, or a wave from elsewhere was there within soon_ms, and both became
    /// one: either answer is right.
    bool local = false;
    std::optional<CaptureEvent> said;
    double said_after_ms = 0;
};

/// A stretch of time of the heart, again and again from the same state.
class Heart
{
  public:
    explicit Heart(const Session& s)
        : session_(s), tissue_(build_tissue(s)),
          stepper_(device::make_stepper(tissue_.problem, {"cpu", Precision::single, 2}))
    {
        for (auto& source : sources_of(tissue_, s.stimuli[0], s.name, "apex"))
            stepper_->add_stimulus(source);
        from_ = start_ = stepper_->snapshot();
    }

    const Tissue& tissue() const { return tissue_; }
    /// From here on; below 0: at rest, and nobody paces any more.
    void go_to(double t_ms)
    {
        if (at_ms_ == t_ms)
            return;
        at_ms_ = t_ms;
        if (t_ms < 0) {
            stepper_->remove_stimulus(0);
        } else if (t_ms >= from_ms_) {
            stepper_->restore(from_);
            stepper_->advance(std::llround((t_ms - from_ms_) / session_.dt_ms));
        } else {
            stepper_->restore(start_);
            stepper_->advance(std::llround(t_ms / session_.dt_ms));
        }
        from_ = stepper_->snapshot();
        from_ms_ = std::max(t_ms, 0.0);
        alone_ = fired(nullptr, nullptr);
    }

    /// @param radius_mm  of the click's ball, whose other values are the usual ones
    Click click(const Vec3& at, double radius_mm)
    {
        Click c;
        c.at = at;
        const auto site = unknowns_in(tissue_, Sphere{at, radius_mm}, session_.name, "click");
        const auto with = fired(&c, &site);
        std::size_t changed = 0;
        double far_mm = 0;
        for (std::size_t u = 0; u < with.size(); ++u) {
            const bool other =
                std::isfinite(with[u]) && !(std::isfinite(alone_[u]) && with[u] > alone_[u] - 1);
            const double mm = norm(tissue_.problem.position_mm[u] - at);
            if (!other || mm < radius_mm)
                continue;
            ++changed;
            far_mm = std::max(far_mm, mm - radius_mm);
        }
        c.wave = changed >= 30 && far_mm > 10;
        const bool there = std::any_of(site.begin(), site.end(), [&](std::int32_t u) {
            return alone_[static_cast<std::size_t>(u)] <= soon_ms;
        });
        c.local = !c.wave && (changed > 8 || there);
        return c;
    }

  private:
    /// When each unknown fires from here on [ms]; NaN: not within the time.
    std::vector<double> fired(Click* c, const std::vector<std::int32_t>* site)
    {
        constexpr double never = std::numeric_limits<double>::quiet_NaN();
        const double told_ms = 34, window_ms = CaptureWatch::window_ms + 2;
        stepper_->restore(from_);
        const double t0 = stepper_->time_ms();
        CaptureWatch watch;
        std::optional<std::size_t> source;
        if (site != nullptr) {
            device::StimulusSource s;
            s.unknowns = *site;
            s.amplitude_pA_per_pF = usual_amplitude_pA_per_pF;
            s.duration_ms = usual_duration_ms;
            s.start_ms = t0;
            source = stepper_->add_stimulus(s);
            watch.add({-1,
                       1,
                       capture_places(tissue_, *site),
                       s.amplitude_pA_per_pF,
                       s.duration_ms,
                       {{t0, 0, 1}}});
        }
        const auto columns = watch.columns();
        std::vector<double> before(tissue_.problem.size()), now(before), out(before.size(), never),
            values(columns.size());
        stepper_->potential(before);
        for (double t = every_ms; t <= window_ms; t += every_ms) {
            stepper_->advance(std::llround(every_ms / session_.dt_ms));
            stepper_->potential(now);
            for (std::size_t u = 0; u < now.size(); ++u)
                if (std::isnan(out[u]) && before[u] < fires_mV && now[u] >= fires_mV)
                    out[u] = t;
            std::swap(before, now);
            if (c == nullptr)
                continue;
            for (std::size_t k = 0; k < columns.size(); ++k)
                values[k] = before[static_cast<std::size_t>(columns[k])];
            watch.feed(stepper_->time_ms(), values, [&](const CaptureEvent& e) {
                c->said = e;
                c->said_after_ms = t;
            });
            if (c->said && t >= told_ms)
                break;
        }
        if (source)
            stepper_->remove_stimulus(*source);
        return out;
    }

    Session session_;
    Tissue tissue_;
    std::unique_ptr<device::Stepper> stepper_;
    device::Snapshot start_, from_;
    double from_ms_ = 0;
    std::optional<double> at_ms_; ///< where the last go_to() went
    std::vector<double> alone_;
};

/// Middles of triangles of the wall, far from one another.
std::vector<Vec3> places(const Tissue& t, std::size_t n, double least_z_mm)
{
    std::vector<Vec3> all, out;
    for (const auto& triangle : t.surface->triangles) {
        Vec3 middle{};
        for (const auto v : triangle)
            middle = middle + (1.0 / 3) * t.mesh->vertex(static_cast<std::size_t>(
                                              t.surface->vertices[static_cast<std::size_t>(v)]));
        if (middle[2] >= least_z_mm)
            all.push_back(middle);
    }
    std::vector<double> distance(all.size(), 1e9);
    std::size_t next = 0;
    while (out.size() < n) {
        out.push_back(all[next]);
        for (std::size_t k = 0; k < all.size(); ++k)
            distance[k] = std::min(distance[k], norm(all[k] - all[next]));
        next = static_cast<std::size_t>(std::max_element(distance.begin(), distance.end()) -
                                        distance.begin());
    }
    return out;
}

QString text(const Click& c)
{
    return QString("(%1 %2 %3): %4, said %5 after %6 ms")
        .arg(c.at[0], 0, 'f', 0)
        .arg(c.at[1], 0, 'f', 0)
        .arg(c.at[2], 0, 'f', 0)
        .arg(c.wave    ? "a wave"
             : c.local ? "a few cells"
                       : "nothing",
             !c.said             ? "nothing"
             : c.said->captured  ? "captured"
             : c.said->overtaken ? "a wave from elsewhere"
                                 : "not captured")
        .arg(c.said_after_ms);
}

} // namespace

class TestCapturePlaces : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    /// 50 pA/pF for 2 ms in the ball that the Pulse tool takes on this mesh capture resting tissue,
    /// wherever it is; and that is what is said.
    void restingTissueIsCapturedAnywhere()
    {
        if (!resting_)
            resting_.emplace(heart());
        Heart& h = *resting_;
        const double radius_mm = capturing_radius_mm(mesh::mean_edge_mm(*h.tissue().mesh));
        qInfo("radius %.1f mm", radius_mm);
        h.go_to(-1);
        for (const auto& at : places(h.tissue(), 16, 0)) { // near the base: the worst
            const auto c = h.click(at, radius_mm);
            QVERIFY2(c.wave, qPrintable(text(c)));
            QVERIFY2(c.said && c.said->captured, qPrintable(text(c)));
        }
    }

    /// Balls that are large enough and such that are too small, before, in and after the wave that
    /// the apex has sent out: no answer is false, and each click has one.
    void noAnswerIsFalse_data()
    {
        QTest::addColumn<double>("at_ms");
        QTest::addColumn<double>("radius_mm");
        QTest::newRow("rest, small") << -1.0 << 3.0;
        for (const double at : {60.0, 100.0, 140.0}) {
            QTest::addRow("%g ms, small", at) << at << 3.0;
            QTest::addRow("%g ms, large", at) << at << 5.5;
        }
        QTest::newRow("refractory") << 200.0 << 5.5;
        QTest::newRow("relatively refractory") << 330.0 << 5.5;
    }
    void noAnswerIsFalse()
    {
        QFETCH(double, at_ms);
        QFETCH(double, radius_mm);
        auto& kept = at_ms < 0 ? resting_ : paced_;
        if (!kept)
            kept.emplace(heart());
        Heart& h = *kept;
        h.go_to(at_ms);
        int waves = 0, overtaken = 0;
        QStringList wrong;
        for (const auto& at : places(h.tissue(), 8, -5)) {
            const auto c = h.click(at, radius_mm);
            waves += c.wave ? 1 : 0;
            overtaken += c.said && c.said->overtaken ? 1 : 0;
            if (!c.said || (!c.local && c.said->captured != c.wave))
                wrong << text(c);
            if (at_ms == 200 && c.said && c.said_after_ms > 6) // said at once
                wrong << text(c);
        }
        qInfo("%d of 8 sent out a wave, %d said to be overtaken", waves, overtaken);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

  private:
    std::optional<Heart> resting_, paced_; ///< the paced one goes on from row to row
};

QTEST_APPLESS_MAIN(TestCapturePlaces)
#include "test_capture_places.moc"
