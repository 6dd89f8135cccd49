# SPDX-License-Identifier: GPL-3.0-or-later
"""compute-sanitizer over the kernels' tests, and tests of GPUs at full length. A new record takes the place of a name here:
what is particular to a record is its own "left_out"."""
import re
from pathlib import Path

SANITIZER = "h200-sanitizer-5.json"
FULL = ("h200-tests.json",)
SCRIPT = Path(__file__).parents[2] / "device/sanitize.sh"
TOOLS = ("memcheck", "racecheck")


def runs_of(use, tool):
    return [r for r in use.one(SANITIZER)["runs"] if r["tool"] == tool]


def compute_sanitizer(use):
    clean = [[r["clean"] for r in runs_of(use, tool)] for tool in TOOLS]
    return "; ".join(f"{sum(c)} of {len(c)} runs clean" for c in clean)


def of_no_program():
    """The files with kernels that sanitize.sh gives to no program."""
    return sorted(set(re.findall(r"([\w/]+\.cuh?):none\b", SCRIPT.read_text(encoding="utf-8"))))


def not_sanitized(use):
    """What the row of compute-sanitizer leaves out."""
    ran = {tool: [r["program"] for r in runs_of(use, tool)] for tool in TOOLS}
    once = [p for p in ran["memcheck"] if p not in ran["racecheck"]]
    skipped = sum(int(n) for tool in TOOLS for r in runs_of(use, tool) for n in re.findall(r"(\d+) skipped", r["tests"]))
    out = [use.one(SANITIZER).get("left_out", "")]
    out += [f"{r['tool']} of `{r['program']}` was not clean (status {r['status']})" for t in TOOLS for r in runs_of(use, t) if not r["clean"]]
    out += [f"memcheck alone: {', '.join(f'`{p}`' for p in once)} (why: [tests](../README.md))"] if once else []
    out += [f"{skipped} tests and rows of tests skipped themselves"] if skipped else []
    out += [f"hold_kernel and the kernels of {', '.join(of_no_program())}, which no program runs under the tool"]
    return "; ".join(part for part in out if part)


def full_runs(use):
    """All runs at full length, each with its commit."""
    records = [use.one(name) for name in FULL]
    return [{"commit": record["commit"], "gpus": 1} | run for record in records for run in record["runs"]]


def full_tests(use):
    groups = {}
    for r in full_runs(use):
        groups.setdefault((r["gpus"], r["commit"]), []).append(f"`{r['program']}` {r['passed']}, {r['failed']}, {r['skipped']}")
    return "; ".join(f"on {gpus} GPU{'s' if gpus > 1 else ''} ({commit}): {', '.join(runs)}" for (gpus, commit), runs in groups.items())


def not_at_full_length(use):
    """What the row of tests at full length leaves out."""
    full = {r["program"] for r in full_runs(use)}
    short = dict.fromkeys(r["program"].split(".")[0] for r in runs_of(use, "memcheck"))
    short = [p for p in short if p not in full]
    out = [use.one(name).get("left_out", "") for name in FULL]
    out += [f"`{r['program']}` skips {', '.join(r['reasons'])}" for r in full_runs(use) if "reasons" in r]
    out += [f"short alone, under memcheck: {', '.join(f'`{p}`' for p in short)}"] if short else []
    return "; ".join(part for part in out if part) or "nothing of these programs"


def full_command(use):
    return "`" + "; ".join(dict.fromkeys(f"BUILD/tests/{r['program']}" for r in full_runs(use))) + "`"
