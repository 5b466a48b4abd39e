"""Points in asyncio: they are awaited, cancelled, and leave no descriptor open."""

import asyncio
import os
import threading

import numpy as np
import pytest

import pintle


def descriptors():
    return len(os.listdir("/proc/self/fd"))


@pytest.fixture(autouse=True)
def no_leaked_descriptors(request):
    asyncio.run(asyncio.sleep(0))
    if "device" in request.fixturenames:  # drivers open what they need
        device, saxpy = (request.getfixturevalue(name) for name in ("device", "saxpy"))
        device.queue().launch(saxpy, 1.0, device.empty(1), device.empty(1), 1, items=1).wait(30)
    before = descriptors()
    yield
    assert descriptors() <= before


def run(main, timeout=60):
    async def bounded():
        return await asyncio.wait_for(main(), timeout)
    return asyncio.run(bounded())


def test_a_point_is_awaited(device, saxpy):
    x, y = device.buffer(np.full(1000, 3, np.float32)), device.buffer(np.ones(1000, np.float32))

    async def main():
        return await device.queue().launch(saxpy, 2.0, x, y, 1000, items=1000)
    assert run(main) is None
    y.numpy()


def test_the_loop_goes_on_meanwhile(gate):
    async def main():
        turns = []

        async def tick():
            while len(turns) < 20:
                turns.append(1)
                await asyncio.sleep(0.001)
            gate.set(1)
        await asyncio.gather(gate.point(1), tick())
        return len(turns)
    assert run(main) == 20


def test_a_point_that_is_reached_does_not_block(gate):
    gate.set(1)

    async def main():
        for _ in range(100):
            await gate.point(1)
    run(main)


def test_many_points_are_awaited_at_once(gate):
    async def main():
        waiting = asyncio.gather(*(gate.point(1) for _ in range(100)))
        await asyncio.sleep(0.01)
        threading.Thread(target=gate.set, args=(1,)).start()
        await waiting
    run(main)


def test_one_point_is_awaited_twice(gate):
    point = gate.point(1)

    async def wait():
        await point

    async def main():
        waiting = asyncio.gather(wait(), wait())
        await asyncio.sleep(0.01)
        gate.set(1)
        await waiting
    run(main)


def test_a_failure_is_raised():
    signal = pintle.Signal()

    async def main():
        asyncio.get_running_loop().call_later(0.02, lambda: signal.fail("The cable is cut.", pintle.DeviceLost))
        await signal.point(1)
    with pytest.raises(pintle.DeviceLost, match="The cable is cut"):
        run(main)


def test_a_failure_that_is_there_already_is_raised():
    signal = pintle.Signal()
    signal.fail("Too late.")

    async def main():
        await signal.point(1)
    with pytest.raises(pintle.Cancelled, match="Too late"):
        run(main)


def test_an_await_is_cancelled(gate):
    async def wait():
        await gate.point(1)

    async def main():
        before = descriptors()
        for _ in range(50):
            task = asyncio.create_task(wait())
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert descriptors() <= before
    run(main)
    assert not gate.point(1).reached


def test_an_await_times_out(gate):
    async def main():
        async with asyncio.timeout(0.02):
            await gate.point(1)
    with pytest.raises(TimeoutError) as caught:
        run(main)
    assert not isinstance(caught.value, pintle.Timeout)


def test_a_cancelled_await_leaves_the_work_alone(cpu, gate):
    buffer = cpu.buffer(np.zeros(4, np.float32))
    done = cpu.queue().submit(pintle.fill(buffer, 2.0), after=[gate.point(1)])

    async def main():
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(_await(done), 0.02)
    run(main)
    gate.set(1)
    done.wait(30)
    assert buffer.numpy().tolist() == [2] * 4


async def _await(point):
    await point


def test_the_point_goes_while_it_is_awaited(gate):
    async def main():
        task = asyncio.create_task(_await(gate.point(1)))
        await asyncio.sleep(0.01)
        gate.set(1)
        await task
    run(main)


def test_a_loop_that_stops_closes_the_descriptor(gate):
    async def main():
        asyncio.get_running_loop().create_task(_await(gate.point(1)))
        await asyncio.sleep(0.01)
    run(main)  # asyncio.run cancels what is left


def test_two_loops_in_two_threads(gate):
    failures = []

    def work():
        try:
            asyncio.run(asyncio.wait_for(_await(gate.point(1)), 30))
        except BaseException as error:  # noqa: BLE001  # the test says which
            failures.append(error)
    threads = [threading.Thread(target=work) for _ in range(2)]
    for each in threads:
        each.start()
    gate.set(1)
    for each in threads:
        each.join(30)
    assert not failures and not any(each.is_alive() for each in threads)


def test_a_device_without_threads_is_awaited():
    device = pintle.open("cpu?inline")
    gate = pintle.Signal()
    buffer = device.buffer(np.zeros(4, np.float32))
    done = device.queue().submit(pintle.fill(buffer, 2.0), after=[gate.point(1)])

    async def main():
        asyncio.get_running_loop().call_later(0.02, gate.set, 1)
        await done
    run(main)
    assert buffer.numpy().tolist() == [2] * 4


def test_await_outside_a_loop_is_an_error(gate):
    with pytest.raises(RuntimeError):
        gate.point(1).__await__().send(None)
