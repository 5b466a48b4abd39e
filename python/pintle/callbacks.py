"""What the library calls back: points that are reached, and its log. Only one thread of Python's runs such functions. It is a daemon, made at first
use, so it keeps no process from ending."""

from __future__ import annotations

from collections.abc import Callable

from pintle import _native, errors
from pintle._call import one_of
from pintle.points import Point

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LEVELS = {"error": 1, "warn": 2, "info": 3, "debug": 4}
_GRAVITIES = {1: 40, 2: 30, 3: 20, 4: 10}  # of the module logging
_waiting: dict[int, tuple[Point, Callable[[errors.Error | None], object]]] = {}
_started: list[Any] = []
_next_token = iter(range(1, 1 << 62)).__next__  # one step of the interpreter, so threads get different numbers


def _failure_of(point: Point) -> errors.Error | None:
    try:
        _ = point.reached
    except errors.Error as error:
        return error
    return None


def _call(token: int) -> None:
    point, fn = _waiting.pop(token)
    fn(_failure_of(point))


def _log(level: int, category: str, message: str) -> None:
    from logging import getLogger
    getLogger("pintle").log(_GRAVITIES.get(level, 10), "%s: %s", category, message)


def _deliver(notice: tuple[int] | tuple[int, str, str]) -> None:
    try:
        if len(notice) == 1:
            _call(notice[0])
        else:
            _log(*notice)
    except BaseException as error:  # noqa: BLE001  # the next one is called in any case
        import threading
        threading.excepthook(threading.ExceptHookArgs((type(error), error, error.__traceback__, threading.current_thread())))


def _run(descriptor: int) -> None:
    from os import read
    while True:
        read(descriptor, 8)
        for notice in _native.notices_take():
            _deliver(notice)


def _start() -> None:
    """Starts the thread unless it is there."""
    from threading import Lock, Thread
    if not _started:
        _started.append(Lock())
    with _started[0]:
        if len(_started) == 1:
            thread = Thread(target=_run, args=(_native.notices_open(),), name="pintle callbacks", daemon=True)
            thread.start()
            _started.append(thread)


def notify(point: Point, fn: Callable[[errors.Error | None], object]) -> None:
    """What Point.then does."""
    if not callable(fn):
        raise TypeError(f"then() takes a function, not a {type(fn).__name__}.")
    _start()
    token = _next_token()
    _waiting[token] = (point, fn)
    try:
        point.notify(token)
    except BaseException:
        del _waiting[token]
        raise


def log_to_logging(most_verbose: str = "info") -> None:
    """Sends the library's messages, from "error" to this level ("error", "warn", "info" or "debug"), to logging.getLogger("pintle"), from a thread
    of their own. Where Python is slower than the library, messages beyond 10,000 are lost."""
    level = one_of(most_verbose, LEVELS, "level")
    _start()
    _native.log_open(level)


def stop_logging() -> None:
    """Makes the log as it was: silent, or what PINTLE_LOG says."""
    _native.log_close()
