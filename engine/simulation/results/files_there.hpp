// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace tawara::simulation {

/// Which of the names that a list has are plain files below a folder.
/// @cost    lists each folder that is there once, and asks for the files that these hold; names of
///          others cost no call to the system
/// @thread  one at a time
class FilesThere
{
  public:
    /// @param folder  as it is now; what comes or goes later is not seen
    explicit FilesThere(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// @param name  relative to the folder; through a link nothing is there
    /// @pre   is_below(name)
    bool has(const std::string& name);
    /// How many folders were listed.
    std::size_t listed() const { return names_.size(); }

  private:
    using Names = std::optional<std::set<std::string, std::less<>>>;
    const Names& names_in(const std::string& folder);

    std::filesystem::path folder_;
    std::map<std::string, Names> names_; ///< by folders; nothing: one that cannot be listed
};

} // namespace tawara::simulation
