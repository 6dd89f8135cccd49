// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/run_folder.hpp"

#include "engine/core/error.hpp"
#include "engine/core/output_folder.hpp"
#include "engine/digest/sha256.hpp"
#include "engine/simulation/results/outputs.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace tawara::study {
namespace {

namespace fs = std::filesystem;

/// Of a plain file, through no link; nothing where there is none.
std::optional<std::string> digest_of_plain_file(const fs::path& file)
{
    const auto refuse = [&] {
        throw InputError(file.string(), std::string("cannot be read: ") + std::strerror(errno));
    };
    if (!is_plain_file(file))
        return {};
    const auto place = place_of(file, false);
    const FolderHandle in(openat(place.folder.fd(), place.name.c_str(),
                                 O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat s
    {
    };
    if (in.fd() < 0 || fstat(in.fd(), &s) != 0)
        refuse();
    if (!S_ISREG(s.st_mode))
        return {};
    Sha256 hash;
    std::string piece(std::size_t{1} << 18, '\0');
    for (;;) {
        const auto n = read(in.fd(), piece.data(), piece.size());
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            refuse();
        if (n == 0)
            return hash.digits();
        hash.add({piece.data(), static_cast<std::size_t>(n)});
    }
}

} // namespace

void need_own_folder(const fs::path& folder)
{
    std::error_code none;
    const auto type = fs::symlink_status(folder, none).type();
    if (type == fs::file_type::symlink)
        throw InputError(folder.string(), "is a symbolic link; a run's results are written into no "
                                          "folder but the study's own; remove the link, or choose "
                                          "another folder for the study");
    if (type != fs::file_type::directory && fs::exists(fs::file_status(type)))
        throw InputError(folder.string(), "is no folder, and the results of a run belong there; "
                                          "remove it, or choose another folder for the study");
}

std::vector<fs::path> checkpoints_in(const fs::path& run_folder)
{
    std::vector<std::pair<double, fs::path>> found;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(run_folder, none)) {
        double ms = 0;
        const auto name = entry.path().filename().string();
        if (std::sscanf(name.c_str(), "checkpoint-%lfms.tcp", &ms) == 1 &&
            name == simulation::checkpoint_name(ms) && is_plain_file(entry.path()))
            found.emplace_back(ms, entry.path());
    }
    std::sort(found.rbegin(), found.rend());
    std::vector<fs::path> out;
    for (auto& [ms, file] : found)
        out.push_back(std::move(file));
    return out;
}

void thin_out(const fs::path& folder, const Study& s)
{
    if (s.keep_all)
        return;
    for (const auto& name : simulation::listed_outputs(folder))
        if ((name.starts_with("activation.") && !s.keep.contains(Keep::activation)) ||
            (name.starts_with("ecg") && !s.keep.contains(Keep::ecg)) ||
            (name.starts_with("frames") && !s.keep.contains(Keep::frames)))
            remove_plain_file(folder / name);
    for (const auto& checkpoint : checkpoints_in(folder))
        remove_plain_file(checkpoint);
    std::error_code none;
    const auto frames = folder / "frames";
    if (!s.keep.contains(Keep::frames) &&
        fs::symlink_status(frames, none).type() == fs::file_type::directory &&
        fs::is_empty(frames, none) && !none)
        fs::remove(frames, none);
}

std::map<std::string, std::string> digests(const fs::path& folder)
{
    std::map<std::string, std::string> out;
    auto names = simulation::listed_outputs(folder);
    names.insert(names.end(), {"report.json", "report.html"}); // of sites and of restitution, too
    for (const auto& name : names)
        if (name.find('/') == std::string::npos)
            if (auto digest = digest_of_plain_file(folder / name))
                out[name] = std::move(*digest);
    return out;
}

} // namespace tawara::study
