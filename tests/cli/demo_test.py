"""The demo: its table, its pictures, and what it says against bad ones."""

import json
import math
import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

import png
from harness import FAILED, INVALID, IO, CommandCase, clean_environment

DEMO = os.environ["DEMO"]
KERNELS = Path(__file__).resolve().parents[2] / "examples" / "demo" / "kernels"
ROW = re.compile(r"^(\S+) +(draw|blur|sobel|all) +([0-9.]+) +([0-9.]+)(?: +(\S+) +(\S+))?( +TOO LARGE)?$")


def edges_of(rows):
    """Blur and Sobel in Python, as the picture shows them."""
    height, width = len(rows), len(rows[0])
    weights = [math.exp(-k * k / 2) for k in range(-2, 3)]
    total = sum(weights)

    def at(picture, y, x):
        return picture[min(max(y, 0), height - 1)][min(max(x, 0), width - 1)]

    def blurred(y, x):
        return sum(weights[i] * weights[j] / total ** 2 * at(rows, y + i - 2, x + j - 2) for i in range(5) for j in range(5))

    smooth = [[blurred(y, x) for x in range(width)] for y in range(height)]

    def gradient(y, x):
        across = sum(w * (at(smooth, y + k, x + 1) - at(smooth, y + k, x - 1)) for k, w in ((-1, 1), (0, 2), (1, 1)))
        down = sum(w * (at(smooth, y + 1, x + k) - at(smooth, y - 1, x + k)) for k, w in ((-1, 1), (0, 2), (1, 1)))
        return min(255, math.hypot(across, down) / 2)

    return [[gradient(y, x) for x in range(width)] for y in range(height)]


