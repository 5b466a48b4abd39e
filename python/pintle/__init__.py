"""Pintle: one driver for CPUs, GPUs and other accelerators.

    import numpy as np, pintle
    pack = pintle.open_pack("saxpy.pack")
    device = pintle.open("best", pack)
    saxpy = device.load(pack)["saxpy"]
    x, y = device.buffer(np.full(1000, 3, np.float32)), device.buffer(np.ones(1000, np.float32))
    done = device.queue().launch(saxpy, 2.0, x, y, 1000, items=1000)
    done.wait(1.0)
    print(y.numpy())

Times are seconds, sizes bytes, shapes outermost first. A failure is a pintle.Error; a wrong Python type or number of arguments is a
TypeError. Any thread may use any object.
"""

import atexit

from pintle import _native, commands, errors
from pintle._native import Slot, slot
from pintle.buffers import Buffer, View
from pintle.callbacks import log_to_logging, stop_logging
from pintle.commands import Command, barrier, copy, download, fill, holds, timestamp, upload, uses
from pintle.devices import Device, Heap, open
from pintle.dtypes import DType
from pintle.errors import (BuildFailed, Cancelled, DeviceLost, Error, Internal, InvalidArgument, IOFailed, NotFound, OutOfMemory, PeerLost,
                           ProcessPoisoned, Stale, Timeout, Unavailable, Unsupported, Vendor)
from pintle.listing import Absence, AbsentFormat, Capability, DeviceInfo, DeviceList, devices
from pintle.packs import Pack, Variant, open_pack, parse_pack, source
from pintle.points import Point, Signal, wait_all, wait_any
from pintle.programs import Kernel, Parameter, Program
from pintle.queues import Queue
from pintle.recordings import Recording

_native.set_classes(errors.make, Point, Command, commands.bound)
atexit.register(_native.stop)
__version__ = _native.version()

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pintle.arenas import Arena, ArenaValue
    from pintle.conversions import Conversion
    from pintle.groups import Collective, Group, GroupQueue, GroupStatistics, group
    from pintle.handles import Handle, HandleSet
    from pintle.heaps import SymmetricBuffer, SymmetricHeap, SymmetricSignals
    from pintle.images import Image, ImageLimits, ImagePart, Sampler, TexelBuffer, TexelSupport
    from pintle.natives import (CpuDevice, CpuMemory, CudaDevice, CudaMemory, CudaQueue, HipDevice, HipMemory, HipQueue, OpenClDevice, OpenClMemory,
                                OpenClQueue, VulkanDevice, VulkanMemory, VulkanQueue, wrap_device)
    from pintle.plans import ArenaRequirements, Plan, PlannedValue, PlanProblem, PlanValue, parse_plan
    from pintle.pools import Holder, Pool, PoolExhaustion, PoolStatistics

# Modules that are imported when something of them is first asked for.
_LATER = {"arenas": ("Arena", "ArenaValue"), "conversions": ("Conversion",),
          "groups": ("Collective", "Group", "GroupQueue", "GroupStatistics", "group"), "handles": ("Handle", "HandleSet"),
          "heaps": ("SymmetricBuffer", "SymmetricHeap", "SymmetricSignals"),
          "images": ("Image", "ImageLimits", "ImagePart", "Sampler", "TexelBuffer", "TexelSupport"),
          "natives": ("CpuDevice", "CpuMemory", "CudaDevice", "CudaMemory", "CudaQueue", "HipDevice", "HipMemory", "HipQueue", "OpenClDevice",
                      "OpenClMemory", "OpenClQueue", "VulkanDevice", "VulkanMemory", "VulkanQueue", "wrap_device"),
          "plans": ("ArenaRequirements", "Plan", "PlannedValue", "PlanProblem", "PlanValue", "parse_plan"),
          "pools": ("Holder", "Pool", "PoolExhaustion", "PoolStatistics")}


if not TYPE_CHECKING:  # which would take any name for one of the package

    def __getattr__(name):
        from importlib import import_module
        for module, names in _LATER.items():
            if name in names:
                return globals().setdefault(name, getattr(import_module(f"pintle.{module}"), name))
        raise AttributeError(f"module 'pintle' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = ["Absence", "AbsentFormat", "Arena", "ArenaRequirements", "ArenaValue", "Buffer", "BuildFailed", "Cancelled", "Capability", "Collective",
           "Command", "Conversion", "CpuDevice", "CpuMemory", "CudaDevice", "CudaMemory", "CudaQueue", "DType", "Device", "DeviceInfo", "DeviceList",
           "DeviceLost", "Error", "Group", "GroupQueue", "GroupStatistics", "Handle", "HandleSet", "Heap", "HipDevice", "HipMemory", "HipQueue",
           "Holder", "IOFailed", "Image", "ImageLimits", "ImagePart", "Internal", "InvalidArgument", "Kernel", "NotFound", "OpenClDevice",
           "OpenClMemory", "OpenClQueue", "OutOfMemory", "Pack", "Parameter", "PeerLost", "Plan", "PlanProblem", "PlanValue", "PlannedValue",
           "Point", "Pool", "PoolExhaustion", "PoolStatistics", "ProcessPoisoned", "Program", "Queue", "Recording", "Sampler", "Signal", "Slot",
           "Stale", "SymmetricBuffer", "SymmetricHeap", "SymmetricSignals", "TexelBuffer", "TexelSupport", "Timeout", "Unavailable", "Unsupported",
           "Variant", "Vendor", "View", "VulkanDevice", "VulkanMemory", "VulkanQueue", "barrier", "copy", "devices", "download", "fill", "group",
           "holds", "log_to_logging", "open", "open_pack", "parse_pack", "parse_plan", "slot", "source", "stop_logging", "timestamp", "upload",
           "uses", "wait_all", "wait_any", "wrap_device"]
