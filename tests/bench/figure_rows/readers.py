# SPDX-License-Identifier: GPL-3.0-or-later
"""Readers of files from others, fuzzed; the verification table; the suite."""
import re
from pathlib import Path

from .row import Section, fix, rows_of, sig, thousands

READERS = []
reader = rows_of(READERS)


def of_a_commit(r):
    return " with " not in r["commit"]


def inputs_by_reader(lines):
    inputs = {}
    for r in lines:
        inputs[r["target"]] = inputs.get(r["target"], 0) + r["executions"]
    return inputs


def ended(lines):
    """What the record says of inputs that ended a program, by commits alone as the row is."""
    return "; ".join(f"`{r['target']}`: {r['note']}" for r in lines if of_a_commit(r) and r["crashes"])


def fuzzing(use):
    """What the row of fuzzing leaves out."""
    bar = 1_000_000
    lines = use.all("fuzz-readers.jsonl")
    inputs = inputs_by_reader(filter(of_a_commit, lines))
    late = set(inputs) - {r["target"] for r in lines if not of_a_commit(r)}
    return (f"optimised by -O1, with the address and undefined-behaviour sanitizers; {ended(lines)}; {len(late)} readers have had a target since 1ec49d98 alone; what was found before and mended is in "
            f"`records/README.md`; the bar of a million inputs each is reached by {sum(n >= bar for n in inputs.values())} of {len(inputs)}; the record's runs of a "
            f"program between two commits are left out")


@reader("readers that were fuzzed; inputs of each, and in all; inputs that ended a program by a signal, took 20 s or 2 GB; slowest input (processor time); "
        "largest memory", fuzzing, "`TAWARA_FUZZ_PROCESSES=16 tests/fuzz/run.sh FUZZ_BUILD 380`")
def _(use):
    lines = use.all("fuzz-readers.jsonl", of_a_commit)
    inputs = inputs_by_reader(lines)
    return (f"{len(inputs)}; {thousands(min(inputs.values()))} to {thousands(max(inputs.values()))}, {thousands(sum(inputs.values()))}; "
            f"{sum(r['crashes'] for r in lines)}; {fix(max(r['slowest_ms'] for r in lines) / 1e3, 1)} s; {max(r['peak_MB'] or 0 for r in lines)} MB")


def rows_skipped(use):
    """Tests within programs that passed, and rows of their data."""
    why = use.one("suite.json").get("rows_skipped")
    if why is None:
        return "tests and rows within programs that were skipped were not counted"
    return (f"{sum(why.values())} tests and rows within programs were skipped: " + ", ".join(f"{n} \"{reason}\"" for reason, n in why.items()))


@reader("the suite (`tests/run.sh`) on two cores, the tests alone: time; tests; of these passed; skipped", lambda use: "builds are not in it; no GPU; "
        + "; ".join([use.one("suite.json")["note"], rows_skipped(use), *(f"`{s['test']}`: {s['reason']}" for s in use.one("suite.json")["skipped"])]),
        "`TAWARA_BUILD=BUILD tests/run.sh; tests/bench/suite_record.py BUILD COMMIT MACHINE > RECORD.json`")
def _(use):
    r = use.one("suite.json")
    return f"{fix(r['seconds'] / 60, 0)} min; {r['tests']}; {r['passed']}; {len(r['skipped'])}" + (
        f" ({', '.join('`' + s['test'] + '`' for s in r['skipped'])})" if r["skipped"] else "")


