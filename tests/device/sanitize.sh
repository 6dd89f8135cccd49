#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# sanitize.sh FOLDER [OUT.json]: runs the tests of all device kernels in FOLDER (the build's tests/) under
# compute-sanitizer's memcheck and racecheck, side by side, and prints a record: per program and tool the version, the
# tests that passed, and the errors found. TAWARA_SHORT_TESTS cuts the runs to a few steps, since the tools multiply
# their time by a hundred to a thousand: on one and on several shards, with sizes around a warp. Kernels of all files of
# the engine run but those that the list below leaves out.
# Ends with 1 where anything failed. LIMIT: seconds a program may take (default 300).
# sanitize.sh --check: whether the tests that are named here exist, and all files with kernels, without a GPU.
set -uo pipefail
folder=${1:?usage: sanitize.sh FOLDER [OUT.json]}
out=${2:-/dev/stdout}
limit=${LIMIT:-300}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# PROGRAM.PART: a run of its own, since one of all functions would be the longest by far
programs="test_contract test_contract.rest test_rest test_cuda test_cuda_implicit test_cuda_models test_cuda_reaction test_ports test_newton_steps
  test_cable_cuda test_network_cuda test_calcium_cuda test_sparse_cuda test_ranks"
# Which program runs the kernels of a file of engine/; "none" is left out: kernels that only measure, and the fields of a
# window that draws on the GPU (gui.test_interop has them, which wants OpenGL of that GPU).
kernels="cable/cuda/mixed.cu:test_cable_cuda cable/cuda/solvers.cu:test_cable_cuda
  cable/network/cuda/kernels.cu:test_network_cuda calcium/cuda/dyads.cu:test_calcium_cuda
  calcium/cuda/membrane.cu:test_calcium_cuda calcium/cuda/tissue.cu:test_calcium_cuda device/cuda/ceilings.cu:none
  device/cuda/cell_between.cuh:test_contract.rest device/cuda/cell_direct.cuh:test_cuda_models
  device/cuda/cell_implicit.cuh:test_newton_steps device/cuda/cell_rest.cuh:test_rest
  device/cuda/cell_ring.cuh:test_cuda_models device/cuda/diffusion.cu:test_cuda device/cuda/display_feed.cu:none
  device/cuda/keep_record.cu:test_newton_steps device/cuda/newton.cu:test_newton_steps
  device/cuda/newton_loop.cu:test_newton_steps device/cuda/own_cells.cuh:test_cuda_reaction
  device/cuda/port_set.cu:test_ports device/cuda/solver.cu:test_cuda_implicit sparse/cuda/csr_product.cu:test_sparse_cuda
  sparse/cuda/laid_out_product.cuh:test_sparse_cuda sparse/cuda/merge_product.cu:test_sparse_cuda
  sparse/cuda/stopwatch.cu:none"
