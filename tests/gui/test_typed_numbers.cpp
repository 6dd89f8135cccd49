// SPDX-License-Identifier: GPL-3.0-or-later
// What becomes of numbers that are typed into panels.
#include "tests/gui/paced_site.hpp"
#include "tests/gui/several.hpp"
#include "widgets/panels/field_note.hpp"
#include "widgets/panels/pacing_panel.hpp"
#include "widgets/panels/site_words.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>

using namespace tawara;
using namespace tawara::fake;
using Kind = simulation::Protocol::Kind;

class TestTypedNumbers : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void whatIsNoNumberIsSaid()
    {
        PacingPanel panel;
        QVERIFY(shownWith(panel, paced(Kind::s1s2)));
        auto* box = panel.findChild<NumberBox*>("siteCount");
        const auto note = [&]() -> QString {
            const auto* l = panel.findChild<QLabel*>("fieldNote");
            return l != nullptr && l->isVisible() ? l->text().replace(QChar(0x202f), ' ')
                                                  : QString();
        };
        const auto type = [&](const char* keys) {
            box->setFocus();
            box->selectAll();
            QTest::keyClicks(box, keys);
        };
        type("k");
        QVERIFY2(note().contains("“k”") && note().contains("0 to 9 999"), qPrintable(note()));
        type("12");
        QCOMPARE(note(), QString());
        QTest::keyClick(box, 'x');
        QVERIFY2(note().contains("“x” cannot be taken"), qPrintable(note()));
        type("-3"); // a minus is not swallowed, which would make another number of it
        QVERIFY2(box->text().startsWith("-3"), qPrintable(box->text()));
        QVERIFY2(note().contains("0 to 9 999"), qPrintable(note()));
        QTest::keyClick(box, Qt::Key_Return);
        QCOMPARE(box->value(), 0.0);
        QVERIFY2(note().contains("cannot be taken"), qPrintable(note()));
        type("999999");
        QVERIFY2(note().contains("0 to 9 999"), qPrintable(note()));
        QTest::keyClick(box, Qt::Key_Return);
        QCOMPARE(box->value(), 9999.0);
        QVERIFY2(note().contains("now 9 999"), qPrintable(note()));
        box->stepDown(); // another value: nothing to say
        QCOMPARE(note(), QString());
        type("999999");
        QTest::keyClick(box, Qt::Key_Return);
        QVERIFY(!note().isEmpty());
        box->put(5); // undone, say
        QCOMPARE(note(), QString());
        box->put(0);
        box->setFocus();
        box->findChild<QLineEdit*>()->setCursorPosition(0);
        QTest::keyClicks(box, "12"); // in the place of "for ever"
        QCOMPARE(box->cleanText(), QString("12"));
        box->put(5);
        type("");
        QTest::keyClick(box, Qt::Key_Delete);
        QTest::keyClick(box, Qt::Key_Return);
        QVERIFY2(note().contains("still 5"), qPrintable(note()));
        auto* length = panel.findChild<NumberBox*>("siteDuration");
        length->setFocus();
        length->selectAll();
        QTest::keyClicks(length, "1.25");
        QVERIFY2(note().contains("at most one digit"), qPrintable(note()));
        auto* extra = panel.findChild<QLineEdit*>("siteExtra");
        extra->setFocus();
        extra->clear();
        QTest::keyClicks(extra, "a");
        QTest::keyClick(extra, Qt::Key_Return); // put back, and said
        QVERIFY2(note().contains("“a”"), qPrintable(note()));
        QTest::keyClicks(extra, "0"); // 4400
        QCOMPARE(note(), QString());
    }

    /// However little room its row has.
    void aFieldHasRoomForItsValue()
    {
        QWidget top;
        auto* row = new QHBoxLayout(&top);
        auto* box = new NumberBox("box", "ms", {0, 1e9, 1, 2}, "When it begins");
        auto* narrow = new NumberBox("narrow", {}, {-1e9, 1e9, 1, 3}, "x");
        narrow->makeNarrow();
        for (auto* b : {box, narrow})
            row->addWidget(b);
        top.show();
        QVERIFY(QTest::qWaitForWindowExposed(&top));
        const auto squeezed = [&] {
            QApplication::processEvents();
            top.resize(10, 40);
            QApplication::processEvents();
            return top.width();
        };
        const auto whole = [](const NumberBox* b) {
            constexpr int margins = 4; // of a line of text
            const auto* line = b->findChild<QLineEdit*>();
            return line->width() - margins >= line->fontMetrics().horizontalAdvance(b->text());
        };
        const int small = squeezed();
        QVERIFY(whole(box) && whole(narrow));
        box->put(1000018);
        narrow->put(-123456.789);
        squeezed();
        QVERIFY2(whole(box), qPrintable(QString::number(box->width())));
        QVERIFY2(whole(narrow), qPrintable(QString::number(narrow->width())));
        box->setValue(20000018); // as arrows do
        squeezed();
        QVERIFY2(whole(box), qPrintable(QString::number(box->width())));
        box->put(0);
        narrow->put(0);
        QCOMPARE(squeezed(), small); // the room goes with the digits
        box->setMinimumWidth(200);   // what somebody asks for stays
        box->put(1);
        QCOMPARE(box->minimumWidth(), 200);
    }

    void aNumberBeyondItsRangeIsSaid()
    {
        double taken = 0;
        PacingPanel panel;
        QVERIFY(shownWith(panel, paced(Kind::train)));
        auto* box = panel.findChild<NumberBox*>("siteDuration");
        QVERIFY(box->toolTip().contains("0.1 to 200"));
        connect(&panel, &PacingPanel::edited, this, [&](const QString&, const SessionChange& f) {
            auto s = paced(Kind::train);
            f(s);
            taken = s.stimuli.at(0).duration_ms;
            panel.setSession(s);
        });
        const auto note = [&]() -> QString {
            const auto* l = panel.findChild<QLabel*>("fieldNote");
            return l != nullptr && l->isVisible() ? l->text() : QString();
        };
        const auto type = [&](const char* keys) {
            box->setFocus();
            box->selectAll();
            QTest::keyClicks(box, keys);
        };
        type("50");
        QCOMPARE(note(), QString());
        type("5000");
        QVERIFY2(box->cleanText().contains("5000"), "what is typed stands there");
        QVERIFY(box->property("wrong").toBool());
        QVERIFY2(note().contains("0.1 to 200"), qPrintable(note()));
        const auto* l = panel.findChild<QLabel*>("fieldNote");
        const QRect below(l->mapTo(&panel, QPoint()), l->size()),
            field(box->mapTo(&panel, QPoint()), box->size());
        QVERIFY(below.top() > field.bottom() && below.top() < field.bottom() + 6);
        QVERIFY(panel.rect().contains(below));
        type("20"); // mended: nothing to say
        QVERIFY(!box->property("wrong").toBool());
        QCOMPARE(note(), QString());
        type("5000");
        QTest::keyClick(box, Qt::Key_Return);
        QCOMPARE(box->value(), 200.0);
        QCOMPARE(taken, 200.0);
        QVERIFY2(note().contains(spacedNumber(5000)) && note().contains("now 200"),
                 qPrintable(note()));
        QVERIFY(!box->property("wrong").toBool());
        // too small, by leaving the field
        type("0.0");
        QCOMPARE(note().contains("now 200"), false);
        panel.findChild<QLineEdit*>("siteName")->setFocus();
        QCOMPARE(box->value(), 0.1);
        QVERIFY2(note().contains("now 0.1"), qPrintable(note()));
        // a session's own value is shown as it is
        auto s = paced(Kind::train);
        s.stimuli[0].duration_ms = 350;
        panel.setSession(s);
        QCOMPARE(box->value(), 350.0);
    }

    /// What is said of a field lies over the others: none of them moves.
    void fieldsStayWhereTheyAre()
    {
        PacingPanel panel;
        QVERIFY(shownWith(panel, paced(Kind::train)));
        const auto places = [&] {
            QMap<QString, QRect> out;
            for (const auto* w : panel.findChildren<QAbstractSpinBox*>())
                if (w->isVisible())
                    out[w->objectName()] = QRect(w->mapTo(&panel, QPoint()), w->size());
            return out;
        };
        const auto before = places();
        QVERIFY(before.size() > 3);
        auto* box = panel.findChild<NumberBox*>("siteDuration");
        box->setFocus();
        box->selectAll();
        QTest::keyClicks(box, "5000");
        const auto* note = panel.findChild<QLabel*>("fieldNote");
        QVERIFY(note && note->isVisible());
        QCOMPARE(places(), before);
        QTest::keyClick(box, Qt::Key_Return);
        QVERIFY(note->isVisible());
        QCOMPARE(places(), before);
    }

    /// "-1e9" is minus a thousand million, not minus 19.
    void anExponentIsTakenOrRefused()
    {
        PacingPanel panel;
        QVERIFY(shownWith(panel, paced(Kind::train)));
        auto* box = panel.findChild<NumberBox*>("siteStart");
        const auto* line = box->findChild<QLineEdit*>();
        const auto type = [&](const char* keys) {
            box->setFocus();
            box->selectAll();
            QTest::keyClicks(box, keys);
        };
        type("-1e9");
        QVERIFY2(line->text().startsWith("-1e9"), qPrintable(line->text()));
        const auto* note = panel.findChild<QLabel*>("fieldNote");
        QVERIFY2(note && note->isVisible(), "a number out of range is said");
        QTest::keyClick(box, Qt::Key_Return);
        QVERIFY(box->value() != -19);
        QCOMPARE(box->value(), box->minimum());
        type("1e2");
        QTest::keyClick(box, Qt::Key_Return);
        QCOMPARE(box->value(), 100.0);
    }

    void theClickPulseSaysItsRangesToo()
    {
        StimulusPanel panel;
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        QApplication::setActiveWindow(&panel);
        auto* box = panel.findChild<NumberBox*>("amplitude");
        box->setFocus();
        box->selectAll();
        QTest::keyClicks(box, "9999");
        QTest::keyClick(box, Qt::Key_Return);
        QCOMPARE(panel.settings().amplitude_pA_per_pF, 2000.0);
        QVERIFY(panel.findChild<QLabel*>("fieldNote")->isVisible());
    }

    void intervalsAreTakenAsTheyAreWritten()
    {
        using Ms = std::vector<double>;
        for (const char* text : {"320 280", "320,280", "320; 280", " 320 ,280 ", "320\t280,"})
            QCOMPARE(intervalsOf(text).value_or(Ms{}), (Ms{320, 280}));
        QCOMPARE(intervalsOf("320.5").value_or(Ms{}), Ms{320.5});
        QString bad;
        QVERIFY(!intervalsOf("320, x", &bad));
        QCOMPARE(bad, QString("x"));
        QVERIFY(!intervalsOf("320 -5", &bad));
        QCOMPARE(bad, QString("-5"));
        QVERIFY(!intervalsOf(" ,"));

        std::vector<Ms> taken;
        PacingPanel panel;
        panel.resize(360, 700);
        panel.setSession(paced(Kind::s1s2));
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        connect(&panel, &PacingPanel::edited, this, [&](const QString&, const SessionChange& f) {
            auto s = paced(Kind::s1s2);
            f(s);
            taken.push_back(s.stimuli.at(0).protocol->extra_ms);
            panel.setSession(s);
        });
        auto* field = panel.findChild<QLineEdit*>("siteExtra");
        field->clear();
        QTest::keyClicks(field, "320 280");
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(taken, (std::vector<Ms>{{320, 280}}));
        QCOMPARE(field->text(), QString("320, 280"));
        field->clear();
        QTest::keyClicks(field, "320/280");
        QVERIFY(field->property("wrong").toBool());
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(taken.size(), 1U);
        QCOMPARE(field->text(), QString("320, 280"));
        const auto* note = panel.findChild<QLabel*>("fieldNote");
        QVERIFY(note->isVisible() && note->text().contains("320/280") &&
                note->text().contains("e.g. 320, 280"));
    }
};

static const fake::Further<TestTypedNumbers> further;
#include "test_typed_numbers.moc"
