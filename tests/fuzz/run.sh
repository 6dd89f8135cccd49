#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh BUILD [SECONDS] [TARGET...]: builds the fuzzers of all readers (readers.hpp), or those named, with the address and
# undefined-behaviour sanitizers and runs each for SECONDS (60) on what is in corpus/TARGET. BUILD/found has what they find:
# new inputs in TARGET, and one that crashes, hangs or fills memory as TARGET-crash-..., -timeout-..., -oom-.... A line of
# BUILD/record.jsonl is one target's run. Ends with 1 where one was found.
# TAWARA_FUZZ_EXECUTIONS=N ends a target after N inputs, too; SECONDS of 0 takes the corpus alone.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
[ $# -ge 1 ] || { sed -n '3,8s/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2; }
build=$1 seconds=${2:-60}
shift $(($# > 2 ? 2 : $#))
mapfile -t targets < <(if [ $# -gt 0 ]; then printf '%s\n' "$@"; else sed -n 's/^    X(\([a-z_]*\)).*/\1/p' "$here/readers.hpp"; fi)

. "$root/.cmake/install.sh"
tawara_install build fuzz
if [ ! -f "$build/build.ninja" ]; then
  cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None "-DCMAKE_CXX_FLAGS=-O1 -g1" -DTAWARA_FUZZ=ON -DTAWARA_GUI=OFF \
    -DTAWARA_CUDA=OFF -DTAWARA_UNITY=ON -DCMAKE_C_COMPILER=clang-16 -DCMAKE_CXX_COMPILER=clang++-16
fi
cmake --build "$build" --parallel "${TAWARA_JOBS:-$(nproc)}" --target "${targets[@]/#/fuzz_}"

mkdir -p "$build/found"
build=$(cd "$build" && pwd)
commit=$(git -C "$root" rev-parse --short=8 HEAD 2> /dev/null || echo unknown)
bad=0
# what the program's own libraries hold to the end is no leak of a reader; VTK is not instrumented
export ASAN_OPTIONS=detect_leaks=0:detect_container_overflow=0:allocator_may_return_null=0:quarantine_size_mb=16
export UBSAN_OPTIONS=print_stacktrace=1
for target in "${targets[@]}"; do
  found=$build/found/$target log=$build/found/$target.log
  mkdir -p "$found"
  words=(-timeout=20 -rss_limit_mb=2048 -malloc_limit_mb=1024 -max_len=65536 -print_final_stats=1
    "-artifact_prefix=$build/found/$target-")
  if [ -f "$here/$target.dict" ]; then words+=("-dict=$here/$target.dict"); fi
  if [ "$seconds" -gt 0 ]; then words+=("-max_total_time=$seconds" "-runs=${TAWARA_FUZZ_EXECUTIONS:--1}"); else words+=(-runs=0); fi
  crashed=0
  "$build/fuzz/fuzz_$target" "${words[@]}" "$found" "$here/corpus/$target" > "$log" 2>&1 || crashed=1
  stat() { sed -n "s/^stat::$1: *//p" "$log" | tail -1; }
  taken=$(sed -n 's/^Done [0-9]* runs in \([0-9]*\) second.*/\1/p' "$log" | tail -1)
  line=$(printf '{"target": "%s", "executions": %s, "seconds": %s, "crashes": %s, "slowest_ms": %s, "peak_MB": %s, "commit": "%s"}' \
    "$target" "$(stat number_of_executed_units)" "${taken:-null}" "$crashed" "$(stat slowest_unit_ms)" "$(stat peak_rss_mb)" "$commit")
  line=$(sed 's/: ,/: null,/g' <<<"$line")
  echo "$line" | tee -a "$build/record.jsonl"
  if [ $crashed = 1 ]; then
    bad=1
    grep -m1 -E '(ERROR|SUMMARY|runtime error|terminate called|libFuzzer)' "$log" >&2 || tail -3 "$log" >&2
  fi
done
exit $bad
