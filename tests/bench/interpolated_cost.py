#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""interpolated_cost.py TAWARA-CLI [EDGE_MM]: what interpolated currents add to a step, one JSON record a line.

The tissue benchmark's slab (p1, TT06 epi, dt 0.02 ms) on one thread, nodal and interpolated by turns, three times. User time
is the least of the three, less that of a run of one step; times of kernels are wall times of that run.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile

DT_MS = 0.02


def session(h, currents, end_ms):
    sigma = {"fibre": 0.13341772, "sheet": 0.01760618, "normal": 0.01760618}
    return {"schema": 1, "name": "cost", "mesh": {"slab_mm": [20, 7, 3], "spacing_mm": h},
            "tissue": {"surface_to_volume_per_mm": 140, "capacitance_uF_per_cm2": 1,
                       "regions": [{"label": "*", "model": "ten_tusscher_2006", "variant": "epi",
                                    "conductivity_S_per_m": sigma}]},
            "diffusion": {"scheme": "p1", "mass": "lumped", "currents": currents},
            "reaction": {"scheme": "rush_larsen_light"}, "time": {"dt_ms": DT_MS, "end_ms": end_ms},
            "stimuli": [{"name": "corner", "region": {"box_mm": [[0, 0, 0], [1.5, 1.5, 1.5]]}, "start_ms": 0,
                         "duration_ms": 2, "amplitude_uA_per_cm3": 50000, "period_ms": 0, "count": 1}],
            "probes": [], "output": {"frames": "none", "frames_every_ms": 0, "checkpoint_every_ms": 0}}


def run(cli, h, currents, precision, end_ms):
    """User time [s] and the report."""
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "slab.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump(session(h, currents, end_ms), f)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run([cli, "run", path, "--out", work + "/out", "--devices", "cpu", "--threads", "1",
                        "--precision", precision], check=True, capture_output=True)
        user = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        with open(work + "/out/report.json", encoding="utf-8") as f:
            return user, json.load(f)


def main():
    cli, h = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 0.25
    here = os.path.dirname(os.path.abspath(__file__))
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=here, capture_output=True, text=True,
                            check=False).stdout.strip()
    for precision, end_ms in (("double", 40), ("double", 200), ("single", 40)):
        best = {}
        for _ in range(3):
            for currents in ("nodal", "interpolated"):
                for end in (DT_MS, end_ms):
                    found = run(cli, h, currents, precision, end)
                    best[currents, end] = min(best.get((currents, end), found), found, key=lambda x: x[0])
        for currents in ("nodal", "interpolated"):
            user, r = best[currents, end_ms]
            user -= best[currents, DT_MS][0]
            steps = r["unknowns"] * r["steps"]
            row = {"bench": "interpolated_cost", "commit": commit, "h_mm": h, "currents": currents,
                   "precision": precision, "end_ms": end_ms, "unknowns": r["unknowns"], "steps": r["steps"],
                   "ns_a_vertex_and_step": {k["name"]: round(1e6 * k["ms"] / steps, 2) for k in r["kernels"]},
                   "user_s": round(user, 2), "user_ns_a_vertex_and_step": round(1e9 * user / steps, 1)}
            for k in r["kernels"]:
                if "tetrahedra" in k:
                    row |= {"front_tetrahedra_a_step": round(k["tetrahedra"] / r["steps"], 1),
                            "tetrahedra": r["mesh"]["tetrahedra"], "GFLOP_per_s": round(k["GFLOP_per_s"], 2)}
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
