# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by app/run.sh, tests/run.sh and bundle.sh: tawara_install KIND... installs the packages of those kinds that are missing
# (.cmake/packages.txt), by apt-get, with sudo when not root, and says what it does. tawara_compiler chooses the compiler.

tawara_install() {
  local list wanted=() missing=() p kind
  list=$(dirname "${BASH_SOURCE[0]}")/packages.txt
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "tawara: no apt-get here; install what $list names by your own package manager" >&2
    return 0
  fi
  for kind in "$@"; do
    while read -r k p _; do
      if [ "$k" = "$kind" ]; then wanted+=("$p"); fi
    done < "$list"
  done
  for p in "${wanted[@]}"; do
    dpkg-query -W -f='${db:Status-Abbrev}' "$p" 2>/dev/null | grep -q '^ii' || missing+=("$p")
  done
  if [ ${#missing[@]} -eq 0 ]; then
    return 0
  fi
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "tawara: these packages are missing and neither root nor sudo is at hand: ${missing[*]}" >&2; return 1; }
    as_root=(sudo)
  fi
  echo "tawara: installing by apt-get${as_root[0]:+ (with sudo)}: ${missing[*]}"
  "${as_root[@]}" apt-get update -q
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
}

# tawara_compiler BUILD: the options of cmake that choose the compiler of a build folder that is not there yet: Clang 16, whose
# precompiled headers cost a file 0.4 s where those of GCC 12 cost 2.4; else the system's own, and says so.
tawara_compiler() {
  if [ -f "$1/CMakeCache.txt" ]; then
    return 0
  fi
  if command -v clang++-16 > /dev/null; then
    echo "-DCMAKE_C_COMPILER=clang-16 -DCMAKE_CXX_COMPILER=clang++-16"
  else
    echo "tawara: no clang++-16 here; the system's own compiler is used, which takes longer" >&2
  fi
}
