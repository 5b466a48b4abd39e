"""Groups of ranks: operations on arrays and on buffers, sub-groups, failures, and symmetric memory."""

import os
import shutil
import subprocess
import sys
import time
import weakref
from pathlib import Path

import numpy as np
import pytest

import child
import pintle
from together import together

RANKS = 4


def on_ranks(body, ranks=RANKS):
    """What `body` answers on a thread for each rank, by rank; raises what one of them has raised."""
    groups, answers = pintle.Group.threads(ranks), [None] * ranks

    def run(i):
        answers[groups[i].rank] = body(groups[i])
    try:
        together(run, ranks)
    finally:
        for each in groups:
            each.close()
    return answers


Run = pintle.Collective


def test_ranks_know_their_place():
    def body(group):
        assert (group.ranks, group.generation, group.transport) == (RANKS, 1, "threads") and f"rank {group.rank} of" in repr(group)
        assert group.statistics.operations == 0
        group.run(Run.barrier())
        group.health()
        return group.rank, group.statistics.operations
    assert on_ranks(body) == [(rank, 1) for rank in range(RANKS)]


@pytest.mark.parametrize("op, wanted", [("sum", 10), ("prod", 24), ("min", 1), ("max", 4), ("mean", 2), ("bit_or", 7), ("bit_xor", 4), ("logical_and", 1)])
def test_operators_fold(op, wanted):
    def body(group):
        mine, to = np.full(5, group.rank + 1, np.int32), np.zeros(5, np.int32)
        group.run(Run.all_reduce(to, mine, op))
        group.run(Run.all_reduce(mine, op=op))  # in place
        return to.tolist() + mine.tolist()
    assert on_ranks(body) == [[wanted] * 10] * RANKS


def test_parts_go_where_they_belong():
    def body(group):
        me, ranks = group.rank, group.ranks
        given = np.array([[100 * me + part, 100 * me + part] for part in range(ranks)], np.int64)
        one, everything = np.zeros(2, np.int64), np.zeros((ranks, 2), np.int64)
        group.run(Run.reduce_scatter(one, given))
        assert one.tolist() == [600 + 4 * me] * 2
        group.run(Run.scatter(one, given if me == 2 else None, 2))
        assert one.tolist() == [200 + me] * 2
        group.run(Run.all_gather(everything, given[0]))
        assert everything[:, 0].tolist() == [0, 100, 200, 300]
        group.run(Run.all_to_all(everything, given))
        assert everything[:, 0].tolist() == [100 * rank + me for rank in range(ranks)]
        group.run(Run.gather(everything if me == 1 else None, given[3], 1))
        group.run(Run.reduce(one if me == 3 else None, given[0], 3))
        assert me != 1 or everything[:, 0].tolist() == [3, 103, 203, 303]
        assert me != 3 or one.tolist() == [600, 600]
        group.run(Run.broadcast(one, 3))
        return one.tolist()
    assert on_ranks(body) == [[600, 600]] * RANKS


def test_messages_go_round():
    def body(group):
        right, left = (group.rank + 1) % group.ranks, (group.rank - 1) % group.ranks
        mine, theirs = np.array([group.rank], np.uint8), np.zeros(1, np.uint8)
        for turn in range(2):
            group.run(Run.send(mine, right) if turn == group.rank % 2 else Run.recv(theirs, left))
        return int(theirs[0])
    assert on_ranks(body) == [3, 0, 1, 2]


def test_bits_stand_for_what_numpy_does_not_have():
    def body(group):
        bits = np.full(8, 0x3f80, np.uint16)  # 1.0
        group.run(Run.all_reduce(bits), dtype="bf16")
        return bits.tolist()
    assert on_ranks(body) == [[0x4080] * 8] * RANKS


def test_reproducible_sums_have_the_same_bits():
    def body(group):
        terms = (1e8, 1, -1e8, 1e-3)
        results = []
        for algorithm in ("automatic", "direct", "ring", "halving_doubling", "tree"):
            values = np.full(7, terms[group.rank], np.float32)
            group.run(Run.all_reduce(values, algorithm=algorithm, reproducible=True))
            results.append(values.tobytes())
        return len(set(results))
    assert on_ranks(body) == [1] * RANKS


