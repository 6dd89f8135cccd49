#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""ranks_gpu.py TAWARA-CLI RECORD.jsonl [CASE...]: one slab on one GPU, on two GPUs of one process, and on two ranks with a GPU each.

Of each case a line: what stepping took, and whether tables have the same bytes. Needs two GPUs and mpirun."""
import filecmp, json, os, subprocess, sys, tempfile, threading
from pathlib import Path

CASES = {  # scheme, spacing [mm], precision, rest tolerance [mV]
    "p1-small": ("p1", 0.5, "double", 0), "p1": ("p1", 0.2, "double", 0), "p1-single": ("p1", 0.2, "single", 0),
    "fvm": ("fvm", 0.25, "double", 0), "fvm-rest": ("fvm", 0.25, "double", 0.1), "fvm-large": ("fvm", 0.2, "double", 0)}
EDGE_MM, END_MS = 25, 60


def session(scheme, spacing_mm, rest_mV):
    s = {"schema": 1, "name": "slab", "mesh": {"slab_mm": [EDGE_MM] * 3, "spacing_mm": spacing_mm},
         "tissue": {"regions": [{"label": "*", "model": "ten_tusscher_2006", "variant": "epi",
                                 "conductivity_S_per_m": {"fibre": 0.1334, "sheet": 0.0176, "normal": 0.0176}}]},
         "diffusion": {"scheme": scheme}, "time": {"dt_ms": 0.02, "end_ms": END_MS},
         "stimuli": [{"name": "S1", "region": {"box_mm": [[0, 0, 0], [3, EDGE_MM, EDGE_MM]]}, "start_ms": 0, "duration_ms": 2,
                      "amplitude_pA_per_pF": 50}],
         "probes": [{"name": "near", "position_mm": [2, 2, 2]}, {"name": "far", "position_mm": [20, 20, 20]}],
         "output": {"probes_every_ms": 1}}
    if scheme == "p1":
        s["diffusion"]["mass"] = "lumped"
    if rest_mV:
        s["reaction"] = {"rest_tolerance_mV": rest_mV}
    return s


def machine():
    gpus = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True, check=True).stdout.split("\n")
    names = [g for g in gpus if g]
    return f"{len(names)} {names[0]} of one host, {os.cpu_count()} cores"


class DeviceMemory:
    """The most that each GPU has had in use in a block, all processes together [MB], by nvidia-smi ten times a second.

    With what CUDA itself takes for each process, and the buffers that ceilings are measured in at a run's end, where one was met."""

    def __enter__(self):
        self.peak_MB = []
        self.smi = subprocess.Popen(["nvidia-smi", "--query-gpu=index,memory.used", "--format=csv,noheader,nounits", "-lms", "100"],
                                    stdout=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=self.read)
        self.reader.start()
        return self

    def read(self):
        for line in self.smi.stdout:
            if not line.endswith("\n"): # the last one, cut
                break
            gpu, used = map(int, line.split(","))
            self.peak_MB += [0] * (gpu + 1 - len(self.peak_MB))
            self.peak_MB[gpu] = max(self.peak_MB[gpu], used)

    def __exit__(self, *_):
        self.smi.terminate()
        self.reader.join()
        if not self.peak_MB:
            sys.exit("nvidia-smi said nothing of memory")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    cli, record, names = Path(sys.argv[1]).resolve(), Path(sys.argv[2]), sys.argv[3:] or list(CASES)
    here = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", **os.environ}
    with tempfile.TemporaryDirectory() as work:
        for name in names:
            scheme, spacing_mm, precision, rest_mV = CASES[name]
            file = Path(work) / f"{name}.json"
            file.write_text(json.dumps(session(scheme, spacing_mm, rest_mV)))
            ways = {"one_gpu": [cli, "run", file, "--devices", "cuda:0"], "two_gpus": [cli, "run", file, "--devices", "cuda:0,1"],
                    "two_ranks": ["mpirun", "--bind-to", "none", "-n", "2", cli, "run", file, "--distributed", "--devices", "cuda:0,1"]}
            line, folders = {}, {}
            for way, words in ways.items():
                folders[way] = Path(work) / f"{name}-{way}"
                with DeviceMemory() as memory:
                    subprocess.run([str(w) for w in words] + ["--precision", precision, "--out", str(folders[way])], env=here,
                                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                report = json.loads((folders[way] / "report.json").read_text())
                line[way] = {"devices": report["devices"], "stepping_s": report["seconds"]["stepping"],
                             "total_s": report["seconds"]["total"], "share_at_rest": report.get("rest", {}).get("share_at_rest"),
                             "kernels_us": {k["name"]: round(1e3 * k["ms"] / max(1, k["calls"]), 1) for k in report["kernels"]},
                             "memory_in_use_MB": memory.peak_MB}
            same = [t for t in ("activation.csv", "probes.csv")
                    if all(filecmp.cmp(folders["one_gpu"] / t, f / t, shallow=False) for f in folders.values())]
            head = {"schema": 1, "bench": "ranks-gpu", "commit": report["built_from"], "case": name, "scheme": scheme, "precision": precision,
                    "rest_tolerance_mV": rest_mV, "unknowns": report["unknowns"], "steps": report["steps"], "same_bytes": same,
                    "borders": "through MPI" if "through MPI" in str(line["two_ranks"]["devices"]) else "in memory that ranks share",
                    "machine": machine()}
            with open(record, "a") as out:
                out.write(json.dumps({**head, **line}) + "\n")
            print(name, {w: line[w]["stepping_s"] for w in ways}, same, flush=True)


if __name__ == "__main__":
    main()
