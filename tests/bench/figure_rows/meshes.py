# SPDX-License-Identifier: GPL-3.0-or-later
"""Convergence, velocities and what meshes do to them."""
import math
import re
from pathlib import Path

from .row import Section, commas, fix, rows_of, sig, spaced, span

CONVERGENCE, VELOCITY = [], []
converge, velocity = rows_of(CONVERGENCE), rows_of(VELOCITY)
CUBE = "`mkdir -p OUT; TAWARA_RECORDS=OUT BUILD/tests/test_convergence` (tetgen has to be installed)"
NIEDERER = "tests/bench/niederer.sh BUILD/engine/cli/tawara-cli RECORD.json"
REAL = "real-hearts-h200.jsonl"


@converge("`fvm` on the unit cube: error at two sizes, order between these; by a line through all meshes",
          "a smooth mode of diffusion alone, no cells; the order is of the cube root of the number of tetrahedra", CUBE)
def _(use):
    r = use.all("convergence_fvm.json")[0]
    a, b = r["meshes"][-3], r["meshes"][-1]
    meshes = f"of {len(r['meshes'])} meshes"
    order = -3 * math.log(b["E"] / a["E"]) / math.log(b["N"] / a["N"])
    return f"{sig(a['E'], 2)} at {spaced(a['N'])}, {sig(b['E'], 2)} at {spaced(b['N'])} tetrahedra: {fix(order, 1)}; {meshes} {fix(r['order'], 1)}"


@converge("`p1` lumped on the same meshes: order by a line through all", "as above", CUBE)
def _(use):
    return fix(use.all("convergence_p1_lumped.json")[0]["order"])


def niederer(use, **keys):
    return use.one("niederer2011.json", **keys)


def p8(r, digits=3):
    return sig(r["activation_ms"][7], digits)


def paper_ms():
    """P8 of the paper's finest runs, as `tawara-cli verify` compares with."""
    header = Path(__file__).resolve().parents[3] / "engine" / "verify" / "niederer_times.hpp"
    found = re.search(r"converged_P8_ms\{([\d.]+), ([\d.]+)\}", header.read_text(encoding="utf-8"))
    if not found:
        raise LookupError(f"{header.name} has no times of the paper")
    return [float(t) for t in found.groups()]


def against_paper(ms):
    """By how much P8 is off the finest runs of the paper."""
    off = [100 * (ms / t - 1) for t in paper_ms()]
    how = "late" if min(off) > 0 else "early"
    return f"{span([abs(o) for o in off], fix, 1)} % {how}"


@converge("Niederer benchmark of 2011, last corner (P8), `fvm`: 0.5, 0.2 mm (0.02 ms)",
          lambda use: "double precision; the benchmark has no exact solution: the finest mesh stands for it. The paper's own: "
          f"{span(paper_ms(), fix, 1)} ms at P8 (20, 7, 3 mm), by the finest runs of three programs (Niederer et al. 2011, Phil. Trans. R. Soc. A 369:4331)",
          f"`for dx in 0.5 0.2; do {NIEDERER} $dx 0.02 fvm; done`")
def _(use):
    return commas([niederer(use, scheme="fvm", dx_mm=dx, dt_ms=0.02)["activation_ms"][7] for dx in (0.5, 0.2)]) + " ms"


@converge("the same at 0.1 mm with 0.005 ms, on an H200; against the paper's finest runs", "as above; a row of the verification table, whose bar is 5 % of the paper's", "`tawara-cli verify --devices cuda --only niederer.nine_fine`")
def _(use):
    ms = next(r for r in use.one("verify-h200.json")["rows"] if r["id"] == "niederer.fvm.0.1mm.0.005ms.P8")["figure"]
    return f"{sig(ms)} ms; {against_paper(ms)} (paper: {span(paper_ms(), fix, 1)} ms)"


WAYS = ("fvm", "p1_interpolated", "p1_lumped", "p1_consistent")


