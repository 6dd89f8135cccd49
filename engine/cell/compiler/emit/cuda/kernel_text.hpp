// SPDX-License-Identifier: GPL-3.0-or-later
// The text of a kernel around the steps of cuda_text.hpp.
#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tawara::cell::compiler {

/// Text to compile for one architecture.
struct CudaSource
{
    std::string name; ///< for messages
    std::string text;
    std::vector<std::pair<std::string, std::string>> headers; ///< name as included, text
    std::vector<std::string> options;                         ///< e.g. "--maxrregcount=96"
    bool quick = false; ///< compiled soon rather than well, by NVRTC 12.8 or later
};

/// What a kernel's file finds defined before it, beside the steps.
struct KernelConstants
{
    std::vector<std::pair<std::string, std::size_t>> numbers; ///< name, value
    std::vector<std::pair<std::string, bool>> choices;
    std::size_t row_size = 0; ///< numbers of a cell type's row
    std::vector<bool> differ; ///< [row_size] what row_differs(k) answers
};

/// The kernel of a file: the steps' text, the constants, the file itself, which may include
/// <cstdint>, <cstddef> and the other files.
/// @param name   of the model, for messages
/// @param steps  cuda_text(), or its parts
/// @param file   name as included, text
CudaSource kernel_source(const std::string& name, std::string steps, bool single,
                         const KernelConstants& constants,
                         const std::pair<std::string, std::string>& file,
                         const std::vector<std::pair<std::string, std::string>>& others);

} // namespace tawara::cell::compiler
