// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/key_box.hpp"

#include "engine/simulation/session/session_keys.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tawara {
namespace {

QString text(std::string_view s)
{
    return QString::fromUtf8(s.data(), static_cast<qsizetype>(s.size()));
}

/// The table's sentence, as fields begin and without the page's marks.
QString tipOf(const simulation::Key& key)
{
    QString tip = text(key.what).remove(QLatin1Char('`'));
    tip[0] = tip[0].toUpper();
    return key.also.zero.empty() ? tip : tip + QStringLiteral("; ") + zeroText(key);
}

simulation::KeyParts::Box boxOf(const simulation::Key& key)
{
    using Type = simulation::Member::Type;
    constexpr int usual_decimals = 3;
    auto box = key.also.box;
    if (box.step != 0)
        return box;
    if (key.member.type != Type::number && key.member.type != Type::integer)
        throw std::logic_error("the table of session keys has no box for " + std::string(key.at));
    box.step = 1;
    box.decimals = key.member.type == Type::number ? usual_decimals : 0;
    return box;
}

} // namespace

QString zeroText(const simulation::Key& key)
{
    return key.also.zero.empty()
               ? QString()
               : QStringLiteral("0: ") + text(key.also.zero).remove(QLatin1Char('`'));
}

QString keyLabel(const simulation::Key& key)
{
    QString label = text(key.name());
    if (const QString unit = QLatin1Char('_') + text(key.unit); label.endsWith(unit))
        label.chop(unit.size());
    label.replace(QLatin1Char('_'), QLatin1Char(' '));
    label[0] = label[0].toUpper();
    return label;
}

NumberBox* keyBox(const QString& name, std::string_view key, const QString& tip)
{
    constexpr double largest = 1e9; // of keys that have no bound
    const simulation::Key& k = simulation::session_key(key);
    const auto box = boxOf(k);
    const auto bound = [&](double of_box, double of_key) {
        return std::clamp(std::isinf(of_box) ? of_key : of_box, -largest, largest);
    };
    const NumberBox::Range range{bound(box.low, k.range.low), bound(box.high, k.range.high),
                                 box.step, box.decimals};
    auto* out = new NumberBox(name, k.unit == "degrees" ? QStringLiteral("°") : text(k.unit), range,
                              tip.isEmpty() ? tipOf(k) : tip);
    if (k.member.fallback != nullptr && k.member.fallback() >= range.low)
        out->put(k.member.fallback());
    return out;
}

} // namespace tawara
