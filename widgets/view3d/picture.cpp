// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view3d/picture.hpp"

#include "widgets/view3d/heart_view.hpp"
#include "widgets/view3d/view_grid.hpp"

#include <QOpenGLContext>
#include <QOpenGLFramebufferObject>
#include <QOpenGLFunctions>
#include <QPainter>
#include <QPalette>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vtkActor2D.h>
#include <vtkActor2DCollection.h>
#include <vtkCamera.h>
#include <vtkOpenGLState.h>
#include <vtkRenderer.h>
#include <vtkRendererCollection.h>

namespace tawara {
namespace {

constexpr int picture_samples = 8;
constexpr qint64 many_pixels = 16'000'000; // above, fewer samples: they cost 8 bytes each
constexpr double reference_height = 720;   // at which texts have the size that they have on screen
constexpr double least_scale = 0.9;        // four views on 1280 x 720: smaller texts are not read
constexpr std::array<double, 3> dark_ink{0.08, 0.1, 0.14}, light_ink{0.92, 0.94, 0.97};
constexpr int gap = 2; // between the views of a grid [pixels]

/// Sets up a view for a picture and gives everything back.
class Session
{
  public:
    /// With `keep` the camera stays where it is (one of several linked views); else a view that
    /// shows the whole heart does so in the shape of the picture, too.
    Session(HeartView& view, const PictureOptions& o, bool keep)
        : view_(view), window_(view.renderWindow())
    {
        pose_ = view.scene().camera();
        size_ = {window_->GetSize()[0], window_->GetSize()[1]};
        samples_ = window_->GetMultiSamples();
        auto* r = view.scene().renderer();
        gradient_ = r->GetGradientBackground();
        alpha_ = r->GetBackgroundAlpha();
        r->GetBackground(theme_.background_low.data());
        r->GetBackground2(theme_.background_high.data());
        theme_.text = view.scene().written().text;
        window_->SetSize(o.size.width(), o.size.height());
        // OpenGL resolves samples in linear light on some drivers and not on others, which is no
        // alpha that pictures know: see-through ones are drawn larger and made smaller here
        window_->SetMultiSamples(o.transparent ? 0
                                 : qint64{o.size.width()} * o.size.height() > many_pixels
                                     ? picture_samples / 4
                                     : picture_samples);
        if (o.transparent) {
            auto on_paper = theme_; // not on the window's background
            on_paper.text = o.dark_paper ? light_ink : dark_ink;
            view.scene().set_theme(on_paper);
            // black and see-through: what VTK draws is then premultiplied
            r->GradientBackgroundOff();
            r->SetBackground(0, 0, 0);
            r->SetBackgroundAlpha(0);
        }
        texts_ = view.scene().texts();
        view.scene().set_texts(true);
        view.scene().set_axes(true);
        view.scene().prepare(o.size.width(), o.size.height(), o.scale);
        view.showLiveTime();
        auto* camera = view.scene().renderer()->GetActiveCamera();
        angle_ = camera->GetViewAngle();
        if (keep) {
            view.scene().set_camera(pose_);
            // a picture that is narrower than the screen must not lose its sides
            const double narrower = (static_cast<double>(size_.width()) / size_.height()) /
                                    (static_cast<double>(o.size.width()) / o.size.height());
            const double half = angle_ / 2 * std::numbers::pi / 180;
            if (narrower > 1)
                camera->SetViewAngle(2 * std::atan(std::tan(half) * narrower) * 180 /
                                     std::numbers::pi);
        }
        if (!o.annotations)
            hide_annotations();
    }
    ~Session()
    {
        auto* r = view_.scene().renderer();
        r->SetGradientBackground(gradient_);
        r->SetBackgroundAlpha(alpha_);
        for (auto* a : hidden_)
            a->VisibilityOn();
        for (auto* other : undrawn_)
            other->DrawOn();
        view_.scene().set_theme(theme_); // the bar may be made anew: after what was hidden
        window_->SetMultiSamples(samples_);
        r->GetActiveCamera()->SetViewAngle(angle_);
        window_->SetSize(size_.width(), size_.height());
        view_.scene().set_texts(texts_);
        view_.scene().prepare(size_.width(), size_.height(), view_.pixelRatio(),
                              view_.aspectRatio());
        view_.scene().set_camera(pose_);
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

  private:
    void hide_annotations()
    {
        auto* actors = view_.scene().renderer()->GetActors2D();
        actors->InitTraversal();
        while (auto* a = actors->GetNextActor2D())
            if (a->GetVisibility()) {
                a->VisibilityOff();
                hidden_.push_back(a);
            }
        auto* all = window_->GetRenderers(); // the axes have one of their own
        all->InitTraversal();
        while (auto* r = all->GetNextItem())
            if (r != view_.scene().renderer() && r->GetDraw()) {
                r->DrawOff();
                undrawn_.push_back(r);
            }
    }

    HeartView& view_;
    vtkGenericOpenGLRenderWindow* window_;
    QSize size_;
    int samples_ = 0;
    bool gradient_ = true, texts_ = true;
    double alpha_ = 1, angle_ = 26;
    scene::CameraPose pose_;
    scene::SceneTheme theme_;
    std::vector<vtkActor2D*> hidden_;
    std::vector<vtkRenderer*> undrawn_;
};

int largest_side(QOpenGLFunctions* f)
{
    GLint buffer = 0, texture = 0, viewport[2] = {0, 0};
    f->glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &buffer);
    f->glGetIntegerv(GL_MAX_TEXTURE_SIZE, &texture);
    f->glGetIntegerv(GL_MAX_VIEWPORT_DIMS, viewport);
    return std::min({buffer, texture, viewport[0], viewport[1]});
}

QImage failed(QString* why, const QString& reason)
{
    if (why)
        *why = reason;
    return {};
}

} // namespace

namespace {

QImage draw(HeartView& view, const PictureOptions& wanted, bool keep, QString* why)
{
    if (wanted.size.width() < 16 || wanted.size.height() < 16)
        return failed(why, QObject::tr("A picture needs at least 16 x 16 pixels."));
    if (view.context() == nullptr && view.parentWidget() != nullptr) {
        view.show(); // its turn had not come yet
        view.grabFramebuffer();
    }
    if (view.context() == nullptr || !view.renderWindow()->GetReadyForRendering())
        return failed(why, QObject::tr("The heart was not drawn yet."));
    view.makeCurrent();
    auto* f = view.context()->functions();
    PictureOptions o = wanted;
    o.scale = pictureScale(wanted);
    const int most = largest_side(f);
    if (o.transparent && 2 * std::max(o.size.width(), o.size.height()) <= most) {
        o.size *= 2;
        o.scale *= 2;
    }
    if (std::max(o.size.width(), o.size.height()) > most)
        return failed(why, QObject::tr("This computer's OpenGL draws pictures of up to %1 pixels a "
                                       "side; choose a smaller size.")
                               .arg(most));
    QOpenGLFramebufferObject target(o.size);
    if (!target.isValid())
        return failed(why, QObject::tr("There is not enough memory for a picture of that size."));
    QImage image;
    {
        const Session session(view, o, keep);
        target.bind();
        view.renderWindow()->GetState()->Reset(); // the binding went behind VTK's back
        view.renderWindow()->Render();
        target.bind();
        if (!o.transparent) { // VTK leaves alpha 0 where only the background shows
            f->glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_TRUE);
            f->glDisable(GL_SCISSOR_TEST);
            f->glClearColor(0, 0, 0, 1);
            f->glClear(GL_COLOR_BUFFER_BIT);
            f->glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
        }
        image = target.toImage();
        target.release();
        view.renderWindow()->GetState()->Reset();
    }
    view.drawAnew(); // VTK's framebuffer holds the picture
    image.setDevicePixelRatio(1);
    if (image.size() != wanted.size)
        image = image.scaled(wanted.size, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    return image.convertToFormat(o.transparent ? QImage::Format_ARGB32 : QImage::Format_RGB32);
}

} // namespace

double pictureScale(const PictureOptions& o)
{
    return o.scale > 0 ? o.scale : std::max(least_scale, o.size.height() / reference_height);
}

QRect pictureCell(int view, int count, const QSize& whole)
{
    if (count == 1)
        return {QPoint(0, 0), whole};
    const int columns = 2, rows = count / 2, x = view % columns, y = view / columns;
    const auto edge = [](int length, int k, int of) { return (length + gap) * k / of; };
    return {QPoint(edge(whole.width(), x, columns), edge(whole.height(), y, rows)),
            QPoint(edge(whole.width(), x + 1, columns) - gap - 1,
                   edge(whole.height(), y + 1, rows) - gap - 1)};
}

QImage takePicture(HeartView& view, const PictureOptions& options, QString* why)
{
    return draw(view, options, false, why);
}

QImage takePicture(ViewGrid& views, const PictureOptions& o, QString* why)
{
    if (views.count() == 1)
        return takePicture(*views.view(0), o, why);
    QImage whole(o.size, o.transparent ? QImage::Format_ARGB32 : QImage::Format_RGB32);
    whole.fill(o.transparent ? QColor(Qt::transparent) : views.palette().color(QPalette::Window));
    QPainter p(&whole);
    for (int i = 0; i < views.count(); ++i) {
        const QRect cell = pictureCell(i, views.count(), o.size);
        PictureOptions one = o;
        one.size = cell.size();
        const QImage part = draw(*views.view(i), one, views.linked(), why);
        if (part.isNull())
            return {};
        p.drawImage(cell.topLeft(), part);
    }
    return whole;
}

} // namespace tawara
