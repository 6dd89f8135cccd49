#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what is missing, builds Tawara in release mode and opens it; arguments go to the program:
#
#   app/run.sh [SESSION.json or MESH] [options]
#
# TAWARA_BUILD: another build folder. TAWARA_JOBS: parallel compilers (all cores, less when memory is short).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${TAWARA_BUILD:-$root/build/release}

. "$root/.cmake/install.sh"
tawara_install build

jobs=${TAWARA_JOBS:-}
if [ -z "$jobs" ]; then
  jobs=$(nproc)
  memory_GB=$(awk '/MemAvailable/ {print int($2 / 1048576)}' /proc/meminfo)
  [ "$jobs" -le $((memory_GB / 2 + 1)) ] || jobs=$((memory_GB / 2 + 1)) # a compiler takes up to 2 GB
fi
if [ ! -f "$build/build.ninja" ]; then
  echo "tawara: configuring in $build"
  options=(-DCMAKE_BUILD_TYPE=Release -DTAWARA_WERROR=OFF -DTAWARA_TESTS=OFF -DTAWARA_UNITY=ON)
  # for the GPUs of this machine alone; where there is none, in the form that every GPU from compute capability 8.0 on can read
  if nvidia-smi -L > /dev/null 2>&1; then arch=native; else arch=80-virtual; fi
  # shellcheck disable=SC2046 # options are words
  cmake -S "$root" -B "$build" -G Ninja "${options[@]}" -DCMAKE_CUDA_ARCHITECTURES=$arch $(tawara_compiler "$build")
fi
[ -x "$build/app/tawara" ] || echo "tawara: building, some minutes the first time"
cmake --build "$build" --parallel "$jobs" --target tawara tawara-cli
exec "$build/app/tawara" "$@"