def test_a_part_of_a_group_is_a_group():
    def body(group):
        part = group.split(group.rank % 2 if group.rank != 3 else None, key=10 - group.rank)
        if part is None:
            return None
        with part:
            mine = np.array([group.rank], np.int32)
            part.run(Run.all_reduce(mine))
            return part.rank, part.ranks, int(mine[0])
    assert on_ranks(body) == [(1, 2, 2), (0, 1, 1), (0, 2, 2), None]


def test_calls_that_do_not_match_fail_the_group():
    def body(group):
        wrong = Run.barrier() if group.rank == 1 else Run.all_reduce(np.ones(4, np.float32))
        with pytest.raises(pintle.InvalidArgument):
            group.run(wrong, timeout=20)
        with pytest.raises(pintle.InvalidArgument):
            group.health()
        again = group.shrink(timeout=20)
        values = np.ones(4, np.float32)
        again.run(Run.all_reduce(values))
        generation = again.generation
        again.close()
        return generation > 1 and values.tolist() == [RANKS] * 4
    assert on_ranks(body) == [True] * RANKS


def test_a_rank_that_leaves_is_named():
    def body(group):
        if group.rank == 2:
            group.close()
            with pytest.raises(pintle.Stale):
                group.run(Run.barrier())
            return "left"
        with pytest.raises((pintle.PeerLost, pintle.Timeout)) as caught:
            group.run(Run.barrier(), timeout=20)
        return "2" in str(caught.value)
    assert on_ranks(body) == [True, True, "left", True]


def test_wrong_calls_send_nothing():
    def body(group):
        ones, strided = np.ones(4, np.float32), np.ones(8, np.float32)[::2]
        fixed = np.ones(4, np.float32)
        fixed.flags.writeable = False
        for operation, kind in ((Run.all_reduce(strided), pintle.InvalidArgument), (Run.all_reduce(fixed), pintle.InvalidArgument),
                                (Run.all_reduce(ones, np.ones(4, np.float64)), pintle.InvalidArgument), (Run.all_reduce(ones, np.ones(3, np.float32)), pintle.InvalidArgument),
                                (Run.all_reduce(ones, op="bit_or"), pintle.InvalidArgument), (Run.broadcast(ones, 9), pintle.InvalidArgument),
                                (Run.send(ones, group.rank), pintle.InvalidArgument), (Run.all_reduce(3), TypeError), (None, TypeError)):
            with pytest.raises(kind):
                group.run(operation)
        assert group.statistics.operations == 0
        group.run(Run.all_reduce(ones))
        return ones.tolist()
    assert on_ranks(body, 2) == [[2] * 4] * 2


@pytest.mark.parametrize("make, kind", [
    (lambda: Run("fold"), pintle.InvalidArgument), (lambda: Run.all_reduce(None, op="add"), pintle.InvalidArgument),
    (lambda: Run.all_reduce(None, algorithm="fast"), pintle.InvalidArgument), (lambda: Run.broadcast(None, -1), pintle.InvalidArgument),
    (lambda: Run.broadcast(None, 1 << 32), pintle.InvalidArgument), (lambda: Run.broadcast(None, "x"), TypeError),
    (lambda: pintle.Group.threads(0), pintle.InvalidArgument), (lambda: pintle.Group.threads(1025), pintle.InvalidArgument),
    (lambda: pintle.group("pigeon"), pintle.InvalidArgument)])
def test_wrong_groups_are_refused(make, kind):
    with pytest.raises(kind):
        make()


def test_a_process_alone_is_a_group_of_one():
    with pintle.group(label="alone") as group:
        values = np.ones(4, np.float32)
        group.run(Run.all_reduce(values))
        assert (group.rank, group.ranks) == (0, 1) and values.tolist() == [1] * 4
    with pytest.raises(pintle.Stale):
        group.run(Run.barrier())


