// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <filesystem>
#include <functional>
#include <ostream>
#include <string>

namespace tawara {

class PartFile;

/// Writes a file whole or not at all: the content goes to a temporary name beside it, is flushed
/// to disk and then renamed over the target (PartFile). Creates missing parent folders.
///
/// @param binary_writer  writes the content to the stream; if it throws, nothing is left behind
/// @throws InputError    when the folder cannot be written or the disk is full
void write_whole(const std::filesystem::path& path,
                 const std::function<void(std::ostream&)>& binary_writer);

/// The content of a file in the making; commit() is left to the caller.
void write_part(const PartFile& part, const std::function<void(std::ostream&)>& binary_writer);

/// The same for writers that want a path: `writer` gets a temporary path with the same extension in
/// the same folder; what it left there is renamed to `path`.
void write_whole_by_path(const std::filesystem::path& path,
                         const std::function<void(const std::filesystem::path&)>& writer);

/// That files could be written into a folder, which need not exist yet: asked before long work. A
/// symbolic link to nothing is no such folder. A file is made for a moment, where the folder is or
/// would be made.
/// @throws InputError what is in the way
void need_writable_folder(const std::filesystem::path& folder);

/// The same of one file, or of the one that a symbolic link to it leads to, whose folder exists.
void need_writable_file(const std::filesystem::path& file);

} // namespace tawara
