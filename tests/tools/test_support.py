"""tools/support.py: the page says what the suite says, and a page that does not is found."""

import contextlib
import io
import json
import unittest

from tree import Tree

import support

FAKE = '#!/bin/sh\ncat "$(dirname "$0")/answers/$*"\n'
CASES = {"Signal.Rises": ("passed", ""), "Buffer.Maps": ("skipped", "no address"), "Copy.Far": ("gap", "too far")}


def device(device_id, **changes):
    backend = device_id.split(":")[0].split("?")[0]
    kind = {"cpu": "cpu", "null": "simulated"}.get(backend, "software")
    usual = {"id": device_id, "backend": backend, "kind": kind, "name": "some processor", "driver": "lavapipe Mesa 1.2",
             "capabilities": [{"feature": "timestamp", "support": "native", "detail": ""},
                              {"feature": "recording", "support": "absent", "detail": "it has none"}]}
    return {**usual, **changes}


def conform(**changes):
    cases = [{"name": name, "result": result, "message": why} for name, (result, why) in {**CASES, **changes}.items()]
    count = {key: sum(case["result"] == key for case in cases) for key in ("passed", "failed", "skipped")}
    return {**count, "gaps": sum(case["result"] == "gap" for case in cases), "device": "?", "cases": cases}


class SupportTest(unittest.TestCase):
    def setUp(self):
        tree = Tree()
        self.addCleanup(tree.folder.cleanup)
        self.tree = tree
        (tree.root / "docs").mkdir()
        tree["pintle"] = FAKE
        (tree.root / "pintle").chmod(0o755)
        self.pintle = str(tree.root / "pintle")
        self.devices = {name: device(name) for name in ("cpu", "cpu?inline", "null", "vulkan:0")}
        self.suites = {name: conform() for name in self.devices}

    def answer(self):
        self.says("devices", {"devices": [d for name, d in self.devices.items() if name != "cpu?inline"]})
        for name, one in self.devices.items():
            self.says(f"info {name}", {"device": one})
            self.says(f"conform --device {name}", self.suites[name])

    def says(self, words, document):
        self.tree[f"answers/{words} --json"] = json.dumps(document)

    def write(self):
        self.answer()
        code = support.write(self.tree.root, self.pintle)
        return code, self.tree["docs/support.md"]

    def check(self, *words, pintle=True, code=None):
        """The check says all of `words`; without any it must pass."""
        self.answer()
        with contextlib.redirect_stdout(io.StringIO()) as said:
            got = support.check(self.tree.root, self.pintle if pintle else None)
        self.assertEqual(got, (1 if words else 0) if code is None else code, said.getvalue())
        for word in words:
            self.assertIn(word, said.getvalue())
        self.assertEqual("run ./dev support" in said.getvalue(), got == 1)

    def result(self, where, suite=None, whole=True, **changes):
        ran = {"info": {"device": device("vulkan:0", **changes)}, "conform": suite or conform()}
        shape = {"date": "2026-12-01", "whole_suite": whole, "bundle": "pintle 9 (abc123)\nbackends: cpu", "devices": [ran]}
        self.tree[f"bench/results/{where}/result.json"] = json.dumps(shape)

    def test_each_implementation_of_webgpu_has_a_row_for_each_device(self):
        for number, (name, driver) in enumerate((("llvmpipe (LLVM 15)", "wgpu-native 29.0 over Vulkan, Mesa"), ("SwiftShader Device", "wgpu-native 29.0 over Vulkan"),
                                                 ("SwiftShader Device", "Dawn over Vulkan, google"))):
            self.devices[f"webgpu:{number}"] = device(f"webgpu:{number}", name=name, driver=driver)
            self.suites[f"webgpu:{number}"] = conform()
        _, page = self.write()
        for title in ("webgpu (wgpu-native, llvmpipe)", "webgpu (wgpu-native, SwiftShader)", "webgpu (Dawn, SwiftShader)"):
            self.assertIn(f"| {title} |", page)

    def test_each_plugin_of_pjrt_has_a_row(self):
        for number, driver in enumerate(("xla_cpu_pjrt, PJRT 0.86", "pjrt_c_api_cpu_plugin 0.111", "xla_cuda12, PJRT 0.86")):
            self.devices[f"pjrt:{number}"] = device(f"pjrt:{number}", name="cpu", driver=driver)
            self.suites[f"pjrt:{number}"] = conform()
        _, page = self.write()
        for title in ("pjrt (xla_cpu_pjrt)", "pjrt (pjrt_c_api_cpu_plugin)", "pjrt (xla_cuda12)"):
            self.assertIn(f"| {title} |", page)

    def test_page_has_results_features_and_reasons(self):
        code, page = self.write()
        self.assertEqual(code, 0)
        self.assertRegex(page, r"\| cpu \| lavapipe Mesa 1.2 \| on the processor \| 3 \| 1 \| 0 \| 1 \| 1 \| \d{4}-\d\d-\d\d \|")
        self.assertIn("| null | lavapipe Mesa 1.2 | simulated |", page)
        self.assertIn("| vulkan (lavapipe Mesa) | lavapipe Mesa 1.2 | in software |", page)
        self.assertIn("| `timestamp` | native | native | native | native |", page)
        self.assertIn("| `recording` | absent (1) | absent (1) | absent (1) | absent (1) |", page)
        self.assertIn("\n1. it has none\n", page)
        self.assertIn("| cpu?inline | no address | `Buffer.Maps` |", page)
        self.assertIn("| cpu?inline | too far | `Copy.Far` |", page)

    def test_a_simulator_is_no_software_that_users_have(self):
        self.devices["cuda:0"] = device("cuda:0", name="Simulated NVIDIA H200", driver="NVIDIA driver for CUDA 13.0, PCI 0000:00:06.0")
        self.suites["cuda:0"] = conform()
        page = self.write()[1]
        self.assertIn("| cuda (simulated) | NVIDIA driver for CUDA 13.0, PCI 0000:00:06.0 | simulated |", page)
        self.assertIn("\nNothing of `cuda` has run on a GPU: ", page)
        self.assertEqual(support.simulated_alone([{"title": "cuda (simulated)"}], [{"title": "cuda (NVIDIA H200)"}]), [])

    def test_page_says_that_no_hardware_was_tested(self):
        page = self.write()[1]
        self.assertIn("No result of hardware is here yet. `./dev device-tests`", page)
        self.assertNotIn("| on hardware |", page)

    def test_fresh_page_is_true(self):
        self.write()
        self.check()
        self.check(pintle=False)

    def test_edited_page_is_found(self):
        self.write()
        self.tree["docs/support.md"] = self.tree["docs/support.md"].replace("| 3 | 1 | 0 |", "| 3 | 3 | 0 |")
        self.check("docs/support.md does not follow", pintle=False)

    def test_changed_feature_is_found(self):
        self.write()
        self.devices["vulkan:0"]["capabilities"][0]["support"] = "emulated"
        self.check("vulkan (lavapipe Mesa): features: timestamp is ['emulated', ''], the table says ['native', '']")

    def test_changed_detail_is_found(self):
        self.write()
        self.devices["null"]["capabilities"][1]["detail"] = "it has one"
        self.check("null: features: recording")

    def test_new_case_is_found(self):
        self.write()
        self.suites["cpu"] = conform(**{"Signal.Falls": ("passed", "")})
        self.check("cpu: counts: cases is 4, the table says 3", "cpu: counts: passed is 2, the table says 1")

    def test_new_skip_is_found(self):
        self.write()
        self.suites["cpu"] = conform(**{"Signal.Rises": ("skipped", "not today")})
        self.check("cpu: not_passed: Signal.Rises is ['skipped', 'not today'], the table says None")

    def test_how_much_memory_the_machine_has_may_differ(self):
        self.suites["cpu"] = conform(**{"Lazy.Ends": ("skipped", support.ROOM)})
        self.write()
        self.suites["cpu"] = conform(**{"Lazy.Ends": ("passed", "")})
        self.check()

    def test_closed_gap_is_found(self):
        self.write()
        self.suites["vulkan:0"] = conform(**{"Copy.Far": ("passed", "")})
        self.check("vulkan (lavapipe Mesa): counts: gaps is 0, the table says 1")

    def test_failure_is_written_and_fails(self):
        self.suites["null"] = conform(**{"Signal.Rises": ("failed", "it fell")})
        code, page = self.write()
        self.assertEqual(code, 1)
        self.assertIn("| null | it fell | `Signal.Rises` |", page)

    def test_devices_that_come_and_go_are_found(self):
        self.write()
        self.devices["vulkan:0"]["driver"] = "SwiftShader driver 5"
        self.check("vulkan (lavapipe Mesa): not compared, since this machine does not have it",
                   "vulkan (SwiftShader driver): this machine has it, the table does not")

    def test_without_a_device_the_others_are_compared_and_the_test_is_skipped(self):
        self.write()
        del self.devices["vulkan:0"], self.suites["vulkan:0"]
        self.check("vulkan (lavapipe Mesa): not compared", code=support.SKIPPED)
        self.suites["cpu"] = conform(**{"Signal.Falls": ("passed", "")})
        self.check("vulkan (lavapipe Mesa): not compared", "cpu: counts: cases is 4, the table says 3")

    def test_version_date_and_ordinal_may_differ(self):
        self.write()
        self.devices["vulkan:1"] = device("vulkan:1", driver="lavapipe Mesa 1.3", name="another processor")
        self.suites["vulkan:1"] = self.suites["vulkan:0"]
        del self.devices["vulkan:0"], self.suites["vulkan:0"]
        self.check()

    def test_hardware_of_this_machine_is_not_tested_here(self):
        self.write()
        self.devices["vulkan:1"] = device("vulkan:1", kind="discrete_gpu")
        self.suites["vulkan:1"] = conform()
        self.check()

    def test_hardware_comes_from_dated_results(self):
        self.write()
        self.result("a-gpu/2026-11-01", kind="discrete_gpu", name="A GPU", driver="vendor 1")
        self.check("docs/support.md does not follow", pintle=False)
        page = self.write()[1]
        self.assertIn("| vulkan (A GPU) | vendor 1 | on hardware | 3 | 1 | 0 | 1 | 1 | 2026-12-01 |", page)
        self.assertIn("last run 2026-12-01 on abc123: [a-gpu/2026-11-01](../bench/results/a-gpu/2026-11-01)", page)
        self.assertNotIn("No result of hardware", page)
        self.check()

    def test_newest_result_of_a_device_counts(self):
        for day, driver in (("2026-11-01", "vendor 1"), ("2026-11-02", "vendor 2")):
            self.result(f"a-gpu/{day}", kind="discrete_gpu", name="A GPU", driver=driver)
        page = self.write()[1]
        self.assertIn("vendor 2", page)
        self.assertNotIn("vendor 1", page)

    def test_software_is_never_hardware(self):
        self.result("lavapipe/2026-11-01", name="not a GPU")
        page = self.write()[1]
        self.assertNotIn("not a GPU", page)
        self.assertNotIn("| on hardware |", page)

    def test_part_of_a_suite_is_no_result(self):
        self.result("a-gpu/2026-11-01", kind="discrete_gpu", name="A GPU", whole=False)
        self.result("b-gpu/2026-11-01", kind="discrete_gpu", name="B GPU", suite={"error": {"message": "no device"}})
        self.assertIn("No result of hardware is here yet.", self.write()[1])

    def test_command_that_fails_is_named(self):
        self.says("devices", {"error": {"message": "Backends are on strike."}})
        with self.assertRaisesRegex(SystemExit, "pintle devices: Backends are on strike."):
            support.write(self.tree.root, self.pintle)
        self.tree["pintle"] = "#!/bin/sh\necho it crashes >&2\nexit 3\n"
        with self.assertRaisesRegex(SystemExit, "ends with 3: it crashes"):
            support.write(self.tree.root, self.pintle)


if __name__ == "__main__":
    unittest.main()
