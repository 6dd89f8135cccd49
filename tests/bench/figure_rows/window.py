# SPDX-License-Identifier: GPL-3.0-or-later
"""The window: pictures, clicks, memory."""
from .row import Section, commas, fix, met, rows_of, sig, span

ROWS = []
row = rows_of(ROWS)
SPEED = "window-speed.jsonl"
H200 = "h200_window.json"
REFINED = "tawara-cli mesh refine heart-1.9491.vtu once.vtu; tawara-cli mesh refine once.vtu twice.vtu; "
SHOWN = "__GLX_VENDOR_LIBRARY_NAME=nvidia xvfb-run -s '-screen 0 1920x1200x24' tawara-bench-window {} --devices cuda:0 --precision {} --out RECORD.json"
EDIT = ("import json; s = json.load(open('heart.json')); "
        "[r.pop('velocity_m_per_s') and r.update(conductivity_S_per_m=dict(fibre=0.227, sheet=0.0567, normal=0.0567)) for r in s['tissue']['regions']]; "
        "json.dump(s, open('p1.json', 'w')); s['diffusion'].pop('mass'); s['diffusion'].update(scheme='fvm', mass_scaling=0.002); "
        "json.dump(s, open('fvm.json', 'w'))")
BENCH = (f"`{REFINED}tawara-cli session heart.json --mesh twice.vtu; python3 -c \"{EDIT}\"; {SHOWN.format('p1.json', 'single')}; "
         f"{SHOWN.format('fvm.json', 'double')}`")
BARE = f"`{REFINED}{SHOWN.format('twice.vtu --samples 0', 'single')}`"


def way(use, name):
    return use.one(SPEED, way=name)


@row("built-in heart on software OpenGL, 2 cores: first moving frame; pictures a second while computing; from the press of a click "
     "to the tissue (median); longest hold of the GUI thread of two runs",
     "double precision, 0.02 ms, `p1` with nodal currents; the first of an idle machine and an earlier program, the others with a load of 1 to 4",
     "`for t in test_heart_beats test_responsive; do xvfb-run -s '-screen 0 1280x800x24' BUILD/tests/$t; done`")
def _(use):
    first, now = use.one("window.json", commit="5fc2888"), use.one("window.json", commit="86c2c41")
    middle = lambda v: sum(v) / len(v)
    return (f"{fix(first['first_moving_frame_s'])} s; {fix(middle(now['frames_per_s_while_computing']), 0)} a second; "
            f"{fix(middle(now['press_to_tissue_ms']['median']), 0)} ms; {fix(max(now['gui_thread_longest_event_ms']['wall_time']), 0)} ms")


@row("the built-in heart in the window, software OpenGL, 1280 x 800, 2 cores that other programs used as well, before (double, "
     "0.02 ms) and since (single, 0.05 ms): simulated ms a second; pictures a second; click to tissue (bar: 150 ms a second)",
     "`p1` with nodal currents, no rest; what the larger step costs is the next row; two runs in which others had both cores are left out",
     "`xvfb-run -s '-screen 0 1280x800x24' tests/bench/window_speed.py window BUILD/tests/test_responsive now > RECORD.jsonl` (\"before\" by a build of 97833bda)")
def _(use):
    runs = {label: use.all(SPEED, lambda r: r["what"] == "window", label=label) for label in ("before", "now")}
    def each(write, digits):
        return ". ".join(write(runs[label], digits) for label in ("before", "now"))
    return ("; ".join([
        " and ".join(commas(sorted(r["simulated_ms_a_second"] for r in runs[label]), fix, 0) for label in ("before", "now"))
        + f" (bar {met(min(r['simulated_ms_a_second'] for r in runs['now']) >= 150)})",
        " and ".join(span([r["frames_a_second"] for r in runs[label]], fix, 0) for label in ("before", "now")),
        " and ".join(span([r["click_to_tissue_ms"]["median"] for r in runs[label]], fix, 0) for label in ("before", "now")) + " ms"]))


@row("what that costs, against double precision and 0.005 ms with the same conductivities, 500 ms: activation, APD90 (RMS, largest), "
     "as before; single; single with 0.04 ms; single with 0.05 ms and rest",
     lambda use: "errors are against the same mesh, whose edges of 2.7 mm are coarse; 0.05 ms without rest was compared with single precision and "
     f"0.02 ms alone ({fix(way(use, 'single, dt 0.05 ms')['activation_rms_ms'])} ms); "
     f"{fix(100 * way(use, 'single, dt 0.05 ms, rest 0.1 mV')['share_at_rest'], 0)} % rest in the last",
     "`tests/bench/window_speed.py accuracy BUILD/engine/cli/tawara-cli > RECORD.jsonl`")
