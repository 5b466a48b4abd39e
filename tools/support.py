#!/usr/bin/env python3
"""docs/support.md: what the conformance suite says of each device.

Without arguments it runs the suite on the devices below, keeps what it says in docs/support.json and writes the page, to
which it adds what ran on hardware (bench/results). With --check it changes nothing, and fails where the page does not
follow from the data, or the data from what the suite says now.
"""

import argparse
import datetime
import json
import re
import subprocess
import sys
from pathlib import Path

SKIPPED = 77  # what ctest takes for a skip
REFRESH = "run ./dev support"
PLAIN = ("cpu", "cpu?inline", "null")
HARDWARE = ("discrete_gpu", "integrated_gpu", "accelerator")
TESTED = {"cpu": "on the processor", "simulated": "simulated", "software": "in software"}
NAMES_OF_SKIPS = 4
ROOM = "the device has room for its largest allocation"  # conformance case Lazy.ExhaustionComesWithTheUse


def run_json(pintle, *arguments):
    """The command's document. The suite ends with 1 where a case fails, which the document says as well."""
    done = subprocess.run([pintle, *arguments, "--json"], capture_output=True, text=True, check=False)
    try:
        document = json.loads(done.stdout)
    except json.JSONDecodeError:
        raise SystemExit(f"support: pintle {' '.join(arguments)} ends with {done.returncode}: {done.stderr[-2000:]}") from None
    if "error" in document:
        raise SystemExit(f"support: pintle {' '.join(arguments)}: {document['error']['message']}")
    return document


def is_simulated(device):
    """A driver of ours under a vendor's name (tests/simulators) says so in its device's name."""
    return device["name"].startswith("Simulated ")


def title_of(device):
    """What a device is called in the table. Ordinals differ between machines; a driver's name does not. Each implementation of WebGPU drives every
    device of the machine. A plug-in of PJRT's is called like its file, which may have digits."""
    if device["backend"] in ("cpu", "null"):
        return device["id"]
    if device["kind"] in HARDWARE:
        return f"{device['backend']} ({device['name']})"
    if is_simulated(device):
        return f"{device['backend']} (simulated)"
    driver = re.split(r"[,(0-9]", device["driver"])[0].strip()
    if device["backend"] == "webgpu":
        driver = f"{driver.split()[0]}, {device['name'].split()[0]}"
    elif device["backend"] == "pjrt":
        driver = re.split(r"[,\s]", device["driver"])[0]
    return f"{device['backend']} ({driver})"


def entry_of(device, conform, date):
    """One device of the table: what `pintle info` and `pintle conform` print of it."""
    return {
        "title": title_of(device),
        "kind": "simulated" if is_simulated(device) else device["kind"],
        "driver": device["driver"],
        "date": date,
        "counts": {"cases": len(conform["cases"]), **{key: conform[key] for key in ("passed", "failed", "skipped", "gaps")}},
        "features": {row["feature"]: [row["support"], row["detail"]] for row in device["capabilities"]},
        "not_passed": {row["name"]: [row["result"], row["message"]] for row in conform["cases"] if row["result"] != "passed"},
    }


def ids_of(devices):
    """Those to be tested: hardware is not, since few machines have it and its results are kept elsewhere."""
    return [*PLAIN, *(d["id"] for d in devices if d["kind"] == "software")]


def measure(pintle):
    today = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    entries = []
    for name in ids_of(run_json(pintle, "devices")["devices"]):
        device = run_json(pintle, "info", name)["device"]
        entries.append(entry_of(device, run_json(pintle, "conform", "--device", name), today))
    return sorted(entries, key=lambda entry: (entry["title"] not in PLAIN, entry["title"]))


def counts_as_hardware(ran):
    """The driver's word for the kind decides; null stands for what did not end."""
    device = (ran["info"] or {}).get("device", {})
    return device.get("kind") in HARDWARE and "cases" in (ran["conform"] or {})