def test_collectives_follow_points_on_a_device(device, saxpy):
    def body(group):
        queue, collectives = device.queue(), group.queue(device)
        gradients, sums = device.empty(1000), device.buffer(np.ones(1000, np.float32))
        made = queue.submit(pintle.fill(gradients, float(group.rank + 1)))
        reduced = collectives.submit(Run.all_reduce(gradients), after=[made])
        queue.launch(saxpy, 2.0, gradients, sums, 1000, items=1000, after=[reduced])
        assert collectives.last() == reduced and reduced.value == 1
        result = sums.numpy()
        collectives.close()
        group.run(Run.barrier())  # the group is free again
        return set(result.tolist())
    assert on_ranks(body, 2) == [{7.0}] * 2


def test_views_and_buffers_are_kept_until_the_point(device):
    def body(group):
        queue, collectives = device.queue(), group.queue(device)
        gate, everything = pintle.Signal(), device.buffer(np.zeros(8, np.int32))
        done = collectives.submit(Run.all_gather(everything, device.buffer(np.full(4, group.rank + 1, np.int32))), after=[gate.point(1)])
        part = collectives.submit(Run.broadcast(everything[0:2], 1), signal=[gate.point(2)])
        gate.set(1)
        done.wait(30)
        part.wait(30)
        gate.point(2).wait(30)
        queue.submit().wait(30)
        result = everything.numpy().tolist()
        collectives.close()
        return result
    assert on_ranks(body, 2) == [[1, 1, 1, 1, 2, 2, 2, 2]] * 2


def test_a_queue_of_collectives_refuses_mistakes(cpu):
    def body(group):
        with group.queue(cpu) as collectives:
            buffer = cpu.buffer(np.ones(4, np.float32))
            for use, kind in ((lambda: collectives.submit(Run.all_reduce(np.ones(4, np.float32))), TypeError), (lambda: collectives.submit(3), TypeError),
                              (lambda: collectives.submit(Run.all_reduce(buffer, cpu.empty(3))), pintle.InvalidArgument),
                              (lambda: collectives.submit(Run.all_reduce(pintle.open("null").empty(4))), pintle.InvalidArgument),
                              (lambda: collectives.submit(Run.barrier(), after=3), TypeError), (lambda: group.run(Run.barrier()), pintle.InvalidArgument),
                              (lambda: group.queue(cpu), pintle.InvalidArgument)):
                with pytest.raises(kind):
                    use()
            dead = cpu.empty(4)
            dead.close()
            with pytest.raises(pintle.Stale):
                collectives.submit(Run.all_reduce(dead))
            collectives.submit(Run.all_reduce(buffer)).wait(30)
            assert (buffer.numpy() == 2).all()
            collectives.submit(Run.barrier()).wait(30)
        with pytest.raises(pintle.Stale):
            collectives.submit(Run.barrier())
        return True
    assert on_ranks(body, 2) == [True, True]


def test_a_point_of_a_group_fails_with_its_operation(cpu):
    def body(group):
        collectives = group.queue(cpu)
        gate = pintle.Signal()
        done = collectives.submit(Run.barrier(), after=[gate.point(1)])
        gate.fail("nobody comes")
        with pytest.raises(pintle.Cancelled):
            done.wait(30)
        collectives.close()
        return True
    assert on_ranks(body, 2) == [True, True]


