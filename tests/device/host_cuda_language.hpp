// SPDX-License-Identifier: GPL-3.0-or-later
// As much of CUDA's language as the texts of cell kernels use, on the host: put before such a text,
// it makes a kernel an ordinary function that the host's compiler takes.
#pragma once
#include "tests/device/host_cuda.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <math.h>

#define __CUDA_ARCH__ 800 // the newest without bulk copies, which nothing here could stand in for
#define __global__
#define __device__
#define __constant__
#define __shared__
#define __grid_constant__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

// ---------------------------------------------------------------------------- vectors of numbers
struct alignas(4) short2
{
    short x, y;
};
struct alignas(8) short4
{
    short x, y, z, w;
};
struct alignas(8) int2
{
    int x, y;
};
struct alignas(16) int4
{
    int x, y, z, w;
};
struct alignas(16) float4
{
    float x, y, z, w;
};
struct alignas(16) double2
{
    double x, y;
};

// ------------------------------------------------------------------------------------- functions
template <class T>
inline T min(T a, T b)
{
    return b < a ? b : a;
}
template <class T>
inline T max(T a, T b)
{
    return a < b ? b : a;
}
template <class To, class From>
inline To host_cuda_bits(From from)
{
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}
inline long long __double_as_longlong(double x)
{
    return host_cuda_bits<long long>(x);
}
inline double __longlong_as_double(long long x)
{
    return host_cuda_bits<double>(x);
}
inline int __double2hiint(double x)
{
    return static_cast<int>(host_cuda_bits<std::uint64_t>(x) >> 32);
}
inline int __double2loint(double x)
{
    return static_cast<int>(host_cuda_bits<std::uint64_t>(x));
}
inline double __hiloint2double(int high, int low)
{
    return host_cuda_bits<double>(std::uint64_t{static_cast<unsigned>(high)} << 32 |
                                  static_cast<unsigned>(low));
}
inline int __vimin_s32_relu(int a, int b)
{
    return max(min(a, b), 0);
}
inline float __fsqrt_rn(float x)
{
    return sqrtf(x);
}
template <class T>
inline T __ldg(const T* p)
{
    return *p;
}
template <class T>
inline T __ldcs(const T* p)
{
    return *p;
}
template <class T>
inline void __stcs(T* p, T value)
{
    *p = value;
}
inline unsigned long long atomicMin(unsigned long long* p, unsigned long long value)
{
    const auto old = *p;
    *p = min(old, value);
    return old;
}
inline unsigned atomicOr(unsigned* p, unsigned value)
{
    const auto old = *p;
    *p |= value;
    return old;
}
inline void __threadfence() {} // the host's blocks run one after the other
template <class T>
inline T atomicAdd(T* p, T value)
{
    const auto old = *p;
    *p += value;
    return old;
}

// ----------------------------------------------------------------------------- threads that meet
inline void __syncthreads()
{
    host_cuda::wait_for_block();
}
inline void __syncwarp()
{
    host_cuda::wait_for_warp();
}
inline int __shfl_sync(unsigned, int value, int lane)
{
    return static_cast<int>(host_cuda::exchange(static_cast<unsigned>(value), lane & 31));
}
inline double __shfl_xor_sync(unsigned, double value, int mask)
{
    return host_cuda_bits<double>(
        host_cuda::exchange(host_cuda_bits<std::uint64_t>(value), (threadIdx.x & 31) ^ mask));
}
inline float __shfl_xor_sync(unsigned, float value, int mask)
{
    return host_cuda_bits<float>(static_cast<std::uint32_t>(
        host_cuda::exchange(host_cuda_bits<std::uint32_t>(value), (threadIdx.x & 31) ^ mask)));
}
inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
inline unsigned __ballot_sync(unsigned, bool value)
{
    return host_cuda::ballot(value);
}
inline std::size_t __cvta_generic_to_shared(const void* p)
{
    return reinterpret_cast<std::size_t>(p);
}

// ------------------------------- instructions of PTX: asm("a.b %0, %1;" : "=d"(r) : "d"(x)) is
// made r = ptx_a_b(x)
/// Its upper 20 bits of mantissa alone, as the hardware's approximations in double precision.
inline double host_cuda_rough(double x)
{
    return host_cuda_bits<double>(host_cuda_bits<std::uint64_t>(x) & 0xffffffff00000000u);
}
inline double ptx_rcp_approx_ftz_f64(double x)
{
    return host_cuda_rough(1 / x);
}
inline double ptx_rsqrt_approx_ftz_f64(double x)
{
    return host_cuda_rough(1 / sqrt(x));
}
/// What is below the normal numbers as 0.
inline float host_cuda_flushed(float x)
{
    return fabsf(x) < 1.17549435e-38f ? copysignf(0, x) : x;
}
/// Its upper 22 bits of mantissa alone, as the hardware's approximations in single precision.
inline float host_cuda_rough(float x)
{
    return host_cuda_flushed(host_cuda_bits<float>(host_cuda_bits<std::uint32_t>(x) & 0xfffffffeu));
}
inline float ptx_rcp_approx_ftz_f32(float x)
{
    return host_cuda_rough(1 / host_cuda_flushed(x));
}
inline float ptx_ex2_approx_ftz_f32(float x)
{
    return host_cuda_rough(exp2f(host_cuda_flushed(x)));
}
inline float ptx_lg2_approx_ftz_f32(float x)
{
    return host_cuda_rough(log2f(host_cuda_flushed(x)));
}
inline double ptx_ld_global_cs_f64(const double* p)
{
    return *p;
}
inline float ptx_ld_global_cs_f32(const float* p)
{
    return *p;
}

/// Dynamic shared memory of a block (cell_ring.cuh).
namespace tawara::device::cuda {
extern "C" {
alignas(128) unsigned char memory[232448];
}
} // namespace tawara::device::cuda
