"""Calls that nothing may cut, such as a rank's part of a collective operation: on a thread beside the one that handles signals, whom Ctrl-C interrupts
at once."""

from __future__ import annotations

from _thread import allocate_lock, get_ident, start_new_thread
from collections.abc import Callable
from os import register_at_fork

from pintle._call import SLICE


def _nothing() -> None:
    pass


class _Call:
    """A call that a helper makes for its caller. When that has left, what the call has made is undone."""

    def __init__(self, body: Callable[[], None], undo: Callable[[], None]) -> None:
        self._body, self._undo, self._ended = [body], [undo], allocate_lock()
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
        """Both sides come here behind what they have to say, so one of them knows all, and the first takes the undoing away."""
        if self._is_made and self._is_left and self._undo:
            self._undo.pop()()

    def wait(self) -> None:
        try:
            while not self._ended.acquire(timeout=SLICE / 1e9):
                pass  # the handler of a signal that another thread has got
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
register_at_fork(after_in_child=_idle.clear)  # they are not there


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
