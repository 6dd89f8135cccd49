#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of records/CELL_MODELS.md, and the largest steps that the models of resources/models name, from
records/cell_accuracy.json.

    accuracy_table.py [--write]      prints the table, or writes it and the models' steps
"""
import json
import pathlib
import re
import sys

RECORDS = pathlib.Path(__file__).parent / "records"
MODELS = pathlib.Path(__file__).parents[2] / "resources/models"
SCHEMES = [("forward_euler", "FE"), ("rk4", "RK4"), ("rush_larsen", "RL"),
           ("rush_larsen_light", "LRL"), ("grl1", "GRL1"), ("grl2", "GRL2"),
           ("backward_euler_single", "BE single"), ("backward_euler", "BE")]


def single_precision(row, steps):
    """The longest of the steps that a scheme can take, and what single precision costs there."""
    for step in reversed(steps):
        for scheme in ("rush_larsen_light", "grl1", "grl2"):
            error = row["single_against_double_percent"].get(scheme, {}).get(step)
            if error is not None:
                name = dict(SCHEMES)[scheme]
                return f"{error:g}" + ("" if (name, step) == ("LRL", "0.02") else
                                       f" ({name}, {step} ms)")
    return "–"


def table(record):
    head = ["model", "states"] + [short for _, short in SCHEMES]
    head += ["LRL error at 0.02 ms, %", "single against double, %"]
    yield "| " + " | ".join(head) + " |"
    yield "| " + " | ".join("---" for _ in head) + " |"
    at = record["steps_ms"].index(0.02)
    for name, row in sorted(record["models"].items()):
        cells = [name, str(row["states"])]
        for scheme, _ in SCHEMES:
            step = row["schemes"].get(scheme, {}).get("largest_step_ms")
            cells.append("–" if step is None else f"{step:g}")
        error = row["schemes"]["rush_larsen_light"]["beat_percent"][at]
        cells.append("–" if error is None else f"{error:g}")
        cells.append(single_precision(row, ["0.002", "0.005", "0.02"]))
        yield "| " + " | ".join(cells) + " |"


def write_steps(record):
    """The largest step of each scheme that all variants of a model take; four schemes a line."""
    for path in MODELS.glob("*.mmt"):
        rows = [row for name, row in record["models"].items() if name.split(":")[0] == path.stem]
        known = []
        for scheme, _ in SCHEMES:
            steps = [row["schemes"][scheme]["largest_step_ms"] for row in rows]
            if all(steps):
                known.append(f"{scheme} = {min(steps):g}")
        lines = ["; ".join(known[k:k + 4]) for k in range(0, len(known), 4)]
        entry = 'largest_step_ms: """' + ";\n    ".join(lines) + '\n    """\n'
        text = path.read_text()
        path.write_text(re.sub(r'largest_step_ms: """.*?"""\n', entry, text, flags=re.S))


def main():
    record = json.loads((RECORDS / "cell_accuracy.json").read_text())
    lines = list(table(record))
    if "--write" not in sys.argv:
        print("\n".join(lines))
        return
    file = RECORDS / "CELL_MODELS.md"
    old = file.read_text().split("\n")
    first = next(k for k, line in enumerate(old) if line.startswith("| model | states | FE"))
    last = first
    while old[last].startswith("|"):
        last += 1
    file.write_text("\n".join(old[:first] + lines + old[last:]))
    write_steps(record)


main()
