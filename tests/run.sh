#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what is missing, builds everything with warnings as errors, runs every test under a virtual display, says what
# was skipped and why, and ends with ctest's summary. A reason of tests/must_not_skip.txt is a failure. Arguments go to ctest,
# e.g. tests/run.sh -R mesh
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${TAWARA_BUILD:-$root/build/test}

. "$root/.cmake/install.sh"
tawara_install build test

started=$SECONDS
if [ -d /usr/local/cuda/bin ]; then PATH=$PATH:/usr/local/cuda/bin; fi
options=(-DCMAKE_BUILD_TYPE=Release -DTAWARA_WERROR=ON -DTAWARA_TESTS=ON -DTAWARA_UNITY=ON -DTAWARA_QUICK=ON)
if ! nvidia-smi -L > /dev/null 2>&1; then options+=(-DCMAKE_CUDA_ARCHITECTURES=90-virtual); fi # nothing runs: no machine code
# shellcheck disable=SC2046 # options are words
cmake -S "$root" -B "$build" -G Ninja "${options[@]}" $(tawara_compiler "$build")
cmake --build "$build" --parallel "${TAWARA_JOBS:-$(nproc)}"
echo "tawara: built in $((SECONDS - started)) s"
status=0
env LIBGL_ALWAYS_SOFTWARE=1 ctest --test-dir "$build" --parallel "${TAWARA_JOBS:-$(nproc)}" --output-on-failure "$@" 2>&1 |
  tee "$build/ctest.txt" || status=$?
"$root/tests/skipped.sh" "$build/Testing/Temporary/LastTest.log" || { [ "$status" != 0 ] || status=1; }
sed -n '/% tests passed/,$p' "$build/ctest.txt"
exit "$status"