class Demo(CommandCase):
    def demo(self, *arguments, code=0, environment=None):
        environment = {**clean_environment(), "PINTLE_CACHE_DIR": self.cache.name, **(environment or {})}
        result = subprocess.run([DEMO, *arguments], cwd=self.folder, env=environment, text=True, capture_output=True, timeout=240,
                                check=False)
        if code is not None:
            self.assertEqual(result.returncode, code, f"{arguments}\n{result.stdout}\n{result.stderr}")
        return result

    def rows(self, text):
        """(device, kernel) -> (difference, tolerance, whether it is too large) of each row with a kernel."""
        found = [ROW.match(line) for line in text.splitlines()]
        return {(m[1], m[2]): (float(m[5]), float(m[6]), bool(m[7])) for m in found if m and m[2] != "all"}

    def edges(self, name="edges.png"):
        return png.decode_gray((self.folder / name).read_bytes())

    def picture(self, *encoded, **options):
        (self.folder / "picture.png").write_bytes(png.encode(*encoded, **options))
        self.demo("picture.png")
        return self.edges()

    def expect_edges(self, found, rows):
        width, height, edges = found
        self.assertEqual((width, height), (len(rows[0]), len(rows)))
        for row, expected in zip(edges, edges_of(rows)):
            for value, exact in zip(row, expected):
                self.assertTrue(exact - 1.01 < value < exact + 0.01, f"{value} where {exact} is expected")

    def test_the_drawn_picture_has_edges_within_the_tolerance(self):
        result = self.demo("--draw", "drawn.png")
        self.assertIn("1920 x 1080 pixels", result.stdout)
        rows = self.rows(result.stdout)
        self.assertEqual({key for key in rows if key[0].startswith("cpu")},
                         {(device, kernel) for device in ("cpu", "cpu?inline") for kernel in ("draw", "blur", "sobel")})
        self.assertNotIn("null", {device for device, _ in rows})
        for (_, kernel), (difference, tolerance, too_large) in rows.items():
            self.assertFalse(too_large)
            self.assertLessEqual(difference, tolerance)
            self.assertEqual(kernel == "draw", tolerance == 0)
            self.assertEqual(kernel == "draw", difference == 0)  # f32 rounds: no difference at all would be no comparison
        width, height, edges = self.edges()
        self.assertEqual((width, height), (1920, 1080))
        values = [value for row in edges for value in row]
        self.assertGreater(sum(value > 200 for value in values), 5000)
        self.assertGreater(sum(value < 8 for value in values), 1000000)
        first = (self.folder / "edges.png").read_bytes()
        self.demo("drawn.png", "--out", "again.png")
        self.assertEqual((self.folder / "again.png").read_bytes(), first)

    def test_absent_devices_are_rows_with_the_reason_and_the_command(self):
        nothing = str(self.folder / "none")
        result = self.demo(environment={"VK_ICD_FILENAMES": nothing, "OCL_ICD_VENDORS": nothing})
        for backend in ("vulkan", "opencl"):
            self.assertRegex(result.stdout, rf"(?m)^{backend} +not there: \S.* \./dev demo --devices installs one in software\.$")
        self.assertNotIn("not there", self.demo("--device", "cpu", environment={"VK_ICD_FILENAMES": nothing}).stdout)

    def test_a_gray_picture_is_blurred_and_its_edges_found(self):
        rows = [[(37 * x * x + 91 * y + 50 * (x > 6)) % 256 for x in range(13)] for y in range(9)]
        self.expect_edges(self.picture(13, 9, 8, png.GRAY, rows), rows)

    def test_pictures_wider_than_a_tile_have_no_seams(self):
        rows = [[(x * 7 + y * 13) % 251 for x in range(600)] for y in range(40)]
        self.expect_edges(self.picture(600, 40, 8, png.GRAY, rows), rows)

    def test_pictures_of_one_pixel_row_or_column(self):
        for width, height in ((1, 1), (1, 5), (5, 1), (2, 2)):
            rows = [[(90 * x + 40 * y) % 256 for x in range(width)] for y in range(height)]
            self.expect_edges(self.picture(width, height, 8, png.GRAY, rows), rows)

    def test_every_kind_of_picture_becomes_gray(self):
        rows = [[0, 0, 255, 255, 255], [0, 0, 0, 255, 255], [0, 0, 0, 0, 255]]
        three = [[value for value in row for _ in range(3)] for row in rows]
        four = [[value for v in row for value in (v, v, v, 255)] for row in rows]
        clear = [[value for v in row for value in (255, 255, 255, v)] for row in rows]  # white, transparent where black is expected
        deep = [[value for v in row for value in (v, v)] for row in rows]
        bits = [[sum((v // 255) << (7 - i) for i, v in enumerate(row))] for row in rows]
        indexed = [[v // 255 for v in row] for row in rows]
        for depth, colour, data, palette in ((8, png.GRAY, rows, None), (8, png.RGB, three, None), (8, png.RGBA, four, None),
                                             (8, png.RGBA, clear, None), (16, png.GRAY, deep, None), (1, png.GRAY, bits, None),
                                             (8, png.GRAY_ALPHA, [[w for v in row for w in (v, 255)] for row in rows], None),
                                             (8, png.PALETTE, indexed, [0, 0, 0, 255, 255, 255])):
            with self.subTest(depth=depth, colour=colour):
                self.expect_edges(self.picture(5, 3, depth, colour, data, palette=palette), rows)

    def test_bad_pictures_are_refused(self):
        whole = png.encode(64, 64, 8, png.GRAY, [[x * y % 256 for x in range(64)] for y in range(64)])
        huge = png.SIGNATURE + png.header(900000, 900000, 8, png.GRAY) + png.chunk(b"IDAT", b"") + png.chunk(b"IEND", b"")
        large = png.SIGNATURE + png.header(8000, 8000, 8, png.GRAY) + png.chunk(b"IDAT", b"") + png.chunk(b"IEND", b"")
        beyond = png.SIGNATURE + png.header(2 ** 31, 1, 8, png.GRAY) + png.chunk(b"IDAT", b"") + png.chunk(b"IEND", b"")
        empty = png.SIGNATURE + png.header(0, 5, 8, png.GRAY) + png.chunk(b"IDAT", b"") + png.chunk(b"IEND", b"")
        damaged = whole[:60] + bytes([whole[60] ^ 1]) + whole[61:]
        for name, data, words in (("text", b"no picture", "PNG"), ("nothing", b"", "PNG"), ("cut", whole[:-40], "decoded"),
                                  ("short", whole[:20], "PNG"), ("huge", huge, "33554432"), ("large", large, "64000000"),
                                  ("beyond", beyond, "PNG"), ("empty", empty, "PNG"), ("damaged", damaged, "decoded")):
            with self.subTest(name):
                (self.folder / "bad.png").write_bytes(data)
                result = self.demo("bad.png", code=2)
                self.assertIn("bad.png", result.stderr)
                self.assertIn(words, result.stderr)
                self.assertFalse((self.folder / "edges.png").exists())
        self.assertIn("nowhere.png", self.demo("nowhere.png", code=2).stderr)
        self.assertIn("decoded", self.truncated_data())

    def truncated_data(self):
        """Chunks in order, with pixels missing in the compressed stream."""
        whole = png.encode(64, 64, 8, png.GRAY, [[x * y % 256 for x in range(64)] for y in range(32)])
        (self.folder / "bad.png").write_bytes(whole)
        return self.demo("bad.png", code=2).stderr

    def wrong_kernels(self, old, new):
        folder = self.folder / "kernels"
        shutil.copytree(KERNELS, folder, dirs_exist_ok=True)
        code = (KERNELS / "edges.c").read_text()
        self.assertIn(old, code)
        (folder / "edges.c").write_text(code.replace(old, new))
        described = json.loads((KERNELS / "pack.json").read_text())  # the cpu takes OpenCL C as well, where clang is
        described.pop("sources")
        (folder / "pack.json").write_text(json.dumps(described))
        return self.demo("--pack", str(folder), "--device", "cpu", code=1)

    def test_wrong_kernels_are_beyond_the_tolerance(self):
        for kernel, old, new in (("draw", "? 220 : 40", "? 221 : 40"), ("blur", "0.24420135f", "0.24420200f"),
                                 ("sobel", "2 * (rows[2][x]", "2.0001f * (rows[2][x]"), ("sobel", "sqrtf(", "0 * sqrtf(-1 - ")):
            with self.subTest(kernel, new=new):
                rows = self.rows(self.wrong_kernels(old, new).stdout)
                self.assertIn((kernel, True), {(key[1], row[2]) for key, row in rows.items()})

    def test_kernels_that_fail_are_a_failure(self):
        result = self.wrong_kernels("void blur(", "voit blur(")
        self.assertIn("voit", result.stderr)
        (self.folder / "none").mkdir()
        (self.folder / "none" / "pack.json").write_text(json.dumps({"name": "none", "entries": ["f()"], "variants": [{"format": "native"}]}))
        self.demo("--pack", "none", "--device", "cpu", code=1)

    def test_devices_that_take_no_variant_are_skipped_with_the_reason(self):
        self.command("pack", KERNELS, "--format", "ptx", "--format", "glsl", "-o", "others.pack")
        (self.folder / "small.png").write_bytes(png.encode(2, 2, 8, png.GRAY, [[0, 255], [255, 0]]))
        result = self.demo("small.png", "--pack", "others.pack", code=None)
        self.assertRegex(result.stdout, r"(?m)^cpu +skipped: it takes native, so, c(, opencl_c)?; the kernels are there as (ptx for sm_90, )?glsl$")
        ran = {device for device, _ in self.rows(result.stdout)}
        self.assertFalse(ran & {"cpu", "cpu?inline"})
        self.assertEqual(result.returncode, 0 if ran else 1)

    def test_kernels_for_an_item_draw_the_same_on_the_cpu(self):
        self.command("pack", KERNELS / "edges.cl", *(word for entry in self.signatures() for word in ("--entry", entry)),
                     "--format", "so", "-o", "items.pack")
        rows = self.rows(self.demo("--pack", "items.pack", "--device", "cpu").stdout)
        self.assertEqual(len(rows), 3)
        for difference, tolerance, too_large in rows.values():
            self.assertFalse(too_large)
            self.assertLessEqual(difference, tolerance)
        (self.folder / "small.png").write_bytes(png.encode(13, 9, 8, png.GRAY, [[(x * y * 7) % 256 for x in range(13)] for y in range(9)]))
        self.demo("small.png", "--pack", "items.pack", "--device", "cpu?inline")

    def signatures(self):
        return json.loads((KERNELS / "pack.json").read_text())["entries"]

    def test_devices_can_be_chosen(self):
        (self.folder / "small.png").write_bytes(png.encode(2, 2, 8, png.GRAY, [[0, 255], [255, 0]]))
        result = self.demo("small.png", "--device", "cpu?inline", "--device", "cpu")
        self.assertEqual([device for device, _ in self.rows(result.stdout)], ["cpu?inline"] * 2 + ["cpu"] * 2)
        self.assertIn("dance", self.demo("small.png", "--device", "dance", code=1).stderr)

    def test_usage(self):
        self.assertIn("--out", self.demo("--help").stdout)
        for arguments in (["--dance"], ["--out"], ["--device"], ["a.png", "b.png"], [""]):
            self.assertIn("--out", self.demo(*arguments, code=2).stderr)

    def test_an_unwritable_output_is_a_failure(self):
        rows = [[0, 255], [255, 0]]
        (self.folder / "picture.png").write_bytes(png.encode(2, 2, 8, png.GRAY, rows))
        self.assertIn("nowhere", self.demo("picture.png", "--out", "nowhere/edges.png", code=1).stderr)


class Verb(CommandCase):
    """`pintle demo`: the same code, with the command's own words for absent devices and its exit codes."""

    def small_picture(self):
        (self.folder / "small.png").write_bytes(png.encode(9, 5, 8, png.GRAY, [[(x * y * 7) % 256 for x in range(9)] for y in range(5)]))
        return "small.png"

    def test_the_table_is_that_of_the_demo(self):
        lines = self.command("demo", self.small_picture(), "--device", "cpu", "--out", "found.png").stdout.splitlines()
        self.assertRegex(lines[0], r"^9 x 5 pixels; median of up to \d+ runs$")
        self.assertEqual([line.split()[:2] for line in lines[2:5]], [["cpu", "blur"], ["cpu", "sobel"], ["cpu", "all"]])
        self.assertEqual(lines[5:], ["edges: found.png"])
        self.assertEqual(png.decode_gray((self.folder / "found.png").read_bytes())[:2], (9, 5))

    def test_the_rows_are_a_document_with_json(self):
        document = self.json("demo", self.small_picture(), "--device", "cpu?inline")
        self.assertEqual((document["width"], document["height"], document["edges"]), (9, 5, "edges.png"))
        self.assertEqual([(row["device"], row["kind"], row["kernel"]) for row in document["rows"]],
                         [("cpu?inline", "kernel", "blur"), ("cpu?inline", "kernel", "sobel"), ("cpu?inline", "all", "all")])
        for row in document["rows"][:2]:
            self.assertTrue(row["holds"])
            self.assertLessEqual(row["largest_difference"], row["tolerance"])
            self.assertGreater(row["gigabytes_per_second"], 0)

    def test_absent_devices_name_the_package_that_brings_one(self):
        nothing = str(self.folder / "none")
        result = self.command("demo", self.small_picture(), environment={"VK_ICD_FILENAMES": nothing, "OCL_ICD_VENDORS": nothing})
        for backend, package in (("vulkan", "mesa-vulkan-drivers"), ("opencl", "pocl-opencl-icd")):
            self.assertRegex(result.stdout, rf"(?m)^{backend} +not there: \S.*\b{package}\b")

    def test_failures_have_the_commands_exit_codes(self):
        self.refused("demo", "nowhere.png", code=IO, words=["nowhere.png"])
        (self.folder / "bad.png").write_bytes(b"no picture")
        self.refused("demo", "bad.png", code=INVALID, words=["bad.png", "PNG"])
        result = self.command("demo", self.small_picture(), "--device", "dance", code=FAILED)
        self.assertIn("dance", result.stderr)
        self.assertNotIn("edges:", result.stdout)


if __name__ == "__main__":
    unittest.main()
