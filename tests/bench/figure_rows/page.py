# SPDX-License-Identifier: GPL-3.0-or-later
"""The fixed words of FIGURES.md, and the rows that are no longer on it."""
from .window import BENCH

# what is in capitals in commands, and what it stands for
PLACEHOLDERS = {
    "BUILD": "the folder of a build, as a whole path",
    "FUZZ_BUILD": "a folder for a build of its own",
    "OUT.json": "a file to be written", "RECORD.json": "a file to be written", "RECORD.jsonl": "a file to be written",
    "OUT": "a folder to be written",
    "COMMIT": "the commit that the program was built from, for the record",
    "MACHINE": "what the record is to call the machine",
    "TRACES": "a folder with another program's traces (`tawara-cli verify --help` says which); without `--data` these rows are skipped",
    "HEARTS": "a folder with hearts of others: `crtdemo_mesh_oriented.vtk` (github.com/ricardogr07/purkinje-learning-myocardial-mesh, MIT), "
              "`dti004.pts`, `.elem` and `.lon` (juliacamps/Cardiac-Digital-Twin, MIT), `cobiveco_geo1_536k.node` and `.ele` and "
              "`cobiveco_geo1_fine.smesh` (KIT-IBT/Cobiveco, Apache-2.0)",
    "COLLECTIONS": "a folder with collections of cell models: `cellml/`, `mmt/` and `cellml_reference/`",
    "ARCHIVE": "an archive (`.tar.xz`) of hostile files in a folder `in/`, with `base.json`; the project's own is not in the repository",
}

PAGE = {
    "head": """# Figures

Measured figures. `tests/bench/figures.py --write` makes this page of the records under `records/`; a test (`style.figures`) holds
both against each other, so change a row in `figure_rows/` or its record, not this page.

- *leaves out* says what the figure does not count: what was not computed, what was scaled, how far it is from a converged solution.
- Rows in bold are headlines: they say scheme, precision, the share at rest, set-up, what was extrapolated, how their operator was checked,
  and what is known of their error against a converged solution.
- *of* is the machine, and the record with the commit of the program in brackets. All commits are in this repository's history, and
  no row is of a program that had changes besides.
- *again* is the number of the command below the table that makes the record again, with the program as it is now; what the record's own
  program was is in *of*. Commands are for bash, in the repository's folder, after the lines of "Before the commands".
- Times of `step` cases are of ten samples, each a tenth of the steps; "median" is that of the ten (the middle two's
  mean), scaled to a second, "total" their sum. Times of `beat` cases are totals of one run's steps. Set-up is in neither.
- "Memory bound" is the time that bytes take at the speed of a triad or a copy measured in the same run. Where it says so, the bytes are
  those that the program's own structures move (they are in the record, kernel by kernel); else they are the design's: 216 B a cell and
  sub-step of diffusion and 305 B a cell for its states, together 521 B (in single precision 144 and 153).

## Before the commands

```bash
export PATH=BUILD/tests:BUILD/engine/cli:"$PATH"
for e in 1.9491 2.05 2.8 4 4.8; do echo "{\\"edge_mm\\": $e}" > e.json; tawara-cli mesh heart e.json heart-$e.vtu; done
HEART="--mesh heart-1.9491.vtu --refine 2 --sigma 0.227,0.0567,0.0567 --types 3"
```

`$HEART` stands for these words in the commands. Words in capitals in the commands are yours to fill in:

{placeholders}

A program `tawara-bench-...` or `gui_soak` is built by its name: `cmake --build BUILD --target tawara-bench-models`.

**The generated heart is not the same in all rows.** In every record of a program that GCC 12.2 compiled it has 183 008 tetrahedra (refined
twice 11 712 512, with 2 091 177 vertices); in every one that Clang 16 compiled, as the project's scripts do since ba8d2e45, it has 183 010
(11 712 640, with 2 091 197 vertices), and so it has today. No version of the generator made the difference: smaller hearts differ likewise
between 51d352ee (GCC) and 0e7f97e4 (Clang), and no commit from the one to the other changed the generator. The records of four GPUs are of
GCC's programs: their rows are of a heart with 128 tetrahedra fewer than the commands make today. *of* names the tetrahedra of each row.""",
    "went": "Each was on this page until its record was found to lack what a figure needs. The records stay where they say something else.",
    "lacks": "No row above rests on these, or not on the lines in question. Other pages cite the records.",
}

