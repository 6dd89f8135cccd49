// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/io/raw.hpp"
#include "engine/mesh/io/text.hpp"
#include "engine/mesh/mesh_error.hpp"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>

namespace tawara::mesh::io {

/// A Gmsh file and its numbers as the file has them: text, or binary of the kind.
class GmshNumbers
{
  protected:
    explicit GmshNumbers(const std::filesystem::path& file)
        : content_(content_of(file)), in_(file.string(), content_, false)
    {
    }

    std::int64_t int32(const char* what)
    {
        return binary_ ? stored<std::int32_t>(in_.take(4, what), swap_) : in_.integer(what);
    }
    std::int64_t size(const char* what)
    {
        return binary_ ? stored<std::int64_t>(in_.take(8, what), swap_) : in_.integer(what);
    }
    double real(const char* what)
    {
        if (!binary_)
            return in_.number(what);
        const double d = stored<double>(in_.take(8, what), swap_);
        if (!std::isfinite(d))
            throw MeshError(in_.file(), std::string(what) + " is not finite");
        return d;
    }
    /// Of text: errors shall name the line that is too short.
    void need_in_line(const char* what)
    {
        if (!binary_)
            in_.need_in_line(what);
    }
    /// A count whose records need at least so many bytes in binary, half of it in text.
    std::size_t counted(std::int64_t n, const char* what, std::size_t bytes)
    {
        if (n < 0 || static_cast<std::uint64_t>(n) > in_.left() / (binary_ ? bytes : 2) + 1)
            in_.fail(std::string(what) + " is " + std::to_string(n) +
                     ", more than the file can hold; it is wrong or the file is truncated");
        return static_cast<std::size_t>(n);
    }
    void end_of(const char* section_name)
    {
        const std::string want = std::string("$End") + section_name;
        const auto w = in_.word(want.c_str());
        if (w != want)
            in_.fail(in_quotes(w) + " stands where " + want + " is due");
    }

    std::string content_;
    Text in_;
    bool binary_ = false;
    bool swap_ = false; ///< the order of a number's bytes
};

} // namespace tawara::mesh::io
