#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What looking functions of V up in tables changes: one cell and a strip of tissue, with and without.

    tables.py TAWARA-CLI > records/cell_tables.json     minutes on one core
"""
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile

MODELS = ["ten_tusscher_2006", "ohara_rudy_2011"]
STEPS_MV = [0.05, 0.1, 0.2, 0.5, 1.0]
DT_MS, UNTIL_MS = 0.02, 600
STRIP_MM, SPACING_MM, FIRST_MM, LAST_MM = [20, 0.5, 0.5], 0.25, 5, 15


def call(cli, *words):
    out = subprocess.run([cli, *words, "--json"], check=True, capture_output=True, text=True)
    return json.loads(out.stdout)


def one_cell(cli, folder, model, precision, tables):
    traces = folder / "traces.csv"
    report = call(cli, "cell", "run", model, "--bcl", "1000", "--amplitude", "52", "--duration", "1",
                  "--until", str(UNTIL_MS), "--dt", str(DT_MS), "--every", "0.1",
                  "--precision", precision, "--out", str(traces), *tables)
    with open(traces) as file:
        v = [float(row[1]) for row in list(csv.reader(file))[1:]]
    return v, report["beats"][0]


def strip(cli, folder, model, precision, tables_mV):
    """Conduction velocity [m/s] and mean APD90 [ms] between two planes."""
    session = {
        "schema": 1, "name": "strip", "mesh": {"slab_mm": STRIP_MM, "spacing_mm": SPACING_MM},
        "tissue": {"surface_to_volume_per_mm": 140, "capacitance_uF_per_cm2": 1.0, "regions": [
            {"label": "*", "model": model,
             "conductivity_S_per_m": {"fibre": 0.1334, "sheet": 0.0176, "normal": 0.0176}}]},
        "diffusion": {"scheme": "fvm"},
        "reaction": {"scheme": "rush_larsen_light", "tables_mV": tables_mV},
        "time": {"dt_ms": DT_MS, "end_ms": 400},
        "stimuli": [{"name": "S1", "region": {"box_mm": [[0, 0, 0], [1.5, 0.5, 0.5]]}, "start_ms": 0,
                     "duration_ms": 2, "amplitude_uA_per_cm3": 50000}],
        "output": {"activation_threshold_mV": 0, "frames_every_ms": 0}}
    file = folder / "strip.json"
    file.write_text(json.dumps(session))
    call(cli, "run", str(file), "--out", str(folder / "out"), "--devices", "cpu", "--threads", "1",
         "--precision", precision)
    with open(folder / "out" / "activation.csv") as rows:
        inside = [(float(r["x_mm"]), float(r["activation_ms"]), float(r["apd90_ms"]))
                  for r in csv.DictReader(rows) if FIRST_MM <= float(r["x_mm"]) <= LAST_MM]
    n = len(inside)
    x, t = (sum(r[k] for r in inside) / n for k in (0, 1))
    slope = (sum((r[0] - x) * (r[1] - t) for r in inside) / sum((r[0] - x) ** 2 for r in inside))
    return 1 / slope, sum(r[2] for r in inside) / n


def rrms_percent(v, exact):
    return 100 * math.sqrt(sum((a - b) ** 2 for a, b in zip(v, exact, strict=True))
                           / sum(b * b for b in exact))


def significant(x):
    return float(f"{x:.3g}")


def measure(cli, folder, model, precision):
    v, beat = one_cell(cli, folder, model, precision, [])
    velocity, duration = strip(cli, folder, model, precision, 0)
    result = {"exact": {"apd90_ms": round(beat["apd90_ms"], 4),
                        "upstroke_mV_per_ms": round(beat["upstroke_mV_per_ms"], 3),
                        "strip_velocity_m_per_s": round(velocity, 6),
                        "strip_apd90_ms": round(duration, 4)}, "tables": []}
    for step in STEPS_MV:
        w, looked = one_cell(cli, folder, model, precision, ["--tables", str(step)])
        speed, length = strip(cli, folder, model, precision, step)
        result["tables"].append({
            "step_mV": step, "rrms_percent": significant(rrms_percent(w, v)),
            "apd90_change_ms": significant(looked["apd90_ms"] - beat["apd90_ms"]),
            "upstroke_change_percent": significant(
                100 * (looked["upstroke_mV_per_ms"] / beat["upstroke_mV_per_ms"] - 1)),
            "strip_velocity_change_percent": significant(100 * (speed / velocity - 1)),
            "strip_apd90_change_ms": significant(length - duration)})
        print(model, precision, result["tables"][-1], file=sys.stderr)
    return result


def main():
    cli = sys.argv[1]
    here = pathlib.Path(__file__).parent
    commit = subprocess.run(["git", "-C", str(here), "rev-parse", "--short=12", "HEAD"],
                            capture_output=True, text=True).stdout.strip()
    record = {
        "schema": 1, "commit": commit,
        "what": f"functions of V looked up in tables against computed: one beat of {UNTIL_MS} ms from "
                "the initial state, 52 pA/pF for 1 ms, V every 0.1 ms; a strip of "
                f"{STRIP_MM} mm, fvm, spacing {SPACING_MM} mm, 0.1334 S/m along it, velocity by "
                f"regression and mean APD90 from {FIRST_MM} to {LAST_MM} mm",
        "scheme": "rush_larsen_light", "dt_ms": DT_MS, "device": call(cli, "devices")["devices"][0]["name"],
        "models": {}}
    with tempfile.TemporaryDirectory() as folder:
        for model in MODELS:
            record["models"][model] = {p: measure(cli, pathlib.Path(folder), model, p)
                                       for p in ("double", "single")}
    print(json.dumps(record, indent=1))


main()
