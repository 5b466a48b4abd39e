"""Points and signals: order, waits with their deadlines, and callbacks."""

import sys
import threading

import numpy as np
import pytest

import child
import pintle


def test_a_point_is_reached(device, saxpy):
    x, y = device.buffer(np.full(1000, 3, np.float32)), device.buffer(np.ones(1000, np.float32))
    queue = device.queue()
    done = queue.launch(saxpy, 2.0, x, y, 1000, items=1000)
    assert isinstance(done, pintle.Point)
    done.wait(30)
    assert done.reached and done.value == 1 and done.signal.value >= 1
    done.wait(0)
    done.wait()
    assert (y.numpy() == 7).all()


def test_points_of_a_queue_rise_by_one(device):
    queue = device.queue()
    points = [queue.submit() for _ in range(5)]
    assert [each.value for each in points] == [1, 2, 3, 4, 5]
    assert all(each.signal == points[0].signal for each in points)
    points[-1].wait(30)
    assert all(each.reached for each in points)


def test_after_and_signal_order_work_across_queues(device, gate):
    buffer, queues = device.buffer(np.zeros(64, np.float32)), [device.queue(), device.queue()]
    middle = pintle.Signal()
    done = queues[1].submit(pintle.fill(buffer, 2.0), after=[middle.point(7)])
    queues[0].submit(pintle.fill(buffer, 1.0), after=[gate.point(1)], signal=[middle.point(7)])
    assert not done.reached and middle.value == 0
    gate.set(1)
    done.wait(30)
    assert middle.value == 7 and buffer.numpy().tolist() == [2] * 64


def test_a_launch_takes_after(device, saxpy, gate):
    x, y = device.buffer(np.full(1000, 3, np.float32)), device.buffer(np.ones(1000, np.float32))
    done = device.queue().launch(saxpy, 2.0, x, y, 1000, items=1000, after=[gate.point(1)])
    with pytest.raises(pintle.Timeout):
        done.wait(0.02)
    assert not done.reached
    gate.set(1)
    done.wait(30)
    assert (y.numpy() == 7).all()


def test_points_of_another_device_order_work(device, cpu, gate):
    if device.id == "cpu":
        device = pintle.open("null")
    first = cpu.queue().submit(after=[gate.point(1)])
    second = device.queue().submit(after=[first])
    assert not second.reached
    gate.set(1)
    second.wait(30)
    assert first.reached


@pytest.mark.parametrize("timeout", [0, 0.0, 1e-9, 0.01])
def test_a_wait_ends_at_its_deadline(gate, timeout):
    with pytest.raises(pintle.Timeout):
        gate.point(1).wait(timeout)


@pytest.mark.parametrize("timeout", [-1, -0.5, float("nan"), -float("inf")])
def test_a_timeout_that_is_no_time_is_refused(gate, timeout):
    for wait in (gate.point(1).wait, lambda t: pintle.wait_all([gate.point(1)], t), lambda t: pintle.wait_any([gate.point(1)], t)):
        with pytest.raises((ValueError, pintle.Timeout)):
            wait(timeout)


@pytest.mark.parametrize("timeout", ["1", [1], 1j, object()])
def test_a_timeout_of_another_type_is_a_type_error(gate, timeout):
    with pytest.raises(TypeError):
        gate.point(1).wait(timeout)


@pytest.mark.parametrize("timeout", [float("inf"), 1e300, 10 ** 400])
def test_an_enormous_timeout_does_not_wrap(gate, timeout):
    gate.set(1)
    try:
        gate.point(1).wait(timeout)
    except (OverflowError, ValueError):
        pass
    threading.Timer(0.05, gate.set, [2]).start()
    try:
        gate.point(2).wait(timeout)
    except (OverflowError, ValueError):
        gate.point(2).wait(30)
    assert gate.point(2).reached


