"""The set-ups that are measured, a row of the table each."""

import shutil
from dataclasses import dataclass

from iree import IreePlayer
from places import DEBIAN_PYTHON, HERE, POCL, ROOT, lavapipe_manifests
from worker import Worker, WorkerError

WHEELS = "./dev setup peers"
NO_LAVAPIPE = "there is no manifest of lavapipe (Debian: mesa-vulkan-drivers)"
NO_POCL = "there is no PoCL (Debian: pocl-opencl-icd)"


class WorkerPlayer(Worker):
    """A peer whose worker does every part."""

    @property
    def workers(self):
        return [self] if self.is_alive else []


@dataclass(frozen=True)
class SetUp:
    name: str
    device: str  # rows of one device are compared with each other
    how: str
    command: tuple = ()  # the worker, without --cold
    needs: str = ""  # what brings it, or why it cannot be had
    distribution: str = ""  # the wheel whose bytes count, with all that it requires
    is_reference: bool = False  # no library: what the others are compared with
    cold_only: bool = False

    def missing(self):
        """Why this machine cannot run it, or an empty string."""
        if self.device == "vulkan" and not lavapipe_manifests():
            return NO_LAVAPIPE
        if self.device == "opencl" and not POCL.is_file():
            return NO_POCL
        if self.command and not shutil.which(self.command[0]):
            return f"{self.command[0].removeprefix(f'{ROOT}/')} is not there: {self.needs}"
        return ""

    def start(self, places, variables):
        try:
            return WorkerPlayer(self.command, variables, places.plain("log", self.name))
        except WorkerError as error:
            raise WorkerError(f"{error} ({self.needs})" if "ModuleNotFoundError" in str(error) else error) from None

    def cold_command(self, _places):
        return [*self.command, "--cold"]


@dataclass(frozen=True)
class IreeSetUp(SetUp):
    """IREE's tools run its kernels; the worker, where there is one, does the transfers."""

    flags: tuple = ()
    compiles: bool = False  # the cold start begins with the compiler

    def start(self, places, variables):
        worker = super().start(places, variables) if self.command else None
        return IreePlayer(places, variables, self.device, self.flags, worker)

    def cold_command(self, places):
        return IreePlayer(places, {}, self.device, self.flags, None).cold_command(self.compiles)


def python_command(places, library, kind="", python=None):
    return (python or places.python, "-B", str(HERE / "python/worker.py"), library, *([kind] if kind else []))


def pintle(places, name, device, identifier, how, **more):
    return SetUp(name, device, how, (places.program("peer_pintle"), places.pack, identifier), "it was not built", **more)


def wheel(places, name, device, library, how, kind="", distribution=""):
    return SetUp(name, device, how, python_command(places, library, kind), WHEELS, distribution or library)


def native(places, name, device, program, how, *arguments, needs="", **more):
    return SetUp(name, device, how, (places.program(program), *arguments), needs, **more)


def iree(places, name, device, how, flags, kind="", **more):
    command = python_command(places, "iree", kind) if kind else ()
    return IreeSetUp(name, device, how, command, WHEELS, "iree-base-runtime", flags=flags, **more)


def references(places):
    yield native(places, "hand", "cpu", "peer_hand", "no library: a call through a pointer, OpenMP loops, memcpy",
                 needs="it is built where the compiler has OpenMP", is_reference=True)
    yield SetUp("numpy", "cpu", "no library: what Python and numpy cost; saxpy is a multiplication, then an addition",
                python_command(places, "numpy"), WHEELS, "numpy", is_reference=True)


