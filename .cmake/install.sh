# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by app/run.sh, tests/run.sh and bundle.sh: tawara_install KIND... installs the packages of those kinds that are missing
# (.cmake/packages.txt), by apt-get, with sudo when not root, and says what it does.

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
