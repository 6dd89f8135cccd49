// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/engine_host.hpp"
#include "app/work_pool.hpp"

#include <memory>
#include <utility>

namespace tawara {

/// What is computed beside the window, one job after the other. What a job found comes back by the
/// event loop, and goes unused where another scene was loaded meanwhile.
///
/// @thread GUI thread; jobs run on one thread of their own, which the destructor waits for
class SceneWork : public QObject
{
    Q_OBJECT
  public:
    explicit SceneWork(const EngineHost& host);
    ~SceneWork() override;

    /// Runs `job` elsewhere, then `done` with its result here, unless another scene was loaded.
    template <class Job, class Done>
    void run(Job job, Done done)
    {
        const auto of = m_host.scene() ? m_host.scene()->run : 0;
        runAnyway(std::move(job), [this, of, done = std::move(done)](auto& result) {
            if (m_host.scene() && m_host.scene()->run == of)
                done(result);
        });
    }
    /// The same, whatever is loaded meanwhile.
    template <class Job, class Done>
    void runAnyway(Job job, Done done)
    {
        m_pool.start(this, [this, job = std::move(job), done = std::move(done)] {
            auto result = std::make_shared<decltype(job())>(job());
            postTo(this, [done, result] { done(*result); });
        });
    }

  private:
    const EngineHost& m_host;
    WorkPool m_pool;
};

} // namespace tawara
