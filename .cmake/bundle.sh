#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# bundle.sh OUT.tar.xz PROGRAM...: an archive that runs on any x86-64 Linux with glibc 2.36 or later and needs nothing
# else installed: unpack it, run tawara/run.sh.
#
#   bin, lib      the programs and every library that they load but glibc's
#   lib/desktop   libraries that are only taken where the system has none: X, OpenGL's dispatcher, the C++ run time
#   plugins       Qt's; fonts and etc for systems without; share/tawara: meshes, cell models
#   headless      a virtual X server and Mesa's software OpenGL, for machines without a display
#
# Environment: NVRTC: folder of libnvrtc.so (NVIDIA's run-time compiler, 110 MB), empty to leave it out;
# HEADLESS=0 leaves the virtual display out; SWRAST: another software driver than Mesa's of this machine;
# LEVEL: of xz (6).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
system=/usr/lib/x86_64-linux-gnu
. "$here/install.sh"
tawara_install bundle
out=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
top=$work/tawara
mkdir -p "$top"/{bin,lib/desktop,share/tawara/resources}

# Every library that the files load, by path; glibc's and the drivers' stay the system's.
closure() {
  ldd "$@" 2>/dev/null | awk '$3 ~ /^\// {print $3}' | sort -u |
    grep -vE '/(ld-linux-x86-64|libc|libm|libdl|libpthread|librt|libresolv|libutil|libanl|libmvec|libnss_[a-z]+|libcuda)\.so'
}
# Where a library belongs: what a desktop brings along must be the desktop's own, or its drivers break.
folder_of() {
  case $(basename "$1") in
    libX11* | libXext* | libXau* | libXdmcp* | libXrender* | libXi.* | libXfixes* | libxcb* | libxshmfence* | libGL* | \
      libEGL* | libOpenGL* | libdrm* | libgbm* | libwayland* | libstdc++* | libgcc_s* | libexpat* | \
      libfontconfig* | libxkbcommon* | libXxf86vm*)
      echo "$top/lib/desktop" ;;
    *) echo "$top/lib" ;;
  esac
}
take() { # libraries
  local l name
  for l in "$@"; do
    name=$(basename "$l")
    [ -e "$top/lib/$name" ] || [ -e "$top/lib/desktop/$name" ] || cp -L "$l" "$(folder_of "$l")/"
  done
}

for p in "$@"; do
  cp "$p" "$top/bin/"
done
take $(closure "$@")
mkdir -p "$top/share/tawara/meshes"
cp "$root"/meshes/*.{vtu,json,md,txt} "$top/share/tawara/meshes/"
cp -r "$root"/resources/{models,sessions} "$root/LICENSE" "$top/share/tawara/resources/"
cp "$here/bundle_run.sh" "$top/run.sh"

if [ -e "$top/bin/tawara" ]; then
  plugins=$system/qt6/plugins
  mkdir -p "$top/plugins"/{platforms,xcbglintegrations,imageformats,iconengines,platforminputcontexts} "$top/fonts" "$top/etc"
  cp $plugins/platforms/libq{xcb,offscreen}.so "$top/plugins/platforms/"
  cp $plugins/xcbglintegrations/*.so "$top/plugins/xcbglintegrations/"
  cp $plugins/imageformats/*.so "$top/plugins/imageformats/"
  cp $plugins/iconengines/*.so "$top/plugins/iconengines/"
  cp $plugins/platforminputcontexts/libcompose*.so "$top/plugins/platforminputcontexts/"
  take $(closure "$top"/plugins/*/*.so)
  printf '[Paths]\nPrefix = ..\nPlugins = plugins\n' >"$top/bin/qt.conf"
  # OpenGL's dispatcher is also opened by name, and NVIDIA's driver wants these of X
  for l in libGL.so.1 libEGL.so.1 libOpenGL.so.0 libGLX.so.0 libGLdispatch.so.0 libX11-xcb.so.1 libxcb-dri3.so.0 \
    libxcb-present.so.0 libxcb-glx.so.0 libxcb-sync.so.1 libxcb-xfixes.so.0 libxshmfence.so.1 libwayland-server.so.0 \
    libwayland-client.so.0 libgbm.so.1 libdrm.so.2; do
    if [ -e $system/$l ]; then take $system/$l $(closure $system/$l); fi
  done
  cp /usr/share/fonts/truetype/dejavu/DejaVuSans{,-Bold,Mono}.ttf "$top/fonts/"
  cat >"$top/etc/fonts.conf" <<'X'
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">../fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
X
fi

