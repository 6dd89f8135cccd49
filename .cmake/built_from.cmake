# SPDX-License-Identifier: GPL-3.0-or-later
# cmake -DSOURCE=... -DOUT=FILE.cpp -P built_from.cmake: writes the commit that is built into FILE.cpp, if it has changed.
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE commit
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
execute_process(COMMAND git -C ${SOURCE} diff --quiet HEAD RESULT_VARIABLE changed ERROR_QUIET)
if(commit AND changed)
  string(APPEND commit "+")
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT [[
#include "tests/bench/built_from.hpp"
const char* const tawara::bench::built_from = "@commit@";
]] @ONLY)
