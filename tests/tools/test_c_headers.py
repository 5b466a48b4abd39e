"""tools/c_headers.py: what it reads of the headers of C, and that it leaves nothing out; python/generate_c.py over it."""

import ctypes
import importlib.util
import re
import sys
import tempfile
import unittest
from pathlib import Path

import tree  # noqa: F401  # makes tools/ importable

import c_headers

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
import generate_c  # noqa: E402

HEADER = """/* A comment; with PINTLE_C_API pintle_status in it. */
enum { PINTLE_ONE = 1, PINTLE_NONE = -1 /* none */ };
typedef struct pintle_thing {
  uint64_t id;
} pintle_thing; /* A handle. */
typedef struct pintle_pair {
  uint32_t size;
  uint64_t dims[8]; /* Sides. */
  union {
    int64_t i;
    struct {
      uint16_t from;
    } inner;
  } value;
  const pintle_thing* things;
  void (*released)(void* data);
} pintle_pair;
PINTLE_C_API pintle_status pintle_use(pintle_thing thing, const char* const* names,
                                      void (*call)(void* data, uint32_t n), struct Other* other, pintle_error* error);
"""
ASKING = """PINTLE_C_API pintle_status pintle_ask(pintle_status (*answer)(void* data, const pintle_thing* thing),
                                      void* data, pintle_error* error);
"""


class CHeadersTest(unittest.TestCase):
    def test_functions_have_their_parameters(self):
        (function,) = c_headers.functions(HEADER)
        self.assertEqual(function.short, "use")
        self.assertEqual(function.parameters, [("pintle_thing", "thing"), ("char**", "names"), ("callback", "call"), ("Other*", "other"),
                                               ("pintle_error*", "error")])

    def test_a_callback_may_answer(self):
        (function,) = c_headers.functions(ASKING)
        self.assertEqual(function.parameters, [("callback", "answer"), ("void*", "data"), ("pintle_error*", "error")])

    def test_inputs_are_what_pointers_to_const_name(self):
        (function,) = c_headers.functions(HEADER)
        self.assertEqual(function.inputs, {"names"})

    def test_a_comment_is_that_directly_above(self):
        asking = [ASKING.replace("_ask", f"_{name}") for name in ("one", "two", "three")]
        text = f"/* A type. */\n{asking[0]}/* Asks\n * twice. */\n{asking[1]}\n/* Far. */\n\n{asking[2]}"
        self.assertEqual(c_headers.comments(text), {"pintle_one": "A type.", "pintle_two": "Asks twice.", "pintle_three": ""})

    def test_types_are_handles_and_structs(self):
        types = c_headers.Types(HEADER)
        self.assertEqual((types.handles, types.structs), ({"pintle_thing"}, {"pintle_pair"}))

    def test_numbers_are_read(self):
        self.assertEqual(c_headers.numbers(HEADER), [("PINTLE_ONE", 1), ("PINTLE_NONE", -1)])

    def test_an_enumerator_without_a_number_is_an_error(self):
        with self.assertRaisesRegex(SystemExit, "PINTLE_TWO"):
            c_headers.numbers("enum { PINTLE_ONE = 1, PINTLE_TWO };")

    def test_members_have_types_counts_and_members(self):
        members = dict(c_headers.structs(HEADER))["pintle_pair"]
        self.assertEqual([(each.name, each.type, each.count) for each in members],
                         [("size", "uint32_t", None), ("dims", "uint64_t", 8), ("value", "union", None), ("things", "pintle_thing*", None),
                          ("released", "callback", None)])
        self.assertEqual([each.type for each in members[2].members], ["int64_t", "struct"])

    def test_what_is_no_member_is_an_error(self):
        with self.assertRaisesRegex(SystemExit, "no member"):
            c_headers.structs("typedef struct pintle_odd {\n  uint32_t bits : 3;\n} pintle_odd;")


class GenerateTest(unittest.TestCase):
    def generated(self, header):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "a.h").write_text(header, encoding="utf-8")
            generate_c.main(folder, f"{folder}/out.py", f"{folder}/out.pyi")
            spec = importlib.util.spec_from_file_location("out", f"{folder}/out.py")
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module, (Path(folder) / "out.pyi").read_text(encoding="utf-8")

    def test_structs_are_as_large_as_in_c(self):
        module, stub = self.generated(HEADER.replace("struct Other* other, pintle_error* error", "uint32_t n"))
        self.assertEqual(ctypes.sizeof(module.pintle_pair), 4 + 4 + 64 + 8 + 8 + 8)
        self.assertEqual(module.pintle_pair_value_inner._fields_, [("from_", ctypes.c_uint16)])
        self.assertEqual(module.PINTLE_NONE, -1)
        self.assertEqual(module.parameters("pintle_use")[0], module.pintle_thing)
        self.assertIn("class pintle_pair(Structure):\n    size: int\n    dims: Any\n", stub)
        with self.assertRaises(AttributeError):
            module.pintle_none

    def test_an_unknown_type_is_an_error(self):
        with self.assertRaisesRegex(SystemExit, "Other"):
            self.generated(HEADER)

    def test_every_header_is_taken(self):
        with tempfile.TemporaryDirectory() as folder:
            generate_c.main(ROOT / "include/pintle/c", f"{folder}/out.py", f"{folder}/out.pyi")
            text = (Path(folder) / "out.py").read_text(encoding="utf-8")
        headers = c_headers.read(ROOT / "include/pintle/c")
        self.assertEqual(text.count(": lambda: ("), headers.count("PINTLE_C_API pintle_status pintle_"))
        declared = re.findall(r"^typedef struct (\w+) \{", headers, re.MULTILINE)
        self.assertEqual([name for name in declared if f'"{name}": (' not in text], [])


if __name__ == "__main__":
    unittest.main()