def test_none_is_the_default_of_the_library():
    code = "try: pintle.Signal().point(1).wait()\nexcept pintle.Timeout as error: print(error.__notes__)"
    said = child.passes(code, PINTLE_TIMEOUT_MS="50", timeout=20)
    assert "default deadline (50 ms)" in said and "PINTLE_TIMEOUT_MS" in said


def test_a_timeout_of_the_call_has_no_note(gate):
    with pytest.raises(pintle.Timeout) as caught:
        gate.point(1).wait(0.02)
    assert not hasattr(caught.value, "__notes__")


def test_a_failure_with_the_code_of_a_deadline_ends_a_wait_without_one():
    camera = pintle.Signal()
    threading.Timer(0.05, camera.fail, ["The camera is late.", pintle.Timeout]).start()
    with pytest.raises(pintle.Timeout, match="The camera is late"):
        camera.point(1).wait(float("inf"))


@pytest.mark.parametrize("setting, nanoseconds", [("1234", 1_234_000_000), ("soon", 30_000_000_000)])
def test_the_default_is_what_the_library_says(setting, nanoseconds):
    code = "from pintle import _native; print(_native.nanoseconds(None))"
    assert child.passes(code, prelude="", PINTLE_TIMEOUT_MS=setting) == f"{nanoseconds}\n"


def test_wait_all_waits_for_all(gate):
    other = pintle.Signal()
    points = [gate.point(1), other.point(1)]
    with pytest.raises(pintle.Timeout):
        pintle.wait_all(points, 0.02)
    other.set(1)
    with pytest.raises(pintle.Timeout):
        pintle.wait_all(points, 0.02)
    gate.set(1)
    pintle.wait_all(points, 30)
    pintle.wait_all(iter(points), 30)
    pintle.wait_all([], 0)


def test_wait_any_answers_the_index(gate):
    signals = [pintle.Signal() for _ in range(3)]
    points = [gate.point(1), *(each.point(1) for each in signals)]
    with pytest.raises(pintle.Timeout):
        pintle.wait_any(points, 0.02)
    signals[1].set(1)
    assert pintle.wait_any(points, 30) == 2
    with pytest.raises(pintle.InvalidArgument):
        pintle.wait_any([], 0)


def test_wait_any_wakes_up(gate):
    threading.Timer(0.05, gate.set, [1]).start()
    assert pintle.wait_any([pintle.Signal().point(1), gate.point(1)], 30) == 1


@pytest.mark.parametrize("points", [None, 3, [3], [None], ["x"]])
def test_what_are_no_points_is_a_type_error(points):
    for wait in (pintle.wait_all, pintle.wait_any):
        with pytest.raises(TypeError):
            wait(points, 0.01)


def test_a_signal_only_rises():
    signal = pintle.Signal(initial=5, label="counter")
    assert signal.value == 5 and signal.point(5).reached
    signal.set(9)
    assert signal.value == 9
    with pytest.raises(pintle.InvalidArgument):
        signal.set(3)
    assert signal.value == 9


@pytest.mark.parametrize("value", [-1, 1 << 64, 1 << 200])
def test_a_value_that_is_no_u64_is_refused(value):
    signal = pintle.Signal()
    for use in (signal.set, signal.point, lambda v: pintle.Signal(initial=v)):
        with pytest.raises((pintle.InvalidArgument, OverflowError)):
            use(value)


@pytest.mark.parametrize("value", ["1", 1.5, None])
def test_a_value_of_another_type_is_a_type_error(value):
    signal = pintle.Signal()
    for use in (signal.set, signal.point):
        with pytest.raises(TypeError):
            use(value)


def test_a_timeline_of_a_queue_is_not_set(device):
    done = device.queue().submit()
    with pytest.raises(pintle.InvalidArgument):
        done.signal.set(100)
    with pytest.raises(pintle.InvalidArgument):
        done.signal.fail("no")
    done.wait(30)


