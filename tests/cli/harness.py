"""What the tests of the command share: running it, a folder to work in, .npy files and packs."""

import ast
import json
import os
import pty
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

PINTLE = os.environ["PINTLE"]

# Exit codes, as src/cli/README.md has them.
OK, FAILED, USAGE, UNAVAILABLE, INVALID, IO, BUILD_FAILED = range(7)

SAXPY = "saxpy(a: f32, x: read f32[], y: read_write f32[], n: u32) group 256"
SAXPY_CODE = """
void saxpy(const pintle_group* group, void* const* arguments) {
  const float a = *(const float*)arguments[0];
  const float* x = arguments[1];
  float* y = arguments[2];
  const uint32_t n = *(const uint32_t*)arguments[3];
  const uint32_t first = group->id[0] * group->size[0];
  const uint32_t count = n - first < group->size[0] ? n - first : group->size[0];
  for (uint32_t i = first; i < first + count; ++i) y[i] = a * x[i] + y[i];
}
"""


def clean_environment():
    return {name: value for name, value in os.environ.items() if not name.startswith("PINTLE_")}


class CommandCase(unittest.TestCase):
    """Each test has an empty folder; those of one class share a cache of compiled programs."""

    @classmethod
    def setUpClass(cls):
        cls.cache = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.cache.cleanup)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def command(self, *arguments, code=OK, environment=None, **options):
        """Runs the command in the test's folder; its exit code must be `code`. The outputs are text."""
        variables = {**clean_environment(), "PINTLE_CACHE_DIR": self.cache.name, **(environment or {})}
        options = {"stdout": subprocess.PIPE, **options}
        result = subprocess.run([PINTLE, *map(str, arguments)], cwd=self.folder, env=variables, stderr=subprocess.PIPE,
                                stdin=subprocess.DEVNULL, text=True, timeout=240, check=False, **options)
        self.assertEqual(result.returncode, code, f"{arguments}\n{result.stdout}\n{result.stderr}")
        return result

    def json(self, *arguments, **options):
        """The document that the command prints with --json."""
        return json.loads(self.command(*arguments, "--json", **options).stdout)

    def refused(self, *arguments, code, words, **options):
        """The command fails with `code`, prints no data and says all of `words` on standard error."""
        result = self.command(*arguments, code=code, **options)
        self.assertEqual(result.stdout, "")
        for word in words:
            self.assertIn(word, result.stderr)
        return result

    def shown(self, *arguments, environment=None):
        """What a terminal gets of both outputs, byte by byte; the exit code is not looked at."""
        controller, terminal = pty.openpty()
        variables = {**clean_environment(), "PINTLE_CACHE_DIR": self.cache.name, **(environment or {})}
        with subprocess.Popen([PINTLE, *map(str, arguments)], cwd=self.folder, env=variables, stdin=subprocess.DEVNULL, stdout=terminal,
                              stderr=terminal):
            os.close(terminal)
            text = b""
            while True:
                try:
                    more = os.read(controller, 1 << 16)
                except OSError:  # the last writer has gone
                    break
                if not more:
                    break
                text += more
        os.close(controller)
        return text

    def usage_error(self, *arguments, words):
        """A wrong command line with --json: exit code 2, an error as the document, and the same words on standard error."""
        result = self.command(*arguments, "--json", code=USAGE)
        error = json.loads(result.stdout)["error"]
        self.assertEqual((error["code"], error["context"], error["exit"]), ("invalid_argument", [], USAGE))
        for word in words:
            self.assertIn(word, error["message"])
            self.assertIn(word, result.stderr)

    def folder_pack(self, code, *signatures, form="c"):
        """Writes a folder that is opened as a pack: nobody has looked at its kernels."""
        (self.folder / "kernel.txt").write_text(code)
        description = {"name": "program", "entries": list(signatures), "variants": [{"format": form, "file": "kernel.txt"}]}
        (self.folder / "pack.json").write_text(json.dumps(description))
        return "."

    def pack(self, code=SAXPY_CODE, *signatures, name="program", form="c"):
        """Writes a pack of one variant and returns its name in the test's folder."""
        description = {"name": name, "entries": list(signatures or [SAXPY]), "variants": [{"format": form, "file": f"{name}.txt"}]}
        (self.folder / f"{name}.txt").write_text(code)
        (self.folder / f"{name}.json").write_text(json.dumps(description))
        self.command("pack", f"{name}.json", "-o", f"{name}.pack")
        return f"{name}.pack"

    def write_npy(self, name, descr, shape, values, **options):
        (self.folder / name).write_bytes(npy_bytes(descr, shape, values, **options))
        return name

    def read_npy(self, name):
        return npy_values((self.folder / name).read_bytes())


LETTERS = {"f4": "f", "f8": "d", "u1": "B", "u4": "I", "i4": "i", "i8": "q", "b1": "?"}


def npy_bytes(descr, shape, values, fortran=False, version=1):
    """A .npy file; `values` are in the file's own order. `descr` is "<f4", ">i4", "|u1" ..."""
    text = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {tuple(shape)!r}, }}"
    prefix = 10 if version == 1 else 12
    text += " " * (-(prefix + len(text) + 1) % 64) + "\n"
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    order = ">" if descr[0] == ">" else "<"
    data = struct.pack(f"{order}{len(values)}{LETTERS[descr[1:]]}", *values)
    return b"\x93NUMPY" + bytes([version, 0]) + length + text.encode() + data


def npy_values(file):
    """(descr, shape, values) of a .npy file in C order."""
    if file[:8] != b"\x93NUMPY\x01\x00":
        raise ValueError("no .npy file of version 1.0")
    (length,) = struct.unpack_from("<H", file, 8)
    header = ast.literal_eval(file[10:10 + length].decode())
    if header["fortran_order"] or (10 + length) % 64 != 0:
        raise ValueError(f"unexpected header {header} of {length} bytes")
    descr, data = header["descr"], file[10 + length:]
    count = 1
    for dimension in header["shape"]:
        count *= dimension
    values = struct.unpack(f"<{count}{LETTERS[descr[1:]]}", data)
    return descr, header["shape"], list(values)
