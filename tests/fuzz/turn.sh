#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# turn.sh BUILD [READERS] [SECONDS]: fuzzes READERS (4, at most all) of the readers of readers.hpp for SECONDS (60) each, by run.sh.
# With each commit it begins four readers further on, so that each has had its turn after eight commits; where the history is not
# whole, the commit's own number chooses. What is found may be older than the commit. Ends with 1 where something was found.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -ge 1 ] || { sed -n '3,5s/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2; }
build=$1 count=${2:-4} seconds=${3:-60}
mapfile -t readers < <(sed -n 's/^    X(\([a-z_]*\)).*/\1/p' "$here/readers.hpp")
commit=$(git -C "$here" rev-parse HEAD 2> /dev/null || echo 0)
if [ "$(git -C "$here" rev-parse --is-shallow-repository 2> /dev/null)" = false ]; then
  first=$((4 * $(git -C "$here" rev-list --count HEAD)))
else
  first=$((16#${commit:0:7}))
fi
turn=()
for ((k = 0; k < count && k < ${#readers[@]}; ++k)); do
  turn+=("${readers[(first + k) % ${#readers[@]}]}")
done
echo "tawara: the readers whose turn it is at ${commit:0:8}: ${turn[*]}"
TAWARA_FUZZ_PROCESSES=${TAWARA_FUZZ_PROCESSES:-$(nproc)} exec "$here/run.sh" "$build" "$seconds" "${turn[@]}"
