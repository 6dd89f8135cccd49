#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""paced_verdict.py [--merge RECORD...] [--write]

--merge: joins records of tawara-bench-paced (later ones win) to records/cell_paced.json.
Then works out each model's steps from that record and records/cell_accuracy.json ("verdict" in the
former; --write puts the table into records/CELL_MODELS.md):

A step holds when all variants and cycle lengths that were paced keep V within 1.5 % (RRMS) of CVODE
and every concentration but the subspace's within 5 % (its least and largest value in the last two
beats, null where a store is emptied; rows of older records have its value at the end alone). Cycle
lengths at which the reference does not answer every pulse (its last two APD90 differ by more than
half) do not count for either: of a pulse onto the end of an action potential they say little; nor do
those at which cells fire by themselves between pulses. Failures count at all of them. The light
form of Rush-Larsen stands for Rush-Larsen where that was not paced. The step of a scheme is the
largest one that one beat allows (cell_accuracy.json) and that is shorter than every paced step that
did not hold. It is left out where the shortest paced step did not hold: nothing says that a shorter
one does.
"""
import json
import pathlib
import sys

RECORDS = pathlib.Path(__file__).parent / "records"
LADDER = [0.1, 0.05, 0.02, 0.01, 0.005, 0.002]
LIMIT = (1.5, 5.0)  # of V, of concentrations
# Their calcium is the same, only the fast sodium current differs: what either shows holds for both.
# Purkinje cells that fire by themselves every 1.2 s: between pulses 2000 ms apart beats of their own
# come, and a hundred cycles add up what one shifts the next.
OWN_RHYTHM = {("stewart_2009", "2000")}
# The subspace's calcium peaks for less than the millisecond between samples: not judged.
SUBSPACE = ("calcium.Cass", "calcium.CaSS", "calcium.Ca_j")
TOGETHER = ("ohara_rudy_2011", "ohara_rudy_2011_tissue")
SCHEMES = ["forward_euler", "rk4", "rush_larsen", "rush_larsen_light", "grl1", "grl2",
           "backward_euler_single", "backward_euler"]
BEGIN, END = "<!-- paced: begin -->", "<!-- paced: end -->"


def compact(value, depth=0):
    """As tests/bench/compact_json.hpp writes it; what is innermost stands on one line."""
    plain = not isinstance(value, (dict, list)) or not value or not any(
        isinstance(x, dict) for x in (value.values() if isinstance(value, dict) else value))
    if plain or depth >= 5:
        return json.dumps(value)
    pad = " " * (depth + 1)
    inside = ",\n".join(f"{pad}{json.dumps(k)}: {compact(v, depth + 1)}" for k, v in value.items())
    return "{\n" + inside + "\n" + pad[1:] + "}"


def merged(files):
    out = None
    for file in files:
        record = json.loads(pathlib.Path(file).read_text())
        if out is None:
            out = {k: v for k, v in record.items()
                   if k not in ("models", "threads", "wall_seconds", "complete")}
            out["models"] = {}
        for name, model in record["models"].items():
            here = out["models"].setdefault(name, {"reference": {}, "schemes": {}})
            for cycle, reference in model["reference"].items():
                if reference or cycle not in here["reference"]:
                    here["reference"][cycle] = reference
            for scheme, rows in (model["schemes"] or {}).items():
                here["schemes"].setdefault(scheme, {}).update(rows)
    return out


def answers(reference):
    """Whether each pulse makes an action potential."""
    apd = (reference or {}).get("apd90_ms") or [None, None]
    return None not in apd and min(apd) > 0.5 * max(apd)


def off(cycle):
    """The largest error of a concentration."""
    values = [x for name, v in cycle.get("off_percent", {}).items() if name not in SUBSPACE
              for x in (v if isinstance(v, list) else [v])]
    return max((abs(x) for x in values if x is not None), default=0.0)


def worst(key, row, references):
    """Errors of V and of concentrations over a row's cycle lengths; infinite where one failed."""
    v, c = 0.0, 0.0
    for length, cycle in row.items():
        if not isinstance(cycle, dict) or not cycle:
            continue
        if cycle.get("rrms_percent") is None:
            return float("inf"), float("inf")
        if answers(references.get(length)) and (key, length) not in OWN_RHYTHM:
            v, c = max(v, cycle["rrms_percent"]), max(c, off(cycle))
    return v, c


