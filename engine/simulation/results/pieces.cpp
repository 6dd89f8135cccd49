// SPDX-License-Identifier: GPL-3.0-or-later
// Files that the ranks of a mesh in parts write together, and what a killed run left of them.
#include "engine/core/error.hpp"
#include "engine/core/output_folder.hpp"
#include "engine/simulation/results/outputs.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace tawara::simulation {

namespace fs = std::filesystem;

namespace {

bool is_folder(const fs::path& folder)
{
    std::error_code none;
    return fs::symlink_status(folder, none).type() == fs::file_type::directory;
}

std::vector<fs::path> entries(const fs::path& folder)
{
    std::vector<fs::path> out;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error))
        out.push_back(entry->path());
    return out;
}

int removed(const fs::path& file)
{
    try {
        return remove_plain_file(file) ? 1 : 0;
    } catch (const InputError&) { // it stays
        return 0;
    }
}

std::string suffix(int rank, int ranks)
{
    return "-" + std::to_string(rank) + "of" + std::to_string(ranks);
}

/// The temporary files among the pieces of a frame or map, and the pieces where their list is not
/// there.
int sweep_pieces_of(const fs::path& out, const std::string& stem)
{
    const auto folder = out / stem;
    if (!is_folder(folder))
        return 0;
    int swept = 0;
    try {
        swept = sweep_parts(place_of(folder / "x", false).folder);
    } catch (const InputError&) { // it cannot be opened, and stays
        return 0;
    }
    if (!is_taken(out / (stem + ".pvtu")))
        for (const auto& piece : pieces_there(out, stem))
            swept += removed(out / piece);
    std::error_code none;
    if (swept > 0 && fs::is_empty(folder, none) && !none)
        fs::remove(folder, none);
    return swept;
}

} // namespace

std::string piece_name(const std::string& stem, int rank)
{
    char text[24];
    std::snprintf(text, sizeof text, "/%04d.vtu", rank);
    return stem + text;
}

std::vector<std::string> pieces_there(const fs::path& out, const std::string& stem)
{
    std::vector<std::string> names;
    if (!is_folder(out / stem))
        return {};
    for (const auto& file : entries(out / stem)) {
        auto name = stem + "/" + file.filename().string();
        const auto rank = std::atoi(file.filename().c_str());
        if (name == piece_name(stem, rank) && is_plain_file(file))
            names.push_back(std::move(name));
    }
    std::sort(names.begin(), names.end());
    return names;
}

fs::path piece_of_checkpoint(const fs::path& whole, int rank, int ranks)
{
    return whole.parent_path() /
           (whole.stem().string() + suffix(rank, ranks) + whole.extension().string());
}

fs::path checkpoint_of_piece(const fs::path& first, int ranks)
{
    auto stem = first.stem().string();
    const auto end = suffix(0, ranks);
    if (!stem.ends_with(end))
        return {};
    stem.resize(stem.size() - end.size());
    return first.parent_path() / (stem + first.extension().string());
}

std::string first_piece_of(const std::string& name)
{
    double ms = 0;
    int rank = 0, ranks = 0;
    if (std::sscanf(name.c_str(), "checkpoint-%lfms-%dof%d.tcp", &ms, &rank, &ranks) != 3 ||
        rank < 1 || rank >= ranks ||
        name != piece_of_checkpoint(checkpoint_name(ms), rank, ranks).string())
        return {};
    return piece_of_checkpoint(checkpoint_name(ms), 0, ranks).string();
}

int sweep_pieces(const fs::path& out)
{
    int swept = 0;
    for (const auto& file : entries(out))
        if (const auto first = first_piece_of(file.filename().string());
            !first.empty() && !is_taken(out / first))
            swept += removed(file);
    swept += sweep_pieces_of(out, "activation");
    const auto frames = out / "frames";
    if (!is_folder(frames))
        return swept;
    swept += sweep_parts(place_of(frames / "x", false).folder);
    for (const auto& folder : entries(frames))
        if (const auto stem = "frames/" + folder.filename().string();
            is_list_of_pieces(stem + ".pvtu"))
            swept += sweep_pieces_of(out, stem);
    return swept;
}

} // namespace tawara::simulation
