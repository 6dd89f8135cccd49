#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Whether tests/skipped.sh finds what Qt Test, the verification table and scripts skipped, and which reasons it lets pass.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/log" <<'LOG'
1/3 Testing: test_mesh
SKIP   : TestMesh::tetgen(row (a)) reference meshes of the shared data are not beside the repository
2/3 Testing: verify.short
passed   cells.cvode.luo_rudy_1991                  0.7616 %      at most 1.5 %            0.1 s
skipped  partitions.shards.2                        no GPU is looked at
skipped  partitions.shards.4                        no GPU is looked at
3/3 Testing: style.tidy
skipped: 61 sources changed since 0123abc; run tests/style/tidy.sh BUILD by hand
LOG
wrong() { echo "skipped.sh $1" >&2; cat "$work/said" >&2; exit 1; }
./skipped.sh "$work/log" "$work/none" >"$work/said" 2>&1 || wrong "refuses reasons that are fine"
for line in '4 tests and rows' '1  reference meshes of the shared data are not beside the repository (TestMesh)' \
  '2  no GPU is looked at (verify.short)' '1  61 sources changed since 0123abc; .* (style.tidy)'; do
  grep -q "$line" "$work/said" || wrong "does not say: $line"
done
mkdir "$work/data"
if ./skipped.sh "$work/log" "$work/data" >"$work/said" 2>&1; then wrong "lets pass that some of the shared data are gone"; fi
echo 'skipped  cells.library.luo_rudy_1991   the small trace of the sources is not here: gone' >>"$work/log"
if ./skipped.sh "$work/log" "$work/none" >"$work/said" 2>&1; then wrong "lets pass that the repository's own data are gone"; fi
cat >"$work/log" <<'LOG'
1/1 Testing: gui.test_responsive
SKIP   : TestResponsive::initTestCase() meshes/default_heart.vtu: is not there; searched /a, /b; set TAWARA_DATA to the folder that holds it
LOG
if ./skipped.sh "$work/log" "$work/none" >"$work/said" 2>&1; then wrong "lets pass that the built-in heart is gone"; fi
