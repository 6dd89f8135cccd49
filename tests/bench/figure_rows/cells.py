# SPDX-License-Identifier: GPL-3.0-or-later
"""Cell models and cells with stochastic dyads."""
from .row import Section, commas, fix, rows_of, span

MODELS, DYADS = [], []
model, dyads = rows_of(MODELS), rows_of(DYADS)
QUEUE = "h200_models_queue.json"
TEN = {"model": "ten_tusscher_2006", "scheme": "rush_larsen_light"}


@model("CPU, TT06 compiled from its text, and `fvm`, one core with AVX-512: double; single precision",
       "explicit, 0.02 ms, one sub-step; a slab, set-up not in it; 200 steps, the median of three", "`for p in double single; do tawara-cli bench step --devices cpu "
       "--threads 1 --size 97500 --precision $p; done`")
def _(use):
    rows = [use.one("step_cpu.json", commit="22646ae", precision=p)["median_M_cell_steps_per_s"] for p in ("double", "single")]
    return "; ".join(fix(v, 1) for v in rows) + " million cell-steps/s"


def kernel(rows, **keys):
    return next(r for r in rows if all(r.get(k) == v for k, v in keys.items()))


@model("TT06 (LRL) alone, 12.6 million cells, one H200, of the speed of a copy: double; single precision", "no diffusion, cells after their beat; bytes "
       "are those that the program's own structures move", "`tawara-bench-models --cells 12582912 ten_tusscher_2006`")
def _(use):
    r = use.all(QUEUE)[0]
    copy = r["ceilings_12582912"]["copy_GB_per_s"]
    return "; ".join(fix(kernel(r["kernels_12582912"], precision=p, **TEN)["GB_per_s"] / copy) for p in ("double", "single"))


@model("other models there, 1 million cells, double (the record has more, also GRL1 and single precision): Courtemanche, O'Hara-Rudy LRL; "
       "O'Hara-Rudy, Greenstein 2006 GRL1", "no diffusion, cells after their beat; Mitchell-Schaeffer's shape has changed since", "`tawara-bench-models`")
def _(use):
    rows = use.all(QUEUE)[0]["kernels"]
    of = lambda m, s: fix(kernel(rows, model=m, scheme=s, precision="double")["us"], 0)
    return (f"{of('courtemanche_1998', 'rush_larsen_light')}, {of('ohara_rudy_2011', 'rush_larsen_light')}; "
            f"{of('ohara_rudy_2011', 'grl1')}, {of('greenstein_2006', 'grl1')} us a step")


def compiled(use, name, vectors):
    rows = use.all(name)[0]["results"]
    return [kernel(rows, precision=p, vectors=vectors, **TEN)["at_rest"] for p in ("double", "single")]


def over(rows):
    return " and ".join(fix(r["ratio"]) for r in rows)


def rates(rows):
    return f"fastest {fix(rows[0]['cell_steps_per_s'] / 1e6, 1)}; {fix(rows[1]['cell_steps_per_s'] / 1e6, 1)} million cell-steps/s"


@model("compiled TT06 (LRL) on one core of a Zen 4, AVX-512, cells at rest, over hand-written code (median of 120 ratios): double and single precision; "
       "the fastest of 120 repetitions", "no diffusion; 1024 cells, which lie in the cache; the record has no median rate", "`tawara-bench-reaction ten_tusscher_2006`")
def _(use):
    rows = compiled(use, "reaction_cpu.json", "AVX-512")
    return f"{over(rows)}; {rates(rows)}"


@model("the same on a core of an Intel Xeon; the ratios limited to AVX2 there", "as above", "`tawara-bench-reaction ten_tusscher_2006`")
def _(use):
    wide, narrow = [compiled(use, "reaction_cpu_intel.json", v) for v in ("AVX-512", "AVX2")]
    return f"{over(wide)}; {rates(wide)}; {over(narrow)}"


