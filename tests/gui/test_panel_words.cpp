// SPDX-License-Identifier: GPL-3.0-or-later
// Panels alone: that everything in them has its place, and that they say what became of a value
// and why.
#include "tests/gui/overlap.hpp"
#include "tests/gui/paced_site.hpp"
#include "tests/gui/several.hpp"
#include "widgets/panels/field_note.hpp"
#include "widgets/panels/icons.hpp"
#include "widgets/panels/pacing_panel.hpp"
#include "widgets/panels/site_words.hpp"
#include "widgets/panels/unpaced_words.hpp"

#include <QAbstractSpinBox>
#include <QLabel>
#include <QLayout>
#include <QLineEdit>
#include <QRegularExpression>
#include <QToolButton>
#include <QTreeWidget>
#include <QtTest>

#include <cmath>

using namespace tawara;
using namespace tawara::fake;
using Kind = simulation::Protocol::Kind;

namespace {

/// One S1 and these extra pulses, in a run of this length.
simulation::Session extrasAfterOne(std::vector<double> extra_ms, double end_ms)
{
    auto s = paced(Kind::s1s2);
    s.stimuli[0].protocol->count = 1;
    s.stimuli[0].protocol->extra_ms = std::move(extra_ms);
    s.end_ms = end_ms;
    return s;
}

/// A probe's beats, as far as their times go.
BeatsPanel::Entry probeAt(const char* name, const std::vector<double>& times_ms)
{
    BeatsPanel::Entry e{name, {}, {}};
    for (const double ms : times_ms) {
        e.beats.emplace_back();
        e.beats.back().activation_ms = ms;
    }
    return e;
}

} // namespace

class TestPanelWords : public QObject
{
    Q_OBJECT

