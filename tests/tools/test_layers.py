"""tools/layers.py: what it allows, what it refuses, and the cycles that it finds."""

import json
import unittest

from tree import ROOT, Tree

import layers

TABLE = json.loads((ROOT / "tools/layers.json").read_text(encoding="utf-8"))


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

    def test_cycle_of_folders_is_found(self):
        table = json.loads(json.dumps(TABLE))
        table["layers"]["kit"]["folders"].append("core")
        with Tree() as tree:
            lay_out(tree)
            tree["src/kit/x.cpp"] = '#include "core/device.cpp"\n'
            problems = layers.check(tree.root, table)[0]
        self.assertEqual(problems, ["Folders in a cycle: kit -> core -> kit."])

    def test_chain_without_cycle_has_none(self):
        self.assertIsNone(layers.find_cycle([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]))
        self.assertEqual(layers.find_cycle([("a", "b"), ("b", "c"), ("c", "b")]), ["b", "c", "b"])


if __name__ == "__main__":
    unittest.main()
