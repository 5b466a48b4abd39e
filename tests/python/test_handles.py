"""Handles: state that stays, what comes back after a loss, and sets of them in files."""

import gc

import numpy as np
import pytest

import child
import pintle
from together import together

COUNT = 1000
LOST = "faulty(cpu)?call=submit&ordinal=1&code=device_lost"


def full(value, dtype=np.float32):
    return np.full(COUNT, value, dtype)


def test_a_handle_is_written_used_and_read(device, saxpy):
    queue, x = device.queue(), device.buffer(full(3))
    kv = pintle.Handle(device, "kv", (8, 125))
    assert (kv.name, kv.dtype, kv.shape, kv.nbytes, kv.keep, kv.stale, kv.generation) == ("kv", "f32", (8, 125), 4000, "lost", False, device.generation)
    values = full(1).reshape(8, 125)
    written = kv.write(queue, values)
    values[:] = 0  # the call has read it
    queue.launch(saxpy, 2.0, x, kv.view(), COUNT, items=COUNT)
    assert kv.view().numpy().shape == (8, 125) and (kv.view().numpy() == 7).all() and written.reached
    assert "kv" in repr(kv)


def test_the_back_becomes_the_front(device, saxpy):
    queue = device.queue()
    state = pintle.Handle(device, "state", COUNT)
    with pytest.raises(pintle.InvalidArgument):
        state.flip()
    state.write(queue, full(1))
    for _ in range(5):
        queue.submit(pintle.copy(state.next(), state.view()), saxpy.command(1.0, state.view(), state.next(), COUNT, items=COUNT))
        before = state.view()
        state.flip()
        assert before.buffer is state.next().buffer and before.buffer is not state.view().buffer
    assert (state.view().numpy() == 32).all() and (state.next().numpy() == 16).all()


def test_a_checkpoint_comes_back(device):
    queue = device.queue()
    kv = pintle.Handle(device, "kv", COUNT, keep="host_shadow")
    kv.write(queue, full(1))
    queue.submit(pintle.fill(kv.view(), 2.0))
    kv.checkpoint(queue)
    queue.submit(pintle.fill(kv.view(), 3.0))
    kv.restore(queue)
    assert (kv.view().numpy() == 2).all()


def test_a_function_fills(device):
    asked = []

    def fill(values):
        asked.append((values.shape, values.dtype, values.sum()))
        values[:] = len(asked)
    queue, weights = device.queue(), pintle.Handle(device, "weights", (10, 100), "f64", keep=fill)
    assert weights.keep == "refill" and not asked
    for number in (1, 2):
        weights.restore(queue)
        assert (weights.view().numpy() == number).all()
    assert asked == [((10, 100), np.dtype("f8"), 0)] * 2


def test_a_function_may_use_the_queue_and_raise(cpu):
    class Refused(Exception):
        pass
    queue, other = cpu.queue(), cpu.buffer(full(5))

    def fill(values):
        if values.size == 4:
            raise Refused("no")
        queue.submit(pintle.download(values, other)).wait(30)
    weights = pintle.Handle(cpu, "weights", COUNT, keep=fill)
    weights.restore(queue).wait(30)
    assert (weights.view().numpy() == 5).all()
    bad = pintle.Handle(cpu, "bad", 4, keep=fill)
    with pytest.raises(Refused):
        bad.restore(queue)
    with pytest.raises(Refused):
        pintle.HandleSet([bad]).restore(queue)


def lost():
    """A device whose generation has ended and begun again, with the handles that were on it."""
    device = pintle.open(LOST)
    handles = [pintle.Handle(device, "lost", COUNT), pintle.Handle(device, "weights", COUNT, keep=lambda values: values.fill(9)),
               pintle.Handle(device, "shadow", COUNT, keep="host_shadow")]
    views = [each.view() for each in handles]
    with pytest.raises(pintle.DeviceLost):
        device.queue().submit().wait(30)
    device.recover()
    return device, handles, views


def test_after_a_loss_a_handle_is_stale_until_it_is_back():
    device, (gone, weights, shadow), views = lost()
    queue = device.queue()
    assert gone.stale and weights.stale and shadow.stale and gone.generation < device.generation
    for use in (gone.next, gone.flip, lambda: gone.restore(queue), lambda: shadow.restore(queue), lambda: queue.submit(pintle.fill(views[0], 1.0))):
        with pytest.raises(pintle.Stale):
            use()
    weights.restore(queue)
    assert not weights.stale and (weights.view().numpy() == 9).all() and weights.view().buffer is not views[1].buffer
    gone.renew()
    assert not gone.stale and gone.generation == device.generation
    gone.write(queue, full(1))
    shadow.write(queue, full(2))
    assert (gone.view().numpy() == 1).all() and (shadow.view().numpy() == 2).all()


