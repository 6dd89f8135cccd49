#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# tsan.sh [TEST...]: builds tests of the engine's thread, the shards and the window with the thread sanitizer and runs
# them on a virtual display with software OpenGL; a line for each, and status 1 where there is a race or one did not end.
# tests/bench/records/tsan.json is of all of them: two and a half minutes where all run at once on 32 cores, beside others.
# What failed otherwise is shown alone: most bounds of time are ten times as wide with sanitizers (tests/slowdown.hpp), not all.
# Libraries that are not built with it:
# tests/tsan.supp. TAWARA_BUILD: folder of the build.
# tsan.sh --check: whether the sanitizer can read that file: with another line in it no program begins.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
other=$(grep -nvE '^(#.*|(race|race_top|thread|mutex|signal|deadlock|called_from_lib):.+)?$' "$root/tests/tsan.supp")
[ -z "$other" ] || { echo "error: tests/tsan.supp: neither a remark nor KIND:NAME: $other" >&2; exit 2; }
[ "${1:-}" != --check ] || exit 0
build=${TAWARA_BUILD:-$root/build/tsan}
tests=("$@")
[ $# -gt 0 ] || tests=(test_hand_over test_stepper test_shards test_recording test_engine test_live test_heart_beats
  test_responsive test_whole_session test_window test_live_maps test_live_figures test_views test_painting test_report
  test_movie_gui test_moments test_keeping test_leaving test_opening test_cell_files test_mesh_dialogs test_study_panel)
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DTAWARA_CUDA=OFF -DTAWARA_SANITIZE=thread &&
  cmake --build "$build" --parallel "${TAWARA_JOBS:-$(nproc)}" --target "${tests[@]}" || exit 2
logs=$build/tsan
mkdir -p "$logs"
export QTEST_FUNCTION_TIMEOUT=1800000 # [ms]; Qt's own is five minutes
export LIBGL_ALWAYS_SOFTWARE=1 TSAN_OPTIONS="suppressions=$root/tests/tsan.supp second_deadlock_stack=1 ignore_noninstrumented_modules=1"
bad=0
for t in "${tests[@]}"; do
  from=$SECONDS
  xvfb-run -a -s "-screen 0 1920x1080x24" "$build/tests/$t" >"$logs/$t.log" 2>&1
  races=$(grep -c 'WARNING: ThreadSanitizer' "$logs/$t.log")
  totals=$(grep '^Totals' "$logs/$t.log" || echo "did not end")
  echo "$t: $((SECONDS - from)) s, $races reports; $totals"
  if [ "$races" != 0 ] || [ "$totals" = "did not end" ]; then bad=1; fi
done
exit $bad
