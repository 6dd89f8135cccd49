#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# short.sh SECONDS COMMAND...: runs a command, and fails where it fails or has used more processor time in all, its children's
# included. What runs beside it does not count, as it would by the clock on the wall.
# short.sh --check: whether that is noticed.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ "${1:-}" = --check ]; then
  busy=(bash -c 'for ((k = 0; k < 100000; ++k)); do :; done')
  "$0" 1000 "${busy[@]}" >"$work/said" 2>&1 || { echo "error: refuses what is fast" >&2; exit 1; }
  "$0" 0 "${busy[@]}" >"$work/said" 2>&1 && { echo "error: lets pass what is slow" >&2; exit 1; }
  "$0" 1000 false >"$work/said" 2>&1 && { echo "error: lets pass what fails" >&2; exit 1; }
  exit 0
fi
most=${1:?usage: short.sh SECONDS COMMAND...}
shift
"$@" || exit
times >"$work/times" # its second line is of the children: "0m47.372s 0m1.290s"
awk -v most="$most" 'NR == 2 {
  for (k = 1; k <= 2; ++k) { split($k, part, /[ms]/); used += 60 * part[1] + part[2] }
  printf "processor time: %.2f s, at most %s s\n", used, most
  exit used > most
}' "$work/times" || { echo "error: it used more processor time than $most s" >&2; exit 1; }
