// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <pugixml.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tawara::cell::compiler {

/// The text of a model's file, of up to 8 MB. @throws InputError
std::string model_file_content(const std::filesystem::path& file);

/// A parsed XML file that knows the lines of its elements and their namespaces.
class XmlFile
{
  public:
    /// @throws InputError for ill-formed XML, with its line
    XmlFile(std::string_view text, std::string file);
    pugi::xml_node root() const { return document_.document_element(); }
    long line(pugi::xml_node n) const;
    const std::string& file() const { return file_; }
    [[noreturn]] void fail(pugi::xml_node n, const std::string& why) const;
    /// A required attribute, blanks trimmed. @throws InputError
    std::string attribute(pugi::xml_node n, const char* name) const;

  private:
    pugi::xml_document document_;
    std::string file_;
    std::vector<std::size_t> line_starts_;
};

/// Name without its prefix.
std::string_view local_name(pugi::xml_node n);
/// Child elements with a local name.
std::vector<pugi::xml_node> children(pugi::xml_node n, std::string_view local);
/// All child elements.
std::vector<pugi::xml_node> elements(pugi::xml_node n);
/// Namespace that the element's prefix stands for.
std::string namespace_of(pugi::xml_node n);
/// Attribute by local name, any prefix; empty when absent.
std::string any_attribute(pugi::xml_node n, std::string_view local);

} // namespace tawara::cell::compiler
