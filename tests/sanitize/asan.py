#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the tests of a build with sanitizers and coverage (asan.sh), and writes a record of what they say.

BUILD/asan has a folder for each test: what it printed, and the reports of all processes that it started. record.json has a
line for each test, each report once with the tests that made it, and which share of the lines of engine/ ran, by folder.
"""
import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LEFT_OUT = {
    "style.": "looks at texts, and runs none of the program",
    "layering.": "looks at texts, and runs none of the program",
    "fuzz.test_torture": "puts its own malloc() in the place of the sanitizer's, and functions in that of the engine's",
    "simulation.test_faults": "puts its own functions in the place of the engine's, which shared libraries do not let it",
    "core.test_hardening": "looks at how release builds are linked",
}
REPORT = re.compile(r"ERROR: AddressSanitizer: .*|AddressSanitizer: CHECK failed.*|^.*: runtime error: .*|"
                    r"^(?:Direct|Indirect) leak of .*")
FRAME = re.compile(r"^\s*#\d+ 0x[0-9a-f]+ (?:in )?(.*)$")


def listed(build):
    """Tests of ctest by name, the longest first."""
    out = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], capture_output=True, text=True, check=True)
    tests = json.loads(out.stdout)["tests"]
    for test in tests:
        test["properties"] = {p["name"]: p["value"] for p in test.get("properties", [])}
    return sorted(tests, key=lambda t: -t["properties"].get("COST", 0))


def why_left_out(name):
    return next((why for start, why in LEFT_OUT.items() if name.startswith(start)), None)


def targets(build):
    """What is built: the programs, and each test's that is run (FOLDER.TARGET)."""
    names = {t["name"].split(".")[1] for t in listed(build) if not why_left_out(t["name"])}
    return sorted({n for n in names if n.startswith("test_")} | {"tawara", "tawara-cli"})


def fixed_addresses():
    """Sanitizers of Clang 16 have no place for their shadow where the kernel spreads addresses wider than by 28 bits."""
    bits = Path("/proc/sys/vm/mmap_rnd_bits")
    return ["setarch", "-R"] if bits.exists() and int(bits.read_text()) > 28 else []


