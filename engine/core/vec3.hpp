// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <cmath>

namespace tawara {

/// A point or vector in space; lengths in mm unless said otherwise.
using Vec3 = std::array<double, 3>;

constexpr Vec3 operator+(const Vec3& a, const Vec3& b)
{
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
constexpr Vec3 operator-(const Vec3& a, const Vec3& b)
{
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
constexpr Vec3 operator*(double s, const Vec3& a)
{
    return {s * a[0], s * a[1], s * a[2]};
}
constexpr double dot(const Vec3& a, const Vec3& b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
constexpr Vec3 cross(const Vec3& a, const Vec3& b)
{
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double norm(const Vec3& a)
{
    return std::sqrt(dot(a, a));
}

/// a / |a|; the zero vector stays zero.
inline Vec3 normalized(const Vec3& a)
{
    const double n = norm(a);
    return n > 0 ? (1 / n) * a : a;
}

} // namespace tawara