NO_COMMIT = "the program was no commit: "
WENT = [
    ("the heart of 11.7 million tetrahedra on H100, double, one sub-step: ms a step on one; on two (2.018; 1.020)",
     NO_COMMIT + "707fbd0 with launches that could be chosen", "`tawara-bench $HEART 'step,cuda:0,double,6000,fvm,eta=0.002' 'step,cuda:0;1,double,12000,fvm,eta=0.002'`"),
    ("interpolated currents on one H100, 220 ms, by a later program (7.96 s)", NO_COMMIT + "28e15fae and changes; the row keeps 268b3404",
     "`tawara-bench $HEART 'beat,cuda:0,single,220,p1,eta=0,interpolated'`"),
    ("a Purkinje network beside the tissue on one H100 (5.7 and 7.5 %; where graphs have one priority 17.8 and 32.3 %)",
     NO_COMMIT + "7523451e with a switch between both kinds of graph; now of e356fa6d on one H200 (above)",
     "`tawara-bench $HEART 'step,cuda:0,double,300,p1,untimed' 'step,cuda:0,double,300,p1,untimed,network=20000'` on an H100"),
    ("ranks on GPUs, borders in memory: `fvm` with rest (2.37, 1.74, 1.71 s)", NO_COMMIT + "6a68afb2 and changes",
     "`tests/bench/ranks_gpu.py BUILD/engine/cli/tawara-cli RECORD.jsonl fvm-rest`"),
    ("the window on the heart of 11.7 million tetrahedra: to open by `p1` and by `fvm` (25.6, 57.6 s); `fvm`, double, ms a step alone, by CUDA, through the "
     "host (1.56; 2.24; 2.37); `p1` with multisampling (0.215; 0.296; 0.297); most pictures a second (81, 54; 113)",
     NO_COMMIT + "changes on top of 4294c05 and of ea47077; a bare mesh by e49c156 stays (above)", BENCH),
    ("Newton's method, 795 thousand vertices, 20 ms: one H100; one core of its host (0.156; 29.0 s)", NO_COMMIT + "28e15fae and changes",
     "`tawara-bench --mesh heart-2.8.vtu --refine 2 'beat,cuda:0,double,20,p1,newton,model=aliev_panfilov_1996,dt=0.1,eta=0' "
     "'beat,cpu,double,20,p1,newton,model=aliev_panfilov_1996,dt=0.1,eta=0,threads=1'`"),
    ("the study of a scar on two cores: wall time; processors' time (500; 933 s)", NO_COMMIT + "6a68afb2 and changes",
     "`tawara-cli study run resources/studies/scar_risk.json --devices cpu`"),
    ("readers that were fuzzed, inputs of the first runs (15.0 of 36.7 million)",
     NO_COMMIT + "6384ffc1 with what fuzzing found mended; the row keeps the runs of five commits", "`TAWARA_FUZZ_PROCESSES=16 tests/fuzz/run.sh FUZZ_BUILD 380`"),
    ("a beat of 1000 ms by `p1` with interpolated currents on one H100, 20 us: with rest (0.1 mV); without (4.68; 13.5 s)",
     "the share at rest was not noted; measured again on an H200 with 40 us (above)",
     "`tawara-bench $HEART 'beat,cuda:0,single,1000,p1,interpolated,eta=0.002,keep=a' "
     "'beat,cuda:0,single,1000,p1,interpolated,rest=0.1,eta=0.002,against=a'`"),
    ("a beat by Purkinje as networks grew before twigs (QRS 90.9; 148.1; 144.4 ms)",
     "the record named no processor and no commit; measured again with today's network (above)", "no program of this history's end"),
    ("re-entry around the scar with the conductivities that the example had before (5 turns, 285 ms)",
     "its line of `examples.json` names no commit of its own; measured again as the example is now (above)", "no program of this history's end"),
    ("`fvm` on the unit cube with 1 018 705 tetrahedra (error 0.00087, order 2.2 by seven meshes; `p1` 2.18)",
     "the records named no machine; measured again on the five smaller meshes (above)",
     "`TAWARA_LARGE=1 TAWARA_RECORDS=OUT QTEST_FUNCTION_TIMEOUT=3000000 BUILD/tests/test_convergence`"),
    ("precision: `fvm` mixed against double, activation RMS; single (7e-8; 1.5e-3 ms)",
     "`h200-heart-1.jsonl` is of a mixture of two programs, and the runs are of `p1`, not of `fvm`",
     "`tawara-bench $HEART 'beat,cuda:0,double,600,p1,dt=0.02,keep=d' "
     "'beat,cuda:0,mixed,600,p1,dt=0.02,against=d' 'beat,cuda:0,single,600,p1,dt=0.02,against=d'`"),
    ("TT06 alone and other models, of all schemes (`h200_models_all.json`)",
     "commit 95d5c02 is not in this history; now of `h200_models_queue.json`, which lacks backward Euler",
     "`tawara-bench-models; tawara-bench-models --cells 12500000 ten_tusscher_2006`"),
    ("Mitchell-Schaeffer's cells alone, LRL (17 us a step)",
     "the same; in `h200_models_queue.json` it has a launch shape that the program no longer has", "`tawara-bench-models mitchell_schaeffer_2003`"),
    ("largest LRL step that keeps V of TT06 within 1.5 % of CVODE (0.1, 0.1, 0.05 ms)",
     "`cell_accuracy.json` names no machine; `cell info` and `CELL_MODELS.md` have the steps", "`tawara-bench-accuracy`"),
    ("model files of six collections: read, paced, refused (108, 107; 350)",
     "`cell_collections.json` names no machine", "`tawara-bench-collections COLLECTIONS`"),
    ("what hardening costs a step on the CPU (1.01 times, 0.97 to 1.06)",
     "commit 29753f1edebc of `hardening.json` is not in this history",
     "`tawara-cli bench step --devices cpu --threads 1 --size 20000 --steps 4000`, in turns with a build without hardening"),
]
