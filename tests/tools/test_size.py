"""tools/size.py: every budget is kept by a small tree and broken by one change to it."""

import contextlib
import io
import unittest

from tree import Tree

import size

METHODS = "".join(f"  virtual int method_{i}() = 0;\n" for i in range(27))
SEAM = "class Device {{\n virtual ~Device() = default;\n{}}};\nclass Driver {{\n  virtual int open() = 0;\n}};\nclass Layer {{\n  virtual int wrap();\n}};\n"
SAXPY = '#include "pintle/pintle.h"\n\n// The kernel.\nconst char* kernel = R"(\nvoid saxpy() {\n}\n)";\nint main() { return 0; }\n'


def function(lines, name="work"):
    return f"int {name}() {{\n" + "  step();\n" * (lines - 2) + "}\n"


def core_class(functions):
    public = "".join(f"  int ask_{i}();\n" for i in range(functions))
    return f"class Queue {{\n public:\n  Queue();\n  ~Queue();\n{public} private:\n  int step();\n}};\n"


def lay_out(tree):
    tree["include/pintle/backend/driver.h"] = SEAM.format(METHODS)
    tree["src/base/work.cpp"] = "".join(function(10, f"work_{i}") for i in range(20))
    for name in ("device", "queue"):
        tree[f"src/backends/cpu/{name}.cpp"] = "int x;\n" * 450
    tree["src/layers/trace/trace.cpp"] = "int x;\n" * 240
    tree["src/core/queue.h"] = core_class(28)
    tree["tests/budgets/instructions.json"] = '{"Release": {"list": 1650, "recording": 2000, "round_trip": 2600}}'
    tree["examples/saxpy/saxpy.cpp"] = SAXPY
    for i in range(4):
        tree[f"tests/unit/test_{i}.cpp"] = "int x;\n" * 450


