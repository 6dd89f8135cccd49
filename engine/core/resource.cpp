// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/resource.hpp"

#include "engine/core/error.hpp"

#include <cstdlib>
#include <vector>

namespace tawara {

std::filesystem::path resource(const std::filesystem::path& relative)
{
    namespace fs = std::filesystem;
    std::vector<fs::path> roots;
    if (const char* data = std::getenv("TAWARA_DATA"))
        roots.emplace_back(data);
    std::error_code e;
    if (const fs::path self = fs::read_symlink("/proc/self/exe", e); !e) {
        roots.push_back(self.parent_path().parent_path() / "share" / "tawara");
        roots.push_back(self.parent_path().parent_path());
    }
    roots.emplace_back(TAWARA_SOURCE_DIR);
    std::string searched;
    for (const auto& r : roots) {
        if (fs::exists(r / relative, e))
            return r / relative;
        searched += (searched.empty() ? "" : ", ") + r.string();
    }
    throw InputError(relative.string(), "is not there; searched " + searched +
                                            "; set TAWARA_DATA to the folder that holds it");
}

} // namespace tawara
