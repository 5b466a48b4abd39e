"""Plans and arenas: where values lie, and whole values that are fed and read."""

import gc

import numpy as np
import pytest

import child
import pintle

COUNT = 1000


def problem(device, **more):
    """Two values of COUNT elements that are in use at different times, and one that lives throughout."""
    at = device.info.offset_alignment
    return pintle.PlanProblem([pintle.PlanValue("x", 2 * COUNT, alignment=at, lower=0, upper=1), pintle.PlanValue("y", 4 * COUNT, alignment=at, lower=1, upper=2),
                               pintle.PlanValue("state", 4 * COUNT, alignment=at, persistent=True)], **more)


def arena_of(device):
    return device.arena(problem(device).lay_out(), {"x": ("f16", COUNT), "y": ("f32", (10, COUNT // 10)), "state": ("f32", COUNT)}, label="step")


def test_a_plan_knows_its_places(cpu):
    its = problem(cpu)
    plan = its.lay_out()
    its.check(plan)
    assert list(plan) == ["x", "y", "state"] and len(plan) == 3 and "y" in plan and "z" not in plan
    assert plan.total >= plan.lower_bound > 0 and plan.is_optimal == (plan.total == plan.lower_bound)
    assert sum(plan.chunks) == plan.total and len(plan.chunks) == 1
    y = plan["y"]
    assert (y.name, y.nbytes, y.assignment, y.chunk) == ("y", 4 * COUNT, "planned", 0) and y.offset % cpu.info.offset_alignment == 0
    assert plan["x"].offset == y.offset  # in use at different times
    assert plan.get("z") is None and plan.get("x") == plan["x"]
    with pytest.raises(pintle.NotFound):
        plan["z"]


def test_a_plan_is_text_and_a_picture(cpu):
    its = problem(cpu)
    plan = its.lay_out(nodes=1000)
    again = pintle.parse_plan(str(plan))
    assert str(again) == str(plan) and again["state"] == plan["state"]
    its.check(again)
    assert "<svg" in its.picture(plan)
    with pytest.raises(pintle.InvalidArgument):
        pintle.parse_plan("nonsense")


def test_a_plan_may_be_made_by_hand():
    places = [pintle.PlannedValue("a", 64, 64, "planned", 0, 0), pintle.PlannedValue("b", 64, 64, "planned", 0, 64)]
    plan = pintle.Plan.create(places, [128])
    assert plan["b"].offset == 64 and plan.total == 128
    apart = pintle.PlanProblem([pintle.PlanValue("a", 64, alignment=64, upper=2), pintle.PlanValue("b", 64, alignment=64, upper=2)])
    apart.check(plan)
    with pytest.raises(pintle.InvalidArgument) as caught:
        apart.check(pintle.Plan.create([places[0], pintle.PlannedValue("b", 64, 64, "planned", 0, 0)], [64]))
    assert '"a"' in str(caught.value) and '"b"' in str(caught.value)


def test_problems_have_rules():
    value = pintle.PlanValue
    fixed = pintle.PlanProblem([value("a", 64, at=(0, 128)), value("b", 64)]).lay_out()
    assert fixed["a"].offset == 128 and fixed["a"].assignment == "fixed"
    outside = pintle.PlanProblem([value("a", 64, external=True), value("b", 64)]).lay_out()
    assert outside["a"].assignment == "external" and outside.total == 64
    in_place = pintle.PlanProblem([value("a", 64, lower=0, upper=2), value("b", 64, lower=1, upper=3)], in_place=[("a", "b")]).lay_out()
    assert in_place["a"].offset == in_place["b"].offset and in_place.total == 64
    steps = pintle.PlanProblem([value("a", 64, uses=[0]), value("b", 64, uses=[1]), value("c", 64, uses=[2])], steps=3, before=[(0, 1)]).lay_out()
    assert steps.total == 128  # the third step may come at any time
    chunks = pintle.PlanProblem([value("a", 64, upper=2), value("b", 64, upper=2)], largest_chunk=64).lay_out(nodes=1000)
    assert chunks.chunks == (64, 64)


@pytest.mark.parametrize("make, kind", [
    (lambda: pintle.PlanValue("a", -1), pintle.InvalidArgument), (lambda: pintle.PlanValue("a", 1.5), TypeError),
    (lambda: pintle.PlanProblem([pintle.PlanValue("a", 8, alignment=3)]).lay_out(), pintle.InvalidArgument),
    (lambda: pintle.PlanProblem([pintle.PlanValue("a", 8), pintle.PlanValue("a", 8)]).lay_out(), pintle.InvalidArgument),
    (lambda: pintle.PlanProblem([pintle.PlanValue("a", 8)], in_place=[("a", "b")]), pintle.InvalidArgument),
    (lambda: pintle.PlanProblem([pintle.PlanValue("a", 8, uses=[0])], steps=2, before=[(0, 1), (1, 0)]).lay_out(), pintle.InvalidArgument),
    (lambda: pintle.PlanProblem([3]), TypeError), (lambda: pintle.PlanValue("a", 8, at=(0, 0), external=True), pintle.InvalidArgument),
    (lambda: pintle.Plan.create([pintle.PlannedValue("a", 64, 1, "somewhere", 0, 0)], [64]), pintle.InvalidArgument)])
def test_problems_that_cannot_be_are_refused(make, kind):
    with pytest.raises(kind):
        make()


def test_values_are_fed_and_read(device):
    queue, arena = device.queue(), arena_of(device)
    x, y = np.arange(COUNT, dtype=np.float16), np.arange(COUNT, dtype=np.float32).reshape(10, -1)
    assert arena.value("y").shape == (10, 100) and arena.value("x").dtype == "f16" and arena.value("y").name == "y"
    fed = arena.feed(queue, "x", x)
    x[:] = 0  # the call has read it
    assert (arena.read(queue, "x") == np.arange(COUNT)).all()
    arena.feed(queue, "y", y).wait(30)
    read = arena.read(queue, "y")
    assert read.shape == (10, 100) and read.dtype == np.float32 and (read == y).all()
    assert isinstance(fed, pintle.Point) and fed.reached


def test_values_are_converted_on_the_way(device):
    queue, arena = device.queue(), arena_of(device)
    wide = np.linspace(-4, 4, COUNT, dtype=np.float32)
    arena.feed(queue, "x", wide, convert=pintle.Conversion())
    assert (arena.read(queue, "x") == wide.astype(np.float16)).all()
    back = arena.read(queue, "x", "f64", convert=pintle.Conversion())
    assert back.dtype == np.float64 and (back == wide.astype(np.float16)).all()
    huge = np.full(COUNT, 1e6, np.float32)
    arena.feed(queue, "x", huge, convert=pintle.Conversion(overflow="saturate"))
    assert (arena.read(queue, "x") == np.float16(65504)).all()
    with pytest.raises(pintle.InvalidArgument):
        arena.feed(queue, "x", huge, convert=pintle.Conversion(overflow="error"))
    assert (arena.read(queue, "x") == np.float16(65504)).all()  # nothing was written


def test_bits_stand_for_what_numpy_does_not_have(device):
    queue = device.queue()
    plan = pintle.Plan.create([pintle.PlannedValue("h", 2 * COUNT, 1, "planned", 0, 0)], [2 * COUNT])
    arena = device.arena(plan, {"h": ("bf16", COUNT)})
    bits = np.full(COUNT, 0x3fc0, np.uint16)  # 1.5
    arena.feed(queue, "h", bits)
    assert (arena.read(queue, "h") == bits).all() and (arena.read(queue, "h", "f32", convert=pintle.Conversion()) == 1.5).all()
    arena.feed(queue, "h", np.full(COUNT, 2.5, np.float32), convert=pintle.Conversion(rounding="toward_zero"))
    assert (arena.read(queue, "h", "f32", convert=pintle.Conversion()) == 2.5).all()
    wide = device.arena(pintle.Plan.create([pintle.PlannedValue("w", 4 * COUNT, 1, "planned", 0, 0)], [4 * COUNT]), {"w": ("f32", COUNT)})
    wide.feed(queue, "w", bits, "bf16", convert=pintle.Conversion())
    assert (wide.read(queue, "w") == 1.5).all()


def test_kernels_take_views(device, saxpy):
    queue, arena = device.queue(), arena_of(device)
    arena.feed(queue, "y", np.full((10, 100), 3, np.float32))
    arena.feed(queue, "state", np.ones(COUNT, np.float32))
    queue.launch(saxpy, 2.0, arena.view("y"), arena.view("state"), COUNT, items=COUNT)
    assert (arena.read(queue, "state") == 7).all()
    assert (arena.view("state").numpy() == 7).all()  # waits for what uses it, through any view
    out = np.zeros(COUNT, np.float32)
    queue.submit(pintle.fill(arena.view("state"), 2.0), pintle.download(out, arena.view("state"))).wait(30)
    assert (out == 2).all()


def test_a_large_value_goes_straight_to_the_memory(device):
    count = 1 << 17  # 512 KiB: more than is staged
    plan = pintle.PlanProblem([pintle.PlanValue("big", 4 * count)]).lay_out()
    queue, arena = device.queue(), device.arena(plan, {"big": ("i32", count)}, placement="host")
    numbers = np.arange(count, dtype=np.int32)
    arena.feed(queue, "big", numbers)
    assert (arena.read(queue, "big") == numbers).all()


def test_views_keep_the_memory_and_close_ends_it(cpu):
    queue, arena = cpu.queue(), arena_of(cpu)
    arena.feed(queue, "state", np.ones(COUNT, np.float32))
    view = arena.view("state")
    del arena
    gc.collect()
    assert (view.numpy() == 1).all()
    with arena_of(cpu) as arena:
        view = arena.view("state")
    assert arena.closed
    with pytest.raises(pintle.Stale):
        queue.submit(pintle.fill(view, 1.0))
    for use in (lambda: arena.view("state"), lambda: arena.read(queue, "state"), lambda: arena.feed(queue, "x", np.zeros(COUNT, np.float16))):
        with pytest.raises(pintle.Stale):
            use()
    arena.close()


def test_a_part_of_an_arena_is_not_freed_sealed_or_forked(cpu):
    queue, arena = cpu.queue(), arena_of(cpu)
    buffer = arena.view("state").buffer
    for use in (lambda: queue.free(buffer), buffer.seal, lambda: queue.fork(buffer)):
        with pytest.raises(pintle.InvalidArgument):
            use()
    arena.feed(queue, "state", np.full(COUNT, 4, np.float32))
    assert (arena.read(queue, "state") == 4).all()


@pytest.mark.parametrize("array, words", [
    (np.zeros(COUNT, np.float64), ("f64", "f32")), (np.zeros(COUNT - 1, np.float32), (str(COUNT - 1), str(COUNT))),
    (np.zeros(COUNT + 1, np.float32), (str(COUNT + 1), str(COUNT))), (np.zeros(2 * COUNT, np.float32)[::2], ("8",)), (np.zeros(COUNT, np.uint16), ("u16", "f32"))])
def test_an_array_that_does_not_fit_is_not_fed(cpu, array, words):
    queue, arena = cpu.queue(), arena_of(cpu)
    arena.feed(queue, "state", np.ones(COUNT, np.float32))
    with pytest.raises(pintle.InvalidArgument) as caught:
        arena.feed(queue, "state", array)
    assert all(each in str(caught.value) for each in words)
    assert (arena.read(queue, "state") == 1).all()


def test_wrong_calls_have_their_errors(cpu):
    queue, arena, other = cpu.queue(), arena_of(cpu), pintle.open("null")
    zeros = np.zeros(COUNT, np.float32)
    for kind, use in ((pintle.NotFound, lambda: arena.view("z")), (pintle.NotFound, lambda: arena.feed(queue, "z", zeros)),
                      (pintle.NotFound, lambda: arena.read(queue, "z")), (pintle.InvalidArgument, lambda: arena.read(queue, "state", "f64")),
                      (pintle.InvalidArgument, lambda: arena.feed(other.queue(), "state", zeros)),
                      (pintle.InvalidArgument, lambda: arena.read(other.queue(), "state")), (TypeError, lambda: arena.feed(None, "state", zeros)),
                      (TypeError, lambda: arena.read(cpu, "state")), (TypeError, lambda: arena.feed(queue, "state", 3)),
                      (TypeError, lambda: arena.feed(queue, "state", zeros, convert=True)), (TypeError, lambda: arena.view(3)),
                      (pintle.InvalidArgument, lambda: pintle.Conversion(rounding="up")), (pintle.InvalidArgument, lambda: pintle.Conversion(seed=-1))):
        with pytest.raises(kind):
            use()


def test_an_arena_fits_its_plan(cpu):
    plan = problem(cpu).lay_out()
    plan.can_fit(cpu)
    assert plan.requirements(cpu).total == plan.total == cpu.arena(plan).requirements.total
    assert cpu.arena(plan).value("x").dtype == "u8"  # a value that is not described is bytes
    for values, kind in (({"z": ("f32", 4)}, pintle.NotFound), ({"x": ("f32", COUNT)}, pintle.InvalidArgument),
                         ({"x": ("f31", COUNT)}, pintle.InvalidArgument), ({"x": ("u8", (1,) * 9)}, pintle.InvalidArgument)):
        with pytest.raises(kind):
            cpu.arena(plan, values)
    with pytest.raises(TypeError):
        cpu.arena("plan")
    with pytest.raises(pintle.InvalidArgument):
        cpu.arena(pintle.PlanProblem([pintle.PlanValue("a", 8, alignment=1 << 20)]).lay_out())
    plan.close()
    with pytest.raises(pintle.Stale):
        cpu.arena(plan)


def test_a_read_waits_for_its_queue_alone(cpu, gate):
    queue, arena = cpu.queue(), arena_of(cpu)
    arena.feed(queue, "state", np.ones(COUNT, np.float32))
    queue.submit(pintle.fill(arena.view("state"), 2.0), after=[gate.point(1)])
    with pytest.raises(pintle.Timeout):
        arena.read(queue, "state", timeout=0.05)
    with pytest.raises(pintle.Timeout):
        arena.view("state").numpy(timeout=0.05)
    gate.set(1)
    assert (arena.read(queue, "state") == 2).all()


def test_a_simulated_device_has_arenas():
    device = pintle.open("null")
    queue, arena = device.queue(), arena_of(device)
    arena.feed(queue, "x", np.ones(COUNT, np.float16)).wait(30)
    assert arena.read(queue, "x").shape == (COUNT,)


def test_control_c_interrupts_a_read():
    code = """
    import signal, threading
    device, kernel, x, y, queue = ready()
    plan = pintle.PlanProblem([pintle.PlanValue("v", 4000)]).lay_out()
    arena, gate = device.arena(plan, {"v": ("f32", 1000)}), pintle.Signal()
    queue.submit(pintle.fill(arena.view("v"), 1.0), after=[gate.point(1)])
    threading.Timer(0.2, signal.raise_signal, (signal.SIGINT,)).start()
    try:
        arena.read(queue, "v", timeout=50)
    except KeyboardInterrupt:
        print("interrupted")
    gate.set(1)
    print(arena.read(queue, "v")[0])
    """
    assert child.passes(code) == "interrupted\n1.0\n"
