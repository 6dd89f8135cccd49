#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the example sessions show, by tawara-cli run to their ends: examples.py TAWARA-CLI RECORD.json [--made FOLDER] [EXAMPLE...]

Runs the sessions of resources/sessions (or those that are named) to their own ends, in double precision on the processor, holds
what they show against bounds, and writes RECORD.json: a line for each, with QRS, QT and largest deflections of the ECG's first
beat; first and last activation; beats of each probe; of re-entry how often and how long the wave turns (activations of the probe
`site` after S2); of dyads the peak of calcium. dyads_in_a_cube.json has 138 million dyads, which want a GPU: it runs where it is
named, on all of them. --made FOLDER reads FOLDER/EXAMPLE, an earlier run's output with these settings, in place of running.
Status 1 where a figure is out of bounds.
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SESSIONS = Path(__file__).resolve().parents[2] / "resources" / "sessions"
BY_GPU = {"dyads_in_a_cube"}
S2_MS = 275
EVERY = {"left_inactive": (0, 0)}  # unknowns with cells that were never activated
# Figure: least and most. QRS and QT: textbook ranges; LBBB above 120 ms; P8 by consistent mass at 0.2 mm:
# 37.4 ms, where converged runs have 42.0 (tests/bench/FIGURES.md); re-entry: 274 ms, 4 %.
BOUNDS = {
    "normal_beat": EVERY | {"qrs_ms": (70, 110), "qt_ms": (330, 450)},
    "left_bundle_branch_block": EVERY | {"qrs_ms": (120, 220)},
    "bundle_activation": EVERY | {"qrs_ms": (60, 130), "qt_ms": (330, 450)},
    "drug_apd": EVERY | {"qrs_ms": (60, 130), "qt_ms": (330, 550)},
    "left_ventricle": EVERY | {"spread_ms": (1, 100)},
    "paced_heart": EVERY | {"beats_of_LV free wall": (2, 2)},
    "niederer_slab": EVERY | {"activation_of_P8": (36.9, 37.9)},
    "reentry_around_scar": {"turns": (5, 6), "shortest_cycle_ms": (265, 285), "longest_cycle_ms": (265, 285)},
    "dyads_in_a_slab": EVERY | {"beats_of_dyads": (1, 1), "peak_c_myo_uM": (0.3, 3)},
    "dyads_in_a_cube": EVERY | {"peak_c_myo_uM": (0.3, 3)},
    "spontaneous_beat": {"beats_of_healthy": (1, 3), "peak_c_myo_uM": (0.3, 10)},
}


def table(path):
    with open(path, encoding="utf-8") as f:
        return list(csv.DictReader(f))


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        model = next(line.split(":")[1].strip() for line in f if line.startswith("model name"))
    return f"{model}, {os.cpu_count()} virtual cores, load {os.getloadavg()[1]:.1f}"


def deflections(folder, until_ms):
    """The largest and the least potential of each lead from the beginning to so many ms."""
    rows = [r for r in table(folder / "ecg.csv") if float(r["time_ms"]) <= until_ms]
    return {lead: {"qrs_max_mV": round(max(float(r[lead]) for r in rows), 2), "qrs_min_mV": round(min(float(r[lead]) for r in rows), 2)}
            for lead in rows[0] if lead != "time_ms"}


def of_probes(folder):
    """Activations of each probe."""
    at = {}
    for r in table(folder / "beats.csv"):
        at.setdefault(r["probe"], []).append(round(float(r["activation_ms"]), 2))
    return at


def turns(at):
    later = [t for t in at["site"] if t > S2_MS + 10]
    cycle = [round(b - a, 1) for a, b in zip(later, later[1:])]
    return {"turns": len(later), "cycle_ms": cycle, "shortest_cycle_ms": min(cycle, default=None), "longest_cycle_ms": max(cycle, default=None)}


def figures(example, folder, report):
    first = [r["activation_ms"] for r in table(folder / "activation.csv") if r["model"]]
    known = [float(t) for t in first if t]
    out = {"left_inactive": len(first) - len(known)}
    if known:
        out |= {"first_activation_ms": round(min(known), 2), "last_activation_ms": round(max(known), 2),
                "spread_ms": round(max(known) - min(known), 2)}
    if "purkinje" in report:
        out |= {k: report["purkinje"][k] for k in ("nodes", "junctions", "resistance_kOhm")}
    if "ecg" in report and report["ecg"]["beats"]:
        beat = report["ecg"]["beats"][0]
        out |= {"conductor": report["ecg"]["conductor"]} | {k: beat[k] and round(beat[k], 1) for k in ("qrs_ms", "qt_ms")}
        if beat["qrs_end_ms"] is not None:
            out["leads"] = deflections(folder, beat["qrs_end_ms"])
    if (folder / "beats.csv").exists():
        at = of_probes(folder)
        out["activations_ms"] = at
        for probe, times in at.items():
            out |= {f"beats_of_{probe}": len(times), f"activation_of_{probe}": times[0]}
        if example == "reentry_around_scar":
            out |= turns(at)
    if (folder / "calcium.csv").exists():
        out["peak_c_myo_uM"] = round(max(float(v) for r in table(folder / "calcium.csv") for k, v in r.items() if k.endswith(".c_myo_uM") and v), 4)
    return out


def verdicts(example, shown):
    """What is out of bounds, or is not there."""
    return [f"{example}: {what} is {shown.get(what)}, not {least} to {most}" for what, (least, most) in BOUNDS[example].items()
            if not isinstance(shown.get(what), (int, float)) or not least <= shown[what] <= most]


def record(example, folder, command):
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    end = json.loads((SESSIONS / f"{example}.json").read_text(encoding="utf-8"))["time"]["end_ms"]
    if report["time_ms"] != end:
        sys.exit(f"examples.py: {folder}: ended at {report['time_ms']} ms, not at {end}")
    shown = figures(example, folder, report)
    missed = verdicts(example, shown)
    said = report["reproduction"]
    return missed, {"example": f"{example}.json", "commit": said["built_from"], "machine": machine(), "devices": report["devices"],
                    "command": command, "until_ms": report["time_ms"], "dt_ms": report["dt_ms"], "precision": report["precision"],
                    "scheme": report["diffusion"]["scheme"], "activated": report["activated"], **shown,
                    "bounds": BOUNDS[example], "missed": missed}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli", type=Path)
    parser.add_argument("record", type=Path)
    parser.add_argument("--made", type=Path)
    parser.add_argument("examples", nargs="*")
    a = parser.parse_intermixed_args()
    all_of_them = sorted(p.stem for p in SESSIONS.glob("*.json"))
    if unknown := [e for e in a.examples + all_of_them if e not in BOUNDS or e not in all_of_them]:
        sys.exit(f"examples.py: {unknown[0]}: this script has bounds for {', '.join(sorted(BOUNDS))}")
    out, missed = [], []
    with tempfile.TemporaryDirectory() as work:
        for example in a.examples or [e for e in all_of_them if e not in BY_GPU]:
            folder = (a.made or Path(work)) / example
            options = ["--precision", "double", "--devices", "cuda" if example in BY_GPU else "cpu"]
            if a.made is None:
                subprocess.run([a.cli, "run", SESSIONS / f"{example}.json", *options, "--out", folder], check=True)
            wrong, line = record(example, folder, f"tawara-cli run resources/sessions/{example}.json {' '.join(options)}")
            missed += wrong
            out.append(line)
            a.record.write_text("[\n" + ",\n".join(json.dumps(r) for r in out) + "\n]\n", encoding="utf-8")
    print("\n".join(missed) or "all figures are within their bounds")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
