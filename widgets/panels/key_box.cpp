// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/key_box.hpp"

#include "engine/simulation/session/session_keys.hpp"

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
    return key.also.zero.empty() ? tip : tip + QStringLiteral("; 0: ") + text(key.also.zero);
}

} // namespace

NumberBox* keyBox(const QString& name, std::string_view key, const QString& tip)
{
    const simulation::Key& k = simulation::session_key(key);
    const auto& box = k.also.box;
    if (box.step == 0)
        throw std::logic_error("the table of session keys has no box for " + std::string(key));
    const NumberBox::Range range{std::isinf(box.low) ? k.range.low : box.low,
                                 std::isinf(box.high) ? k.range.high : box.high, box.step,
                                 box.decimals};
    auto* out = new NumberBox(name, k.unit == "degrees" ? QStringLiteral("°") : text(k.unit), range,
                              tip.isEmpty() ? tipOf(k) : tip);
    if (k.member.fallback != nullptr && k.member.fallback() >= range.low)
        out->put(k.member.fallback());
    return out;
}

} // namespace tawara
