"""Macros, included files and the version of the language: in `pintle pack`, and in packs."""

import json
import struct
import unittest

from compilers_test import CLANG, CompilersCase, needs_glslc
from harness import FAILED, INVALID, USAGE

WRITES = "f(x: write i32[]) group 1"


class Fixed(CompilersCase):
    """What is fixed in a source is a part of its text, so that the pack needs no folder."""

    def text_of(self, index=0):
        return self.code_of(index).decode()

    def pack_options(self, *options, entry=WRITES, source="k.cl", form="opencl_c"):
        return self.json("pack", source, "--entry", entry, "--format", form, *options, "-o", "out.pack")

    def test_a_macro_is_a_default_in_front_of_the_text(self):
        text = "kernel void f(global int* x) { x[0] = SCALE * TWICE; }\n"
        (self.folder / "k.cl").write_text(text)
        self.pack_options("-D", "SCALE=(3 + 4)", "-DTWICE")
        self.assertEqual(self.text_of(), "#ifndef SCALE\n#define SCALE (3 + 4)\n#endif\n#ifndef TWICE\n#define TWICE 1\n#endif\n"
                         '#line 1 "k.cl"\n' + text)
        self.pack_options()
        self.assertEqual(self.text_of(), text)

    @unittest.skipUnless(CLANG, "clang 19 or later is not installed")
    def test_macros_decide_what_is_compiled(self):
        (self.folder / "k.cl").write_text("#ifdef WIDE\ntypedef float4 real;\n#else\ntypedef float real;\n#endif\n"
                                          "kernel void f(global int* x, real a) { x[0] = 1; }\n")
        self.pack_options("-D", "WIDE", entry="f(x: write i32[], a: f32x4)")
        self.refuse("k.cl", (self.folder / "k.cl").read_text(), "f(x: write i32[], a: f32x4)", words=["(real)", "f32x4"], options=("--format", "opencl_c"))
        (self.folder / "k.cl").write_text("\nkernel void f(global int* x) { x[0] = wrong; }\n")
        self.refused("pack", "k.cl", "--entry", WRITES, "-D", "A=1", "-D", "B=2", "-o", "out.pack", code=FAILED, words=["k.cl:2:", "wrong"])

    def test_included_files_are_part_of_the_pack(self):
        (self.folder / "inc" / "deep").mkdir(parents=True)
        (self.folder / "k.cl").write_text('#include "near.h"\n/*\n#include "comment.h"\n*/\n#include <far.h>\n#include <nowhere.h>\n'
                                          "kernel void f(global int* x) { x[0] = NEAR + FAR; }\n")
        (self.folder / "near.h").write_text("#pragma once\n#define NEAR 1\n")
        (self.folder / "inc" / "far.h").write_text('#ifndef FAR_H\n#define FAR_H\n#include "deep/own.h"\n#include "../near.h"\n#endif')
        (self.folder / "inc" / "deep" / "own.h").write_text('#include "../far.h"\n#define FAR 2\n')
        (self.folder / "nowhere.h").write_text("no")  # <...> looks into the folders alone
        refused = self.refused("pack", "k.cl", "--entry", WRITES, "-I", "inc", "-o", "out.pack", code=FAILED, words=["k.cl:6:", "nowhere.h"]) if CLANG else None
        del refused
        (self.folder / "k.cl").write_text((self.folder / "k.cl").read_text().replace("#include <nowhere.h>\n", ""))
        self.pack_options("-I", "inc")
        self.assertEqual(self.text_of(), """#ifndef PINTLE_INCLUDED_0
#define PINTLE_INCLUDED_0
#line 1 "near.h"
#pragma once
#define NEAR 1
#endif
#line 2 "k.cl"
/*
#include "comment.h"
*/
#line 1 "far.h"
#ifndef FAR_H
#define FAR_H
#line 1 "deep/own.h"
#line 2 "deep/own.h"
#define FAR 2
#line 4 "far.h"
#ifndef PINTLE_INCLUDED_0
#define PINTLE_INCLUDED_0
#line 1 "../near.h"
#pragma once
#define NEAR 1
#endif
#line 5 "far.h"
#endif
#line 6 "k.cl"
kernel void f(global int* x) { x[0] = NEAR + FAR; }
""")

    def test_a_file_that_includes_itself(self):
        (self.folder / "k.cl").write_text('#include "self.h"\nkernel void f(global int* x) { x[0] = 1; }\n')
        (self.folder / "self.h").write_text('#include "self.h"\n')
        self.refused("pack", "k.cl", "--entry", WRITES, "-o", "out.pack", code=INVALID, words=['"self.h" includes itself'])

    @needs_glslc
    def test_a_shader_keeps_its_version_in_front(self):
        text = """#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) writeonly buffer X { int x[]; };
void main() { x[0] = VALUE; }
"""
        (self.folder / "k.comp").write_text(text)
        self.pack_options("-D", "VALUE=7", source="k.comp", form="glsl")
        rest = text.split("\n", 1)[1]
        self.assertEqual(self.text_of(), "#version 450\n#ifndef VALUE\n#define VALUE 7\n#endif\n#line 2\n" + rest)
        self.pack_options("-D", "VALUE=7", "--language", "460core", source="k.comp", form="glsl")
        self.assertEqual(self.text_of(), "#version 460 core\n#ifndef VALUE\n#define VALUE 7\n#endif\n#line 2\n" + rest)
        self.refused("pack", "k.comp", "--entry", WRITES, "-o", "out.pack", code=FAILED, words=["k.comp:4: error: 'VALUE'"])

    def header(self):
        file = (self.folder / "out.pack").read_bytes()
        (length,) = struct.unpack_from("<Q", file, 48)
        return json.loads(file[64:64 + length])

    def test_the_version_of_a_source_travels_in_the_pack(self):
        (self.folder / "k.cl").write_text("kernel void f(global int* x) { x[0] = __OPENCL_C_VERSION__; }\n")
        self.pack_options("--language", "CL1.2")
        self.assertEqual(self.header()["variants"][0]["language"], "CL1.2")
        self.assertIn("CL1.2", self.command("pack", "--list", "out.pack").stdout)
        self.assertEqual(self.json("pack", "--list", "out.pack")["variants"][0]["language"], "CL1.2")
        self.pack_options()
        self.assertNotIn("language", self.header()["variants"][0])

    @unittest.skipUnless(CLANG, "clang 19 or later is not installed")
    def test_the_version_goes_to_the_compiler(self):
        text = "#if __OPENCL_C_VERSION__ >= 200\n#error too new\n#endif\nkernel void f(global int* x) { x[0] = 1; }\n"
        (self.folder / "k.cl").write_text(text)
        for form in ("opencl_c", "ptx"):
            self.pack_options("--language", "CL1.2", form=form)
        self.refused("pack", "k.cl", "--entry", WRITES, "-o", "out.pack", code=FAILED, words=["k.cl:2:", "too new"])
        (self.folder / "k.c").write_text("#if __STDC_VERSION__ < 201710L\n#error too old\n#endif\nvoid f(const pintle_group* g, int32_t* x) { (void)g; x[0] = 1; }\n")
        self.pack_options("--language", "c17", source="k.c", form="c")
        self.refused("pack", "k.c", "--entry", WRITES, "-o", "out.pack", code=FAILED, words=["k.c:2:", "too old"])

    def test_what_is_no_version_or_macro(self):
        (self.folder / "k.cl").write_text("kernel void f(global int* x) { x[0] = 1; }\n")
        for version in ("CL9", "c17", "CL2.0 -include x"):
            self.refused("pack", "k.cl", "--entry", WRITES, "--language", version, "-o", "out.pack", code=INVALID, words=[f'"{version}"', "CL1.2", "c17", "460"])
        for macro in ("1=2", "A B", "=3", "A=1\n#error"):
            self.refused("pack", "k.cl", "--entry", WRITES, "-D", macro, "-o", "out.pack", code=USAGE, words=["NAME or NAME=TEXT"])
        (self.folder / "pack.json").write_text(json.dumps({"name": "p", "entries": [WRITES], "sources": [{"file": "k.cl"}]}))
        self.refused("pack", "pack.json", "-D", "A", "-o", "out.pack", code=INVALID, words=["--define"])

    def describe(self, **source):
        (self.folder / "p").mkdir(exist_ok=True)
        (self.folder / "p" / "k.cl").write_text('#include "n.h"\nkernel void f(global int* x) { x[0] = N; }\n')
        (self.folder / "p" / "pack.json").write_text(json.dumps({"name": "p", "entries": [WRITES], "sources": [{"file": "k.cl", "formats": ["opencl_c"], **source}]}))

    def test_a_description_says_the_same(self):
        self.describe(macros={"N": "5"}, language="CL1.2", include_folders=["inc"])
        (self.folder / "p" / "inc").mkdir()
        (self.folder / "p" / "inc" / "n.h").write_text("// from inc\n")
        self.json("pack", "p", "-o", "out.pack")
        self.assertIn("#define N 5", self.text_of())
        self.assertIn("// from inc", self.text_of())
        self.assertEqual(self.header()["variants"][0]["language"], "CL1.2")
        self.json("pack", "--list", "p", environment={"PATH": "/nowhere"})  # a folder opens without compilers
        for source, words in (({"macros": {"1": "2"}}, ["$.sources[0].macros"]), ({"language": "CL9"}, ["CL9"]), ({"include_folders": ["../x"]}, ["include_folders"])):
            self.describe(**source)
            self.refused("pack", "p", "-o", "out.pack", code=INVALID, words=words)

    def test_a_description_includes_nothing_from_outside(self):
        self.describe()
        (self.folder / "outside.h").write_text("#define N 1\n")
        (self.folder / "p" / "n.h").symlink_to(self.folder / "outside.h")
        self.refused("pack", "p", "-o", "out.pack", code=INVALID, words=['"n.h" is outside of the folder'])

    def test_a_version_of_a_compiled_variant_is_refused(self):
        (self.folder / "k.txt").write_text("kernel void f(global int* x) { x[0] = 1; }\n")
        for form, language in (("ptx", "CL2.0"), ("opencl_c", "c17"), ("opencl_c", "CL2.0 -w")):
            (self.folder / "pack.json").write_text(json.dumps({"name": "p", "entries": [WRITES], "variants": [{"format": form, "file": "k.txt", "language": language}]}))
            self.refused("pack", ".", "-o", "out.pack", code=INVALID, words=["$.variants[0]", "has the language"])


