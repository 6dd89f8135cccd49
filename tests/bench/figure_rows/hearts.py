# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole hearts on GPUs: what a simulated second and a beat take, and how exact they are."""
import math
from statistics import median

from .gpu_tests import compute_sanitizer, full_command, full_tests, not_at_full_length, not_sanitized
from .row import Section, fix, met, rows_of, sig, span

HEART = "`tawara-bench $HEART {cases}`"
CLI = "BUILD/engine/cli/tawara-cli"
EDGE_MM = 1.9491 / 4
CHECKED = "h200-checked.jsonl"
ONE, TWO, FOUR = "h200-heart-1-queue.jsonl", "h200-heart-x2-queue.jsonl", "h200-heart-x4-groups.jsonl"
HEADLINES, UNCHECKED, SPEEDS, RECORDS = [], [], [], []
headline, unchecked, speed = rows_of(HEADLINES), rows_of(UNCHECKED), rows_of(SPEEDS)


def median_ms(r):
    """Of a step: the samples' median, and where there are none what the record calls so."""
    return median(r["samples_ms"]) if r.get("samples_ms") else r["median_ms"]


def seconds(r):
    return sig(median_ms(r) / r["dt_ms"])


def by_total(r):
    """A simulated second by the sum of all samples; seconds() is by their median."""
    return sig(1e3 * r["seconds"] / (r["steps"] * r["dt_ms"]))


def samples(r):
    n = len(r["samples_ms"])
    return f"{n} samples of {r['steps'] // n} steps"


def efficiency(one, four):
    """Of four GPUs by the sums of all samples."""
    return fix(one["seconds"] / one["steps"] / (four["seconds"] / four["steps"]) / 4)


def median_efficiency(one, four):
    return fix(median_ms(one) / median_ms(four) / 4)


def setup(*lines):
    """What a run's preparation took; the mesh is read and refined before that, which no record has."""
    return span([r["seconds_of_setup"]["operator"] + r["seconds_of_setup"]["case"] for r in lines], sig, 2) + " s"


def design(r):
    """Times the time of the design's bytes (216 for diffusion, 305 for cells; in single precision 144 and 153)."""
    return fix(r["times_memory_bound"] * median_ms(r) / r["median_ms"])


def own(r):
    """Times the time of the bytes that the program's own structures move, by the ceilings of the same run."""
    return fix(median_ms(r) / sum(k["bytes"] / k["ceiling_GB_per_s"] * 1e-6 for k in r["kernels"]))


def own_bytes(r):
    return sig(sum(k["bytes"] for k in r["kernels"]) / r["unknowns"])


def checked(use, r):
    """Whether the stability of this very operator was analysed (`check`) in any record; the line's own is named first."""
    if r["scheme"] == "p1":
        return "its operator is symmetric, so that no mode can grow (NUMERICS.md, 3)"
    for name in sorted(use.records.names(), key=lambda n: r not in use.records.lines(n)):
        for line in use.records.lines(name):
            if isinstance(line, dict) and "stability" in line and line["mesh"]["operator_hash"] == r["mesh"]["operator_hash"]:
                s = line["stability"]
                cells = f", {s['repaired_cells']} cells repaired" if s.get("repaired_cells") else ""
                return f"its operator was checked: {'stable' if s['stable'] else 'not stable'}{cells} (`{name}`)"
    return "its operator was not checked (`check` does)"


def off(use, scheme, sigma, other, edge_mm=EDGE_MM):
    """By how many per cent a plane wave is off at this edge, worked out of mesh-errors.jsonl between its edges. By fvm also
    between its ratios of the conductivity in the wave's direction to the other one (simulation::velocity_error())."""
    width_mm = (sigma / 1.4) ** 0.5  # of the front: surface to volume 140 /mm, 1 uF/cm2
    x = edge_mm / width_mm
    rows = use.all("mesh-errors.jsonl")
    part = max(-1, min(1, math.log(sigma / other) / math.log(rows[0]["conductivity_ratio_of_fibres"]))) if scheme == "fvm" else 0
    def error(r):
        errors = r["relative_error_of_velocity"]
        even = errors[scheme]
        return even + abs(part) * (errors["fvm_across" if part < 0 else "fvm_along"] - even) if part else even
    points = sorted((r["edge_in_widths"], error(r)) for r in rows)
    for (a, ya), (b, yb) in zip(points, points[1:]):
        if a <= x <= b:
            return 100 * (ya + (yb - ya) * (x - a) / (b - a))
    raise LookupError(f"mesh-errors.jsonl has no edges around {x:.1f} widths")


