// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/calcium_words.hpp"

#include "widgets/panels/field_note.hpp"
#include "widgets/plots/axes.hpp"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace tawara {
namespace {

QString said(const char* text)
{
    return QCoreApplication::translate("CalciumPanel", text);
}

} // namespace

float DyadScale::share(float value) const
{
    const double v = std::clamp(static_cast<double>(value), low, high);
    return static_cast<float>(log ? std::log(v / low) / std::log(high / low)
                                  : (v - low) / (high - low));
}

QString DyadScale::title() const
{
    return unit.isEmpty() ? name : QStringLiteral("%1 (%2)").arg(name, unit);
}

DyadScale dyadScale(DyadQuantity q, int RyR)
{
    const QString uM = QStringLiteral("µM");
    switch (q) {
    case DyadQuantity::cleft:
        return {said("Cleft Ca"),
                uM,
                said("Free calcium in each dyad's cleft, where RyR and L-type channels face each "
                     "other: sparks light up here"),
                "cleft",
                0.1,
                300,
                true,
                "inferno",
                false};
    case DyadQuantity::subspace:
        return {said("Submembrane Ca"),
                uM,
                said("Free calcium in the space beside each cleft, from where it spreads to other "
                     "dyads"),
                "subspace",
                0.05,
                50,
                true,
                "inferno",
                false};
    case DyadQuantity::myoplasm:
        return {said("Myoplasmic Ca"),
                uM,
                said("Free calcium in the myoplasm around each dyad: waves show here"),
                "myoplasm",
                0.05,
                5,
                true,
                "inferno",
                false};
    case DyadQuantity::jsr:
        return {said("JSR Ca"),
                QStringLiteral("mM"),
                said("Free calcium in each dyad's junctional reticulum: low where a dyad has "
                     "released"),
                "jsr",
                0,
                2,
                false,
                "viridis",
                true};
    case DyadQuantity::open:
        return {said("Open RyR"),
                {},
                said("Open ryanodine receptors of each dyad"),
                "open",
                0,
                static_cast<double>(RyR),
                false,
                "plasma",
                false};
    }
    return {};
}

std::vector<float> dyadShares(const calcium::DyadPicture& p, DyadQuantity q)
{
    const DyadScale s = dyadScale(q, p.RyR);
    std::vector<float> out;
    const auto of = [&](const auto& values) {
        out.reserve(values.size());
        for (const auto v : values)
            out.push_back(s.share(static_cast<float>(v)));
    };
    switch (q) {
    case DyadQuantity::cleft:
        of(p.c_d_uM);
        break;
    case DyadQuantity::subspace:
        of(p.c_ss_uM);
        break;
    case DyadQuantity::myoplasm:
        of(p.c_myo_uM);
        break;
    case DyadQuantity::jsr:
        of(p.c_jsr_mM);
        break;
    case DyadQuantity::open:
        of(p.open_RyR);
        break;
    }
    return out;
}

QString dyadCountsText(const simulation::DyadFrame& f)
{
    const auto& p = f.picture;
    const auto& s = p.state.dyads;
    const auto dyads = static_cast<double>(p.grid.count());
    const double part = 100 * s.active / dyads;
    return said("%1 of %2 dyads active (%3 %), %4 of %5 RyR open, ")
               .arg(spacedNumber(s.active), spacedNumber(dyads),
                    numberText(part, part < 10 ? 2 : 3), spacedNumber(s.open_RyR),
                    spacedNumber(dyads * p.RyR)) +
           said("cleft Ca up to %1 µM, V %2 mV; %3 × %4 × %5 dyads")
               .arg(numberText(s.largest_c_d, 3),
                    QString::number(p.v_mV, 'f', 1).replace('-', QChar(0x2212)))
               .arg(p.grid.nx)
               .arg(p.grid.ny)
               .arg(p.grid.nz);
}

QString sparksText(const simulation::SparkSummary& s)
{
    using calcium::SparkKind;
    const QString going =
        s.under_way > 0 ? said(", %1 under way").arg(spacedNumber(static_cast<double>(s.under_way)))
                        : QString();
    if (s.count == 0)
        return said("No sparks in %1 ms").arg(numberText(s.observed_ms, 4)) + going;
    const auto of = [&](SparkKind kind, const char* one, const char* several) {
        const auto n = s.kinds[static_cast<std::size_t>(kind)];
        return n == 0 ? QString()
                      : QStringLiteral("%1 %2").arg(spacedNumber(static_cast<double>(n)),
                                                    said(n == 1 ? one : several));
    };
    QStringList parts{of(SparkKind::spark, "spark", "sparks"),
                      of(SparkKind::macrospark, "macro-spark", "macro-sparks"),
                      of(SparkKind::wave, "wave", "waves"),
                      of(SparkKind::synchronous, "synchronous release", "synchronous releases")};
    parts.removeAll({});
    QString out =
        said("%1 in %2 ms").arg(parts.join(QStringLiteral(", ")), numberText(s.observed_ms, 4));
    if (s.observed_ms > 0)
        out += said(" (%1 a second)").arg(numberText(s.per_s(), 3));
    out += going;
    if (!s.last)
        return out;
    out += said("; the last at %1 ms: amplitude %2")
               .arg(QString::number(s.last->start_ms, 'f', 1), numberText(s.last->amplitude(), 3));
    if (std::isfinite(s.last->duration_ms))
        out += said(", %1 ms long").arg(numberText(s.last->duration_ms, 3));
    return out;
}

QString recordedCellText(double ms)
{
    return said("Recorded at %1 ms").arg(ms, 0, 'f', 1);
}

QString standingStillText(double shownMs, double wantedMs, const QString& why)
{
    return said("Stands still at %1 ms: ").arg(shownMs, 0, 'f', 1) +
           (why.isEmpty()
                ? said("no cell was chosen while %1 ms was recorded").arg(wantedMs, 0, 'f', 1)
                : said("the cell is not recorded, since %1").arg(why));
}

QString dyadCellText(const Vec3& at)
{
    const auto mm = [](double x) { return QString::number(x, 'f', 1).replace('-', QChar(0x2212)); };
    return said("Cell at %1, %2, %3 mm").arg(mm(at[0]), mm(at[1]), mm(at[2]));
}

QString noDyadsText()
{
    return said("Choose a cell to see its dyads: calcium sparks and waves as they happen, and the "
                "cell's calcium over time. Its region needs a model with dyads (Tissue panel).");
}

QString dyadsGoneText()
{
    return said("The chosen cell has no dyads any more: the tissue was changed. Choose another "
                "cell, in a region whose model has dyads.");
}

} // namespace tawara
