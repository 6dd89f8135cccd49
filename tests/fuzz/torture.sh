#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# torture.sh BUILD [KILLS] [FAULTS]: `tawara-cli run` is killed KILLS (50) times and resumed, and of each kind FAULTS (30) faults
# are injected, 0 for each request for memory and each call on files that a run makes (hours). Needs test_torture in BUILD.
# Prints what happened, and adds a line to BUILD/torture.jsonl. Ends with 1 where something was lost.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
[ $# -ge 1 ] || { sed -n '3,5s/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2; }
build=$1 kills=${2:-50} faults=${3:-30}
log=$build/torture.log passed=true
TAWARA_TORTURE_KILLS=$kills TAWARA_TORTURE=$faults QTEST_FUNCTION_TIMEOUT=100000000 "$build/tests/test_torture" > "$log" 2>&1 || passed=false
sed -n -e '/calls failed/p' -e '/kills/p' -e '/^FAIL/,+1p' "$log"
commit=$(git -C "$root" rev-parse --short=8 HEAD 2> /dev/null || echo unknown)
machine="$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), $(nproc) cores"
said() { sed -n "s/^QINFO *: TestTorture::$1() *//p" "$log"; }
printf '{"passed": %s, "memory": "%s", "files": "%s", "kills": "%s", "settings": "torture.sh BUILD %s %s", "machine": "%s", "commit": "%s"}\n' "$passed" "$(said memoryEnds)" \
  "$(said filesCannotBeWritten)" "$(said killed)" "$kills" "$faults" "$machine" "$commit" | tee -a "$build/torture.jsonl"
[ $passed = true ]
