"""tools/layers.py: what it allows, what it refuses, and the circles that it finds."""

import json
import unittest

from tree import ROOT, Tree

import architecture
import circles
import layers

REAL = json.loads((ROOT / "tools/layers.json").read_text(encoding="utf-8"))
TABLE = {**REAL, "known_circles": []}  # those of the real tree are not in these


def lay_out(tree):
    """One legal file in each layer."""
    tree["include/pintle/error.h"] = "#include <string>\n"
    tree["include/pintle/device.h"] = '#include "pintle/backend/driver.h"\n#include "pintle/error.h"\n'
    tree["include/pintle/backend/driver.h"] = '#include "pintle/error.h"\n'
    tree["src/base/log.h"] = '#include "pintle/error.h"\n#include <fmt/format.h>\n'
    tree["src/io/npy.h"] = '#include "base/log.h"\n'
    tree["src/kit/queue.h"] = '#include "pintle/backend/driver.h"\n#include "base/log.h"\n'
    tree["src/backends/cpu/device.h"] = '#include "kit/queue.h"\n'
    tree["src/backends/cpu/device.cpp"] = '#include "backends/cpu/device.h"\n#include "device.h"\n'
    tree["src/layers/trace/trace.cpp"] = '#include "pintle/backend/driver.h"\n#include "kit/queue.h"\n'
    tree["src/core/device.cpp"] = '#include "pintle/device.h"\n#include "io/npy.h"\n#include "kit/queue.h"\n'
    tree["src/cli/main.cpp"] = '#include "pintle/device.h"\n#include "io/npy.h"\n'
    tree["examples/saxpy/saxpy.cpp"] = '#include "pintle/device.h"\n'


