#!/usr/bin/env python3
"""Foreign kernels on Pintle's devices: one row for each kernel of list.csv and each device.

    PINTLE_CORPORA=FOLDER kernels.py [--project NAME]... [--device ID]... [--run] --out rows.csv
    PINTLE_CORPORA=FOLDER kernels.py --check [--project NAME]...

Each step is a child process, so that a crash is a row. The verdicts: `runs` (as an independent host), `loads`, `refused` (with the
construct's name), `wrong`, `crashed`, `hung`. `absent` is a row whose file the corpora lack.
"""
import argparse
import collections
import csv
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

import steps
import texts

DEVICES = {"opencl_c": ["cpu", "opencl:pocl"], "glsl": ["vulkan:llvmpipe", "vulkan:swiftshader"]}
COLUMNS = ["repository", "file", "options", "kernel", "device", "verdict", "words", "driver", "driver_words"]


def kernel_names(text):
    """Names behind `kernel` in a source, for rows of files that do not pack."""
    found = re.findall(r"\b(?:__kernel|kernel)\b(?:\s+__attribute__\s*\(\(.*?\)\))*\s+void\s+(?:__attribute__\s*\(\(.*?\)\)\s*)*(\w+)\s*\(", text)
    return list(dict.fromkeys(found)) or ["*"]


class Judge:
    """One row of the list: its pack, and what each kernel of it became on each device."""

    def __init__(self, row, tools, is_run):
        self.row, self.tools, self.is_run = row, tools, is_run
        self.folder = tools.work / re.sub(r"\W", "_", row.repository + row.file.split(";")[-1] + " ".join(row.options))[-120:]
        self.packed = steps.pack(row, tools, self.folder)
        self.entries = steps.entries(tools, self.packed.file, self.folder) if self.packed.ended.verdict == "ok" else {}
        if is_run:
            import runs  # needs numpy and pyopencl
            self.runs = runs
            self.work = runs.Work(row, tools, self.folder, self.packed.file, self.packed.module)
            runs.plan_all(self.work, self.entries)

    def unpacked(self, kernel):
        """Why pack left a kernel out."""
        lines = [line for line in (self.packed.ended.words + self.packed.ended.out).split("\n") if f'"{kernel}"' in line]
        return "pack: " + (lines[0].strip() if lines else steps.first_line(self.packed.ended.words))

    def ours(self, device):
        """{kernel: (verdict, words)} of what the pack has."""
        if not self.entries:
            return {}
        ended, found = steps.load(self.tools, device, self.packed.file, self.folder)
        if not found:
            return {kernel: (ended.verdict, "load: " + steps.first_line(ended.words)) for kernel in self.entries}
        became = {kernel: ("loads", "") if reason is None else ("refused", "load: " + " | ".join(reason.split("\n"))[:600])
                  for kernel, reason in found.items()}
        if self.is_run:
            became |= self.runs.judged(self.work, device, [kernel for kernel, (verdict, _) in became.items() if verdict == "loads"])
        return became

    def driver(self, device, kernel, names, words):
        """What the driver itself makes of a kernel: runs, builds, cannot; nothing is known without --run."""
        if not self.is_run:
            return "", ""
        if kernel in self.work.plans:
            return self.runs.driver_runs(self.work, device, kernel)
        return ("builds", "") if kernel in names else ("cannot", words or "the driver's program has no such kernel")

    def rows(self, device):
        """(kernel, verdict, words, driver, driver's words) for each kernel of the source."""
        verdict = self.packed.ended.verdict
        became = self.ours(device)
        names, words = self.runs.names_of(self.work, device) if self.is_run else ({}, "")
        missing = list(names) or ([] if self.entries else kernel_names(texts.text_of(self.row)))
        for kernel in missing:
            if kernel not in became:
                became[kernel] = ("refused" if verdict == "ok" else verdict, self.unpacked(kernel))
        for kernel, (judged, why) in became.items():
            yield kernel, judged, why, *self.driver(device, kernel, names, words)