if [ "${HEADLESS:-1}" != 0 ] && [ -e "$top/bin/tawara" ]; then
  swrast=${SWRAST:-$system/dri/swrast_dri.so}
  h=$top/headless
  mkdir -p "$h"/{dri,out,xkb}
  cp /usr/bin/Xvfb /usr/bin/xkbcomp "$h/"
  # The server starts xkbcomp from a folder that is compiled in: here one beside it, in the folder where it is
  # started, by names of the same length. xkbcomp starts from xkb and finds the same one there.
  LC_ALL=C sed -i -e 's#\x00/usr/bin\x00#\x00headless\x00#' -e 's#/var/lib/xkb/#headless/out/#' "$h/Xvfb"
  [ "$(LC_ALL=C grep -c 'headless/out/' "$h/Xvfb")" -ge 1 ] || { echo "bundle: this Xvfb has other paths" >&2; exit 1; }
  cp -a /usr/share/X11/xkb/. "$h/xkb/"
  ln -sfn .. "$h/xkb/headless"
  take $(closure /usr/bin/Xvfb /usr/bin/xkbcomp)
  cp -L "$swrast" "$h/dri/swrast_dri.so"
  cp -L $system/libGLX_mesa.so.0 $system/libEGL_mesa.so.0 "$h/"
  for l in $(closure "$swrast" $system/libGLX_mesa.so.0 $system/libEGL_mesa.so.0); do
    name=$(basename "$l")
    [ -e "$top/lib/$name" ] || [ -e "$top/lib/desktop/$name" ] || cp -L "$l" "$h/$name"
  done
  printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "libEGL_mesa.so.0"}}\n' >"$h/50_mesa.json"
fi

if [ -n "${NVRTC:-}" ]; then
  cp -L "$NVRTC"/libnvrtc.so.1[23] "$top/lib/"
  for l in "$NVRTC"/libnvrtc-builtins.so.1[23].*; do [ -e "$l" ] && cp -L "$l" "$top/lib/"; done
fi

find "$top" -type f \( -name '*.so*' -o -path '*/bin/tawara*' -o -path '*/bin/test_*' -o -name Xvfb -o -name xkbcomp \) \
  ! -name 'libnvrtc*' ! -name qt.conf | while read -r f; do
  case $f in
    "$top"/bin/*)
      strip "$f"; path='$ORIGIN/../lib'
      # what opens no window starts by itself too: no driver of the desktop's comes into its process
      ldd "$f" | grep -q libQt6Gui || path=$path':$ORIGIN/../lib/desktop'
      ;;
    "$top"/lib/desktop/*) strip --strip-unneeded "$f"; path='$ORIGIN/..' ;; # what both need
    "$top"/lib/*) strip --strip-unneeded "$f"; path='$ORIGIN' ;;
    "$top"/plugins/*) strip --strip-unneeded "$f"; path='$ORIGIN/../../lib' ;;
    */dri/*) strip --strip-unneeded "$f"; path='$ORIGIN/..:$ORIGIN/../../lib' ;;
    *) strip --strip-unneeded "$f"; path='$ORIGIN:$ORIGIN/../lib' ;;
  esac
  patchelf --set-rpath "$path" --force-rpath "$f"
done
# Nothing but glibc's may be wanted of the machine.
missing=$(find "$top" -type f \( -name '*.so*' -o -perm -u+x \) -exec sh -c 'head -c4 "$1" | grep -q ELF && patchelf --print-needed "$1"' _ {} \; |
  sort -u | grep -vE '^(ld-linux-x86-64|libc|libm|libdl|libpthread|librt|libresolv|libutil|libmvec)\.so' |
  while read -r l; do [ -n "$(find "$top" -name "$l" -print -quit)" ] || echo "$l"; done)
[ -z "$missing" ] || { echo "bundle: left out, though they are loaded:" $missing >&2; exit 1; }
tar -C "$work" -cf - tawara | xz -T0 -"${LEVEL:-6}" >"$out.part"
mv "$out.part" "$out"
echo "bundle: $(du -h "$out" | cut -f1) $out"