def commit_of(version):
    """What `pintle --version` says in parentheses; where it says none, the version."""
    first = version.splitlines()[0]
    return first.partition("(")[2].partition(")")[0] or first


def hardware_entries(results):
    """The newest result of each hardware device under bench/results. What ran in software is never among them."""
    newest = {}
    for path in sorted(results.glob("*/*/result.json")):
        result = json.loads(path.read_text(encoding="utf-8"))
        for ran in filter(counts_as_hardware, result["devices"] if result["whole_suite"] else []):
            entry = entry_of(ran["info"]["device"], ran["conform"], result["date"])
            entry["folder"] = path.parent.relative_to(results).as_posix()
            entry["commit"] = commit_of(result["bundle"])
            if entry["title"] not in newest or newest[entry["title"]]["date"] <= entry["date"]:
                newest[entry["title"]] = entry
    return [newest[title] for title in sorted(newest)]


def table(head, rows):
    """A cell with several lines shows its first alone."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell).partition("\n")[0].replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"


def results_table(entries):
    head = ["device", "driver", "tested", *entries[0]["counts"], "date"]
    rows = [[entry["title"], entry["driver"], TESTED.get(entry["kind"], "on hardware"), *entry["counts"].values(), entry["date"]]
            for entry in entries]
    return table(head, rows)


def feature_table(entries):
    """Each cell, and the details as numbered notes below; equal details share a number."""
    notes = {}
    rows = []
    for feature in dict.fromkeys(name for entry in entries for name in entry["features"]):
        cells = []
        for entry in entries:
            support, detail = entry["features"].get(feature, ["absent", "not listed"])
            number = notes.setdefault(detail, len(notes) + 1) if detail else None
            cells.append(f"{support} ({number})" if number else support)
        rows.append([f"`{feature}`", *cells])
    listed = "\n".join(f"{number}. {detail}" for detail, number in notes.items())
    return table(["feature", *(entry["title"] for entry in entries)], rows) + "\n" + listed + "\n"


def not_passed_table(entries, result):
    """Cases by device and reason; a long list of them is a number."""
    rows = []
    for entry in entries:
        reasons = {}
        for name, (outcome, message) in entry["not_passed"].items():
            if outcome == result:
                reasons.setdefault(message, []).append(name)
        for message, names in reasons.items():
            cases = ", ".join(f"`{name}`" for name in names) if len(names) <= NAMES_OF_SKIPS else f"{len(names)} cases"
            rows.append([entry["title"], message, cases])
    return table(["device", "reason", "cases"], rows) if rows else ""


PAGE = """# What the suite says of each device

`./dev support` writes this page from what the conformance suite says here (`docs/support.json`) and from the dated results of
hardware (`bench/results`). A test compares the three with what the suite says now. Do not edit it.

## Results

{results}
Through the layers `validate(D)`, `trace(D)` and `faulty(D)` the suite runs in `./dev test`.

{hardware}
## Features

native: the device does it. emulated: it is done another way, which the note tells. absent: it is refused or done without, for the
reason in the note.

{features}
## Failures

{failures}
## Gaps

A gap is a case that a driver refuses; `tests/conformance/gaps` lists each with the probe that shows the refusal.

{gaps}
## Skips

A skip is never counted as passed. `Queue.EndsWithItsLastSerial` runs in `./dev test`, where all counters start near 2⁶⁴ once more.

{skips}"""
NO_HARDWARE = """No result of hardware is here yet. `./dev device-tests` builds the bundle that makes one on a machine with a GPU:
[device tests](guide/device_tests.md).
"""
ON_HARDWARE = """What ran on hardware, with its raw data and figures; [hardware](guide/hardware.md) says what has been mended since:

