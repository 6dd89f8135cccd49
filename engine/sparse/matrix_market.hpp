// SPDX-License-Identifier: GPL-3.0-or-later
// Files of sparse matrices in the Matrix Market exchange format (Boisvert, Pozo and Remington, NIST
// 1996).
#pragma once
#include "engine/sparse/csr.hpp"

#include <filesystem>
#include <string>

namespace tawara::sparse {

/// Reads "matrix coordinate" files of real, integer or pattern numbers (pattern: all are 1),
/// general, symmetric (both triangles are made) or skew-symmetric. Entries that a file names twice
/// are added. Columns ascend within a row.
/// @throws InputError with the line: no such header, complex or array files, wrong counts, places
///         outside of the matrix, numbers that are not finite
/// @cost   O(entries); the file's size and 48 bytes an entry of memory at once
Csr read_matrix_market(const std::filesystem::path& file);

/// Writes "matrix coordinate real general", 1-based, numbers with as many digits as tell them
/// apart; whole or not at all.
/// @param comment  lines below the header, each gets its %
/// @throws InputError where the file cannot be written
void write_matrix_market(const std::filesystem::path& file, const Csr& a,
                         const std::string& comment = {});

} // namespace tawara::sparse
