// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/parts/run_parts.hpp"

#include "engine/cell/numerics_error.hpp"
#include "engine/core/error.hpp"
#include "engine/simulation/parts/part_run.hpp"

#include <new>

namespace tawara::simulation::parts {

bool is_in_parts(const Session& session)
{
    const auto* file = std::get_if<MeshFile>(&session.mesh);
    return file != nullptr && mesh::parallel::is_index(file->file);
}

RunReport run_parts(const Session& session, const RunOptions& options, Communicator& ranks,
                    const Progress& progress)
{
    Group group(ranks);
    try {
        return PartRun(session, options, group, progress).go(progress);
    } catch (const Elsewhere&) { // the first one tells of it
        return {};
    } catch (const InputError& e) {
        group.fail(std::current_exception());
        if (!group.is_first())
            return {};
        if (e.file.empty()) // from a layer that knows the key and not the file
            throw InputError(options.session_file, e.where, e.reason);
        throw;
    } catch (const NumericsError&) { // of the solution: all know of it
        throw;
    } catch (...) { // memory, a device, a stop before the steps: others may wait for values
        ranks.fail();
        throw;
    }
}

} // namespace tawara::simulation::parts
