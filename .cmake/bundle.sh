#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# bundle.sh OUT.tar.xz PROGRAM...: an archive with the programs and every library that they load but glibc's. It runs
# on any x86-64 Linux with glibc 2.36 or later: unpack it and run tawara/bin/NAME.
set -euo pipefail
out=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
top=$work/tawara
mkdir -p "$top/bin" "$top/lib"
for p in "$@"; do
  cp "$p" "$top/bin/"
done
strip "$top"/bin/*
ldd "$@" | awk '$3 ~ /^\// {print $3}' | sort -u |
  grep -vE '/(ld-linux-x86-64|libc|libm|libdl|libpthread|librt|libresolv|libutil|libanl|libmvec|libcuda)\.so' |
  while read -r l; do cp -L "$l" "$top/lib/"; done
strip --strip-unneeded "$top"/lib/*.so*
for f in "$top"/bin/*; do patchelf --set-rpath '$ORIGIN/../lib' --force-rpath "$f"; done
for f in "$top"/lib/*.so*; do patchelf --set-rpath '$ORIGIN' --force-rpath "$f"; done
tar -C "$work" -cf - tawara | xz -T0 -6 >"$out"
echo "bundle: $(du -h "$out" | cut -f1) $out"