def against_fine(use, scheme):
    along, across = off(use, scheme, 0.227, 0.0567), off(use, scheme, 0.0567, 0.227)
    def much(error):
        return f"{fix(abs(error), 0)} % {'slow' if error < 0 else 'fast'}"
    return (f"on edges of {fix(EDGE_MM)} mm a plane wave is {much(along)} along and {much(across)} across fibres against a converged one "
            "(`mesh-errors.jsonl`); the heart itself has no converged solution")


def finite_volumes(case, name, *more):
    """What a row of explicit finite volumes leaves out."""
    def leaves(use):
        r = use.one(name, case=case)
        steps_ms = r["steps"] * r["dt_ms"]
        extrapolated = ("nothing extrapolated" if steps_ms >= 1000 else
                        f"{samples(r)} ({sig(steps_ms)} ms), scaled to 1000")
        parts = [f"`fvm`, explicit, {r['diffusion_stages']} sub-step{'s' if r['diffusion_stages'] > 1 else ''}",
                 f"{sig(100 * r['added_volume_fraction'], 2)} % of volume added", "no unknown rests", f"set-up {setup(r)}", extrapolated,
                 checked(use, r), against_fine(use, "fvm"), *more]
        if name == CHECKED:
            parts.insert(-1 - len(more), "two groups of cells were left to Lanczos; the set-up's operator beside compilers")
        return "; ".join(parts)
    return leaves


def rested(name, case):
    """What a row of a beat with unknowns at rest leaves out."""
    def leaves(use):
        r = use.one(name, case=case)
        nodal = use.one("interpolated-h100.jsonl", case="beat,cuda:0,single,220,p1,eta=0,against=f")
        return (f"`p1` with nodal currents, explicit, single precision; rest {r['rest_tolerance_mV']} mV, the share at rest was not "
                f"noted; total of one run, set-up {setup(r)}; nothing extrapolated; {checked(use, r)}; {against_fine(use, 'nodal')}; against `fvm` on "
                f"such a mesh activation is off by {fix(nodal['against']['f']['activation']['rms_ms'], 0)} ms (RMS) at 0.02 ms")
    return leaves


STEP, LONG = "step,cuda:0,double,10000,fvm,eta=0.002", "step,cuda:0,double,50000,fvm,eta=0.002"
RESTED = "beat,{},{},1000,fvm,eta=0.002,check,rest=0.1{}"
BEAT = "beat,cuda:0;1;2;3,single,1000,p1,dt=0.04,rest=0.1,against=ref"


@headline("generated heart of 11.7 million tetrahedra, double precision, 20 us: **a simulated second on one H200**",
          finite_volumes(STEP + ",check", CHECKED), HEART)
def _(use):
    r = use.one(CHECKED, case=STEP + ",check")
    triad, copy = (r["ceilings"][k] / 1e3 for k in ("triad_GB_per_s", "copy_GB_per_s"))
    return (f"{seconds(r)} s (median); {own(r)} times the time of the {own_bytes(r)} B a cell that the program's own structures move, "
            f"at the triad's {fix(triad)} TB/s, {design(r)} times that of the design's 521 B, diffusion at the triad's, cells at the copy's "
            f"{fix(copy)} TB/s, all measured in the run")


@unchecked("generated heart of 11.7 million tetrahedra, double precision, 20 us: a simulated second on four H200 (one GPU of that machine; "
           "efficiency), by the median sample; by the total",
           finite_volumes(STEP.replace("cuda:0", "cuda:0;1;2;3"), FOUR), HEART)
def _(use):
    four, one = use.one(FOUR, case=STEP.replace("cuda:0", "cuda:0;1;2;3")), use.one(FOUR, case=STEP)
    return f"{seconds(four)} s ({seconds(one)}; {median_efficiency(one, four)}); {by_total(four)} s ({by_total(one)}; {efficiency(one, four)})"


