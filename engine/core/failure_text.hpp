// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <exception>
#include <new>
#include <string>

namespace tawara {

/// What a failure that was kept says, in one line for a message.
/// @pre     failure is not null
/// @throws  what was kept, where it is no std::exception
/// @thread  any
inline std::string failure_text(const std::exception_ptr& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (const std::bad_alloc&) {
        return "not enough memory";
    } catch (const std::exception& e) {
        return e.what();
    }
}

} // namespace tawara