def cpu_set_ups(places):
    yield pintle(places, "pintle cpu", "cpu", "cpu",
                 "launch, chain, saxpy: replay of a recording, Point::wait; fresh: a new CommandList, submit_and_wait")
    yield pintle(places, "pintle cpu?inline", "cpu", "cpu?inline", "the same; submit runs the work on the caller's thread")
    yield iree(places, "iree local-sync", "cpu",
               "launch, chain: iree-benchmark-executable, a reused command buffer, execution barriers, a wait for a semaphore; fresh: "
               "iree-benchmark-module, one VM call with its allocation; saxpy: iree-benchmark-module in place; transfers: Python",
               ("--device=local-sync",), "local-sync")
    yield iree(places, "iree local-task", "cpu", "the same; workers that do not spin (default)", ("--device=local-task",), "local-task")
    yield iree(places, "iree local-task spin", "cpu", "the same; workers spin 50 µs, as Pintle's do",
               ("--device=local-task", "--task_worker_spin_us=50"))
    yield native(places, "ggml cpu", "cpu", "peer_ggml",
                 "ggml_backend_graph_compute returns when done; graphs built once; 1 thread for small, 2 for large; saxpy is 2 nodes "
                 "(scale, add)", needs=WHEELS)
    yield wheel(places, "jax cpu", "cpu", "jax",
                "block_until_ready; launch: jitted x + 1; chain: one executable of 100 kernels (fusion off); saxpy: jitted, y donated")
    yield wheel(places, "onnxruntime cpu", "cpu", "onnxruntime",
                "run_with_iobinding returns when done; chain: 100 Add nodes; saxpy is 2 nodes (Mul, Add)")
    yield SetUp("torch cpu", "cpu", "eager, returns when done; chain: TorchScript of 100 add_; saxpy: add_(x, alpha)",
                python_command(places, "torch", python=DEBIAN_PYTHON), "Debian: python3-torch; ./dev setup test installs it")
    yield wheel(places, "tinygrad CPU", "cpu", "tinygrad", "TinyJit, Device.synchronize(); chain: one JIT of 100 kernels", "CPU")
    yield wheel(places, "taichi cpu", "cpu", "taichi", "ti.sync(); chain: a compiled ti.graph of 100 dispatches", "cpu")
    yield wheel(places, "slangpy cpu", "cpu", "slangpy",
                "wait_for_idle(); chain: 100 dispatches in one command buffer, encoded each time", "cpu")


def vulkan_set_ups(places):
    yield pintle(places, "pintle vulkan", "vulkan", "vulkan:llvmpipe", "as on cpu; lavapipe")
    yield iree(places, "iree vulkan", "vulkan",
               "iree-benchmark-module: launch and fresh are the same VM call; chain: one module of 100 dispatches; lavapipe",
               ("--device=vulkan",))
    yield native(places, "wgpu-native C", "vulkan", "peer_wgpu",
                 "encoder, pass, submit, wgpuDevicePoll(wait); chain: 100 dispatches in one pass, encoded each time; lavapipe", needs=WHEELS)
    yield wheel(places, "wgpu-py", "vulkan", "wgpu", "the same from Python")
    yield wheel(places, "slangpy vulkan", "vulkan", "slangpy", "wait_for_idle(); lavapipe", "vulkan")
    yield wheel(places, "taichi vulkan", "vulkan", "taichi", "ti.sync(); chain: a compiled ti.graph of 100 dispatches; lavapipe", "vulkan")


def opencl_set_ups(places):
    yield pintle(places, "pintle opencl", "opencl", "opencl:pocl", "as on cpu; PoCL")
    yield native(places, "opencl C", "opencl", "peer_opencl", "clEnqueueNDRangeKernel, clFinish; blocking reads and writes; PoCL",
                 str(HERE / "kernels/peers.cl"), "Portable", needs="it is built where OpenCL's headers and loader are")
    yield wheel(places, "pyopencl", "opencl", "pyopencl", "the same from Python")
    yield wheel(places, "tinygrad CL", "opencl", "tinygrad", "as tinygrad CPU; PoCL", "CL")


def cold_set_ups(places):
    yield SetUp("pintle cpu, kernel linked in", "cpu", "cold start alone: the kernel is compiled with the program",
                (places.program("peer_pintle"), "linked", "cpu"), cold_only=True)
    yield iree(places, "iree local-sync, compiling", "cpu", "cold start alone: iree-compile, then iree-run-module", ("--device=local-sync",),
               compiles=True, cold_only=True)


def all_set_ups(places):
    makers = (references, cpu_set_ups, vulkan_set_ups, opencl_set_ups, cold_set_ups)
    return [set_up for maker in makers for set_up in maker(places)]
