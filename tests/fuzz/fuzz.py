#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the fuzzers of readers (readers.hpp) that run.sh has built, in several processes at once, and writes a record.

Each target has SECONDS in all and at most EXECUTIONS inputs. It is run by the slice: whenever a process is free, the target
with the fewest inputs so far is next, so that a slow one has more processes. A target goes on from what its slices have found.
OUT/record.jsonl has a line for each target (until the end OUT/so_far.jsonl, of the slices that have ended); what crashes, hangs or fills memory is OUT/found/TARGET-crash-..., -timeout-...,
-oom-..., each with the end of its log; new inputs are in OUT/corpus/TARGET. Ends with 1 where something was found.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIMITS = ["-timeout=20", "-rss_limit_mb=2048", "-malloc_limit_mb=1024", "-max_len=65536", "-print_final_stats=1",
          "-entropic=0"]  # which takes two thirds of the time where an input has thousands of features
# what the program's own libraries hold to the end is no leak of a reader; VTK is not instrumented
ASAN = "detect_leaks=0:detect_container_overflow=0:allocator_may_return_null=0:quarantine_size_mb=16:malloc_context_size=8"
MOST_FOUND = 20  # a target that ends so often is not run again


def readers():
    """The group of each reader, by readers.hpp."""
    group, found = "", {}
    for line in (HERE / "readers.hpp").read_text().splitlines():
        if head := re.match(r"#define TAWARA_FUZZ_([A-Z]+)_READERS\(", line):
            group = head[1].lower()
        elif row := re.match(r"    X\(([a-z_]+)\)", line):
            found[row[1]] = group
    return found


class Target:
    """A reader, and what its slices have come to."""

    def __init__(self, name, program, out):
        self.name, self.program = name, program
        self.corpus = out / "corpus" / name
        self.corpus.mkdir(parents=True, exist_ok=True)
        self.executions, self.core_s, self.slices = 0, 0.0, 0
        self.seconds = 0.0  # of finished slices, and what running ones may take
        self.found, self.slowest_ms, self.peak_mb = 0, 0.0, 0
        self.under_way, self.per_slice = 0, 1

    def next_before(self):
        return (self.executions + self.under_way * self.per_slice, self.slices + self.under_way)


