// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/emit/cuda_math.hpp"

namespace tawara::cell::compiler {

// exp: x = (32 k + j) ln 2 / 32 + r, |r| <= ln 2 / 64: e^x = 2^k 2^(j/32) e^r. The 32 powers lie in
// a register of each of the warp's threads and are exchanged between them, which takes neither
// memory nor bank conflicts. The polynomial is of degree 5 with a largest error of 1.4e-16. Results
// are kept within the normal finite numbers.
//
// reciprocal: one step of third order from the hardware's approximation (2^-20): 2^-60.
// log: x = 2^e k, sqrt(1/2) <= k < sqrt(2); s = (k - 1) / (k + 1), log k = 2 atanh s.
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
// In constant memory, since instructions take operands from there but no literal doubles.
enum MathNumber { per_step, minus_step, minus_step_low, exp_5, exp_4, exp_3, exp_2, log_6, log_5, log_4, log_3, log_2, log_1, log_0, ln_2 };
__constant__ double math_numbers[15] = {
    46.16624130844683, -0.02166084937925916, -1.3239129268154012e-11,
    0.008333362430989848, 0.04166687035035709, 0.16666666666581323,
    0.4999999999940259, 0.146171283998073, 0.15331666676597175,
    0.1818289077802613, 0.22222211112104948, 0.2857142862611452,
    0.399999999998992, 0.666666666666667, 0.69314718055994530942};
struct Elementary
{
    double power_of_two; // 2^(lane / 32 - 1021)
    __device__ __forceinline__ Elementary()
    {
        const double p = powers_of_two[threadIdx.x & 31];
        power_of_two = __hiloint2double(__double2hiint(p) - (1021 << 20), __double2loint(p));
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
        const double shifted = fma(x, math_numbers[per_step], 6755399441055744.0 + 1021 * 32);
        const double n = shifted - (6755399441055744.0 + 1021 * 32);
        double r = fma(n, math_numbers[minus_step], x);
        r = fma(n, math_numbers[minus_step_low], r);
        const int i = __vimin_s32_relu(__double2loint(shifted), 2044 * 32 + 31); // 0 to that
        const int high = __shfl_sync(0xffffffffu, __double2hiint(power_of_two), i);
        const int low = __shfl_sync(0xffffffffu, __double2loint(power_of_two), i);
        const double t = __hiloint2double(high + (i & ~31) * 32768, low);
        double p = fma(math_numbers[exp_5], r, math_numbers[exp_4]);
        p = fma(p, r, math_numbers[exp_3]);
        p = fma(p, r, math_numbers[exp_2]);
        p = fma(p * r, r, r);
        return fma(t, p, t);
    }
    __device__ static __forceinline__ double log(double x)
    {
        const unsigned long long one = 0x3ff0000000000000ull, root = 0x3fe6a09e00000000ull;
        const unsigned long long t = (unsigned long long)__double_as_longlong(x) + (one - root);
        const double e = __longlong_as_double((t >> 52) | 0x4330000000000000ull) -
                         (4503599627370496.0 + 1023);
        const double k = __longlong_as_double((t & 0x000fffffffffffffull) + root);
        const double s = (k - 1.0) * reciprocal(k + 1.0), z = s * s;
        double q = fma(math_numbers[log_6], z, math_numbers[log_5]);
        q = fma(q, z, math_numbers[log_4]);
        q = fma(q, z, math_numbers[log_3]);
        q = fma(q, z, math_numbers[log_2]);
        q = fma(q, z, math_numbers[log_1]);
        q = fma(q, z, math_numbers[log_0]);
        const double y = fma(e, math_numbers[ln_2], fma(s * z, q, s + s));
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
    __device__ static __forceinline__ float exp(float x) { return expf(fminf(x, 88.02f)); }
    __device__ static __forceinline__ float log(float x) { return logf(x); }
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
    __device__ __forceinline__ Real linexp(Real x) const // x / (exp(x) - 1)
    {
        const Real z = x * x;
        Real s = Real(-691.0 / 1307674368000.0);
        s = s * z + Real(1.0 / 47900160);
        s = s * z - Real(1.0 / 1209600);
        s = s * z + Real(1.0 / 30240);
        s = s * z - Real(1.0 / 720);
        s = s * z + Real(1.0 / 12);
        s = s * z + 1;
        const Real far = quotient(x, exp(x) - 1);
        return z < Real(0.25) ? s - x * Real(0.5) : far;
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
