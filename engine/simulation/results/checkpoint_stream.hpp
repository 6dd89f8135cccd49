// SPDX-License-Identifier: GPL-3.0-or-later
// How a checkpoint lies in its file: values behind one another, packed by zlib as they come, so
// that neither side holds the file in memory.
//
//     magic "TAWARACP" | version | CRC-32 | bytes unpacked | bytes packed | packed bytes
//
// The CRC-32 is of the packed bytes, then of version and sizes. Files of version 1 have the magic
// "TAWARAC1", the bytes unpacked and no checksum but zlib's own.
#pragma once
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace tawara::simulation {

constexpr std::uint32_t checkpoint_version = 2;

/// Packs values into a stream that can be sought in.
class CheckpointWriter
{
  public:
    /// @throws Error when zlib cannot begin
    explicit CheckpointWriter(std::ostream& out);
    ~CheckpointWriter();
    CheckpointWriter(const CheckpointWriter&) = delete;
    CheckpointWriter& operator=(const CheckpointWriter&) = delete;

    void put(const void* data, std::size_t bytes);
    void put(std::uint64_t n) { put(&n, sizeof n); }
    void put(const std::string& text);
    template <class T>
    void put(const std::vector<T>& numbers)
    {
        put(static_cast<std::uint64_t>(numbers.size()));
        put(numbers.data(), numbers.size() * sizeof(T));
    }
    void put(const std::vector<std::string>& texts);
    /// The rest, and the head of the file.
    void finish();

  private:
    void pack(int flush);

    struct Zlib;
    std::ostream& out_;
    std::unique_ptr<Zlib> zlib_;
    std::uint64_t full_ = 0, packed_ = 0;
    std::uint32_t crc_ = 0;
};

/// Takes them out again. Nothing is believed: a length beyond what the caller allows, or beyond
/// what the file can still hold, is refused before memory is taken for it.
class CheckpointReader
{
  public:
    /// Checks the checksum where the file has one. @throws InputError
    explicit CheckpointReader(const std::filesystem::path& file);
    ~CheckpointReader();
    CheckpointReader(const CheckpointReader&) = delete;
    CheckpointReader& operator=(const CheckpointReader&) = delete;

    std::uint32_t version() const { return version_; }
    bool at_end() const { return left_ == 0; }
    /// @throws InputError where the file has more than its head says, or is damaged there
    void need_end();

    void get(void* to, std::size_t bytes);
    std::int64_t step();
    /// @param least  bytes that each element takes in the file
    std::size_t count(std::size_t most, std::size_t least);
    std::string text(std::size_t longest);
    std::vector<std::string> texts(std::size_t most, std::size_t longest);
    template <class T = double>
    std::vector<T> numbers(std::size_t most = std::numeric_limits<std::size_t>::max())
    {
        std::vector<T> v(count(most, sizeof(T)));
        get(v.data(), v.size() * sizeof(T));
        return v;
    }
    /// Passes over bytes, and keeps none of them.
    void skip(std::size_t bytes);
    /// Passes over a list or a text.
    /// @param each  bytes of an element
    /// @return how many elements it has. @throws InputError where these are more than `most`
    std::size_t pass(std::size_t each, std::size_t most = std::numeric_limits<std::size_t>::max());
    [[noreturn]] void refuse(const std::string& why) const;

  private:
    void read_head();
    void check_sum(std::uint32_t crc, std::uint64_t full, std::uint64_t packed);
    [[noreturn]] void damaged() const;

    struct Zlib;
    std::filesystem::path file_;
    std::ifstream in_;
    std::unique_ptr<Zlib> zlib_;
    std::uint32_t version_ = 0;
    std::uint64_t left_ = 0; ///< unpacked bytes that have not been taken
};

} // namespace tawara::simulation