class Fuzzing:
    def __init__(self, args, targets):
        self.args, self.targets = args, targets
        self.lock = threading.Lock()
        self.end = time.monotonic() + args.wall if args.wall else None
        self.number = 0

    def left(self):
        return self.end - time.monotonic() if self.end else float("inf")

    def take(self):
        """The target that is next, and the seconds of its slice; (None, 0) where there is none."""
        a = self.args
        with self.lock:
            open_ = [t for t in self.targets if t.found < MOST_FOUND and (not a.executions or t.executions < a.executions)
                     and (t.seconds < a.seconds or t.slices + t.under_way == 0)]
            if not open_ or self.left() < 2:
                return None, 0, 0
            target = min(open_, key=Target.next_before)
            seconds = int(max(min(1, a.seconds), min(a.slice, a.seconds - target.seconds, self.left() - 1)))
            target.seconds += seconds
            target.under_way += 1
            self.number += 1
            return target, seconds, self.number

    def run(self, target, seconds, number):
        a = self.args
        log = a.out / "logs" / f"{target.name}-{number}.log"
        words = [str(target.program), *LIMITS, f"-artifact_prefix={a.out}/found/{target.name}-", f"-max_total_time={seconds}"]
        if seconds == 0:
            words.append("-runs=0")
        elif a.executions:
            words.append(f"-runs={max(1, a.executions - target.executions)}")
        if (dictionary := HERE / f"{target.name}.dict").exists():
            words.append(f"-dict={dictionary}")
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # files that never reach a disk
        folder = tempfile.mkdtemp(prefix="tawara-fuzz-", dir=memory)
        environment = {"ASAN_OPTIONS": ASAN, "UBSAN_OPTIONS": "print_stacktrace=1", **os.environ, "TMPDIR": folder,
                       "TAWARA_FUZZ_READER": target.name}
        began = time.monotonic()
        with open(log, "wb") as file:
            process = subprocess.Popen(words + [str(target.corpus), str(HERE / "corpus" / target.name)],
                                       stdout=file, stderr=subprocess.STDOUT, env=environment)
            try:
                status = process.wait(max(1.0, min(seconds + 60, self.left())))
            except subprocess.TimeoutExpired:  # the corpus alone takes longer: the time is over, nothing was found
                process.terminate()
                try:
                    process.wait(5)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
                status = 0
        shutil.rmtree(folder, ignore_errors=True)
        self.enter(target, seconds, time.monotonic() - began, status, log)

    def enter(self, target, seconds, took, status, log):
        text = log.read_text(errors="replace")

        def stat(name):
            values = re.findall(rf"stat::{name}: *([0-9.]+)", text)
            return float(values[-1]) if values else 0.0

        done = int(stat("number_of_executed_units")) or max(map(int, re.findall(r"^#(\d+)\t", text, re.M)), default=0)
        with self.lock:
            target.under_way -= 1
            target.slices += 1
            target.per_slice = max(1, done)
            target.executions += done
            target.seconds += took - seconds
            target.core_s += stat("core_seconds") or took
            target.slowest_ms = max(target.slowest_ms, stat("slowest_unit_ms"))
            target.peak_mb = max(target.peak_mb, int(stat("peak_rss_mb")))
            (self.args.out / "so_far.jsonl").write_text(self.record())
            if status == 0:
                log.unlink()
                return
            target.found += 1
            said = re.search(r".*(ERROR|SUMMARY|runtime error|terminate called|libFuzzer).*", text)
            print(f"{target.name}: {said[0] if said else text[-300:]}", file=sys.stderr, flush=True)
            lines = text.splitlines()[-120:]
            (self.args.out / "found" / f"{log.stem}.log").write_text("\n".join(lines) + "\n")

    def record(self):
        """A line of JSON for each target."""
        a, lines = self.args, []
        for t in self.targets:
            line = {"target": t.name, "executions": t.executions, "seconds": round(t.seconds), "core_s": round(t.core_s),
                    "crashes": t.found, "slowest_ms": t.slowest_ms, "peak_MB": t.peak_mb, "commit": a.commit}
            if a.machine:
                line["machine"] = a.machine
            lines.append(json.dumps(line) + "\n")
        return "".join(lines)

    def work(self):
        while True:
            target, seconds, number = self.take()
            if target is None:
                return
            self.run(target, seconds, number)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", type=Path, help="folder with fuzz_mesh, fuzz_model, fuzz_session")
    parser.add_argument("out", type=Path)
    parser.add_argument("targets", nargs="*", help="readers; all where none is named")
    parser.add_argument("--seconds", type=float, default=60, help="each target's, over all its processes; 0 takes the corpus alone")
    parser.add_argument("--executions", type=int, default=0, help="ends a target after so many inputs, too")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--slice", type=float, default=60, help="seconds that a process stays with a target")
    parser.add_argument("--wall", type=float, default=0, help="seconds after which all ends")
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--machine", default="", help="words for the record")
    args = parser.parse_intermixed_args()
    args.out = args.out.resolve()
    group = readers()
    for name in args.targets:
        if name not in group:
            parser.error(f"there is no reader {name}; there are {', '.join(group)}")
    for folder in ("found", "logs"):
        (args.out / folder).mkdir(parents=True, exist_ok=True)
    targets = [Target(n, args.programs.resolve() / f"fuzz_{group[n]}", args.out) for n in args.targets or group]
    fuzzing = Fuzzing(args, targets)
    workers = [threading.Thread(target=fuzzing.work) for _ in range(args.processes)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    print(fuzzing.record(), end="", flush=True)
    with open(args.out / "record.jsonl", "a", encoding="utf-8") as record:
        record.write(fuzzing.record())
    (args.out / "so_far.jsonl").unlink(missing_ok=True)
    return 1 if any(t.found for t in targets) else 0


if __name__ == "__main__":
    sys.exit(main())
