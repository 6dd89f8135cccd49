// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/parse/cellml_document.hpp"
#include "engine/cell/compiler/parse/model_text.hpp"

#include <deque>

namespace tawara::cell::compiler {

/// One component in the flattened model (a component that is imported twice is there twice).
struct CellmlComponent
{
    std::shared_ptr<const CellmlDocument> document;
    pugi::xml_node node;
    std::string name; ///< unique in the model
    std::map<std::string, std::uint32_t> variables;
};

/// A CellML model with imports resolved and connections joined into sets of equal variables.
class CellmlFlat
{
  public:
    /// Fills `m.variables` (names, units, lines, labels). @throws InputError
    CellmlFlat(std::shared_ptr<const CellmlDocument> document, ModelText& m);

    const std::deque<CellmlComponent>& components() const { return components_; }
    const CellmlComponent& component_of(std::uint32_t variable) const { return *owner_[variable]; }
    pugi::xml_node element(std::uint32_t variable) const { return elements_[variable]; }
    std::uint32_t set_of(std::uint32_t variable) const;

  private:
    using Scope = std::map<std::string, CellmlComponent*>; ///< component names within one document
    void instantiate(const std::shared_ptr<const CellmlDocument>& d,
                     const std::set<std::string>& which, Scope& scope, int depth);
    void add_component(const std::shared_ptr<const CellmlDocument>& d, pugi::xml_node node,
                       const std::string& name, Scope& scope);
    void connect(const CellmlDocument& d, const std::set<std::string>& which, const Scope& scope);
    void join(const CellmlDocument& d, pugi::xml_node at, std::uint32_t a, std::uint32_t b,
              int relation);
    void check_interfaces(const CellmlDocument& d, pugi::xml_node at, std::uint32_t a,
                          std::uint32_t b, int relation);
    void annotate(const XmlFile& xml);

    ModelText& m_;
    std::deque<CellmlComponent> components_;
    std::vector<CellmlComponent*> owner_;
    std::vector<pugi::xml_node> elements_;
    mutable std::vector<std::uint32_t> joined_; ///< halved as it is walked
    std::set<std::uint32_t> fed_;               ///< CellML 1: variables that already have a source
    std::set<std::string> names_;
    std::map<std::string, int> next_number_; ///< of components of that name, names taken
    std::size_t connections_ = 0;            ///< looked at so far
};

} // namespace tawara::cell::compiler