def beyond(errors, limits):
    return any(e > limit for e, limit in zip(errors, limits))


def rows_of(model, scheme):
    rows = model["schemes"].get(scheme, {})
    return rows or (model["schemes"].get("rush_larsen_light", {}) if scheme == "rush_larsen" else {})


def larger(a, b):
    return tuple(map(max, a, b)) if a else b


def paced_steps(models, name, scheme):
    """Of each step the worst variant."""
    steps = {}
    for key, model in models.items():
        if key.split(":")[0] == name:
            for step, row in rows_of(model, scheme).items():
                steps[float(step)] = larger(steps.get(float(step)),
                                            worst(key, row, model["reference"]))
    return steps


def one_beat(accuracy, name, scheme):
    steps = [m["schemes"].get(scheme, {}).get("largest_step_ms") or 0
             for key, m in accuracy.items() if key.split(":")[0] == name]
    return min(steps) if steps else 0


def verdict(record, accuracy):
    models = record["models"]
    out = {}
    for name in dict.fromkeys(key.split(":")[0] for key in models):
        together = TOGETHER if name in TOGETHER else (name,)
        out[name] = {}
        for scheme in SCHEMES:
            beat = one_beat(accuracy, together[0], scheme)
            steps = {}
            for n in together:
                for step, error in paced_steps(models, n, scheme).items():
                    steps[step] = larger(steps.get(step), error)
            wrong = min((s for s, error in steps.items() if beyond(error, LIMIT)), default=1)
            step = next((s for s in LADDER if s <= beat and s < wrong), 0)
            if step and not (steps and step < min(steps)):
                v, c = steps.get(step, (None, None))
                out[name][scheme] = {"step_ms": step, "paced_rrms_percent": v,
                                     "paced_off_percent": c}
    return out


def table(record):
    lines = ["| model | FE | RK4 | RL | LRL | GRL1 | GRL2 | BE single | BE |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    for name, schemes in record["verdict"].items():
        cells = []
        for scheme in SCHEMES:
            one = schemes.get(scheme)
            cells.append("–" if not one else f"{one['step_ms']:g} (one beat)"
                         if one["paced_rrms_percent"] is None
                         else f"{one['step_ms']:g} ({one['paced_rrms_percent']:.2g}, "
                              f"{one['paced_off_percent']:.2g} %)")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(arguments):
    target = RECORDS / "cell_paced.json"
    files = [a for a in arguments if not a.startswith("--")]
    before = json.loads(target.read_text()) if target.exists() else {}
    record = before
    if "--merge" in arguments:
        written = {k: before.get(k) for k in ("machine", "compiler")}  # by hand
        record = {**written, **merged(files)}
    record["models"] = dict(sorted(record["models"].items()))
    accuracy = json.loads((RECORDS / "cell_accuracy.json").read_text())["models"]
    record["verdict"] = verdict(record, accuracy)
    target.write_text(compact(record) + "\n")
    if "--write" in arguments:
        page = RECORDS / "CELL_MODELS.md"
        text = page.read_text()
        before, rest = text.split(BEGIN)
        page.write_text(before + BEGIN + "\n" + table(record) + "\n" + END + rest.split(END)[1])
    for name, schemes in record["verdict"].items():
        print(name + ":", "; ".join(f"{s} = {v['step_ms']:g}" for s, v in schemes.items()))


if __name__ == "__main__":
    main(sys.argv[1:])