class SizeTest(unittest.TestCase):
    def lines(self, changes=None):
        """What is printed of the small tree with `changes` made to it, and the number of breaches."""
        with Tree() as tree:
            lay_out(tree)
            for path, text in (changes or {}).items():
                tree[path] = text
            output, report = io.StringIO(), size.Report()
            with contextlib.redirect_stdout(output):
                for check in size.CHECKS:
                    check(tree.root, report)
        return output.getvalue().splitlines(), report.breaches

    def breaches(self, changes=None):
        """The lines that report a breach."""
        lines, count = self.lines(changes)
        found = [line for line in lines if line.startswith("BREACH")]
        self.assertEqual(len(found), count)
        return found

    def assert_breach(self, words, changes):
        found = self.breaches(changes)
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def test_small_tree_keeps_every_budget(self):
        self.assertEqual(self.breaches(), [])

    def test_median_function(self):
        self.assert_breach("median", {"src/base/more.cpp": "".join(function(12, f"more_{i}") for i in range(25))})

    def test_longest_function_and_99th_percentile(self):
        found = self.breaches({"src/base/long.cpp": function(101, "endless")})
        self.assertTrue(any("longest" in line and "endless" in line for line in found), found)
        self.assertTrue(any("99th" in line for line in found), found)

    def test_longest_function_in_tests(self):
        self.assert_breach("in tests", {"tests/unit/long.cpp": function(101, "endless")})

    def test_source_file(self):
        self.assert_breach("lines of a source file", {"tests/unit/long.cpp": "int x;\n" * 501})

    def test_public_header(self):
        self.assert_breach("lines of a public header", {"include/pintle/long.h": "\n" * 301, "tests/unit/y.cpp": "\n" * 300})

    def test_seam_methods(self):
        self.assert_breach("seam methods", {"include/pintle/backend/driver.h": SEAM.format(METHODS + "  virtual int one_more() = 0;\n")})

    def test_public_functions_of_core(self):
        self.assert_breach("public functions of a class of core", {"src/core/queue.h": core_class(29)})

    def test_a_goal_of_instructions_is_told_and_may_be_missed(self):
        goals = [line.split()[0] for line in self.lines()[0] if "instructions of" in line]
        self.assertEqual(goals, ["ok"] * 3)
        lines, breaches = self.lines({"tests/budgets/instructions.json": '{"Release": {"list": 1650, "recording": 2000, "round_trip": 2601}}'})
        missed = [line for line in lines if line.startswith("missed")]
        self.assertEqual((len(missed), breaches), (1, 0))
        self.assertIn("a round trip", missed[0])
        self.assertIn("2601   goal    2600", missed[0])

    def test_ceilings_of_instructions_are_there(self):
        self.assert_breach("instructions of a replay", {"tests/budgets/instructions.json": '{"Release": {"list": 1, "round_trip": 1}}'})

    def test_lines_of_core(self):
        more = {f"src/core/more_{i}.cpp": "int x;\n" * 480 for i in range(27)}
        more |= {f"tests/unit/more_{i}.cpp": "int x;\n" * 480 for i in range(27)}
        self.assert_breach("lines of core", more)

    def test_missing_seam(self):
        self.assert_breach("seam methods", {"include/pintle/backend/driver.h": "class Device {\n};\n"})

    def test_backend(self):
        self.assert_breach("backend cpu", {"src/backends/cpu/more.cpp": "int x;\n" * 201})
        self.assertEqual(self.breaches({"src/backends/vulkan/more.cpp": "int x;\n" * 101}), [])

    def test_layer(self):
        self.assert_breach("layer trace", {"src/layers/trace/more.cpp": "int x;\n" * 11})

    def test_conditionals(self):
        self.assert_breach("#if per 1,000", {"src/kit/a.cpp": "#if X\n#endif\n#ifdef Y\n#endif\n"})
        self.assertEqual(self.breaches({"src/base/a.cpp": "#if X\n#endif\n#ifdef Y\n#endif\n"}), [])

    def test_conditionals_in_public_headers(self):
        found = self.breaches({"include/pintle/a.h": "#ifdef X\n#endif\n"})
        self.assertTrue(any("#if in public headers" in line for line in found), found)

    def test_guard_and_language_of_a_c_header_are_no_conditionals(self):
        text = '/* C. */\n#ifndef A_H\n#define A_H\n#ifdef __cplusplus\nextern "C" {\n#endif\n#endif\n'
        self.assertEqual(size.conditionals(text), 0)
        self.assertEqual(size.conditionals(text + "#if 1\n#endif\n"), 1)

    def test_reachable_headers(self):
        changes = {f"include/pintle/h{i}.h": "int x;\n" for i in range(19)}
        changes["include/pintle/all.h"] = "".join(f'#include "pintle/h{i}.h"\n' for i in range(19))
        self.assert_breach("own headers reachable", changes)
        changes["include/pintle/pintle.h"] = changes.pop("include/pintle/all.h")
        self.assertEqual(self.breaches(changes), [])

    def test_depth_of_headers(self):
        changes = {f"include/pintle/h{i}.h": f'#include "pintle/h{i + 1}.h"\n' for i in range(6)}
        changes["include/pintle/h6.h"] = "int x;\n"
        self.assert_breach("depth of own includes", changes)

    def test_macros(self):
        self.assert_breach("PINTLE_* macros", {"include/pintle/a.h": "".join(f"#define PINTLE_M{i}\n" for i in range(7))})

    def test_iostream(self):
        self.assert_breach("iostream", {"include/pintle/a.h": "#include <iostream>\n"})

    def test_saxpy(self):
        self.assert_breach("lines with its kernel", {"examples/saxpy/saxpy.cpp": SAXPY + "\n" * 40})
        self.assert_breach("host code", {"examples/saxpy/saxpy.cpp": SAXPY + "int x;\n" * 18})

    def test_host_lines_leave_out_kernel_comments_and_blanks(self):
        self.assertEqual(size.host_lines(SAXPY), 3)

    def test_fewer_tests_than_source(self):
        changes = {f"src/io/work_{i}.cpp": "int x;\n" * 400 for i in range(2)}
        self.assert_breach("lines of tests", changes)

    def test_the_table_follows(self):
        with Tree() as tree, contextlib.redirect_stdout(io.StringIO()) as output:
            lay_out(tree)
            tree["CONTRIBUTING.md"] = "Before.\n<!-- ./dev size --write -->\nold\n<!-- end -->\nAfter.\n"
            old, written, new = (self.table_report(tree, write) for write in (False, True, False))
            self.assertEqual((old.breaches, written.breaches, new.breaches), (1, 0, 0), output.getvalue())
            self.assertIn("Before.\n<!-- ./dev size --write -->\n| what | limit |", tree["CONTRIBUTING.md"])
            self.assertIn("| lines of a layer | at most 250 |", tree["CONTRIBUTING.md"])
            tree["CONTRIBUTING.md"] = "no table"
            self.assertEqual(self.table_report(tree, False).breaches, 1)

    def table_report(self, tree, write):
        report = size.Report()
        for check in size.CHECKS:
            check(tree.root, report)
        size.check_table(tree.root, report, write)
        return report


if __name__ == "__main__":
    unittest.main()
