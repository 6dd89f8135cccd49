#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# spmv.sh HEARTS OUT [SECONDS]: products with sparse matrices on a machine with one GPU and few libraries: builds
# tests/device/spmv, checks every layout against the CPU, runs compute-sanitizer over short checks, and measures. Needs
# CMake, a C++20 compiler and nvcc. HEARTS: a folder of *.heart.xz (tests/bench/heart_file.hpp) and of Matrix Market files
# (*.mtx.xz); what is not there is left out. OUT: a folder for logs and records. SECONDS: for all of it (default 470); measuring takes what is left.
# Ends with 1 where a check failed.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
hearts=${1:?usage: spmv.sh HEARTS OUT [SECONDS]}
out=${2:?usage: spmv.sh HEARTS OUT [SECONDS]}
limit=${3:-470}
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
left() { echo $((limit - SECONDS)); }
say() { echo "[$SECONDS s] $*" | tee -a "$out/summary.txt"; }

export PATH=$PATH:/usr/local/cuda/bin
build=${BUILD:-$work/build}
generator=()
command -v ninja >/dev/null && generator=(-G Ninja)
(cmake -S "$here/spmv" -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CUDA_ARCHITECTURES="${ARCHITECTURES:-90-real}" &&
  cmake --build "$build" -j "$(nproc)") >"$work/build.txt" 2>&1 || { tail -60 "$work/build.txt" | tee "$out/build.txt"; say "the build failed"; exit 1; }
say "built"
for f in "$hearts"/*.heart.xz "$hearts"/*.mtx.xz; do
  [ -f "$f" ] && xz -dc "$f" >"$work/$(basename "$f" .xz)" &
done
wait

# cuSPARSE lies beside the toolkit, or in a folder of its own
for folder in /usr/local/cuda/lib64 /usr/local/cuda/targets/x86_64-linux/lib; do
  [ -e "$folder/libcusparse.so.12" ] && export LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} && break
done
if ! nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,power.limit --format=csv,noheader >"$out/checks.txt" 2>&1; then
  say "no GPU"
  exit 1
fi
cat "$out/checks.txt"

timeout 120 "$build/spmv_check" >"$work/check.txt" 2>&1 || status=1
tee -a "$out/checks.txt" <"$work/check.txt"
say "checked: status $status"
if command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck; do
    # cuSPARSE's own kernels are not looked at
    TAWARA_SHORT_TESTS=1 timeout 100 compute-sanitizer --tool $tool --report-api-errors no --print-limit 20 \
      "$build/spmv_check" --own >"$work/$tool.txt" 2>&1 &
  done
  wait
  for tool in memcheck racecheck; do
    say "$tool: $(grep -E 'SUMMARY' "$work/$tool.txt" || tail -1 "$work/$tool.txt")"
    grep -qE 'ERROR SUMMARY: 0 errors|RACECHECK SUMMARY: 0 hazards' "$work/$tool.txt" || status=1
    tail -200 "$work/$tool.txt" >>"$out/checks.txt"
  done
else
  say "no compute-sanitizer"
fi

heart() { [ -f "$work/$1.heart" ] && echo "heart:$work/$1.heart:$2"; }
files() { find "$work" -maxdepth 1 -name '*.mtx' | sort; }
measure() { # precision, seconds, matrices
  local precision=$1 seconds=$2
  shift 2
  [ "$seconds" -gt 5 ] || return 0
  timeout "$(left)" "$build/spmv" --precision "$precision" --seconds "$seconds" --out "$out/$precision.jsonl" "$@" \
    >>"$out/$precision.txt" 2>&1 || say "$precision: status $?"
  say "measured: $precision"
}
# shellcheck disable=SC2046
measure double $((($(left) - 20) * 55 / 100)) $(heart cobiveco 1) $(heart dti004 0) $(heart cobiveco 0) circuit protein \
  economics webbase $(heart dti004 2) fem_harbor epidemiology wind_tunnel qcd $(files) fem_accelerator fem_cantilever \
  fem_spheres fem_ship $(heart generated 0) $(heart dti004 1)
# shellcheck disable=SC2046
measure single $((($(left) - 20) * 60 / 100)) $(heart cobiveco 1) $(heart cobiveco 0) circuit webbase protein epidemiology \
  $(heart dti004 0) economics qcd wind_tunnel $(heart dti004 2) $(files) fem_harbor fem_accelerator fem_cantilever fem_spheres \
  fem_ship
# shellcheck disable=SC2046
measure mixed $(($(left) - 20)) $(heart cobiveco 1) $(heart cobiveco 0) $(heart dti004 2) protein webbase wind_tunnel \
  $(heart dti004 0) circuit economics qcd epidemiology
for f in "$out"/*.jsonl; do [ -f "$f" ] && xz -T0 -3 -f "$f"; done
say "done: status $status"
exit $status
