#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints two benchmark records side by side: compare.py A.json B.json [CASE].

A file holds one record a line, or one record. Records are matched by bench, scheme, precision and the number of
unknowns; CASE keeps those whose case contains it.
"""
import json
import statistics
import sys


def records(path):
    with open(path) as f:
        text = f.read()
    try:
        whole = json.loads(text)
        return whole if isinstance(whole, list) else [whole]
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]


def numbers(r):
    true = statistics.median(r["samples_ms"]) / r["median_ms"] if r.get("samples_ms") and r.get("median_ms") else 1
    for name, key in (("median ms per step", "median_ms"), ("unknown-steps per s", "unknown_steps_per_s"),
                      ("s per simulated s", "seconds_per_simulated_second"),
                      ("times memory bound", "times_memory_bound")):
        if r.get(key) is not None:  # of older records the median is the upper of the samples' middle two
            yield name, r[key] * (true if key != "unknown_steps_per_s" else 1)
    if "ceilings" in r:
        yield "triad GB/s", r["ceilings"]["triad_GB_per_s"]
    for reference, fields in r.get("against", {}).items():
        for field, errors in fields.items():
            yield f"{field} RMS ms, {reference}", errors["rms_ms"]
    for k in r.get("kernels", []):
        yield f"{k['name']} ms", k["ms"]
        if "GB_per_s" in k:
            yield f"{k['name']} GB/s", k["GB_per_s"]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    a, b = records(sys.argv[1]), records(sys.argv[2])
    wanted = sys.argv[3] if len(sys.argv) > 3 else ""
    key = lambda r: (r["bench"], r["scheme"], r["precision"], r["unknowns"], r["device"].count("+"), r["dt_ms"],
                     r["diffusion_stages"], r.get("rest_tolerance_mV", 0))
    for x in a:
        for y in b:
            if key(x) != key(y) or wanted not in x["case"]:
                continue
            print(f"\n{x['bench']} {x['scheme']} {x['precision']} {x['unknowns']} unknowns")
            print(f"  {'':28}{x['commit'][:12]:>16}{y['commit'][:12]:>16}{'ratio':>9}")
            print(f"  {'case':28}{x['case'][-15:]:>16}{y['case'][-15:]:>16}")
            other = dict(numbers(y))
            for name, value in numbers(x):
                if name in other:
                    ratio = other[name] / value if value else float("nan")
                    print(f"  {name:28}{value:16.6g}{other[name]:16.6g}{ratio:9.3f}")


if __name__ == "__main__":
    main()
