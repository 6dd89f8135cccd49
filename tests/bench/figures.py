#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes FIGURES.md of the records, and says what is wrong with either.

figures.py --write    writes FIGURES.md whole
figures.py --check    a line for each problem: FIGURES.md is not what the records give; a figure's record lacks its machine,
                      its commit or its settings; a row in bold does not say scheme, precision, rest, set-up, extrapolation, its operator,
                      its error against a converged solution; a row among the headlines is not in bold;
                      a row's command is not of bash, names a file that is not there or a word in capitals that the page
                      does not explain; a row's program is no commit; a commit is not in this repository's history (left
                      out, and said, where there is no git or no whole history); a record is cited that is not there; no page cites a record

Rows are in figure_rows/: each has a function that works its figures out of lines of records, and so is what was measured of
what a row leaves out. Typed are settings, bars and sizes that name a case, and figures of rows that went.
Records say themselves what made them, but for what records/about.json adds. Ends with 1 where there is a problem.
"""
import argparse
import bisect
import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True  # the source's folder stays as it is

from figure_rows import PAGE, PLACEHOLDERS, SECTIONS, WENT  # noqa: E402

RECORDS = HERE / "records"
FIGURES = HERE / "FIGURES.md"
ABOUT = "about.json"
HASH = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b")
VAGUE = re.compile(r"\b(between|follows|before) (?=[0-9a-f]*\d)[0-9a-f]{7}|the tree of")
PATCHED = re.compile(r"[0-9a-f]\+|\b(with|changes|on top of|prototypes?|later|chosen|the test of)\b")
COMMIT = ("commit", "built_from", "program")
MACHINE = ("machine", "gpu", "cpu", "processor", "device")
SETTINGS = ("case", "command", "source", "settings", "study", "session", "what", "bench", "benchmark")


def lines_of(path):
    """The lines of a record: those of a .jsonl, the members of a list, or the one object."""
    text = path.read_text(encoding="utf-8")
    try:
        whole = json.loads(text)
    except json.JSONDecodeError:
        whole = [json.loads(line) for line in text.splitlines() if line.strip()]
    return whole if isinstance(whole, list) else [whole]


def named(line, keys):
    """The first of these keys that the line has as text."""
    return next((line[k] for k in keys if isinstance(line.get(k), str) and line[k]), "")


def commit_of(line):
    texts = [line[k] for k in COMMIT if isinstance(line.get(k), str)]
    return next((t for t in texts if HASH.search(t)), texts[0] if texts else "")


def exact(commit):
    """Whether a text names commits alone: no program between two, and none with changes of its own."""
    return bool(HASH.search(commit)) and not VAGUE.search(commit) and not PATCHED.search(commit)


def devices(text):
    """'NVIDIA H200 (cuda:0) + NVIDIA H200 (cuda:1)' is '2 NVIDIA H200'."""
    parts = [re.sub(r" \(cuda:\d\)|, \d+ GiB.*", "", p) for p in text.split(" + ")]
    return parts[0] if len(parts) == 1 else f"{len(parts)} {parts[0]}"


def machine_of(line):
    """What it ran on, or "" where the line names no more than a kind of processor."""
    text = devices(named(line, MACHINE))
    return "" if re.match(r"cpu\b|cuda:", text, re.I) else text


class Records:
    """The records and what is said of them."""

    def __init__(self, folder=RECORDS):
        self.folder = folder
        about = folder / ABOUT
        self.about = json.loads(about.read_text(encoding="utf-8")) if about.exists() else {}
        self.files = {}

    def lines(self, name):
        if name not in self.files:
            path = self.folder / name
            if not path.exists():
                raise LookupError(f"records/{name} is not there")
            self.files[name] = lines_of(path)
        return self.files[name]

    def names(self):
        return sorted(p.name for p in self.folder.iterdir() if re.search(r"\.jsonl?$", p.name) and p.name != ABOUT)

    def origin(self, name, line):
        """Machine, commit, settings of a line: its own, else its record's first line's, else of about.json."""
        first = self.lines(name)[0]
        head = first if not commit_of(line) or not named(line, SETTINGS) else {}
        about = self.about.get(name, {})
        inner = line.get("step") if isinstance(line.get("step"), dict) else {}
        machine = about.get("machine") or machine_of(line) or machine_of(inner) or machine_of(head)
        commit = commit_of(line) or about.get("commit", "") or commit_of(inner) or commit_of(head)
        settings = named(line, SETTINGS) or about.get("settings", "") or named(head, SETTINGS)
        if machine and "CPU, " in named(line, ("device",)):
            machine += named(line, ("device",)).replace("CPU", "", 1)
        return machine, commit, settings


class Use:
    """What a row reads, so that it can be said which lines its figures are of."""

    def __init__(self, records):
        self.records = records
        self.used = []

    def all(self, name, where=None, **keys):
        """The lines with these values; at least one."""
        found = [r for r in self.records.lines(name)
                 if all(r.get(k) == v for k, v in keys.items()) and (where is None or where(r))]
        if not found:
            raise LookupError(f"records/{name} has no line with {keys or 'what is wanted'}")
        self.used += [(name, r) for r in found]
        return found

    def one(self, name, where=None, **keys):
        """The line with these values; the only one."""
        found = self.all(name, where, **keys)
        if len(found) > 1:
            raise LookupError(f"records/{name} has {len(found)} lines with {keys or 'what is wanted'}")
        return found[0]

    def part(self, name, key):
        """A member of a record that has its own commit and settings."""
        line = self.records.lines(name)[0]
        found = {k: v for k, v in line.items() if isinstance(v, str)} | line[key]
        self.used.append((name, found))
        return found

    def beside(self):
        """Reads the same records; what it reads is no source of the row's figure."""
        return Use(self.records)

    def origins(self):
        out = {}
        for name, line in self.used:
            out.setdefault(name, []).append(self.records.origin(name, line))
        return out


