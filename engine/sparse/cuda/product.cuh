// SPDX-License-Identifier: GPL-3.0-or-later
// Products y = A x on a GPU, one class for each way to store A. Numbers are stored as Stored and
// added up as Real: (double, double), (float, float), and (float, double) for mixed precision.
#pragma once
#include "engine/core/error.hpp"
#include "engine/device/cuda/runtime.cuh"
#include "engine/sparse/csr.hpp"
#include "engine/sparse/ell_warp.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace tawara::sparse::cuda {

using device::cuda::Buffer;
using device::cuda::StreamRef;

/// A matrix on the device of a stream.
template <class Real>
class Product
{
  public:
    virtual ~Product() = default;
    /// y = A x, on the stream's device; enqueues and does not wait.
    /// @pre  x [columns], y [rows], aligned to 16 bytes; x and y do not overlap
    virtual void multiply(StreamRef s, const Real* x, Real* y) const = 0;
    /// New values for the same pattern: those of the matrix's entries in the order of its rows, on
    /// the same device. Enqueues and does not wait.
    /// @throws Error where the matrix was made without what that takes
    virtual void renew(StreamRef s, const double* value) = 0;
    /// Bytes that a product reads and writes at least: what is stored, x and y once.
    virtual double bytes() const = 0;
};

/// How the kernel of laid out matrices runs: bits do not depend on it.
struct WarpLaunch
{
    int block = 128;    ///< threads, a multiple of 32, at most 1024
    int flight = 8;     ///< entries of a lane that are loaded before the first is used: 2 to 16
    bool ahead = false; ///< each row's own x is asked for before its entries are known
    Early early = Early::columns;
    bool renewable = false; ///< keeps 4 bytes a value, for renew()
};

/// A block cannot have the registers that a launch needs.
struct NoRoom : Error
{
    using Error::Error;
};

/// A laid out matrix.
template <class Real>
class WarpProduct : public Product<Real>
{
  public:
    /// Later products run like this; whether it is renewable does not change.
    /// @throws Error for a launch that cannot be, NoRoom for one that this device has no room for
    virtual void run_as(const WarpLaunch& launch) = 0;
};

/// @param value  of the matrix's entries, in the order of its rows
/// @throws Error for a launch that cannot be; NoRoom; DeviceError
/// @cost   a product: WarpLayout::bytes()
template <class Stored, class Real>
std::unique_ptr<WarpProduct<Real>> make_warp_product(StreamRef s, const WarpLayout& layout,
                                                     std::span<const double> value,
                                                     const WarpLaunch& launch = {});
/// The same with places in memory given by several threads.
template <class Stored, class Real>
std::unique_ptr<WarpProduct<Real>> make_warp_product(StreamRef s, const WarpLayout& layout,
                                                     std::span<const double> value,
                                                     const WarpLaunch& launch, ThreadPool& pool);

/// Compressed rows, each by `threads` threads (1, 2, 4, 8, 16 or 32): thread t of them takes entry
/// t and every threads-th from there, and the sums are added by halves as WarpLayout's.
/// @throws Error where there are more than 2^31 - 1 entries; DeviceError
/// @cost   a product: sizeof(Stored) + 4 bytes an entry, 4 bytes and 2 Reals a row
template <class Stored, class Real>
std::unique_ptr<Product<Real>> make_csr_product(StreamRef s, const Csr& a, int threads,
                                                int block = 128);

/// ELLPACK-R: all rows as long as the longest, entries p of all rows side by side, a thread a row,
/// which stops at its row's length.
/// @throws Error where 2^31 numbers do not do; DeviceError
/// @cost   a product: sizeof(Stored) + 4 bytes an entry (padding is not read), 4 bytes and 2 Reals
///         a row; memory for the longest row in all rows
template <class Stored, class Real>
std::unique_ptr<Product<Real>> make_ellpack_product(StreamRef s, const Csr& a, int block = 128);

/// Compressed rows cut where entries and ends of rows together are as many for each thread
/// (D. Merrill, M. Garland, Merge-based parallel sparse matrix-vector multiplication, 2016). Sums
/// of rows that several blocks share are added in the order of the blocks.
/// @throws Error where entries and rows are more than 2^31 - 1; DeviceError
/// @cost   a product: as make_csr_product()'s
template <class Stored, class Real>
std::unique_ptr<Product<Real>> make_merge_product(StreamRef s, const Csr& a);

/// NVIDIA's library, opened while the program runs; its formats are what ours are held against.
enum class Peer { csr_1, csr_2, coo_1, coo_2, sell, bsr };
std::string_view name(Peer p);
/// Why the library cannot be used; empty where it can.
std::string cusparse_reason();
/// Its version, as "12.6.1"; empty where it cannot be used.
std::string cusparse_version();
/// @param slice  rows of a slice of Peer::sell, rows and columns of a block of Peer::bsr, which
///               reads and writes vectors of whole blocks
/// @throws Error where the library is not there or refuses; DeviceError
template <class Stored, class Real>
std::unique_ptr<Product<Real>> make_cusparse_product(StreamRef s, const Csr& a, Peer peer,
                                                     int slice = 32);

} // namespace tawara::sparse::cuda
