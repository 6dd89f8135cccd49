#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# turn.sh BUILD [READERS] [SECONDS]: fuzzes READERS (4) of the readers of readers.hpp for SECONDS (60) each, by run.sh. Which
# ones depends on the commit alone, so that each reader has its turn over a few of them. Ends with 1 where something was found.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -ge 1 ] || { sed -n '3,4s/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2; }
build=$1 count=${2:-4} seconds=${3:-60}
mapfile -t readers < <(sed -n 's/^    X(\([a-z_]*\)).*/\1/p' "$here/readers.hpp")
commit=$(git -C "$here" rev-parse --short=7 HEAD)
first=$((16#$commit % ${#readers[@]}))
turn=()
for ((k = 0; k < count && k < ${#readers[@]}; ++k)); do
  turn+=("${readers[(first + k) % ${#readers[@]}]}")
done
echo "tawara: the readers whose turn it is at $commit: ${turn[*]}"
TAWARA_FUZZ_PROCESSES=${TAWARA_FUZZ_PROCESSES:-$(nproc)} exec "$here/run.sh" "$build" "$seconds" "${turn[@]}"