def short(commit):
    return HASH.sub(lambda m: m.group()[:8], commit).replace("|", "/")


def listed(values):
    return "; ".join(dict.fromkeys(v for v in values if v))


def meshes(use):
    """The tetrahedra of meshes from files: the generated heart is not the same in all records."""
    found = [r["mesh"] for _, r in use.used if isinstance(r.get("mesh"), dict)]
    sizes = [m.get("tetrahedra") for m in found if m.get("kind", "file") == "file"]
    sizes = listed(f"{int(n):,}".replace(",", " ") for n in sizes if n)
    return f"; {sizes} tetrahedra" if sizes else ""


def source(origins, of_meshes=""):
    """A row's column "of": machine, meshes, commit, record."""
    machine = listed(m for o in origins.values() for m, _, _ in o) + of_meshes
    parts = [f"`{name}` ({listed(short(c) for _, c, _ in o)})" for name, o in origins.items()]
    return machine + ". " + ", ".join(parts)


def row_line(row, use, problems):
    """The row of the page, and its command."""
    try:
        figure = row.figure(use)
        command = row.command(use) if callable(row.command) else row.command
        leaves = row.leaves(use.beside()) if callable(row.leaves) else row.leaves
    except (LookupError, TypeError, ValueError, ZeroDivisionError) as e:
        problems.append(f"figure_rows: \"{row.what}\": {type(e).__name__}: {e}")
        return None
    if not command:
        problems.append(f"figure_rows: \"{row.what}\": no command makes it again")
    command = command.replace("{cases}", cases_of(use))
    problems += [f"figure_rows: \"{row.what}\": {p}" for p in command_problems(command) + bold_problems(row, figure, leaves)]
    return figure, leaves, command


def bold_problems(row, figure, leaves):
    """What a row in bold, which is a headline, does not say."""
    if "**" not in row.what:
        return []
    said = f"{row.what} {figure} {leaves}"
    needs = {"scheme": r"`(fvm|p1)`", "precision": r"double|single|mixed", "rest": r"at rest|\bno (unknowns? )?rests?\b",
             "set-up": "set-up", "extrapolation": r"extrapolated|scaled to", "its operator": r"operator (was checked|is symmetric)",
             "its error against a converged solution": r"against a converged one"}
    out = [f"is in bold and does not say: {what}" for what, words in needs.items() if not re.search(words, said)]
    return out + (["is in bold, and its share at rest was not noted"] if "was not noted" in said else [])


