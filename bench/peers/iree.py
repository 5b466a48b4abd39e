"""IREE: the programs that its compiler makes, and the tools that run them. A tool starts anew for each block and gives means of 30 ms."""

import array
import glob
import json
import os
import shutil
import subprocess

from parts import CHAIN_LENGTH, FIRST_ELEMENTS, SIZES
from worker import WorkerError

COMPILE_SECONDS = 60
TOOL_SECONDS = 30
TARGETS = {
    "cpu": ["--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu"],
    "vulkan": ["--iree-hal-target-device=vulkan"],
}
HOST = "--iree-llvmcpu-target-cpu=host"
BENCHMARK = ["--benchmark_repetitions=3", "--benchmark_min_time=0.03s", "--benchmark_min_warmup_time=0.02", "--benchmark_format=json"]
MICROSECONDS = {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6}

SAXPY = """func.func @saxpy(%a: tensor<f32>, %x: tensor<{n}xf32>, %y: tensor<{n}xf32> {{iree.abi.output = 0 : index}}) -> tensor<{n}xf32> {{
  %r = linalg.generic {{indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}}
      ins(%a, %x : tensor<f32>, tensor<{n}xf32>) outs(%y: tensor<{n}xf32>) {{
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  }} -> tensor<{n}xf32>
  return %r : tensor<{n}xf32>
}}
"""
ONE = """func.func @one(%y: tensor<1xf32>) -> tensor<1xf32> {
  %c = arith.constant dense<1.0> : tensor<1xf32>
  %r = arith.addf %y, %c : tensor<1xf32>
  return %r : tensor<1xf32>
}
func.func @nothing() { return }
"""
LINK = """  %v{next} = flow.dispatch.region -> (tensor<1xf32>) {{
    %k{this} = arith.constant dense<1.0> : tensor<1xf32>
    %a{this} = arith.addf %v{this}, %k{this} : tensor<1xf32>
    flow.return %a{this} : tensor<1xf32>
  }}
"""


def chain_text():
    links = "".join(LINK.format(this=index, next=index + 1) for index in range(CHAIN_LENGTH))
    return f"func.func @chain(%v0: tensor<1xf32>) -> tensor<1xf32> {{\n{links}  return %v{CHAIN_LENGTH} : tensor<1xf32>\n}}\n"


def program_texts():
    saxpys = {name: SAXPY.format(n=elements) for name, elements in SIZES.items()}
    return {"one": ONE, "chain": chain_text(), "saxpy_cold": SAXPY.format(n=FIRST_ELEMENTS), **saxpys}


def compiler(places):
    return str(places.venv / "bin/iree-compile")


def run(command, variables, seconds=TOOL_SECONDS):
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, env=variables or None, check=False)
    if done.returncode:
        raise WorkerError(f"{os.path.basename(command[0])} ends with {done.returncode}: {(done.stdout + done.stderr)[-300:]}")
    return done.stdout


def compile_programs(places, variables, targets):
    """Writes the modules of every program for every target, and the input of the cold start."""
    if not shutil.which(compiler(places)):
        raise WorkerError("there is no iree-compile: ./dev setup peers")
    for name, text in program_texts().items():
        with open(places.file(f"{name}.mlir"), "w", encoding="ascii") as source:
            source.write(text)
        for target in targets:
            compile_program(places, variables, name, target)
    check_chain(places, variables)
    with open(places.file("first_x.bin"), "wb") as first_x:
        array.array("f", [index % 7 for index in range(FIRST_ELEMENTS)]).tofile(first_x)


def compile_program(places, variables, name, target):
    flags = list(TARGETS[target])
    if target == "cpu":
        executables = places.file(f"executables_{name}")
        shutil.rmtree(executables, ignore_errors=True)
        flags += [HOST, f"--iree-hal-dump-executable-files-to={executables}"]
    module = places.file(f"{name}.{target}.vmfb")
    run([compiler(places), *flags, places.file(f"{name}.mlir"), "-o", module], variables, COMPILE_SECONDS)


def check_chain(places, variables):
    """The chain must be so many dispatches, and the compiler must not have cut it into submissions."""
    text = run([compiler(places), *TARGETS["cpu"], "--compile-to=hal", places.file("chain.mlir")], variables, COMPILE_SECONDS)
    dispatches, submissions = text.count("hal.command_buffer.dispatch<"), text.count("hal.device.queue.execute")
    if dispatches != CHAIN_LENGTH or submissions > 2:
        raise WorkerError(f"the chain has {dispatches} dispatches in {submissions} submissions")


