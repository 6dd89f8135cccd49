#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory, weak scaling and bits of ranks that each read their part of a mesh (records/ranks-cpu.jsonl).

    ranks_cpu.py TAWARA_CLI FOLDER RECORD.jsonl [--refine N] [--only memory|weak]

FOLDER gets the meshes and outputs (some GB for --refine 2, the default), RECORD one line for each run.
"""
import argparse
import hashlib
import json
import os
import pathlib
import statistics
import subprocess

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
RANKS = (1, 2, 4, 8)
EACH = 60  # layers of cubes that a rank has of a bar
ACROSS = 40  # cubes across a bar
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def run(*command):
    done = subprocess.run([str(c) for c in command], env=ENVIRONMENT, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


def machine():
    model = next(line.split(":")[1].strip() for line in open("/proc/cpuinfo") if "model name" in line)
    return f"{model}, {os.cpu_count()} hardware threads"


def session(mesh, box, probe, scheme, end_ms):
    return {"schema": 1, "mesh": {"file": str(mesh)},
            "tissue": {"regions": [{"label": "*", "model": "ten_tusscher_2006", "variant": "epi",
                                    "conductivity_S_per_m": {"fibre": 0.1334, "sheet": 0.1334, "normal": 0.1334}}]},
            "diffusion": {"scheme": scheme}, "time": {"dt_ms": 0.02, "end_ms": end_ms},
            "stimuli": [{"name": "S1", "region": {"box_mm": box}, "start_ms": 0, "duration_ms": 1,
                         "amplitude_pA_per_pF": 100}],
            "probes": [{"name": "P1", "position_mm": probe}]}


def bar(folder, ranks):
    """A bar of cubes of 0.25 mm, each cut into six tetrahedra, as long as there are ranks, in CARP's files."""
    n, m, h = ACROSS, EACH * ranks, 250
    index = lambda i, j, k: (k * (n + 1) + j) * (n + 1) + i
    steps = ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))
    with open(folder / f"bar{ranks}.pts", "w") as out:
        out.write(f"{(n + 1) ** 2 * (m + 1)}\n")
        for k in range(m + 1):
            for j in range(n + 1):
                out.writelines(f"{i * h} {j * h} {k * h}\n" for i in range(n + 1))
    with open(folder / f"bar{ranks}.elem", "w") as out:
        out.write(f"{6 * n * n * m}\n")
        for k in range(m):
            for j in range(n):
                for i in range(n):
                    for order in steps:
                        at, corners = [i, j, k], [index(i, j, k)]
                        for axis in order:
                            at[axis] += 1
                            corners.append(index(*at))
                        if order in (steps[1], steps[2], steps[5]):
                            corners[1], corners[2] = corners[2], corners[1]
                        out.write("Tt {} {} {} {} 1\n".format(*corners))
    return folder / f"bar{ranks}.pts"


class Bench:
    def __init__(self, a):
        self.cli, self.folder, self.record = a.tawara_cli, pathlib.Path(a.folder).resolve(), a.record
        self.folder.mkdir(parents=True, exist_ok=True)
        git = ["git", "-C", REPOSITORY]
        self.commit = run(*git, "rev-parse", "--short=12", "HEAD").strip()

    def parts(self, mesh, ranks):
        index = self.folder / f"{mesh.stem}-{ranks}.parts"
        run(self.cli, "mesh", "partition", mesh, "-n", ranks, "-o", index, "--length-unit",
            "um" if mesh.suffix == ".pts" else "mm")
        return index

    def stepped(self, name, described, ranks, threads):
        """The report of a run over ranks, and the sums of its tables."""
        file, out = self.folder / f"{name}.json", self.folder / f"{name}-out"
        file.write_text(json.dumps(described))
        command = [self.cli, "run", file, "--out", out, "--devices", "cpu", "--threads", str(threads)]
        if ranks > 0:
            command = ["mpirun", "--oversubscribe", "-n", str(ranks)] + command + ["--distributed"]
        run(*command)
        report = json.loads((out / "report.json").read_text())
        return report, [hashlib.sha256((out / f).read_bytes()).hexdigest() for f in ("activation.csv", "probes.csv")]

    def write(self, case, scheme, ranks, report, more):
        of_ranks = report.get("ranks", [])
        line = {"schema": 1, "bench": "ranks-cpu", "commit": self.commit, "machine": machine(), "case": case,
                "scheme": scheme, "ranks": ranks, "mesh": report["mesh"], "steps": report["steps"],
                "stepping_s": report["seconds"]["stepping"], "setup_s": report["seconds"]["setup"],
                "activated": report["activated"],
                "peak_memory_bytes": [r["peak_memory_bytes"] for r in of_ranks],
                "unknowns_stepped": [r["unknowns_stepped"] for r in of_ranks],
                "unknowns_held": [r["unknowns_held"] for r in of_ranks], **more}
        with open(self.record, "a") as out:
            out.write(json.dumps(line) + "\n")
        peak = max(line["peak_memory_bytes"], default=0) / 1e6
        print(f"{case} {scheme} {ranks}: {line['stepping_s']:.2f} s, {peak:.0f} MB at most, {more}", flush=True)

    def memory(self, times, scheme, end_ms):
        heart = REPOSITORY / "meshes/default_heart.vtu"
        fine = self.folder / f"heart-x{times}.vtu"
        if times > 0 and not fine.exists():
            run(self.cli, "mesh", "refine", heart, fine, "--times", times)
        elif times == 0:
            fine = heart
        box, probe = [[-70, -40, -70], [40, 40, -55]], [-40.25, 20.32, -20.14]
        _, wanted = self.stepped("whole", session(fine, box, probe, scheme, end_ms), 0, 2)
        for ranks in RANKS:
            described = session(self.parts(fine, ranks), box, probe, scheme, end_ms)
            report, sums = self.stepped("parts", described, ranks, 1)
            self.write("memory", scheme, ranks, report, {"same_bits_as_one_process": sums == wanted})

    def constant(self):
        n = ACROSS
        globals().update(ACROSS=4, EACH=10)
        described = session(self.parts(bar(self.folder, 1), 1), [[0, 0, 0], [10, 10, 1]], [0.5, 0.5, 1], "p1", 1)
        globals().update(ACROSS=n, EACH=60)
        report, _ = self.stepped("constant", described, 1, 1)
        self.write("constant", "p1", 1, report, {})

    def weak(self):
        for ranks in RANKS:
            index = self.parts(bar(self.folder, ranks), ranks)
            described = session(index, [[0, 0, 0], [10, 10, 1]], [5, 5, 2], "p1", 2)
            runs = [self.stepped("weak", described, ranks, 1)[0] for _ in range(3)]
            seconds = [r["seconds"]["stepping"] for r in runs]
            middle = runs[seconds.index(statistics.median(seconds))]
            self.write("weak", "p1", ranks, middle, {"all_stepping_s": seconds, "cores": os.cpu_count()})


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("tawara_cli", "folder", "record"):
        arguments.add_argument(name)
    arguments.add_argument("--refine", type=int, default=2)
    arguments.add_argument("--only", choices=["memory", "weak"])
    a = arguments.parse_args()
    bench = Bench(a)
    if a.only != "weak":
        bench.constant()
        bench.memory(a.refine, "p1", 2)
        bench.memory(max(a.refine - 1, 0), "fvm", 1)
    if a.only != "memory":
        bench.weak()


main()