def test_ranks_put_into_each_others_memory():
    def body(group):
        heap = group.heap(1 << 16, label="caches")
        buffer, signals = heap.allocate((5, 50)), heap.allocate_signals(2)
        right, left = (group.rank + 1) % group.ranks, (group.rank - 1) % group.ranks
        assert (heap.residence, heap.residence_detail, heap.nbytes) == ("host", "", 1 << 16) and heap.free_bytes < heap.nbytes
        assert (buffer.shape, buffer.nbytes, buffer.dtype) == ((5, 50), 1000, "f32") and buffer.offset % 64 == 0
        with pytest.raises(pintle.Timeout):
            heap.wait_signal(signals, 1, timeout=0.02)
        heap.barrier()
        heap.put(buffer, right, np.full((5, 50), group.rank, np.float32), signals=signals, index=1, value=5)
        heap.wait_signal(signals, 5, index=1, from_rank=left, timeout=30)
        assert heap.signal_value(signals, 1) == 5 and (heap.get(buffer) == left).all()
        heap.barrier()
        heap.put(buffer, group.rank, np.full(250, 10 + group.rank, np.float32))
        heap.fence()
        heap.flush()
        heap.barrier()
        assert (heap.get(buffer, left) == 10 + left).all()
        heap.raise_signal(signals, right, 3)
        heap.wait_signal(signals, 3, timeout=30)
        for use, kind in ((lambda: heap.put(buffer, 9, np.zeros(250, np.float32)), pintle.InvalidArgument), (lambda: heap.get(buffer, 9), pintle.InvalidArgument),
                          (lambda: heap.put(buffer, 0, np.zeros(249, np.float32)), pintle.InvalidArgument), (lambda: heap.put(buffer, 0, np.zeros(250)), pintle.InvalidArgument),
                          (lambda: heap.on_device(buffer), pintle.InvalidArgument), (lambda: heap.signal_value(signals, 2), pintle.InvalidArgument),
                          (lambda: heap.get(3), TypeError)):
            with pytest.raises(kind):
                use()
        heap.free(buffer)
        heap.free(signals)
        with pytest.raises(pintle.Stale):
            heap.get(buffer)
        assert heap.free_bytes == heap.nbytes
        heap.close()
        with pytest.raises(pintle.Stale):
            heap.allocate(4)
        return True
    assert on_ranks(body, 2) == [True, True]


def test_puts_and_gets_run_beside_their_rank():
    def body(group):
        heap = group.heap(1 << 16)
        buffer, signals, gate = heap.allocate(100), heap.allocate_signals(1), pintle.Signal()
        right, left = (group.rank + 1) % group.ranks, (group.rank - 1) % group.ranks
        heap.put(buffer, group.rank, np.zeros(100, np.float32))
        heap.barrier()
        sent, got = np.full(100, group.rank + 1, np.float32), np.empty(100, np.float32)
        put = heap.put_async(buffer, right, sent, signals=signals, value=7, after=[gate.point(1)])
        get = heap.get_async(got, buffer, right)
        assert not put.reached and not get.reached
        with pytest.raises(pintle.Timeout):
            put.wait(0.02)
        gate.set(1)
        get.wait(30)
        assert put.reached and (got == group.rank + 1).all()
        heap.wait_signal(signals, 7, from_rank=left, timeout=30)
        assert (heap.get(buffer) == left + 1).all()
        heap.barrier()
        heap.put_async(buffer, right, np.full(100, 9, np.float32)).wait(30)
        heap.barrier()
        assert (heap.get(buffer) == 9).all()
        heap.close()
        with pytest.raises(pintle.Stale):
            put.wait(0.1)
        return True
    assert on_ranks(body, 2) == [True, True]


def test_an_asynchronous_put_that_fails_fails_those_behind_it_until_a_flush():
    def body(group):
        heap = group.heap(1 << 12)
        buffer, gate, values = heap.allocate(10), pintle.Signal(), np.ones(10, np.float32)
        first = heap.put_async(buffer, group.rank, values, after=[gate.point(1)])
        behind = heap.put_async(buffer, group.rank, values)
        gate.fail("no more", pintle.Cancelled)  # behind both: one that begins later may raise at once
        for point in (first, behind):
            with pytest.raises(pintle.Cancelled, match="no more"):
                point.wait(30)
        with pytest.raises(pintle.Cancelled, match="no more"):
            heap.flush()
        heap.put_async(buffer, group.rank, values).wait(30)
        late = heap.put_async(buffer, group.rank, values, after=[pintle.Signal().point(1)], timeout=0.02)
        with pytest.raises(pintle.Timeout):
            late.wait(30)
        return True
    assert on_ranks(body, 1) == [True]