def parse_benchmark(text, times=1):
    """Microseconds of each repetition of a benchmark tool, for `times` of what it measures."""
    rows = json.loads(text[text.index("{"):])["benchmarks"]
    return [row["real_time"] * MICROSECONDS[row["time_unit"]] * times for row in rows if row["run_type"] == "iteration"]


def saxpy_arguments(elements, x="3"):
    return ["--function=saxpy", "--input=f32=0.5", f"--input={elements}xf32={x}", f"--input={elements}xf32=1"]


class IreePlayer:
    """IREE on one device. Only the CPU has iree-benchmark-executable; elsewhere a launch is a call of a module."""

    def __init__(self, places, variables, target, flags, worker):
        self.places, self.variables, self.target, self.flags, self.worker = places, variables, target, list(flags), worker
        self.about = worker.about if worker else f"iree, {' '.join(flags)}"
        self.is_alive = True

    @property
    def workers(self):
        return self.worker.workers if self.worker else []

    def tool(self, name):
        found = glob.glob(f"{self.places.venv}/lib/python*/site-packages/iree/_runtime_libs/{name}")
        if not found:
            raise WorkerError(f"there is no {name}: ./dev setup peers")
        return found[0]

    def module(self, name):
        return f"--module={self.places.file(f'{name}.{self.target}.vmfb')}"

    def block(self, part, calls):
        command, times = self.command(part)
        if command:
            return parse_benchmark(run([*command, *BENCHMARK], self.variables), times)
        return self.worker.block(part, calls) if self.worker and self.worker.is_alive else None

    def command(self, part):
        """(the command of a part, how many of its times are one call); an empty command where the tools do not have the part."""
        if part in SIZES:
            return self.module_command(part, *saxpy_arguments(SIZES[part])), 1
        if part == "empty":
            return self.module_command("one", "--function=nothing"), 1
        name = {"launch": "one", "chain100": "chain"}.get(part.removesuffix("_fresh"))
        if name is None:
            return [], 1
        if part.endswith("_fresh") or self.target != "cpu":
            return self.module_command(name, f"--function={name}", "--input=1xf32=1"), 1
        times = CHAIN_LENGTH if name == "chain" else 1
        return self.executable_command(times), times

    def module_command(self, name, *arguments):
        return [self.tool("iree-benchmark-module"), *self.flags, self.module(name), *arguments]

    def executable_command(self, times):
        executable = glob.glob(self.places.file("executables_one/*_embedded_elf_x86_64.so"))[0]
        return [self.tool("iree-benchmark-executable"), *self.flags, "--executable_format=embedded-elf-x86_64",
                f"--executable_file={executable}", "--workgroup_count=1,1,1", "--binding=1xf32=1", "--binding=1xf32=0",
                f"--batch_size={times}"]

    def check(self):
        self.expect("chain", "--function=chain", "--input=1xf32=2", f"--expected_output=1xf32={2 + CHAIN_LENGTH}")
        self.expect("one", "--function=one", "--input=1xf32=2", "--expected_output=1xf32=3")
        for name, elements in SIZES.items():
            self.expect(name, *saxpy_arguments(elements), f"--expected_output={elements}xf32=2.5")
        if self.worker:
            self.worker.check()

    def expect(self, name, *arguments):
        said = run([self.tool("iree-run-module"), *self.flags, self.module(name), *arguments], self.variables)
        if "SUCCESS" not in said:
            raise WorkerError(f"{name} is wrong: {said[-200:]}")

    def cold_command(self, compiles):
        """The first saxpy, checked by the tool. peer_peak prints what a worker would."""
        right = " ".join(f"{1 + 0.5 * (index % 7):g}" for index in range(FIRST_ELEMENTS))
        arguments = [*saxpy_arguments(FIRST_ELEMENTS, "@" + self.places.file("first_x.bin")),
                     f"--expected_output={FIRST_ELEMENTS}xf32={right}"]
        ran = [self.places.program("peer_peak"), self.tool("iree-run-module"), *self.flags]
        if not compiles:
            return [*ran, self.module("saxpy_cold"), *arguments]
        source, module = self.places.file("saxpy_cold.mlir"), self.places.file("saxpy_now.vmfb")
        script = '"$0" "$1" "$2" "$3" "$4" -o "$5" && shift 5 && exec "$@"'
        return ["sh", "-c", script, compiler(self.places), *TARGETS["cpu"], HOST, source, module, *ran, f"--module={module}", *arguments]

    def stop(self):
        if self.worker:
            self.worker.stop()
