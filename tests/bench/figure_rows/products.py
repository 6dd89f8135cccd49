# SPDX-License-Identifier: GPL-3.0-or-later
"""Sparse products and batches of trees."""
import math

from .row import Section, commas, fix, rows_of, sig

PRODUCTS, TREES = [], []
product, tree = rows_of(PRODUCTS), rows_of(TREES)
SPMV, CABLE = "spmv-bench3-h100.jsonl", "cable-h100.jsonl"
LATEST = "runs, then rounds; reciprocals, four warps a block"
BENCH = "`tawara-cli bench cable {} --systems 256 25600 256000 --devices cuda:0`"


def best(products, peer, order=None):
    return min(p["us"] for p in products if p["way"].startswith("cuSPARSE") == peer and (order is None or p["order"] == order))


def advantage(lines, own_order, peer_order, renumbered=False):
    ratios = []
    for r in lines:
        own = [p for p in r["products"] if not renumbered or "renumbered" in p["way"]]
        ratios.append(best(r["products"], True, peer_order) / best(own, False, own_order))
    return math.exp(sum(math.log(x) for x in ratios) / len(ratios))


def parts_of(use):
    """The lines of matrices, in double precision and in single."""
    use.all(SPMV)
    lines = use.records.lines(SPMV)
    at = [k for k, r in enumerate(lines) if list(r) and "matrix" not in r and "precision" in r and "products" not in r]
    return [[r for r in lines[a + 1:b] if "matrix" in r] for a, b in zip(at, at[1:] + [len(lines)])]


def renumbered_best(lines):
    """Of how many matrices the program's best way is a renumbered one."""
    own = [[p for p in r["products"] if not p["way"].startswith("cuSPARSE")] for r in lines]
    return sum("renumbered" in min(products, key=lambda p: p["us"])["way"] for products in own)


@product("sparse products, one H100, cold, all 15 matrices of the bench: the program's best way, against the best of cuSPARSE in the mesh's "
         "own order, geometric mean, double; single (bar 1.4, missed in double); each in its better order; both in the mesh's own",
         lambda use: "what renumbering takes, where the best way is a renumbered one (of the matrices {} in double precision, {} in single); other "
         "than the hearts they are stand-ins made to published counts".format(*map(renumbered_best, parts_of(use))),
         "`for p in double single; do tawara-cli bench spmv heart heart:1 heart:2 stand-ins --devices cuda:0 --precision $p; done`")
def _(use):
    parts = parts_of(use)
    out = []
    for own, peer in ((None, "own"), (None, None), ("own", "own")):
        out.append("; ".join(fix(advantage(part, own, peer)) for part in parts))
    return ". ".join(out)


def batch(use, name, systems, program=LATEST):
    return use.one(CABLE, tree=name, systems=systems, program=program)


def fastest(r, peer=False):
    return min((w for w in r["ways"] if ("cuSPARSE" in w["way"]) == peer), key=lambda w: w["us"])


@tree("batches of trees, one H100, double, cold, 305 nodes: 256, 25 600, 256 000 systems; of the triad, 5 words a node",
      "the best of the lengths of runs that were tried", BENCH.format("medium-low"))
def _(use):
    ways = [fastest(batch(use, "medium-low", n)) for n in (256, 25600, 256000)]
    return f"{commas([w['us'] for w in ways], lambda v: sig(v, 4 if v > 999 else 3))} us; {commas([w['of_triad'] for w in ways], fix)}"


@tree("chains of 512 nodes, 256, 25 600, 256 000 systems: the program; the better of cuSPARSE's two routines", "as above", BENCH.format("chain:512"))
def _(use):
    rows = [batch(use, "chain:512", n) for n in (256, 25600, 256000)]
    return "; ".join(commas([fastest(r, peer)["us"] for r in rows], lambda v: sig(v, 4 if v > 999 else 3)) for peer in (False, True)) + " us"


@tree("trees that differ (six sizes in turn, 360 nodes in the mean), one H100, double: 256, 25 600, 256 000 systems", "as above", BENCH.format("mixed"))
def _(use):
    rows = [batch(use, "mixed", n, "trees that differ") for n in (256, 25600, 256000)]
    return commas([fastest(r)["us"] for r in rows], lambda v: sig(v, 4 if v > 999 else 3)) + " us"


SECTIONS = [Section("Sparse products", PRODUCTS), Section("Batches of trees", TREES)]
