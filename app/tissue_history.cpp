// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tissue_history.hpp"

#include <QPointer>

#include <algorithm>
#include <limits>
#include <utility>

namespace tawara {
namespace {

constexpr std::size_t kept_laid = 4;

using List = std::vector<simulation::Region>;

/// Whether the engine has these regions, but for words that it is not told.
bool sameTissue(const List& edited, const List& engines)
{
    auto e = engines.begin();
    for (const auto& r : edited) {
        if (waitsForTissue(r))
            continue;
        if (e == engines.end())
            return false;
        auto as = *e++;
        as.name = r.name;
        as.kind = r.kind;
        if (as != r)
            return false;
    }
    return e == engines.end();
}

} // namespace

TissueHistory::TissueHistory(QObject* parent) : QObject(parent) {}

TissueHistory::~TissueHistory()
{
    m_pool.waitForDone();
}

void TissueHistory::begin(const ScenePtr& scene)
{
    m_pass = {};
    m_kept = {};
    m_keptFor.reset();
    m_laid.clear();
    m_now.reset();
    if (!scene)
        return;
    m_now = std::make_shared<const List>(scene->session.regions);
    m_pass = {scene, {}, {m_now}};
}

void TissueHistory::setNow(const List& regions)
{
    if (!m_now || *m_now == regions)
        return;
    m_now = std::make_shared<const List>(regions);
    if (sameTissue(regions, *m_pass.regions.back()))
        m_pass.regions.back() = m_now; // with the words of now
}

void TissueHistory::follow(const ScenePtr& scene)
{
    if (!m_pass.scene || !scene || scene->run != m_pass.scene->run)
        return;
    const auto& edits = scene->tissue_edits;
    m_pass.scene = scene;
    m_pass.changes.clear();
    for (const auto& e : edits)
        m_pass.changes.push_back(e.time_ms);
    auto& list = m_pass.regions;
    list.resize(edits.size() + 1, list.back());
    const auto& taken = scene->session.regions;
    if (m_now && sameTissue(*m_now, taken))
        list.back() = m_now;
    else if (!sameTissue(*list.back(), taken))
        list.back() = std::make_shared<const List>(taken);
    if (const auto n = list.size(); n > 1 && *list[n - 2] == *list[n - 1])
        list[n - 2] = list[n - 1]; // a drug alone was changed
}

void TissueHistory::keepFor(const std::shared_ptr<const void>& recording)
{
    if (recording == m_keptFor.lock())
        return; // it is of an earlier start, or there is none
    m_keptFor = recording;
    m_kept = recording ? m_pass : Pass{};
}

std::size_t TissueHistory::at(const Pass& p, double ms)
{
    return static_cast<std::size_t>(std::upper_bound(p.changes.begin(), p.changes.end(), ms) -
                                    p.changes.begin());
}

const TissueHistory::Pass& TissueHistory::passOf(const void* recording) const
{
    return keptFor(recording) ? m_kept : m_pass;
}

std::optional<PastTissue> TissueHistory::past(double ms, const void* recording)
{
    const Pass& pass = passOf(recording);
    if (pass.regions.empty())
        return {};
    const auto k = at(pass, ms);
    const Regions regions = pass.regions[k];
    if (isNow(regions))
        return {};
    PastTissue out{laid(pass.scene, regions), std::numeric_limits<double>::quiet_NaN()};
    for (auto next = k; next < pass.changes.size(); ++next)
        if (pass.regions[next + 1] != regions) {
            out.changedMs = pass.changes[next];
            break;
        }
    return out;
}

std::vector<double> TissueHistory::changes(double from, double to) const
{
    std::vector<double> out;
    for (const double t : m_pass.changes)
        if (t > from && t <= to)
            out.push_back(t);
    return out;
}

TissueHistory::OfMoment TissueHistory::ofRecording(const void* recording)
{
    const Pass& pass = passOf(recording);
    if (std::all_of(pass.regions.begin(), pass.regions.end(),
                    [this](const Regions& r) { return isNow(r); }))
        return {};
    return [history = QPointer(this), pass](double ms) {
        return history ? history->laid(pass.scene, pass.regions[at(pass, ms)]) : Laid();
    };
}

TissueHistory::Laid TissueHistory::laid(const ScenePtr& scene, const Regions& regions)
{
    const auto found = std::find_if(m_laid.begin(), m_laid.end(),
                                    [&](const auto& l) { return l.first == regions; });
    if (found != m_laid.end()) {
        std::rotate(found, found + 1, m_laid.end());
        return m_laid.back().second;
    }
    if (!scene->mesh || !scene->surface || !m_underWay.insert(regions).second)
        return {};
    m_pool.start(this, [this, scene, regions] {
        simulation::Session session;
        session.name = scene->session.name;
        session.regions = *regions;
        const auto made =
            std::make_shared<const LaidTissue>(layTissue(session, *scene->mesh, *scene->surface));
        postTo(this, [this, regions, made] {
            m_underWay.erase(regions);
            m_laid.emplace_back(regions, made);
            if (m_laid.size() > kept_laid)
                m_laid.erase(m_laid.begin());
            Q_EMIT laidOut();
        });
    });
    return {};
}

} // namespace tawara
