// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/parse/units.hpp"
#include "engine/cell/compiler/parse/xml.hpp"
#include "engine/cell/model.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>

namespace tawara::cell::compiler {

/// One CellML file with its components, encapsulation, units and imports, checked for itself.
class CellmlDocument
{
  public:
    struct Import
    {
        std::shared_ptr<CellmlDocument> document;
        std::string name; ///< there
        pugi::xml_node at;
    };

    /// Imported files that were read already: each is read once, however often it is imported.
    struct Files
    {
        std::filesystem::path folder; ///< of the model: imports lie below it
        std::map<std::filesystem::path, std::shared_ptr<CellmlDocument>> read;
        std::vector<SourceFile> sources; ///< those that were read
    };

    /// @param chain  files that import this one, to find circles
    /// @param files  shared by all documents of a model
    /// @throws InputError
    CellmlDocument(std::string_view text, const std::string& file,
                   const std::filesystem::path& folder, std::vector<std::filesystem::path> chain,
                   Files& files);

    const XmlFile& xml() const { return xml_; }
    bool version2() const { return version2_; }
    const std::map<std::string, pugi::xml_node>& components() const { return components_; }
    const std::map<std::string, Import>& imported_components() const { return imports_; }
    /// Components in encapsulation below (and including) one.
    std::set<std::string> below(const std::string& component) const;
    std::string parent(const std::string& component) const;

    /// Units by name as seen from a component (whose own definitions come first) or, without one,
    /// the model.
    /// @throws InputError naming the line of `at` when unknown or circular
    Units units(const std::string& name, pugi::xml_node component, const XmlFile& from,
                pugi::xml_node at) const;

  private:
    void read_imports(const std::filesystem::path& folder, std::vector<std::filesystem::path> chain,
                      Files& files);
    std::shared_ptr<CellmlDocument> imported(pugi::xml_node import,
                                             const std::filesystem::path& folder,
                                             std::vector<std::filesystem::path> chain,
                                             Files& files) const;
    void read_components();
    void read_encapsulation();
    void read_refs(pugi::xml_node n, const std::string& parent, int depth);
    bool is_above(const std::string& name, std::string component, pugi::xml_node at) const;
    const std::map<std::string, pugi::xml_node>& units_of(pugi::xml_node component) const;
    Units defined(pugi::xml_node definition, pugi::xml_node component, int depth) const;
    std::optional<Units> lookup(const std::string& name, pugi::xml_node component, int depth) const;

    XmlFile xml_;
    bool version2_ = false;
    std::map<std::string, pugi::xml_node> components_;
    std::map<std::string, Import> imports_, imported_units_;
    std::map<std::string, pugi::xml_node> units_;
    std::map<std::string, std::string> parent_;
    /// Definitions that were worked out: without it, units made of units twice each, forty levels
    /// deep, would take for ever.
    mutable std::map<std::size_t, Units> worked_out_;
    mutable std::map<std::size_t, std::map<std::string, pugi::xml_node>>
        own_units_;                                            ///< components'
    mutable std::multimap<std::string, std::string> children_; ///< made when first asked for
};

} // namespace tawara::cell::compiler
