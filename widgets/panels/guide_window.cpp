// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/guide_window.hpp"

#include "widgets/panels/icons.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QScrollArea>
#include <QTextBrowser>
#include <QTextDocument>
#include <QVBoxLayout>

#include <algorithm>

namespace tawara {
namespace {

struct Page
{
    const char *file, *title;
};
constexpr Page page_list[] = {
    {"start", QT_TRANSLATE_NOOP("GuideWindow", "First steps")},
    {"pacing", QT_TRANSLATE_NOOP("GuideWindow", "Pacing sites")},
    {"tissue", QT_TRANSLATE_NOOP("GuideWindow", "Tissue, scars, drugs")},
    {"reading", QT_TRANSLATE_NOOP("GuideWindow", "Probes, maps, views")},
    {"ecg", QT_TRANSLATE_NOOP("GuideWindow", "Electrocardiogram")},
    {"results", QT_TRANSLATE_NOOP("GuideWindow", "Recording, pictures, results")},
    {"studies", QT_TRANSLATE_NOOP("GuideWindow", "Studies")},
    {"performance", QT_TRANSLATE_NOOP("GuideWindow", "Performance")},
    {"trust", QT_TRANSLATE_NOOP("GuideWindow", "What to trust")},
};

/// Finds pictures beside the pages.
class GuideText : public QTextBrowser
{
  protected:
    QVariant loadResource(int type, const QUrl& url) override
    {
        if (type == QTextDocument::ImageResource) {
            QImage image;
            image.loadFromData(resourceFile(QStringLiteral("guide/") + url.fileName()));
            return image.isNull() || image.width() < 700
                       ? image
                       : image.scaledToWidth(700, Qt::SmoothTransformation);
        }
        return QTextBrowser::loadResource(type, url);
    }
};

} // namespace

GuideWindow::GuideWindow(QWidget* parent)
    : QDialog(parent), m_list(new QListWidget), m_text(new GuideText)
{
    setWindowTitle(tr("Guide"));
    setObjectName("guide");
    resize(980, 680);
    m_list->setMaximumWidth(210);
    m_list->setObjectName("guidePages");
    m_text->setObjectName("guideText");
    m_text->setOpenLinks(false);
    m_text->document()->setDocumentMargin(18);
    for (const Page& p : page_list)
        m_list->addItem(tr(p.title));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(m_list);
    row->addWidget(m_text, 1);
    connect(m_list, &QListWidget::currentRowChanged, this,
            [this](int i) { showPage(QLatin1String(page_list[std::max(0, i)].file)); });
    connect(m_text, &QTextBrowser::anchorClicked, this,
            [this](const QUrl& u) { showPage(u.path().section('.', 0, 0)); });
    m_list->setCurrentRow(0);
}

QStringList GuideWindow::pages()
{
    QStringList names;
    for (const Page& p : page_list)
        names << QLatin1String(p.file);
    return names;
}

void GuideWindow::showPage(const QString& name)
{
    const auto i = pages().indexOf(name);
    if (i < 0)
        return;
    const QSignalBlocker quiet(m_list);
    m_list->setCurrentRow(static_cast<int>(i));
    m_text->setMarkdown(QString::fromUtf8(resourceFile(QStringLiteral("guide/%1.md").arg(name))));
    m_text->moveCursor(QTextCursor::Start);
}

ShortcutSheet::ShortcutSheet(const std::vector<std::pair<QString, QString>>& rows, QWidget* parent)
    : QDialog(parent)
{
    setWindowTitle(tr("Keys and mouse"));
    setObjectName("shortcuts");
    QString columns[2];
    std::size_t lines = 0, at = 0;
    for (const auto& [key, what] : rows) {
        // a group of keys stays together with its heading
        if (at == 0 && key.isEmpty() && 5 * lines >= 2 * rows.size())
            at = 1;
        ++lines;
        QString& html = columns[at];
        html +=
            key.isEmpty()
                ? QStringLiteral("<tr><td colspan=2 style='padding-top:10px'><b>%1</b></td></tr>")
                      .arg(what.toHtmlEscaped())
                : QStringLiteral(
                      "<tr><td style='padding-right:16px'><code>%1</code></td><td>%2</td></tr>")
                      .arg(key.toHtmlEscaped(), what.toHtmlEscaped());
    }
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(22, 14, 22, 18);
    row->setSpacing(36);
    for (const QString& html : columns) {
        auto* label = new QLabel(QStringLiteral("<table cellspacing=3>%1</table>").arg(html));
        label->setAlignment(Qt::AlignTop);
        row->addWidget(label);
    }
}

} // namespace tawara
