// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/imports.hpp"

#include <atomic>

namespace tawara::cell {
namespace {

std::atomic<bool> anywhere{false};

} // namespace

bool imports_anywhere()
{
    return anywhere;
}

void allow_imports_anywhere(bool allowed)
{
    anywhere = allowed;
}

} // namespace tawara::cell
