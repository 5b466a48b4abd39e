"""tools/new_backend.py: names, files and refusals."""

import unittest

from tree import Tree

import new_backend


class NewBackendTest(unittest.TestCase):
    def copied(self, name):
        with Tree() as tree:
            tree["src/backends/null/null_device.cpp"] = "namespace pintle::null { class NullDevice; void* p = nullptr; }\n"
            tree["src/backends/null/CMakeLists.txt"] = "pintle_backend(null)\n"
            tree["src/backends/cpu/device.cpp"] = "// not null\n"
            tree["tests/conformance/gaps/null.txt"] = "null executes nothing\n"
            tree["tests/unit/null_test.cpp"] = "TEST(NullDevice, Opens) {}\n"
            tree["tests/unit/nullable_test.cpp"] = "TEST(Nullable, Holds) {}\n"
            made = sorted(map(str, new_backend.copy(tree.root, name)))
            return made, {path: tree[path] for path in made}

    def test_folder_gaps_and_tests_are_copied(self):
        made, _ = self.copied("level_zero")
        self.assertEqual(made, ["src/backends/level_zero/CMakeLists.txt", "src/backends/level_zero/level_zero_device.cpp",
                                "tests/conformance/gaps/level_zero.txt", "tests/unit/level_zero_test.cpp"])

    def test_identifiers_are_renamed(self):
        _, texts = self.copied("level_zero")
        self.assertEqual(texts["src/backends/level_zero/CMakeLists.txt"], "pintle_backend(level_zero)\n")
        self.assertEqual(texts["src/backends/level_zero/level_zero_device.cpp"],
                         "namespace pintle::level_zero { class LevelZeroDevice; void* p = nullptr; }\n")
        self.assertEqual(texts["tests/unit/level_zero_test.cpp"], "TEST(LevelZeroDevice, Opens) {}\n")

    def test_words_that_only_begin_alike_stay(self):
        kept = "std::nullopt nullptr nullable Nullable a null pointer"
        self.assertEqual(new_backend.renamed(kept, "foo"), kept)
        self.assertEqual(new_backend.renamed("create_null_driver null Null", "foo"), "create_foo_driver foo Foo")

    def test_bad_names_are_refused(self):
        with Tree() as tree:
            tree["src/backends/cpu/device.cpp"] = ""
            for name in ("", "Foo", "9x", "a-b", "../x", "core", "class", "null", "cpu", "_x", "x_"):
                self.assertIsNotNone(new_backend.mistake(tree.root, name), name)
            for name in ("foo", "level_zero", "x2"):
                self.assertIsNone(new_backend.mistake(tree.root, name), name)


if __name__ == "__main__":
    unittest.main()
