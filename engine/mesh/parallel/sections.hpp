// SPDX-License-Identifier: GPL-3.0-or-later
// The arrays of a part's file.
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <span>
#include <string>
#include <vector>

namespace tawara::mesh::parallel {

/// Writes arrays one after the other, each behind a head with its name, length and checksum.
class Sections
{
  public:
    Sections(std::ostream& out, std::int32_t number, std::int32_t parts);
    template <class T>
    void put(const std::string& name, std::span<const T> values)
    {
        put(name, values.data(), values.size_bytes());
    }
    template <class T>
    void put(const std::string& name, const std::vector<T>& values)
    {
        put(name, std::span<const T>(values));
    }
    void end(); ///< so that a file that was cut behind an array is told
    std::uint32_t checksum() const { return checksum_; }
    std::uint64_t bytes() const { return bytes_; }

  private:
    void put(const std::string& name, const void* data, std::size_t bytes);
    void write(const void* data, std::size_t bytes);

    std::ostream& out_;
    std::uint32_t checksum_ = 0;
    std::uint64_t bytes_ = 0;
};

/// Reads them back in the same order.
class SectionReader
{
  public:
    /// @throws MeshError where the file is no such part
    SectionReader(std::filesystem::path file, std::int32_t number, std::int32_t parts);
    /// @param each  bytes of an element times its components
    /// @throws MeshError where the next array is another, its length is none, or it is damaged
    template <class T>
    std::vector<T> get(const std::string& name, std::size_t each = sizeof(T))
    {
        const auto bytes = begin(name, each);
        std::vector<T> values(bytes / sizeof(T));
        fill(values.data(), bytes, name);
        return values;
    }
    void end();
    std::uint32_t checksum() const { return checksum_; }
    [[noreturn]] void fail(const std::string& why) const;

  private:
    std::size_t begin(const std::string& name, std::size_t each);
    void fill(void* data, std::size_t bytes, const std::string& name);
    void read(void* data, std::size_t bytes);

    std::filesystem::path file_;
    std::ifstream in_;
    std::uint64_t left_ = 0; ///< bytes of the file that were not read
    std::uint32_t checksum_ = 0, crc_ = 0;
};

} // namespace tawara::mesh::parallel