{}
"""


SIMULATED = """
Nothing of {} has run on a GPU: a driver of ours (`tests/simulators`) plays the vendor's on the processor.
"""


def simulated_alone(entries, hardware):
    """The backends that no hardware has run."""
    ran = {entry["title"].split()[0] for entry in hardware}
    names = [entry["title"].split()[0] for entry in entries if entry["title"].endswith(" (simulated)")]
    return [f"`{name}`" for name in names if name not in ran]


def page_of(entries, hardware):
    together = entries + hardware
    simulated = simulated_alone(entries, hardware)
    links = "\n".join(f"- {entry['title']}: last run {entry['date']} on {entry['commit']}: [{entry['folder']}](../bench/results/{entry['folder']})"
                      for entry in hardware)
    return PAGE.format(results=results_table(together), features=feature_table(together),
                       hardware=(ON_HARDWARE.format(links) if hardware else NO_HARDWARE) + (SIMULATED.format(" and ".join(simulated)) if simulated else ""),
                       failures=not_passed_table(together, "failed") or "None.\n", gaps=not_passed_table(together, "gap") or "None.\n",
                       skips=not_passed_table(together, "skipped") or "None.\n")


def without_the_machine(entry):
    """The entry as it is where the device's memory is full: how much the machine has, and has free, changes."""
    skips = [name for name, row in entry["not_passed"].items() if row == ["skipped", ROOM]]
    counts = entry["counts"]
    return {**entry, "counts": {**counts, "passed": counts["passed"] + len(skips), "skipped": counts["skipped"] - len(skips)},
            "not_passed": {name: row for name, row in entry["not_passed"].items() if name not in skips}}


def differences(kept, now):
    """Sentences about what differs, and about devices that are not here: those cannot be compared. A version and a date are of the time when they
    were written, and may be older than what is here."""
    said, absent = [], []
    measured = {entry["title"]: without_the_machine(entry) for entry in now}
    for entry in map(without_the_machine, kept):
        other = measured.pop(entry["title"], None)
        if other is None:
            absent.append(f"{entry['title']}: not compared, since this machine does not have it")
            continue
        for part in ("kind", "counts", "features", "not_passed"):
            said += [f"{entry['title']}: {line}" for line in difference_of(part, entry[part], other[part])]
    return said + [f"{title}: this machine has it, the table does not" for title in measured], absent


def difference_of(part, kept, now):
    if not isinstance(kept, dict):
        return [] if kept == now else [f"{part} is {now}, the table says {kept}"]
    keys = [key for key in dict.fromkeys([*kept, *now]) if kept.get(key) != now.get(key)]
    return [f"{part}: {key} is {now.get(key)}, the table says {kept.get(key)}" for key in keys]


def check(root, pintle):
    kept = json.loads((root / "docs/support.json").read_text(encoding="utf-8"))["devices"]
    said, absent = [], []
    if page_of(kept, hardware_entries(root / "bench/results")) != (root / "docs/support.md").read_text(encoding="utf-8"):
        said.append("docs/support.md does not follow from docs/support.json and bench/results")
    if pintle:
        different, absent = differences(kept, measure(pintle))
        said += different
    for line in said + absent:
        print(f"support: {line}")
    print(f"support: {REFRESH}" if said else "support: the table is true" + (" of the other devices" if absent else ""))
    if said:
        return 1
    return SKIPPED if absent else 0


def write(root, pintle):
    if pintle:
        entries = measure(pintle)
        text = json.dumps({"devices": entries}, indent=1, ensure_ascii=False) + "\n"
        (root / "docs/support.json").write_text(text, encoding="utf-8")
    else:
        entries = json.loads((root / "docs/support.json").read_text(encoding="utf-8"))["devices"]
    (root / "docs/support.md").write_text(page_of(entries, hardware_entries(root / "bench/results")), encoding="utf-8")
    return 1 if any(entry["counts"]["failed"] for entry in entries) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--pintle", help="the command; without it the suite does not run, and the data are as they are")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    return (check if options.check else write)(options.root, options.pintle)


if __name__ == "__main__":
    sys.exit(main())
