#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The record of a run of the suite (records/suite.json): how long, how many tests, which were skipped, and why.

suite_record.py BUILD COMMIT MACHINE > RECORD.json   of the tests/run.sh before it, whose output is in BUILD/ctest.txt
suite_record.py --check                              whether it reads what ctest writes
"""
import json
import re
import sys
from pathlib import Path


def reasons(log):
    """Of each test, the line "skipped: REASON" that it wrote last, from ctest's LastTest.log."""
    out, name = {}, None
    for line in log.splitlines():
        if found := re.match(r"\d+/\d+ Testing: (\S+)", line):
            name = found.group(1)
        elif found := re.match(r"skipped: (.*)", line):
            out[name] = found.group(1)
    return out


def rows_skipped(log):
    """How many tests and rows of Qt Test were skipped for which reason, from ctest's LastTest.log; the most first."""
    count = {}
    for reason in re.findall(r"^SKIP   : \S+?\(.*?\) (.*)$", log, re.M):
        count[reason] = count.get(reason, 0) + 1
    return dict(sorted(count.items(), key=lambda c: (-c[1], c[0])))


def record(text, log):
    """Of ctest's output and log.
    @throws ValueError  where ctest did not come to its end
    """
    summary = re.search(r"% tests passed, (\d+) tests failed out of (\d+)", text)
    seconds = re.search(r"Total Test time \(real\) = +([\d.]+) sec", text)
    if not summary or not seconds:
        raise ValueError("ctest.txt has no summary: the suite did not come to its end")
    failed, tests = map(int, summary.groups())
    skipped = re.findall(r"\d+ - (\S+) \(Skipped\)", text)
    why = reasons(log)
    return {"seconds": round(float(seconds.group(1))), "tests": tests, "passed": tests - failed - len(skipped),
            "skipped": [{"test": t, "reason": why.get(t, "it did not say")} for t in skipped], "rows_skipped": rows_skipped(log),
            "note": f"{failed} failed" if failed else "none failed"}


def check():
    text = ("99% tests passed, 1 tests failed out of 4\n\nTotal Test time (real) =  61.50 sec\n\nThe following tests did not run:\n"
            "\t  3 - style.tidy (Skipped)\n\nThe following tests FAILED:\n\t  2 - core.test_table (Failed)\n")
    log = ("1/4 Testing: core.test_table\nskipped: another's\nSKIP   : TestTable::rows(of (two)) no GPU\nSKIP   : TestTable::all() no GPU\n"
           "2/4 Testing: style.tidy\nskipped: 61 sources changed since 0123abc\n")
    assert record(text, log) == {"seconds": 62, "tests": 4, "passed": 2, "note": "1 failed",
                                 "skipped": [{"test": "style.tidy", "reason": "61 sources changed since 0123abc"}],
                                 "rows_skipped": {"no GPU": 2}}
    assert record(text, "")["skipped"][0]["reason"] == "it did not say"
    try:
        record("Test project\n", log)
    except ValueError:
        return
    raise AssertionError("a suite without an end has a record")


def main():
    if sys.argv[1:] == ["--check"]:
        check()
        return 0
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    build = Path(sys.argv[1])
    head = {"schema": 1, "what": "tests/run.sh, the tests alone", "commit": sys.argv[2], "machine": sys.argv[3]}
    try:
        log = (build / "Testing/Temporary/LastTest.log").read_text(encoding="utf-8", errors="replace")
        print(json.dumps(head | record((build / "ctest.txt").read_text(encoding="utf-8"), log)))
    except (OSError, ValueError) as e:
        print(f"suite_record.py: {e}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
