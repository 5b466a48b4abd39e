"""Points and signals: the one ordering primitive. A signal is a number that only rises, or fails; a point is a value of it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from ctypes import byref

from pintle import _c, _native, errors
from pintle._call import call, encoded, option_nanoseconds, struct, u64

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from typing import Any


class Signal(_native.Signal):
    """A 64-bit number that only rises, or fails. Submissions and the host raise it, and wait for it. `label` is for messages."""

    def __new__(cls, initial: int = 0, label: str | None = None) -> Signal:
        made = _c.pintle_signal()
        call("pintle_signal_create", u64(initial, "initial value of a signal"), encoded(label), byref(made))
        return super().__new__(cls, made.id)

    @classmethod
    def _timeline(cls, handle: int, device: object) -> Signal:
        return super().__new__(cls, handle, device)

    def set(self, value: int) -> None:
        """Raises the value from the host. pintle.InvalidArgument for a lower value and for a queue's timeline."""
        call("pintle_signal_set", _c.pintle_signal(self.handle), u64(value, "value of a signal"))

    def fail(self, message: str, kind: type[errors.Error] = errors.Cancelled) -> None:
        """Fails the signal: every wait for a value beyond the one reached raises `kind` with this message. Only the first failure counts.
        pintle.InvalidArgument for a queue's timeline."""
        call("pintle_signal_fail", _c.pintle_signal(self.handle), errors.status_of(kind), encoded(message))

    @property
    def failure(self) -> errors.Error | None:
        """The first failure of the signal; None where it has not failed. Never blocks."""
        failure = struct(_c.pintle_error)
        call("pintle_signal_failure", _c.pintle_signal(self.handle), byref(failure))
        return errors.taken(failure) if failure.code else None

    def point(self, value: int) -> Point:
        """The moment at which the signal reaches the value."""
        return Point(self, u64(value, "value of a signal"))

    def __repr__(self) -> str:
        return f"<pintle.{type(self).__name__} closed>" if self.closed else f"<pintle.{type(self).__name__} at {self.value}>"


class Point(_native.Point):
    """A moment on a signal's timeline, for example the end of a submission. `await` waits for it, too."""

    __slots__ = ()

    def then(self, fn: Callable[[errors.Error | None], object]) -> None:
        """Calls `fn` once, when the point is reached, with None; or when it fails, with the error. All such calls come from one thread of
        Python's, one after another. An exception of `fn` goes to threading.excepthook."""
        from pintle.callbacks import notify
        notify(self, fn)

    def __await__(self) -> Generator[Any, None, None]:
        """Waits in asyncio's running loop, for as long as it takes: asyncio.timeout bounds it. A point that fails raises its failure."""
        if self.reached:
            return
        from asyncio import get_running_loop
        yield from _wait_in(get_running_loop(), self).__await__()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Point):
            return NotImplemented
        return self.signal is other.signal and self.value == other.value

    def __hash__(self) -> int:
        return hash((id(self.signal), self.value))

    def __repr__(self) -> str:
        return f"<pintle.Point at {self.value} of {self.signal!r}>"


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


async def _wait_in(loop: asyncio.AbstractEventLoop, point: Point) -> None:
    device = point.signal.owner
    if device is not None and device._is_driven:
        await _drive(device, point)
        return
    alarm = point.alarm()
    try:
        future: asyncio.Future[None] = loop.create_future()
        loop.add_reader(alarm, _wake, future)
        try:
            await future
        finally:
            loop.remove_reader(alarm)
    finally:
        alarm.close()
    _ = point.reached  # raises the failure


async def _drive(device: Any, point: Point) -> None:
    """The device makes progress only inside calls."""
    from asyncio import sleep
    while not point.reached:
        device.poll()
        await sleep(0.0005)


def wait_all(points: Iterable[Point], timeout: float | None = None) -> None:
    """Blocks until every point is reached, for `timeout` seconds at most; None: PINTLE_TIMEOUT_MS, else 30 s. The first failure is raised. No
    points are reached."""
    _native.wait_all(points, timeout)


def wait_any(points: Iterable[Point], timeout: float | None = None) -> int:
    """Blocks until one point is reached, and answers its index. pintle.InvalidArgument for no points; otherwise as wait_all."""
    return _native.wait_any(points, timeout)


def _points(points: Iterable[Point], what: str) -> Any:
    """An array of points for C."""
    if isinstance(points, Point):
        raise TypeError(f"{what} takes a list of points, not a point.")
    all_of_them = tuple(points)
    for each in all_of_them:
        if not isinstance(each, Point):
            raise TypeError(f"{what} takes points, not a {type(each).__name__}.")
    return (_c.pintle_point * len(all_of_them))(*(struct(_c.pintle_point, signal=_c.pintle_signal(each.signal.handle), value=each.value)
                                                  for each in all_of_them))


def submit_options(after: Iterable[Point], signal: Iterable[Point], timeout: float | None, label: str | None = None) -> _c.pintle_submit_options:
    """What a submission through ctypes waits for and raises."""
    waits, raised = _points(after, "after"), _points(signal, "signal")
    options = struct(_c.pintle_submit_options, after=waits, after_count=len(waits), signal=raised, signal_count=len(raised), label=encoded(label),
                     timeout=option_nanoseconds(timeout))
    return options
