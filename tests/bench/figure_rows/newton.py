# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps by Newton's method: how long, how exact, when they pay."""
import math

from .row import Section, commas, fix, met, rows_of, sig, span, thousands

ROWS, ORDER = [], []
row, order = rows_of(ROWS), rows_of(ORDER)
def on_hearts(*hearts):
    """The command of cases on generated hearts; each by its edge [mm] and how often it is refined."""
    if len(hearts) == 1:
        edge_mm, times = hearts[0].split(":")
        return f"`tawara-bench --mesh heart-{edge_mm}.vtu --refine {times} {{cases}}`"
    return (f"`for h in {' '.join(hearts)}; do tawara-bench --mesh heart-${{h%:*}}.vtu --refine ${{h#*:}} "
            "{cases}; done`")


ALL = on_hearts("4.8:0", "4:0", "4.8:1", "4:1", "2.8:2", "2.05:2")
SOURCE, LOOP = "newton-source-h100.jsonl", "newton-loop-h100.jsonl"
CASE = "beat,cuda:0,double,500,p1,newton,model=aliev_panfilov_1996,dt=0.1,eta=0"
PAYS = "newton-pays-h100.jsonl"


def setups(use, name, **keys):
    lines = [r for r in use.all(name, **keys)]
    return span([r["seconds_of_setup"]["operator"] + r["seconds_of_setup"]["case"] for r in lines], sig, 2) + " s"


@row("Aliev-Panfilov in generated hearts, `p1` lumped, single time steps of 0.1 ms, double, one H100: seconds for 500 ms, the host "
     "deciding on each iteration", lambda use: "no unknowns rest; only so much is activated meanwhile: "
     + commas([100 * r["activated"] / r["unknowns"] for r in use.all(SOURCE, case=CASE)], sig, 2)
     + f" %; set-up {setups(use, SOURCE, case=CASE)}, nothing extrapolated; steps of 0.1 ms are of first order in time (below)", ALL)
def _(use):
    rows = use.all(SOURCE, case=CASE)
    return f"{commas([r['seconds'] for r in rows], sig)} s with {commas([r['unknowns'] for r in rows], thousands)} vertices"


@row("the same, the device deciding, 6.6, 28 and 44 thousand; the host in the same run", "as above", on_hearts("4:0", "4.8:1", "4:1"))
def _(use):
    sizes = (6586, 28349, 43551)
    of = lambda case: commas([use.one(LOOP, case=case, unknowns=n, commit="36fa2ab26892")["seconds"] for n in sizes], fix)
    return f"{of(CASE)} s; {of(CASE + ',nograph')} s"


@row("the same by a later program, 4.4, 6.6, 28, 44 thousand, 0.8 and 1.8 million", lambda use: "as above; set-up "
     + setups(use, LOOP, commit="0e7f97e4"), ALL)
def _(use):
    return commas([r["seconds"] for r in use.all(LOOP, commit="0e7f97e4")], sig) + " s"


def petsc_runs(use, name, unknowns, milliseconds, own, cores):
    """Of the program by threads, or of PETSc by processes."""
    if own:
        case = f"beat,cpu,double,{milliseconds},p1,newton,model=aliev_panfilov_1996,dt=0.1,eta=0,threads={cores}"
        return use.all(name, case=case, unknowns=unknowns)
    return use.all(name, lambda r: str(r.get("program", "")).startswith("PETSc"), processes=cores, unknowns=unknowns)


def petsc(use, name, key, unknowns, milliseconds):
    """Spans of seconds: the program by threads, PETSc by processes."""
    out = []
    for own in (True, False):
        for cores in (1, 2) if key == "seconds" else (1,):
            out.append([span([r[key] for r in petsc_runs(use, name, unknowns, milliseconds, own, cores)], fix, 1)])
    half = len(out) // 2
    return "; ".join(", ".join(sum(part, [])) for part in (out[:half], out[half:])) + " s"


def petsc_command(edge_mm, milliseconds, *counts):
    """Three rounds of both programs in turns."""
    heart = f"--mesh heart-{edge_mm}.vtu --refine 1"
    peers = "; ".join(f"mpirun -n {n} tawara-bench-petsc {heart} {milliseconds} 0.1" for n in counts)
    return f"`for round in 1 2 3; do tawara-bench {heart} {{cases}}; {peers}; done`"


def petsc_left(unknowns, milliseconds):
    """What rows beside PETSc leave out, and whether one thread is three times as fast as one process."""
    def said(use):
        own, peer = [sum(r["seconds"] for r in petsc_runs(use, "newton-petsc.jsonl", unknowns, milliseconds, program, 1)) for program in (True, False)]
        return ("set-up is not in it; conjugate gradients of PETSc 3.18 are in double, the program's in single precision; bar of three times one "
                f"process {met(peer >= 3 * own)} ({fix(peer / own, 1)} in the mean)")
    return said


@row("beside PETSc, two cores, 243 thousand vertices, 10 ms, three rounds: Tawara on one, on two threads; PETSc with one, with two processes",
     petsc_left(242668, 10), petsc_command(2.05, 10, 1, 2))