@unchecked("the same, every step of a second, by the median sample; by the total", finite_volumes(LONG, "h200-long.jsonl"), HEART)
def _(use):
    four = use.one("h200-long.jsonl", case=LONG.replace("cuda:0", "cuda:0;1;2;3"))
    one = use.one("h200-long.jsonl", case=LONG)
    return f"{seconds(four)} s ({seconds(one)}; {median_efficiency(one, four)}); {by_total(four)} s ({by_total(one)}; {efficiency(one, four)})"


@unchecked("real time: a beat of 1000 ms on the 2.1 million vertices of that heart, 40 us, on four H200", rested(FOUR, BEAT), HEART)
def _(use):
    return f"{sig(use.one(FOUR, case=BEAT)['seconds'], 2)} s"


@unchecked("its errors against double precision with 10 us on the same mesh, no rest: activation, APD90 (RMS, largest)",
           "says nothing of the mesh's own error, which is larger (the row above); the reference is the same record's", HEART)
def _(use):
    use.one(FOUR, case="beat,cuda:0;1;2;3,double,1000,p1,dt=0.01,keep=ref")
    return errors(use.one(FOUR, case=BEAT))


def at_rest(rows):
    return f"{'; '.join(sig(100 * r['share_at_rest'], 2) for r in rows)} % of all steps of unknowns at rest"


def rested_volumes(name, case):
    """What a row of a beat by finite volumes with rest leaves out."""
    def leaves(use):
        r = use.one(name, case=case)
        first = use.one(name, case=STEP + ",check" if name == CHECKED else WITHOUT)["seconds_of_setup"]["operator"]  # later cases keep it
        busy = " beside compilers, two groups of cells by Lanczos" if name == CHECKED else ""
        return (f"`fvm`, explicit, {precision(r)}, 20 us, {sig(100 * r['added_volume_fraction'], 2)} % of volume added; "
                f"{at_rest([r])} ({r['rest_tolerance_mV']} mV, at most {r['longest_quiescent_ms']} ms); total of one run, set-up {setup(r)}, "
                f"and the operator's first {sig(first, 2)} s{busy}; nothing extrapolated; {checked(use, r)}; errors are against the same mesh; "
                f"{against_fine(use, 'fvm')}")
    return leaves


def precision(r):
    return f"{r['precision']} precision"


def within_bars(r, of):
    """Whether activation and APD90 are as near to the run without rest as is wanted."""
    return all(e["rms_ms"] <= 1 and e["percentile99_ms"] <= 3 and e["max_ms"] <= 10 for e in r["against"][of].values())


def in_bars(r, of):
    """RMS, 99th percentile, largest of activation, of APD90, and what the bars come to."""
    each = [", ".join(sig(e[k], 2) for k in ("rms_ms", "percentile99_ms", "max_ms")) for e in r["against"][of].values()]
    return f"{'; '.join(each)} ms ({met(within_bars(r, of))})"


REST = "rest-h200.jsonl"
WITHOUT = "beat,cuda:0,double,1000,fvm,eta=0.002,check,keep=a"
DOUBLE, SINGLE = (RESTED.format("cuda:0", p, ",against=a") for p in ("double", "single"))
ON_TWO = RESTED.format("cuda:0;1", "double", ",against=a")


@headline("**rest**, `fvm`, double precision, a beat of 1000 ms on one H200: without; with 0.1 mV (bar: 5 s); activation, APD90 against the first "
          "(RMS, 99 % within, largest; bars: 1, 3, 10 ms)", rested_volumes(REST, DOUBLE), HEART)
def _(use):
    without, r = use.one(REST, case=WITHOUT), use.one(REST, case=DOUBLE)
    return f"{sig(without['seconds'])}; {sig(r['seconds'])} s ({met(r['seconds'] <= 5)}); {in_bars(r, 'a')}"


@headline("**the same in single precision**, with 0.1 mV (bar: 5 s); activation, APD90 against double precision without rest "
          "(RMS, 99 % within, largest; bars: 1, 3, 10 ms)", rested_volumes(REST, SINGLE), HEART)
def _(use):
    use.one(REST, case=WITHOUT)
    r = use.one(REST, case=SINGLE)
    return f"{sig(r['seconds'])} s ({met(r['seconds'] <= 5)}); {in_bars(r, 'a')}"