def most_of_short_s():
    """The bound of the test, as it is declared."""
    text = (Path(__file__).parents[2] / "verify/CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"set\(most_s (\d+)\)", text).group(1)


def missed_rows(use):
    """Each by its name, with figure and bound."""
    out = []
    for r in use.one("verify-h200.json")["rows"]:
        if r["verdict"] != "missed":
            continue
        bound = (f"at most {sig(r['most'])}" if r["least"] is None else f"at least {sig(r['least'])}" if r["most"] is None
                 else f"{sig(r['least'])} to {sig(r['most'])}" if r["least"] != r["most"] else f"{sig(r['least'])}")
        unit = f" {r['unit']}" if r.get("unit") else ""
        out.append(f"`{r['id']}` {sig(r['figure'])} ({bound}{unit})")
    return ("bounds are those of the record's program; "
            "the nine points of `niederer` are held against programs of each scheme's kind since, no longer against all; missed, with the "
            "bound in brackets: " + ", ".join(out))


@reader("the whole verification table with a GPU: rows passed; missed; skipped", missed_rows,
       "`tawara-cli verify --devices cuda --data TRACES --out OUT`")
def _(use):
    r = use.one("verify-h200.json")
    return f"{r['passed']}; {r['missed']}; {r['skipped']} in {fix(r['seconds'], 0)} s"


@reader("the short form of the table, which a test runs: time on two cores; processor time; rows passed; missed; skipped",
        lambda use: "no GPU; it leaves out what takes long, and rows that are known to be missed; the test (`verify.short`) fails above "
        f"{most_of_short_s()} s of processor time", lambda use: f"`tests/verify/short.sh {most_of_short_s()} tawara-cli verify --short --threads 2 --out OUT`")
def _(use):
    r = use.one("verify-short-cpu.json")
    return f"{fix(r['seconds'], 0)} s; {fix(r['processor_s'], 0)} s; {r['passed']}; {r['missed']}; {r['skipped']}"


def skipped_ids(use, begin):
    return [r["id"] for r in use.one("verify-rows-cpu.json")["rows"] if r["verdict"] == "skipped" and r["id"].startswith(begin)]


@reader("rows that the verification table has had since its run with a GPU, on a CPU: passed; missed; skipped", lambda use: "of `ecg.heart` the polarities of T alone are such rows; skipped: "
       + ", ".join(f"`{i}`" for i in skipped_ids(use, "ecg.")) + " (either polarity is normal); cells of which no other program's trace is known: "
       + ", ".join(f"`{i.removeprefix('cells.library.')}`" for i in skipped_ids(use, "cells.library.")),
       "`tawara-cli verify --devices cpu --only implicit.solver cable.lu cable.swc cable.squid calcium.conservation calcium.channels "
       "velocity.across cells.library ecg.heart --out OUT`")
def _(use):
    r = use.one("verify-rows-cpu.json")
    return f"{r['passed']}; {r['missed']}; {r['skipped']} in {fix(r['seconds'], 0)} s"


@reader("lines of engine/ that the suite runs, of those that are compiled without CUDA",
        lambda use: f"{use.one('asan.json')['programs']['run']} programs of the suite; what an ended process ran is not in it", "`tests/sanitize/asan.sh`")
def _(use):
    return f"{use.one('asan.json')['engine_lines']['engine, all']['per_cent']} %"


def replaced_functions(use):
    """Tests that no sanitizer of addresses can follow."""
    out = [f"`{test}` ({why})" for test, why in use.one("asan.json")["left_out"].items() if why.startswith("puts its own")]
    return "not run with them: " + "; ".join(out)


def asan_again(use):
    r = use.one("asan-again.json")
    return f"among {r['programs']['passed']} programs at {r['commit']} (`asan-again.json`; {r['tests']['failed']} tests failed)"


@reader("programs of the suite with address, undefined-behaviour and leak sanitizers; of these passed; tests passed, failed, skipped; address errors and "
        "undefined behaviour; leaks with a frame of this program", lambda use: f"what failed is mended and passes with sanitizers since, {asan_again(use)}: "
        "a report that came too late (a defect), two tests' bounds and lines of progress, a wait that was too short; leaks of libraries are not counted, "
        f"stacks have no functions' names; without CUDA; {replaced_functions(use)}", "`tests/sanitize/asan.sh`")
def _(use):
    r = use.one("asan.json")
    tests = r["tests"]
    leaks = [x for x in r["reports"] if "leak of" in x["what"] or "leak allocated" in x["what"]]
    own = [x for x in leaks if any("libtawara" in frame for frame in x["stack"])]
    return (f"{r['programs']['run']}; {r['programs']['passed']}; {tests['passed']}, {tests['failed']}, {tests['skipped']}; "
            f"{len(r['reports']) - len(leaks)}; {len(own)}")


@reader("test programs of the engine's thread, of shards and of the window with the thread sanitizer; reports", lambda use: "without CUDA; "
        f"{use.one('tsan.json')['note']}; what no sanitizer follows: [tests](../README.md)", "`tests/sanitize/tsan.sh`")
def _(use):
    r = use.one("tsan.json")
    return f"{len(r['runs'])}; {sum(x['reports'] for x in r['runs'])}"


@reader("`tawara-cli run` killed at any moment and resumed; requests for memory, calls on files that fail, one each in a run: "
        "lost, crashed or left under a final name in part", "kills without a checkpoint yet begin anew; a run that is resumed has the bits of one that "
        "was not killed; LLVM's requests are among those for memory", "`tests/fuzz/torture.sh BUILD 50 30`")
def _(use):
    r = use.one("torture.jsonl", commit="7a8beca6")
    numbers = [r[k].split()[0] for k in ("kills", "memory", "files")]
    return f"{numbers[0]}; {numbers[1]}, {numbers[2]}: {0 if r['passed'] else 'some'}"


@reader("hostile files given to the command line; not refused in one line; slowest (processor time); largest memory",
        "two of them are strange, and not wrong", "`tests/fuzz/hostile_set.py BUILD/engine/cli/tawara-cli ARCHIVE`")
def _(use):
    r = use.one("hostile.json")
    return f"{r['files']}; {len(r['not_refused'])}; {r['slowest_cpu_s']} s; {r['most_MB']} MB"


SECTIONS = [Section("Readers of files from others, the verification table and the suite", READERS)]
