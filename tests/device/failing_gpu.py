#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""failing_gpu.py TAWARA-CLI SESSION RECORD.json [--part 0.7] [--devices cuda:0]

A GPU that fails in the middle of a run, on a machine with a GPU. A library that is loaded in place of libcuda.so.1 passes all calls on
to the driver, counts launches of graphs and kernels, and from the N-th on answers every call of the driver as one does after an
uncorrectable memory error: launches, copies, waits, allocations. The run with --outlive-devices must say so, go on from its last
checkpoint on what is left and end with status 0; the same run without it must end with status 4 and one line; both keep what
was reached. Results are compared with those of a run that nothing happened to."""
import argparse
import csv
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

FAILS = ("cuGraphLaunch", "cuLaunchKernel", "cuLaunchKernelEx", "cuStreamSynchronize", "cuStreamWaitEvent", "cuEventSynchronize", "cuEventRecord",
         "cuCtxSynchronize", "cuMemAlloc", "cuMemAllocAsync", "cuMemcpyAsync", "cuMemcpyHtoD", "cuMemcpyDtoH", "cuMemcpyHtoDAsync",
         "cuMemcpyDtoHAsync", "cuMemcpyDtoDAsync", "cuMemsetD8Async", "cuMemcpy", "cuMemcpyPeerAsync", "cuEventQuery", "cuStreamQuery")
COUNTS = ("cuGraphLaunch", "cuLaunchKernel", "cuLaunchKernelEx")


def library(folder):
    """Builds it: every function of cuda.h jumps to the driver's; the ones above ask first whether the GPU has failed."""
    header = next(p for p in (Path("/usr/local/cuda/include/cuda.h"), Path("/usr/include/cuda.h")) if p.exists())
    names = sorted(set(re.findall(r"\b(cu[A-Z]\w+)\s*\(", header.read_text())))
    names = sorted({n + s for n in names for s in ("", "_v2", "_v3", "_v4", "_ptsz", "_v2_ptsz", "_ptds", "_v2_ptds")} - {"cuGetProcAddress", "cuGetProcAddress_v2"})
    c = ["#define _GNU_SOURCE", "#include <dlfcn.h>", "#include <stdio.h>", "#include <stdlib.h>", "#include <string.h>",
         "int tawara_dead; long tawara_left;", "static void* driver;",
         'static void missing(void) { fprintf(stderr, "a function that the driver does not have\\n"); abort(); }']
    for n in names:
        base = re.sub(r"(_v[234])?(_ptsz|_ptds)?$", "", n)
        c.append(f"void* real_{n} = missing;")
        code = []
        if base in COUNTS:
            code += ["lock decq tawara_left(%rip)", "jns 2f", "movl $1, tawara_dead(%rip)", "2:"]
        if base in FAILS:
            code += ["cmpl $0, tawara_dead(%rip)", "je 1f", "movl $214, %eax", "ret", "1:"]
        code.append(f"jmp *real_{n}(%rip)")
        lines = "\\n".join(code)
        c.append(f'__asm__(".globl {n}\\n.type {n},@function\\n{n}:\\n{lines}\\n.hidden real_{n}\\n"); extern void {n}(void);')
    c.append("__asm__(\".hidden tawara_dead\\n.hidden tawara_left\\n\");")
    c.append("struct entry { const char* name; void** real; void* ours; };\nstatic struct entry entries[] = {")
    c += [f'{{"{n}", &real_{n}, (void*)&{n}}},' for n in names]
    c.append("""};
enum { count = sizeof entries / sizeof *entries };
typedef int (*Get)(const char*, void**, int, unsigned long long, int*);
typedef int (*OldGet)(const char*, void**, int, unsigned long long);
static Get get; static OldGet old_get;
__attribute__((constructor)) static void open_driver(void)
{
    driver = dlopen(getenv("TAWARA_DRIVER"), RTLD_NOW | RTLD_LOCAL);
    if (!driver) { fprintf(stderr, "no driver: %s\\n", dlerror()); abort(); }
    tawara_left = atol(getenv("TAWARA_LAUNCHES"));
    get = (Get)dlsym(driver, "cuGetProcAddress_v2");
    old_get = (OldGet)dlsym(driver, "cuGetProcAddress");
    for (int i = 0; i < count; ++i) { void* f = dlsym(driver, entries[i].name); if (f) *entries[i].real = f; }
}
__attribute__((destructor)) static void say(void)
{
    FILE* f = getenv("TAWARA_COUNT") ? fopen(getenv("TAWARA_COUNT"), "w") : NULL;
    if (f) { fprintf(f, "%ld", atol(getenv("TAWARA_LAUNCHES")) - tawara_left); fclose(f); }
}
int cuGetProcAddress_v2(const char* name, void** f, int version, unsigned long long flags, int* status);
int cuGetProcAddress(const char* name, void** f, int version, unsigned long long flags);
static void ours(const char* name, void** f)
{
    if (!f || !*f) return;
    if (!strcmp(name, "cuGetProcAddress")) { *f = *f == (void*)old_get ? (void*)cuGetProcAddress : (void*)cuGetProcAddress_v2; return; }
    for (int i = 0; i < count; ++i) if (*entries[i].real == *f) { *f = entries[i].ours; return; }
}
int cuGetProcAddress_v2(const char* name, void** f, int version, unsigned long long flags, int* status)
{ int r = get(name, f, version, flags, status); if (r == 0) ours(name, f); return r; }
int cuGetProcAddress(const char* name, void** f, int version, unsigned long long flags)
{ int r = old_get(name, f, version, flags); if (r == 0) ours(name, f); return r; }
""")
    source = folder / "failing.c"
    source.write_text("\n".join(c))
    subprocess.run(["gcc", "-O1", "-w", "-shared", "-fPIC", "-o", folder / "libcuda.so.1", source, "-ldl"], check=True)