def last_corner(use, way):
    """P8 of a scheme at 0.5, 0.2 and 0.1 mm."""
    rows = {r["id"]: r["figure"] for r in use.one("verify-h200.json")["rows"]}
    return [rows[f"niederer.{way}.{dx}mm.0.005ms.P8"] for dx in ("0.5", "0.2", "0.1")]


def scheme_by_scheme(use):
    """How far the four are from each other, and consistent mass from the nearest of the others."""
    fine = {way: last_corner(use, way)[1:] for way in WAYS}
    apart = 100 * (max(t[-1] for t in fine.values()) / min(t[-1] for t in fine.values()) - 1)
    early = fine.pop("p1_consistent")
    nearest = [100 * min(abs(t[k] / early[k] - 1) for t in fine.values()) for k in range(len(early))]
    return (f"at 0.1 mm the four still differ by {fix(apart, 0)} %: to consistent mass the nearest of the others is {fix(nearest[0], 0)} % away at "
            f"0.2 mm, {fix(nearest[1], 0)} % at 0.1")


@converge("P8 by scheme with 0.005 ms at 0.5; 0.2; 0.1 mm: `fvm`. Interpolated currents. Lumped. Consistent mass",
          lambda use: "double precision, from the verification table; " + scheme_by_scheme(use) + ". Each row of the record names the other programs' times that it is held to (fenicsx-beat, Cardioid, Chaste), and their spread",
          "`tawara-cli verify --devices cuda --only niederer.nine_coarse niederer.nine_middle niederer.nine_fine --out OUT`")
def _(use):
    return ". ".join("; ".join(fix(t, 1) for t in last_corner(use, way)) for way in WAYS) + " ms"


@converge("the same, `p1` lumped: 0.5, 0.2 mm (0.02 ms); 0.1 mm (0.005 ms)", "as above",
          f"`for dx in 0.5 0.2; do {NIEDERER} $dx 0.02 p1 lumped; done; DEVICES=cuda:0 {NIEDERER} 0.1 0.005 p1 lumped`")
def _(use):
    coarse = [niederer(use, scheme="p1", mass="lumped", dx_mm=dx, stepping="explicit") for dx in (0.5, 0.2)]
    head = use.all("newton-niederer-h100.json")[0]
    fine = next(r for r in head["runs"] if (r["stepping"], r["mass"], r["dx_mm"]) == ("explicit", "lumped", 0.1))
    return f"{p8(coarse[0])}, {p8(coarse[1])}; {p8(fine)} ms, the last {against_paper(fine['activation_ms'][7])} against the paper's"


@converge("the same at 0.2 mm: `p1` with consistent mass, explicit; Crank-Nicolson", "0.02 ms; consistent mass is early on such edges",
          f"`for s in explicit crank_nicolson; do STEPPING=$s {NIEDERER} 0.2 0.02 p1 consistent; done`")
def _(use):
    return "; ".join(p8(niederer(use, scheme="p1", mass="consistent", dx_mm=0.2, stepping=s)) for s in ("explicit", "crank_nicolson")) + " ms"


@converge("stability of `fvm` shown patch by patch, a heart of 183 thousand tetrahedra; of 1.5 million: processor seconds of `mesh check`, by "
          "Lanczos alone before; patch by patch; what may grow judged at each cell; of 11.7 million: seconds on two busy cores, patch by patch; of that, judged at each cell, on 16 cores", "of the last two, assembly and check by `tawara-bench` (`seconds_of_setup.operator`); else everything that `mesh check` does; the same cells are repaired, and the proof does not hang on how far an "
          "iteration came; other work on the machine", "`tawara-cli mesh refine heart-1.9491.vtu once.vtu; tests/bench/stability_check.py BUILD/engine/cli/tawara-cli COMMIT RECORD.jsonl heart-1.9491.vtu "
          "once.vtu; tawara-bench $HEART step,cpu,double,10,fvm,eta=0.002,check; tawara-bench $HEART step,cuda:0,double,2000,fvm,eta=0.002,check` (the former "
          "programs: f62a8c50, 437d4e36)")
