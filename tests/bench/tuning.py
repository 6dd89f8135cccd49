#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""tuning.py CLI [--quick] [slabs|hearts]: how well tissue.regions[].velocity_m_per_s holds, one JSON record a line.

For each scheme and edge the command line tunes a slab and runs a plane wave along fibre, sheet and normal through it.
The velocities come from the activation times of the run's own unknowns (activation.csv), which the search for
conductivities never saw: its strips are narrower and shorter. Then hearts, with one velocity for all directions: the
median of report.json. `strips` is how many strips the search ran, `cpu_s` the processor's time that it took, with an
empty cache. CLI is the built tawara-cli."""
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile

WANTED = (0.6, 0.3, 0.2)
AXES = ("fibre", "sheet", "normal")


def run(cli, folder, session, name):
    path = os.path.join(folder, name + ".json")
    out = os.path.join(folder, name)
    with open(path, "w") as f:
        json.dump(session, f)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([cli, "run", path, "--out", out, "--json"], capture_output=True, text=True,
                          env={**os.environ, "XDG_CACHE_HOME": os.path.join(folder, "cache")})
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if done.returncode != 0:
        return None, seconds, done.stderr.strip().splitlines()[-1].replace(folder + "/", "")
    with open(os.path.join(out, "report.json")) as f:
        report = json.load(f)
    return (report, out), seconds, ""


def slab(spacing, axis, scheme, model, region, end_ms, bar):
    box = [[0, 0, 0], list(bar)]
    box[1][axis] = 2.01 * spacing
    return {
        "schema": 1, "name": "plane wave",
        "mesh": {"slab_mm": bar, "spacing_mm": spacing},
        "tissue": {"regions": [{"label": "*", **model, **region}]},
        "diffusion": {"scheme": scheme},
        "time": {"dt_ms": 0.02, "end_ms": end_ms},
        "stimuli": [{"name": "face", "region": {"box_mm": box}, "duration_ms": 2, "amplitude_pA_per_pF": 80}],
        "output": {"activation_threshold_mV": -20},
    }


def velocity(out, axis, length):
    """Regression of position on activation time between 40 and 80 per cent of the bar [m/s]."""
    points = []
    with open(os.path.join(out, "activation.csv")) as f:
        for row in csv.DictReader(f):
            x = float(row[("x_mm", "y_mm", "z_mm")[axis]])
            if row["activation_ms"] and 0.4 * length < x < 0.8 * length:
                points.append((float(row["activation_ms"]), x))
    if len(points) < 8:
        return None
    n = len(points)
    mt = sum(p[0] for p in points) / n
    mx = sum(p[1] for p in points) / n
    stt = sum((p[0] - mt) ** 2 for p in points)
    stx = sum((p[0] - mt) * (p[1] - mx) for p in points)
    return stx / stt


MODEL = {"model": "ten_tusscher_2006", "variant": "epi"}


def tuning(cli, folder, record, session):
    """Tunes, with a run of one step, and notes what was found; the message where it was not."""
    short = {**session, "time": {"dt_ms": 0.02, "end_ms": 0.02}}
    done, with_search, error = run(cli, folder, short, "search")
    if not done:
        record["error"] = error
        return False
    t = done[0]["velocity_tuning"][0]
    record["mean_edge_mm"] = round(t["mean_edge_mm"], 3)
    record["conductivity_S_per_m"] = [t["conductivity_S_per_m"][a] for a in AXES]
    record["on_fine_mesh_S_per_m"] = [t["on_fine_mesh_S_per_m"][a] for a in AXES]
    record["on_strips_m_per_s"] = [round(t["reached_m_per_s"][a], 4) for a in AXES]
    record["strips"] = t["strips"]
    record["cpu_s"] = round(with_search - run(cli, folder, short, "known")[1], 1)
    return True


def percent(reached, wanted):
    return round(100 * (reached / wanted - 1), 2)


def in_slab(cli, scheme, spacing):
    record = {"bench": "velocity tuning", "mesh": "slab", "scheme": scheme, **MODEL, "spacing_mm": spacing,
              "wanted_m_per_s": list(WANTED)}
    region = {"velocity_m_per_s": dict(zip(AXES, WANTED))}
    reached = []
    with tempfile.TemporaryDirectory() as folder:
        for axis in range(3):
            length = round(max(40 * spacing, 10.0) * (1, 0.7, 0.6)[axis] / spacing) * spacing
            bar = [6 * spacing] * 3
            bar[axis] = length
            session = slab(spacing, axis, scheme, MODEL, region, 12 + 1.3 * length / WANTED[axis], bar)
            if axis == 0 and not tuning(cli, folder, record, session):
                return record
            done, _, error = run(cli, folder, session, "axis%d" % axis)
            if not done:
                record["error"] = error
                return record
            reached.append(velocity(done[1], axis, length))
    record["run_m_per_s"] = [v and round(v, 4) for v in reached]
    record["residual_percent"] = [v and percent(v, w) for v, w in zip(reached, WANTED)]
    return record


def in_heart(cli, scheme, edge, wanted):
    record = {"bench": "velocity tuning", "mesh": "generated left ventricle", "scheme": scheme, **MODEL, "edge_mm": edge,
              "wanted_m_per_s": [wanted] * 3}
    session = {
        "schema": 1, "name": "heart", "mesh": {"heart": {"shape": "lv", "edge_mm": edge}},
        "tissue": {"regions": [{"label": "*", **MODEL, "velocity_m_per_s": dict.fromkeys(AXES, wanted)}]},
        "diffusion": {"scheme": scheme},
        "time": {"dt_ms": 0.04, "end_ms": 30 + 90 / wanted},
        "stimuli": [{"name": "apex", "region": {"sphere_mm": {"centre": [0, 0, -60], "radius": 7}}, "duration_ms": 2,
                     "amplitude_pA_per_pF": 80}],
    }
    with tempfile.TemporaryDirectory() as folder:
        if not tuning(cli, folder, record, session):
            return record
        del record["cpu_s"]  # the heart itself was made in it, too
        done, _, error = run(cli, folder, session, "heart")
        if not done:
            record["error"] = error
            return record
        v = done[0]["conduction_velocity_m_per_s"]
        record["run_m_per_s"] = {k: round(x, 4) for k, x in v.items()}
        record["residual_percent"] = percent(v["median"], wanted)
    return record


def main():
    cli = os.path.abspath(sys.argv[1])
    quick = "--quick" in sys.argv
    if "hearts" not in sys.argv:
        for scheme in ("p1", "fvm"):
            for spacing in (0.5,) if quick else (0.2, 0.3, 0.4, 0.6, 0.8, 1.2, 2.0):
                print(json.dumps(in_slab(cli, scheme, spacing)), flush=True)
    if "slabs" not in sys.argv and not quick:
        for scheme, edge, wanted in (("p1", 2.0, 0.6), ("p1", 2.0, 0.3), ("fvm", 2.0, 0.6),
                                     ("fvm", 2.0, 0.3), ("p1", 1.2, 0.6)):
            print(json.dumps(in_heart(cli, scheme, edge, wanted)), flush=True)


main()
