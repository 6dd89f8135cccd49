// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/plots/ecg_plot.hpp"

#include <QStringList>

#include <cmath>

namespace tawara::fake {

inline const QStringList twelve{"I",  "II", "III", "aVR", "aVL", "aVF",
                                "V1", "V2", "V3",  "V4",  "V5",  "V6"};

/// Beats of 12 leads at 150 and 950 ms (QRS of 72.8 ms, T ends 381.5 ms after the middle of QRS),
/// and an own lead that is never quiet.
inline void feedBeats(EcgPlot& p, double from, double to)
{
    const auto bump = [](double x) { return std::exp(-x * x / 2); };
    std::vector<double> t;
    std::vector<std::vector<float>> mV(static_cast<std::size_t>(p.leads().size()));
    for (double x = from; x <= to; ++x) {
        t.push_back(x);
        double v = 0;
        for (const double middle : {150.0, 950.0})
            v += bump((x - middle) / 12) + 0.3 * bump((x - middle - 301.5) / 40);
        for (std::size_t l = 0; l < mV.size(); ++l)
            mV[l].push_back(static_cast<float>(l < 12 ? (0.3 + 0.1 * static_cast<double>(l)) * v
                                                      : 30 * std::sin(x / 9)));
    }
    p.append(t, mV);
}

} // namespace tawara::fake
