#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""hostile_set.py CLI ARCHIVE: gives each file of an archive of hostile files (folder in/) to the command line, and prints a record:
the status, the lines, the seconds (of processors and on the clock) and the memory of each. Ends with 1 where one was not refused in
one line, below 2 s of processors and 500 MB. fuzz.py has what readers make of random changes."""
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

STRANGE = {"amb500.cellml", "enotation.cellml"}  # and not wrong


def words_for(name):
    kind = Path(name).suffix
    if kind == ".json":
        return ["run", name, "--out", "out"]
    if kind == ".tcp":
        return ["run", "base.json", "--out", "out", "--resume", name]
    return ["cell" if kind in (".mmt", ".cellml") else "mesh", "info", name]


def measured(program, name, folder):
    began = time.monotonic()
    process = subprocess.Popen([program, *words_for(name)], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return {"file": Path(name).name, "status": process.returncode, "lines": errors.count(b"\n"),
            "cpu_s": round(used.ru_utime + used.ru_stime, 2), "clock_s": round(time.monotonic() - began, 2),
            "MB": used.ru_maxrss // 1024}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, archive = (str(Path(a).resolve()) for a in sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["tar", "xJf", archive, "-C", folder], check=True)
        rows = [measured(program, f"in/{f.name}", folder) for f in sorted(Path(folder, "in").iterdir()) if f.is_file()]
    bad = [r for r in rows if (r["status"], r["lines"]) != ((0, r["lines"]) if r["file"] in STRANGE else (2, 1))
           or r["cpu_s"] >= 2 or r["MB"] >= 500]
    print(json.dumps({"files": len(rows), "not_refused": [r["file"] for r in bad], "slowest_cpu_s": max(r["cpu_s"] for r in rows),
                      "slowest_clock_s": max(r["clock_s"] for r in rows), "most_MB": max(r["MB"] for r in rows), "rows": rows}))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