@headline("**the beat in double precision on two H200** with 0.1 mV, by a program before short steps saw what rests midway; activation, APD90 "
          "against one H200 without rest (RMS, largest)", rested_volumes(CHECKED, ON_TWO), HEART)
def _(use):
    use.one(CHECKED, case=WITHOUT)
    two = use.one(CHECKED, case=ON_TWO)
    return f"{sig(two['seconds'])} s; {errors(two, 'a')}"


def errors(r, of="ref"):
    e = r["against"][of]
    return (f"{fix(e['activation']['rms_ms'])}, {fix(e['activation']['max_ms'], 1)}; {fix(e['apd90']['rms_ms'])}, "
            f"{fix(e['apd90']['max_ms'], 1)} ms")


UNCHECKED_STEP = "its operator, another than the first row's, was not checked (`check` does)"
SAME = f"`fvm`, explicit, no unknown rests; {UNCHECKED_STEP}; set-up not in it, median of ten samples, scaled from {{}} ms to 1000"


@speed("a simulated second of that heart on one H200: single precision; double and two sub-steps",
       f"`fvm`, explicit, no unknown rests; {UNCHECKED_STEP}; median of ten samples, scaled from 200 ms; bounds are of the program's own bytes, then of the design's", HEART)
def _(use):
    single = use.one(ONE, case=STEP.replace("double", "single"))
    two = use.one(ONE, case=STEP.replace("0.002", "0.001"))
    return (f"{seconds(single)} s, {own(single)} and {design(single)} times the bound; {seconds(two)} s, {own(two)} and "
            f"{design(two)} times (with {sig(100 * two['added_volume_fraction'], 2)} % of volume added)")


@speed("on two H200, one sub-step: double; single precision (one GPU of that machine)", SAME.format("200 (on one: 60)"), HEART)
def _(use):
    out = []
    for p in ("double", "single"):
        out.append((use.one(TWO, case=f"step,cuda:0;1,{p},10000,fvm,eta=0.002"), use.one(TWO, case=f"step,cuda:0,{p},3000,fvm,eta=0.002")))
    return f"{'; '.join(seconds(a) for a, _ in out)} s ({'; '.join(seconds(b) for _, b in out)} s)"


@speed("on two H200, two sub-steps, double (one)", SAME.format("120 (on one: 60)"), HEART)
def _(use):
    return (f"{seconds(use.one(TWO, case='step,cuda:0;1,double,6000,fvm,eta=0.001'))} s "
            f"({seconds(use.one(TWO, case='step,cuda:0,double,3000,fvm,eta=0.001'))} s)")


@speed("on four H200, single precision (one GPU of that machine; efficiency)", SAME.format("200 (on one: 120)"), HEART)
def _(use):
    four = use.one(FOUR, case="step,cuda:0;1;2;3,single,10000,fvm,eta=0.002")
    one = use.one(FOUR, case="step,cuda:0,single,6000,fvm,eta=0.002")
    return f"{seconds(four)} s ({seconds(one)}; {median_efficiency(one, four)})"


@speed("on four H200: two sub-steps, double; one sub-step, mixed", SAME.format("120"), HEART)
def _(use):
    return (f"{seconds(use.one(FOUR, case='step,cuda:0;1;2;3,double,6000,fvm,eta=0.001'))}; "
            f"{seconds(use.one(FOUR, case='step,cuda:0;1;2;3,mixed,6000,fvm,eta=0.002'))} s")


@speed("slab of 11.7 million tetrahedra, one H200, a simulated second: double; single precision",
       "no volume added, one sub-step; median of ten samples, scaled from 60 ms; bounds are of the design's bytes", "`tawara-bench --cubes 125 {cases}`")
def _(use):
    out = [use.one("h200-slab-queue.jsonl", case=f"step,cuda:0,{p},3000,fvm") for p in ("double", "single")]
    return f"{'; '.join(seconds(r) for r in out)} s ({'; '.join(design(r) for r in out)} times the bound)"


@speed("diffusion of that heart in 20 us: stages of RKL2 without added volume; with 0.02; 0.18 %",
       "the first two were of an operator before 9ec459b", HEART)
