# SPDX-License-Identifier: GPL-3.0-or-later
"""The fixed words of FIGURES.md, and the rows that are no longer on it."""

PAGE = {
    "head": """# Figures

Measured figures. `tests/bench/figures.py --write` makes this page of the records under `records/`; a test (`style.figures`) holds
both against each other, so change a row in `figure_rows/` or its record, not this page.

- *leaves out* says what the figure does not count: what was not computed, what was scaled, how far it is from a converged solution.
- *of* is the machine, and the record with the commit of the program in brackets. All commits are in this repository's history. A `+`
  or words after a commit say what the program had besides.
- *again* is the number of the command below the table that makes the record again. BUILD is a build folder; programs named
  `tawara-bench-...` are its targets. HEART stands for `--mesh heart.vtu --refine 2 --sigma 0.227,0.0567,0.0567 --types 3`, where
  `tawara-cli mesh heart edge.json heart.vtu` makes the mesh and edge.json holds `{"edge_mm": 1.9491}`. `records/README.md` says more of
  each record.
- "Memory bound" is the time that bytes take at the speed of a triad or a copy measured in the same run. Where it says so, the bytes are
  those that the program's own structures move (they are in the record, kernel by kernel); else they are the design's: 216 B a cell and
  sub-step of diffusion and 305 B a cell for its states, together 521 B (in single precision 144 and 153).""",
    "went": "Each was on this page until its record was found to lack what a figure needs. The records stay where they say something else.",
    "lacks": "No row above rests on these, or not on the lines in question. Other pages cite the records.",
}

WENT = [
    ("a beat by Purkinje as networks grew before twigs (QRS 90.9; 148.1; 144.4 ms)",
     "the record named no processor and no commit; measured again with today's network (above)", "no program of this history's end"),
    ("re-entry around the scar with the conductivities that the example had before (5 turns, 285 ms)",
     "its line of `examples.json` names no commit of its own; measured again as the example is now (above)", "no program of this history's end"),
    ("`fvm` on the unit cube with 1 018 705 tetrahedra (error 0.00087, order 2.2 by seven meshes; `p1` 2.18)",
     "the records named no machine; measured again on the five smaller meshes (above)",
     "`TAWARA_LARGE=1 TAWARA_RECORDS=FOLDER QTEST_FUNCTION_TIMEOUT=3000000 BUILD/tests/test_convergence`"),
    ("precision: `fvm` mixed against double, activation RMS; single (7e-8; 1.5e-3 ms)",
     "`h200-heart-1.jsonl` is of a mixture of two programs, and the runs are of `p1`, not of `fvm`",
     "`tawara-bench HEART beat,cuda:0,double,600,p1,dt=0.02,keep=d "
     "beat,cuda:0,mixed,600,p1,dt=0.02,against=d beat,cuda:0,single,600,p1,dt=0.02,against=d`"),
    ("TT06 alone and other models, of all schemes (`h200_models_all.json`)",
     "commit 95d5c02 is not in this history; now of `h200_models_queue.json`, which lacks backward Euler",
     "`tawara-bench-models`, and `--cells 12500000 ten_tusscher_2006`"),
    ("Mitchell-Schaeffer's cells alone, LRL (17 us a step)",
     "the same; in `h200_models_queue.json` it has a launch shape that the program no longer has", "`tawara-bench-models mitchell_schaeffer_2003`"),
    ("largest LRL step that keeps V of TT06 within 1.5 % of CVODE (0.1, 0.1, 0.05 ms)",
     "`cell_accuracy.json` names no machine; `cell info` and `CELL_MODELS.md` have the steps", "`tawara-bench-accuracy`"),
    ("model files of six collections: read, paced, refused (108, 107; 350)",
     "`cell_collections.json` names no machine", "`tawara-bench-collections DATA`"),
    ("what hardening costs a step on the CPU (1.01 times, 0.97 to 1.06)",
     "commit 29753f1edebc of `hardening.json` is not in this history",
     "`tawara-cli bench step --devices cpu --threads 1 --size 20000 --steps 4000`, in turns with a build without hardening"),
]
