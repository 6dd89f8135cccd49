#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# asan.sh [TEST...]: builds all programs and tests by Clang 16 with the address and undefined-behaviour sanitizers and the
# leak sanitizer, counting which lines run, and runs the whole suite (or tests of ctest that begin with a TEST) on virtual
# displays with software OpenGL. BUILD/asan/record.json has the tests, each report and the lines of engine/ that ran.
# Status 1 where a sanitizer reported. Layers are shared libraries here, so that programs are linked sooner and llvm-cov reads
# each layer once. Needs llvm-16 (apt-get install llvm-16).
# tests/bench/records/asan.json is such a record.
# TAWARA_BUILD: folder of the build; TAWARA_JOBS: compilers, and tests, at once.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${TAWARA_BUILD:-$root/build/asan}
jobs=${TAWARA_JOBS:-$(nproc)}
flags="-O1 -DNDEBUG -gline-tables-only -fprofile-instr-generate -fcoverage-mapping"
options=(-DCMAKE_C_COMPILER=clang-16 -DCMAKE_CXX_COMPILER=clang++-16 -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=$flags"
  "-DTAWARA_SANITIZE=address,undefined" -DTAWARA_CUDA=OFF -DTAWARA_TESTS=ON -DTAWARA_UNITY=ON -DTAWARA_QUICK=ON -DBUILD_SHARED_LIBS=ON)
if command -v ld.lld >/dev/null; then
  options+=(-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld -DCMAKE_SHARED_LINKER_FLAGS=-fuse-ld=lld)
fi
cmake -S "$root" -B "$build" -G Ninja "${options[@]}"
started=$SECONDS
# shellcheck disable=SC2046 # targets are words
cmake --build "$build" --parallel "$jobs" --target $(python3 "$here/asan.py" targets "$build")
built=$SECONDS
echo "tawara: built in $((built - started)) s"
rm -rf "$build/asan"
python3 "$here/asan.py" run "$build" "$@" --jobs "$jobs"
echo "{\"build\": $((built - started)), \"suite\": $((SECONDS - built)), \"at_once\": $jobs}" >"$build/asan/seconds.json"
exec python3 "$here/asan.py" record "$build" --settings "${options[*]:2}"
