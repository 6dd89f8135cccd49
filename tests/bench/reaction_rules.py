#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Speeds of plane waves by mass and by how the reaction is integrated, against the exact speed: space alone counts.

    reaction_rules.py RECORD.jsonl [H_OVER_WIDTH...]

M v_t + K v = m f(v) (vertex rule) or M f(v) (consistent), M lumped or consistent, f = k v (1 - v) (v - 0.1), whose front
v = 1 / (1 + exp(x sqrt(k / 2 D))) moves at 0.8 sqrt(D k / 2). Linear elements; along x the masses and stiffnesses of
tetrahedra of cubes are those of elements of one dimension. Runge and Kutta's method with steps whose error does not count.
Edges h are in widths of the front (10 to 90 %). Adds a line to RECORD.jsonl for each edge, and prints it.
"""
import json
import math
import subprocess
import sys

A = 0.1  # the threshold; D and the width are 1
K = 2 * (2 * math.log(9)) ** 2
EXACT = math.sqrt(K / 2) * (1 - 2 * A)


class Rows:
    """Consistent mass over h, and what solves with it."""

    def __init__(self, n):
        self.diagonal = [1 / 3] + [2 / 3] * (n - 2) + [1 / 3]
        self.eliminated = self.diagonal[:]
        for i in range(1, n):
            self.eliminated[i] -= 1 / 36 / self.eliminated[i - 1]

    def times(self, u):
        padded = [0.0] + u + [0.0]
        return [d * padded[i + 1] + (padded[i] + padded[i + 2]) / 6 for i, d in enumerate(self.diagonal)]

    def solve(self, b):
        x = b[:]
        for i in range(1, len(x)):
            x[i] -= x[i - 1] / 6 / self.eliminated[i - 1]
        x[-1] /= self.eliminated[-1]
        for i in range(len(x) - 2, -1, -1):
            x[i] = (x[i] - x[i + 1] / 6) / self.eliminated[i]
        return x


def speed_error(h, lumped, vertex_rule):
    """Of the speed, relative; None where the wave does not arrive."""
    n = max(round(11 / h), 12) + 1
    rows, lump = Rows(n), [0.5] + [1.0] * (n - 2) + [0.5]
    v = [1 / (1 + math.exp((i * h - 2) * math.sqrt(K / 2))) for i in range(n)]

    def rate(u):
        f = [K * x * (1 - x) * (x - A) for x in u]
        q = [m * x for m, x in zip(lump, f)] if vertex_rule else rows.times(f)
        for i in range(n - 1):
            flow = (u[i + 1] - u[i]) / h / h
            q[i] += flow
            q[i + 1] -= flow
        return [x / m for x, m in zip(q, lump)] if lumped else rows.solve(q)

    dt = min(0.15 * h * h, 0.1 / K)
    places, times, t = (round(5 / h), round(9 / h)), [None, None], 0.0
    while t < 30 / EXACT and None in times:
        a = rate(v)
        b = rate([x + dt / 2 * y for x, y in zip(v, a)])
        c = rate([x + dt / 2 * y for x, y in zip(v, b)])
        d = rate([x + dt * y for x, y in zip(v, c)])
        w = [x + dt / 6 * (p + 2 * q + 2 * r + s) for x, p, q, r, s in zip(v, a, b, c, d)]
        for k, i in enumerate(places):
            if times[k] is None and w[i] >= 0.5:
                times[k] = t + dt * (0.5 - v[i]) / (w[i] - v[i])
        v, t = w, t + dt
    return None if None in times else (places[1] - places[0]) * h / (times[1] - times[0]) / EXACT - 1


def main():
    record, edges = sys.argv[1], [float(x) for x in sys.argv[2:]] or [0.1, 0.2, 0.4, 0.6, 0.8]
    commit = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True, check=True)
    for h in edges:
        row = {"bench": "reaction rules", "commit": commit.stdout.strip(), "h_over_width": h}
        for lumped in (True, False):
            for vertex_rule in (True, False):
                e = speed_error(h, lumped, vertex_rule)
                key = f"{'lumped' if lumped else 'consistent'}_mass_{'vertex_rule' if vertex_rule else 'consistent_reaction'}"
                row[key + "_percent"] = None if e is None else round(100 * e, 2)
        print(json.dumps(row), flush=True)
        with open(record, "a", encoding="utf-8") as f:
            f.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
