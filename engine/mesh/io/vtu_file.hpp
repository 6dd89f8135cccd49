// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/progress.hpp"
#include "engine/mesh/io/memory_bound.hpp"

#include <filesystem>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tawara::mesh::io {

/// A VTU file in memory: its elements, and the numbers of its arrays, which are text, base64 or raw
/// bytes, within their element or appended, compressed in blocks or not, in either byte order.
///
/// What the file announces is compared with what it holds before memory is fetched: elements that
/// are nested deep or many, counts, lengths of blocks, and the sum over all arrays (MemoryBound).
class VtuFile
{
  public:
    /// @param progress   stays until this has gone
    /// @param poly_data  poly data (VTP) will do, too
    /// @throws MeshError for what is no VTU file of an unstructured grid
    VtuFile(const std::filesystem::path& file, const Progress& progress, bool poly_data = false);
    VtuFile(const std::filesystem::path& file, Progress&& progress,
            bool poly_data = false) = delete;

    /// The <UnstructuredGrid> element, or <PolyData>.
    pugi::xml_node grid() const { return grid_; }
    bool is_poly_data() const { return std::string_view(grid_.name()) == "PolyData"; }
    const std::string& name() const { return name_; }

    /// The values of an array, all components one after another.
    /// @param due   how many there should be, where it is known
    /// @param each  ends the message where there are not as many
    /// @throws MeshError naming the line
    template <class To>
    std::vector<To> values(pugi::xml_node array, std::optional<std::uint64_t> due,
                           const std::string& each = {});
    /// The texts of an array of type String: at most as many as it announces.
    std::vector<std::string> texts(pugi::xml_node array);

    /// The value of an attribute that counts something. @throws MeshError where it is no count, or
    /// more than the file can hold
    std::uint64_t count(pugi::xml_node at, const char* attribute, std::uint64_t otherwise) const;
    /// Refuses an array of an unknown type. @return whether it is one of texts
    bool is_text(pugi::xml_node array) const;
    /// Refuses an array that announces more than it has, without reading it.
    void check(pugi::xml_node array) const;

    [[noreturn]] void fail(pugi::xml_node at, const std::string& reason) const;

  private:
    struct Tag
    {
        std::size_t begin;
        long line, last_line; ///< of its '<' and '>'
    };
    struct Binary;

    void check_head();
    void scan();
    void parse();
    const Tag& tag_of(pugi::xml_node n) const;
    std::string_view inline_text(pugi::xml_node array) const;
    template <class Stored, class To>
    void need_kind(pugi::xml_node array) const;
    template <class To>
    std::vector<To> words(pugi::xml_node array, std::optional<std::uint64_t> due,
                          const std::string& each);
    Binary binary(pugi::xml_node array) const;
    std::string bytes(pugi::xml_node array, std::optional<std::uint64_t> due,
                      const std::string& each, std::uint64_t value_bytes);
    void need(pugi::xml_node array, std::uint64_t has, std::optional<std::uint64_t> due,
              const std::string& each) const;

    std::string name_, content_;
    const Progress& progress_;
    bool poly_data_ = false; ///< is allowed
    MemoryBound bound_;
    std::size_t xml_end_ = 0;   ///< of the part that is XML
    std::string_view appended_; ///< behind its '_'
    bool appended_base64_ = false;
    bool wide_ = false, swap_ = false; ///< header words of 64 bits; the other byte order
    std::string compressor_;
    std::vector<Tag> tags_;
    pugi::xml_document document_;
    pugi::xml_node grid_;
};

/// What an array is called in a message.
std::string called(pugi::xml_node array);

} // namespace tawara::mesh::io
