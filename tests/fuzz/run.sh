#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh BUILD [SECONDS] [TARGET...]: builds the fuzzers of all readers (readers.hpp), or those named, with the address and
# undefined-behaviour sanitizers and runs each for SECONDS (60) on what is in corpus/TARGET, by fuzz.py. BUILD/fuzzed has
# what they find: new inputs in corpus/TARGET, and in found what crashes, hangs or fills memory. A line of
# BUILD/fuzzed/record.jsonl is one target's run. Ends with 1 where something was found.
# SECONDS of 0 takes the corpus alone. TAWARA_FUZZ_EXECUTIONS=N ends a target after N inputs, too; TAWARA_FUZZ_PROCESSES=N
# fuzzes in N processes at once.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
[ $# -ge 1 ] || { sed -n '3,9s/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2; }
build=$1 seconds=${2:-60}
shift $(($# > 2 ? 2 : $#))

. "$root/.cmake/install.sh"
tawara_install build fuzz
if [ ! -f "$build/build.ninja" ]; then
  cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None "-DCMAKE_CXX_FLAGS=-O1 -g1" -DTAWARA_FUZZ=ON -DTAWARA_GUI=OFF \
    -DTAWARA_CUDA=OFF -DTAWARA_UNITY=ON -DCMAKE_C_COMPILER=clang-16 -DCMAKE_CXX_COMPILER=clang++-16
fi
programs=()
for target in "$@"; do # the programs that have these readers
  file=$(grep -l "^void $target(std::string_view" "$here"/*_readers.cpp) || { echo "run.sh: there is no reader $target" >&2; exit 2; }
  programs+=("fuzz_$(basename "$file" _readers.cpp)")
done
cmake --build "$build" --parallel "${TAWARA_JOBS:-$(nproc)}" --target "${programs[@]:-fuzzers}"
exec "$here/fuzz.py" "$build/fuzz" "$build/fuzzed" --seconds "$seconds" --executions "${TAWARA_FUZZ_EXECUTIONS:-0}" \
  --processes "${TAWARA_FUZZ_PROCESSES:-1}" --commit "$(git -C "$root" rev-parse --short=8 HEAD 2> /dev/null || echo unknown)" "$@"
