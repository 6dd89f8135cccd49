// SPDX-License-Identifier: GPL-3.0-or-later
// Objects of a study's file.
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tawara::study {

/// An object of the study's file, read key by key, strictly. Keeps references to both.
class StudyKeys
{
  public:
    /// @param at  its JSON pointer
    /// @throws InputError  where it is no object, or has a key that is not known
    StudyKeys(const std::filesystem::path& file, std::string at, const nlohmann::ordered_json& o,
              const std::vector<std::string>& known);

    /// @param key  pointer within the object, "/radius_mm"; empty: the object
    [[noreturn]] void fail(const std::string& key, const std::string& why) const;
    bool has(const char* key) const { return o_.contains(key); }
    const nlohmann::ordered_json& operator[](const char* key) const { return o_.at(key); }
    /// Leaves `to` as it is where the key is not there. @throws InputError
    void number(const char* key, double low, double high, const char* unit, double& to) const;
    void count(const char* key, int low, int high, int& to) const;

  private:
    const std::filesystem::path& file_;
    std::string at_;
    const nlohmann::ordered_json& o_;
};

} // namespace tawara::study
