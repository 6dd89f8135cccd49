// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/render/baseline.hpp"

#include <QtTest>

#include <cstdlib>
#include <vector>

namespace tawara::baseline {
namespace {

constexpr int tile = 16; // pixels

/// Mean over 3 x 3 pixels: what renderers of fonts do differently at edges counts less.
QImage blurred(const QImage& in)
{
    const QImage source = in.convertToFormat(QImage::Format_RGB32);
    QImage out(source.size(), QImage::Format_RGB32);
    const int w = source.width(), h = source.height();
    for (int y = 0; y < h; ++y) {
        auto* line = reinterpret_cast<QRgb*>(out.scanLine(y));
        for (int x = 0; x < w; ++x) {
            int r = 0, g = 0, b = 0, n = 0;
            for (int v = std::max(0, y - 1); v <= std::min(h - 1, y + 1); ++v) {
                const auto* from = reinterpret_cast<const QRgb*>(source.constScanLine(v));
                for (int u = std::max(0, x - 1); u <= std::min(w - 1, x + 1); ++u, ++n)
                    r += qRed(from[u]), g += qGreen(from[u]), b += qBlue(from[u]);
            }
            line[x] = qRgb(r / n, g / n, b / n);
        }
    }
    return out;
}

} // namespace

Difference compare(const QImage& first, const QImage& second)
{
    if (first.size() != second.size() || first.isNull())
        return {};
    const QImage a = blurred(first), b = blurred(second);
    Difference d{0, 0};
    for (int top = 0; top < a.height(); top += tile)
        for (int left = 0; left < a.width(); left += tile) {
            const int bottom = std::min(top + tile, a.height()),
                      right = std::min(left + tile, a.width());
            double sum = 0;
            for (int y = top; y < bottom; ++y) {
                const auto* p = reinterpret_cast<const QRgb*>(a.constScanLine(y));
                const auto* q = reinterpret_cast<const QRgb*>(b.constScanLine(y));
                for (int x = left; x < right; ++x)
                    sum += std::abs(qRed(p[x]) - qRed(q[x])) +
                           std::abs(qGreen(p[x]) - qGreen(q[x])) +
                           std::abs(qBlue(p[x]) - qBlue(q[x]));
            }
            d.mean += sum;
            d.worst = std::max(d.worst, sum / (3.0 * (bottom - top) * (right - left)));
        }
    d.mean /= 3.0 * a.width() * a.height();
    return d;
}

void check(const QImage& image, const QString& name, double mean, double worst)
{
    const QString path =
        QStringLiteral(TAWARA_SOURCE_DIR "/tests/render/baselines/%1.png").arg(name);
    if (qEnvironmentVariableIsSet("TAWARA_WRITE_BASELINES")) {
        QVERIFY(image.convertToFormat(QImage::Format_RGB32).save(path, nullptr, 0));
        return;
    }
    const QImage want(path);
    QVERIFY2(!want.isNull(), qPrintable(path));
    const auto d = compare(want, image);
    const bool same = d.mean < mean && d.worst < worst;
    if (!same)
        image.save(QStringLiteral(TAWARA_BINARY_DIR "/tests/%1-got.png").arg(name));
    QVERIFY2(same, qPrintable(QStringLiteral("%1 differs by %2 in the mean, %3 in the worst tile")
                                  .arg(name)
                                  .arg(d.mean)
                                  .arg(d.worst)));
}

} // namespace tawara::baseline
