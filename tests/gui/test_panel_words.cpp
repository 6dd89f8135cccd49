// SPDX-License-Identifier: GPL-3.0-or-later
// Panels alone: that everything in them has its place, and that they say what became of a value
// and why.
#include "tests/gui/window_fixture.hpp"
#include "widgets/panels/pacing_panel.hpp"
#include "widgets/panels/tissue_panel.hpp"

#include <QAbstractSpinBox>
#include <QLabel>
#include <QLayout>

using namespace tawara;
using simulation::Protocol;
using Kind = simulation::Protocol::Kind;

namespace {

simulation::Session paced(Kind kind, double amplitude = 50)
{
    simulation::Session s;
    simulation::Stimulus one;
    one.name = "apex";
    one.region = simulation::Sphere{{0, 0, 0}, 3};
    one.amplitude_pA_per_pF = amplitude;
    one.protocol = Protocol{};
    one.protocol->kind = kind;
    one.protocol->cycle_ms = 800;
    one.protocol->count = kind == Kind::train ? 0 : 8;
    if (kind == Kind::s1s2)
        one.protocol->extra_ms = {440};
    s.stimuli = {one};
    s.end_ms = 1600;
    return s;
}

/// Two visible siblings of all that a widget holds that lie on each other, or a number that is cut;
/// empty: none.
QString anyOverlap(const QWidget& top)
{
    const auto name = [](const QWidget* w) {
        const auto* label = qobject_cast<const QLabel*>(w);
        return label != nullptr
                   ? label->text()
                   : QLatin1String(w->metaObject()->className()) + ' ' + w->objectName();
    };
    auto all = top.findChildren<const QWidget*>();
    all << &top;
    for (const auto* parent : all) {
        if (parent->layout() == nullptr || !parent->isVisible())
            continue;
        QList<const QWidget*> shown;
        for (const auto* w : parent->findChildren<const QWidget*>(Qt::FindDirectChildrenOnly))
            if (w->isVisible() && !w->isWindow() && w->objectName() != "fieldNote")
                shown << w;
        for (qsizetype a = 0; a < shown.size(); ++a)
            for (qsizetype b = a + 1; b < shown.size(); ++b)
                if (shown[a]->geometry().intersects(shown[b]->geometry()))
                    return name(shown[a]) + QStringLiteral(" and ") + name(shown[b]);
        for (const auto* w : shown)
            if (qobject_cast<const QAbstractSpinBox*>(w) != nullptr &&
                w->height() < w->minimumSizeHint().height())
                return name(w) + QStringLiteral(" is cut");
    }
    return {};
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
                        const QString text = anyOverlap(panel);
                        QVERIFY2(text.isEmpty(),
                                 qPrintable(QStringLiteral("%1 after %2, turn %3: %4")
                                                .arg(static_cast<int>(second))
                                                .arg(static_cast<int>(first))
                                                .arg(k)
                                                .arg(text)));
                    }
                }
    }

    void placesOfRegionsHaveTheirRows()
    {
        TissuePanel panel;
        for (const int width : {270, 380}) {
            panel.resize(width, 640);
            panel.show();
            QVERIFY(QTest::qWaitForWindowExposed(&panel));
            simulation::Session s;
            s.regions.resize(2);
            s.regions[1].model.clear();
            for (const auto& place : std::initializer_list<std::optional<simulation::Where>>{
                     std::nullopt, simulation::Tetrahedra{{1, 2, 3}},
                     simulation::Sphere{{0, 0, 0}, 3}, simulation::Tetrahedra{},
                     simulation::Layer{}, simulation::Segments{{1}}, simulation::Tetrahedra{}}) {
                s.regions[1].where = place;
                panel.setSession(s);
                panel.choose(1);
                for (int k = 0; k < 3; ++k) {
                    QApplication::processEvents();
                    const QString text = anyOverlap(panel);
                    QVERIFY2(text.isEmpty(), qPrintable(text));
                }
            }
        }
    }
};

int main(int argc, char** argv)
{
    return fake::run<TestPanelWords>(argc, argv);
}

#include "test_panel_words.moc"