def _(use):
    none = use.one("h200-heart-operator.jsonl", mass_scaling=0.0)
    some = use.one("h200-heart-operator.jsonl", mass_scaling=0.001)
    more = use.one("h200-heart-x4-second.jsonl", case="step,cuda:0,double,2000,fvm,eta=0.002")
    return "; ".join(str(r["diffusion_stages"]) for r in (none, some, more))


@speed("the beat of the real-time row at 40 us: one; two H200", "as the real-time row: the share at rest was not noted", HEART)
def _(use):
    one = use.one(FOUR, case="beat,cuda:0,single,1000,p1,dt=0.04,rest=0.1,against=ref")
    two = use.one("h200-heart-x2-compiled.jsonl", case="beat,cuda:0;1,single,1000,p1,dt=0.04,rest=0.1,against=ref")
    return f"{fix(one['seconds'])}; {fix(two['seconds'])} s"


@speed("the same at 25 us on four: time; activation; APD90 (RMS, largest, as there)", "as the real-time row: the share at rest was not noted", HEART)
def _(use):
    r = use.one(FOUR, case=BEAT.replace("0.04", "0.025"))
    e = r["against"]["ref"]
    return (f"{fix(r['seconds'])} s; {fix(e['activation']['rms_ms'])}, {fix(e['activation']['max_ms'])} ms; "
            f"{fix(e['apd90']['rms_ms'])}, {fix(e['apd90']['max_ms'], 1)} ms")


@speed("`p1`, slab of 2.0 million vertices, one H200: single; double precision",
       "a step alone, no beat; no volume added; totals of 8000 steps", "`tawara-bench --cubes 125 {cases}`")
def _(use):
    out = [use.one("h200-slab-queue.jsonl", case=f"step,cuda:0,{p},8000,p1") for p in ("single", "double")]
    return f"{'; '.join(fix(r['unknown_steps_per_s'] / 1e9, 1) for r in out)} G unknown-steps/s"


@speed("`p1`, 15 625 vertices, one H200: double; single precision", "a step alone, median of ten samples: such a mesh does not fill the GPU",
       "`tawara-bench --cubes 24 {cases}`")
def _(use):
    out = [use.one("h200-slab-compiled.jsonl", case=f"step,cuda:0,{p},8000,p1", unknowns=15625) for p in ("double", "single")]
    return f"{'; '.join(fix(1e3 * median_ms(r), 1) for r in out)} us a step"


@speed("a human heart of 4.4 million tetrahedra (Cobiveco's, by tetgen), one H200, `fvm`, double: 360 ms; last activation",
       lambda use: "nothing rests; total of one run's steps; whole run "
       f"{sig(use.one('beats_h200.json', scheme='fvm')['seconds_total'])} s, most of it set-up; "
       f"{use.one('beats_h200.json', scheme='fvm')['repaired_cells']} cells repaired",
       "`tetgen -pYq1.3/10a0.06 HEARTS/cobiveco_geo1_fine.smesh; tawara-cli session s.json --mesh HEARTS/cobiveco_geo1_fine.1.ele; "
       "tawara-cli run s.json --devices cuda:0 --set diffusion.scheme=fvm diffusion.mass=null --until 360`")
def _(use):
    r = use.one("beats_h200.json", scheme="fvm")
    return f"{fix(r['seconds_stepping'], 1)} s; {fix(r['last_activation_ms'], 0)} ms"


OF_220 = "beat,cuda:0,single,220,p1,eta=0,interpolated,against=f"


@speed("**`p1` with interpolated currents** on the generated heart of 2.1 million vertices, one H100, single precision, 20 us, 220 ms: nodal; interpolated; "
       "activation against `fvm` on the same mesh (RMS) of both", lambda use: "no rest, no volume added (5 stages); errors are of "
       "V = 0 crossings that both have; totals of one run each, nothing extrapolated, set-up "
       f"{setup(*use.all('interpolated-h100.jsonl', lambda r: r['simulated_ms'] == 220, commit='268b34042862'))}; {checked(use, use.one('interpolated-h100.jsonl', case=OF_220))}; {against_fine(use, 'interpolated')}", HEART)
