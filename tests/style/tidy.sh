#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# tidy.sh BUILD [--all | --since COMMIT | --few]: runs clang-tidy 16 (.clang-tidy) with BUILD's compile_commands.json over the
# sources of app, engine, widgets and tests that changed since the commit in tests/style/tidied, or over all, prints what
# it finds, and ends with 1 where it finds anything. All take an hour of one core, so that tests look at what changed;
# whoever ran it over all, or since the last such commit, without a finding writes the new commit into that file:
#   tests/style/tidy.sh build/test && git rev-parse HEAD >tests/style/tidied
# Ends with 77 (skipped) where history does not reach back so far; with --few, as the suite runs it, also where more
# than 60 sources changed, some ten minutes' work.
set -euo pipefail
build=$(cd "${1:?usage: tidy.sh BUILD [--all | --since COMMIT]}" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
tidy=$(command -v clang-tidy-16) || { echo "clang-tidy-16 is not on the PATH" >&2; exit 2; }
since=$(cat tests/style/tidied)
if [ "${2:-}" = --since ]; then since=${3:?a commit}; fi
if [ "${2:-}" = --all ]; then
  changed=$(find app engine widgets tests -name '*.cpp')
else
  if ! git cat-file -e "$since^{commit}" 2>/dev/null; then
    echo "skipped: the history here does not reach back to $since"
    exit 77
  fi
  changed=$(git diff --name-only --diff-filter=d "$since" -- 'app/*.cpp' 'engine/*.cpp' 'widgets/*.cpp' 'tests/*.cpp')
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# each source by itself, where TAWARA_UNITY compiles it with others; clang reads headers that GCC compiled beforehand as text
sed 's/-include [^ ]*cmake_pch.hxx//' "$build/compile_commands.json" | awk '
  function say(file) {
    one = command
    gsub(given, file, one)
    printf "%s\n{\n%s\n%s\n  \"file\": \"%s\"\n}", (said++ ? "," : "["), directory, one, file
  }
  /^ *"directory": / { directory = $0 }
  /^ *"command": / { command = $0 }
  /^ *"file": / {
    split($0, part, "\"")
    given = part[4]
    if (given !~ /\/Unity\/unity_[0-9]+_cxx.cxx$/) { say(given); next }
    while ((getline line < given) > 0)
      if (line ~ /^#include "/) { split(line, part, "\""); say(part[2]) }
    close(given)
  }
  END { print "\n]" }' >"$work/compile_commands.json"
# what is compiled here: some sources are for other machines, or for the fuzzers
known=$(grep -o '"file": "[^"]*"' "$work/compile_commands.json" | cut -d'"' -f4 | sort -u)
files=$(comm -12 <(sed "s|^|$PWD/|" <<<"$changed" | sort -u) <(echo "$known"))
if [ -z "$files" ]; then
  echo "no source changed since $since"
  exit 0
fi
count=$(wc -l <<<"$files")
if [ "${2:-}" = --few ] && [ "$count" -gt 60 ]; then
  echo "skipped: $count sources changed since $since; run tests/style/tidy.sh BUILD by hand"
  exit 77
fi
echo "clang-tidy over $count sources"
log=$work/log
xargs -P "${TAWARA_JOBS:-$(nproc)}" -n 4 "$tidy" --quiet -p "$work" --extra-arg=-Wno-unknown-warning-option \
  --extra-arg=-Wno-ignored-optimization-argument <<<"$files" >"$log" 2>/dev/null || true
# moc's output is nobody's to mend
if grep -E '^/.*: (warning|error): ' "$log" | grep -v '\.moc:' | sort -u | sed "s|$PWD/||"; then
  exit 1
fi
echo "nothing found"