def test_a_failure_reaches_what_waits_for_it(cpu):
    cause = pintle.Signal(label="cause")
    queue, buffer = cpu.queue(), cpu.empty(4)
    done = queue.submit(pintle.fill(buffer, 1.0), after=[cause.point(1)])
    cause.fail("The camera is unplugged.")
    for wait in (done.wait, cause.point(1).wait, lambda t: pintle.wait_all([done], t), lambda t: pintle.wait_any([done], t)):
        with pytest.raises(pintle.Cancelled, match="The camera is unplugged"):
            wait(30)
    with pytest.raises(pintle.Cancelled):
        _ = done.reached
    with pytest.raises(pintle.Cancelled):
        queue.submit()


def test_a_timeout_of_submit_is_for_room(cpu, gate):
    queue = pintle.open("cpu").queue()
    queue.submit(after=[gate.point(1)])
    with pytest.raises(pintle.Timeout):
        for _ in range(queue.device.info.max_in_flight + 2):
            queue.submit(timeout=0.02)
    gate.set(1)
    queue.submit(timeout=30).wait(30)


def test_a_closed_signal_is_stale(gate):
    signal = pintle.Signal()
    point = signal.point(1)
    signal.close()
    for use in (lambda: signal.value, lambda: signal.set(1), lambda: signal.point(1).wait(0), lambda: point.wait(0)):
        with pytest.raises(pintle.Stale):
            use()


def called(point, fn):
    """What `fn` got, within 30 s, and the thread that called it."""
    happened, got = threading.Event(), []

    def remember(error):
        got.append((error, threading.current_thread()))
        try:
            fn(error)
        finally:
            happened.set()
    point.then(remember)
    return happened, got


def test_then_is_called_once_by_a_thread_of_python(gate):
    happened, got = called(gate.point(1), lambda error: None)
    assert not happened.wait(0.02)
    gate.set(1)
    assert happened.wait(30) and len(got) == 1
    error, thread = got[0]
    assert error is None and thread.daemon and thread is not threading.main_thread()
    again, more = called(gate.point(1), lambda error: None)  # a point that is reached already
    assert again.wait(30) and more[0][1] is thread


def test_then_gets_the_failure():
    signal = pintle.Signal()
    happened, got = called(signal.point(1), lambda error: None)
    signal.fail("It is over.", pintle.DeviceLost)
    assert happened.wait(30)
    assert isinstance(got[0][0], pintle.DeviceLost) and "It is over." in str(got[0][0])


def test_then_may_call_the_library(device, gate):
    queue, buffer, points = device.queue(), device.buffer(np.zeros(4, np.float32)), []
    happened, _ = called(gate.point(1), lambda error: points.append(queue.submit(pintle.fill(buffer, 3.0))))
    gate.set(1)
    assert happened.wait(30)
    points[0].wait(30)
    assert buffer.numpy().tolist() == [3] * 4


def test_an_exception_in_a_callback_is_reported_and_the_next_is_called(gate, monkeypatch):
    reported = []
    monkeypatch.setattr(sys, "unraisablehook", lambda args: reported.append(args.exc_value))
    monkeypatch.setattr(threading, "excepthook", lambda args: reported.append(args.exc_value))
    for error in (RuntimeError("first"), SystemExit(3), KeyboardInterrupt()):
        signal = pintle.Signal()

        def fail(_, error=error):
            raise error
        happened, _ = called(signal.point(1), fail)
        signal.set(1)
        assert happened.wait(30)
    last, _ = called(gate.point(1), lambda error: None)
    gate.set(1)
    assert last.wait(30)
    assert [type(each) for each in reported] == [RuntimeError, SystemExit, KeyboardInterrupt]


@pytest.mark.parametrize("fn", [None, 3, "f"])
def test_then_takes_a_function(gate, fn):
    with pytest.raises(TypeError):
        gate.point(1).then(fn)


def test_the_log_goes_to_logging():
    code = """
    import logging, threading
    happened = threading.Event()
    class Seen(logging.Handler):
        def emit(self, record):
            print(record.name, record.levelname, "PINTLE_NO_SUCH_THING" in record.getMessage(), threading.current_thread().daemon)
            happened.set()
    logging.getLogger("pintle").addHandler(Seen())
    pintle.log_to_logging("warn")
    pintle.open("cpu").queue().submit().wait(30)
    assert happened.wait(30)
    pintle.stop_logging()
    """
    assert child.passes(code, PINTLE_NO_SUCH_THING="1") == "pintle WARNING True True\n"


