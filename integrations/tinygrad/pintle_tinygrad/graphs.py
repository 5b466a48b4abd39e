"""tinygrad's graphs as recordings: what changes from one replay to the next is a slot."""

from __future__ import annotations

from typing import Any

import pintle
from pintle_tinygrad.places import translated
from pintle_tinygrad.times import Stamps
from tinygrad.device import Device
from tinygrad.engine.jit import GraphRunner
from tinygrad.engine.realize import get_call_arg_uops
from tinygrad.helpers import all_int
from tinygrad.uop.ops import Ops, UOp

MOST_SLOTS = 1024  # of a recording of Pintle's


class _TooManySlots(Exception):
    pass


class _Slots:
    """The slots of a recording, in the order of their bindings."""

    def __init__(self) -> None:
        self.keys: list[tuple[str, Any]] = []

    def of(self, *key: Any) -> pintle.Slot:
        if key not in self.keys:
            if len(self.keys) == MOST_SLOTS:
                raise _TooManySlots
            self.keys.append(key)
        return pintle.slot(self.keys.index(key))


class _Input:
    """Stands for the memory that a replay gives: each of its parts that a kernel takes is a slot."""

    def __init__(self, slots: _Slots, index: int) -> None:
        self._slots, self._index = slots, index

    def __getattr__(self, part: str) -> pintle.Slot:
        return self._slots.of(part, self._index)


class PintleGraph(GraphRunner):
    """Kernels of one device, recorded once. With more inputs than a recording has slots, they are launched one by one."""

    def __init__(self, linear: UOp, input_uops: tuple[UOp, ...] = ()) -> None:
        super().__init__(linear, input_uops)
        self.dev = Device[self.calls[0][2][0].device]
        self.slots = _Slots()
        self.timed: tuple[pintle.Recording, Stamps] | None = None
        with translated(f"recording {len(self.calls)} kernels on {self.dev.device}"):
            self.recording = self._recorded()

    def _recorded(self) -> pintle.Recording | None:
        try:
            return self.dev.place.device.record(*self._commands())
        except _TooManySlots:
            return None

    def _commands(self) -> list[pintle.Command]:
        return [self._command(j) for j in range(len(self.calls))]

    def _command(self, j: int) -> pintle.Command:
        """The j-th launch: inputs of the graph and its variables are slots."""
        _, ast, bufs, device_vars = self.calls[j]
        program, inputs = self.runtimes[j], dict(self.uop_replace[j])
        variables = dict(self.var_vals_replace.get(j, ()))
        is_anywhere = any(bufs[i]._buf.is_anywhere for i in ast.arg.globals if i not in inputs)
        kernel, groups = program.launch_of(*ast.arg.launch_dims({name: 0 for name in self.vars}), is_anywhere)
        vals = [self.slots.of("variable", self.vars[variables[i]], each.dtype) if i in variables else device_vars.get(each.expr)
                for i, each in enumerate(ast.arg.vars)]
        memories = [_Input(self.slots, inputs[position]) if position in inputs else bufs[position]._buf for position in ast.arg.globals]
        return kernel.command(*program.arguments(memories, vals), groups=groups)

    def _bindings(self, input_uops: tuple[UOp, ...], var_vals: dict[str, int]) -> list[object]:
        """What fills the slots in this run."""
        return [var_vals[key[1]] if key[0] == "variable" else getattr(input_uops[key[1]].buffer.get_buf(self.dev.device), key[0])
                for key in self.slots.keys]

    def __call__(self, input_uops: tuple[UOp, ...], var_vals: dict[str, int], wait: bool = False) -> float | None:
        if self.recording is None or self._has_views(input_uops):
            return self._launch_each(input_uops, var_vals, wait)
        place = self.dev.place
        with translated(f"replaying {len(self.calls)} kernels on {self.dev.device}"):
            bindings = self._bindings(input_uops, var_vals)
            if not wait and not self.dev.times.is_on or not self.dev.times.has_clock:
                done = place.queue.replay(self.recording, *bindings, after=place.after)
                place.accepted()
                return self.dev.times.waited(done) if wait else None
            return self._run_timed(bindings)

    def _has_views(self, input_uops: tuple[UOp, ...]) -> bool:
        """Whether an input begins where the recorded kernels cannot read vectors."""
        return self.dev.place.language != "c" and any(input_uops[index].buffer.get_buf(self.dev.device).is_anywhere
                                                      for what, index, *_ in self.slots.keys if what == "base")

    def _launch_each(self, input_uops: tuple[UOp, ...], var_vals: dict[str, int], wait: bool) -> float | None:
        """The same without a recording."""
        seconds = 0.0
        for (_, ast, bufs, device_vars), program, replaced in zip(self.calls, self.runtimes, self.uop_replace):
            inputs, values = dict(replaced), {**var_vals, **device_vars}
            memories = [(input_uops[inputs[i]].buffer if i in inputs else bufs[i]).get_buf(self.dev.device) for i in ast.arg.globals]
            global_size, local_size = ast.arg.launch_dims(values)
            seconds += program(*memories, global_size=global_size, local_size=local_size, vals=ast.arg.vals(values), wait=wait) or 0
        return seconds if wait else None

    def _run_timed(self, bindings: list[object]) -> float:
        """The same with a timestamp before each kernel and behind the last."""
        place, times = self.dev.place, self.dev.times
        if self.timed is None:
            stamps = Stamps(place.device, len(self.calls) + 1)
            commands = [each for j, command in enumerate(self._commands()) for each in (stamps.at(j), command)]
            self.timed = place.device.record(*commands, stamps.at(len(self.calls))), stamps
        recording, stamps = self.timed
        place.queue.replay(recording, *bindings, after=place.after)
        place.accepted()
        ticks = stamps.read(place)
        if times.is_on:
            times.graph(self.runtimes, ticks)
        return (ticks[-1] - ticks[0]) * place.device.info.nanoseconds_per_tick * 1e-9

    @staticmethod
    def supports_uop(batch_devs: list, new_call: UOp) -> bool:
        """Kernels of one device whose groups are numbers, and whose inputs are whole."""
        if not GraphRunner.supports_uop(batch_devs, new_call):
            return False
        info = new_call.src[0].arg
        if not all_int(info.global_size) or not all_int(info.local_size or ()):
            return False
        return all(each.op is Ops.PARAM or not any(u.op is Ops.PARAM for u in each.toposort()) for each in get_call_arg_uops(new_call))
