// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export/report_writer.hpp"

#include <QBuffer>
#include <QFileInfo>
#include <QObject>
#include <QPainter>
#include <QPainterPath>
#include <QPdfWriter>
#include <QSaveFile>
#include <QTextDocument>

#include <algorithm>
#include <cmath>

namespace tawara {
namespace {

constexpr double page_width_px = 720; // CSS pixels of the text on a page
constexpr double margin_mm = 14;
constexpr double smallest = 0.55; // scale below which it is no longer read; then more pages
constexpr double least_span_mV = 0.1;

/// Qt's text documents know no data: URLs; they are given as resources.
class PageDocument : public QTextDocument
{
  protected:
    QVariant loadResource(int type, const QUrl& name) override
    {
        const QString text = name.toString();
        const QString head = QStringLiteral("data:image/png;base64,");
        if (text.startsWith(head))
            return QImage::fromData(QByteArray::fromBase64(text.mid(head.size()).toLatin1()));
        return QTextDocument::loadResource(type, name);
    }
};

void print(const std::string& html, QPdfWriter& writer)
{
    PageDocument document;
    document.setDefaultFont(QFont(QStringLiteral("DejaVu Sans"), 9));
    document.setDocumentMargin(0);
    document.setHtml(QString::fromStdString(html));
    document.setTextWidth(page_width_px);
    const QRectF sheet = writer.pageLayout().paintRectPixels(writer.resolution());
    const double at_full_width = sheet.width() / page_width_px;
    const double to_fit = sheet.height() / document.size().height();
    QPainter p(&writer);
    const double scale = std::min(at_full_width, to_fit);
    if (scale >= smallest * at_full_width) {
        p.scale(scale, scale);
        document.drawContents(&p);
        return;
    }
    p.scale(at_full_width, at_full_width);
    const double page = sheet.height() / at_full_width;
    for (double y = 0; y < document.size().height(); y += page) {
        if (y > 0)
            writer.newPage();
        p.save();
        p.translate(0, -y);
        document.drawContents(&p, QRectF(0, y, page_width_px, page));
        p.restore();
    }
}

} // namespace

simulation::ReportPage::Picture reportPicture(const QImage& image, const QString& caption,
                                              int widthOnPage)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return {caption.toStdString(), bytes.toStdString(), widthOnPage};
}

QImage ecgPicture(const simulation::Ecg& ecg, const QSize& size)
{
    const std::size_t leads = std::min(ecg.leads.size(), ecg.mV.size());
    if (leads == 0 || ecg.time_ms.size() < 2)
        return {};
    const std::size_t columns = leads > 4 ? 2 : 1, rows = (leads + columns - 1) / columns;
    double span = least_span_mV;
    for (const auto& lead : ecg.mV)
        for (float v : lead)
            span = std::max(span, 2 * std::fabs(static_cast<double>(v)));
    const double from = ecg.time_ms.front(), to = ecg.time_ms.back();
    QImage image(size, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter p(&image);
    p.setRenderHint(QPainter::Antialiasing);
    const double w = static_cast<double>(size.width()) / static_cast<double>(columns);
    const double h = static_cast<double>(size.height()) / static_cast<double>(rows);
    for (std::size_t l = 0; l < leads; ++l) {
        const double x0 = w * static_cast<double>(l / rows) + 44,
                     y0 = h * (static_cast<double>(l % rows) + 0.5);
        p.setPen(QPen(QColor(0xe0, 0xe4, 0xea), 1));
        p.drawLine(QPointF(x0, y0), QPointF(x0 + w - 56, y0));
        QPainterPath path;
        for (std::size_t k = 0; k < ecg.mV[l].size() && k < ecg.time_ms.size(); ++k) {
            const QPointF at(x0 + (w - 56) * (ecg.time_ms[k] - from) / (to - from),
                             y0 - 0.95 * h * static_cast<double>(ecg.mV[l][k]) / span);
            k == 0 ? path.moveTo(at) : path.lineTo(at);
        }
        p.setPen(QPen(QColor(0x8c, 0x2c, 0x1e), 1.6));
        p.drawPath(path);
        p.setPen(QColor(0x5c, 0x6a, 0x7d));
        p.drawText(QRectF(x0 - 42, y0 - h / 2, 38, h), Qt::AlignVCenter | Qt::AlignRight,
                   QString::fromStdString(ecg.leads[l]));
    }
    return image;
}

QString writeReport(const std::string& html, const QString& title, const QString& path)
{
    const QString kind = QFileInfo(path).suffix().toLower();
    if (kind != QLatin1String("html") && kind != QLatin1String("pdf"))
        return QObject::tr("%1: reports are written as .html or .pdf").arg(path);
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return QObject::tr("%1: cannot be written: %2").arg(path, file.errorString());
    if (kind == QLatin1String("html")) {
        file.write(html.data(), static_cast<qint64>(html.size()));
    } else {
        QPdfWriter writer(&file);
        writer.setTitle(title);
        writer.setCreator(QStringLiteral("Tawara"));
        writer.setPageSize(QPageSize(QPageSize::A4));
        writer.setPageMargins(QMarginsF(margin_mm, margin_mm, margin_mm, margin_mm),
                              QPageLayout::Millimeter);
        writer.setResolution(300);
        print(html, writer);
    }
    return file.commit() ? QString()
                         : QObject::tr("%1: cannot be written: %2").arg(path, file.errorString());
}

} // namespace tawara
