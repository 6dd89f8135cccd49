// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/emit/cuda/cuda_math.hpp"

namespace tawara::cell::compiler {

// exp: x s = 32 k + j + r with s = 32 / ln 2, |r| <= 1/2: e^x = 2^k 2^(j/32) 2^(r/32), where x s is
// never rounded by itself: r is one fma. The 32 powers lie in a register of each of the warp's
// threads and are exchanged between them, which takes neither memory nor bank conflicts. The
// polynomial is of degree 5 with a largest error of 1.4e-16; rounding of s adds 1.1e-16 |x|.
// Results are kept within the normal finite numbers. A constant factor of the exponent goes into s.
//
// reciprocal: one step of third order from the hardware's approximation (2^-20): 2^-60.
// linexp: e^x - 1 = 2^k 2^(j/32) - 1 + what the polynomial adds, which is all of it around 0.
// log: x = 2^e m, j = 32 (m - 1) rounded, c = 1 / (1 + j / 32) to 21 digits, r = c m - 1,
// |r| <= 1/64: log x = e ln 2 - log c + log(1 + r), the last by a polynomial of degree 7 (4.1e-18).
// c and -log c are exchanged as the powers are; around 1 both are exact, and so is what is near 0.
const char* const cuda_math_double = R"(
__device__ const double powers_of_two[32] = { // 2^(k / 32)
    1.0, 1.0218971486541166, 1.0442737824274138, 1.0671404006768237,
    1.0905077326652577, 1.1143867425958924, 1.1387886347566916, 1.1637248587775775,
    1.189207115002721, 1.215247359980469, 1.241857812073484, 1.2690509571917332,
    1.2968395546510096, 1.3252366431597413, 1.3542555469368927, 1.383909881963832,
    1.4142135623730951, 1.4451808069770467, 1.4768261459394993, 1.5091644275934228,
    1.5422108254079407, 1.5759808451078865, 1.6104903319492543, 1.645755478153965,
    1.681792830507429, 1.718619298122478, 1.7562521603732995, 1.7947090750031072,
    1.8340080864093424, 1.8741676341103, 1.9152065613971474, 1.9571441241754002};
__device__ const int log_factors[32] = { // upper half of c: the lower one is 0
    0x3ff00000, 0x3fef07c2, 0x3fee1e1e, 0x3fed41d4, 0x3fec71c7, 0x3febacf9, 0x3feaf287, 0x3fea41a4,
    0x3fe9999a, 0x3fe8f9c2, 0x3fe86186, 0x3fe7d05f, 0x3fe745d1, 0x3fe6c16c, 0x3fe642c8, 0x3fe5c988,
    0x3fe55555, 0x3fe4e5e1, 0x3fe47ae1, 0x3fe41414, 0x3fe3b13b, 0x3fe3521d, 0x3fe2f685, 0x3fe29e41,
    0x3fe24925, 0x3fe1f704, 0x3fe1a7b9, 0x3fe15b1e, 0x3fe11111, 0x3fe0c971, 0x3fe08421, 0x3fe04104};
__device__ const double log_parts[32] = { // -log c
    0.0, 0.030771628864431744, 0.06062468142108139, 0.08961221829433369,
    0.11778309526103001, 0.14518205454798247, 0.1718501079150584, 0.19782580293456642,
    0.22314331289565909, 0.24783589568371575, 0.2719337750882883, 0.29546437680662246,
    0.3184540291418029, 0.34092664657523974, 0.362905732107976, 0.3844118181196287,
    0.4054653465267719, 0.4260841419911919, 0.446287311244698, 0.4660897895292458,
    0.4855078753863474, 0.5045559958512342, 0.5232479351483129, 0.5415974165432041,
    0.559615430307618, 0.5773157822674241, 0.5947074355722928, 0.6118018689315929,
    0.6286087190270206, 0.6451382444956875, 0.6613985120476878, 0.6773988831964527};
// In constant memory, since instructions take operands from there but no literal doubles.
enum MathNumber { per_unit, exp_5, exp_4, exp_3, exp_2, exp_1, log_7, log_6, log_5, log_4, log_3, ln_2 };
__constant__ double math_numbers[12] = {
    46.166241308446829, 3.97372385962720245e-11, 9.17260754105876522e-9, 1.69385097242850844e-6,
    0.000234596198199443787, 0.0216608493924982909, 0.14292041603117251, -0.16672536226497035,
    0.19999998846867697, -0.24999999168928840, 0.33333333333399468, 0.69314718055994530942};
struct Elementary
{
    double power_of_two; // 2^(lane / 32 - 1021)
    int log_factor;
    double log_part;
    __device__ __forceinline__ Elementary()
    {
        const int lane = threadIdx.x & 31;
        const double p = powers_of_two[lane];
        power_of_two = __hiloint2double(__double2hiint(p) - (1021 << 20), __double2loint(p));
        log_factor = log_factors[lane], log_part = log_parts[lane];
    }
    __device__ static __forceinline__ double of_lane(double x, int lane)
    {
        const int high = __shfl_sync(0xffffffffu, __double2hiint(x), lane);
        return __hiloint2double(high, __shfl_sync(0xffffffffu, __double2loint(x), lane));
    }
    __device__ static __forceinline__ double reciprocal(double d)
    {
        double r;
        asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(d));
        double e = fma(-d, r, 1.0);
        e = fma(e, e, e);
        return fma(e, r, r);
    }
    __device__ static __forceinline__ double quotient(double a, double d)
    {
        return a * reciprocal(d);
    }
    __device__ __forceinline__ double exp(double x) const
    {
        return exp(x, math_numbers[per_unit]);
    }
    __device__ __forceinline__ double exp(double x, double s) const // 2^(x s / 32)
    {
        double t;
        const double p = parts(x, s, t);
        return fma(t, p, t);
    }
    __device__ __forceinline__ double linexp(double x) const // x / (exp(x) - 1)
    {
        double t;
        const double p = parts(x, math_numbers[per_unit], t); // near 0: t = 1
        const double y = quotient(x, fma(t, p, t - 1));
        return x == 0 ? 1.0 : y;
    }
    // 2^(x s / 32) = t (1 + p), t a power of 2^(1/32)
    __device__ __forceinline__ double parts(double x, double s, double& t) const
    {
        const double shifted = fma(x, s, 6755399441055744.0 + 1021 * 32);
        const double r = fma(x, s, -(shifted - (6755399441055744.0 + 1021 * 32)));
        const int i = __vimin_s32_relu(__double2loint(shifted), 2044 * 32 + 31); // 0 to that
        const double power = of_lane(power_of_two, i);
        t = __hiloint2double(__double2hiint(power) + (i & ~31) * 32768, __double2loint(power));
        double p = fma(math_numbers[exp_5], r, math_numbers[exp_4]);
        p = fma(p, r, math_numbers[exp_3]);
        p = fma(p, r, math_numbers[exp_2]);
        p = fma(p, r, math_numbers[exp_1]);
        return p * r;
    }
    __device__ __forceinline__ double log(double x) const
    {
        const int high = __double2hiint(x), near = high + (1 << 14); // of 32 parts
        const double e = __hiloint2double(0x43300000, near >> 20) - (4503599627370496.0 + 1023);
        const double m = __hiloint2double(high - (near & 0xfff00000) + (1023 << 20), __double2loint(x));
        const int j = near >> 15;
        const double c = __hiloint2double(__shfl_sync(0xffffffffu, log_factor, j), 0);
        const double r = fma(m, c, -1.0);
        double p = fma(math_numbers[log_7], r, math_numbers[log_6]);
        p = fma(p, r, math_numbers[log_5]);
        p = fma(p, r, math_numbers[log_4]);
        p = fma(p, r, math_numbers[log_3]);
        p = fma(p, r, -0.5);
        const double base = fma(e, math_numbers[ln_2], of_lane(log_part, j));
        const double y = base + fma(r * r, p, r);
        return x > 0 ? y : __longlong_as_double(x == 0 ? 0xfff0000000000000ll : 0x7ff8000000000000ll);
    }
    __device__ static __forceinline__ double sqrt(double x)
    {
        double y;
        asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
        double g = x * y, h = 0.5 * y, r = fma(-h, g, 0.5);
        g = fma(g, r, g), h = fma(h, r, h);
        r = fma(-g, g, x);
        return x == 0 ? 0.0 : fma(r, h, g);
    }
)";

