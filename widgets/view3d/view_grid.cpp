// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view3d/view_grid.hpp"

#include <QComboBox>
#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QStyle>
#include <QTimer>
#include <QVBoxLayout>

namespace tawara {
namespace {

constexpr std::array<const char*, ViewGrid::most> object_names{"heart", "heart2", "heart3",
                                                               "heart4"};

}

/// Takes the room that is left and never asks for more: pictures change what it says.
class ViewGrid::Caption : public QWidget
{
  public:
    Caption() { setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); }
    void say(const QString& line, const QString& tip)
    {
        setToolTip(tip);
        if (line == m_line)
            return;
        m_line = line;
        setAccessibleName(line);
        update();
    }

  protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter p(this);
        p.setPen(palette().color(QPalette::WindowText));
        p.drawText(rect(), Qt::AlignRight | Qt::AlignVCenter,
                   fontMetrics().elidedText(m_line, Qt::ElideRight, width()));
    }

  private:
    QString m_line;
};

ViewGrid::ViewGrid(const QStringList& quantities, QWidget* parent)
    : QWidget(parent), m_quantities(quantities), m_grid(new QGridLayout(this))
{
    setObjectName("views");
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(2);
    setCount(1);
}

void ViewGrid::make(int i)
{
    Cell& c = m_cells[static_cast<std::size_t>(i)];
    c.frame = new QWidget;
    c.frame->setObjectName("viewFrame");
    c.frame->setAttribute(Qt::WA_StyledBackground);
    c.quantity = new QComboBox;
    c.quantity->setObjectName(QStringLiteral("quantity%1").arg(i + 1));
    c.quantity->addItems(m_quantities);
    c.quantity->setToolTip(tr("What this view shows"));
    c.quantity->setFocusPolicy(Qt::TabFocus);
    c.view = new HeartView;
    c.view->setObjectName(QLatin1String(object_names[static_cast<std::size_t>(i)]));
    c.view->setMinimumSize(150, 70); // four of them fit a window of 570 pixels
    auto* head = new QHBoxLayout;
    head->setContentsMargins(6, 3, 6, 3);
    c.caption = new Caption;
    c.caption->setObjectName(QStringLiteral("caption%1").arg(i + 1));
    connect(c.view, &HeartView::captionChanged, c.caption,
            [to = c.caption](const QString& line, const QString& tip) { to->say(line, tip); });
    head->addWidget(c.quantity);
    head->addWidget(c.caption, 1);
    auto* column = new QVBoxLayout(c.frame);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(c.view, 1);
    for (QWidget* w : std::initializer_list<QWidget*>{c.frame, c.quantity, c.view})
        w->installEventFilter(this);
    connect(c.quantity, &QComboBox::activated, this, [this, i](int q) {
        setCurrent(i);
        Q_EMIT quantityChosen(i, q);
    });
    connect(c.view, &HeartView::cameraMoved, this, [this, i] {
        setCurrent(i);
        follow(i);
    });
    if (i > 0) { // with its place kept
        QSizePolicy keeps = c.view->sizePolicy();
        keeps.setRetainSizeWhenHidden(true);
        c.view->setSizePolicy(keeps);
        c.view->hide();
        m_waiting.push_back(i);
    }
    Q_EMIT viewAdded(c.view, i);
}

void ViewGrid::showNext()
{
    if (m_waiting.empty())
        return;
    auto* v = m_cells[static_cast<std::size_t>(m_waiting.front())].view;
    m_waiting.erase(m_waiting.begin());
    v->show();
    if (v->isVisible())
        connect(v, &VtkView::rendered, this, &ViewGrid::showNext,
                static_cast<Qt::ConnectionType>(Qt::QueuedConnection | Qt::SingleShotConnection));
    else // nobody looks: nothing is made
        showNext();
}

void ViewGrid::setCount(int n)
{
    n = n >= 4 ? 4 : n >= 2 ? 2 : 1;
    if (n == m_count)
        return;
    // views that are made once stay: making one costs a context and its shaders
    for (int i = n; i < m_count; ++i)
        m_cells[static_cast<std::size_t>(i)].frame->hide();
    const int before = m_count;
    m_count = n;
    for (int i = before; i < n; ++i) {
        Cell& c = m_cells[static_cast<std::size_t>(i)];
        if (c.frame == nullptr) {
            make(i);
            m_grid->addWidget(c.frame, i / 2, i % 2);
        }
        Q_EMIT viewShown(c.view, i);
        c.frame->show();
    }
    if (!m_waiting.empty())
        QTimer::singleShot(0, this, &ViewGrid::showNext);
    if (m_current >= n)
        setCurrent(0);
    else
        setCurrent(m_current);
    Q_EMIT countChanged(n);
}

void ViewGrid::setLinked(bool on)
{
    m_linked = on;
    follow(m_current);
}

void ViewGrid::follow(int i)
{
    if (!m_linked || m_following || view(i) == nullptr)
        return;
    m_following = true;
    const auto pose = view(i)->scene().camera();
    each([&](HeartView& v, int k) {
        if (k == i)
            return;
        v.scene().set_camera(pose);
        v.schedule();
    });
    m_following = false;
}

void ViewGrid::setQuantity(int i, int quantity)
{
    if (auto* box = m_cells[static_cast<std::size_t>(i)].quantity)
        box->setCurrentIndex(quantity);
}

void ViewGrid::setCurrent(int i)
{
    const bool changed = m_current != i;
    m_current = i;
    for (int k = 0; k < m_count; ++k) {
        auto* frame = m_cells[static_cast<std::size_t>(k)].frame;
        const bool on = m_count > 1 && k == i;
        if (frame->property("current").toBool() == on)
            continue;
        frame->setProperty("current", on);
        frame->style()->unpolish(frame);
        frame->style()->polish(frame);
    }
    if (changed)
        Q_EMIT currentChanged(i);
}

bool ViewGrid::eventFilter(QObject* watched, QEvent* e)
{
    if (e->type() == QEvent::MouseButtonPress)
        for (int k = 0; k < m_count; ++k) {
            const Cell& c = m_cells[static_cast<std::size_t>(k)];
            if (watched == c.frame || watched == c.quantity || watched == c.view)
                setCurrent(k);
        }
    return QWidget::eventFilter(watched, e);
}

QImage ViewGrid::picture()
{
    if (m_count == 1)
        return view(0)->finePicture();
    const double s = view(0)->devicePixelRatioF();
    QImage whole((QSizeF(size()) * s).toSize(), QImage::Format_RGB32);
    whole.fill(palette().color(QPalette::Window));
    QPainter p(&whole);
    each([&](HeartView& v, int) {
        p.drawImage(QPointF(v.mapTo(this, QPoint(0, 0))) * s, v.finePicture());
    });
    return whole;
}

} // namespace tawara
