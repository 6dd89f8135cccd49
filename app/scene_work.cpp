// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/scene_work.hpp"

namespace tawara {

SceneWork::SceneWork(const EngineHost& host) : m_host(host) {}

SceneWork::~SceneWork()
{
    m_pool.waitForDone();
}

} // namespace tawara