def _(use):
    name = "interpolated-h100.jsonl"
    nodal = use.one(name, case="beat,cuda:0,single,220,p1,eta=0,against=f")
    inter = use.one(name, case=OF_220)
    return (f"{fix(nodal['seconds'])}; {fix(inter['seconds'])} s; "
            f"{fix(nodal['against']['f']['activation']['rms_ms'], 1)}; {fix(inter['against']['f']['activation']['rms_ms'], 2)} ms")


INTERPOLATED = "beat,cuda:0,single,1000,p1,dt=0.04,interpolated,eta=0.002,"


LISTED = ("a5d44dab47f0", "610420e062cb")  # chunks are listed by their tetrahedra
BEFORE = "f325d5b4dee2"
TOLERANCES = ("0.1", "0.3", "0.5")


def without_rest(use):
    return [use.one(REST, case=INTERPOLATED + "keep=a", commit=c) for c in LISTED]


def interpolated(use, mV):
    return [use.one(REST, case=f"{INTERPOLATED}rest={mV},against=a", commit=c) for c in LISTED]


def before(use):
    cases = ("keep=a", "rest=0.1,against=a", "rest=0.3,against=a")
    return ", ".join(fix(use.one(REST, case=INTERPOLATED + case, commit=BEFORE)["seconds"]) for case in cases)


def interpolated_beat(use):
    """What the row of beats with interpolated currents leaves out."""
    runs, first = [interpolated(use, mV) for mV in TOLERANCES], without_rest(use)
    rows = [of[0] for of in runs]
    long = use.one("interpolated-h100.jsonl", case="beat,cuda:0,single,1000,p1,dt=0.04,interpolated,rest=0.1,eta=0.002,against=a")
    return (f"`p1` with interpolated currents, explicit, {precision(rows[0])}; {sig(100 * rows[0]['added_volume_fraction'], 2)} % of volume added; "
            f"{at_rest(rows)} (at most {rows[0]['longest_quiescent_ms']} ms); totals of two runs each, on two machines, set-up {setup(*first, *sum(runs, []))}; nothing "
            f"extrapolated; {checked(use, rows[0])}; the program before took {before(use)} s without rest and with 0.1 and 0.3 mV on a third machine; "
            f"errors are against the same mesh and step: 40 us with 0.1 mV is off 20 us without rest by "
            f"{fix(long['against']['a']['activation']['rms_ms'])} ms (activation, RMS; `interpolated-h100.jsonl`); {against_fine(use, 'interpolated')}")


@speed("**a beat of 1000 ms of it**, 40 us, one H200: without rest; with 0.1; 0.3; 0.5 mV (wanted: 2.0 s); activation, APD90 of each "
       "against one without rest (RMS, largest)", interpolated_beat, HEART)
def _(use):
    first, runs = without_rest(use), [interpolated(use, mV) for mV in TOLERANCES]
    quick = [mV for mV, of in zip(TOLERANCES, runs) if max(r["seconds"] for r in of) <= 2]
    bar = f"met by {' and '.join(quick)} mV" if quick else "missed"
    return (f"{span([r['seconds'] for r in first], fix)}; {'; '.join(span([r['seconds'] for r in of], fix) for of in runs)} s ({bar}); "
            f"{'. '.join(errors(of[0], 'a').removesuffix(' ms') for of in runs)} ms")


def on_one_of_them(use):
    return [use.one(REST, case=f"{INTERPOLATED}rest={mV},against=a", commit="45f89c4abf39") for mV in TOLERANCES[:2]]


def interpolated_on_two(use):
    use.one(REST, case=INTERPOLATED + "keep=a", commit="45f89c4abf39")  # what they are compared with
    return [use.one(REST, case=f"{INTERPOLATED.replace('cuda:0', 'cuda:0;1')}rest={mV},against=a") for mV in TOLERANCES]


@speed("the same on two H200 with 0.1; 0.3; 0.5 mV (wanted: 1.2 s); on one of that machine with 0.1; 0.3 mV",
       lambda use: f"as there; {at_rest(interpolated_on_two(use))}; total of one run each; errors of activation and APD90 are "
       f"{'in all digits' if all(a['against'] == b['against'] for a, b in zip(interpolated_on_two(use), on_one_of_them(use))) else 'not'} those of one H200", HEART)
