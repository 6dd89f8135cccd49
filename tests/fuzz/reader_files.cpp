// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/readers.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace tawara::fuzz {

namespace fs = std::filesystem;

fs::path put(const fs::path& file, std::string_view bytes)
{
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return file;
}

void need(bool holds, const char* what)
{
    if (!holds)
        throw std::logic_error(std::string("does not hold of what was read: ") + what);
}

std::vector<std::string> several_files(std::string_view bytes, const fs::path& folder,
                                       std::initializer_list<std::string_view> known)
{
    std::vector<std::string> there;
    for (const auto name : known) {
        fs::remove(folder / name);
        const std::string head = "@@" + std::string(name) + "\n";
        const auto at = bytes.find(head);
        if (at == bytes.npos)
            continue;
        auto text = bytes.substr(at + head.size());
        std::size_t end = text.size();
        for (const auto other : known)
            end = std::min(end, text.find("@@" + std::string(other) + "\n"));
        put(folder / name, text.substr(0, end));
        there.emplace_back(name);
    }
    return there;
}

} // namespace tawara::fuzz
