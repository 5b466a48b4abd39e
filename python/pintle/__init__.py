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

from pintle import _native, errors
from pintle._native import Slot, slot
from pintle.buffers import Buffer, View
from pintle.callbacks import log_to_logging, stop_logging
from pintle.commands import Command, barrier, copy, download, fill, timestamp, upload
from pintle.devices import Capability, Device, open
from pintle.dtypes import DType
from pintle.errors import (BuildFailed, Cancelled, DeviceLost, Error, Internal, InvalidArgument, IOFailed, NotFound, OutOfMemory, PeerLost,
                           ProcessPoisoned, Stale, Timeout, Unavailable, Unsupported, Vendor)
from pintle.listing import Absence, DeviceInfo, DeviceList, devices
from pintle.packs import Pack, Variant, open_pack, parse_pack, source
from pintle.points import Point, Signal, wait_all, wait_any
from pintle.programs import Kernel, Parameter, Program
from pintle.queues import Queue
from pintle.recordings import Recording

_native.set_classes(errors.make, Point, Command)
atexit.register(_native.stop)
__version__ = _native.version()

__all__ = ["Absence", "Buffer", "BuildFailed", "Cancelled", "Capability", "Command", "DType", "Device", "DeviceInfo", "DeviceList", "DeviceLost",
           "Error", "IOFailed", "Internal", "InvalidArgument", "Kernel", "NotFound", "OutOfMemory", "Pack", "Parameter", "PeerLost", "Point",
           "ProcessPoisoned", "Program", "Queue", "Recording", "Signal", "Slot", "Stale", "Timeout", "Unavailable", "Unsupported", "Variant",
           "Vendor", "View", "barrier", "copy", "devices", "download", "fill", "log_to_logging", "open", "open_pack", "parse_pack", "slot",
           "source", "stop_logging", "timestamp", "upload", "wait_all", "wait_any"]
