// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/model.hpp"
#include "engine/simulation/session/session.hpp"

#include <string>
#include <vector>

namespace tawara {

/// Cell models that are described: those of the library, and those of files. Descriptions must live
/// as long as this.
class KnownModels
{
  public:
    struct Entry
    {
        std::string key; ///< a library model's name, or of a file (cell/special_variables.hpp)
        const cell::ModelInfo* info;
    };
    const std::vector<Entry>& entries() const { return m_entries; }
    void setLibrary(const std::vector<const cell::ModelInfo*>& models);
    /// @return whether that is news
    bool add(const std::string& key, const cell::ModelInfo* info);
    /// Null: nobody has described it yet.
    const cell::ModelInfo* find(const std::string& key) const;
    /// Keys of regions' models that nobody has described yet.
    std::vector<std::string> unknownOf(const std::vector<simulation::Region>& regions) const;
    /// The models of the regions beneath one, each once; null among them: one is not described yet.
    std::vector<const cell::ModelInfo*> beneath(const std::vector<simulation::Region>& regions,
                                                int region) const;

  private:
    std::vector<Entry> m_entries;
};

} // namespace tawara
