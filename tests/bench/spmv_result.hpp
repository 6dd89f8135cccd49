// SPDX-License-Identifier: GPL-3.0-or-later
// What tawara-bench-spmv measures of a way to make a product, as lines of a table and of a file.
#pragma once
#include "engine/core/units.hpp"
#include "engine/sparse/cuda/stopwatch.cuh"

#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace tawara::bench {

/// A way, and what it took.
struct Result
{
    std::string order, format; ///< of ours "warps"
    sparse::WarpOptions options;
    sparse::cuda::WarpLaunch launch;
    int threads = 0; ///< CSR: of a row; slices: rows of one
    sparse::cuda::ProductTimes times;
    double bytes = 0, error = 0, padding = 1, layout_s = 0;
    bool ours() const { return format == "warps"; }
    bool peer() const { return format.rfind("cuSPARSE", 0) == 0; }
};

std::string described(const Result& r);

/// Of one matrix in one precision.
struct Matrix
{
    std::string name;
    Precision precision = Precision::double_;
    std::int64_t rows = 0, entries = 0;
    double csr_bytes = 0;                  ///< of a product with compressed rows, x and y once
    std::map<std::string, double> order_s; ///< seconds to find an order and renumber
    std::vector<Result> result;
};

/// What times are held against.
struct Machine
{
    double triad_GB_per_s = 0;
    double nothing_us = 0; ///< a kernel that does nothing
};

void write(std::FILE* out, const Matrix& m, const Result& r);
/// Best ways first, and what a new order costs; sorts the results.
void print(Matrix& m, const Machine& machine);
/// One step after the other of how our format differs from compressed rows.
void print_effects(const std::vector<std::pair<std::string, Result>>& steps,
                   const Machine& machine);

/// The best of ours and of cuSPARSE's, matrix by matrix, and means.
class Summary
{
  public:
    void add(const Matrix& m);
    void print(const Machine& machine) const;

  private:
    struct Line
    {
        std::string name;
        double ours_us = 0, kept_us = 0, peer_us = 0, csr_bytes = 0;
        std::string how, peer;
    };
    std::vector<Line> line_;
};

} // namespace tawara::bench
