// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QImage>

class QString;

namespace tawara::baseline {

/// How two pictures differ.
struct Difference
{
    double mean = 255;  ///< of the channels' absolute differences [0 .. 255]
    double worst = 255; ///< the same of the worst tile of 16 x 16 pixels, slightly blurred before
};

/// @return the worst there is where the sizes differ
Difference compare(const QImage& a, const QImage& b);

/// Compares with the picture of that name in tests/render/baselines; a person has looked at it.
/// With TAWARA_WRITE_BASELINES=1 in the environment it is written anew instead. On a failure the
/// picture is left in the build folder. For use in a test function.
/// @param mean,worst  the differences that pass are below; worst 255: does not count
void check(const QImage& image, const QString& name, double mean, double worst = 255);

} // namespace tawara::baseline
