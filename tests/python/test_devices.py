"""Devices: the list with its absences, opening, facts and ends."""

import sys

import child
import pytest

import pintle


def test_the_list_has_the_cpu_once():
    listed = pintle.devices()
    assert [each.id for each in listed].count("cpu") == 1
    assert len(listed) == len(list(listed)) and listed[0] == next(iter(listed))


def test_an_absence_has_a_reason_and_a_next_step():
    listed = pintle.devices()
    assert isinstance(listed.absences, list)
    for absence in listed.absences:
        assert isinstance(absence, pintle.Absence) and absence.backend and absence.reason


def test_an_absent_driver_is_an_absence_in_the_table():
    out = child.passes("print(pintle.devices())\nprint([a.backend for a in pintle.devices().absences])", VK_DRIVER_FILES="/nonexistent.json",
                       VK_ICD_FILENAMES="/nonexistent.json", OCL_ICD_VENDORS="/nonexistent")
    table, backends = out.rsplit("\n", 2)[:2]
    assert "vulkan" in backends
    rows = [line for line in table.splitlines() if line.startswith("vulkan")]
    assert rows and all(len(row.split(None, 2)) == 3 for row in rows)


def test_the_table_names_each_device():
    listed = pintle.devices()
    for info in listed:
        assert info.id in str(listed) and info.name in str(listed)
    assert "cpu" in repr(listed)


def test_a_device_has_facts(device):
    assert device.id == device.info.id and device.name == device.info.name
    assert device.generation >= 1
    assert device.info.max_group_items >= 1 and device.info.offset_alignment >= 1
    assert device.id in repr(device)
    device.health()
    device.wait_idle(30)
    device.poll()


def test_supports_says_how_or_why(device):
    for feature in ("timestamp", "copy_queue", "host_import"):
        capability = device.supports(feature)
        assert capability.support in ("native", "emulated", "absent")
        assert capability.support == "native" or capability.detail
        assert bool(capability) == (capability.support != "absent")


def test_an_unknown_feature_is_refused_with_the_known_ones(cpu):
    with pytest.raises(pintle.InvalidArgument, match=r"teleport.*timestamp"):
        cpu.supports("teleport")


def test_an_id_that_does_not_exist_lists_the_valid_ones():
    with pytest.raises(pintle.Unavailable, match="cpu") as caught:
        pintle.open("vulkan:nosuchdriver")
    assert "nosuchdriver" in str(caught.value)


@pytest.mark.parametrize("id", ["", "?", "cpu?nosuch=1", "cpu?threads=-1", "x" * 10000])
def test_an_id_that_does_not_parse_is_refused(id):
    with pytest.raises((pintle.InvalidArgument, pintle.Unavailable)):
        pintle.open(id)


@pytest.mark.parametrize("id", [None, 3, b"cpu", ["cpu"]])
def test_an_id_that_is_no_text_is_a_type_error(id):
    with pytest.raises(TypeError):
        pintle.open(id)


def test_an_id_with_a_nul_is_refused():
    with pytest.raises(ValueError):
        pintle.open("cpu\0x")


def test_open_takes_a_pack_and_nothing_else():
    assert pintle.open("best", pintle.open_pack("saxpy.pack")).id
    with pytest.raises(TypeError):
        pintle.open("best", "saxpy.pack")


def test_best_with_a_pack_that_nothing_takes_says_why_not():
    pack = pintle.source(b"\x00" * 16, format="ptx", signatures=["f(n: u32)"])
    with pytest.raises(pintle.Unavailable, match="cpu"):
        pintle.open("best", pack)


def test_a_device_is_a_context_manager():
    with pintle.open("cpu") as device:
        queue = device.queue()
    with pytest.raises(pintle.Stale):
        device.queue()
    device.close()
    queue.submit().wait(30)  # the queue has kept it open


def test_recover_does_nothing_on_a_healthy_device(cpu):
    before = cpu.generation
    cpu.recover()
    assert cpu.generation == before


def test_a_lost_device_says_so_until_it_recovers():
    device = pintle.open("faulty(cpu)?call=submit&code=device_lost")
    queue, old = device.queue(), device.empty(4)
    with pytest.raises(pintle.DeviceLost) as caught:
        queue.submit(pintle.fill(old, 1.0)).wait(30)
    assert caught.value.code == "device_lost"
    with pytest.raises(pintle.DeviceLost):
        device.health()
    generation = device.generation
    device.recover()
    assert device.generation == generation + 1
    with pytest.raises(pintle.Stale):
        device.queue().submit(pintle.fill(old, 1.0))


def test_a_kind_of_queue_that_does_not_exist_is_refused(cpu):
    with pytest.raises(pintle.InvalidArgument, match="copy"):
        cpu.queue(kind="graphics")


def test_a_device_says_which_programs_it_takes(device):
    info = device.info
    assert info.formats and all(isinstance(each, str) and each for each in (*info.formats, *info.targets))
    for format, reason in info.absent_formats:
        assert format and format not in info.formats and reason
    with pytest.raises(pintle.InvalidArgument, match=r"teleport.*timestamp"):
        info.supports("teleport")
    assert dict(info.capabilities) == {name: device.supports(name) for name, _ in info.capabilities} and len(info.capabilities) >= 21


def test_a_device_is_asked_for_its_facts_when_somebody_wants_them(monkeypatch):
    asked = []
    for module in (sys.modules["pintle.devices"], sys.modules["pintle.listing"]):
        monkeypatch.setattr(module, "call", lambda name, *rest, call=module.call: asked.append(name) or call(name, *rest))
    device = pintle.open("cpu")
    assert device.id in repr(device) and device.name and asked == ["pintle_device_open", "pintle_device_get_info"]
    assert device.info.supports("timestamp") and [name for name in asked if "capabilit" in name] == ["pintle_device_capabilities"]
    count = len(asked)
    assert device.info.formats and len(asked) == count


def test_facts_that_were_asked_for_stay_after_close():
    one, other = pintle.open("cpu"), pintle.open("cpu")
    facts = one.info
    one.close()
    other.close()
    assert one.info is facts and other.id == "cpu" and other.name == facts.name
    with pytest.raises(pintle.Stale):
        _ = other.info


def test_a_device_of_the_list_says_what_it_can(cpu):
    listed = next(each for each in pintle.devices() if each.id == "cpu")
    assert listed.formats == cpu.info.formats and listed.targets == cpu.info.targets and "c" in listed.formats
    for feature in ("timestamp", "host_import", "images", "copy_queue"):
        assert listed.supports(feature).support == cpu.supports(feature).support
    assert hash(listed) == hash(listed) and listed.target not in listed.targets


def test_a_device_has_a_budget(device):
    for heap in device.budget():
        assert isinstance(heap, pintle.Heap) and heap.name and heap.total > 0 and heap.used >= 0 and (heap.available is None or heap.available >= 0)
    if device.id == "cpu":
        assert device.budget()
