#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# format.sh [--mend]: names each source that clang-format 14 (.clang-format) would write otherwise; --mend rewrites it.
# Ends with 1 where there is one. Other versions of clang-format break lines at other places, so that 14 is asked for.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
format=$(command -v clang-format-14) || { echo "clang-format-14 is not on the PATH" >&2; exit 2; }
sources=$(find app engine widgets tests -name build -prune -o \( -name '*.[ch]pp' -o -name '*.cu' -o -name '*.cuh' \) -print)
if [ "${1:-}" = --mend ]; then
  xargs "$format" -i <<<"$sources"
  exit
fi
wrong=$(xargs "$format" --dry-run 2>&1 <<<"$sources" | sed -n 's/^\([^:]*\):[0-9]*:.*/\1/p' | sort -u)
if [ -z "$wrong" ]; then exit 0; fi
echo "not formatted (tests/style/format.sh --mend writes them anew):"
echo "$wrong"
exit 1