# What tests nothing of a kernel (refusals) is left out, and so are the runs to a failure and hold_kernel of diffusion.cu,
# which only measures. Kernels that start
# while the one ahead ends (rings behind diffusion) are for memcheck alone: racecheck 2025.3.1 finds no hazard there, but
# ends with "failure to track a kernel launch", an error of its own. Rings as such it follows in test_cuda_models.
functions_of() { # program, tool
  local rings=""
  if [ "$2" = memcheck ]; then rings=anyNumberOfShardsOfRingsGivesTheSameBits; fi
  case $1 in
    # racecheck 2025.3.1 ends within loops of a graph, which Newton's method is: memcheck alone
    test_contract) if [ "$2" = memcheck ]; then echo snapshotContinuesBitForBit \
      probesAndDisplayAreWeightedSums tissueWithoutCellsIsLeftOut; fi ;;
    test_contract.rest) echo restingTissueTakesLongSteps ;;
    test_rest) echo whatRestsDrawsNothingAlong longStepsLoseNoFlow ;;
    # each rank is a process of its own
    test_ranks) if [ "$2" = memcheck ]; then echo theSameBitsOnGpus statesGoOnOnGpus; fi ;;
    test_newton_steps) if [ "$2" = memcheck ]; then echo gpusTakeTheSameSteps; fi ;;
    test_cable_cuda) echo everyWayAgrees treesThatDiffer ;;
    test_network_cuda) echo aNetworkIsThatOfTheCpu stepsInAnyPortions ;;
    test_calcium_cuda) if [ "$2" = memcheck ]; then echo checkpointsMoveBetweenBackEnds; fi
      echo dyadsGiveTheCpusBits batchesAndDevicesDoNotMatter statesGoOn shardsAndCutsDoNotMatter ;;
    test_sparse_cuda) echo laidOutMatricesGiveTheCpusBits otherFormatsAgree valuesAloneAreRenewed ;;
    test_cuda) echo agreesWithTheCpu sizesAroundAWarp cutsAndTuningChangeNoBit $rings \
      restingTissueIsCutWithoutABit mixedPrecisionStaysNearDouble ;;
    test_cuda_implicit) echo agreesWithTheCpu sizesAroundAWarp sameCutSameBits iterationsAreReported ;;
    test_cuda_models) if [ "$2" = memcheck ]; then echo withoutMapsNothingElseChanges; fi
      echo everyModelAgreesWithTheCpu modelsLiveSideBySide parametersChangeWhileRunning ;;
    # its kernels start early and share no memory: memcheck alone
    test_ports) if [ "$2" = memcheck ]; then echo agreesWithADenseSystem bitsDoNotDependOnTheWay \
      aStepThatStartsEarlyHasTheSameBits; fi ;;
    test_cuda_reaction) echo agreesWithTheCpu thePassMayGoWithIt diffusionOfEachKindGoesBeforeIt \
      snapshotsAreCarriedAcross manyTypesAreToldApart ;;
  esac
}
# The sources of a test program: NAME.cpp and what its declaration names beside it.
sources_of() { # program without its part
  local declared folder
  declared=$(grep -lE "^ *tawara_test\($1 " "$here"/../*/CMakeLists.txt)
  [ -f "$declared" ] || return
  folder=$(dirname "$declared")
  for name in "$1.cpp" $(awk -v program="$1" 'index($0, "tawara_test(" program " ") { on = 1 } on; on && /\)$/ { exit }' "$declared" |
    grep -oE '\btest_[a-z_]+\.cpp'); do
    echo "$folder/$name"
  done
}
# A function that went, or that another program has, would make each run fail, on a machine with a GPU alone.
for program in $programs; do
  mapfile -t sources < <(sources_of "${program%.*}")
  [ ${#sources[@]} -gt 0 ] || { echo "error: $program: no CMakeLists.txt of tests declares it" >&2; exit 2; }
  for name in $(functions_of "$program" memcheck) $(functions_of "$program" racecheck); do
    grep -qF "void $name()" "${sources[@]}" ||
      { echo "error: $program: it has no function $name in ${sources[*]#"$here/../"}" >&2; exit 2; }
  done
done
named=$(for k in $kernels; do echo "${k%:*}"; done | sort)
there=$(cd "$here/../../engine" && grep -rl __global__ . | sed 's|^\./||' | sort)
other=$(comm -3 <(echo "$named") <(echo "$there") | tr -d '\t' | paste -sd ' ')
[ -z "$other" ] || { echo "error: there, or named in sanitize.sh, alone: $other" >&2; exit 2; }
for k in $kernels; do
  grep -qwF -- "${k#*:}" <<<"$programs none" || { echo "error: $k: sanitize.sh runs no such program" >&2; exit 2; }
done
[ "$folder" != --check ] || exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v compute-sanitizer >/dev/null || { echo "error: compute-sanitizer is not on the PATH" >&2; exit 2; }
export TAWARA_SHORT_TESTS=1 QTEST_FUNCTION_TIMEOUT="${limit}000" # a function alone may take that long
for program in $programs; do
  for tool in memcheck racecheck; do
    [ -n "$(functions_of "$program" "$tool")" ] || continue
    (
      start=$SECONDS
      # Asking a module for what it may not have is an error to the tool, and answered by the program.
      # shellcheck disable=SC2046
      timeout "$limit" compute-sanitizer --tool "$tool" --target-processes all --report-api-errors no --print-limit 20 \
        "$folder/${program%.*}" $(functions_of "$program" "$tool") \
        >"$work/$program.$tool" 2>&1
      echo "$? $((SECONDS - start))" >"$work/$program.$tool.end"
    ) &
  done
done
wait
version=$(compute-sanitizer --version | grep -o 'Version [^ ]*' | head -1)
gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1)
status=0
{
  echo "{\"schema\": 1, \"what\": \"compute-sanitizer over the device tests, short runs\","
  echo " \"compute_sanitizer\": \"$version\", \"gpu\": \"$gpu\", \"runs\": ["
  comma=""
  for program in $programs; do
    for tool in memcheck racecheck; do
      log=$work/$program.$tool
      [ -f "$log.end" ] || continue
      read -r code seconds <"$log.end"
      totals=$(grep -o 'Totals: .* skipped' "$log" | paste -sd ';')
      summary=$(grep -E '(ERROR|RACECHECK) SUMMARY' "$log" | head -1 | sed 's/=* *//')
      clean=false
      if [ "$code" = 0 ] && grep -qE 'ERROR SUMMARY: 0 errors|RACECHECK SUMMARY: 0 hazards' "$log"; then
        clean=true
      else
        status=1
        { echo "== $program $tool"; grep -m 12 '^=========' "$log"; tail -12 "$log"; } >&2
      fi
      printf '%s  {"program": "%s", "tool": "%s", "clean": %s, "status": %s, "seconds": %s, "tests": "%s", "summary": "%s"}' \
        "$comma" "$program" "$tool" "$clean" "$code" "$seconds" "$totals" "$summary"
      comma=$',\n'
    done
  done
  printf '\n]}\n'
} >"$out"
exit $status