def _(use):
    return petsc(use, "newton-petsc.jsonl", "seconds", 242668, 10)


@row("the same, 28 thousand vertices, 100 ms", petsc_left(28349, 100), petsc_command(4.8, 100, 1, 2))
def _(use):
    return petsc(use, "newton-petsc.jsonl", "seconds", 28349, 100)


@row("since \"N3\", one core of a Zen 5, 28 thousand vertices, 100 ms, processor time of three rounds: Tawara; PETSc",
     "others used the cores as well; set-up is not in it", petsc_command(4.8, 100, 1))
def _(use):
    return petsc(use, "newton-petsc-zen5.jsonl", "processor_seconds", 28349, 100)


@row("the same, 243 thousand vertices, 10 ms", "as above", petsc_command(2.05, 10, 1))
def _(use):
    return petsc(use, "newton-petsc-zen5.jsonl", "processor_seconds", 242668, 10)


def pays(use, unknowns, *cases):
    reference = use.one(PAYS, lambda r: r["case"].endswith("keep=r"), unknowns=unknowns)
    out = []
    for case in cases:
        r = use.one(PAYS, unknowns=unknowns, case=f"beat,cuda:0,double,100,p1,{case},against=r")
        out.append(f"{sig(r['seconds'], 2 if r['seconds'] < 1 else 3)} s, {fix(r['against']['r']['activation']['rms_ms'])} ms")
    return f"{'; '.join(out)} ({sig(100 * reference['activated'] / unknowns, 1 if reference['activated'] < 0.1 * unknowns else 2)} % are reached)"


PAYS_LEFT = "before the device decided (`nograph` now); errors are against explicit steps of 0.005 ms on the same mesh, not against a converged one"


@row("when it pays: ten Tusscher, 100 ms on one H100, time and activation (RMS), 34 thousand vertices: explicit 0.05 ms; Newton 0.1 ms",
     PAYS_LEFT, on_hearts("2.05:0"))
def _(use):
    return pays(use, 33966, "dt=0.05", "dt=0.1,newton,eta=0")


@row("the same, 243 thousand: explicit 0.1 ms; Newton 0.02 ms", PAYS_LEFT, on_hearts("2.05:1"))
def _(use):
    return pays(use, 242668, "dt=0.1", "dt=0.02,newton,eta=0")


@row("the same, 1.8 million: explicit 0.1 ms; Newton 0.02 ms", lambda use: PAYS_LEFT + "; mass scaling adds "
     f"{sig(100 * use.one(PAYS, unknowns=1819087, case='beat,cuda:0,double,100,p1,dt=0.1,against=r')['added_volume_fraction'], 1)} % "
     "of the volume", on_hearts("2.05:2"))
def _(use):
    return pays(use, 1819087, "dt=0.1", "dt=0.02,newton,eta=0")


NIEDERER = "DEVICES=cuda:0 tests/bench/niederer.sh BUILD/engine/cli/tawara-cli RECORD.json ${m%:*}"
BENCHMARK = ("`for m in 0.1:lumped 0.2:lumped 0.5:lumped 0.2:consistent; do "
             f"for dt in 0.05 0.1 0.2 0.5; do STEPPING=newton {NIEDERER} $dt p1 ${{m#*:}}; done; "
             f"{NIEDERER} 0.005 p1 ${{m#*:}}; done`")


@row("Niederer benchmark, P8, `p1` lumped, Newton with 0.05, 0.1, 0.2, 0.5 ms (0.5 ms is cut into parts; explicit 0.005 ms): 0.1; 0.2; 0.5 mm; "
     "consistent mass at 0.2 mm", "steps of several time steps, as by default; against explicit steps on the same mesh", BENCHMARK)
def _(use):
    runs = use.all("newton-niederer-h100.json")[0]["runs"]
    def p8(mass, dx, stepping):
        return [r["activation_ms"][7] for r in runs if (r["mass"], r["dx_mm"], r["stepping"]) == (mass, dx, stepping)]
    out = []
    for mass, dx in (("lumped", 0.1), ("lumped", 0.2), ("lumped", 0.5), ("consistent", 0.2)):
        (explicit,), newton = p8(mass, dx, "explicit"), p8(mass, dx, "newton")
        out.append(f"{commas(newton, fix, 1)} ({fix(explicit, 1)}: {span([100 * (v / explicit - 1) for v in newton], fix, 0)} %)")
    return "; ".join(out) + " ms"


SPACE = "`tawara-bench-newton-order`"


def orders(rows, key):
    return commas([r["order"][key] for r in rows if "order" in r], fix)


@order("order in space, Newton's method, Aliev-Panfilov's front (2.4 mm wide), edges of 0.5, 0.25, 0.125 mm: V (RMS), lumped; consistent mass",
       "against explicit steps at 1/32 mm; the error in time is taken out by two steps", SPACE)
def _(use):
    out = []
    for mass in ("lumped", "consistent"):
        rows = use.all("newton-order.jsonl", stepping="newton", mass=mass)
        out.append(f"{commas([r['v_rms_mV'] for r in rows], fix, 3)} (orders {orders(rows, 'v')})")
    return "; ".join(out) + " mV"