def _(use):
    rows = use.all("stability-check.jsonl")
    by = lambda mesh: [r for r in rows if r["mesh"].endswith(mesh)]
    assert all(r["proven_by_patches"] for r in rows[-3:])
    before_and_now = "; ".join(commas([r["processor_s"] for r in by(mesh)], fix, 0) for mesh in ("1.9491", "once"))
    return f"{before_and_now}; {commas([r['seconds'] for r in by('twice')], fix, 0)} s"


@velocity("what a mesh does to the velocity of a plane wave, ten Tusscher, bars of cubes, mean edges of 1, 2, 3, 4, 6, 10 widths of the "
          "front (in tissue 0.31 mm along the fibres, 0.11 across): `fvm` in tissue that conducts alike in all directions, along and across fibres "
          "of 7.6 times; `p1`; with interpolated currents; with consistent mass",
          "double precision; against the wave on fine edges by the same scheme; fronts that bend run otherwise",
          "`TAWARA_TABLE=RECORD.jsonl BUILD/tests/test_mesh_errors tableIsMeasured`")
def _(use):
    rows = [use.one("mesh-errors.jsonl", edge_in_widths=e) for e in (1, 2, 3, 4, 6, 10)]
    def each(scheme):
        errors = [r["relative_error_of_velocity"][scheme] for r in rows]
        return commas([100 * e for e in errors if e > -1], fix, 0) + (" %, no wave" if -1 in errors else "")
    return "; ".join(each(s) for s in ("fvm", "fvm_along", "fvm_across", "nodal", "interpolated", "consistent")) + " %"


@velocity("the speed of a cubic membrane's wave against the exact one, edges of 0.8, 0.4, 0.2 of the front's width: reaction by the vertex "
          "rule, lumped; consistent mass; reaction weighed by consistent mass, lumped; consistent mass",
          "one dimension, a script of its own, not the program", "`tests/bench/reaction_rules.py RECORD.jsonl`")
def _(use):
    rows = [use.one("reaction-rules.jsonl", h_over_width=h) for h in (0.8, 0.4, 0.2)]
    keys = [f"{m}_mass_{r}_percent" for r in ("vertex_rule", "consistent_reaction") for m in ("lumped", "consistent")]
    return "; ".join(commas([r[k] for r in rows], fix, 1) for k in keys) + " %"


@velocity("velocity by what the mass matrix weighs, ten Tusscher, strips of 0.5, 0.25, 0.125 mm: explicit, lumped; Newton, lumped; "
          "explicit, consistent; Newton, consistent", "Newton's error in time is taken out by two steps, the explicit one's (0.01 ms) is not",
          "`tests/bench/newton_strips.py BUILD/engine/cli/tawara-cli RECORD.jsonl`")
def _(use):
    out = []
    for stepping, mass in (("explicit", "lumped"), ("newton", "lumped"), ("explicit", "consistent"), ("newton", "consistent")):
        rows = [use.one("newton-mass.jsonl", stepping=stepping, mass=mass, spacing_mm=s) for s in (0.5, 0.25, 0.125)]
        out.append(commas([r.get("velocity_without_error_in_time_m_per_s", r["velocity_m_per_s"][0]) for r in rows], fix, 3))
    return "; ".join(out) + " m/s"


HEARTS = [("crt", 3), ("dti", 2), ("co", 1)]
REAL_COMMAND = ("`tawara-cli mesh convert HEARTS/crtdemo_mesh_oriented.vtk crt.vtu; tawara-cli mesh convert HEARTS/dti004.elem dti.vtu; "
                "tawara-cli mesh convert HEARTS/cobiveco_geo1_536k.node co.vtu; "
                "tests/bench/real_hearts.py BUILD/engine/cli/tawara-cli RECORD.jsonl --devices cuda:0 crt.vtu:3:rule dti.vtu:2 co.vtu:1:rule`")


