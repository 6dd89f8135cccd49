// SPDX-License-Identifier: GPL-3.0-or-later
// What is written over a view: nothing lies on anything else, however small the view is.
#include "widgets/view3d/view_texts.hpp"

#include <QtTest>

using namespace tawara;

class TestViewTexts : public QObject
{
    Q_OBJECT

    static scene::Annotations crowded()
    {
        scene::Annotations a;
        a.shown = a.bar = true;
        a.time = "newest turn in beat 1 of 1";
        a.note = "from 1.6 ms\ngrey: not activated, or not repolarised";
        a.title = "Repolarisation (ms)";
        a.low = 150, a.high = 460;
        for (int k = 0; k < 60; ++k) // markers all over the view, some close together
            a.names.push_back(
                {"left posterior, near the septum", 0.1 * (k % 11), 0.02 + 0.19 * (k / 11)});
        a.letters = {{"z", 0.1, 0.7}};
        return a;
    }

  private Q_SLOTS:
    void namesLieOnNothing_data()
    {
        QTest::addColumn<QSize>("size");
        for (const QSize& s : {QSize(900, 460), QSize(442, 214), QSize(330, 150), QSize(200, 100)})
            QTest::addRow("%d x %d", s.width(), s.height()) << s;
    }
    void namesLieOnNothing()
    {
        QFETCH(QSize, size);
        ViewTexts texts(nullptr);
        texts.resize(size);
        auto a = crowded();
        texts.set(a);
        const auto names = texts.placedNames();
        QVERIFY(names.size() < a.names.size());
        QVERIFY(size.height() < 200 || names.size() > 3);
        const auto picture = [&] {
            QImage image(texts.size(), QImage::Format_RGB32);
            image.fill(QColor(90, 90, 90));
            texts.render(&image, {}, {}, QWidget::DrawChildren);
            return image;
        };
        const QImage whole = picture();
        a.names.clear();
        texts.set(a);
        const QImage bare = picture();
        const QRgb ground = qRgb(90, 90, 90);
        for (std::size_t i = 0; i < names.size(); ++i) {
            const QRectF box = names[i].box;
            QVERIFY(QRectF(texts.rect()).contains(box));
            for (std::size_t k = 0; k < i; ++k)
                QVERIFY(!names[k].box.intersects(box));
            for (int y = int(box.top()); y < int(box.bottom()); ++y)
                for (int x = int(box.left()); x < int(box.right()); ++x)
                    QVERIFY2(bare.pixel(x, y) == ground,
                             qPrintable(QString("name %1 at %2, %3").arg(i).arg(x).arg(y)));
        }
        QCOMPARE(whole != bare, !names.empty());
    }

    /// The place of a name: beside its marker, at the other side where the view ends.
    void aLoneNameIsBesideItsMarker()
    {
        ViewTexts texts(nullptr);
        texts.resize(442, 214);
        scene::Annotations a;
        a.shown = true;
        a.names = {{"P1", 0.5, 0.5}};
        texts.set(a);
        QCOMPARE(texts.placedNames().at(0).box.bottomLeft(), QPointF(221, 107));
        a.names = {{"P1", 0.99, 0.5}};
        texts.set(a);
        QVERIFY(texts.placedNames().at(0).box.right() < 0.99 * 442);
        a.names = {{"P1", 0.5, 0.5}, {"P2", 0.5, 0.5}}; // of one place: both can be read
        texts.set(a);
        QCOMPARE(texts.placedNames().size(), std::size_t(2));
    }
};

QTEST_MAIN(TestViewTexts)
#include "test_view_texts.moc"