def test_a_set_goes_back_as_one():
    device, (gone, weights, shadow), _ = lost()
    queue, model = device.queue(), pintle.HandleSet([gone, weights, shadow])
    assert set(model.lost()) == {"lost", "shadow"}  # nothing was ever written
    with pytest.raises(pintle.Stale) as caught:
        model.restore(queue)
    assert "lost" in str(caught.value) and "shadow" in str(caught.value) and weights.stale
    gone.renew()
    shadow.write(queue, full(4)).wait(30)
    queue.submit(pintle.fill(shadow.view(), 5.0))
    model.restore(queue).wait(30)
    assert model.lost() == () and (shadow.view().numpy() == 4).all() and (weights.view().numpy() == 9).all()


def test_a_set_knows_its_names(cpu):
    weights, moments = pintle.Handle(cpu, "weights", 4), pintle.Handle(cpu, "moments", 4)
    model = pintle.HandleSet([weights])
    model.add(moments)
    assert list(model) == ["moments", "weights"] and len(model) == 2 and model["weights"] is weights and "moments" in model
    assert model.get("x") is None and "moments" in repr(model)
    with pytest.raises(pintle.NotFound) as caught:
        model["weihgts"]
    assert "weights" in str(caught.value)
    for wrong, kind in ((weights, pintle.InvalidArgument), (pintle.Handle(cpu, "weights", 4), pintle.InvalidArgument), (3, TypeError)):
        with pytest.raises(kind):
            model.add(wrong)
    with pytest.raises(pintle.InvalidArgument):
        pintle.HandleSet().add(weights)


def test_a_set_is_saved_and_loaded(device, tmp_path):
    queue, path = device.queue(), tmp_path / "step.safetensors"
    bits = np.arange(64, dtype=np.uint16)
    model = pintle.HandleSet([pintle.Handle(device, "weights", (8, 8), "bf16"), pintle.Handle(device, "moments", COUNT, keep="host_shadow")])
    model["weights"].write(queue, bits)
    model["moments"].write(queue, full(3))
    model.checkpoint(queue)
    model.save(queue, path)
    again = pintle.HandleSet([pintle.Handle(device, "weights", (8, 8), "bf16"), pintle.Handle(device, "moments", COUNT)])
    again.load(queue, str(path))
    assert (again["weights"].view().numpy().reshape(-1) == bits).all() and (again["moments"].view().numpy() == 3).all()
    other = pintle.HandleSet([pintle.Handle(device, "moments", COUNT), pintle.Handle(device, "more", 4)])
    other["more"].write(queue, np.ones(4, np.float32))
    with pytest.raises(pintle.NotFound) as caught:
        other.load(queue, path)
    assert "more" in str(caught.value) and "weights" in str(caught.value)
    other.load(queue, path, reuse_last=["more"], ignore=["weights"])
    assert (other["moments"].view().numpy() == 3).all() and (other["more"].view().numpy() == 1).all()


def test_files_that_cannot_be_have_their_errors(cpu, tmp_path):
    queue, model = cpu.queue(), pintle.HandleSet([pintle.Handle(cpu, "weights", 4)])
    for use in (lambda: model.load(queue, tmp_path / "absent"), lambda: model.save(queue, tmp_path / "no" / "folder")):
        with pytest.raises(pintle.IOFailed):
            use()
    with pytest.raises(ValueError):
        model.save(queue, "a\0b")
    model.save(queue, tmp_path / "four")
    with pytest.raises(pintle.InvalidArgument):
        pintle.HandleSet([pintle.Handle(cpu, "weights", 5)]).load(queue, tmp_path / "four")


def test_a_view_keeps_the_memory_and_close_ends_it(cpu):
    queue, kv = cpu.queue(), pintle.Handle(cpu, "kv", COUNT)
    kv.write(queue, full(6))
    view = kv.view()
    del kv
    gc.collect()
    assert (view.numpy() == 6).all()
    with pintle.Handle(cpu, "kv", COUNT) as kv:
        view = kv.view()
    assert kv.closed
    for use in (kv.view, kv.flip, lambda: kv.write(queue, full(1)), lambda: queue.submit(pintle.fill(view, 1.0)), lambda: kv.generation):
        with pytest.raises(pintle.Stale):
            use()
    kv.close()