def test_an_asynchronous_call_keeps_its_array_until_the_point():
    def body(group):
        heap = group.heap(1 << 12)
        buffer, gate, values = heap.allocate(10), pintle.Signal(), np.ones(10, np.float32)
        before = sys.getrefcount(values)
        point = heap.put_async(buffer, group.rank, values, after=[gate.point(1)])
        assert sys.getrefcount(values) > before
        gate.set(1)
        point.wait(30)
        heap.put_async(buffer, group.rank, np.zeros(10, np.float32)).wait(30)  # gives back what is done
        assert sys.getrefcount(values) == before
        readonly = np.zeros(10, np.float32)
        readonly.flags.writeable = False
        for use, kind in ((lambda: heap.put_async(buffer, 3, values), pintle.InvalidArgument), (lambda: heap.put_async(buffer, 0, values[:9]), pintle.InvalidArgument),
                          (lambda: heap.put_async(buffer, 0, values.astype(np.int32)), pintle.InvalidArgument), (lambda: heap.get_async(readonly, buffer), BufferError),
                          (lambda: heap.get_async(values[::2], buffer), pintle.InvalidArgument), (lambda: heap.get_async(values, 3), TypeError),
                          (lambda: heap.put_async(buffer, 0, values, signals=3), TypeError), (lambda: heap.put_async(buffer, 0, values, after=[3]), TypeError)):
            with pytest.raises(kind):
                use()
        return True
    assert on_ranks(body, 1) == [True]


def test_what_asynchronous_calls_have_kept_goes():
    failed = []

    def body(group):
        heap, gate = group.heap(1 << 12), pintle.Signal()
        buffer, values = heap.allocate(10), np.ones(10, np.float32)
        alone = sys.getrefcount(values)
        heap.put_async(buffer, group.rank, values)
        heap.flush()
        assert sys.getrefcount(values) == alone
        kept = np.ones(10, np.float32)
        failed.append(weakref.ref(kept))
        heap.put_async(buffer, group.rank, kept, after=[gate.point(1)])
        gate.fail("no more", pintle.Cancelled)
        with pytest.raises(pintle.Cancelled):
            heap.flush()
        del kept
        heap.put_async(buffer, group.rank, values).wait(30)
        heap.close()
        assert sys.getrefcount(values) == alone
        return True
    assert on_ranks(body, 1) == [True]
    for _ in range(1000):  # what is dropped on another thread goes on this one
        if failed[0]() is None:
            break
        time.sleep(0.01)
    assert failed[0]() is None


def test_threads_take_turns_with_a_heap():
    def body(group):
        heap = group.heap(1 << 16)
        buffers, values = [heap.allocate(64) for _ in range(4)], [np.full(64, i + 1, np.float32) for i in range(4)]

        def work(i):
            for turn in range(100):
                done = heap.put_async(buffers[i], group.rank, values[i])
                heap.put(buffers[i], group.rank, values[i])
                assert heap.get(buffers[i])[0] == i + 1 and heap.free_bytes < heap.nbytes and buffers[i].nbytes == 256
                if turn % 25 == i:
                    heap.flush(timeout=30)
                    heap.fence(timeout=30)
            done.wait(30)
        together(work, 4)
        heap.flush(timeout=30)
        return [heap.get(each).tolist() for each in buffers] == [each.tolist() for each in values]
    assert on_ranks(body, 1) == [True]


def test_asynchronous_calls_of_threads_have_points_of_their_own():
    """Also over a failure, after which the heap begins another timeline."""
    def body(group):
        heap = group.heap(1 << 16)
        buffer, values = heap.allocate(16), np.ones(16, np.float32)

        def work(i):
            for turn in range(50):
                gone = pintle.Signal()
                gone.fail("no more")
                if turn % 10 == i:
                    with pytest.raises(pintle.Cancelled):
                        heap.put_async(buffer, group.rank, values, after=[gone.point(1)]).wait(30)
                try:
                    heap.put_async(buffer, group.rank, values).wait(30)
                except pintle.Cancelled:  # it was behind one that has failed
                    pass
                try:
                    heap.flush(timeout=30)
                except pintle.Cancelled:
                    pass
        together(work, 4)
        try:
            heap.flush(timeout=30)
        except pintle.Cancelled:
            pass
        heap.put_async(buffer, group.rank, values).wait(30)
        return bool((heap.get(buffer) == 1).all())
    assert on_ranks(body, 1) == [True]


def test_who_waits_for_a_signal_leaves_turns_to_others():
    def body(group):
        heap = group.heap(1 << 12)
        buffer, signals = heap.allocate(16), heap.allocate_signals(1)

        def work(i):
            if i == 0:
                heap.wait_signal(signals, 1, timeout=60)
                return
            for _ in range(10):
                heap.put(buffer, group.rank, np.ones(16, np.float32))
            heap.raise_signal(signals, group.rank, 1)
        together(work, 2)
        return heap.signal_value(signals)
    assert on_ranks(body, 1) == [1]


