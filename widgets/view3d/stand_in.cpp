// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view3d/stand_in.hpp"

#include "widgets/view3d/heart_view.hpp"

#include <QElapsedTimer>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vtkCamera.h>
#include <vtkPropCollection.h>
#include <vtkRenderer.h>
#include <vtkRendererCollection.h>

namespace tawara {
namespace {

constexpr int smaller = 4;  // pictures that are drawn for their shaders alone
constexpr int step_ms = 15; // of preparations: the last thing in it may take as long again

} // namespace

StandIn::StandIn(HeartView& like) : m_scene(std::make_unique<scene::HeartScene>())
{
    m_scene->attach(m_screen.window());
    m_shape = like.aspectRatio();
    m_scene->look_like(like.scene());
}

bool StandIn::prepare(const Options& o)
{
    if (m_prepared)
        return true;
    if (!m_screen.open())
        return false;
    if (!m_screen.makeCurrent())
        return m_prepared = true; // begin() says so
    QElapsedTimer spent;
    spent.start();
    if (m_hidden.empty()) { // the first step: a small picture of nothing
        const auto pose = m_scene->camera();
        const int w = std::max(64, o.size.width() / smaller),
                  h = std::max(64, o.size.height() / smaller);
        m_scene->set_annotations(o.annotations);
        m_screen.window()->SetSize(w, h);
        m_scene->prepare(w, h, o.scale / smaller);
        m_scene->set_camera(pose);
        auto* renderers = m_screen.window()->GetRenderers();
        renderers->InitTraversal();
        while (auto* r = renderers->GetNextItem()) {
            auto* props = r->GetViewProps();
            props->InitTraversal();
            while (auto* prop = props->GetNextProp())
                if (prop->GetVisibility()) {
                    prop->VisibilityOff();
                    m_hidden.push_back(prop);
                }
        }
        m_screen.window()->Render();
    }
    while (!m_hidden.empty() && spent.elapsed() < step_ms) {
        m_hidden.front()->VisibilityOn();
        m_hidden.pop_front();
        m_screen.window()->Render();
    }
    m_prepared = m_hidden.empty();
    m_screen.doneCurrent();
    return m_prepared;
}

void StandIn::showAll()
{
    for (auto* prop : m_hidden)
        prop->VisibilityOn();
    m_hidden.clear();
    m_prepared = true;
}

StandIn::~StandIn() = default;

QString StandIn::begin(const Options& o, std::span<const float> values, double timeMs)
{
    m_screen.open();
    showAll();
    if (!m_screen.makeCurrent())
        return QObject::tr("No OpenGL context can be made for the pictures.");
    const int times = OffScreen::finer(o.size);
    const int w = o.size.width() * times, h = o.size.height() * times;
    if (!values.empty()) {
        char text[48];
        std::snprintf(text, sizeof text, "%.1f ms", timeMs);
        m_scene->set_values(values);
        m_scene->set_time_text(text);
    }
    m_scene->set_annotations(o.annotations);
    m_screen.window()->SetSize(w, h);
    const auto pose = m_scene->camera();
    m_scene->prepare(w, h, o.scale * times);
    auto* camera = m_scene->renderer()->GetActiveCamera();
    const double angle = camera->GetViewAngle();
    if (o.keep) {
        m_scene->set_camera(pose);
        // a picture that is narrower than the screen must not lose its sides
        const double narrower = m_shape / (static_cast<double>(o.size.width()) / o.size.height());
        if (narrower > 1)
            camera->SetViewAngle(
                2 * std::atan(std::tan(angle / 2 * std::numbers::pi / 180) * narrower) * 180 /
                std::numbers::pi);
    }
    m_screen.draw(o.size);
    camera->SetViewAngle(angle);
    return {};
}

} // namespace tawara
