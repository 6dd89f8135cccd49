// SPDX-License-Identifier: GPL-3.0-or-later
// The few functions of NVIDIA's cuSPARSE (interface of versions 12) that products need, found in
// the library while the program runs: nothing links to it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace tawara::sparse::cuda {

/// The library as the system's search path finds it, opened once.
class OpenedCusparse
{
  public:
    OpenedCusparse();
    /// Sets f to a function of the library, or to null, and then says which one is missing.
    template <class Function>
    void find(Function& f, const char* name)
    {
        f = reinterpret_cast<Function>(address(name));
    }
    const std::string& reason() const { return reason_; } ///< why it cannot be used; else empty

  private:
    void* address(const char* name);

    void* opened_ = nullptr;
    std::string reason_;
};

/// Handles are pointers to what the library keeps for itself, statuses 0 where all is well.
struct CusparseLibrary
{
    using Handle = void*;
    static constexpr int index_32 = 2, base_zero = 0, not_transposed = 0; // the library's numbers
    static constexpr int real_32 = 0, real_64 = 1, by_rows = 2;

    int (*create)(Handle*) = nullptr;
    int (*destroy)(Handle) = nullptr;
    int (*version)(Handle, int*) = nullptr;
    const char* (*text_of)(int) = nullptr;
    int (*set_stream)(Handle, void*) = nullptr;
    int (*create_csr)(Handle*, std::int64_t rows, std::int64_t columns, std::int64_t entries,
                      void* first, void* column, void* value, int first_type, int column_type,
                      int base, int value_type) = nullptr;
    int (*create_coo)(Handle*, std::int64_t rows, std::int64_t columns, std::int64_t entries,
                      void* row, void* column, void* value, int type, int base,
                      int value_type) = nullptr;
    int (*create_sell)(Handle*, std::int64_t rows, std::int64_t columns, std::int64_t entries,
                       std::int64_t padded, std::int64_t slice, void* first, void* column,
                       void* value, int first_type, int column_type, int base,
                       int value_type) = nullptr;
    int (*create_bsr)(Handle*, std::int64_t block_rows, std::int64_t block_columns,
                      std::int64_t blocks, std::int64_t rows_of_block,
                      std::int64_t columns_of_block, void* first, void* column, void* value,
                      int first_type, int column_type, int base, int value_type,
                      int order) = nullptr;
    int (*destroy_matrix)(Handle) = nullptr;
    int (*create_vector)(Handle*, std::int64_t size, void* value, int type) = nullptr;
    int (*destroy_vector)(Handle) = nullptr;
    int (*set_vector)(Handle, void* value) = nullptr;
    int (*buffer_size)(Handle, int operation, const void* alpha, Handle a, Handle x,
                       const void* beta, Handle y, int type, int algorithm, std::size_t*) = nullptr;
    int (*preprocess)(Handle, int operation, const void* alpha, Handle a, Handle x,
                      const void* beta, Handle y, int type, int algorithm, void*) = nullptr;
    int (*multiply)(Handle, int operation, const void* alpha, Handle a, Handle x, const void* beta,
                    Handle y, int type, int algorithm, void*) = nullptr;

    std::string reason; ///< why it cannot be used; empty where it can

    /// Opens libcusparse.so.12 by the system's search path, once.
    static const CusparseLibrary& get();
};

} // namespace tawara::sparse::cuda