def test_threads_take_turns_with_a_group_and_its_heap():
    def body(group):
        heap, values = group.heap(1 << 12), np.ones(4, np.float32)
        buffer = heap.allocate(4)

        def work(i):
            for _ in range(50):
                if i == 0:
                    group.run(Run.all_reduce(values))
                elif i == 1:
                    heap.put(buffer, group.rank, np.ones(4, np.float32))
                    heap.barrier(timeout=30)
                else:
                    assert group.statistics.operations >= 0
                    group.health()
        together(work, 3)
        return group.statistics.operations >= 50
    assert on_ranks(body, 1) == [True]


def test_a_heap_is_closed_while_others_use_it():
    def body(group):
        for _ in range(5):
            heap = group.heap(1 << 12)
            buffer, values = heap.allocate(16), np.ones(16, np.float32)

            def work(i, heap=heap, buffer=buffer, values=values):
                try:
                    for turn in range(50):
                        if i == 0 and turn == 10:
                            heap.close()
                        heap.put_async(buffer, group.rank, values)
                except pintle.Stale:
                    pass
            together(work, 3)
        return True
    assert on_ranks(body, 1) == [True]


def test_a_heap_is_memory_of_a_device(device, saxpy):
    def body(group):
        queue, heap = device.queue(), group.heap(1 << 16, device=device)
        buffer, x = heap.allocate(1000), device.buffer(np.full(1000, 3, np.float32))
        heap.put(buffer, (group.rank + 1) % group.ranks, np.full(1000, group.rank, np.float32))
        heap.barrier()
        ready = heap.to_device(buffer, queue)
        queue.launch(saxpy, 2.0, x, heap.on_device(buffer), 1000, items=1000, after=[ready])
        heap.from_device(buffer, queue).wait(30)
        heap.barrier()
        theirs = heap.get(buffer, 1 - group.rank)
        assert heap.residence in ("in_place", "staged") and (heap.on_device(buffer).numpy() == 6 + 1 - group.rank).all()
        heap.barrier()
        heap.close()
        return set(theirs.tolist())
    assert on_ranks(body, 2) == [{6.0}, {7.0}]


def test_processes_are_ranks():
    """As `pintle launch` starts them, which the build has beside the package."""
    command = os.environ.get("PINTLE", Path(pintle.__file__).parents[2] / "bin" / "pintle")
    code = ("import numpy as np, pintle\nwith pintle.group() as group:\n    values = np.full(3, group.rank + 1, np.float32)\n"
            "    group.run(pintle.Collective.all_reduce(values))\n    assert values.tolist() == [6.0] * 3 and group.transport == 'shm', values\n")
    done = subprocess.run([command, "launch", "-n", "3", sys.executable, "-B", "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_processes_are_ranks_of_mpi():
    """As mpirun starts them, over the build's plug-in for MPI. tools/try_packages.sh does the same with the wheel's."""
    launcher = shutil.which("mpirun")
    if launcher is None or "PINTLE_MPI_PLUGIN" not in os.environ:
        pytest.skip("mpirun or the plug-in is not there (packages openmpi-bin and libopenmpi-dev)")
    code = ("import numpy as np, pintle\nwith pintle.group() as group:\n    values = np.full(3, group.rank + 1, np.float32)\n"
            "    group.run(pintle.Collective.all_reduce(values))\n    assert values.tolist() == [3.0] * 3 and group.transport == 'mpi', values\n")
    done = subprocess.run([launcher, "--allow-run-as-root", "--oversubscribe", "-n", "2", sys.executable, "-B", "-c", code], capture_output=True, text=True, timeout=90)
    assert done.returncode == 0, done.stderr


def test_a_rank_that_is_late_times_out():
    code = """
    first, second = pintle.Group.threads(2)
    try:
        first.run(pintle.Collective.barrier(), timeout=0.05)
    except pintle.Timeout as error:
        print("1" in str(error))
    """
    assert child.passes(code) == "True\n"
