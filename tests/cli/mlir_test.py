"""`pintle pack x.mlir`: the entries that a text of StableHLO says, and what is refused before a plug-in sees it."""

import unittest

from harness import FAILED, INVALID, CommandCase

TEXT = """!x = tensor<?xf32>
!out = tensor<?xf32>
func.func @step(%x: !x {tf.aliasing_output = 0 : i32}, %by: tensor<f32>, %other: tensor<4x8xi1>) -> (!x, tensor<ui32>) {
  %all = stablehlo.broadcast_in_dim %by, dims = [] : (tensor<f32>) -> !x
  %sum = stablehlo.add %x, %all : !x
  %one = stablehlo.constant dense<1> : tensor<ui32>
  return %sum, %one : !x, tensor<ui32>
}
func.func private @inner(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }
func.func public @copy(%out: tensor<2xi8>, %0: !x) -> !out { return %0 : !x }
func.func @double(%x: !x) -> !out { return %x : !x }
"""
SIGNATURES = ["step(x: read_write f32[], by: f32, other: read bool[4,8], result1: write u32[1])", "double(x: read f32[], out: write f32[])"]


class Mlir(CommandCase):
    def write(self, text=TEXT):
        (self.folder / "k.mlir").write_text(text)

    def test_the_text_says_its_entries(self):
        self.write()
        document = self.json("pack", "k.mlir", "-o", "k.pack")
        self.assertEqual([each["format"] for each in document["variants"]], ["stablehlo"])
        self.assertEqual([each["signature"] for each in document["variants"][0]["entries"]], SIGNATURES)
        declared = [word for signature in SIGNATURES for word in ("--entry", signature)]
        self.command("pack", "k.mlir", *declared, "-o", "declared.pack")
        self.assertEqual((self.folder / "k.pack").read_bytes(), (self.folder / "declared.pack").read_bytes())

    def test_what_is_left_out_is_named(self):
        self.write()
        said = self.command("pack", "k.mlir", "-o", "k.pack").stderr
        self.assertIn('Entry "copy" of Source "k.mlir" leaves sizes open that are those of "x", which is no argument; name the entries', said)

    def test_an_entry_that_is_not_there_is_named(self):
        self.write()
        self.refused("pack", "k.mlir", "--entry", "inner(x: f32, y: write f32[1])", "-o", "no.pack", code=FAILED,
                     words=['has no entry "inner"; it has step, copy, double'])

    def test_a_text_that_is_none_is_refused_with_its_line(self):
        self.write("!x = tensor<?xf32>\nfunc.func @step(%x: !x -> !x {\n")
        self.refused("pack", "k.mlir", "-o", "no.pack", code=INVALID, words=["line 2", "k.mlir"])

    def test_bytecode_needs_declared_entries(self):
        (self.folder / "k.mlir").write_bytes(b"ML\xefR\x0dStableHLO_v1.0.0\x00" + bytes(16))
        self.refused("pack", "k.mlir", "-o", "no.pack", code=INVALID, words=["bytecode", "--entry"])
        self.command("pack", "k.mlir", "--entry", "main(x: read f32[4], y: write f32[4])", "-o", "k.pack")

    def test_a_macro_is_refused(self):
        self.write()
        self.refused("pack", "k.mlir", "-D", "N=1", "-o", "no.pack", code=INVALID, words=['no macro "N"', "StableHLO"])


if __name__ == "__main__":
    unittest.main()
