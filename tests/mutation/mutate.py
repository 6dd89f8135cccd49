#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Breaks the program in the places of mutations.json, one at a time, and says whether the tests notice (README.md).

mutate.py BUILD_DIR [--only N ...] [--from N] [--minutes M] [--record FILE.jsonl]
                    [--jobs J] [--good] [--all-tests]
mutate.py BUILD_DIR --check

Ends with 0 where every mutation that was tried was noticed, with 1 where one was not, with 2 where nothing could be
tried, with 130 or 143 where a signal ended it. Whatever happens, the file that was changed is as it was.
"""
import argparse
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIST = Path(__file__).resolve().parent / "mutations.json"
KEYS = ["number", "what", "area", "file", "find", "replace", "tests"]
BUILD_SECONDS, TEST_SECONDS = 3600, 1200  # of one build, of one test
TARGETS = {"verify.short": "tawara-cli"}  # tests that are not called by their target


class Ended(Exception):
    """A signal asked for the end."""


class State:
    """What a signal's handler knows. It raises nothing: a source may be about to be written back."""

    signal = 0
    child = None

    @classmethod
    def end(cls, number, _):
        cls.signal = number
        cls.kill()

    @classmethod
    def kill(cls):
        if cls.child is not None and cls.child.poll() is None:
            os.killpg(cls.child.pid, signal.SIGKILL)


def stop(text):
    print(f"mutate.py: {text}", file=sys.stderr)
    sys.exit(2)


def read_list():
    """The mutations, each with all its keys, numbered from 1 on."""
    try:
        mutations = json.loads(LIST.read_text(encoding="utf-8"))
    except (OSError, ValueError) as e:
        stop(f"{LIST.name}: {e}")
    for k, m in enumerate(mutations, start=1):
        if list(m) != KEYS or m["number"] != k:
            stop(f"{LIST.name}, entry {k}: the keys have to be {', '.join(KEYS)}, and the number {k}")
    return mutations


def text_of(path):
    """A source as it is, whatever its line ends."""
    return path.read_bytes().decode("utf-8")


def fault_of(m, names):
    """What is wrong with a mutation; empty: nothing."""
    path = ROOT / m["file"]
    if not path.is_file():
        return f"there is no {m['file']}"
    count = text_of(path).count(m["find"])
    if count != 1:
        return f"`find` is there {count} times in {m['file']}, and has to be there once: {m['find']!r}"
    if m["replace"] == m["find"]:
        return "`replace` is `find`"
    found = tests_of(m, names)
    if not 1 <= len(found) <= 4:
        return f"`tests` names {len(found)} tests, and has to name 1 to 4: {m['tests']}"
    return ""


def tests_of(m, names):
    return [n for n in names if re.search(m["tests"], n)]


def test_names(build):
    """The names of all of ctest's tests. `ctest -N` would replace the log of a ctest that runs this as a test."""
    if not (build / "CTestTestfile.cmake").is_file():
        stop(f"{build} is no build folder with tests; tests/run.sh makes one")
    names, folders = [], [build]
    while folders:
        folder = folders.pop()
        file = folder / "CTestTestfile.cmake"
        text = file.read_text(encoding="utf-8") if file.is_file() else ""  # folders without tests may have none
        names += re.findall(r"^add_test\((?:\[=*\[)?\"?([^\s\"\]]+)", text, re.M)
        folders += [folder / sub for sub in re.findall(r'^subdirs\("([^"]+)"\)', text, re.M)]
    if not names:
        stop(f"{build} has no tests; configure it with -DTAWARA_TESTS=ON")
    return sorted(names)


def targets_of(tests):
    return sorted({TARGETS.get(t, t.split(".", 1)[-1]) for t in tests})


def need_clean_tree():
    r = subprocess.run(["git", "-C", str(ROOT), "status", "--porcelain", "--untracked-files=no"],
                       capture_output=True, text=True, check=False)
    if r.returncode != 0:
        stop(f"git cannot say whether the tree is clean: {r.stderr.strip()}")
    if r.stdout:
        stop("files are changed that git tracks; commit or stash them first:\n" + r.stdout.rstrip())


