# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples, studies, drugs, restitution."""
from .row import Section, commas, fix, met, rows_of, sig, span

EXAMPLES, STUDIES = [], []
example, study = rows_of(EXAMPLES), rows_of(STUDIES)
RUN = "`tests/bench/examples.py BUILD/engine/cli/tawara-cli RECORD.json`"


@example("a beat by Purkinje on the built-in heart (network of 0.75 kOhm a junction, tissue tuned to 0.6 and 0.3 m/s): QRS; with the left bundle cut; "
         "the right one; last activation of these", "double precision, `p1`, 0.02 ms, edges of 2.7 mm, no rest; times from the first pulse",
         "`tawara-cli study run resources/studies/bundle_branch_block.json --devices cpu`")
def _(use):
    runs = use.all("bundle-branch.json")[0]["runs"]
    return f"{'; '.join(fix(r['qrs_ms'], 1) for r in runs)} ms; {commas([r['last_activation_ms'] for r in runs], fix, 1)} ms"


@example("a beat by a grown network on real hearts (a digital twin's, 1.5 million tetrahedra; a statistical shape, 4.3; a patient's with walls of "
         "19 mm, 1.1; the bar is a QRS of 70 to 110 ms): from the first to the last activation; with the left bundle cut (bar: QRS above 120 ms)",
         "activation, not QRS: the leads' QRS ends later by the notch of epicardial cells; double precision, `p1`, interpolated, tuned to 0.6 "
         "and 0.3 m/s on each mesh; networks of 0.75 kOhm a junction; no rest; V1 negative and V6 positive with the bundle cut on all",
         "`tests/bench/real_hearts_network.py BUILD/engine/cli/tawara-cli RECORD.jsonl --devices cuda:0 --at-once 4 HEARTS/dti004.elem:1 "
         "HEARTS/cobiveco_geo1_536k.node:1:rule HEARTS/crtdemo_mesh_oriented.vtk:2:rule`")
def _(use):
    def spread(heart, beat):
        r = use.one("real-hearts-network-h200.jsonl",
                    lambda r: r["heart"].startswith(heart) and r["refined"] > 0 and r["cells"] == "epi" and r["beat"] == beat)
        return r["spread_ms"]

    normal, left = ([spread(heart, beat) for heart in ("dti", "cob", "crt")] for beat in ("normal", "left"))
    first, second = [70 <= v <= 110 for v in normal], [v > 120 for v in left]
    both = sum(a and b for a, b in zip(first, second))
    return (f"{commas(normal, fix, 0)}; {commas(left, fix, 0)} ms (the first bar is met by {sum(first)} of {len(first)}, the second by "
            f"{sum(second)}, both by {both or 'none'})")


def of(use, name):
    return use.one("examples.json", lambda r: "commit" in r, example=name)


@example("the examples `normal_beat.json` and `left_bundle_branch_block.json` (networks of 0.75 kOhm a junction): QRS; activation of all tissue takes",
         "double precision, `p1`, 0.02 ms, edges of 2.7 mm, no rest", RUN)
def _(use):
    rows = [of(use, "normal_beat.json"), of(use, "left_bundle_branch_block.json")]
    return (f"{commas([r['qrs_ms'] for r in rows], fix, 1)} ms; "
            f"{commas([r['last_activation_ms'] - r['first_activation_ms'] for r in rows], fix, 1)} ms")


@example("the sessions that ship with the program, each to its own end, held against bounds (`bounds` of its line of the record): within them; "
         "beats or leads of a heart, waves in slabs, calcium", "double precision on two cores; `dyads_in_a_cube.json` runs on GPUs alone "
         "(`calcium-h100.jsonl`) and is not among them; conductivities for wanted velocities are searched for in `left_ventricle.json`", RUN)
def _(use):
    rows = use.all("examples.json")
    return f"{sum(not r['missed'] for r in rows)} of {len(rows)}"


@example("re-entry around the scar of the example: turns in 2 s, cycle", "Aliev-Panfilov's cells with a fifth of a human action potential's length", RUN)
def _(use):
    r = of(use, "reentry_around_scar.json")
    return f"{r['turns']}, {span(r['cycle_ms'], fix, 0)} ms"


@study("a study of 12 runs of the built-in heart (400 ms each) on one H100 and 16 cores, two rounds: 1, 2, 4, 8 at once",
       lambda use: "set-up takes {setup} s of a run, steps {stepping}, output {output}; caches warm".format(
           **use.all("study-h100.json")[0]["mean_s_of_a_run"]["at_once_1"]), "`git show 014b9b6e:resources/sessions/normal_beat.json > beat.json; echo '"
           '{"schema": 1, "session": "beat.json", "axes": {"tissue.regions.1.variant": ["m", "epi", "endo"], "stimuli.0.amplitude_pA_per_pF": [50, 55, 60, 65]}}'
           "' > study.json; for n in 1 2 4 8; do tawara-cli study run study.json --set time.end_ms=400 --devices cuda:0 --at-once $n --out study-$n; done`")
def _(use):
    rounds = use.all("study-h100.json")[0]["rounds"]
    mean = lambda r: sum(r["seconds"]) / len(r["seconds"])
    return "; ".join(commas(r["seconds"], fix, 1) for r in rounds) + f" s: {fix(mean(rounds[0]) / mean(rounds[-1]), 1)} times"


@study("the same of 12 runs of 200 ms on one H200 and 32 cores, ceilings not measured in each run: 1, 2, 4, 8 at once",
       "most of a run is set-up and output", "`tawara-cli bench study --runs 12 --end 200 --at-once 1 2 4 8 --devices cuda:0`")
