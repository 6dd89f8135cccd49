#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the example sessions show, by tawara-cli run: examples.py TAWARA-CLI RECORD.json [--made FOLDER] [EXAMPLE...]

Runs normal_beat.json to 500 ms, left_bundle_branch_block.json to 230 ms and reentry_around_scar.json to its end (or those
that are named), in double precision on the processor, and writes RECORD.json: QRS, QT and largest deflections of the ECG's
first beat; first and last activation; for re-entry the activations at each probe, and how often and how long the wave turns
(activations of the probe `site` after S2). --made FOLDER reads FOLDER/EXAMPLE, an earlier run's output with these settings,
in place of running.
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
UNTIL_MS = {"normal_beat": 500, "left_bundle_branch_block": 230, "reentry_around_scar": 2000}
S2_MS = 275


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


def turns(folder):
    at = {}
    for r in table(folder / "beats.csv"):
        at.setdefault(r["probe"], []).append(round(float(r["activation_ms"]), 1))
    later = [t for t in at["site"] if t > S2_MS + 10]
    return {"activations_ms": at, "turns": len(later), "cycle_ms": [round(b - a, 1) for a, b in zip(later, later[1:])]}


def record(example, folder):
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    said = report["reproduction"]
    first = [float(r["activation_ms"]) for r in table(folder / "activation.csv") if r["activation_ms"]]
    out = {"example": f"{example}.json", "commit": said["built_from"], "machine": machine(), "devices": report["devices"],
           "command": f"tawara-cli run resources/sessions/{example}.json --until {UNTIL_MS[example]} --precision double --devices cpu",
           "until_ms": report["time_ms"], "dt_ms": report["dt_ms"], "precision": report["precision"], "scheme": report["diffusion"]["scheme"],
           "first_activation_ms": round(min(first), 2), "last_activation_ms": round(max(first), 2), "activated": report["activated"]}
    if report["time_ms"] != UNTIL_MS[example]:
        sys.exit(f"examples.py: {folder}: ended at {report['time_ms']} ms, not at {UNTIL_MS[example]}")
    if "purkinje" in report:
        out |= {k: report["purkinje"][k] for k in ("nodes", "junctions", "resistance_kOhm")}
    if "ecg" in report:
        beat = report["ecg"]["beats"][0]
        out |= {"conductor": report["ecg"]["conductor"]} | {k: beat[k] and round(beat[k], 1) for k in ("qrs_ms", "qt_ms")}
        if beat["qrs_end_ms"] is not None:
            out["leads"] = deflections(folder, beat["qrs_end_ms"])
    if example == "reentry_around_scar":
        out |= turns(folder)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli", type=Path)
    parser.add_argument("record", type=Path)
    parser.add_argument("--made", type=Path)
    parser.add_argument("examples", nargs="*", default=list(UNTIL_MS))
    a = parser.parse_args()
    out = []
    with tempfile.TemporaryDirectory() as work:
        for example in a.examples:
            if example not in UNTIL_MS:
                sys.exit(f"examples.py: {example}: there are {', '.join(UNTIL_MS)}")
            folder = (a.made or Path(work)) / example
            if a.made is None:
                subprocess.run([a.cli, "run", SESSIONS / f"{example}.json", "--until", str(UNTIL_MS[example]), "--precision", "double",
                                "--devices", "cpu", "--out", folder], check=True)
            out.append(record(example, folder))
    a.record.write_text("[\n" + ",\n".join(json.dumps(r) for r in out) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