// exp and log by the hardware's 2^x (2 ulp of the result) and base-2 logarithm (2^-22 within 0.5 to
// 2, relative beyond): what they lose is of the size of their arguments' rounding.
const char* const cuda_math_single = R"(
struct Elementary
{
    __device__ static __forceinline__ float reciprocal(float d)
    {
        float r;
        asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(d));
        return r;
    }
    __device__ static __forceinline__ float quotient(float a, float d) { return a * reciprocal(d); }
    __device__ static __forceinline__ float exp(float x) { return exp(x, 1.44269504f); }
    __device__ static __forceinline__ float exp(float x, float s) // 2^(x s)
    {
        const float t = fminf(x * s, 126.98f);
        float y;
        asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(t));
        return y;
    }
    __device__ static __forceinline__ float log(float x)
    {
        float y;
        asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
        return y * 0.693147181f;
    }
    __device__ __forceinline__ float linexp(float x) const // x / (exp(x) - 1)
    {
        const float z = x * x; // below 1/2 a series, to 3e-9
        const float near = ((1 / 30240.0f * z - 1 / 720.0f) * z + 1 / 12.0f) * z + (1 - 0.5f * x);
        const float far = quotient(x, exp(x) - 1);
        return z < 0.25f ? near : far;
    }
    __device__ static __forceinline__ float sqrt(float x) { return __fsqrt_rn(x); }
)";

const char* const cuda_math_common = R"(
    __device__ static __forceinline__ Real power(Real x, int n) // n > 0
    {
        Real r = 1;
#pragma unroll
        for (; n; n >>= 1, x *= x)
            if (n & 1)
                r *= x;
        return r;
    }
    __device__ __forceinline__ Real pow(Real x, Real y) const
    {
        const Real p = exp(y * log(x));
        return x == 0 ? (y == 0 ? Real(1) : Real(0)) : p;
    }
    __device__ __forceinline__ Real tanh(Real x) const
    {
        const Real e = exp(2 * x), far = 1 - quotient(Real(2), e + 1), z = x * x;
        Real s = Real(-929569.0 / 638512875);
        s = s * z + Real(21844.0 / 6081075);
        s = s * z - Real(1382.0 / 155925);
        s = s * z + Real(62.0 / 2835);
        s = s * z - Real(17.0 / 315);
        s = s * z + Real(2.0 / 15);
        s = s * z - Real(1.0 / 3);
        s = s * z + 1;
        return z < Real(0.01) ? x * s : far;
    }
};
)";

} // namespace tawara::cell::compiler
