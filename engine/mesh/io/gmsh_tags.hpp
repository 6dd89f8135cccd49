// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace tawara::mesh::io {

/// Finds what carries a tag: a table where tags are dense, else by bisection: a hash table would
/// take for ever with tags that were chosen to meet in it.
class TagMap
{
  public:
    void add(std::int64_t tag, std::int32_t index) { tags_.emplace_back(tag, index); }
    /// Call after the last add(). @return false when a tag occurs twice
    bool build()
    {
        std::sort(tags_.begin(), tags_.end());
        const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
        if (tags_.empty())
            return true;
        if (tags_.front().first < 0 ||
            std::adjacent_find(tags_.begin(), tags_.end(), same) != tags_.end())
            return false;
        const std::int64_t most = tags_.back().first;
        if (most >= 8 * static_cast<std::int64_t>(tags_.size()) + 1024)
            return true;
        table_.assign(static_cast<std::size_t>(most) + 1, -1);
        for (const auto& [tag, i] : tags_)
            table_[static_cast<std::size_t>(tag)] = i;
        tags_ = {};
        return true;
    }
    /// The index, or -1.
    std::int32_t find(std::int64_t tag) const
    {
        if (!table_.empty())
            return tag >= 0 && tag < static_cast<std::int64_t>(table_.size())
                       ? table_[static_cast<std::size_t>(tag)]
                       : -1;
        const auto f =
            std::lower_bound(tags_.begin(), tags_.end(), std::pair(tag, std::int32_t{0}));
        return f == tags_.end() || f->first != tag ? -1 : f->second;
    }

  private:
    std::vector<std::pair<std::int64_t, std::int32_t>> tags_;
    std::vector<std::int32_t> table_;
};

} // namespace tawara::mesh::io