class LayersTest(unittest.TestCase):
    def problems(self, path=None, text=""):
        with Tree() as tree:
            lay_out(tree)
            if path:
                tree[path] = text
            return layers.check(tree.root, TABLE)[0]

    def assert_refused(self, path, text, *words):
        problems = self.problems(path, text)
        self.assertTrue(problems, f"{path} with {text!r} passes")
        for word in words:
            self.assertIn(word, "\n".join(problems))

    def test_legal_tree_passes(self):
        self.assertEqual(self.problems(), [])

    def test_every_edge_is_reported_with_its_place(self):
        with Tree() as tree:
            lay_out(tree)
            edges = layers.check(tree.root, TABLE)[1]
        self.assertEqual(edges[("core", "io")], "src/core/device.cpp:2")
        self.assertEqual(edges[("backends/cpu", "kit")], "src/backends/cpu/device.h:1")

    def test_backend_must_not_include_core(self):
        self.assert_refused("src/backends/cpu/queue.cpp", '#include "core/device.cpp"\n', "queue.cpp:1", "backends/cpu must not include core")

    def test_backend_must_not_include_another(self):
        self.assert_refused("src/backends/null/x.cpp", '#include "backends/cpu/device.h"\n', "backends/null must not include backends/cpu")

    def test_backend_must_not_include_the_public_api(self):
        self.assert_refused("src/backends/cpu/x.cpp", '#include "pintle/device.h"\n', "must not include pintle")

    def test_layer_must_not_include_another(self):
        self.assert_refused("src/layers/faulty/x.cpp", '\n#include "layers/trace/trace.cpp"\n', "x.cpp:2")

    def test_a_folder_of_a_layer_may_be_allowed_another(self):
        for source, refused in (("hip", []), ("mpi", ['src/vendor/mpi/x.h:1: vendor/mpi must not include vendor/cuda ("vendor/cuda/types.h").'])):
            with Tree() as tree:
                lay_out(tree)
                tree["src/vendor/cuda/types.h"] = ""
                tree[f"src/vendor/{source}/x.h"] = '#include "vendor/cuda/types.h"\n'
                self.assertEqual(layers.check(tree.root, TABLE)[0], refused)

    def test_core_must_not_name_a_backend_or_a_layer(self):
        self.assert_refused("src/core/x.cpp", '#include "backends/cpu/device.h"\n', "core must not include backends/cpu")
        self.assert_refused("src/core/x.cpp", '#include "layers/trace/trace.cpp"\n', "core must not include layers/trace")

    def test_base_sees_only_value_headers(self):
        self.assert_refused("src/base/x.cpp", '#include "pintle/device.h"\n', "base must not include pintle")
        self.assert_refused("src/base/x.cpp", '#include "pintle/backend/driver.h"\n', "base must not include pintle/backend")
        self.assert_refused("src/base/x.cpp", '#include "io/npy.h"\n', "base must not include io")

    def test_io_must_not_include_the_seam(self):
        self.assert_refused("src/io/x.cpp", '#include "pintle/backend/driver.h"\n', "io must not include pintle/backend")

    def test_kit_must_not_include_core(self):
        self.assert_refused("src/kit/x.cpp", '#include "core/device.cpp"\n', "kit must not include core")

    def test_examples_and_command_use_the_public_api(self):
        self.assert_refused("examples/saxpy/x.cpp", '#include "base/log.h"\n', "examples must not include base")
        self.assert_refused("src/cli/x.cpp", '#include "core/device.cpp"\n', "cli must not include core")

    def test_seam_must_not_include_the_public_api(self):
        self.assert_refused("include/pintle/backend/x.h", '#include "pintle/device.h"\n', "pintle/backend must not include pintle")

    def test_public_header_needs_no_package(self):
        self.assert_refused("include/pintle/x.h", "#include <fmt/format.h>\n", "<fmt/format.h>")
        self.assert_refused("include/pintle/x.h", "#include <iostream>\n", "<iostream>")
        self.assert_refused("include/pintle/x.h", '#include "base/log.h"\n', "pintle must not include base")

    def test_angle_brackets_hide_nothing(self):
        self.assert_refused("src/base/x.cpp", "#include <pintle/device.h>\n", "base must not include pintle")

    def test_path_must_not_climb(self):
        self.assert_refused("src/backends/cpu/x.cpp", '#include "../../core/device.cpp"\n', "climbs out")

    def test_unknown_file_is_named(self):
        self.assert_refused("src/core/x.cpp", '#include "core/nowhere.h"\n', '"core/nowhere.h" is not in the tree')

    def test_generated_file_is_known_by_its_template(self):
        with Tree() as tree:
            lay_out(tree)
            tree["src/core/made.h.in"] = ""
            tree["src/core/x.cpp"] = '#include "core/made.h"\n'
            tree["src/cli/x.cpp"] = '#include "core/made.h"\n'
            problems = layers.check(tree.root, TABLE)[0]
        self.assertEqual(problems, ['src/cli/x.cpp:1: cli must not include core ("core/made.h").'])

    def test_unknown_layer_is_refused(self):
        self.assert_refused("src/junk/x.cpp", '#include "base/log.h"\n', "junk must not include base")

    def test_circle_of_folders_is_found(self):
        table = json.loads(json.dumps(TABLE))
        table["layers"]["kit"]["folders"].append("core")
        with Tree() as tree:
            lay_out(tree)
            tree["src/kit/x.cpp"] = '#include "core/device.cpp"\n'
            problems = layers.check(tree.root, table)[0]
        self.assertEqual(problems, ["Folders in a circle: core -> kit -> core (src/core/device.cpp:3, src/kit/x.cpp:1)."])


