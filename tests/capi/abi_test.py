"""What abi.py calls a break: copies of the headers, each with one change: `abi_test.py COMPILER`."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
COMPILER = sys.argv.pop(1)
SKIPPED = 77


class AbiTest(unittest.TestCase):
    """One folder has the dump; each test changes a header of its own copy."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)
        shutil.copytree(ROOT / "include/pintle/c", self.root / "include/pintle/c")
        (self.root / "tests/capi").mkdir(parents=True)
        shutil.copyfile(HERE / "pintle.abi", self.root / "tests/capi/pintle.abi")
        (self.root / "src/capi").mkdir(parents=True)
        shutil.copyfile(ROOT / "src/capi/structs.h", self.root / "src/capi/structs.h")
        self.changelog("## 0.1.0, unreleased\n\n### Breaks of the C interface\n\n- nothing\n")

    def tearDown(self):
        self.folder.cleanup()

    def changelog(self, text):
        (self.root / "CHANGELOG.md").write_text(text, encoding="utf-8")

    def change(self, header, before, after):
        path = self.root / "include/pintle/c" / header
        text = path.read_text(encoding="utf-8")
        self.assertEqual(text.count(before), 1, before)
        path.write_text(text.replace(before, after), encoding="utf-8")

    def run_script(self, *words):
        done = subprocess.run([sys.executable, "-B", HERE / "abi.py", "--root", self.root, "--compiler", COMPILER, *words],
                              text=True, capture_output=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def expect_addition(self):
        status, words = self.run_script()
        self.assertEqual(status, 1, words)
        self.assertIn("the dump is to be renewed", words)
        self.assertIn("python3 tests/capi/abi.py --write", words)
        self.assertEqual(self.run_script("--write")[0], 0)
        self.assertEqual(self.run_script(), (0, "the interface is that of the dump\n"))

    def expect_break(self, name):
        status, words = self.run_script("--write")
        self.assertEqual(status, 1, words)
        self.assertIn(f"CHANGELOG.md names them not, below \"Breaks of the C interface\": {name}.", words)

    def test_nothing_changed(self):
        self.assertEqual(self.run_script(), (0, "the interface is that of the dump\n"))

    def test_a_function_more_is_no_break(self):
        self.change("queue.h", "#ifdef __cplusplus\n}", "PINTLE_C_API pintle_status pintle_queue_more(pintle_queue queue, pintle_error* error);\n#ifdef __cplusplus\n}")
        self.expect_addition()

    def grow_submit_options(self):
        self.change("queue.h", "  const char* label; /* In messages; NULL: none. */\n} pintle_submit_options;",
                    "  const char* label;\n  uint64_t more;\n} pintle_submit_options;")

    def know_sizes_of(self, struct):
        path = self.root / "src/capi/structs.h"
        line = f"template <>\ninline constexpr std::array earlier_sizes<{struct}>{{offsetof({struct}, more)}};\n"
        path.write_text(path.read_text(encoding="utf-8") + line, encoding="utf-8")

    def expect_refusal(self, words):
        status, said = self.run_script("--write")
        self.assertEqual(status, 1, said)
        self.assertIn(words, said)

    def test_a_last_member_and_a_constant_more_are_no_break(self):
        self.grow_submit_options()
        self.know_sizes_of("pintle_submit_options")
        self.change("queue.h", "PINTLE_QUEUE_COPY = 2", "PINTLE_QUEUE_COPY = 2, PINTLE_QUEUE_MORE = 3")
        self.expect_addition()

    def test_a_struct_that_grows_needs_a_line_of_the_size_that_it_had(self):
        self.grow_submit_options()
        self.know_sizes_of("pintle_submit_options_of_others")
        words = "pintle_submit_options has grown, and src/capi/structs.h has no line `earlier_sizes<pintle_submit_options>`"
        self.expect_refusal(words)
        self.changelog("## 0.1.0, unreleased\n\n### Breaks of the C interface\n\n- `pintle_submit_options`\n")
        self.expect_refusal(words)  # a line of the changelog does not help

    def test_three_structs_never_grow(self):
        ends = {"pintle_error": ("status.h", "  void* owned; /* The library's own. */\n} pintle_error;"),
                "pintle_point": ("signal.h", "  uint64_t value;\n} pintle_point;"),
                "pintle_view": ("buffer.h", "  uint64_t bytes;  /* 0: up to the buffer's end. */\n} pintle_view;")}
        for struct, (header, end) in ends.items():
            with self.subTest(struct):
                self.change(header, end, end.replace("\n}", "\n  uint64_t more;\n}"))
                self.know_sizes_of(struct)
                self.expect_refusal(f"{struct} has grown, and programs have its size in every call or inside other structs")

    def test_a_member_in_the_place_of_a_reserved_one_is_no_growth(self):
        self.change("queue.h", "typedef struct pintle_submit_options {\n  uint32_t size;\n  uint32_t reserved;",
                    "typedef struct pintle_submit_options {\n  uint32_t size;\n  uint32_t priority;")
        self.expect_addition()

    def test_a_function_less_needs_a_line_until_the_first_version(self):
        self.change("queue.h", "PINTLE_C_API pintle_status pintle_queue_last(pintle_queue queue, pintle_point* point, pintle_error* error);\n", "")
        self.expect_break("pintle_queue_last")
        self.changelog("## 0.1.0, unreleased\n\n### Breaks of the C interface\n\n- `pintle_queue_last` is gone.\n")
        self.assertEqual(self.run_script("--write")[0], 0)
        self.assertEqual(self.run_script()[0], 0)

    def test_after_the_first_version_a_line_does_not_help(self):
        self.change("status.h", "PINTLE_STALE = 12,", "PINTLE_STALE = 15,")
        self.changelog("## 0.1.0\n\n### Breaks of the C interface\n\n- PINTLE_STALE\n")
        status, words = self.run_script("--write")
        self.assertEqual(status, 1)
        self.assertIn("0.1.0 is out, and these would break programs that use it: PINTLE_STALE.", words)

    def test_other_breaks_have_the_name_of_what_changed(self):
        self.change("signal.h", "  pintle_signal signal;\n  uint64_t value;\n} pintle_point;", "  uint64_t value;\n  pintle_signal signal;\n} pintle_point;")
        self.expect_break("pintle_point")

    def test_another_parameter(self):
        self.change("status.h", "pintle_version(const char** version, pintle_error* error)", "pintle_version(uint32_t* version, pintle_error* error)")
        self.expect_break("pintle_version")

    def test_another_number_of_a_constant(self):
        self.change("status.h", "PINTLE_STALE = 12,", "PINTLE_STALE = 15,")
        self.expect_break("PINTLE_STALE")

    def test_exports_that_no_header_declares(self):
        status, words = self.run_script(shutil.which("nm"))  # a program, no library
        self.assertEqual(status, 1)
        self.assertIn("and the headers differ", words)


if __name__ == "__main__":
    if shutil.which("abidiff") is None:
        print("skipped: abidiff is not installed (package abigail-tools)")
        sys.exit(SKIPPED)
    unittest.main()
