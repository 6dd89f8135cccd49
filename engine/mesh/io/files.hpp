// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace tawara::mesh::io {

/// Writes several files so that all appear whole or none does: each under a temporary name first,
/// all renamed at the end; what an earlier run left under one of `stale` is removed then, a link
/// and not what it leads to. @throws InputError
struct FileToWrite
{
    std::filesystem::path path;
    std::function<void(std::ostream&)> writer;
};
void write_all(const std::vector<FileToWrite>& files,
               const std::vector<std::filesystem::path>& stale = {});

/// Collects formatted text in large pieces; much faster than operator<< for millions of numbers.
class Printer
{
  public:
    explicit Printer(std::ostream& out) : out_(out) { buffer_.reserve(capacity); }
    ~Printer() { flush(); }
    Printer(const Printer&) = delete;
    Printer& operator=(const Printer&) = delete;

    Printer& operator<<(std::string_view text);
    Printer& operator<<(char c);
    Printer& operator<<(std::int64_t i);
    Printer& operator<<(std::int32_t i) { return *this << static_cast<std::int64_t>(i); }
    Printer& operator<<(std::size_t i) { return *this << static_cast<std::int64_t>(i); }
    Printer& operator<<(double d); ///< shortest text that reads back as the same double
    Printer& operator<<(float f);
    template <class T>
    Printer& raw(const T& value)
    {
        return *this << std::string_view(reinterpret_cast<const char*>(&value), sizeof value);
    }
    void flush();

  private:
    static constexpr std::size_t capacity = 1 << 16;
    std::ostream& out_;
    std::string buffer_;
};

} // namespace tawara::mesh::io
