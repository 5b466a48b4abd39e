"""Kernels of one row on a device of Pintle beside independent hosts, which hand the same source to a driver without Pintle.

The driver that a device stands on says whether it can run a kernel at all. Where the hosts disagree with each other, or one with its
own second run, and the result is none of theirs, it depends on an order that the kernel does not fix: such a kernel is `unfixed`. So is
one whose code on the cpu gives another result when its groups run in reverse order (order.py). A kernel that leaves its buffers, or that crashes here and on a host
or that no driver runs either, runs once more, here and on the hosts, with gentle inputs: bytes are whole numbers of 64 bits, since what is declared as bytes may be structs, and random bytes
are wild indices there; buffers are larger, and sizes smaller.
"""
import functools
import os
import re
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

import children
import inputs
import steps
import texts

HERE = Path(__file__).resolve().parent
SECONDS = int(os.environ.get("PINTLE_FOREIGN_RUN_SECONDS", "60"))
# By device: the driver beneath it, then others to compare with. The cpu has none of its own: what one of these drivers runs, it has to run.
HOSTS = {"cpu": ["portable", "intel", "rusticl"], "opencl:pocl": ["portable", "intel", "rusticl"], "opencl:intel": ["intel", "portable"],
         "opencl:rusticl": ["rusticl", "portable"], "vulkan:llvmpipe": ["llvmpipe", "swiftshader"],
         "vulkan:swiftshader": ["swiftshader", "llvmpipe"]}


@dataclass
class Work:
    """One row: its pack, its source, and what the hosts have said so far."""
    row: object
    tools: object
    folder: Path
    packed: Path
    made: object = None     # of a shader: how it is bound
    plans: dict = field(default_factory=dict)
    hosts: dict = field(default_factory=dict)
    gentle: bool = False    # bytes are whole numbers, sizes are smaller
    gentler: dict = field(default_factory=dict)  # by kernel: where it runs with gentle inputs, and so for the driver
    entries: dict = field(default_factory=dict)

    @property
    def source(self):
        return self.folder / Path(self.row.file.split(";")[-1]).name.replace(".opencl", ".cl")

    def options(self):
        """What the program itself gives the driver."""
        return [word for word in self.row.options if word.startswith("-D")] + [f"-I{self.folder}"]


def plan_all(work, entries, is_gentle=False):
    work.entries = entries
    text = texts.text_of(work.row)
    for index, (name, entry) in enumerate(entries.items()):
        place = work.folder / f"inputs{index}"
        place.mkdir(exist_ok=True)
        uniform = [one[3] == "uniform" for one in work.made.bindings] if work.made else []
        own = inputs.body_of(name, text) if work.row.language == "opencl_c" else text
        images = [inputs.image(parameter, own) for parameter in entry["parameters"]]
        files = [inputs.argument(at, parameter, place, images[at], at < len(uniform) and uniform[at], is_gentle)
                 for at, parameter in enumerate(entry["parameters"])]
        plan = {"index": index, "entry": name, "group": entry["group"], "groups": inputs.groups(entry["group"], text),
                "kinds": [parameter["kind"] for parameter in entry["parameters"]], "arguments": files, "images": images,
                "dtypes": [inputs.dtype_of(parameter, images[at]) for at, parameter in enumerate(entry["parameters"])]}
        if work.made:
            plan |= work.made.bound(len(files))
        work.plans[name] = plan


def outputs(work, plan, folder):
    """What the buffers, images and texel buffers hold after a run; None where it left none."""
    found = {}
    for at, kind in enumerate(plan["kinds"]):
        if kind in ("buffer", "image", "texel_buffer"):
            file = folder / f"{plan['index']}_{at}"
            if not file.exists():
                return None
            found[at] = file.read_bytes()
    return found


def run_all(work, command, name, wanted):
    """Every wanted plan in children: {kernel: (verdict, words, what the buffers hold)}."""
    folder = work.folder / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    plans = [plan for kernel, plan in work.plans.items() if kernel in wanted]
    became = children.works_through(lambda file: command(file, folder), plans, folder, SECONDS) if plans else {}
    found = {}
    for plan in plans:
        verdict, words = became.get(plan["index"], ("refused", "It said nothing."))
        found[plan["entry"]] = (verdict, words, outputs(work, plan, folder) if verdict == "ran" else None)
    shutil.rmtree(folder, ignore_errors=True)
    return found


def host(work, name, again=False):
    """What the host `name` makes of all kernels; `again` for a second run."""
    key = (name, again)
    if key not in work.hosts:
        if work.row.language == "opencl_c":
            command = lambda file, folder: [sys.executable, "-B", HERE / "host_opencl.py", "run", name, work.source, file, folder, *work.options()]
        else:
            command = lambda file, folder: [work.tools.probe.parent / "host_vulkan", name, work.folder / "shader.spv", file, folder]
        work.hosts[key] = run_all(work, command, f"host_{name}", set(work.plans))
    return work.hosts[key]


@functools.cache
def platforms():
    import pyopencl
    return " ".join(one.name.lower() for one in pyopencl.get_platforms())


def hosts_of(work, device):
    names = HOSTS.get(device, ["portable", "intel"])
    return [name for name in names if work.row.language != "opencl_c" or name in platforms()]


def names_of(work, device):
    """The kernels of the source as the driver has them, without running any, or why it has none."""
    if work.row.language != "opencl_c":
        return {"main": None} if (work.folder / "shader.spv").exists() else {}, ""
    words = ""
    for name in hosts_of(work, device)[:2 if device == "cpu" else 1]:
        if ("names", name) not in work.hosts:
            ended = steps.child([sys.executable, "-B", HERE / "host_opencl.py", "kernels", name, work.source, *work.options()], work.folder)
            work.hosts["names", name] = ended
        ended = work.hosts["names", name]
        if ended.verdict == "ok":
            return steps.json_line(ended.out).get("kernels", {}), ""
        words = words or f"{name}: {ended.verdict}: {steps.last_error(ended.words)}"
    return {}, words


