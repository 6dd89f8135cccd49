#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of records/CELL_MODELS.md from records/cell_accuracy.json.

    accuracy_table.py [--write]      prints them, or puts them into CELL_MODELS.md
"""
import json
import pathlib
import sys

RECORDS = pathlib.Path(__file__).parent / "records"
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


def main():
    lines = list(table(json.loads((RECORDS / "cell_accuracy.json").read_text())))
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


main()
