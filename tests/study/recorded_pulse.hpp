// SPDX-License-Identifier: GPL-3.0-or-later
// Recordings of what followed a pulse: the activations that study::verdict() judges, in small
// files.
#pragma once
#include "engine/study/verdict.hpp"

#include <QByteArray>
#include <QDataStream>
#include <QFile>
#include <QString>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace tawara::study {

/// A file is of qCompress(): a format's number, then as QDataStream writes it (single precision,
/// little-endian) the pulse's, the last and the sustained time and whether it was followed to its
/// end; positions, volumes and what was awaited of each place; how many neighbours of a higher
/// number each place has, and how much higher; the number of activations of each place; and, place
/// by place, their times since the pulse in steps of tick_ms.
struct RecordedPulse
{
    static constexpr quint32 format = 1;
    static constexpr double tick_ms = 0.1;

    double pulse_ms = 0, now_ms = 0, sustained_ms = 0;
    bool to_its_end = false;
    std::vector<Vec3> position_mm;
    std::vector<double> volume;
    std::vector<char> awaited;
    std::vector<std::int64_t> first; ///< of diffusion::Rows
    std::vector<std::int32_t> column;
    std::vector<analysis::Activation> activations; ///< in order of time

    AfterPulse after() const
    {
        return {{activations, position_mm, volume},
                {first, column},
                awaited,
                pulse_ms,
                now_ms,
                sustained_ms,
                to_its_end};
    }
};

namespace detail {

inline void order(QDataStream& s)
{
    s.setByteOrder(QDataStream::LittleEndian);
    s.setFloatingPointPrecision(QDataStream::SinglePrecision);
    s.setVersion(QDataStream::Qt_6_0);
}

} // namespace detail

inline QByteArray to_bytes(const RecordedPulse& r)
{
    QByteArray raw;
    QDataStream s(&raw, QIODevice::WriteOnly);
    detail::order(s);
    s << RecordedPulse::format << r.pulse_ms << r.now_ms << r.sustained_ms << r.to_its_end
      << static_cast<quint32>(r.volume.size());
    for (std::size_t axis = 0; axis < 3; ++axis)
        for (const auto& p : r.position_mm)
            s << p[axis];
    for (const double v : r.volume)
        s << v;
    for (const char a : r.awaited)
        s << static_cast<quint8>(a);
    const auto each_higher = [&](std::size_t p, auto f) {
        for (auto k = r.first[p]; k < r.first[p + 1]; ++k)
            if (const auto q = r.column[static_cast<std::size_t>(k)];
                static_cast<std::size_t>(q) > p)
                f(q - static_cast<qint32>(p));
    };
    for (std::size_t p = 0; p < r.volume.size(); ++p) {
        quint8 count = 0;
        each_higher(p, [&](qint32) { ++count; });
        s << count;
    }
    for (std::size_t p = 0; p < r.volume.size(); ++p)
        each_higher(p, [&](qint32 more) { s << more; });
    std::vector<std::vector<quint16>> times(r.volume.size());
    for (const auto& a : r.activations)
        times[static_cast<std::size_t>(a.place)].push_back(static_cast<quint16>(
            std::lround((static_cast<double>(a.time_ms) - r.pulse_ms) / RecordedPulse::tick_ms)));
    for (const auto& t : times)
        s << static_cast<quint8>(t.size());
    for (const auto& t : times)
        for (const auto tick : t)
            s << tick;
    return qCompress(raw, 9);
}

/// Nothing: it is no such recording.
inline std::optional<RecordedPulse> recorded_pulse(const QString& file)
{
    QFile f(file);
    if (!f.open(QIODevice::ReadOnly))
        return {};
    const QByteArray raw = qUncompress(f.readAll());
    QDataStream s(raw);
    detail::order(s);
    RecordedPulse r;
    quint32 format = 0, n = 0;
    s >> format >> r.pulse_ms >> r.now_ms >> r.sustained_ms >> r.to_its_end >> n;
    if (s.status() != QDataStream::Ok || format != RecordedPulse::format || raw.size() / 16 < n)
        return {};
    r.position_mm.resize(n), r.volume.resize(n), r.awaited.resize(n), r.first.resize(n + 1);
    for (std::size_t axis = 0; axis < 3; ++axis)
        for (auto& p : r.position_mm)
            s >> p[axis];
    for (auto& v : r.volume)
        s >> v;
    quint8 small = 0;
    for (auto& a : r.awaited)
        s >> small, a = static_cast<char>(small);
    std::vector<quint8> counts(n);
    for (auto& c : counts)
        s >> c;
    std::vector<std::vector<std::int32_t>> of(n);
    for (std::size_t p = 0; p < n; ++p)
        for (int k = 0; k < counts[p]; ++k) {
            qint32 more = 0;
            s >> more;
            const auto q = p + static_cast<std::size_t>(std::max(more, 0));
            if (more <= 0 || q >= n)
                return {};
            of[p].push_back(static_cast<std::int32_t>(q));
            of[q].push_back(static_cast<std::int32_t>(p));
        }
    for (std::size_t p = 0; p < n; ++p) {
        r.first[p + 1] = r.first[p] + static_cast<std::int64_t>(of[p].size());
        r.column.insert(r.column.end(), of[p].begin(), of[p].end());
    }
    for (auto& c : counts)
        s >> c;
    for (std::size_t p = 0; p < n; ++p)
        for (int k = 0; k < counts[p]; ++k) {
            quint16 tick = 0;
            s >> tick;
            r.activations.push_back(
                {static_cast<std::int32_t>(p),
                 static_cast<float>(r.pulse_ms + tick * RecordedPulse::tick_ms)});
        }
    if (s.status() != QDataStream::Ok || !s.atEnd())
        return {};
    std::stable_sort(r.activations.begin(), r.activations.end(),
                     [](const auto& a, const auto& b) { return a.time_ms < b.time_ms; });
    return r;
}

} // namespace tawara::study
