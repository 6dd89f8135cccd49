// SPDX-License-Identifier: GPL-3.0-or-later
// Every reader of files from others, as a function of bytes: fuzzers (fuzz_group.cpp) and the
// replay of what they have found (test_replay.cpp) call these.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// The readers, a line each. Those of a group are in GROUP_readers.cpp, of which CMakeLists.txt
/// makes the fuzzer fuzz_GROUP. A reader's corpus is corpus/NAME. clang-format off
#define TAWARA_FUZZ_MESH_READERS(X)                                                                \
    X(mesh_vtu)                                                                                    \
    X(mesh_vtk)                                                                                    \
    X(mesh_carp)                                                                                   \
    X(mesh_tetgen)                                                                                 \
    X(mesh_gmsh)                                                                                   \
    X(mesh_parts)                                                                                  \
    X(mesh_part)                                                                                   \
    X(fibres)                                                                                      \
    X(cable_swc)                                                                                   \
    X(cable_table)                                                                                 \
    X(cable_lines)                                                                                 \
    X(matrix_market)
#define TAWARA_FUZZ_MODEL_READERS(X)                                                               \
    X(trace_table)                                                                                 \
    X(mmt)                                                                                         \
    X(cellml)                                                                                      \
    X(machine_code)
#define TAWARA_FUZZ_SESSION_READERS(X)                                                             \
    X(session)                                                                                     \
    X(heart_parameters)                                                                            \
    X(checkpoint)                                                                                  \
    X(checkpoint_file)                                                                             \
    X(recording)                                                                                   \
    X(run_folder)                                                                                  \
    X(report)                                                                                      \
    X(provenance)                                                                                  \
    X(comparison)                                                                                  \
    X(kept_states)                                                                                 \
    X(tuning_store)                                                                                \
    X(study)                                                                                       \
    X(study_records)                                                                               \
    X(study_ledger)                                                                                \
    X(study_folder)                                                                                \
    X(study_page)
#define TAWARA_FUZZ_READERS(X)                                                                     \
    TAWARA_FUZZ_MESH_READERS(X)                                                                    \
    TAWARA_FUZZ_MODEL_READERS(X)                                                                   \
    TAWARA_FUZZ_SESSION_READERS(X)
/// clang-format on

namespace tawara::fuzz {

/// What opening such a file does, up to what the program would go on with.
/// @param bytes   of the file, or of several (several_files())
/// @param folder  an empty folder to put files into
/// @throws InputError where the file is refused; anything else is a finding
using Reader = void (*)(std::string_view bytes, const std::filesystem::path& folder);

/// A reader and its name.
struct Named
{
    const char* name;
    Reader read;
};
#define TAWARA_FUZZ_NAMED(name) tawara::fuzz::Named{#name, tawara::fuzz::name},

#define TAWARA_FUZZ_DECLARE(name) void name(std::string_view bytes, const std::filesystem::path&);
TAWARA_FUZZ_READERS(TAWARA_FUZZ_DECLARE)
#undef TAWARA_FUZZ_DECLARE

/// A file that holds what is given, in place of what it held.
std::filesystem::path put(const std::filesystem::path& file, std::string_view bytes);

/// Writes several files that one text holds: each behind a line "@@NAME", of which `known` are
/// taken. What stands before the first one is left out.
/// @return those that were there
std::vector<std::string> several_files(std::string_view bytes, const std::filesystem::path& folder,
                                       std::initializer_list<std::string_view> known);

/// That something holds which must hold whatever was read. @throws std::logic_error
void need(bool holds, const char* what);

} // namespace tawara::fuzz