def test_the_memory_of_a_handle_in_a_set_stays_with_the_set(cpu):
    queue, model = cpu.queue(), pintle.HandleSet([pintle.Handle(cpu, "kv", COUNT)])
    model["kv"].write(queue, full(2))
    gc.collect()
    assert (model["kv"].view().numpy() == 2).all()
    with model:
        pass
    with pytest.raises(pintle.Stale):
        model.checkpoint(queue)


@pytest.mark.parametrize("arguments, options, kind", [
    (("", 4), {}, pintle.InvalidArgument), (("__metadata__", 4), {}, pintle.InvalidArgument), (("x", 0), {}, pintle.InvalidArgument),
    (("x", 4, "f31"), {}, pintle.InvalidArgument), (("x", 4), {"keep": "for ever"}, pintle.InvalidArgument), (("x", 4), {"keep": "refill"}, pintle.InvalidArgument),
    (("x", 4), {"keep": None}, pintle.InvalidArgument), (("x", 4), {"placement": "moon"}, pintle.InvalidArgument), ((3, 4), {}, TypeError), (("x", "y"), {}, TypeError)])
def test_wrong_handles_are_refused(cpu, arguments, options, kind):
    with pytest.raises(kind):
        pintle.Handle(cpu, *arguments, **options)


@pytest.mark.parametrize("array", [full(1, np.float64), np.ones(COUNT + 1, np.float32), np.ones(2 * COUNT, np.float32)[::2]])
def test_an_array_that_does_not_fit_is_not_written(cpu, array):
    queue, kv = cpu.queue(), pintle.Handle(cpu, "kv", COUNT)
    kv.write(queue, full(1))
    with pytest.raises(pintle.InvalidArgument):
        kv.write(queue, array)
    assert (kv.view().numpy() == 1).all()


def test_wrong_calls_have_their_errors(cpu):
    queue, kv = cpu.queue(), pintle.Handle(cpu, "kv", COUNT)
    for use, kind in ((lambda: kv.checkpoint(queue), pintle.InvalidArgument), (lambda: kv.restore(queue), pintle.InvalidArgument),
                      (lambda: kv.write(pintle.open("null").queue(), full(1)), pintle.InvalidArgument), (lambda: kv.write(None, full(1)), TypeError),
                      (lambda: kv.write(queue, 3), TypeError), (lambda: kv.write(queue, full(1), timeout=-1), pintle.InvalidArgument),
                      (lambda: queue.free(kv.view().buffer), pintle.InvalidArgument)):
        with pytest.raises(kind):
            use()


def test_a_second_checkpoint_waits_for_the_first(cpu, gate):
    queue, kv = cpu.queue(), pintle.Handle(cpu, "kv", COUNT, keep="host_shadow")
    queue.submit(after=[gate.point(1)])
    kv.checkpoint(queue)
    with pytest.raises(pintle.Timeout):
        kv.checkpoint(queue, timeout=0.05)
    gate.set(1)
    kv.checkpoint(queue).wait(30)


def test_control_c_interrupts_a_checkpoint():
    code = """
    import signal, threading
    device, kernel, x, y, queue = ready()
    kv, gate = pintle.Handle(device, "kv", 1000, keep="host_shadow"), pintle.Signal()
    queue.submit(after=[gate.point(1)])
    kv.checkpoint(queue)
    threading.Timer(0.2, signal.raise_signal, (signal.SIGINT,)).start()
    try:
        kv.checkpoint(queue, timeout=50)
    except KeyboardInterrupt:
        print("interrupted")
    gate.set(1)
    kv.checkpoint(queue).wait(30)
    """
    assert child.passes(code) == "interrupted\n"


def test_threads_share_a_set(cpu):
    model = pintle.HandleSet([pintle.Handle(cpu, f"h{i}", 256, keep="host_shadow") for i in range(4)])

    def work(number):
        queue, mine = cpu.queue(), model[f"h{number}"]
        for i in range(50):
            mine.write(queue, np.full(256, i, np.float32)).wait(30)
            assert (mine.view().numpy() == i).all()
            if i % 10 == 0:
                model.checkpoint(queue).wait(30)
    together(work, threads=4)


def test_a_simulated_device_has_handles():
    device = pintle.open("null")
    queue, kv = device.queue(), pintle.Handle(device, "kv", COUNT, keep="host_shadow")
    kv.write(queue, full(1)).wait(30)
    kv.checkpoint(queue).wait(30)
    assert kv.view().numpy().shape == (COUNT,)
