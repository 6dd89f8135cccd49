#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Velocities of plane waves along and across fibres on strips of cubes cut into six tetrahedra, by tawara-cli run.

    plane_waves.py TAWARA-CLI RECORD.jsonl [--scheme p1] [--currents nodal] [--precision double] [--dt 0.02] H_MM...

TT06 epi, conductivities of Niederer et al. 2011, time between activations at 0.4 and 0.8 of the strip (20 mm along, 8 mm
across, two cubes wide). Adds a line to RECORD.jsonl for each edge, and prints it.
"""
import argparse
import csv
import json
import os
import subprocess
import tempfile


def velocity(a, h, sigma, length):
    """[mm/ms], or None where no wave arrives."""
    n = round(length / h)
    places = [round(0.4 * n) * h, round(0.8 * n) * h]
    session = {
        "schema": 1, "name": "plane wave",
        "mesh": {"slab_mm": [n * h, 2 * h, 2 * h], "spacing_mm": h},
        "tissue": {"surface_to_volume_per_mm": 140, "capacitance_uF_per_cm2": 1.0,
                   "regions": [{"label": "*", "model": "ten_tusscher_2006", "variant": "epi",
                                "conductivity_S_per_m": dict.fromkeys(("fibre", "sheet", "normal"), sigma)}]},
        "diffusion": {"scheme": a.scheme},
        "reaction": {"scheme": "rush_larsen_light"},
        "time": {"dt_ms": a.dt, "end_ms": 90},
        "stimuli": [{"name": "end", "region": {"box_mm": [[0, 0, 0], [1.5, 2 * h, 2 * h]]}, "start_ms": 0,
                     "duration_ms": 2, "amplitude_uA_per_cm3": 50000, "period_ms": 0, "count": 1}],
        "probes": [{"name": f"P{k}", "position_mm": [x, h, h]} for k, x in enumerate(places)],
        "output": {"activation_threshold_mV": 0, "frames_every_ms": 0, "frames": "none", "checkpoint_every_ms": 0}}
    if a.scheme == "p1":
        session["diffusion"] |= {"mass": "lumped", "currents": a.currents}
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "strip.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump(session, f)
        subprocess.run([a.cli, "run", path, "--out", work + "/out", "--precision", a.precision, "--devices", "cpu"],
                       check=True, capture_output=True)
        with open(work + "/out/probes.csv", encoding="utf-8") as f:
            rows = list(csv.reader(f))[1:]
    times = [None, None]
    for before, row in zip(rows, rows[1:]):
        for k in range(2):
            v0, v1 = float(before[k + 1]), float(row[k + 1])
            if times[k] is None and v0 < 0 <= v1:
                t0, t1 = float(before[0]), float(row[0])
                times[k] = t0 + (t1 - t0) * v0 / (v0 - v1)
    return (places[1] - places[0]) / (times[1] - times[0]) if None not in times else None


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("cli")
    p.add_argument("record")
    p.add_argument("edges", nargs="+", type=float)
    p.add_argument("--scheme", default="p1")
    p.add_argument("--currents", default="nodal")
    p.add_argument("--precision", default="double")
    p.add_argument("--dt", type=float, default=0.02)
    a = p.parse_args()
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=os.path.dirname(os.path.abspath(__file__)),
                            capture_output=True, text=True, check=False).stdout.strip()
    for h in a.edges:
        row = {"bench": "plane_waves", "commit": commit, "scheme": a.scheme, "currents": a.currents,
               "precision": a.precision, "model": "ten_tusscher_2006 epi", "reaction": "rush_larsen_light",
               "dt_ms": a.dt, "h_mm": h}
        for name, sigma, length in (("along", 0.13341772, 20), ("across", 0.01760618, 8)):
            v = velocity(a, h, sigma, length)
            row[name + "_mm_per_ms"] = v and round(v, 4)
        line = json.dumps(row)
        print(line, flush=True)
        with open(a.record, "a", encoding="utf-8") as f:
            f.write(line + "\n")


if __name__ == "__main__":
    main()