@order("activation of these; explicit steps, lumped", "as above", SPACE)
def _(use):
    out = []
    for stepping, mass in (("newton", "lumped"), ("newton", "consistent"), ("explicit", "lumped")):
        rows = use.all("newton-order.jsonl", stepping=stepping, mass=mass)
        out.append(f"{commas([r['activation_rms_ms'] for r in rows], fix, 4)} (orders {orders(rows, 'activation')})")
    return "; ".join(out) + " ms"


@order("order in time, Newton's method, single steps of 0.4, 0.2, 0.1, 0.05, 0.025 ms, Aliev-Panfilov, a bar of 0.25 mm, activation (RMS)",
       "against explicit steps of 0.001 and 0.002 ms extrapolated, on the same mesh",
       "`tawara-cli verify --only implicit.newton_time` (shows this order, of another wave: the record does not say how the bar was stimulated)")
def _(use):
    rows = use.all("newton-adaptive.jsonl", lambda r: r["dt_ms"] >= 0.025, commit="bd7b942d", model="aliev_panfilov_1996", adaptive=False)
    errors = [r["activation_rms_ms"] for r in rows]
    return f"{commas(errors, fix, 3)} ms (orders {commas([math.log2(a / b) for a, b in zip(errors, errors[1:])], fix)})"


@order("residuals of one step by Newton's method (a cubic membrane's front, 0.05 ms, linear systems solved to the end), after iterations 1 to 4: "
       "lumped; consistent mass; each over the square of the one before", "the fourth of lumped mass is at the limit of double precision",
       "`BUILD/tests/test_newton_solver convergesQuadratically`")
def _(use):
    rows = [use.one("newton-residuals.jsonl", mass=m) for m in ("lumped", "consistent")]
    squares = [v for r in rows for v in r["over_square_of_the_one_before_per_mV"] if v is not None]
    return "; ".join(commas(r["largest_residual_mV"], sig, 2) for r in rows) + f" mV; {span(squares, sig, 1)} /mV"


def pays_nowhere(use):
    """How many times as long a step of Newton's method took as an explicit one of the same length, and at about the same error."""
    steps, errors = [], []
    for n in (33966, 242668, 1819087):
        rows = {r["case"].replace("beat,cuda:0,double,100,p1,", "").replace(",against=r", ""): r for r in use.all(PAYS, unknowns=n)}
        steps += [r["seconds"] / rows[c.replace(",newton,eta=0", "")]["seconds"] for c, r in rows.items() if ",newton,eta" in c]
        newton = rows["dt=0.1,newton,eta=0" if n == 33966 else "dt=0.02,newton,eta=0"]["seconds"]
        errors.append(newton / rows["dt=0.05" if n == 33966 else "dt=0.1"]["seconds"])
    return span(steps, fix, 0), commas(errors, fix, 0)


def thin(use, layer_mm):
    """Steps of 0.02 ms on a slab of which two layers are so thin: stages, and both methods' times and errors."""
    rows = [r for r in use.all("newton-pays-cpu.jsonl") if r["mesh"].get("thin") == layer_mm]
    explicit, newton = [next(r for r in rows if ("newton" in r["case"]) == is_newton and r["dt_ms"] == 0.02) for is_newton in (False, True)]
    return (f"{explicit['diffusion_stages']} stages: {with_error(newton)} against {with_error(explicit)}")


def with_error(r):
    error = 100 * r["against"]["r"]["activation"]["rms_ms"] / r["last_activation_ms"]
    return f"{fix(r['processor_seconds'], 1)} s ({fix(error, 1)} %)"


def prose(use):
    steps, errors = pays_nowhere(use)
    scaled = next(r for r in use.all("newton-pays-cpu.jsonl") if r["mesh"].get("thin") == 0.003 and r["mass_scaling"] > 0)
    layers = "; ".join(thin(use, mm) for mm in (0.003, 0.01, 0.1))
    return f"""Newton's method pays on none of these three hearts. Explicit steps of 0.1 ms are stable on all of them, and a step by Newton's
method took {steps} times as long as an explicit one of the same length; at about the same error the runs above took {errors} times as
long. It pays where explicit steps need more than some 110 stages of diffusion in each time step, which RKL2 puts off to meshes whose stable
step is a three-thousandth of the time step. On slabs of which two layers are thin, processor time of 12 ms in steps of 0.02 ms and the
error of activation by Newton's method, against explicit ones (`newton-pays-cpu.jsonl`; `records/PREDICTIONS.md`, "N4", works out of it what each
takes for the same error): {layers}. With the usual mass scaling and 0.1 ms explicit steps took {scaled['diffusion_stages']} stages on the
thinnest layers, and {with_error(scaled)}. The program advises the other stepping on either side of 110 stages. Where one is as good as the
other depends on cells, processor and tolerance."""


SECTIONS = [Section("Newton's method", ROWS, prose), Section("Orders of Newton's method", ORDER)]