def run(command, seconds):
    """Runs a command in a group of its own. Returns its status (124: too slow) and its output."""
    environment = dict(os.environ, LIBGL_ALWAYS_SOFTWARE="1",  # as tests/run.sh has it
                       QTEST_DISABLE_STACK_DUMP="1")  # where a test crashes, a debugger would take minutes
    State.child = subprocess.Popen(command, cwd=ROOT, env=environment, text=True, errors="replace",
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    if State.signal:  # it came before there was a child
        State.kill()
    try:
        output, _ = State.child.communicate(timeout=seconds)
        status = State.child.returncode
    except subprocess.TimeoutExpired:
        State.kill()
        output, status = State.child.communicate()[0], 124
    State.child = None
    if State.signal:
        raise Ended
    return status, output


def build(folder, jobs, targets):
    status, output = run(["ninja", "-C", str(folder), f"-j{jobs}", *targets], BUILD_SECONDS)
    return status == 0, output


def failed_tests(folder, jobs, tests):
    """Those that fail, of which ctest stops at the first."""
    pattern = "^(" + "|".join(re.escape(t) for t in tests) + ")$"
    status, output = run(["ctest", "--test-dir", str(folder), "-R", pattern, "-j", str(jobs), "--timeout",
                          str(TEST_SECONDS), "--stop-on-failure"], (len(tests) + 1) * TEST_SECONDS)
    if status == 124:
        return ["ctest took too long"]
    listed = re.findall(r"^\s*\d+ - (\S+) \((.*?)\)", output, re.M)  # "  2 - mesh.test_mesh (Failed)"
    not_run = [name for name, how in listed if how in ("Not Run", "Skipped", "Disabled")]
    failed = [name for name, how in listed if name not in not_run]
    if not failed and (status != 0 or len(not_run) == len(tests)):
        stop(f"{', '.join(tests)} did not run:\n" + output.strip()[-1000:])
    return failed


def tried(m, folder, jobs, names, all_tests):
    """Makes a mutation, and takes it back. Returns its line of the record."""
    begun = time.monotonic()
    tests = names if all_tests else tests_of(m, names)
    line = {key: m[key] for key in ("number", "what", "file", "find", "replace")}
    path = ROOT / m["file"]
    before = path.read_bytes()
    try:
        path.write_bytes(before.replace(m["find"].encode(), m["replace"].encode()))
        built, output = build(folder, jobs, [] if all_tests else targets_of(tests))
        if not built:
            line |= {"outcome": "does not build", "why": output.strip()[-2000:]}
        elif failed := failed_tests(folder, jobs, tests):
            line |= {"outcome": "noticed", "by": failed}
        else:
            line |= {"outcome": "survived", "tests": ["all"] if all_tests else tests}
    finally:
        path.write_bytes(before)  # with a new time, so that what was made of the other text is made again
    return line | {"seconds": round(time.monotonic() - begun, 1)}


def chosen(mutations, only, first):
    if wrong := [n for n in only or [] if not 1 <= n <= len(mutations)]:
        stop(f"there is no mutation {wrong[0]}; they are numbered from 1 to {len(mutations)}")
    return [m for m in mutations if m["number"] >= first and (not only or m["number"] in only)]


def check(mutations, names):
    faults = [f"{LIST.name}, {m['number']}: {fault}" for m in mutations if (fault := fault_of(m, names))]
    print("\n".join(faults) or f"{len(mutations)} mutations, each of a text that is there once, with tests that exist")
    return 1 if faults else 0


def need_good_program(folder, jobs, names, mutations):
    """A test that fails anyway would notice everything."""
    tests = sorted({t for m in mutations for t in tests_of(m, names)})
    built, output = build(folder, jobs, targets_of(tests))
    if not built:
        stop("the program does not build as it is:\n" + output.strip()[-2000:])
    if failed := failed_tests(folder, jobs, tests):
        stop("tests fail as the program is: " + ", ".join(failed))


def arguments():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("build", type=Path, metavar="BUILD_DIR")
    p.add_argument("--only", type=int, nargs="+", metavar="N", help="these mutations alone")
    p.add_argument("--from", type=int, default=1, metavar="N", dest="first", help="from this one on")
    p.add_argument("--minutes", type=float, metavar="M", help="begin none after so many minutes")
    p.add_argument("--record", type=Path, metavar="FILE.jsonl", help="a line for each is added there")
    p.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="J", help="of ninja and ctest")
    p.add_argument("--good", action="store_true", help="the tests are known to pass: do not run them first")
    p.add_argument("--all-tests", action="store_true", help="build all and run the whole suite for each")
    p.add_argument("--check", action="store_true", help="change nothing: only see whether the list fits the sources")
    return p.parse_args()


def main():
    a = arguments()
    a.build = a.build.resolve()
    mutations, names = read_list(), test_names(a.build)
    if a.check:
        return check(mutations, names)
    need_clean_tree()
    mutations = chosen(mutations, a.only, a.first)
    for m in mutations:
        if fault := fault_of(m, names):
            stop(f"{LIST.name}, {m['number']}: {fault}")
    begun = time.monotonic()
    if not a.good:
        need_good_program(a.build, a.jobs, names, mutations)
    counts = {}
    for m in mutations:
        if a.minutes is not None and time.monotonic() - begun > 60 * a.minutes:
            print(f"the time is over; go on with --from {m['number']}")
            break
        if State.signal:
            raise Ended
        line = tried(m, a.build, a.jobs, names, a.all_tests)
        counts[line["outcome"]] = counts.get(line["outcome"], 0) + 1
        print(f"{m['number']:3} {line['outcome']:14} {line['seconds']:7} s  {m['what']}", flush=True)
        if a.record:
            with a.record.open("a", encoding="utf-8") as f:
                f.write(json.dumps(line, ensure_ascii=False) + "\n")
    print(", ".join(f"{n} {outcome}" for outcome, n in sorted(counts.items())) or "none was tried")
    return 0 if set(counts) <= {"noticed"} else 1


if __name__ == "__main__":
    for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(s, State.end)
    try:
        sys.exit(main())
    except Ended:
        print(f"mutate.py: ended by {signal.Signals(State.signal).name}; the sources are as they were", file=sys.stderr)
        sys.exit(128 + State.signal)
