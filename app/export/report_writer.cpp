// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export/report_writer.hpp"

#include "engine/core/provenance.hpp"

#include <QAbstractTextDocumentLayout>
#include <QBuffer>
#include <QFileInfo>
#include <QObject>
#include <QPainter>
#include <QPdfWriter>
#include <QRegularExpression>
#include <QSaveFile>
#include <QSvgRenderer>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>

#include <algorithm>

namespace tawara {
namespace {

constexpr double page_width_px = simulation::ReportPage::width;
constexpr double margin_mm = 12;
constexpr double smallest = 0.75; // scale below which it would be hard to read; then more pages
constexpr int finer = 3;          // pixels of a curve's picture per CSS pixel

QImage drawnSvg(const QByteArray& svg)
{
    QSvgRenderer renderer(svg);
    QImage image(renderer.defaultSize() * finer, QImage::Format_RGB32);
    if (image.isNull())
        return image;
    image.fill(Qt::white);
    QPainter p(&image);
    p.setRenderHint(QPainter::Antialiasing);
    renderer.render(&p);
    return image;
}

/// Qt's text documents know no data: URLs; they are given as resources.
class PageDocument : public QTextDocument
{
  protected:
    QVariant loadResource(int type, const QUrl& name) override
    {
        const QString text = name.toString();
        const auto data = [&](const QString& head) {
            return QByteArray::fromBase64(text.mid(head.size()).toLatin1());
        };
        if (const auto head = QStringLiteral("data:image/png;base64,"); text.startsWith(head))
            return QImage::fromData(data(head));
        if (const auto head = QStringLiteral("data:image/svg+xml;base64,"); text.startsWith(head))
            return drawnSvg(data(head));
        return QTextDocument::loadResource(type, name);
    }
};

/// Moves headings that would stand alone at the end of a page to the next one.
void keepHeadings(QTextDocument& document, double page)
{
    const auto pageOf = [page](double y) { return static_cast<int>(y / page); };
    for (QTextBlock b = document.begin(); b.isValid(); b = b.next()) {
        const QTextBlock after = b.next();
        if (b.blockFormat().headingLevel() == 0 || !after.isValid())
            continue;
        const auto* layout = document.documentLayout();
        const double top = layout->blockBoundingRect(b).top();
        // a row of a table begins lower than the heading's end, yet with it
        if (pageOf(top) == pageOf(layout->blockBoundingRect(after).bottom() - 1))
            continue;
        QTextBlockFormat format = b.blockFormat();
        format.setTopMargin(format.topMargin() + page * (pageOf(top) + 1) - top);
        QTextCursor(b).setBlockFormat(format);
    }
}

void print(const std::string& html, QPdfWriter& writer)
{
    PageDocument document;
    document.setDefaultFont(QFont(QStringLiteral("DejaVu Sans"), 9));
    document.setDocumentMargin(0);
    static const QRegularExpression of_screens(
        QStringLiteral("<style media=\"screen\">[^<]*</style>"));
    document.setHtml(QString::fromStdString(html).remove(of_screens));
    document.setTextWidth(page_width_px);
    const QRectF sheet = writer.pageLayout().paintRectPixels(writer.resolution());
    const double at_full_width = sheet.width() / page_width_px;
    const double to_fit = sheet.height() / document.size().height();
    QPainter p(&writer);
    const double scale = std::min(at_full_width, to_fit);
    if (scale >= smallest * at_full_width) {
        p.translate((sheet.width() - scale * page_width_px) / 2, 0);
        p.scale(scale, scale);
        document.drawContents(&p);
        return;
    }
    // as many pages as it takes; no line and no picture is cut in two
    const double page = sheet.height() / at_full_width;
    document.setPageSize({page_width_px, page});
    keepHeadings(document, page);
    p.scale(at_full_width, at_full_width);
    for (int k = 0; k < document.pageCount(); ++k) {
        if (k > 0)
            writer.newPage();
        p.save();
        p.translate(0, -k * page);
        document.drawContents(&p, QRectF(0, k * page, page_width_px, page));
        p.restore();
    }
}

/// What the page says of its run without showing it.
QByteArray provenanceOf(const std::string& html)
{
    const QString page = QString::fromStdString(html);
    static const QRegularExpression meta(QStringLiteral("<meta name=\"%1\" content=\"([^\"]*)\">")
                                             .arg(QLatin1String(provenance_name)));
    const auto found = meta.match(page);
    if (!found.hasMatch())
        return QByteArray::fromStdString(program_provenance());
    QString text = found.captured(1);
    text.replace(QLatin1String("&quot;"), QLatin1String("\""))
        .replace(QLatin1String("&lt;"), QLatin1String("<"))
        .replace(QLatin1String("&gt;"), QLatin1String(">"))
        .replace(QLatin1String("&amp;"), QLatin1String("&"));
    return text.toUtf8();
}

} // namespace

simulation::ReportPage::Picture reportPicture(const QImage& image, const QString& caption,
                                              int widthOnPage)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    const int height =
        (widthOnPage * image.height() + image.width() / 2) / std::max(1, image.width());
    return {caption.toStdString(), bytes.toStdString(), widthOnPage, height};
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
        writer.setCreator(QString::fromStdString(program_text()));
        writer.addFileAttachment(QStringLiteral("provenance.json"), provenanceOf(html),
                                 QStringLiteral("application/json"));
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
