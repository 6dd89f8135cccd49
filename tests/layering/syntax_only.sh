#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs a compiler's command without making code: it reads the source, reports what is wrong with it, writes the list of files
# that it read, and leaves an empty object for the build to see. tests/layering compiles each header alone in this way.
set -e
"$@" -fsyntax-only
while [ "$1" != -o ]; do shift; done
: > "$2"