def driver_path():
    listed = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True).stdout
    places = re.findall(r"libcuda\.so\.1 .*=> (\S+)", listed)
    places += [os.path.join(p, "libcuda.so.1") for p in os.environ.get("LD_LIBRARY_PATH", "").split(":") + ["/usr/local/nvidia/lib64", "/usr/lib/x86_64-linux-gnu"] if p]
    return next(p for p in places if os.path.exists(p))


def table(file):
    rows = list(csv.reader(file.open()))
    return rows[0], [[float(x) if re.fullmatch(r"[-+.\deE]+", x) else math.nan for x in r] for r in rows[1:]]


def farthest(a, b, column):
    (head, left), (_, right) = table(a), table(b)
    k = head.index(column)
    pairs = [(x[k], y[k]) for x, y in zip(left, right)]
    assert len(left) == len(right) and all(math.isnan(x) == math.isnan(y) for x, y in pairs), "places differ"
    return max((abs(x - y) for x, y in pairs if not math.isnan(x)), default=math.nan)


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("cli"); p.add_argument("session"); p.add_argument("record", type=Path)
    p.add_argument("--part", type=float, default=0.7); p.add_argument("--devices", default="cuda:0"); p.add_argument("--commit", default="")
    p.add_argument("--more", nargs="*", default=[], help="more arguments of run")
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        library(folder)
        env = dict(os.environ, TAWARA_DRIVER=driver_path(), TAWARA_LAUNCHES=str(10**12), TAWARA_COUNT=str(folder / "count"))
        env["LD_LIBRARY_PATH"] = f"{folder}:{env.get('LD_LIBRARY_PATH', '')}"

        def run(name, env, *more):
            done = subprocess.run([a.cli, "run", a.session, "--devices", a.devices, "--out", folder / name, *a.more, *more], env=env,
                                  capture_output=True, text=True)
            said = [line.replace(str(folder), "OUT") for line in (done.stdout + done.stderr).splitlines() if re.search("fail|error|goes on|go on|checkpoint", line)]
            return {"status": done.returncode, "said": said, "files": sorted(f.name for f in (folder / name).glob("*"))}

        runs = {"whole": run("whole", dict(os.environ)), "counted": run("counted", env)}
        launches = int((folder / "count").read_text())
        env["TAWARA_LAUNCHES"] = str(int(a.part * launches))
        runs |= {"outlives": run("outlives", env, "--outlive-devices"), "ends": run("ends", env)}
        out = {"bench": "failing-gpu", "commit": a.commit, "session": Path(a.session).name, "launches": launches, "fails_after": int(a.part * launches), "devices": a.devices,
               "machine": subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True).stdout.strip(),
               "runs": runs}
        if runs["outlives"]["status"] == 0:
            out["activation_differs_by_ms"] = farthest(folder / "whole/activation.csv", folder / "outlives/activation.csv", "activation_ms")
        out["good"] = (runs["whole"]["status"] == 0 and runs["counted"]["status"] == 0 and runs["outlives"]["status"] == 0
                       and any("goes on with" in line for line in runs["outlives"]["said"]) and runs["ends"]["status"] == 4
                       and out.get("activation_differs_by_ms", math.inf) < 0.01)
        a.record.write_text(json.dumps(out, indent=1) + "\n")
        print(json.dumps(out, indent=1))
        sys.exit(0 if out["good"] else 1)


main()
