"""Calls that nothing may cut, such as a rank's part of a collective operation. A thread beside the main one makes them, so Ctrl-C interrupts the main
thread at once."""

from __future__ import annotations

from _thread import allocate_lock, get_ident, start_new_thread
from collections.abc import Callable
from os import register_at_fork

from pintle._call import SLICE


def _nothing() -> None:
    pass


class _Call:
    """A call that a helper makes for its caller. When the caller has left, what the call has made is undone."""

    def __init__(self, body: Callable[[], None], undo: Callable[[], None]) -> None:
        self._body, self._undo, self._ended, self._undone = [body], undo, allocate_lock(), allocate_lock()
        self._error: BaseException | None = None
        self._is_made = self._is_left = False
        self._ended.acquire()

    def make(self) -> None:
        try:
            self._body.pop()()
            self._is_made = True
        except BaseException as error:  # noqa: BLE001  # the caller raises it, if it is still there
            self._error = error

    def end(self) -> None:
        self._ended.release()
        self._undo_if_left()

    def _undo_if_left(self) -> None:
        """Each side calls this when it has set its own flag, so at least one of them sees both flags. The lock lets one of them through."""
        if self._is_made and self._is_left and self._undone.acquire(blocking=False):
            self._undo()

    def wait(self) -> None:
        try:
            while not self._ended.acquire(timeout=SLICE / 1e9):
                pass  # here Python runs the handlers of signals that other threads have got
        except BaseException:
            self._is_left = True
            self._undo_if_left()
            raise
        error, self._error = self._error, None
        try:
            if error is not None:
                raise error
        finally:
            del error  # which has this frame


class _Helper:
    """A thread that makes one call after the other. It is a daemon, so it keeps no process from ending."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._given = allocate_lock()
        self._given.acquire()
        start_new_thread(self._run, ())

    def give(self, call: _Call) -> None:
        self._calls.append(call)
        self._given.release()

    def _run(self) -> None:
        while self._given.acquire():
            call = self._calls.pop()
            call.make()
            _idle.append(self)  # before the end, so that the next call finds it
            call.end()
            del call


_idle: list[_Helper] = []
register_at_fork(after_in_child=_idle.clear)  # the child does not have these threads


def _helper() -> _Helper:
    try:
        return _idle.pop()
    except IndexError:
        return _Helper()


def uncut(body: Callable[[], None], undo: Callable[[], None] = _nothing) -> None:
    """Calls `body`. On the main thread, which alone handles signals, the exception of a handler comes at once; `body` then goes on without its
    caller, with all that it has, and `undo` is called behind it if it ends well."""
    from threading import main_thread
    if get_ident() != main_thread().ident:
        body()
        return
    call = _Call(body, undo)
    _helper().give(call)
    call.wait()