class CirclesTest(unittest.TestCase):
    def problems(self, files, **table):
        with Tree() as tree:
            lay_out(tree)
            for path, text in files.items():
                tree[path] = text
            return layers.check(tree.root, {**TABLE, **table})[0]

    def test_chain_without_circle_has_none(self):
        self.assertEqual(circles.find_circles(dict.fromkeys([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")], "")), [])
        self.assertEqual(circles.find_circles(dict.fromkeys([("a", "b"), ("b", "c"), ("c", "b")], "")), [["b", "c"]])

    def test_circles_that_touch_are_one_and_others_are_not(self):
        edges = dict.fromkeys([("a", "b"), ("b", "a"), ("b", "c"), ("c", "b"), ("c", "d"), ("d", "e"), ("e", "d")], "f.h:1")
        self.assertEqual(circles.find_circles(edges), [["a", "b", "c"], ["d", "e"]])

    def test_shortest_way_around_is_named_and_then_all_members(self):
        edges = {("a", "b"): "a.h:1", ("b", "c"): "b.h:2", ("c", "a"): "c.cpp:3", ("c", "b"): "c.cpp:4"}
        self.assertEqual(circles.describe(edges, ["a", "b", "c"]),
                         "b -> c -> b (b.h:2, c.cpp:4); the 3 that reach each other: a, b, c")

    def test_units_of_one_folder(self):
        files = {"src/kit/a.h": '#include "kit/b.h"\n', "src/kit/b.h": "", "src/kit/b.cpp": '#include "kit/b.h"\n#include "kit/a.h"\n'}
        self.assertEqual(self.problems(files),
                         ["Units in a circle: src/kit/a -> src/kit/b -> src/kit/a (src/kit/a.h:1, src/kit/b.cpp:2)."])

    def test_header_and_source_of_one_stem_are_one_unit(self):
        self.assertEqual(self.problems({"src/kit/a.h": '#include "kit/a.inc"\n', "src/kit/a.inc": "", "src/kit/a.cpp": '#include "kit/a.h"\n'}), [])

    def test_stem_is_exact(self):
        self.assertEqual(self.problems({"src/kit/a.h": "", "src/kit/a_b.cpp": '#include "kit/a.h"\n', "src/kit/a.cpp": '#include "kit/a_c.h"\n',
                                        "src/kit/a_c.h": ""}), [])

    def test_same_stem_of_another_folder_is_another_unit(self):
        self.assertEqual(self.problems({"src/core/list/a.h": '#include "core/a.h"\n', "src/core/a.h": ""}), [])

    def test_units_two_folders_deep(self):
        files = {"src/core/list/deep/a.h": '#include "b.h"\n', "src/core/list/deep/b.h": '#include "a.h"\n'}
        self.assertIn("src/core/list/deep/a -> src/core/list/deep/b", "\n".join(self.problems(files)))

    def test_folders_inside_a_layer(self):
        files = {"src/io/x/a.h": '#include "io/y/b.h"\n', "src/io/y/b.h": "", "src/io/y/c.h": '#include "io/x/d.h"\n', "src/io/x/d.h": ""}
        self.assertEqual(self.problems(files), ["Folders in a circle: io/x -> io/y -> io/x (src/io/x/a.h:1, src/io/y/c.h:1)."])

    def test_folder_and_what_is_in_it(self):
        files = {"src/io/a.cpp": '#include "io/x/b.h"\n', "src/io/x/b.h": "", "src/io/x/c.cpp": '#include "io/d.h"\n', "src/io/d.h": ""}
        self.assertEqual(self.problems(files), ["Folders in a circle: io -> io/x -> io (src/io/a.cpp:1, src/io/x/c.cpp:1)."])

    def test_known_circle_passes(self):
        files = {"src/kit/a.h": '#include "kit/b.h"\n', "src/kit/b.h": '#include "kit/a.h"\n'}
        self.assertEqual(self.problems(files, known_circles=[["src/kit/b", "src/kit/a"]]), [])
        files = {"src/io/x/a.h": '#include "io/y/b.h"\n', "src/io/y/b.h": "", "src/io/y/c.h": '#include "io/x/d.h"\n', "src/io/x/d.h": ""}
        self.assertEqual(self.problems(files, known_circles=[["io/x", "io/y"]]), [])

    def test_known_circle_that_has_grown_is_refused(self):
        files = {"src/kit/a.h": '#include "kit/b.h"\n', "src/kit/b.h": '#include "kit/c.h"\n', "src/kit/c.h": '#include "kit/a.h"\n'}
        problems = self.problems(files, known_circles=[["src/kit/a", "src/kit/b"]])
        self.assertEqual(len(problems), 2)
        self.assertIn("src/kit/a -> src/kit/b -> src/kit/c -> src/kit/a", problems[0])

    def test_known_circle_that_is_no_more_is_refused(self):
        self.assertEqual(self.problems({}, known_circles=[["src/kit/a", "src/kit/b"]]),
                         ["The known circle of src/kit/a, src/kit/b is no more; take it out of layers.json."])


class RoomsTest(unittest.TestCase):
    ROOMS = {"core": ["list", "time", "queue"]}

    def problems(self, files, rooms=None):
        with Tree() as tree:
            lay_out(tree)
            for path, text in files.items():
                tree[path] = text
            return layers.check(tree.root, {**TABLE, "rooms": self.ROOMS if rooms is None else rooms})[0]

    def test_room_names_those_below_it(self):
        files = {"src/core/queue/a.h": '#include "core/list/b.h"\n#include "core/time/c.h"\n', "src/core/list/b.h": "", "src/core/time/c.h": ""}
        self.assertEqual(self.problems(files), [])

    def test_room_must_not_name_one_above_it(self):
        files = {"src/core/list/b.h": '\n#include "core/queue/a.h"\n', "src/core/queue/a.h": ""}
        self.assertEqual(self.problems(files), ["src/core/list/b.h:2: the room core/list must not name core/queue, which is above it."])
        self.assertEqual(self.problems(files, {}), [])

    def test_room_that_is_not_listed_is_named(self):
        files = {"src/core/queue/a.h": '#include "core/attic/b.h"\n', "src/core/attic/b.h": ""}
        self.assertEqual(self.problems(files), ["src/core/queue/a.h:1: core/attic is not among the rooms of core."])

    def test_rooms_are_one_layer_for_others(self):
        problems = self.problems({"src/kit/x.cpp": '#include "core/list/b.h"\n', "src/core/list/b.h": ""})
        self.assertIn('src/kit/x.cpp:1: kit must not include core ("core/list/b.h").', problems)

    def test_folder_above_may_name_its_rooms_and_not_the_other_way_too(self):
        files = {"src/core/x.cpp": '#include "core/list/b.h"\n', "src/core/list/b.h": ""}
        self.assertEqual(self.problems(files), [])
        files["src/core/y.h"] = ""
        files["src/core/list/b.h"] = '#include "core/y.h"\n'
        self.assertEqual(len(self.problems(files)), 1)


PAGE = """# Architecture
Begin in `src/core/device.cpp`, then `npy.h` and `include/pintle/{device,error}.h`, of which `backend/driver.h` is the seam. `cpu?inline` and
`.npy` are no paths, nor is `CommandList`; `./dev layers` is a command, `src/backends/X` any of them, `src/backends/*` all.

| folder | may include | holds |
|---|---|---|
| `src/base` | std, fmt | words |
| `src/io` | base, vendor | files |
| `src/kit` | seam, base | pieces |
| `src/backends/X` | seam, kit, host, spirv, wgsl, stablehlo, amdgcn, opencl_c, base, vendor | one backend |
| `src/layers/X` | seam, kit, spirv, base | decorators |
| `src/core` | seam, base, io, plan, kit, inference, registry | everything |
| `src/cli` | public API, io, opencl_c, spirv, wgsl, stablehlo, inference, amdgcn, base, collective, conformance, bench, examples | the command |
"""


class ArchitectureTest(unittest.TestCase):
    def problems(self, page):
        with Tree() as tree:
            lay_out(tree)
            if page is not None:
                tree["ARCHITECTURE.md"] = page
            return architecture.problems(tree.root, TABLE)

    def test_true_page_passes(self):
        self.assertEqual(self.problems(PAGE), [])

    def test_page_must_be_there(self):
        self.assertEqual(self.problems(None), ["ARCHITECTURE.md is missing."])

    def test_path_that_is_gone_is_named(self):
        for path in ("src/core/gone.cpp", "gone.cpp", "src/gone/", "src/layers/gone/X", "docs/adr/"):
            self.assertEqual(self.problems(f"{PAGE}\nSee `{path}`.\n"), [f"ARCHITECTURE.md:15: `{path}` is not in the tree."])

    def test_each_path_of_a_brace_is_looked_for(self):
        self.assertEqual(self.problems(PAGE.replace("{device,error}", "{device,gone}")),
                         ["ARCHITECTURE.md:2: `include/pintle/gone.h` is not in the tree."])

    def test_row_says_what_layers_json_says(self):
        problems = self.problems(PAGE.replace("| base, vendor |", "| base, kit |"))
        self.assertEqual(problems, ["ARCHITECTURE.md:8: `src/io` may include base, kit, and layers.json says base, vendor."])

    def test_row_of_a_folder_that_is_gone(self):
        self.assertIn("ARCHITECTURE.md:14: `src/plan` is not in the tree.", self.problems(PAGE + "| `src/plan` | base | plans |\n"))

    def test_folder_without_a_row(self):
        self.assertEqual(self.problems(PAGE.replace("| `src/io` | base, vendor | files |\n", "")),
                         ["ARCHITECTURE.md: the table of folders has no row of src/io."])


if __name__ == "__main__":
    unittest.main()
