#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""stability_check.py TAWARA-CLI COMMIT RECORD.jsonl MESH...

`tawara-cli mesh check` of each mesh: seconds, processor seconds, and what was found and repaired. Adds a line for each to the
record, with the program's commit (as given) and the machine. Two programs side by side: one call for each, on the same meshes."""
import json
import os
import platform
import resource
import subprocess
import sys
import time
from pathlib import Path


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    cli, commit, record, meshes = sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4:]
    machine = f"{processor()}, {os.cpu_count()} virtual cores, load {os.getloadavg()[0]:.0f}"
    with record.open("a") as out:
        for mesh in meshes:
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime, time.monotonic()
            done = subprocess.run([cli, "mesh", "check", mesh, "--json"], capture_output=True, text=True, check=True)
            seconds = time.monotonic() - start
            row = {"bench": "stability-check", "machine": machine, "commit": commit, "mesh": Path(mesh).name, "seconds": round(seconds, 2),
                   "processor_s": round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 2),
                   "settings": "mesh check, fvm, conductivities as it has them unless told"}
            found = json.loads(done.stdout)
            row |= {k: found.get(k) for k in ("unknowns", "repaired_cells", "theta", "largest_growth", "proven_by_patches", "stable_dt_ms")}
            out.write(json.dumps(row) + "\n")
            print(row, flush=True)


main()
