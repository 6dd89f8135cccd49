// SPDX-License-Identifier: GPL-3.0-or-later
// Cell models, to their machine code, and traces of cells.
#include "engine/cell/compiler/emit/llvm/compiled_kernel.hpp"
#include "engine/cell/compiler/library.hpp"
#include "engine/core/aligned.hpp"
#include "engine/core/error.hpp"
#include "engine/verify/traces/traces.hpp"
#include "tests/fuzz/read_any.hpp"
#include "tests/fuzz/readers.hpp"

#include <array>
#include <cmath>

namespace tawara::fuzz {

namespace fs = std::filesystem;
namespace compiler = cell::compiler;

void mmt(std::string_view bytes, const fs::path&)
{
    compiler::read_any(bytes, false);
}

void cellml(std::string_view bytes, const fs::path&)
{
    compiler::read_any(bytes, true);
}

/// A model becomes machine code, which takes a step: of the cells that are there, and no others.
void machine_code(std::string_view bytes, const fs::path&)
{
    constexpr std::size_t longest = 4096; // larger models are compiled for seconds
    if (bytes.size() > longest)
        return;
    const bool xml = bytes.find('<') < bytes.find("[[");
    auto s = compiler::resolve(xml ? compiler::parse_cellml(bytes, "fuzz.cellml", "/nowhere")
                                   : compiler::parse_mmt(bytes, "fuzz.mmt"));
    if (s.states.empty())
        return;
    const auto scheme =
        bytes.size() % 2 == 0 ? cell::Scheme::forward_euler : cell::Scheme::rush_larsen;
    const auto target = compiler::Target::gpu(false);
    const auto program = std::make_shared<const compiler::Program>(
        compiler::compile(compiler::CellSystem(s), scheme, compiler::options_for(s, target)));
    const std::array types{cell::CellType{"", s.parameter_values(), s.initial_values(), {}}};
    const auto kernel = compiler::make_compiled_kernel<double>(program, types);
    constexpr std::size_t cells = 16, guard = 16;
    constexpr double untouched = 12345;
    std::vector<AlignedVector<double>> arrays;
    std::vector<double*> pointers;
    for (const double x : types[0].initial) {
        arrays.emplace_back(cells + guard, untouched);
        std::fill_n(arrays.back().begin(), cells, x);
    }
    for (std::size_t k = 1; k < arrays.size(); ++k)
        pointers.push_back(arrays[k].data());
    cell::CellArrays<double> a;
    a.v = arrays[0].data();
    a.states = pointers.data();
    a.begin = 0;
    a.end = cells;
    kernel->step(a, 0, 0.01);
    for (const auto& values : arrays)
        for (std::size_t k = cells; k < values.size(); ++k)
            need(values[k] == untouched, "only the cells that were asked for are stepped");
}

void trace_table(std::string_view bytes, const fs::path& folder)
{
    const auto rows = verify::read_table(put(folder / "t.csv", bytes));
    for (const auto& row : rows)
        need(row.size() == rows.front().size(), "rows are as long as the first one");
}

} // namespace tawara::fuzz