def command_problems(command):
    """What keeps a row's command from being pasted into bash; words around it are not looked at."""
    code = ";".join(re.findall(r"`([^`]+)`", command))
    if not command.startswith("`"):
        return ["its command does not begin with one"]
    out = []
    if subprocess.run(["bash", "-n", "-c", code], capture_output=True, check=False).returncode:
        out.append("its command is not of bash")
    if "..." in code or "\u2026" in code:
        out.append("its command leaves something out")
    if re.search(r"\w\|\w", re.sub(r"'[^']*'|\"[^\"]*\"", "", code)):
        out.append("its command has a choice that bash takes for a pipe")
    named_files = re.findall(r"(?<![\w/])(?:tests|resources|engine|meshes)/[\w./-]+\w", code)
    out += [f"{f} is not there" for f in named_files if not (ROOT / f).exists()]
    bare = re.sub(r"\$\w+|\$\{\w+", "", re.sub(r"\b[A-Z_]+=", "", code))
    words = set(re.findall(r"(?<![\w.-])[A-Z][A-Z_-]*(?:\.jsonl?)?(?![\w-])", bare))
    unset = set(re.findall(r"\$\{?([A-Z]\w*)", code)) - set(re.findall(r"\b([A-Z]\w*)=", code)) - {"HEART", "PATH"}
    out += [f"nothing sets ${name}" for name in sorted(unset)]
    return out + [f"nothing explains {w}" for w in sorted(words - set(PLACEHOLDERS))]


def cases_of(use):
    """The cases of tawara-bench that a row's lines are of, after those whose maps they are compared with."""
    cases = [r["case"] for _, r in use.used if "case" in r]
    for name, r in use.used:
        kept = re.search(r"against=(\w+)", r.get("case", ""))
        if kept and not any(c.endswith(f"keep={kept.group(1)}") for c in cases):
            bases = {x["case"] for x in use.records.lines(name) if x.get("case", "").endswith(f"keep={kept.group(1)}")}
            if len(bases) != 1:
                raise SystemExit(f"{name}: {len(bases)} cases keep {kept.group(1)}: the row of {r['case']} does not say which it is compared with")
            cases.append(bases.pop())
    cases.sort(key=lambda c: "keep=" not in c)
    return " ".join(dict.fromkeys(f"'{c}'" for c in cases))


def table(rows, records, number, problems):
    """A section's table, its commands below, and the number of the next command."""
    out = ["| what | figure | leaves out | of | again |", "| --- | --- | --- | --- | --- |"]
    commands = {}
    for row in rows:
        use = Use(records)
        made = row_line(row, use, problems)
        if made is None:
            continue
        check_origins(row, use, problems)
        at = commands.setdefault(made[2], number + len(commands))
        out.append(f"| {row.what} | {made[0]} | {made[1]} | {source(use.origins(), meshes(use))} | {at} |")
    out.append("")
    out += [f"{n}. {c}" for c, n in commands.items()]
    return out, number + len(commands)


def check_origins(row, use, problems):
    for name, origins in use.origins().items():
        for what, at in (("machine", 0), ("commit", 1), ("settings", 2)):
            if any(not o[at] for o in origins):
                problems.append(f"records/{name}: no {what}, and \"{row.what}\" cites it")
        for c in dict.fromkeys(o[1] for o in origins):
            if c and not exact(c):
                problems.append(f"records/{name}: \"{c}\" is no commit, and \"{row.what}\" cites it")


def page(records, problems):
    """FIGURES.md."""
    words = "\n".join(f"- `{w}`: {meaning}." for w, meaning in PLACEHOLDERS.items())
    out, number = [PAGE["head"].replace("{placeholders}", words), ""], 1
    for section in SECTIONS:
        out += [f"## {section.title}", ""]
        if section.title.startswith("Headlines"):
            problems += [f"figure_rows: \"{row.what}\": is a headline, and not in bold" for row in section.rows if "**" not in row.what]
        text, number = table(section.rows, records, number, problems)
        out += text + [""]
        if section.prose:
            try:
                out += [textwrap.fill(section.prose(Use(records)), 128), ""]
            except LookupError as e:
                problems.append(f"figure_rows: the text of \"{section.title}\": {e}")
    out += ["## Rows that went", "", PAGE["went"], "", "| what | why | comes back by |", "| --- | --- | --- |"]
    out += [f"| {' | '.join(w)} |" for w in WENT]
    problems += [f"figure_rows: a row that went, \"{w[0]}\": {p}" for w in WENT if w[2].startswith("`") for p in command_problems(w[2])]
    out += ["", "## Records that do not say all", "", PAGE["lacks"], "", "| record | what it lacks |", "| --- | --- |"]
    out += [f"| `{name}` | {a.get('lacks') or a['note']} |" for name, a in sorted(records.about.items()) if "lacks" in a or "note" in a]
    return "\n".join(out) + "\n"


def history():
    """All commits of this history, or why they cannot be had."""
    def git(*words):
        return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True).stdout

    try:
        if git("rev-parse", "--is-shallow-repository").strip() == "true":
            return None, "this clone is shallow"
        return sorted(git("rev-list", "HEAD").split()), ""
    except OSError:
        return None, "there is no git"
    except subprocess.CalledProcessError as e:
        return None, e.stderr.strip().splitlines()[0] if e.stderr.strip() else "git failed"


