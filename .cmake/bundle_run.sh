#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh [PROGRAM] [ARGUMENTS]: starts a program of this bundle (tawara unless bin/PROGRAM is named) with the libraries
# that this system lacks, and the OpenGL that it has: NVIDIA's or the desktop's, Mesa's software OpenGL of the bundle
# where there is none. Without a display it starts a virtual one, if the bundle has it.
#
#   TAWARA_GL=nvidia, system or bundle: which OpenGL, in place of what is found
#   TAWARA_SCREEN=1920x1080: size of the virtual display
set -uo pipefail
top=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
program=tawara
if [ $# -gt 0 ] && [ -n "$1" ] && [ -x "$top/bin/$1" ] && [ -f "$top/bin/$1" ]; then
  program=$1
  shift
fi

scratch=$(mktemp -d "${TMPDIR:-/tmp}/tawara.XXXXXX")
server=
leave() {
  [ -z "$server" ] || kill "$server" 2>/dev/null
  rm -rf "$scratch"
}
trap leave EXIT

# What asks this script to end goes to the program, whose end and status are waited for. Ctrl-C on a terminal has
# reached the program already, which would take a second one for haste.
child=
signalled=
pass() {
  [ -n "$child" ] || exit "$2"
  signalled=1
  local group=a foreground=b # of the terminal
  read -r _ _ group _ _ foreground _ < <(sed 's/.*) //' /proc/$$/stat 2>/dev/null)
  if [ "$1" != INT ] || [ "$group" != "$foreground" ]; then kill -s "$1" "$child" 2>/dev/null; fi
}
trap 'pass TERM 143' TERM
trap 'pass INT 130' INT
start() {
  local status=0 s
  (trap - INT QUIT TERM EXIT && exec "$@") <&0 & # a program in the background would else ignore Ctrl-C and read nothing
  child=$!
  while true; do
    signalled=
    wait "$child"
    s=$?
    [ "$s" = 127 ] && [ "$status" != 0 ] || status=$s # it was waited for before
    [ -n "$signalled" ] || exit "$status"
  done
}

# Drivers that were mounted into a container are not always known to the loader.
drivers=
for d in $(find -L /usr/local/nvidia /usr/lib/x86_64-linux-gnu/nvidia /opt/nvidia -maxdepth 4 \
  \( -name 'libGLX_nvidia.so.0' -o -name 'libcuda.so.1' \) -printf '%h\n' 2>/dev/null | sort -u); do
  drivers=${drivers:+$drivers:}$d
done

# Libraries of a desktop: this system's where it has them, else the bundle's.
known=$( (/sbin/ldconfig -p || ldconfig -p) 2>/dev/null | awk '{print $1}')
mkdir "$scratch/lib"
for l in "$top"/lib/desktop/*.so*; do
  name=${l##*/}
  grep -qxF "$name" <<<"$known" || ln -s "$l" "$scratch/lib/$name"
done
export LD_LIBRARY_PATH=$scratch/lib${drivers:+:$drivers}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
if [ "$program" = tawara-cli ] || [ ! -d "$top/plugins" ]; then
  start "$top/bin/$program" "$@"
fi

[ -e /etc/fonts/fonts.conf ] || export FONTCONFIG_FILE=$top/etc/fonts.conf
[ -n "${QT_QPA_PLATFORM:-}" ] || [ -n "${DISPLAY:-}" ] || ! [ -x "$top/headless/Xvfb" ] || virtual=1
if [ -z "${XDG_RUNTIME_DIR:-}" ]; then
  export XDG_RUNTIME_DIR=$scratch/run
  mkdir -m 700 "$XDG_RUNTIME_DIR"
fi

has() { # whether the loader finds a library
  local IFS=: d
  grep -qxF "$1" <<<"$known" && return 0
  for d in $drivers; do [ -e "$d/$1" ] && return 0; done
  return 1
}
gl=${TAWARA_GL:-}
if [ -z "$gl" ]; then
  if has libGLX_nvidia.so.0 && [ -e /dev/nvidiactl ]; then
    gl=nvidia
  elif has libGLX_mesa.so.0 && [ -z "${virtual:-}" ]; then
    gl=system
  else
    gl=bundle
  fi
fi
mesa_path=$top/headless
case $gl in
  nvidia) export __GLX_VENDOR_LIBRARY_NAME=nvidia ;;
  bundle)
    export __GLX_VENDOR_LIBRARY_NAME=mesa __EGL_VENDOR_LIBRARY_FILENAMES=$mesa_path/50_mesa.json
    export LIBGL_DRIVERS_PATH=$mesa_path/dri LIBGL_ALWAYS_SOFTWARE=1
    ;;
esac

if [ -n "${virtual:-}" ]; then
  # the server's own OpenGL is software, whatever its clients draw with
  mkdir -p /tmp/.X11-unix 2>/dev/null || true
  (cd "$top" && exec env LD_LIBRARY_PATH="$mesa_path:$LD_LIBRARY_PATH" LIBGL_DRIVERS_PATH="$mesa_path/dri" \
    headless/Xvfb -displayfd 7 -screen 0 "${TAWARA_SCREEN:-1920x1080}x24" +extension GLX -nolisten tcp -noreset -ac \
    -xkbdir "$top/headless/xkb" 7>"$scratch/display" 2>"$scratch/server.log") &
  server=$!
  for _ in $(seq 100); do
    [ -s "$scratch/display" ] && break
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
  done
  if ! [ -s "$scratch/display" ]; then
    echo "error: the virtual display did not start: $(tail -1 "$scratch/server.log")" >&2
    exit 4
  fi
  DISPLAY=:$(tr -d '\n' <"$scratch/display")
  export DISPLAY
  echo "tawara: no display here, a virtual one is used; OpenGL: $gl" >&2
fi
[ "$gl" != bundle ] || export LD_LIBRARY_PATH=$mesa_path:$LD_LIBRARY_PATH
start "$top/bin/$program" "$@"