  private Q_SLOTS:
    void rowsThatComeAndGoHaveTheirPlace_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::newRow("narrow") << QSize(270, 520);
        QTest::newRow("usual") << QSize(360, 640);
        QTest::newRow("tall") << QSize(460, 1000);
    }
    void rowsThatComeAndGoHaveTheirPlace()
    {
        QFETCH(QSize, size);
        PacingPanel panel;
        panel.resize(size);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        CaptureState fired, failed;
        fired.last = CaptureState::Last::captured, fired.pulses = fired.captured = 1;
        failed.last = CaptureState::Last::failed, failed.pulses = 1;
        const Kind kinds[] = {Kind::single, Kind::train, Kind::s1s2, Kind::burst};
        for (const auto& state : {CaptureState{}, fired, failed})
            for (const Kind first : kinds)
                for (const Kind second : kinds) {
                    panel.setSession(paced(first));
                    panel.setCapture({state});
                    QApplication::processEvents();
                    panel.setSession(paced(second));
                    // at once, as it is drawn next, and when all is settled
                    for (int k = 0; k < 3; ++k) {
                        QApplication::processEvents();
                        const QString text = test::anyOverlap(panel);
                        QVERIFY2(text.isEmpty(),
                                 qPrintable(QStringLiteral("%1 after %2, turn %3: %4")
                                                .arg(static_cast<int>(second))
                                                .arg(static_cast<int>(first))
                                                .arg(k)
                                                .arg(text)));
                    }
                }
    }

    void whatIsTypedEndsBeforeAPanelGoes()
    {
        QString what;
        QByteArray by;
        {
            PacingPanel panel;
            panel.resize(360, 640);
            panel.setSession(paced(Kind::train));
            panel.show();
            QVERIFY(QTest::qWaitForWindowExposed(&panel));
            QApplication::setActiveWindow(&panel);
            connect(&panel, &PacingPanel::edited, this,
                    [&](const QString&, const SessionChange& f) {
                        auto s = paced(Kind::train);
                        f(s);
                        what = QString::fromStdString(s.stimuli.at(0).name);
                        by = panel.metaObject()->className(); // what there still is of it
                        panel.setSession(s);
                    });
            auto* name = panel.findChild<QLineEdit*>("siteName");
            name->setFocus();
            QVERIFY(name->hasFocus());
            name->clear();
            QTest::keyClicks(name, "base");
        }
        QCOMPARE(what, QString("base"));
        QCOMPARE(by, QByteArray("tawara::PacingPanel"));
    }

    /// What cannot be done with a site says why, and what to do.
    void aSiteWithoutARadiusSaysWhy()
    {
        PacingPanel panel;
        panel.show();
        auto s = paced(Kind::train);
        s.stimuli[0].region = simulation::SurfaceRegion{mesh::Wall::endo_lv};
        panel.setSession(s);
        auto* now = panel.findChild<QToolButton*>("paceNow");
        auto* radius = panel.findChild<QDoubleSpinBox*>("siteRadius");
        const auto* state = panel.findChild<QLabel*>("siteState");
        QVERIFY(!now->isEnabled() && !radius->isEnabled());
        QCOMPARE(radius->text(), QString("none"));
        for (const QString& text : {now->toolTip(), radius->toolTip(), state->text()}) {
            QVERIFY2(text.contains("the whole left endocardium"), qPrintable(text));
            QVERIFY(text.contains("add a site at one place"));
        }
        s.stimuli[0].region = simulation::Sphere{{0, 0, 0}, 0.2};
        panel.setSession(s);
        QVERIFY(now->isEnabled() && radius->isEnabled());
        QVERIFY2(radius->text().startsWith("0.2"), qPrintable(radius->text()));
        QVERIFY(radius->toolTip().contains("0.2 to 50"));
        for (const QString& text : {now->toolTip(), radius->toolTip(), state->text()})
            QVERIFY2(!text.contains("endocardium"), qPrintable(text));
    }

    /// A box is said to be one, and where it lies; nobody is advised to make its radius larger.
    void aBoxIsNoBall()
    {
        PacingPanel panel;
        auto s = paced(Kind::train);
        const auto said = [&](CaptureState::Last last, bool overtaken) {
            CaptureState c;
            c.last = last;
            c.pulses = 1;
            c.overtaken = overtaken;
            panel.setSession(s);
            panel.setCapture({c});
            return panel.findChild<QLabel*>("siteState")->text();
        };
        for (const bool overtaken : {false, true})
            QVERIFY2(said(CaptureState::Last::failed, overtaken)
                         .contains("Raise the amplitude or the radius, or"),
                     qPrintable(said(CaptureState::Last::failed, overtaken)));
        s.stimuli[0].region = simulation::Box{{-0.001, -7, 0}, {1.5, 7.25, 20}};
        for (const bool overtaken : {false, true}) {
            const QString text = said(CaptureState::Last::failed, overtaken);
            QVERIFY2(text.contains("Raise the amplitude or the duration, or"), qPrintable(text));
            QVERIFY2(!text.contains("the radius"), qPrintable(text));
        }
        const QString wanted = QString("all tissue in a box, x 0 to 1.5, y ") + QChar(0x2212) +
                               "7 to 7.25, z 0 to 20 mm. Such a site has no radius";
        for (const QString& text : {said(CaptureState::Last::unknown, false),
                                    panel.findChild<QToolButton*>("paceNow")->toolTip()})
            QVERIFY2(text.contains(wanted), qPrintable(text));
    }

    void pulsesThatAreNotDecidedAreSaid()
    {
        PacingPanel panel;
        panel.resize(360, 800);
        panel.show();
        auto s = extrasAfterOne({640}, 660);
        panel.setSession(s);
        const auto said = [&] {
            return panel.findChild<QLabel*>("siteState")->text().replace(QChar(0x202f), ' ');
        };
        const auto next = [&] {
            return panel.findChild<QTreeWidget*>("sites")->topLevelItem(0)->text(1);
        };
        QCOMPARE(said(),
                 QString("No pulse was given yet.\nNext: S1 at 0 ms, as soon as the run goes "
                         "on."));
        QCOMPARE(next(), QString("0 ms"));
        const auto fields_at = [&panel] {
            QCoreApplication::processEvents();
            return panel.findChild<QLineEdit*>("siteName")->mapTo(&panel, QPoint()).y();
        };
        const int before = fields_at();
        panel.setTime(5, 100);
        QCOMPARE(said(), QString("S1 at 0 ms: whether it captures shows by 60 ms.\nNext: S2 at 640 "
                                 "ms."));
        QCOMPARE(next(), QString("640 ms"));
        CaptureState fired;
        fired.last = CaptureState::Last::captured;
        fired.pulses = fired.captured = 1;
        fired.decidedMs = 0;
        panel.setCapture({fired});
        QVERIFY2(said().contains("1 of 1 pulses captured.\nNext: S2 at 640 ms."),
                 qPrintable(said()));
        panel.setCapture({{CaptureState::Last::failed, 1}});
        QCOMPARE(fields_at(), before);
        panel.setCapture({fired});
        panel.setTime(650, 100);
        QVERIFY2(said().contains("S2 at 640 ms: whether it captures shows by 700 ms."),
                 qPrintable(said()));
        panel.setTime(660, 100); // at the end
        QVERIFY2(
            said().contains("S2 at 640 ms: the run ended before it showed whether it captures."),
            qPrintable(said()));
        QCOMPARE(next(), QString("–"));
        s.end_ms = 2000;
        panel.setSession(s);
        panel.setCapture({fired});
        panel.setTime(1000, 100); // it never will be
        QVERIFY2(said().contains("No more pulses in this run."), qPrintable(said()));
        fired.sinceMs = 645; // another site's
        panel.setCapture({fired});
        panel.setTime(650, 100);
        QVERIFY2(!said().contains("whether it captures"), qPrintable(said()));
    }

    /// What an S1-S2 protocol is run for.
    void theRefractoryPeriodIsSaid()
    {
        PacingPanel panel;
        panel.setSession(paced(Kind::s1s2));
        const auto said = [&](double captured_ms, double failed_ms, bool overtaken = false) {
            CaptureState c;
            c.last = failed_ms > 0 ? CaptureState::Last::failed : CaptureState::Last::captured;
            c.pulses = 10, c.captured = failed_ms > 0 ? 9 : 10;
            c.refractory = {"S2", captured_ms, failed_ms};
            c.overtaken = overtaken;
            c.told = !overtaken;
            panel.setCapture({c});
            return panel.findChild<QLabel*>("siteState")->text().replace(QChar(0x202f), ' ');
        };
        const QString both = said(310, 300);
        QVERIFY2(both.startsWith("9 of 10 pulses captured.\nS2 at 310 ms captured, at 300 ms not: "
                                 "effective refractory period at this site 300 ms (between 300 "
                                 "and 310 ms, S1 every 800 ms).\n"),
                 qPrintable(both));
        QVERIFY(said(310, 300, true).startsWith("The last pulse did not capture: a wave from"));
        QVERIFY2(said(310, 0).contains("\nS2 at 310 ms captured: effective refractory period at "
                                       "this site below 310 ms (S1 every 800 ms).\n"),
                 qPrintable(said(310, 0)));
        const QString only = said(0, 300);
        QVERIFY2(only.contains("lengthen S2's interval.\nS2 at 300 ms did not capture: effective "
                               "refractory period at this site 300 ms or longer (S1 every 800 "
                               "ms).\n"),
                 qPrintable(only));
        QVERIFY2(said(290, 300).contains("S2 captured at 290 ms, but not at 300 ms: the refractory "
                                         "period at this site is not the same each time"),
                 qPrintable(said(290, 300)));
        auto one = paced(Kind::s1s2);
        one.stimuli[0].protocol->count = 1;
        panel.setSession(one);
        QVERIFY(said(310, 300).contains("and 310 ms, after one S1)."));
    }

    /// A wave that goes on when pacing is over has a cycle length and filaments.
    void whatGoesOnWithoutPacingIsSaid()
    {
        const auto plain = [](QString text) { return text.replace(QChar(0x202f), ' '); };
        // a paced beat, then 210 and 230 ms
        const auto a = probeAt("P1 %2", {600, 1850, 2100, 2310, 2540});
        const auto b = probeAt("P2", {600, 1860, 2120, 2320, 2520});
        const Centres none{}, one{1, 0, 1}, two{2, 0, 1};
        QCOMPARE(plain(unpacedText({a, b}, 1830, 2600, two)),
                 QString("Re-entry, without pacing since 1 830 ms: cycle length 220 ms at "
                         "P1 %2, 200 ms at P2 (last 3 activations); 2 filaments now."));
        QVERIFY(unpacedText({b}, 1830, 2600, one).endsWith("; 1 filament now."));
        QVERIFY(unpacedText({b}, 1830, 2600, none).startsWith("Waves without pacing since"));
        QVERIFY(unpacedText({b}, 1830, 2600, none).endsWith("; no filament now."));
        // a tail that curls for a moment is no re-entry; a wave around a scar is
        const auto curls = unpacedText({b}, 1830, 2600, Centres{2, 0, 0});
        QVERIFY2(curls.startsWith("Waves without pacing since") &&
                     curls.endsWith("; 2 filaments now, no full turn seen yet."),
                 qPrintable(curls));
        const auto scar = unpacedText({b}, 1830, 2600, Centres{1, 2, 2});
        QVERIFY2(scar.startsWith("Re-entry, without pacing since") &&
                     scar.endsWith("; 1 filament and waves around 2 obstacles now."),
                 qPrintable(scar));
        QVERIFY(unpacedText({b}, 1830, 2600, {}).contains("counted while a view shows them"));
        // paced, and a single wave after the last pulse
        QCOMPARE(unpacedText({a, b}, 2500, 2600, two), QString());
        QCOMPARE(unpacedText({probeAt("P", {10, 610, 1210})}, 1200, 1900, none), QString());
        QCOMPARE(unpacedText({}, 1200, 1900, none), QString());
        // nothing paced it
        const auto own = unpacedText({probeAt("P", {10, 410, 810})}, {}, 900, {});
        QVERIFY2(own.startsWith("Waves without pacing: cycle length 400 ms at P"), qPrintable(own));
        QCOMPARE(plain(unpacedText({a, b}, 1830, 2871, none)),
                 QString("Waves without pacing since 1 830 ms have ended: the last activation "
                         "of a probe was at 2 540 ms; cycle length until then 220 ms at P1 %2, 200 "
                         "ms at P2."));
        std::vector<BeatsPanel::Entry> many;
        for (double cycle : {200, 240, 220, 210, 230})
            many.push_back(probeAt("P", {10, 1000, 1000 + cycle, 1000 + 2 * cycle}));
        QVERIFY2(unpacedText(many, 5, 1500, two)
                     .contains("length 200 to 240 ms at 5 probes, median "
                               "220 ms (last"),
                 qPrintable(unpacedText(many, 5, 1500, two)));
        QVERIFY(unpacedText(std::vector(5, many[0]), 5, 1500, two)
                    .contains("length 200 ms at 5 probes ("));
    }

    void aNewSiteSaysWhenItPaces()
    {
        PacingPanel panel;
        panel.resize(360, 640);
        auto s = paced(Kind::train);
        s.end_ms = 5000;
        panel.setSession(s);
        panel.setTime(1000, 0);
        const auto plain = [](QString text) { return text.replace(QChar(0x202f), ' '); };
        const auto second = panel.fresh("base", {1, 2, 3});
        QCOMPARE(plain(panel.scheduleOf(second)),
                 QString("base paces every 800 ms, as apex does: its next pulse comes at 1 600 "
                         "ms."));
        s.stimuli[0].protocol->kind = Kind::single; // it is over: another begins soon
        panel.setSession(s);
        const auto third = panel.fresh("base", {1, 2, 3});
        QCOMPARE(third.start_ms, 1020.0);
        QCOMPARE(plain(panel.scheduleOf(third)),
                 QString("base gives a single pulse, as apex does: its next pulse comes at 1 020 "
                         "ms."));
        s.stimuli.clear();
        panel.setSession(s);
        QVERIFY(panel.scheduleOf(panel.fresh("base", {1, 2, 3})).startsWith("base paces every"));
    }

    void pulsesAfterTheEndAreSaid()
    {
        PacingPanel panel;
        panel.resize(360, 800);
        panel.show();
        auto s = extrasAfterOne({520, 800}, 1330);
        panel.setSession(s);
        auto* late = panel.findChild<QLabel*>("siteLate");
        QVERIFY2(late->text().isEmpty() && !late->isVisible(), qPrintable(late->text()));
        s.end_ms = 1000;
        panel.setSession(s);
        QVERIFY(late->isVisible());
        QCOMPARE(late->text().replace(QChar(0x202f), ' '),
                 QString("S3 at 1 320 ms comes after the end of the run (1 000 ms)."));
        s.stimuli[0].on = false; // then none comes
        panel.setSession(s);
        QVERIFY(!late->isVisible());
    }

    void dotsAreRound_data()
    {
        QTest::addColumn<double>("ratio");
        QTest::addColumn<int>("pixels");
        for (const double ratio : {1.0, 1.25, 2.0})
            for (const int pixels : {9, 12, 20})
                QTest::addRow("%d px at %g", pixels, ratio) << ratio << pixels;
    }
    void dotsAreRound()
    {
        QFETCH(double, ratio);
        QFETCH(int, pixels);
        PacingPanel panel;
        panel.resize(400, 700);
        // the program's own look, in any colours: it pads the rows
        QString look = styleSheet(QStringLiteral("window"));
        look.replace("@theme", "dark")
            .replace(QRegularExpression("@[a-z]+"), "#808080")
            .replace("font-size: 12px", QStringLiteral("font-size: %1px").arg(pixels));
        panel.setStyleSheet(look);
        auto s = paced(Kind::train);
        s.stimuli.push_back(s.stimuli[0]);
        s.stimuli[1].on = false;
        panel.setSession(s);
        panel.setCapture({{}, {}});
        panel.show();
        QApplication::processEvents();
        auto* list = panel.findChild<QTreeWidget*>("sites");
        QImage image((QSizeF(list->viewport()->size()) * ratio).toSize(), QImage::Format_RGB32);
        image.setDevicePixelRatio(ratio);
        list->viewport()->render(&image);
        for (int row = 0; row < 2; ++row) {
            const QColor color = captureColor(s.stimuli[static_cast<std::size_t>(row)], {});
            QRect box;
            const QRect item = list->visualItemRect(list->topLevelItem(row));
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x) {
                    const QColor c = image.pixelColor(x, y);
                    const bool near = std::abs(c.red() - color.red()) < 6 &&
                                      std::abs(c.green() - color.green()) < 6 &&
                                      std::abs(c.blue() - color.blue()) < 6;
                    if (near && item.contains(QPointF(x / ratio, y / ratio).toPoint()))
                        box |= QRect(x, y, 1, 1);
                }
            QVERIFY2(box.width() >= 5 * ratio, qPrintable(QString::number(box.width())));
            QVERIFY2(std::abs(box.width() - box.height()) <= 1,
                     qPrintable(QStringLiteral("%1 x %2").arg(box.width()).arg(box.height())));
        }
    }
};

int main(int argc, char** argv)
{
    return fake::runWidgets<TestPanelWords>(argc, argv);
}
#include "test_panel_words.moc"
