// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/calcium/sparks.hpp"

#include <filesystem>
#include <ostream>
#include <span>

namespace tawara::simulation {

/// The columns of a CSV file of sparks, a line: number, times [ms], place, counts, kind, c_myo
/// [uM], amplitude, durations [ms], widths and spans [um].
void write_spark_header(std::ostream& out);
/// A spark, a line; what is not known is left empty.
void write_spark(std::ostream& out, const calcium::Spark& s);
/// A whole file of them, or none. @throws InputError when it cannot be written
void write_sparks(const std::filesystem::path& file, std::span<const calcium::Spark> sparks);

} // namespace tawara::simulation