def real(use, currents):
    return [[use.one(REAL, mesh=m, refined=k, currents=currents) for k in range(n + 1)] for m, n in HEARTS]


@velocity("three real hearts as they come, refined once, twice, three times (edges of 5.0, 2.5, 1.2, 0.6; 1.8, 0.9, 0.45; 1.4, 0.7 mm), "
          "`p1`, interpolated currents, paced at the apex: activation of all tissue takes",
          lambda use: "ten Tusscher, double, conductivities of 0.6, 0.3, 0.2 m/s and nothing tuned; the finest mesh is not converged: the last "
          f"refinement makes it {commas([100 * (h[-1]['last_activation_ms'] / h[-2]['last_activation_ms'] - 1) for h in real(use, 'interpolated')], fix, 0)} % "
          "longer; no `fvm`", REAL_COMMAND)
def _(use):
    return "; ".join(commas([r["last_activation_ms"] for r in heart], fix, 0) for heart in real(use, "interpolated")) + " ms"


@velocity("the same against the finest (mean of the vertices of the mesh as it came)", "waves are early on coarse edges, since what conducts "
          "along the fibres carries them across, too", REAL_COMMAND)
def _(use):
    return "; ".join(commas([r["mean_ms"] for r in heart], fix, 0) for heart in real(use, "interpolated")) + " ms"


@velocity("the same with nodal currents: share that is activated within 400 ms; where nearly all are, at 0.6 and 0.45 mm, later than interpolated (mean)",
          lambda use: f"at 0.45 mm {real(use, 'nodal')[1][2]['never_activated']} of the compared vertices are not reached", REAL_COMMAND)
def _(use):
    hearts = real(use, "nodal")
    def share(r):
        percent = 100 * r["activated"] / r["unknowns"]
        return "100" if percent == 100 else sig(percent, 1 if percent < 1 else 2 if percent < 99 else 4)
    fine = [hearts[0][3], hearts[1][2]]
    return "; ".join(", ".join(share(r) for r in heart) for heart in hearts) + f" %; {commas([r['mean_ms'] for r in fine], fix, 0)} ms"


@velocity("an isthmus through a scar, 1, 2, 3 elements of 1 mm wide, 4 mm long: the wave is through after (nodal; interpolated; "
          "interpolated with edges of 1/8 mm)", "double precision; no block in any", "`tests/bench/real_hearts.py BUILD/engine/cli/tawara-cli RECORD.jsonl --isthmus`")
def _(use):
    return "; ".join(commas([use.one(REAL, bench="isthmus", elements_wide=w, edge_mm=e, currents=c)["at_22_mm_ms"] for w in (1, 2, 3)], fix, 1)
                     for c, e in (("nodal", 1), ("interpolated", 1), ("interpolated", 0.125))) + " ms"


def prose(use):
    return f"""On coarse meshes lumped masses make waves late and consistent ones early: take `fvm`, with edges below 0.3 mm, where timing
matters. The built-in heart and the sessions that the program makes around a mesh use `p1` all the same, because it has a fifth of the
unknowns: they are for looking and trying; `--set diffusion.scheme=fvm` changes it (and a `p1` session's `diffusion.mass` has to go).
Consistent masses take a linear system in every step: steps at 0.2 mm took {ratio(use)} times as long as lumped ones on two cores
(`niederer2011.json`)."""


def ratio(use):
    lumped, consistent = [niederer(use, scheme="p1", mass=m, dx_mm=0.2, stepping="explicit") for m in ("lumped", "consistent")]
    return fix(lumped["cell_steps_per_s"] / consistent["cell_steps_per_s"], 0)


SECTIONS = [Section("Convergence and the tissue benchmark", CONVERGENCE, prose), Section("Velocities and meshes", VELOCITY)]
