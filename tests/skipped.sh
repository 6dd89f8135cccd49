#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# skipped.sh LOG [DATA]: from ctest's LastTest.log, what was skipped within tests, or was a whole test: how many rows for which
# reason, and in which programs. Status 1 where a reason is among those of must_not_skip.txt: what the repository's scripts
# install, a display with OpenGL, and the program and the repository's own data must be there; and where a reason is that
# shared data are missing while their folder DATA (../shared/data of the repository) is there. It reads lines of three kinds:
#   SKIP   : TestName::function(row) reason          of Qt Test; a row may hold brackets of its own
#   skipped  group.check.row     reason              of tawara-cli verify
#   skipped: reason                                  of scripts
set -uo pipefail
log=${1:?usage: skipped.sh LOG [DATA]}
data=${2:-$(dirname "${BASH_SOURCE[0]}")/../../shared/data}
known=$(dirname "${BASH_SOURCE[0]}")/must_not_skip.txt
[ -f "$log" ] || { echo "error: there is no $log" >&2; exit 2; }
rows=$(awk '/^[0-9]+\/[0-9]+ Testing: / { test = $3 }
/^SKIP   : [A-Za-z0-9_]+::/ {
  at = index($0, "("); depth = 0
  for (end = at; end <= length($0); ++end) {
    c = substr($0, end, 1); depth += (c == "(") - (c == ")")
    if (depth == 0) break
  }
  name = $3; sub(/::.*/, "", name)
  print name "\t" substr($0, end + 2)
}
/^skipped  [A-Za-z0-9_]+\.[^ ]+ +[^ ]/ { reason = $0; sub(/^skipped  [^ ]+ +/, "", reason); print test "\t" reason }
/^skipped: / { print test "\t" substr($0, 10) }' "$log")
[ -n "$rows" ] || { echo "tawara: no test skipped anything"; exit 0; }
echo "tawara: $(wc -l <<<"$rows") tests and rows of tests were skipped:"
awk -F'\t' '{ n[$2]++; if (!seen[$2, $1]++) by[$2] = by[$2] (by[$2] ? ", " : "") $1 }
  END { for (r in n) printf "%6d  %s (%s)\n", n[r], r, by[r] }' <<<"$rows" | sort -rn
patterns=$(grep -vE '^(#|$)' "$known")
if [ -d "$data" ]; then patterns+=$'\n''of the shared data (is|are) not beside the repository'; fi
wrong=$(cut -f2 <<<"$rows" | sort -u | grep -E "$patterns")
[ -z "$wrong" ] && exit 0
echo "error: tests were skipped for reasons of $known, or for shared data that $data lacks:" >&2
sed 's/^/  /' <<<"$wrong" >&2
exit 1