def _(use):
    seconds = [c["seconds"] for c in use.all("study-h200.json")[0]["cases"]]
    return f"{commas(seconds, fix, 1)} s: {fix(seconds[0] / min(seconds), 1)} times at best"


def risk(coarse, at_once):
    """The session and the study are those of the record; of the mesh it is said how it is made."""
    return ("`echo '" + '{"edge_mm": 2.74}' + "' > e.json; tawara-cli mesh heart e.json coarse.vtu; tawara-cli mesh refine coarse.vtu fine.vtu; "
            + ("" if coarse else "mv fine.vtu once.vtu; tawara-cli mesh refine once.vtu fine.vtu; ")
            + "python3 -c \"import json; r = json.load(open('tests/bench/records/scar-study-h200.json')); "
            "[json.dump(r[k], open(f, 'w')) for k, f in (('session', 'big.json'), ('study', 'study.json'))]\"; "
            f"for d in 0 0,1; do tawara-cli study run study.json --devices cuda:$d --at-once {at_once} --out risk-$d; done`")


def risk_times(use):
    """How many times as fast two GPUs are as one."""
    r = use.all("scar-study-h200.json")[0]
    return r["one_gpu"]["wall_s"] / r["wall_s"]


@study("risk of a heart with a scar (generated, as large as a human one), 842 879 vertices, ten Tusscher's cells: 17 sites, S1 to S4, one and two H200, nine sites at once on each",
       lambda use: "`p1` interpolated, single precision, 40 us, unknowns rest (0.1 mV), the share at rest was not noted; set-up is in it; "
       f"bar 1.9 times, {met(risk_times(use) >= 1.9)}", risk(False, 9))
def _(use):
    r = use.all("scar-study-h200.json")[0]
    one = r["one_gpu"]["wall_s"]
    return (f"{fix(one, 0)}, {fix(r['wall_s'], 0)} s: {fix(one / r['wall_s'])} times; {len(r['sites'])} sites, "
            f"{fix(sum(s['trials'] for s in r['sites']), 0)} trials")


@study("the same heart with 106 thousand vertices, one and two H200", "as above, six sites at once", risk(True, 6))
def _(use):
    wall = use.all("scar-study-h200.json")[0]["100_thousand_vertices"]["wall_s"]
    return f"{fix(wall['one GPU'], 1)}, {fix(wall['two GPUs'], 1)} s: {fix(wall['one GPU'] / wall['two GPUs'])} times"


@study("a heart with a scar, 17 sites by S2 and S3, before and after ablation (`scar_risk.json`, 18 738 vertices), 12 sites at once on one and on two "
       "H200: wall time; inducible sites, after ablation; two ranks on two GPUs, on which mpirun leaves all cores to each", lambda use: "double precision; segment 11 and its search after "
       "ablation follow each other; the same table on one and two GPUs, with one and two ranks, and after three kills; "
       f"bound to a core each, as mpirun does by itself, two ranks took {fix(use.all('scar-risk-gpu.json')[0]['bound_to_a_core_each']['two_ranks_wall_s'], 0)} s", "`for d in 0 0,1; do tawara-cli study run resources/studies/scar_risk.json --devices cuda:$d --at-once 12 --out risk-$d; done; "
       "mpirun --bind-to none -n 2 BUILD/engine/cli/tawara-cli study run resources/studies/scar_risk.json --devices cuda:0,1 --at-once 12 --out risk-ranks`")
def _(use):
    r = use.all("scar-risk-gpu.json")[0]
    one, two = r["wall_s"]["one GPU"], r["wall_s"]["two GPUs"]
    sites = r["sites"]
    return (f"{commas(one, fix, 1)} and {commas(two, fix, 1)} s ({fix(sum(one) / sum(two))} times); "
            f"{sum(s['outcome'] == 'sustained' for s in sites)} of {len(sites)}, {sum(s.get('after_outcome') == 'sustained' for s in sites)}; "
            f"{commas(r['wall_s']['two ranks on two GPUs'], fix, 1)} s")


@study("APD90 of the O'Hara-Rudy cell at C_max, paced 60 times with the dose, none; quinidine, dofetilide, ranolazine, verapamil, diltiazem; wall time of 20 runs on two "
       "busy cores", lambda use: "simple pore block; the second beat of a strand of 28 vertices; 60 beats are no steady state: 200 give quinidine "
       f"{fix(use.all('dose_response.json')[0]['paced_200_times']['apd90_ms']['quinidine'][3], 0)} ms",
       "`tawara-cli study run resources/studies/dose_response.json --devices cpu`")
def _(use):
    r = use.all("dose_response.json")[0]
    at = {d["drug"]: d["apd90_ms"] for d in r["drugs"]}
    return (f"{fix(at['quinidine'][0], 0)}; {commas([at[d][-1] for d in ('quinidine', 'dofetilide', 'ranolazine', 'verapamil', 'diltiazem')], fix, 0)} ms; "
            f"{fix(r['seconds']['wall'], 0)} s")


@study("largest slope of APD90 by dynamic pacing, ten Tusscher's epicardial cell (published: 1.1): windows of 40 ms; between points 10 ms apart",
       "a cube of 0.5 mm; the second figure was worked out by a script, it is no result of the program", "`BUILD/tests/test_restitution theEpicardialCellHasItsPublishedSlope` (20 pulses; the record: 50)")
def _(use):
    cell = next(s for s in use.part("restitution.json", "cells")["sets"] if s["published_slope"] == 1.1)
    return f"{fix(cell['largest_slope_40_ms_windows'])}; {fix(cell['steepest_secant'][0])}"


SECTIONS = [Section("Examples", EXAMPLES), Section("Studies", STUDIES)]
