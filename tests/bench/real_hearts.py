#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Activation of hearts as they come, nodal and interpolated currents, at their own edge and refined, by tawara-cli run.

    real_hearts.py TAWARA-CLI RECORD.jsonl [--devices auto] [--precision double] [--at-once N] MESH.vtu:TIMES[:rule] ...
    real_hearts.py TAWARA-CLI RECORD.jsonl --isthmus

Each mesh is refined up to TIMES times, `p1`, TT06 epi, time steps of 0.02 ms, paced at its apex. Conductivities are those
that give 0.6, 0.3 and 0.2 m/s where waves are resolved; nothing is tuned, so that each mesh shows its own error. What is
compared are the vertices of the mesh as it came (by their coordinates), against interpolated currents on the finest one.
`rule`: fibres by rule.
--isthmus: a slab of 40 x 20 x 2 mm, edge 1 mm, cut across by 4 mm of insulating tissue but for an isthmus of 1 to 3
elements: when the wave comes out of it, against edges of 1/4 and 1/8 mm.
"""
import argparse
import concurrent.futures
import csv
import json
import math
import os
import subprocess
import tempfile

SIGMA = {"fibre": 0.1295, "sheet": 0.03237, "normal": 0.01439}


def call(cli, *words):
    done = subprocess.run([cli, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}: {done.stderr.strip().splitlines()[-1]}")
    return done.stdout


def run(a, session, name, work):
    """Runs a session; its report and the activation of each unknown by place."""
    path, out = os.path.join(work, name + ".json"), os.path.join(work, name)
    with open(path, "w", encoding="utf-8") as f:
        json.dump(session, f)
    report = json.loads(call(a.cli, "run", path, "--out", out, "--devices", a.devices, "--precision", a.precision,
                             "--json"))
    places = {}
    with open(os.path.join(out, "activation.csv"), encoding="utf-8") as f:
        for row in csv.DictReader(f):
            at = tuple(round(float(row[k]), 4) for k in ("x_mm", "y_mm", "z_mm"))
            places[at] = float(row["activation_ms"]) if row["activation_ms"] else math.nan
    return report, places


def case(a, mesh, times, currents, work):
    name = f"{mesh}-{times}-{currents}"
    path = os.path.join(work, name + ".json")
    call(a.cli, "session", path, "--mesh", os.path.join(work, f"{mesh}-0.vtu"), "--end", 400, "--force")
    with open(path, encoding="utf-8") as f:
        session = json.load(f)
    session["mesh"]["file"] = f"{mesh}-{times}.vtu"
    session["diffusion"]["currents"] = currents
    session["stimuli"][0] |= {"count": 1, "period_ms": 0}
    session["reaction"] = {"scheme": "rush_larsen_light"}
    session.pop("ecg", None)
    for region in session["tissue"]["regions"]:
        region.pop("velocity_m_per_s", None)
        region["conductivity_S_per_m"] = SIGMA
    return run(a, session, name, work)


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else None


def differences(found, reference, vertices):
    both = [found[v] - reference[v] for v in vertices if v in found and v in reference]
    late = [d for d in both if not math.isnan(d)]
    never = sum(1 for v in vertices if v in found and math.isnan(found[v]))
    return {"compared": len(late), "never_activated": never,
            "mean_ms": sum(late) / len(late) if late else None,
            "rms_ms": math.sqrt(sum(d * d for d in late) / len(late)) if late else None,
            "median_ms": quantile(late, 0.5), "percentile_99_ms": quantile([abs(d) for d in late], 0.99)}


def rounded(record):
    return {k: float(f"{v:.4g}") if isinstance(v, float) else v for k, v in record.items()}


def heart(a, text, pool, work):
    path, times, *rule = text.split(":")
    mesh, times = os.path.splitext(os.path.basename(path))[0], int(times)
    call(a.cli, "mesh", "convert", path, os.path.join(work, f"{mesh}-0.vtu"), *(["--fibres", "rule-based"] if rule else []))
    todo = {}
    for k in range(times + 1):
        if k:
            call(a.cli, "mesh", "refine", os.path.join(work, f"{mesh}-{k - 1}.vtu"), os.path.join(work, f"{mesh}-{k}.vtu"))
        for currents in ("nodal", "interpolated"):
            todo[k, currents] = pool.submit(case, a, mesh, k, currents, work)
    done = {k: f.result() for k, f in todo.items()}
    vertices, reference = list(done[0, "nodal"][1]), done[times, "interpolated"][1]
    for (k, currents), (report, found) in done.items():
        info = report["mesh"]
        yield rounded({"bench": "real hearts", "mesh": mesh, "refined": k, "currents": currents,
                       "fibres": "by rule" if rule else "of the mesh", "reference": f"refined {times} times, interpolated",
                       "precision": report["precision"], "vertices": info["vertices"], "tetrahedra": info["tetrahedra"],
                       "activated": report["activated"], "unknowns": report["unknowns"],
                       "last_activation_ms": report["last_activation_ms"]} | differences(found, reference, vertices))


def isthmus(a, pool, work):
    def one(width, spacing, currents):
        middle = 10 + width % 2 / 2  # on faces of the coarsest elements
        sides = [[0, middle - width / 2], [middle + width / 2, 20]]
        session = {
            "schema": 1, "name": "isthmus", "mesh": {"slab_mm": [40, 20, 2], "spacing_mm": spacing},
            "tissue": {"regions": [{"label": "*", "model": "ten_tusscher_2006", "variant": "epi",
                                    "conductivity_S_per_m": SIGMA}] +
                       [{"where": {"box_mm": [[18, low, -1], [22, high, 3]]}, "name": "scar", "insulating": True}
                        for low, high in sides]},
            "diffusion": {"scheme": "p1", "currents": currents}, "reaction": {"scheme": "rush_larsen_light"},
            "time": {"dt_ms": 0.02, "end_ms": 200},
            "stimuli": [{"name": "end", "region": {"box_mm": [[0, 0, 0], [2, 20, 2]]}, "start_ms": 0, "duration_ms": 2,
                         "amplitude_pA_per_pF": 50}],
            "output": {"frames": "none"}}
        _, found = run(a, session, f"i{width}-{spacing}-{currents}", work)
        at = {x: next((t for place, t in found.items()
                       if abs(place[0] - x) < 1e-3 and abs(place[1] - math.floor(middle)) < 1e-3 and abs(place[2] - 1) < 1e-3),
                      math.nan) for x in (18.0, 22.0, 30.0)}
        return rounded({"bench": "isthmus", "elements_wide": width, "edge_mm": spacing, "currents": currents,
                        "precision": a.precision} |
                       {f"at_{x:g}_mm_ms": None if math.isnan(t) else t for x, t in at.items()})

    todo = [pool.submit(one, width, spacing, currents) for width in (1, 2, 3)
            for spacing, currents in ((1, "nodal"), (1, "interpolated"), (0.25, "nodal"), (0.25, "interpolated"),
                                      (0.125, "interpolated"))]
    for f in todo:
        yield f.result()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli")
    parser.add_argument("record")
    parser.add_argument("meshes", nargs="*")
    parser.add_argument("--devices", default="auto")
    parser.add_argument("--precision", default="double")
    parser.add_argument("--at-once", type=int, default=1)
    parser.add_argument("--isthmus", action="store_true")
    a = parser.parse_intermixed_args()
    a.cli = os.path.abspath(a.cli)
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(a.at_once) as pool:
        lines = [heart(a, m, pool, work) for m in a.meshes] + ([isthmus(a, pool, work)] if a.isthmus else [])
        for some in lines:
            for line in some:
                print(json.dumps(line), flush=True)
                with open(a.record, "a", encoding="utf-8") as f:
                    f.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