def rows_of(row, tools, devices, is_run):
    """The verdict for each kernel of one row of the list on each device."""
    if not all((texts.corpora() / row.repository / one).exists() for one in row.file.split(";")):
        yield "*", "*", "absent", "the corpora have no such file", "", ""
        return
    judge = Judge(row, tools, is_run)
    for device in devices or DEVICES[row.language]:
        for kernel, verdict, words, driver, its_words in judge.rows(device):
            yield kernel, device, verdict, words, driver, its_words
    shutil.rmtree(judge.folder, ignore_errors=True)


FAULTS = ["wrong", "crashed", "hung"]
VERDICTS = ["runs", "loads", "unfixed", "outside", "refused", "wrong", "crashed", "hung", "absent"]


def counted(rows):
    """By project and device: each verdict among what the driver itself can (or is not asked), and how many it cannot."""
    counts = collections.defaultdict(collections.Counter)
    for row in rows:
        of = counts[row["repository"], row["device"]]
        of["kernels"] += 1
        is_image = row["verdict"] == "refused" and re.search(r"\bimage|sampler|sampled", row["words"])
        of["driver cannot" if row["driver"] == "cannot" else "images" if is_image else row["verdict"]] += 1
    return counts


def summary(counts):
    """A table of counts; `of` is what the driver itself can run, without images and without what no host can tell."""
    shown = ["kernels", "driver cannot", "images", *VERDICTS]
    print(f"{'project':24} {'device':20} " + " ".join(f"{one:>8}" for one in shown) + "   runs of what the driver can")
    for (project, device), of in sorted(counts.items()):
        able = sum(of[one] for one in ("runs", "refused", *FAULTS))
        part = f"{of['runs']} of {able}" + (f" ({100 * of['runs'] / able:.1f} %)" if able else "")
        print(f"{project:24} {device:20} " + " ".join(f"{of[one]:{max(8, len(one))}}" for one in shown) + "   " + part)


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--project", action="append", default=[], help="a part of the repository's name and the file's")
    parser.add_argument("--device", action="append", default=[])
    parser.add_argument("--run", action="store_true", help="also run what loads, beside an independent host")
    parser.add_argument("--out", type=Path, default=Path(os.devnull))
    parser.add_argument("--check", action="store_true", help="end with 1 where a row is wrong, crashed or hung; with 77 without corpora")
    parser.add_argument("--pintle", type=Path, default=Path(os.environ.get("PINTLE", "build/dev/bin/pintle")))
    parser.add_argument("--probe", type=Path, default=Path(os.environ.get("PINTLE_PROBE", "build/dev/bin/foreign_probe")))
    return parser.parse_args()


def judged_rows(chosen, options):
    """Writes a line for each kernel and device, and counts the verdicts."""
    lines = []
    with tempfile.TemporaryDirectory(prefix="foreign") as work, open(options.out, "w", newline="") as file:
        tools = steps.Tools(options.pintle.resolve(), options.probe.resolve(), Path(work))
        out = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        out.writeheader()
        for row in chosen:
            for found in rows_of(row, tools, options.device, options.run):
                lines.append(dict(zip(COLUMNS, [row.repository, row.file, " ".join(row.options), *found])))
                out.writerow(lines[-1])
                if options.check and lines[-1]["verdict"] in FAULTS:
                    print("{file} {kernel} on {device}: {verdict}: {words}".format(**lines[-1]))
            file.flush()
    return counted(lines)


def main():
    options = parsed()
    chosen = list(texts.rows(options.project))
    if "PINTLE_CORPORA" not in os.environ:
        print(f"PINTLE_CORPORA names no folder of checkouts, so {len(chosen)} files are skipped: tests/foreign/README.md")
        return 77
    counts = judged_rows(chosen, options)
    summary(counts)
    return int(options.check and any(of[fault] for of in counts.values() for fault in FAULTS))


if __name__ == "__main__":
    sys.exit(main())