def prose(_):
    return """Release builds are hardened (stack protector, `_FORTIFY_SOURCE`, PIE, RELRO); what that costs a step on the CPU has no valid
record. Largest good steps of each model are in `records/CELL_MODELS.md` and `cell info`; records of theirs do not name their machine (both
below)."""


CALCIUM, SPLIT = "calcium-h100.jsonl", "draws by fewer numbers, dyad_kernel split"


@dyads("cells with 10 000 stochastic dyads, one H100, a beat of 500 ms, 1500 and 4096 cells: double; mixed precision", "no diffusion; steps of 0.05 ms; "
       "the first steps of every 10 ms are timed kernel by kernel", "`for p in double mixed; do for n in 1500 4096; do tawara-bench-calcium-gpu $n $p 500; done; done`")
def _(use):
    out = []
    for p in ("double", "mixed"):
        rows = [use.one(CALCIUM, variant=SPLIT, cells=n, shares=1, precision=p) for n in (1500, 4096)]
        out.append(commas([r["all"]["cell_computations_per_s"] / 1e6 for r in rows], fix))
    return "; ".join(out) + " million cell computations a second"


@dyads("a cube of 13 824 such cells as tissue, 500 ms, one H100, double; single precision: time, cell computations a second, memory",
       lambda use: f"set-up of {span([r['begin_s'] for r in use.all(CALCIUM, bench='calcium tissue', cells=13824)], fix, 1)} s is not in it; one "
       "diffusion pass a step", "`for p in double single; do tawara-bench-calcium-tissue 24 $p 500; done`")
def _(use):
    rows = [use.one(CALCIUM, bench="calcium tissue", cells=13824, precision=p) for p in ("double", "single")]
    return (f"{commas([r['all_s'] for r in rows], fix, 0)} s; {commas([r['cell_computations_per_s'] / 1e6 for r in rows], fix)} million; "
            f"{commas([r['device_bytes'] / 1e9 for r in rows], fix, 1)} GB")


@dyads("two H200 against one: 8192 against 4096 cells; 4096 shared, double, mixed: efficiency", "no diffusion",
       "`for p in double mixed; do tawara-bench-calcium-gpu 4096 $p 500 1 1; for n in 4096 8192; do tawara-bench-calcium-gpu $n $p 500 2 2; done; done`")
def _(use):
    def of(p, cells, gpus):
        return use.one("calcium-h200-x2.jsonl", bench="calcium gpu", precision=p, cells=cells, gpus=gpus)["all"]["cell_computations_per_s"]
    return "; ".join(commas([of(p, n, 2) / of(p, 4096, 1) / 2 for p in ("double", "mixed")], fix, 3) for n in (8192, 4096))


@dyads("such cells on one core, AVX-512, processor time of a beat, a dyad's step: double; mixed precision (bar: 8 ns, missed)",
       "five turns, others used the cores as well", "`tawara-bench-calcium speed 1 1`")
def _(use):
    out = []
    for p in ("double", "mixed"):
        out.append(span([r["ns_a_dyad_and_step"]["beat"] for r in use.all("calcium-speed.jsonl", commit="67c5185511f0", precision=p)], fix, 1))
    return "; ".join(out) + " ns"


@dyads("the same on one core of two other processors: AVX-512 (Xeon), double; mixed; AVX2 (Zen 3), double; mixed",
       "three runs each; the Xeon's other cores were idle, the other processor was shared", "`tawara-bench-calcium speed 1 1`")
def _(use):
    out = []
    for s in ("AVX3", "AVX2"):
        for p in ("double", "mixed"):
            out.append(span([r["ns_a_dyad_and_step"]["beat"]
                             for r in use.all("calcium-speed-others.jsonl", commit="6384ffc1336c", instruction_set=s, precision=p)], fix, 1))
    return "; ".join(out) + " ns"


SECTIONS = [Section("Cell models", MODELS, prose), Section("Cells with stochastic dyads", DYADS)]
