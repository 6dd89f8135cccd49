#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""window_speed.py accuracy CLI | window TEST LABEL [SESSION]: how fast and how exact the built-in heart is, a JSON record a line.

accuracy: runs the built-in heart's session (paced at its apex, 500 ms) by the command line CLI (tawara-cli), in double precision
with steps of 0.005 ms and no rest, and then as named, all with the same conductivities (those that the session's own tuning
found). Activation and APD90 (activation.csv) are compared vertex by vertex: RMS and largest difference. `user_s` is processor
time of the run on one thread.

window: runs TEST (test_responsive; xvfb-run where there is no screen) with SESSION in place of the built-in heart, and notes what
it says: simulated ms a second of wall time while the window draws, frames a second, click to tissue. LABEL tells the record."""
import csv
import json
import math
import os
import re
import resource
import subprocess
import sys
import tempfile

END_MS = 500
# name, settings, precision
WAYS = [
    ("reference", {"time.dt_ms": 0.005, "reaction.rest_tolerance_mV": 0}, "double"),
    ("as shipped before", {"time.dt_ms": 0.02, "reaction.rest_tolerance_mV": 0}, "double"),
    ("single", {"time.dt_ms": 0.02, "reaction.rest_tolerance_mV": 0}, "single"),
    ("single, rest 0.1 mV", {"time.dt_ms": 0.02, "reaction.rest_tolerance_mV": 0.1}, "single"),
    ("single, dt 0.04 ms", {"time.dt_ms": 0.04, "reaction.rest_tolerance_mV": 0}, "single"),
    ("single, dt 0.05 ms", {"time.dt_ms": 0.05, "reaction.rest_tolerance_mV": 0}, "single"),
    ("single, dt 0.05 ms, rest 0.1 mV", {"time.dt_ms": 0.05, "reaction.rest_tolerance_mV": 0.1}, "single"),
    ("single, GRL2, dt 0.05 ms", {"time.dt_ms": 0.05, "reaction.rest_tolerance_mV": 0, "reaction.scheme": "grl2"}, "single"),
    ("single, GRL2, dt 0.1 ms", {"time.dt_ms": 0.1, "reaction.rest_tolerance_mV": 0, "reaction.scheme": "grl2"}, "single"),
    ("single, GRL2, dt 0.1 ms, rest 0.1 mV", {"time.dt_ms": 0.1, "reaction.rest_tolerance_mV": 0.1, "reaction.scheme": "grl2"}, "single"),
]


def maps(folder):
    with open(os.path.join(folder, "activation.csv")) as f:
        return [(float(r["activation_ms"]) if r["activation_ms"] else math.nan,
                 float(r["repolarisation_ms"]) - float(r["activation_ms"]) if r["repolarisation_ms"] else math.nan)
                for r in csv.DictReader(f)]


def run(cli, session, out, sets, precision):
    args = [cli, "run", session, "--out", out, "--json", "--devices", "cpu", "--threads", "1", "--precision", precision]
    for key, value in sets.items():
        args += ["--set", "%s=%s" % (key, value)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(args, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, json.loads(done.stdout)


def tuned_session(cli, folder):
    """The built-in heart's session with the conductivities that its tuning finds, and none left to find."""
    path = os.path.join(folder, "heart.json")
    subprocess.run([cli, "session", path, "--end", str(END_MS)], check=True, capture_output=True)
    _, report = run(cli, path, os.path.join(folder, "first"), {"time.end_ms": 0.2}, "double")
    with open(path) as f:
        session = json.load(f)
    for found, region in zip(report.get("velocity_tuning", []), session["tissue"]["regions"]):
        del region["velocity_m_per_s"]
        region["conductivity_S_per_m"] = found["conductivity_S_per_m"]
    session["output"].update({"probes_every_ms": 0})
    with open(path, "w") as f:
        json.dump(session, f)
    return path


def accuracy(cli):
    reference = None
    with tempfile.TemporaryDirectory() as folder:
        session = tuned_session(cli, folder)
        for k, (name, sets, precision) in enumerate(WAYS):
            out = os.path.join(folder, str(k))
            seconds, report = run(cli, session, out, sets, precision)
            now = maps(out)
            record = {"bench": "window speed", "what": "accuracy", "way": name, "precision": precision, **sets,
                      "end_ms": END_MS, "unknowns": len(now), "user_s": round(seconds, 2),
                      "share_at_rest": round(report.get("rest", {}).get("share_at_rest", 0), 3),
                      "last_activation_ms": round(max(a for a, _ in now if not math.isnan(a)), 3)}
            if reference is None:
                reference = now
            for what, column in (("activation", 0), ("apd90", 1)):
                off = [x[column] - y[column] for x, y in zip(now, reference)]
                known = sorted(abs(d) for d in off if not math.isnan(d))
                record[what + "_compared"] = len(known)
                record[what + "_rms_ms"] = round(math.sqrt(sum(d * d for d in known) / len(known)), 4)
                record[what + "_p99_ms"] = round(known[int(0.99 * len(known))], 3)
                record[what + "_largest_ms"] = round(known[-1], 3)
            print(json.dumps(record), flush=True)


def window(test, label, session):
    env = {**os.environ, "LIBGL_ALWAYS_SOFTWARE": "1"}
    if session:
        env["TAWARA_RESPONSIVE_SESSION"] = os.path.abspath(session)
    done = subprocess.run([test, "nothingHoldsTheGuiThread"], capture_output=True, text=True, env=env, check=False)
    said = done.stdout + done.stderr
    rate = re.search(r"([\d.]+) frames/s, ([\d.]+) ms simulated/s", said)
    click = re.findall(r"in the tissue after ([\d.]+) ms \(median\), ([\d.]+) ms \(longest\)", said)
    worst = re.search(r"one view: longest event ([\d.]+) ms of processor time .*?, ([\d.]+) ms of wall", said)
    if not (rate and click and worst):
        sys.exit(said)
    print(json.dumps({"bench": "window speed", "what": "window", "label": label, "passed": done.returncode == 0,
                      "frames_a_second": float(rate[1]), "simulated_ms_a_second": float(rate[2]),
                      "click_to_tissue_ms": {"median": float(click[-1][0]), "longest": float(click[-1][1])},
                      "gui_thread_longest_ms": {"processor": float(worst[1]), "wall": float(worst[2])}}))


if sys.argv[1] == "accuracy":
    accuracy(os.path.abspath(sys.argv[2]))
else:
    window(os.path.abspath(sys.argv[2]), sys.argv[3], sys.argv[4] if len(sys.argv) > 4 else "")
