// SPDX-License-Identifier: GPL-3.0-or-later
// y = A x by NVIDIA's cuSPARSE, in six ways.
#include "engine/core/error.hpp"
#include "engine/sparse/cuda/cusparse_library.hpp"
#include "engine/sparse/cuda/device_csr.cuh"

#include <algorithm>

namespace tawara::sparse::cuda {
namespace {

using device::cuda::uploaded;
using Handle = CusparseLibrary::Handle;

const CusparseLibrary& usable_library()
{
    const auto& l = CusparseLibrary::get();
    if (!l.reason.empty())
        throw Error(l.reason);
    return l;
}

/// @throws Error unless the status is success
void ask(int status, const char* call)
{
    if (status != 0)
        throw Error(std::string(call) + ": " + CusparseLibrary::get().text_of(status));
}

/// Something of the library's that is given back at the end of its life.
class Owned
{
  public:
    explicit Owned(int (*destroy)(Handle)) : destroy_(destroy) {}
    ~Owned()
    {
        if (handle)
            destroy_(handle);
    }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    Handle handle = nullptr;

  private:
    int (*destroy_)(Handle);
};

template <class Real>
constexpr int type_of = sizeof(Real) == 8 ? CusparseLibrary::real_64 : CusparseLibrary::real_32;

int algorithm_of(Peer p)
{
    switch (p) {
    case Peer::csr_1:
        return 2;
    case Peer::csr_2:
        return 3;
    case Peer::coo_1:
        return 1;
    case Peer::coo_2:
        return 4;
    case Peer::sell:
        return 5;
    case Peer::bsr:
        return 6;
    }
    return 0;
}

/// What the library is told of a matrix.
template <class Stored>
struct Arrays
{
    Buffer<std::int32_t> first, row, column;
    Buffer<Stored> value;
    std::int64_t padded = 0;
};

/// Slices of rows in their own order, column by column; -1 is a column without an entry.
template <class Stored>
Arrays<Stored> slices(StreamRef s, const Csr& a, int slice)
{
    std::vector<std::int32_t> first{0}, column;
    std::vector<Stored> value;
    for (std::int64_t begin = 0; begin < a.rows(); begin += slice) {
        const auto end = std::min<std::int64_t>(a.rows(), begin + slice);
        std::int64_t longest = 0;
        for (auto i = begin; i < end; ++i)
            longest = std::max(longest, a.length(i));
        const auto from = column.size();
        column.resize(from + static_cast<std::size_t>(longest * slice), -1);
        value.resize(column.size(), Stored(0));
        if (column.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
            throw Error("a sparse matrix has too much padding for cuSPARSE's slices");
        for (auto i = begin; i < end; ++i)
            for (std::int64_t p = 0; p < a.length(i); ++p) {
                const auto to = from + static_cast<std::size_t>(p * slice + i - begin);
                const auto e = static_cast<std::size_t>(a.first[static_cast<std::size_t>(i)] + p);
                column[to] = a.column[e];
                value[to] = static_cast<Stored>(a.value[e]);
            }
        first.push_back(static_cast<std::int32_t>(column.size()));
    }
    Arrays<Stored> out;
    out.padded = static_cast<std::int64_t>(column.size());
    out.first = uploaded(first, s);
    out.column = uploaded(column, s);
    out.value = uploaded(value, s);
    return out;
}

/// Blocks that have an entry, row by row.
template <class Stored>
Arrays<Stored> blocks(StreamRef s, const Csr& a, int size)
{
    std::vector<std::int32_t> first{0}, column, of_row;
    std::vector<Stored> value;
    for (std::int64_t begin = 0; begin < a.rows(); begin += size) {
        const auto e0 = a.first[static_cast<std::size_t>(begin)],
                   e1 = a.first[static_cast<std::size_t>(std::min(a.rows(), begin + size))];
        of_row.clear();
        for (auto e = e0; e < e1; ++e)
            of_row.push_back(a.column[static_cast<std::size_t>(e)] / size);
        std::sort(of_row.begin(), of_row.end());
        of_row.erase(std::unique(of_row.begin(), of_row.end()), of_row.end());
        const auto from = column.size();
        column.insert(column.end(), of_row.begin(), of_row.end());
        const auto area = static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
        value.resize(column.size() * area, Stored(0));
        for (auto i = begin; i < std::min(a.rows(), begin + size); ++i)
            for (auto e = static_cast<std::size_t>(a.first[static_cast<std::size_t>(i)]);
                 e < static_cast<std::size_t>(a.first[static_cast<std::size_t>(i) + 1]); ++e) {
                const auto c = a.column[e];
                const auto at =
                    from +
                    static_cast<std::size_t>(
                        std::lower_bound(of_row.begin(), of_row.end(), c / size) - of_row.begin());
                value[at * area + static_cast<std::size_t>((i - begin) * size + c % size)] =
                    static_cast<Stored>(a.value[e]);
            }
        if (value.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
            throw Error("a sparse matrix has too much padding for cuSPARSE's blocks");
        first.push_back(static_cast<std::int32_t>(column.size()));
    }
    Arrays<Stored> out;
    out.first = uploaded(first, s);
    out.column = uploaded(column, s);
    out.value = uploaded(value, s);
    return out;
}

template <class Stored>
Arrays<Stored> arrays_of(StreamRef s, const Csr& a, Peer peer, int slice)
{
    if (peer == Peer::sell)
        return slices<Stored>(s, a, slice);
    if (peer == Peer::bsr)
        return blocks<Stored>(s, a, slice);
    DeviceCsr<Stored> csr(s, a);
    Arrays<Stored> out;
    out.first = std::move(csr.first);
    out.column = std::move(csr.column);
    out.value = std::move(csr.value);
    if (peer == Peer::coo_1 || peer == Peer::coo_2) {
        std::vector<std::int32_t> row;
        row.reserve(a.column.size());
        for (std::int64_t i = 0; i < a.rows(); ++i)
            row.insert(row.end(), static_cast<std::size_t>(a.length(i)),
                       static_cast<std::int32_t>(i));
        out.row = uploaded(row, s);
    }
    return out;
}

template <class Stored, class Real>
class CusparseProduct : public Product<Real>
{
  public:
    CusparseProduct(StreamRef s, const Csr& a, Peer peer, int slice)
        : l_(usable_library()), handle_(l_.destroy), matrix_(l_.destroy_matrix),
          x_(l_.destroy_vector), y_(l_.destroy_vector), algorithm_(algorithm_of(peer)),
          in_order_(peer != Peer::sell && peer != Peer::bsr), entries_(a.entries()),
          arrays_(arrays_of<Stored>(s, a, peer, slice))
    {
        using L = CusparseLibrary;
        ask(l_.create(&handle_.handle), "cusparseCreate");
        ask(l_.set_stream(handle_.handle, s.handle), "cusparseSetStream");
        constexpr int type = type_of<Stored>;
        // vectors have whole blocks
        const auto whole = [&](std::int64_t n) {
            return peer == Peer::bsr ? (n + slice - 1) / slice * slice : n;
        };
        auto& m = arrays_;
        if (peer == Peer::sell)
            ask(l_.create_sell(&matrix_.handle, a.rows(), a.columns, entries_, m.padded, slice,
                               m.first.data(), m.column.data(), m.value.data(), L::index_32,
                               L::index_32, L::base_zero, type),
                "cusparseCreateSlicedEll");
        else if (peer == Peer::bsr)
            ask(l_.create_bsr(&matrix_.handle, whole(a.rows()) / slice, whole(a.columns) / slice,
                              static_cast<std::int64_t>(m.column.size()), slice, slice,
                              m.first.data(), m.column.data(), m.value.data(), L::index_32,
                              L::index_32, L::base_zero, type, L::by_rows),
                "cusparseCreateBsr");
        else if (m.row.size() > 0)
            ask(l_.create_coo(&matrix_.handle, a.rows(), a.columns, entries_, m.row.data(),
                              m.column.data(), m.value.data(), L::index_32, L::base_zero, type),
                "cusparseCreateCoo");
        else
            ask(l_.create_csr(&matrix_.handle, a.rows(), a.columns, entries_, m.first.data(),
                              m.column.data(), m.value.data(), L::index_32, L::index_32,
                              L::base_zero, type),
                "cusparseCreateCsr");
        const auto columns = whole(a.columns), rows = whole(a.rows());
        const Buffer<Real> x(static_cast<std::size_t>(columns), s.device),
            y(static_cast<std::size_t>(rows), s.device); // while the product is prepared
        ask(l_.create_vector(&x_.handle, columns, x.data(), type_of<Real>), "cusparseCreateDnVec");
        ask(l_.create_vector(&y_.handle, rows, y.data(), type_of<Real>), "cusparseCreateDnVec");
        std::size_t bytes = 0;
        ask(l_.buffer_size(handle_.handle, L::not_transposed, &one_, matrix_.handle, x_.handle,
                           &zero_, y_.handle, type_of<Real>, algorithm_, &bytes),
            "cusparseSpMV_bufferSize");
        room_ = Buffer<unsigned char>(bytes, s.device);
        ask(l_.preprocess(handle_.handle, L::not_transposed, &one_, matrix_.handle, x_.handle,
                          &zero_, y_.handle, type_of<Real>, algorithm_, room_.data()),
            "cusparseSpMV_preprocess");
        s.synchronize();
        const double of_places = m.row.size() > 0 ? 4 : 0;
        bytes_ = static_cast<double>(m.value.size()) * (sizeof(Stored) + of_places) +
                 4.0 * static_cast<double>(m.column.size()) +
                 (m.row.size() > 0 ? 0.0 : 4.0 * static_cast<double>(m.first.size())) +
                 static_cast<double>(a.rows() + a.columns) * static_cast<double>(sizeof(Real));
    }
    void multiply(StreamRef s, const Real* x, Real* y) const override
    {
        ask(l_.set_stream(handle_.handle, s.handle), "cusparseSetStream");
        ask(l_.set_vector(x_.handle, const_cast<Real*>(x)), "cusparseDnVecSetValues");
        ask(l_.set_vector(y_.handle, y), "cusparseDnVecSetValues");
        ask(l_.multiply(handle_.handle, CusparseLibrary::not_transposed, &one_, matrix_.handle,
                        x_.handle, &zero_, y_.handle, type_of<Real>, algorithm_, room_.data()),
            "cusparseSpMV");
    }
    void renew(StreamRef s, const double* value) override
    {
        if (!in_order_)
            throw Error("cuSPARSE's slices and blocks are not renewed here");
        copy_values(s, arrays_.value.data(), value, entries_);
    }
    double bytes() const override { return bytes_; }

  private:
    const CusparseLibrary& l_;
    Owned handle_, matrix_, x_, y_;
    int algorithm_;
    bool in_order_;
    std::int64_t entries_;
    double bytes_ = 0;
    Arrays<Stored> arrays_;
    Buffer<unsigned char> room_;
    Real one_ = 1, zero_ = 0;
};

} // namespace

std::string_view name(Peer p)
{
    switch (p) {
    case Peer::csr_1:
        return "cuSPARSE CSR 1";
    case Peer::csr_2:
        return "cuSPARSE CSR 2";
    case Peer::coo_1:
        return "cuSPARSE COO 1";
    case Peer::coo_2:
        return "cuSPARSE COO 2";
    case Peer::sell:
        return "cuSPARSE SELL";
    case Peer::bsr:
        return "cuSPARSE BSR";
    }
    return "";
}

std::string cusparse_reason()
{
    return CusparseLibrary::get().reason;
}

std::string cusparse_version()
{
    const auto& l = CusparseLibrary::get();
    if (!l.reason.empty())
        return "";
    Owned handle(l.destroy);
    int v = 0;
    if (l.create(&handle.handle) != 0 || l.version(handle.handle, &v) != 0)
        return "";
    return std::to_string(v / 1000) + "." + std::to_string(v / 100 % 10) + "." +
           std::to_string(v % 100);
}

template <class Stored, class Real>
std::unique_ptr<Product<Real>> make_cusparse_product(StreamRef s, const Csr& a, Peer peer,
                                                     int slice)
{
    return std::make_unique<CusparseProduct<Stored, Real>>(s, a, peer, slice);
}

#define TAWARA_INSTANTIATE(Stored, Real)                                                           \
    template std::unique_ptr<Product<Real>> make_cusparse_product<Stored, Real>(                   \
        StreamRef, const Csr&, Peer, int);
TAWARA_INSTANTIATE(double, double)
TAWARA_INSTANTIATE(float, float)
TAWARA_INSTANTIATE(float, double)
#undef TAWARA_INSTANTIATE

} // namespace tawara::sparse::cuda