class Suite:
    """Runs tests side by side, and keeps a result of each."""

    def __init__(self, build, tests, limit_s, seconds):
        self.build, self.limit_s = build, limit_s
        self.end = time.monotonic() + seconds
        self.out = build / "asan"
        (self.out / "profiles").mkdir(parents=True, exist_ok=True)
        self.waiting, self.done, self.lock = list(tests), 0, threading.Lock()

    def environment(self, test, folder):
        # containers that libraries without sanitizers filled look overflown; leaks are reported without changing a status
        common = f"log_path={folder}/report:log_exe_name=1:print_stacktrace=1"
        return os.environ | {
            "ASAN_OPTIONS": f"{common}:detect_leaks=1:detect_container_overflow=0:allocator_may_return_null=1:abort_on_error=1",
            "UBSAN_OPTIONS": common, "LSAN_OPTIONS": "exitcode=0",
            "LLVM_PROFILE_FILE": f"{self.out}/profiles/%8m.profraw", "LIBGL_ALWAYS_SOFTWARE": "1",
            "QTEST_FUNCTION_TIMEOUT": f"{self.limit_s}000",
        } | ({"ASAN_SYMBOLIZER_PATH": found} if (found := shutil.which("llvm-symbolizer-16")) else {})

    def run(self, test):
        folder = self.out / test["name"]
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        began = time.monotonic()
        if not test.get("command"):
            return {"test": test["name"], "seconds": 0, "status": "not built", "passed": 0, "failed": 0, "skipped": 0,
                    "reports": 0}
        with open(folder / "printed.txt", "wb") as printed:
            process = subprocess.Popen(fixed_addresses() + test["command"], stdout=printed, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                       env=self.environment(test, folder), start_new_session=True,
                                       cwd=test["properties"].get("WORKING_DIRECTORY", self.build))
            try:
                status = process.wait(max(1.0, min(self.limit_s, self.end - began)))
            except subprocess.TimeoutExpired:
                status = "did not end"
            try:  # what the test has left behind
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        text = (folder / "printed.txt").read_text(errors="replace")
        totals = re.findall(r"^Totals: (\d+) passed, (\d+) failed, (\d+) skipped", text, re.M)
        passed, failed, skipped = (sum(int(t[i]) for t in totals) for i in range(3))
        result = {"test": test["name"], "seconds": round(time.monotonic() - began, 1), "status": status, "passed": passed,
                  "failed": failed, "skipped": skipped, "reports": 0}
        if fails := sorted(set(re.findall(r"^FAIL!  : (.*)$", text, re.M))):
            result["fails"] = fails
        return result

    def work(self):
        while True:
            with self.lock:
                if not self.waiting or time.monotonic() > self.end:
                    return
                test = self.waiting.pop(0)
            result = self.run(test)
            with self.lock:
                self.done += 1
                (self.out / test["name"] / "result.json").write_text(json.dumps(result))
                print(f"{self.done}: {result['test']}: {result['seconds']} s, status {result['status']}, "
                      f"{result['passed']} passed, {result['failed']} failed", flush=True)

    def run_all(self, jobs):
        threads = [threading.Thread(target=self.work) for _ in range(jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def others():
    """Patterns of reports that are no defects of the program, each with the comment above it."""
    found, why = [], ""
    for line in (HERE / "others.txt").read_text().splitlines():
        if line.startswith("#"):
            why = f"{why} {line[1:].strip()}".strip()
        elif not line:
            why = ""
        else:
            found.append((re.compile(line), why))
    return found


def place(frames):
    """The first frame in the repository, or the first of all."""
    ours = [f for f in frames if f"{ROOT}/" in f and "/build/" not in f]
    return (ours or frames or ["?"])[0].replace(f"{ROOT}/", "")


def each_report(file):
    """What each report of a process says, and its stack."""
    lines = file.read_text(errors="replace").splitlines()
    for at, line in enumerate(lines):
        if not (report := REPORT.search(line)):
            continue
        frames = []
        for below in lines[at + 1:]:
            if frame := FRAME.match(below):
                frames.append(frame[1])
            elif frames:
                break
        what = re.sub(r" on (unknown )?address.*|0x[0-9a-f]+ ?", "", report[0]).replace(f"{ROOT}/", "")
        yield re.sub(r"leak of \d+ byte\(s\) in \d+ object\(s\)", "leak", what), frames


def reports_of(out, results):
    """Each report once, those of others after: what it says, where, the tests that made it, and how often."""
    ours, not_ours = {}, {}
    patterns = others()
    for result in results:
        for file in sorted((out / result["test"]).glob("report*")):
            for what, frames in each_report(file):
                text = what + "\n" + "\n".join(frames)
                why = next((why for pattern, why in patterns if re.search(pattern, text.replace("\n", " "))), None)
                where = place(frames)
                report = (not_ours if why else ours).setdefault((re.sub(r"\d+(?: [-+*] \d+)?|'.*", "", what), where), {
                    "what": what, "where": where, "stack": [f.replace(f"{ROOT}/", "") for f in frames[:10]], "times": 0,
                    "tests": []})
                if why:
                    report["why"] = why
                    del report["stack"][2:]
                else:
                    result["reports"] += 1
                report["times"] += 1
                if result["test"] not in report["tests"]:
                    report["tests"].append(result["test"])
    return tuple(sorted(found.values(), key=lambda r: (r["what"], r["where"])) for found in (ours, not_ours))


def coverage(build, out):
    """Lines of engine/ that ran, of those that are compiled: in all, by folder, and the files with most that did not."""
    profile = out / "all.profdata"
    raw = out / "raw.txt"
    raw.write_text("".join(f"{p}\n" for p in sorted((out / "profiles").iterdir()) if p.stat().st_size))
    subprocess.run(["llvm-profdata-16", "merge", "--sparse", "--failure-mode=all", f"--input-files={raw}", "-o", profile],
                   check=True)
    objects = [*build.rglob("libtawara_*.so"), *build.rglob("tawara-cli"), build / "app" / "tawara"]
    objects = [o for o in objects if o.is_file()]
    command = ["llvm-cov-16", "export", "--summary-only", f"--instr-profile={profile}", str(objects[0])]
    for other in objects[1:]:
        command += ["--object", str(other)]
    told = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    folders, files = {}, []
    for file in told["data"][0]["files"]:
        name = file["filename"].replace(f"{ROOT}/", "")
        if not name.startswith("engine/"):
            continue
        lines = file["summary"]["lines"]
        folder = "/".join(name.split("/")[:2]) if name.count("/") > 1 else "engine"
        for key in (folder, "engine, all"):
            row = folders.setdefault(key, {"lines": 0, "ran": 0})
            row["lines"] += lines["count"]
            row["ran"] += lines["covered"]
        files.append({"file": name, "lines": lines["count"], "not_run": lines["count"] - lines["covered"]})
    for row in folders.values():
        row["per_cent"] = round(100 * row["ran"] / row["lines"], 1) if row["lines"] else None
    files.sort(key=lambda f: -f["not_run"])
    return {"folders": dict(sorted(folders.items())), "least": files[:40]}


def machine():
    words = Path("/proc/cpuinfo").read_text()
    model = re.search(r"model name\s*: (.*)", words)
    return f"{model[1] if model else 'processor unknown'}, {os.cpu_count()} processors"


def commit():
    if told := os.environ.get("TAWARA_COMMIT"):
        return told
    told = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True)
    return told.stdout.strip() or "unknown"


def written(record):
    """JSON with a line for each result, report and folder."""
    parts = []
    for key, value in record.items():
        if isinstance(value, list) and value:
            rows = ",\n  ".join(json.dumps(v, ensure_ascii=False) for v in value)
            parts.append(f'"{key}": [\n  {rows}\n ]')
        elif isinstance(value, dict) and len(value) > 3:
            rows = ",\n  ".join(f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in value.items())
            parts.append(f'"{key}": {{\n  {rows}\n }}')
        else:
            parts.append(f'"{key}": {json.dumps(value, ensure_ascii=False)}')
    return "{\n " + ",\n ".join(parts) + "\n}\n"


def make_record(build, settings):
    """The record of what was run since the folder BUILD/asan was made."""
    out = build / "asan"
    results = sorted((json.loads(f.read_text()) for f in out.glob("*/result.json")), key=lambda r: r["test"])
    reports, not_ours = reports_of(out, results)
    names = [t["name"] for t in listed(build)]
    left_out = {name: why for name in names if (why := why_left_out(name))}
    ran = {r["test"] for r in results}
    covered = coverage(build, out)
    took = json.loads((out / "seconds.json").read_text())
    record = {
        "schema": 1, "what": "address, undefined-behaviour and leak sanitizers over the suite, and the lines of engine/ that it "
        "runs: tests/sanitize/asan.sh", "date": time.strftime("%Y-%m-%d"), "commit": commit(), "machine": machine(),
        "settings": settings, "seconds": took,
        "programs": {"run": len(results), "passed": sum(r["status"] == 0 for r in results),
                     "failed": sum(r["status"] not in (0, "did not end", "not built") for r in results),
                     "did_not_end": sum(r["status"] == "did not end" for r in results),
                     "not_built": sum(r["status"] == "not built" for r in results)},
        "left_out": left_out, "not_run": [n for n in names if n not in ran and n not in left_out],
        "tests": {key: sum(r[key] for r in results) for key in ("passed", "failed", "skipped")},
        "sanitizer_reports": sum(r["reports"] for r in results), "reports": reports,
        "reports_of_others": not_ours,
        "engine_lines": covered["folders"], "least_covered": covered["least"], "results": results}
    (out / "record.json").write_text(written(record))
    return record


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["targets", "run", "record"])
    parser.add_argument("build", type=Path)
    parser.add_argument("tests", nargs="*", help="beginnings of names; all without any")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--limit", type=int, default=3600, help="seconds after which a test is ended")
    parser.add_argument("--seconds", type=int, default=86400, help="after which no test begins and those that run are ended")
    parser.add_argument("--rest", action="store_true", help="only tests that were not begun yet")
    parser.add_argument("--settings", default="", help="what the record says of the build")
    args = parser.parse_args()
    build = args.build.resolve()
    if args.what == "targets":
        print(*targets(build))
        return 0
    if args.what == "run":
        tests = [t for t in listed(build) if not args.tests or t["name"].startswith(tuple(args.tests))]
        wanted = [t for t in tests if not why_left_out(t["name"]) and not (
            args.rest and (build / "asan" / t["name"]).exists())]
        Suite(build, wanted, args.limit, args.seconds).run_all(args.jobs)
        return 0
    record = make_record(build, args.settings)
    programs, share = record["programs"], record["engine_lines"].get("engine, all", {}).get("per_cent")
    print(f"tawara: {programs['passed']} of {programs['run']} programs passed, {record['tests']['passed']} tests; "
          f"{record['sanitizer_reports']} reports of sanitizers, {len(record['reports'])} of them different; "
          f"{share} % of the lines of engine/ ran")
    return 1 if record["reports"] or record["not_run"] else 0


if __name__ == "__main__":
    sys.exit(main())