def driver_runs(work, device, kernel):
    """Whether the driver itself runs the kernel on these inputs: ("runs" | "cannot", words)."""
    words, work = "", work.gentler.get(kernel, work)
    for name in hosts_of(work, device)[:2 if device == "cpu" else 1]:
        verdict, why, _ = host(work, name).get(kernel, ("refused", "no plan", None))
        if verdict == "ran":
            return "runs", name
        words = words or f"{name} {verdict}: {steps.last_error(why)}"
    return "cannot", words


def crashes_elsewhere(work, device, kernel):
    """Whether no driver runs the kernel on these inputs, or one of the hosts crashes."""
    ended = [host(work, name).get(kernel, ("refused", "", None))[0] for name in hosts_of(work, device)]
    return "crashed" in ended or driver_runs(work, device, kernel)[0] == "cannot"


def same(ours, theirs, dtypes):
    """None, or the first buffer that differs by more than rounding."""
    return next((at for at, data in ours.items() if not inputs.is_close(data, theirs[at], dtypes[at])), None)


def judged(work, device, kernels):
    """{kernel: (verdict, words)} of kernels that load on the device."""
    device_plans = [kernel for kernel in kernels if kernel in work.plans]
    command = lambda file, folder: [work.tools.probe, "run", device, work.packed, file, folder]
    ran = run_all(work, command, "ours", set(device_plans))
    became = {kernel: compared(work, device, kernel, *ran[kernel]) for kernel in device_plans}
    became |= {kernel: outside for kernel, (verdict, _) in became.items()
               if verdict in ("wrong", "crashed", "hung", "unfixed") and (outside := goes_outside(work, device, kernel))}
    became |= {kernel: unfixed for kernel, (verdict, _) in became.items() if verdict == "wrong" and (unfixed := needs_order(work, kernel, *ran[kernel]))}
    if work.gentle:
        return became
    # Where every host runs the kernel on the first bytes, these bytes crash nobody else.
    return became | {kernel: gentler(work, device, kernel, found) for kernel, found in became.items()
                     if found[0] == "outside" or found[0] == "crashed" and crashes_elsewhere(work, device, kernel)}


def needs_order(work, kernel, _, __, ours):
    """`unfixed` where the same code, with its groups in reverse order, leaves something else."""
    if work.row.language != "opencl_c" or {"image", "texel_buffer"} & set(work.plans[kernel]["kinds"]):
        return None
    cache = work.folder / "code"
    steps.child([work.tools.probe, "load", "cpu", work.packed], work.folder, XDG_CACHE_HOME=str(cache))
    code = next(cache.rglob("*.so"), None)
    command = lambda file, folder: [sys.executable, "-B", HERE / "order.py", code, file, folder]
    verdict, _, reverse = run_all(work, command, "reverse", {kernel})[kernel] if code else ("absent", "", None)
    differs = verdict == "ran" and same(ours, reverse, work.plans[kernel]["dtypes"]) is not None
    return ("unfixed", "another order of the groups leaves something else") if differs else None


def gentler(work, device, kernel, found):
    """The verdict with gentle inputs; `found` where the kernel runs with these on no host."""
    again = Work(work.row, work.tools, work.folder / "gentle", work.packed, work.made, {}, {}, True)
    shutil.copytree(work.folder, again.folder, ignore=shutil.ignore_patterns("gentle", "inputs*", "ours", "host_*", "bounds"), dirs_exist_ok=True)
    plan_all(again, work.entries, True)
    again.plans = {kernel: again.plans[kernel]}
    verdict, words = judged(again, device, [kernel])[kernel]
    if verdict in ("loads", "refused"):
        return found
    work.gentler[kernel] = again
    return verdict, words + ", with gentle inputs"


def goes_outside(work, device, kernel):
    """`outside` with the place, where the kernel leaves its buffers on these inputs: nobody's result is right then."""
    layer = f"bounds({'cpu' if device.startswith('opencl') else device})"
    command = lambda file, folder: [work.tools.probe, "run", layer, work.packed, file, folder]
    _, words, _ = run_all(work, command, "bounds", {kernel})[kernel]
    return ("outside", steps.first_line(words)) if re.search(r"of the binding|outside", words) else None


def compared(work, device, kernel, verdict, words, ours):
    if verdict != "ran":
        return verdict, "run: " + steps.first_line(words)
    plan, results = work.plans[kernel], {}
    for name in hosts_of(work, device):  # the next one only where this one does not agree
        ended, _, held = host(work, name)[kernel]
        if ended != "ran":
            continue
        if same(ours, held, plan["dtypes"]) is None:
            is_idle = all(data == Path(plan["arguments"][at]).read_bytes() for at, data in ours.items())
            return "runs", f"as {name}" + (" (writes nothing on these inputs)" if is_idle else "")
        results[name] = held
    if not results:
        return "loads", "no host runs it on these inputs"
    first = next(iter(results.values()))
    second = host(work, next(iter(results)), again=True)[kernel][2]
    others = [second, *list(results.values())[1:]]
    if any(one is None or same(first, one, plan["dtypes"]) is not None for one in others):
        return "unfixed", "the hosts differ from each other"
    return "wrong", f"buffer {same(ours, first, plan['dtypes'])} differs from " + " and ".join(results)