class Sides(CompilersCase):
    """Groups by constants, with sizes of their own in compiled variants."""

    TILED = "kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void f(global int* x) { x[get_global_id(0)] = TILE; }\n"

    @unittest.skipUnless(CLANG, "clang 19 or later is not installed")
    def test_a_side_is_a_macro_with_a_default(self):
        (self.folder / "k.cl").write_text(self.TILED)
        document = self.json("pack", "k.cl", "--entry", "f(x: write i32[]) group TILE=16,TILE", "--format", "opencl_c", "--format", "ptx", "-o", "out.pack")
        signatures = {one["format"]: one["entries"][0]["signature"] for one in document["variants"]}
        self.assertEqual(signatures, {"opencl_c": "f(x: write i32[]) group TILE=16,TILE", "ptx": "f(x: write i32[]) group 16,16"})
        self.assertIn("#ifndef TILE\n#define TILE 16\n#endif\n", self.code_of(0).decode())
        self.assertRegex(self.code_of(1).decode(), r"mov\.b32\s+%r\d+, 16;")

    def test_variants_have_groups_of_their_own(self):
        for name in ("a", "b"):
            (self.folder / f"{name}.c").write_text("void f(const pintle_group* g, int32_t* x) { (void)g; x[0] = 1; }\n")
        variants = [{"format": "c", "file": "a.c", "entries": ["f(x: write i32[n,4] align 16, n: u32) group N=8"]},
                    {"format": "c", "target": "x86_64-linux", "file": "b.c", "entries": ["f(x: write i32[n,4] align 16, n: u32) group 32 subgroup 8"]}]
        (self.folder / "a.c").write_text("void f(const pintle_group* g, int32_t* x, uint32_t n) { (void)g; x[0] = (int)n; }\n")
        (self.folder / "b.c").write_text((self.folder / "a.c").read_text())
        (self.folder / "pack.json").write_text(json.dumps({"name": "p", "variants": variants}))
        document = self.json("pack", ".", "-o", "out.pack")
        self.assertEqual([one["entries"][0]["signature"] for one in document["variants"]],
                         ["f(x: write i32[n,4] align 16, n: u32) group N=8", "f(x: write i32[n,4] align 16, n: u32) group 32 subgroup 8"])
        variants[1]["entries"] = ["f(x: write i32[4,n] align 16, n: u32)"]
        (self.folder / "pack.json").write_text(json.dumps({"name": "p", "variants": variants}))
        self.refused("pack", ".", "-o", "out.pack", code=INVALID, words=["i32[4,n]", "earlier variant", "i32[n,4]"])


if __name__ == "__main__":
    unittest.main()
