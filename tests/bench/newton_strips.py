#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""newton_strips.py TAWARA-CLI RECORD.jsonl: velocities of plane waves along strips, by its run.

Strips of 10 mm, one edge thick, ten Tusscher's cells, paced at one end, edges of 0.5, 0.25 and
0.125 mm, explicit steps of 0.01 ms and steps of Newton's method of 0.02 and 0.01 ms, lumped and
consistent mass (engine/NUMERICS.md, section 6). The velocity is that between x = 4 and 8 mm, by the
crossing of -40 mV. Of two steps the error in time, of the first order, is taken out. A line of the
record is one strip.
"""
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

SIGMA_S_PER_M, FROM_MM, TO_MM, THRESHOLD_MV = 0.1334, 4, 8, -40
STEPS_MS = {"explicit": [0.01], "newton": [0.02, 0.01]}


def session(stepping, mass, spacing_mm, dt_ms):
    sigma = dict.fromkeys(("fibre", "sheet", "normal"), SIGMA_S_PER_M)
    return {"schema": 1, "name": f"strip, {stepping}, {mass}, {spacing_mm} mm",
            "mesh": {"slab_mm": [10, spacing_mm, spacing_mm], "spacing_mm": spacing_mm},
            "tissue": {"regions": [{
                "label": "*", "model": "ten_tusscher_2006", "variant": "epi",
                "conductivity_S_per_m": sigma}]},
            "diffusion": {"scheme": "p1", "mass": mass, "stepping": stepping},
            "time": {"dt_ms": dt_ms, "end_ms": 40},
            "stimuli": [{"name": "end", "region": {"box_mm": [[0, 0, 0], [1.5, 10, 10]]},
                         "start_ms": 0, "duration_ms": 2, "amplitude_uA_per_cm3": 50000}],
            "probes": [{"name": str(x), "position_mm": [x, 0, 0]} for x in (FROM_MM, TO_MM)],
            "output": {"activation_threshold_mV": THRESHOLD_MV, "frames": "none"}}


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        return next((x.split(":")[1].strip() for x in f if x.startswith("model name")), "unknown")


def velocity(cli, work, *of):
    """[m/s], and the commit that the program says it was built from."""
    file, out = Path(work) / "strip.json", Path(work) / "-".join(map(str, of))
    file.write_text(json.dumps(session(*of)), encoding="utf-8")
    subprocess.run([cli, "run", file, "--out", out, "--devices", "cpu"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(out / "beats.csv", encoding="utf-8") as f:
        at_ms = {r["probe"]: float(r["activation_ms"]) for r in csv.DictReader(f)}
    report = json.loads((out / "report.json").read_text(encoding="utf-8"))
    passage_ms = at_ms[str(TO_MM)] - at_ms[str(FROM_MM)]
    return (TO_MM - FROM_MM) / passage_ms, report["reproduction"]["built_from"]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    cli = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as work, open(sys.argv[2], "a", encoding="utf-8") as record:
        for spacing_mm in (0.5, 0.25, 0.125):
            for stepping, steps in STEPS_MS.items():
                for mass in ("lumped", "consistent"):
                    found = [velocity(cli, work, stepping, mass, spacing_mm, dt) for dt in steps]
                    v = [round(x, 5) for x, _ in found]
                    line = {"bench": "newton mass", "commit": found[0][1],
                            "command": "tests/bench/newton_strips.py", "machine": processor(),
                            "stepping": stepping, "mass": mass, "spacing_mm": spacing_mm,
                            "dt_ms": steps, "velocity_m_per_s": v}
                    if len(v) == 2:
                        line["velocity_without_error_in_time_m_per_s"] = round(2 * v[1] - v[0], 5)
                    record.write(json.dumps(line) + "\n")
                    print(line, flush=True)


if __name__ == "__main__":
    main()
