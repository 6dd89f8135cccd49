// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/verify/problems/rank_team.hpp"

namespace tawara::test {

using verify::Mail;
using verify::RankTeam;
using verify::ThreadRank;

} // namespace tawara::test
