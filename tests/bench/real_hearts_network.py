#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Beats by a Purkinje network grown on hearts as they come, by tawara-cli run.

    real_hearts_network.py TAWARA-CLI RECORD.jsonl [--devices auto] [--at-once N] [--layers] MESH:TIMES[:rule] ...

Each mesh ("embedded": the built-in heart) is refined TIMES times; `rule`: fibres by rule. Its tissue is TT06 epi
(--layers: endo, m and epi by layers of the wall), tuned to velocities of 0.6 m/s along and 0.3 m/s across fibres, `p1`,
0.02 ms, double precision; the network is grown with what purkinje.grow has by itself, 0.75 kOhm a junction. A line of the
record is one beat:
    normal       by the bundle of His at 0 ms
    left, right  the same with that bundle cut
    ectopic      by a pulse where the beat with the left bundle cut arrives last; none at the bundle of His
    blocked      by the bundle of His, junctions of 20 kOhm
`first` is the junction whose tissue is activated first: its fascicle, and its height between the place farthest from the
bundle of His (0) and the bundle (1). `spread_ms` is from there to the last activation. QRS is the report's, of the leads, so
that it ends when these are quiet, which the notch of fast epicardial cells delays. V1 and V6 are the leads' largest and
least values between its onset and end.
"""
import argparse
import concurrent.futures
import csv
import json
import os
import subprocess
import tempfile


CELLS = {"model": "ten_tusscher_2006", "velocity_m_per_s": {"fibre": 0.6, "sheet": 0.3, "normal": 0.3}}


def call(cli, *words):
    done = subprocess.run([cli, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}: {done.stderr.strip().splitlines()[-1]}")
    return done.stdout


def rows(path):
    with open(path, encoding="utf-8") as f:
        return list(csv.DictReader(f))


def place(row):
    return tuple(float(row[k]) for k in ("x_mm", "y_mm", "z_mm"))


def distance(a, b):
    return sum((x - y) ** 2 for x, y in zip(a, b)) ** 0.5


def session_of(mesh, kind, far, layers):
    session = {
        "schema": 1, "name": f"{kind} beat", "mesh": {"embedded": True} if mesh is None else {"file": mesh},
        "tissue": {"regions": [{"label": "*"} | CELLS | {"variant": "epi"}] +
                   [{"where": {"layer": layer}} | CELLS | {"variant": variant}
                    for layer, variant in (("endo", "endo"), ("mid", "m")) if layers]},
        "diffusion": {"scheme": "p1"}, "reaction": {"scheme": "rush_larsen"}, "stimuli": [],
        "time": {"dt_ms": 0.02, "end_ms": 300},
        "purkinje": {"grow": {}, "junctions": {"resistance_kOhm": 20 if kind == "blocked" else 0.75},
                     "his_ms": {"start_ms": 1000 if kind == "ectopic" else 0,
                                "protocol": {"kind": "train", "cycle_ms": 800, "count": 1}}},
        "ecg": {"leads": "twelve_lead", "every_ms": 1,
                "source_conductivity_S_per_m": {"fibre": 0.17, "sheet": 0.058, "normal": 0.058}},
        "output": {"frames": "none"}}
    if kind in ("left", "right"):
        session["purkinje"]["cut"] = [f"{kind}_bundle"]
    if kind == "ectopic":
        session["stimuli"] = [{"name": "ectopic", "region": {"sphere_mm": {"centre": far, "radius": 4}}, "start_ms": 0,
                               "duration_ms": 2, "amplitude_pA_per_pF": 50}]
    return session


def lead(out, name, begin, end):
    values = [float(r[name]) for r in rows(os.path.join(out, "ecg.csv")) if begin <= float(r["time_ms"]) <= end]
    return {"largest_mV": max(values), "least_mV": min(values)} if values else None


def figures(out, report):
    beats = report.get("ecg", {}).get("beats", [])
    junctions = [j for j in rows(os.path.join(out, "junctions.csv")) if j["tissue_ms"]]
    his = place(rows(os.path.join(out, "purkinje.csv"))[0])
    far = max((place(r) for r in rows(os.path.join(out, "activation.csv"))), key=lambda p: distance(p, his))
    axis = [h - f for h, f in zip(his, far)]
    squared = sum(x * x for x in axis)
    first = min(junctions, key=lambda j: float(j["tissue_ms"]), default=None)
    network = report["purkinje"]
    found = {"unknowns": report["unknowns"], "tetrahedra": report["mesh"]["tetrahedra"], "activated": report["activated"],
             "last_activation_ms": report["last_activation_ms"],
             "network": {k: network[k] for k in ("nodes", "length_mm", "junctions", "nodes_activated", "passages",
                                                 "antegrade_delay_ms", "retrograde_delay_ms") if k in network}}
    if first:
        height = sum((p - f) * a for p, f, a in zip(place(first), far, axis)) / squared
        found["first"] = {"tissue_ms": float(first["tissue_ms"]), "fascicle": first["fascicle"], "height": height}
        found["spread_ms"] = report["last_activation_ms"] - float(first["tissue_ms"])
    if beats and beats[0]["qrs_ms"] is not None:
        b = beats[0]
        found["qrs_ms"] = b["qrs_ms"]
        found |= {name: lead(out, name, b["qrs_onset_ms"], b["qrs_end_ms"]) for name in ("V1", "V6")}
    return found


def rounded(x):
    if isinstance(x, float):
        return float(f"{x:.4g}")
    if isinstance(x, dict):
        return {k: rounded(v) for k, v in x.items()}
    return x


def one(a, mesh, kind, far, name, work):
    path, out = os.path.join(work, name + ".json"), os.path.join(work, name)
    with open(path, "w", encoding="utf-8") as f:
        json.dump(session_of(mesh, kind, far, a.layers), f)
    report = json.loads(call(a.cli, "run", path, "--out", out, "--devices", a.devices, "--json"))
    return figures(out, report), report


def heart(a, text, pool, work):
    path, times, *rule = text.split(":")
    name, times = os.path.splitext(os.path.basename(path))[0], int(times)
    mesh = None
    if path != "embedded":
        mesh = os.path.join(work, f"{name}-0.vtu")
        call(a.cli, "mesh", "convert", path, mesh, *(["--fibres", "rule-based"] if rule else []))
        for k in range(times):
            finer = os.path.join(work, f"{name}-{k + 1}.vtu")
            call(a.cli, "mesh", "refine", mesh, finer)
            mesh = finer
    words = {"bench": "network on a heart", "machine": a.machine, "heart": name, "refined": times,
             "fibres": "by rule" if rule else "of the mesh", "cells": "endo, m, epi" if a.layers else "epi"}
    todo = {kind: pool.submit(one, a, mesh, kind, None, f"{name}-{kind}", work)
            for kind in ("normal", "left", "right", "blocked")}
    done = {kind: f.result() for kind, f in todo.items()}
    late = max((r for r in rows(os.path.join(work, f"{name}-left", "activation.csv")) if r["activation_ms"]),
               key=lambda r: float(r["activation_ms"]))
    done["ectopic"] = one(a, mesh, "ectopic", list(place(late)), f"{name}-ectopic", work)
    for kind, (found, report) in done.items():
        yield rounded(words | {"beat": kind, "commit": report["reproduction"]["built_from"],
                               "devices": report["devices"]} | found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli")
    parser.add_argument("record")
    parser.add_argument("hearts", nargs="+")
    parser.add_argument("--devices", default="auto")
    parser.add_argument("--at-once", type=int, default=1)
    parser.add_argument("--layers", action="store_true")
    parser.add_argument("--machine", default="", help="words for the record")
    a = parser.parse_args()
    with (tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(a.at_once) as pool,
          open(a.record, "w", encoding="utf-8") as record):
        for text in a.hearts:
            for line in heart(a, text, pool, work):
                print(json.dumps(line), file=record, flush=True)
                print(json.dumps(line))


if __name__ == "__main__":
    main()
