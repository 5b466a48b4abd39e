"""`pintle pack x.wgsl`: the entries that a text of WGSL says, and what is refused before a driver sees it."""

import unittest

from harness import FAILED, INVALID, CommandCase

SAXPY = """struct Scalars { a: f32, n: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> scalars: Scalars;
override side: u32 = 64;
@compute @workgroup_size(side) fn saxpy(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < scalars.n) { y[id.x] += scalars.a * x[id.x]; }
}
@compute @workgroup_size(8, 4) fn clear(@builtin(local_invocation_index) at: u32) { y[at] = 0; }
"""
SIGNATURES = ["saxpy(x: read f32[], y: read_write f32[], a: f32, n: u32) group side=64", "clear(y: write f32[]) group 8,4"]


class Wgsl(CommandCase):
    def write(self, text=SAXPY):
        (self.folder / "k.wgsl").write_text(text)

    def test_the_text_says_its_entries(self):
        self.write()
        document = self.json("pack", "k.wgsl", "-o", "k.pack")
        self.assertEqual([each["format"] for each in document["variants"]], ["wgsl"])
        self.assertEqual([each["signature"] for each in document["variants"][0]["entries"]], SIGNATURES)
        declared = [word for signature in SIGNATURES for word in ("--entry", signature)]
        self.command("pack", "k.wgsl", *declared, "-o", "declared.pack")
        self.assertEqual((self.folder / "k.pack").read_bytes(), (self.folder / "declared.pack").read_bytes())

    def test_a_difference_from_the_signature_is_named(self):
        self.write()
        for wrong, words in (("clear(y: write u32[]) group 8,4", ['Entry "clear" of Variant wgsl has elements of (f32)']),
                             ("clear(y: write f32[]) group 8", ["group"]), ("none()", ['has no entry "none"; it has saxpy, clear'])):
            self.refused("pack", "k.wgsl", "--entry", wrong, "-o", "no.pack", code=FAILED, words=words)

    def test_a_text_that_is_none_is_refused_with_its_line(self):
        self.write("@group(0) @binding(0)\nvar<storage x;\n")
        self.refused("pack", "k.wgsl", "-o", "no.pack", code=INVALID, words=["Line 2", "k.wgsl"])

    def test_a_macro_is_refused(self):
        self.write()
        self.refused("pack", "k.wgsl", "-D", "N=1", "-o", "no.pack", code=INVALID, words=['no macro "N"', "override"])


if __name__ == "__main__":
    unittest.main()