def _(use):
    two, one = interpolated_on_two(use), on_one_of_them(use)
    bar = "met" if max(r["seconds"] for r in two) <= 1.2 else "missed"
    return f"{'; '.join(fix(r['seconds']) for r in two)} s ({bar}); {'; '.join(fix(r['seconds']) for r in one)} s"


@speed("a Purkinje network of 20 000 nodes and 1000 junctions beside the 2 million vertices (`p1`), one H200: a step without and with it, double; single",
       "medians of ten samples, 300 steps in all, at the beginning of a beat; set-up not in it", HEART)
def _(use):
    out = []
    for p in ("double", "single"):
        alone, beside = [median_ms(use.one("network-priority.jsonl", case=f"step,cuda:0,{p},300,p1,untimed{more}")) for more in ("", ",network=20000")]
        out.append((f"{fix(alone, 3)}, {fix(beside, 3)}", fix(100 * (beside / alone - 1), 1)))
    return f"{'; '.join(ms for ms, _ in out)} ms: {' and '.join(percent for _, percent in out)} %"


speed("compute-sanitizer on the kernels' tests: memcheck; racecheck", not_sanitized,
      "`LIMIT=600 tests/device/sanitize.sh BUILD/tests OUT.json`")(compute_sanitizer)
speed("tests of GPUs at full length: passed, failed, skipped", not_at_full_length, full_command)(full_tests)


RANKS = "ranks-gpu.jsonl"
SLABS = {"p1": "`p1`", "p1-single": "`p1` in single precision", "p1-small": "133 thousand vertices", "fvm": "`fvm`",
         "fvm-rest": "`fvm` with rest"}


def newest(use, case, borders):
    last = [r for r in use.records.lines(RANKS) if r["case"] == case and r["borders"] == borders and not r["commit"].endswith("+")][-1]
    return use.one(RANKS, lambda r: r == last)


def in_memory(use):
    return [newest(use, c, "in memory that ranks share") for c in ("p1", "p1-small", "fvm")]


def through_mpi(use):
    return [newest(use, c, "through MPI") for c in SLABS]


def slower(r):
    """By how many per cent ranks step longer than one process with as many GPUs."""
    return 100 * (r["two_ranks"]["stepping_s"] / r["two_gpus"]["stepping_s"] - 1)


def as_said(r):
    one, two, ranks = (r[way]["stepping_s"] for way in ("one_gpu", "two_gpus", "two_ranks"))
    return f"{fix(one)}, {fix(two)}, {fix(ranks)} ({slower(r):+.1f} %)"


def over_the_bar(rows, bar_percent=3):
    over = [SLABS[r["case"]] for r in rows if slower(r) > bar_percent]
    return f"bar {bar_percent} %, " + (f"missed by {' and '.join(over)}" if over else "met")


@speed("ranks on GPUs: 60 ms of a slab on one H200, on two of one process, on two ranks with one each (ranks against the process): `p1`, 2.0 "
       "million vertices; 133 thousand; `fvm`, 6.0 million tetrahedra",
       lambda use: "stepping alone, TT06, double precision, explicit, 20 us; total of one run each; tables have the same bytes in all three; "
       f"{over_the_bar(in_memory(use))}; why: PREDICTIONS.md, G10", f"`tests/bench/ranks_gpu.py {CLI} RECORD.jsonl p1 p1-small fvm`")
def _(use):
    return "; ".join(as_said(r) for r in in_memory(use)) + " s"


@speed("the same where borders go through MPI, as between machines: `p1`; in single precision; 133 thousand vertices; `fvm`; with rest (0.1 mV)",
       lambda use: f"on one machine all the same; of the case with rest the share at rest was not noted; {over_the_bar(through_mpi(use))}; else as above", f"`tests/bench/ranks_gpu.py {CLI} RECORD.jsonl p1 p1-single p1-small fvm fvm-rest` by a build of 5c71577c (`git worktree add build/5c71577c 5c71577c`), "
       "or where the ranks' GPUs share no memory; else borders go through memory")
def _(use):
    return "; ".join(as_said(r) for r in through_mpi(use)) + " s"


SECTIONS = [Section("Headlines: whole hearts", HEADLINES), Section("Whole hearts on four GPUs; operators of `fvm` were not checked", UNCHECKED),
            Section("Hearts and slabs on GPUs", SPEEDS)]
