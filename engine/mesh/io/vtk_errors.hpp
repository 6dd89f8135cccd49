// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <filesystem>
#include <memory>
#include <string>

namespace tawara::mesh::io {

/// While it lives, VTK's errors and warnings of all threads go here and not to the terminal. One at
/// a time: others wait in the constructor.
class VtkErrors
{
  public:
    VtkErrors();
    ~VtkErrors();
    VtkErrors(const VtkErrors&) = delete;
    VtkErrors& operator=(const VtkErrors&) = delete;

    /// The first error on one line, without VTK's decoration; empty where there was none.
    std::string first() const;
    /// The same of writing `part`, a temporary name of `file`: names the latter alone.
    std::string first(const std::filesystem::path& part, const std::filesystem::path& file) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace tawara::mesh::io