def _(use):
    out = []
    for name in ("as shipped before", "single", "single, dt 0.04 ms", "single, dt 0.05 ms, rest 0.1 mV"):
        r = way(use, name)
        out.append(f"{sig(r['activation_rms_ms'])}, {fix(r['activation_largest_ms'], 1)}; {fix(r['apd90_rms_ms'])}, {fix(r['apd90_largest_ms'], 1)}")
    return ". ".join(out) + " ms"


@row("the same, processor time of 500 ms on one thread: double 0.02 ms; single 0.02, 0.04, 0.05 ms; single with rest (0.1 mV) 0.02, 0.05 ms",
     lambda use: f"set-up is in it; {fix(100 * way(use, 'single, rest 0.1 mV')['share_at_rest'], 0)} % of the unknowns' steps rest where they may",
     "`tests/bench/window_speed.py accuracy BUILD/engine/cli/tawara-cli > RECORD.jsonl`")
def _(use):
    of = lambda name: fix(way(use, name)["user_s"], 1)
    return (f"{of('as shipped before')}; {of('single')}, {of('single, dt 0.04 ms')}, {of('single, dt 0.05 ms')}; "
            f"{of('single, rest 0.1 mV')}, {of('single, dt 0.05 ms, rest 0.1 mV')} s")


def soak(use):
    return use.one("soak.json", commit="af772203")


def half_hours(use):
    growth = [100 * (r["rss_mb"][1] / r["rss_mb"][0] - 1) for r in use.all("soak.json", minutes=30)]
    return f"in the record's {len(growth)} runs of half an hour memory grew by {span(growth, fix, 1)} %"


@row("two hours of work in that window: memory, means of the first and the last quarter after five minutes; click to notice, likewise",
     lambda use: "bars: 3 % more memory, clicks 25 ms later; a run begins anew every ten minutes, since what it keeps of itself grows; "
     f"what malloc has given out, by ten minutes: {commas(soak(use)['held_mb_by_ten_minutes'], fix, 0)} MB; {half_hours(use)}",
     "`cmake --build BUILD --target gui_soak; xvfb-run -a BUILD/tests/gui/gui_soak 120 RECORD.json`")
def _(use):
    r = soak(use)
    (early_MB, late_MB), (early_ms, late_ms) = r["held_mb"], r["click_noticed_ms"]
    return (f"{commas(r['rss_mb'], fix, 0)} MB, of it given out by malloc {commas(r['held_mb'], fix, 0)} (bar {met(late_MB < 1.03 * early_MB)}); "
            f"{commas(r['click_noticed_ms'], fix, 0)} ms (bar {met(late_ms < early_ms + 25)})")


SIXTY = ("interop, 60 a second, 1280x800", "host, 60 a second, 1280x800")


def phase(r, name):
    return next(p for p in r["phases"] if p["phase"] == name)


def three(r):
    return [phase(r, n)["ms_a_step"] for n in ("alone", *SIXTY)]


@row("generated heart, 11.7 million tetrahedra (566 thousand triangles on screen), opened as a bare mesh on one H200, NVIDIA's OpenGL under Xvfb, "
     "`p1`, single precision, no multisampling: to open; ms a step alone; at 60 pictures a second of 1280 x 800, CUDA to OpenGL; through the host",
     lambda use: "one diffusion step, 0.1 % mass scaling; no unknowns rest; pictures came at "
     f"{span([phase(use.one(H200, commit='e49c156'), n)['pictures_a_second'] for n in SIXTY], fix, 0)} a second", BARE)
def _(use):
    r = use.one(H200, commit="e49c156")
    return f"{fix(r['open']['engine_loaded_s'], 0)} s; " + "; ".join(fix(v, 3) for v in three(r))


@row("most pictures a second there: solver running; camera alone", "CUDA to OpenGL", BARE)
def _(use):
    r = use.one(H200, commit="e49c156")
    many = phase(r, "interop, as many as it can, 1280x800")["pictures_a_second"]
    return f"{fix(many, 0)}; {fix(r['turning']['pictures_a_second'], 0)}"


SECTIONS = [Section("The window", ROWS)]
