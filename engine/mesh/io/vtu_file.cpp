// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/io/vtu_file.hpp"

#include "engine/core/xml_tags.hpp"
#include "engine/mesh/io/text.hpp"
#include "engine/mesh/mesh_error.hpp"

#include <algorithm>
#include <bit>
#include <charconv>

namespace tawara::mesh::io {
namespace {

constexpr int most_deep = 64;                 ///< VTK writes elements up to seven deep
constexpr std::size_t most_elements = 200000; ///< in all; a piece of VTK's has some tens

long line_at(std::string_view text, std::size_t at)
{
    return 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
}

} // namespace

std::string called(pugi::xml_node array)
{
    const std::string name = array.attribute("Name").value();
    return name.empty() ? "without a name" : name.substr(0, 40);
}

VtuFile::VtuFile(const std::filesystem::path& file, const Progress& progress, bool poly_data)
    : name_(file.string()), content_(content_of(file)), progress_(progress), poly_data_(poly_data),
      bound_(name_, content_.size())
{
    check_head();
    scan();
    parse();
}

/// What the whole text shows before it is parsed.
void VtuFile::check_head()
{
    const auto root = content_.find("<VTKFile");
    if (root == content_.npos)
        throw MeshError(name_, 1, "has no <VTKFile> element; it is no VTU file");
    const auto head = content_.substr(root, content_.find('>', root) - root);
    const bool poly_data = head.find("\"PolyData\"") != std::string::npos;
    if (poly_data && !poly_data_)
        throw MeshError(name_, line_at(content_, root),
                        "is a surface (PolyData); Tawara needs tetrahedra (VTU)");
    if (!poly_data && head.find("\"UnstructuredGrid\"") == std::string::npos)
        throw MeshError(name_, line_at(content_, root),
                        "is no unstructured grid; type=\"UnstructuredGrid\" is due");
    if (content_.rfind("</VTKFile>") == content_.npos)
        throw MeshError(name_, "has no closing </VTKFile>; it seems truncated");
}

/// Where the elements are, and where the appended data begin, which are no XML.
void VtuFile::scan()
{
    std::size_t counted = 0;
    long line = 1;
    const auto line_of = [&](std::size_t at) {
        line += std::count(content_.begin() + static_cast<std::ptrdiff_t>(counted),
                           content_.begin() + static_cast<std::ptrdiff_t>(at), '\n');
        counted = at;
        return line;
    };
    std::optional<XmlTag> appended;
    for_each_tag(content_, [&](const XmlTag& tag) {
        const long first = line_of(tag.begin);
        if (tag.depth > most_deep)
            throw MeshError(name_, first,
                            "elements are nested more than " + std::to_string(most_deep) +
                                " deep; that is no VTU file");
        if (tags_.size() == most_elements)
            throw MeshError(name_, first,
                            "has more than " + std::to_string(most_elements) +
                                " elements; that is no VTU file");
        if (tag.name == "AppendedData") {
            appended = tag;
            return false;
        }
        tags_.push_back({tag.begin, first, line_of(tag.end)});
        return true;
    });
    xml_end_ = content_.size();
    if (!appended)
        return;
    const std::string_view tag(content_.data() + appended->begin, appended->end - appended->begin);
    appended_base64_ = tag.find("\"base64\"") != tag.npos || tag.find("'base64'") != tag.npos;
    const auto begin = content_.find('_', appended->end);
    if (begin == content_.npos)
        throw MeshError(name_, line_of(appended->begin),
                        "the appended data do not begin with '_'; the file is damaged");
    appended_ = std::string_view(content_).substr(begin + 1);
    // the XML ends here: "<AppendedData>" has room for the end of its parent
    constexpr std::string_view end = "</VTKFile>";
    content_.replace(appended->begin, end.size(), end);
    xml_end_ = appended->begin + end.size();
}

void VtuFile::parse()
{
    const auto r = document_.load_buffer_inplace(content_.data(), xml_end_,
                                                 pugi::parse_minimal | pugi::parse_escapes |
                                                     pugi::parse_wconv_attribute,
                                                 pugi::encoding_utf8);
    if (!r) {
        const auto at = static_cast<std::size_t>(std::max<std::ptrdiff_t>(r.offset, 0));
        const auto after =
            std::upper_bound(tags_.begin(), tags_.end(), at,
                             [](std::size_t a, const Tag& t) { return a < t.begin; });
        throw MeshError(
            name_, after == tags_.begin() ? 1 : (after - 1)->last_line,
            std::string("cannot be read as VTU: not well-formed XML after this line: ") +
                r.description());
    }
    const auto root = document_.document_element();
    grid_ = root.child("UnstructuredGrid");
    if (!grid_ && poly_data_)
        grid_ = root.child("PolyData");
    if (std::string_view(root.name()) != "VTKFile" || !grid_)
        throw MeshError(name_, 1, "has no <UnstructuredGrid> within <VTKFile>; it is no VTU file");
    const std::string_view order = root.attribute("byte_order").value(),
                           words = root.attribute("header_type").value();
    if (!order.empty() && order != "LittleEndian" && order != "BigEndian")
        fail(root, "byte_order=" + in_quotes(order) + "; LittleEndian or BigEndian is due");
    if (!words.empty() && words != "UInt32" && words != "UInt64")
        fail(root, "header_type=" + in_quotes(words) + "; UInt32 or UInt64 is due");
    wide_ = words == "UInt64";
    swap_ =
        !order.empty() && (order == "BigEndian") == (std::endian::native == std::endian::little);
    compressor_ = root.attribute("compressor").value();
    for (const char* known :
         {"", "vtkZLibDataCompressor", "vtkLZ4DataCompressor", "vtkLZMADataCompressor"})
        if (compressor_ == known)
            return;
    fail(root, "compressor=" + in_quotes(compressor_) +
                   " is not known; write the file with vtkZLibDataCompressor, or without one");
}

const VtuFile::Tag& VtuFile::tag_of(pugi::xml_node n) const
{
    static const Tag none{0, 1, 1};
    const auto at = static_cast<std::size_t>(std::max<std::ptrdiff_t>(n.offset_debug(), 0));
    const auto after = std::upper_bound(tags_.begin(), tags_.end(), at,
                                        [](std::size_t a, const Tag& t) { return a < t.begin; });
    return after == tags_.begin() ? none : *(after - 1);
}

void VtuFile::fail(pugi::xml_node at, const std::string& reason) const
{
    throw MeshError(name_, tag_of(at).line, reason);
}

std::uint64_t VtuFile::count(pugi::xml_node at, const char* attribute,
                             std::uint64_t otherwise) const
{
    const auto a = at.attribute(attribute);
    if (!a)
        return otherwise;
    const std::string_view text = a.value();
    std::int64_t n = -1;
    const auto r = std::from_chars(text.data(), text.data() + text.size(), n);
    if (r.ec != std::errc() || r.ptr != text.data() + text.size() || n < 0)
        fail(at, std::string(attribute) + "=" + in_quotes(text) + " is no count");
    // deflate shrinks to a thousandth at most
    if (static_cast<std::uint64_t>(n) > 1000 * static_cast<std::uint64_t>(content_.size()))
        fail(at, std::string(attribute) + "=" + std::to_string(n) +
                     " is more than the file can hold; it is wrong or the file truncated");
    return static_cast<std::uint64_t>(n);
}

} // namespace tawara::mesh::io
