"""What `cmake --install` puts somewhere is in exactly one component: a package of Debian has it, and no file is in two."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD = sys.argv.pop(1)
COMPONENTS = ("runtime", "development", "tools", "mpi", "opencl_c")


class Components(unittest.TestCase):
    def installed(self, *arguments):
        """The files of an install, without their contents."""
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["cmake", "--install", BUILD, "--prefix", folder, *arguments], stdout=subprocess.DEVNULL, check=True)
            return sorted(str(path.relative_to(folder)) for path in Path(folder).rglob("*") if path.is_symlink() or path.is_file())

    def test_each_file_is_in_one(self):
        parts = {component: self.installed("--component", component) for component in COMPONENTS}
        self.assertEqual(sorted(sum(parts.values(), [])), self.installed())
        for component, part in (("runtime", "libpintle.so.0"), ("development", "libpintle.so"), ("development", "pintle++.pc"), ("tools", "pintle")):
            self.assertIn(part, [Path(path).name for path in parts[component]])


if __name__ == "__main__":
    unittest.main()