def absent(text, commits):
    """Those commits of a text that are not in the history (sorted)."""
    def there(h):
        at = bisect.bisect_left(commits, h)
        return at < len(commits) and commits[at].startswith(h)
    return [h for h in HASH.findall(text) if not there(h)]


def lacking(records, name):
    """What lines of a record do not say: machine, commit, settings."""
    out = set()
    for line in records.lines(name):
        machine, commit, settings = records.origin(name, line)
        out |= {what for what, has in (("machine", machine), ("commit", exact(commit)), ("settings", settings)) if not has}
    return out


def check_records(records, commits, problems):
    """Each record says all, and its commits are in the history (where that is at hand), or about.json says what it lacks."""
    for name in records.names():
        about = records.about.get(name, {})
        said, without = about.get("lacks", ""), lacking(records, name)
        if without and not said:
            problems.append(f"records/{name}: no {', no '.join(sorted(without))}, and {ABOUT} does not say that it lacks that")
        if commits is None:
            continue
        texts = set().union(*(commits_in(line) for line in records.lines(name))) | {about.get("commit", "")}
        bad = sorted({h for t in texts for h in absent(t, commits)})
        problems += [f"records/{name}: commit {h} is not in this history" for h in bad if h not in said]
        problems += [f"records/{ABOUT}: {name}: commit {h} is in this history, and is said not to be"
                     for h in re.findall(r"commit (\w+) is not in", said) if h not in bad]
        if said and not without and not bad:
            problems.append(f"records/{ABOUT}: {name} is said to lack {said}, and does not")


def commits_in(value, depth=0):
    """Texts of the keys that name commits, however deep."""
    out = set()
    if isinstance(value, dict):
        for k, v in value.items():
            if k in COMMIT and isinstance(v, str):
                out.add(v)
            elif depth < 3:
                out |= commits_in(v, depth + 1)
    elif isinstance(value, list) and depth < 3:
        for v in value[:100]:
            out |= commits_in(v, depth + 1)
    return out


def check_cited(records, text, problems):
    """Each record is cited by a page, and each record that a page cites is there."""
    pages = {FIGURES: text}
    for folder in ("*.md", "engine/**/*.md", "app/**/*.md", "widgets/**/*.md", "resources/**/*.md", "meshes/**/*.md",
                   "tests/**/*.md"):
        for p in ROOT.glob(folder):
            pages.setdefault(p, p.read_text(encoding="utf-8"))
    names = set(records.names())
    everything = "\n".join(pages.values())
    for name in sorted(names):
        if not re.search(rf"(?<![\w-]){re.escape(name.rsplit('.', 1)[0])}(?![\w-])", everything):
            problems.append(f"records/{name}: no row and no page cites it")
    for p, words in pages.items():
        cited = set(re.findall(r"tests/bench/records/([\w-]+\.jsonl?)\b", words))
        if p.is_relative_to(RECORDS):  # beside them a record is named alone; .json files are often sessions
            cited |= set(re.findall(r"`([\w-]+\.jsonl)`", words))
        problems += [f"{p.relative_to(ROOT)}: record {c} is not there" for c in sorted(cited - names)]
    problems += [f"records/{ABOUT}: {n} is not there" for n in records.about if n not in names]


def differences(wanted, problems):
    if not FIGURES.exists():
        problems.append("FIGURES.md is not there (figures.py --write makes it)")
        return
    have = FIGURES.read_text(encoding="utf-8")
    if have == wanted:
        return
    for n, (a, b) in enumerate(zip(have.splitlines() + [""], wanted.splitlines() + [""]), 1):
        if a != b:
            problems.append(f"FIGURES.md:{n}: is not what the records give (figures.py --write). Is: {a[:120]} Gives: {b[:120]}")
            return
    problems.append("FIGURES.md: has lines that the records do not give (figures.py --write)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--write", action="store_true")
    mode.add_argument("--check", action="store_true")
    mode = parser.parse_args()
    problems, records = [], Records()
    text = page(records, problems)
    if mode.write:
        if not problems:
            FIGURES.write_text(text, encoding="utf-8")
    else:
        differences(text, problems)
        check_cited(records, text, problems)
        commits, why = history()
        if commits is None:
            print(f"figures.py: commits were not looked up: {why}")
        check_records(records, commits, problems)
    for p in problems:
        print(f"figures.py: {p}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
