#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what is missing, builds everything with warnings as errors, runs every test under a virtual display and ends
# with ctest's summary. Arguments go to ctest, e.g. tests/run.sh -R mesh
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${TAWARA_BUILD:-$root/build/test}

. "$root/.cmake/install.sh"
tawara_install build test

started=$SECONDS
if [ -d /usr/local/cuda/bin ]; then PATH=$PATH:/usr/local/cuda/bin; fi
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DTAWARA_WERROR=ON -DTAWARA_TESTS=ON
cmake --build "$build" --parallel "${TAWARA_JOBS:-$(nproc)}"
echo "tawara: built in $((SECONDS - started)) s"
exec env LIBGL_ALWAYS_SOFTWARE=1 ctest --test-dir "$build" --output-on-failure "$@"
