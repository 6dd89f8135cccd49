# SPDX-License-Identifier: GPL-3.0-or-later
# cmake -DSOURCE=... -DOUT=FILE.cpp -DHEADER=... -DNAME=... -P built_from.cmake: writes the commit that is built into FILE.cpp,
# as the constant NAME that the header declares, if it has changed.
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE commit
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
execute_process(COMMAND git -C ${SOURCE} diff --quiet HEAD RESULT_VARIABLE changed ERROR_QUIET)
if(commit AND changed)
  string(APPEND commit "+")
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT [[
#include "@HEADER@"
const char* const @NAME@ = "@commit@";
]] @ONLY)
