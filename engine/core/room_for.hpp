// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

namespace tawara {

/// Room for so many more values, so that what appends them cannot fail half way. Grows by doubling
/// at least, as push_back() does.
template <class T>
void room_for(std::vector<T>& values, std::size_t more)
{
    if (values.capacity() - values.size() < more)
        values.reserve(std::max(values.size() + more, 2 * values.capacity()));
}

} // namespace tawara