def test_a_handler_of_the_log_that_raises_does_no_harm():
    code = """
    import logging, threading
    happened = threading.Event()
    class Rude(logging.Handler):
        def emit(self, record):
            happened.set()
            raise RuntimeError("rude")
    logging.getLogger("pintle").addHandler(Rude())
    pintle.log_to_logging("warn")
    pintle.open("cpu").queue().submit().wait(30)
    assert happened.wait(30)
    then = threading.Event()
    pintle.Signal(1).point(1).then(lambda error: then.set())
    print(then.wait(30))
    """
    status, out, err = child.run(code, PINTLE_NO_SUCH_THING="1")
    assert (status, out) == (0, "True\n") and "RuntimeError: rude" in err


def test_an_unknown_level_is_refused_with_the_known_ones():
    with pytest.raises(pintle.InvalidArgument, match="debug"):
        pintle.log_to_logging("loud")


def test_a_signal_says_what_it_has_failed_with(cpu):
    signal, queue, cause = pintle.Signal(3), cpu.queue(), pintle.Signal()
    assert signal.failure is None and queue.signal.failure is None
    signal.fail("It is over.", pintle.DeviceLost)
    signal.fail("Again.", pintle.Timeout)  # only the first one counts
    assert isinstance(signal.failure, pintle.DeviceLost) and "It is over." in str(signal.failure) and signal.value == 3
    done = queue.submit(after=[cause.point(1)])
    cause.fail("no more")
    with pytest.raises(pintle.Cancelled):
        done.wait(30)
    assert isinstance(queue.signal.failure, pintle.Cancelled)
    signal.close()
    with pytest.raises(pintle.Stale):
        _ = signal.failure


def test_a_function_is_called_in_the_order_of_the_queue(device):
    queue, buffer, out, seen = device.queue(), device.empty(4), np.zeros(4, np.float32), []
    queue.submit(pintle.fill(buffer, 1.0), pintle.download(out, buffer))
    called = queue.call(lambda: seen.append((out[0], threading.current_thread())), label="a look")
    queue.submit(pintle.fill(buffer, 2.0), pintle.download(out, buffer)).wait(30)
    assert called.reached and out.tolist() == [2] * 4
    (value, thread), = seen
    assert value == 1 and thread.daemon and thread is not threading.main_thread()


def test_a_function_is_called_by_a_device_without_threads():
    device, seen = pintle.open("cpu?inline"), []
    queue, buffer = device.queue(), device.empty(4)
    queue.submit(pintle.fill(buffer, 1.0))
    queue.call(lambda: seen.append(1)).wait(30)
    assert seen == [1]


@pytest.mark.parametrize("error", [ZeroDivisionError("by 0"), SystemExit(3), KeyboardInterrupt("now")])
def test_an_exception_of_a_call_fails_its_point(cpu, error):
    def fail():
        raise error
    queue = cpu.queue()
    done = queue.call(fail)
    with pytest.raises(pintle.Cancelled, match=type(error).__name__):
        done.wait(30)
    with pytest.raises(pintle.Cancelled):
        queue.submit().wait(30)


def test_a_failure_before_a_call_is_the_failure_of_the_call(cpu):
    queue, cause, seen = cpu.queue(), pintle.Signal(), []
    queue.submit(after=[cause.point(1)])
    done = queue.call(lambda: seen.append(1))
    cause.fail("The camera is unplugged.")
    with pytest.raises(pintle.Cancelled, match="unplugged"):
        done.wait(30)
    assert seen == []


def test_call_takes_a_function(cpu):
    queue = cpu.queue()
    for wrong in (None, 3, "f"):
        with pytest.raises(TypeError):
            queue.call(wrong)
    assert queue.last().value == 0
