"""./dev and ./dev check: the verbs, their help, and the honest counting of steps."""

import os
import re
import subprocess
import unittest
from unittest import mock

from tree import ROOT, Tree

VERBS = ["setup", "build", "test", "check", "fmt", "tidy", "layers", "size", "bench", "support", "device-tests", "demo",
         "new-backend", "nightly", "random", "pintle", "install", "quick", "hooks",
          "shake", "simulate", "package", "docs", "help"]
PASSED = '<testcase name="a" status="run"/>'
FAILED = '<testcase name="b" status="fail"><failure/></testcase>'


def dev(*arguments):
    return subprocess.run([ROOT / "dev", *arguments], text=True, capture_output=True, check=False)


class DevTest(unittest.TestCase):
    def test_help_explains_every_verb(self):
        words = dev("help").stdout
        for verb in VERBS:
            self.assertRegex(words, rf"(?m)^{verb}( .*)?\n    \S", verb)

    def test_every_verb_is_in_the_help(self):
        functions = re.findall(r"(?m)^verb_(\w+)\(\)", (ROOT / "dev").read_text(encoding="utf-8"))
        self.assertEqual(sorted(name.replace("_", "-") for name in functions), sorted(VERBS))

    def test_demo_wants_a_picture_that_is_there(self):
        result = dev("demo", "no/such.png")
        self.assertEqual((result.returncode, result.stderr), (1, 'dev: demo: there is no picture "no/such.png" that can be read.\n'))

    def test_nightly_knows_its_parts(self):
        result = dev("nightly", "dev", "frobnicate")
        self.assertEqual((result.returncode, result.stderr), (1, 'dev: nightly has no part "frobnicate".\n'))

    def test_simulate_wants_a_driver_and_a_command(self):
        for arguments, words in ((["metal", "--", "true"], 'simulate takes "cuda" or "hip", then a command.'), (["cuda", "--"], "simulate takes a command.")):
            result = dev("simulate", *arguments)
            self.assertEqual((result.returncode, result.stderr), (1, f"dev: {words}\n"))

    def test_unknown_verb_fails(self):
        result = dev("frobnicate")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn('no verb "frobnicate"', result.stderr)

    def test_new_backend_needs_a_good_name(self):
        self.assertNotEqual(dev("new-backend").returncode, 0)
        self.assertNotEqual(dev("new-backend", "Not/Good").returncode, 0)


class PackagesTest(unittest.TestCase):
    """What each verb installs: ./dev in a folder of its own, where the other programs only write down how they were called."""

    STUBS = {
        "dpkg-query": 'printf "installed %s\\n" $PACKAGES_THERE',
        "apt-get": 'echo "$*" >>calls',
        "cmake": "mkdir -p build/demo/bin build/release/bin && cp \"$STUB\" build/demo/bin/demo && cp \"$STUB\" build/release/bin/pintle",
        "ninja": "", "ctest": "", "clang-format-19": "", "python3": "", "sudo": '"$@"',
    }

    # A pip that finds nothing, and says so with what it was asked for.
    ASKED = {"build/venv/bin/pip": '#!/bin/bash\nsed "s/ .*//" "${!#}" | xargs\nfalse\n'}

    def groups(self):
        found, group = {}, None
        for line in (ROOT / "tools/packages.txt").read_text(encoding="utf-8").splitlines():
            if line.startswith("["):
                group = line[1:line.index("]")]
                found[group] = set()
            elif line and not line.startswith("#"):
                found[group].add(line)
        return found

    def run_verb(self, *arguments, there="", files=(), status=0):
        """What apt-get was told to install, and what the verb said. `files` are more of the tree, by path; what is in a bin/ can run."""
        with Tree() as tree:
            tree["dev"] = (ROOT / "dev").read_text(encoding="utf-8")
            tree["tools/packages.txt"] = (ROOT / "tools/packages.txt").read_text(encoding="utf-8")
            tree["tools/wheels.txt"] = (ROOT / "tools/wheels.txt").read_text(encoding="utf-8")
            for folder in ("src", "bench", "tests", "examples", "include"):
                tree[f"{folder}/one.cpp"] = ""
            for name, text in self.STUBS.items():
                tree[f"bin/{name}"] = f"#!/bin/bash\n{text}\n"
                (tree.root / "bin" / name).chmod(0o755)
            for path, text in {"build/venv/bin/pip": "#!/bin/bash\n", **dict(files)}.items():
                tree[path] = text
                (tree.root / path).chmod(0o755 if "/bin/" in f"/{path}" else 0o644)
            environment = {"PATH": f"{tree.root}/bin:/usr/bin:/bin", "PACKAGES_THERE": there, "STUB": str(tree.root / "bin/ninja"),
                           "HOME": str(tree.root)}
            result = subprocess.run(["bash", "dev", *arguments], cwd=tree.root, env=environment, text=True, capture_output=True, check=False)
            self.assertEqual(result.returncode, status, result.stderr)
            calls = tree["calls"].splitlines() if (tree.root / "calls").exists() else []
        real = [call for call in calls if call.startswith("install -y")]
        self.assertLessEqual(len(real), 1, calls)
        return set(real[0].split("APT::Status-Fd=3 ")[1].split()) if real else set(), result.stderr

    def test_each_verb_installs_its_own_groups(self):
        groups = self.groups()
        for verb, wanted in ((["demo"], "build"), (["demo", "--devices"], "build devices"), (["pintle"], "build command"),
                             (["install", "--prefix", "out"], "build command"), (["fmt"], "format"), (["layers"], "layers"), (["size"], "size"),
                             (["build"], "build command suite opencl_c"), (["build", "clang"], "build command suite clang"), (["build", "demo"], "build"),
                             (["test"], "build command suite devices kernels opencl_c test size wheels"), (["setup", "lend"], "lend"),
                             (["docs"], "docs wheels"), (["package"], "build command opencl_c kernels package wheels"), (["setup"], " ".join(groups))):
            expected = set().union(*(groups[group] for group in wanted.split()))
            self.assertEqual(self.run_verb(*verb, files={"tools/package.sh": "", "tools/docs/build.sh": ""})[0], expected, verb)

    def test_nothing_missing_nothing_installed(self):
        for verb in ("setup", "test", "demo"):
            self.assertEqual(self.run_verb(verb, there=self.everything())[0], set(), verb)

    def test_only_what_is_missing_is_installed(self):
        there = self.groups()["build"] - {"cmake"}
        self.assertEqual(self.run_verb("demo", there=" ".join(there))[0], {"cmake"})

    def test_a_first_run_of_the_demo_needs_neither_torch_nor_clang_nor_a_browser(self):
        packages = " ".join(self.run_verb("demo")[0])
        for heavy in ("torch", "clang", "chromium", "mpi", "gloo", "python", "llvm"):
            self.assertNotIn(heavy, packages)

    def test_test_says_at_its_start_what_it_installs_and_how_long_it_takes(self):
        words = self.run_verb("test", there=" ".join(self.groups()["build"]))[1].splitlines()
        self.assertRegex(words[0], r"^test 1/3: packages: to install, with what they need: .*\bpython3-torch\b")
        self.assertRegex(words[1], r"^test 2/3: compiles 4 files: about \d+ s on \d+ processors")
        self.assertRegex(words[2], r"^test 3/3: runs the tests: about \d+ minutes")

    def bench_peers(self, pip, *arguments):
        groups = self.groups()
        there = set().union(*(groups[group] for group in ("build", "command", "suite", "wheels")))
        files = {"build/venv/bin/pip": f"#!/bin/bash\n{pip}\n", "bench/peers/run.py": "import sys\nprint('ran with', sys.argv[1:], file=sys.stderr)\n"}
        return self.run_verb("bench", "peers", *arguments, there=" ".join(there), files=files)

    def test_bench_peers_installs_its_group_and_the_wheels(self):
        packages, words = self.bench_peers('[[ $(wc -l <"${!#}") -gt 20 ]]', "--rounds", "2")
        self.assertEqual(packages, self.groups()["peers"])
        self.assertIn("ran with ['--rounds', '2']", words)
        self.assertNotIn("there is no wheel", words)

    def test_test_installs_slang_webgpu_pjrt_a_third_opencl_zig_tinygrad_and_mypy(self):
        for verb in ("test", "setup"):  # after ./dev setup no network is needed
            words = self.run_verb(verb, files=self.ASKED)[1]
            self.assertEqual(sorted(set(re.findall(r"([\w-]+)==", words))),
                             ["ast_serialize", "cffi", "intel-cmplr-lib-rt", "intel-opencl-rt", "lammps-jax-pjrt-cpu", "librt", "mypy", "mypy_extensions", "pathspec", "setuptools",
                              "slangpy", "tbb", "tcmlib", "tinygrad", "typing_extensions", "wgpu", "wgpudawn", "xla-cpu-pjrt", "ziglang"], verb)

    def test_test_offers_the_plugins_of_pjrt_in_one_order(self):
        site = "build/venv/lib/python3.11/site-packages"
        xla, jax = f"{site}/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so", f"{site}/lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so"
        for plugins, offered in (((xla, jax), rf"/[^:]+/{xla}:/[^:]+/{jax}"), ((jax,), rf"/[^:]+/{jax}"), ((), "none")):
            files = {**{plugin: "" for plugin in plugins}, "bin/ctest": '#!/bin/bash\necho "offered ${PINTLE_PJRT_PLUGINS-none}" >&2\n'}
            self.assertRegex(self.run_verb("test", files=files)[1], rf"(?m)^offered {offered}$")

    def test_quick_offers_the_devices_and_wheels_that_tests_get(self):
        plugin = "build/venv/lib/python3.11/site-packages/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so"
        python = '#!/bin/bash\necho "$1 offered ${RUSTICL_ENABLE-none} ${PINTLE_PJRT_PLUGINS-none}" >&2\n'
        words = self.run_verb("quick", there=self.everything(), files={plugin: "", "bin/python3": python})[1]
        self.assertRegex(words, rf"(?m)^tools/quick.py offered llvmpipe /[^:]+/{plugin}$")

    # A pip that writes down what it takes away.
    VENV = {"build/venv/bin/pip": '#!/bin/bash\n[[ $1 != uninstall ]] || { shift 3; echo "without $*" >build/venv/without; }\n', "bin/unshare": "#!/bin/bash\n"}

    def test_nightly_elsewhere_takes_each_group_of_wheels_away_and_names_what_failed(self):
        ctest = '#!/bin/bash\ncat build/venv/without >&2 2>/dev/null\n! grep -qE "zig|tiny" build/venv/without 2>/dev/null\n'
        words = self.run_verb("nightly", "elsewhere", there=self.everything(), files={**self.VENV, "bin/ctest": ctest}, status=1)[1].splitlines()
        self.assertEqual([set(line.split()[1:]) for line in words if line.startswith("without ")],
                         [set(re.findall(r"(\S+)==", wheels)) for wheels in self.wheels("slang", "intel", "zig", "tinygrad", "devices", "types")])
        self.assertEqual(words[-1], "dev: nightly elsewhere: failed without the wheels of zig, without the wheels of tinygrad.")

    def test_nightly_elsewhere_goes_on_after_each_failure(self):
        files = {**self.VENV, "bin/ctest": "#!/bin/bash\nfalse\n", "bin/unshare": "#!/bin/bash\nfalse\n"}
        words = self.run_verb("nightly", "elsewhere", there=self.everything(), files=files, status=1)[1].splitlines()
        self.assertIn("failed with a processor of Intel's, on one processor, without the wheels of slang, ", words[-1])

    def test_wheels_that_an_interrupted_night_took_away_come_back(self):
        files = {**self.VENV, "build/venv.whole/bin/pip": self.VENV["build/venv/bin/pip"], "build/venv.whole/one": "", "bin/ctest": "#!/bin/bash\nls build build/venv >&2\n"}
        words = self.run_verb("test", there=self.everything(), files=files)[1].split()
        self.assertEqual(("one" in words, "venv.whole" in words), (True, False))

    # A pip that installs all but wgpu, and a site that says how it is made.
    SITE = {"build/venv/bin/pip": '#!/bin/bash\n! grep -q "^wgpu==" "${!#}"\n', "tools/docs/build.sh": "say made; mkdir -p build/docs\n",
            "bin/python3": '#!/bin/bash\necho "python3 $*" >&2\n'}

    def test_docs_installs_other_libraries_and_goes_on_without_one(self):
        words = self.run_verb("docs", there=self.everything(), files=self.SITE)[1].splitlines()
        self.assertEqual([line.split(":")[0] for line in words if "wheel wgpu==" in line], ["dev"])
        self.assertIn("docs: going on without some wheels; the site says which code is not compiled here", words)
        self.assertIn("made", words)

    def test_nightly_docs_asks_other_sites_and_takes_pictures_of_every_page(self):
        words = self.run_verb("nightly", "docs", there=self.everything(), files=self.SITE)[1].splitlines()
        self.assertEqual(words[words.index("made") + 1:], ["python3 -B tools/docs/ask_links.py", "python3 -B tools/docs/screenshots.py build/docs build/screenshots"])

    def test_nightly_tinygrad_begins_without_the_results_of_another_night(self):
        dev_text = (ROOT / "dev").read_text(encoding="utf-8").replace("set -euo", "PINTLE_CORPORA=corpora\nset -euo", 1)
        files = {"dev": dev_text, "corpora/tinygrad/tinygrad/README.md": "", "build/tinygrad/CPU.json": "{}",
                 "bin/python3": '#!/bin/bash\nls build >&2\necho "python3 $*" >&2\n'}
        words = self.run_verb("nightly", "tinygrad", there=self.everything(), files=files)[1].splitlines()
        self.assertEqual([line.split()[4] for line in words if line.startswith("python3 -B tests/tinygrad/lists.py run ")],
                         ["CPU", "cpu", "CL", "opencl:pocl", "CL-intel", "opencl:intel"])
        self.assertEqual((words[-1], "tinygrad" in words), ("python3 -B tests/tinygrad/lists.py check", False))

    def test_the_source_of_tinygrad_is_taken_by_its_hash(self):
        words = self.run_verb("setup", "tinygrad", files={"build/venv/bin/pip": '#!/bin/bash\n[[ $1 != download ]] || { echo "$*"; cat "${!#}"; } >&2\n'})[1]
        self.assertIn("--no-binary :all: --require-hashes -d build/sources", words)
        self.assertRegex(words, r"(?m)^tinygrad==[\d.]+ --hash=sha256:")
        self.assertNotIn("setuptools", words)

    def test_without_the_source_the_group_is_not_whole(self):
        words = self.run_verb("test", files={"build/venv/bin/pip": '#!/bin/bash\n[[ $1 != download ]]\n'})[1]
        self.assertIn("test: going on without some wheels\n", words)

    def test_test_goes_on_without_wheels(self):
        words = self.run_verb("test", files={"build/venv/bin/pip": "#!/bin/bash\nfalse\n"})[1]
        self.assertIn("there is no wheel slangpy==", words)
        self.assertIn("test: going on without some wheels\n", words)

    def test_without_a_network_no_wheel_is_tried_for_long(self):
        pip = 'echo >>calls\necho "connection broken by NewConnectionError(no name resolution)"\nfalse'
        words = self.run_verb("test", there=self.everything(), files={"build/venv/bin/pip": f"#!/bin/bash\n{pip}\n"})[1].splitlines()
        self.assertEqual([line for line in words if line.startswith("dev: ")],
                         [f"dev: PyPI does not answer; missing: {missing}" for missing in self.wheels("slang", "intel", "zig", "tinygrad", "devices", "types")])
        self.assertIn("test: going on without some wheels", words)

    def wheels(self, *groups):
        text = (ROOT / "tools/wheels.txt").read_text(encoding="utf-8")
        parts = {part.partition("]")[0]: part.partition("\n")[2] for part in re.split(r"^\[", text, flags=re.MULTILINE)}
        return [" ".join(sorted(re.findall(r"^[\w.-]+==[\w.]+", parts[group], re.MULTILINE))) for group in groups]

    def everything(self, but=None):
        return " ".join(sorted(set().union(*self.groups().values()) - {but}))

    def test_without_a_network_a_package_that_is_missing_ends_the_verb(self):
        apt = '#!/bin/bash\n[[ $1 == update ]] && echo "Temporary failure resolving a.example"\nexit 100\n'
        words = self.run_verb("test", there=self.everything(but="valgrind"), files={"bin/apt-get": apt}, status=1)[1]
        self.assertIn("packages: to install, with what they need: valgrind", words)
        self.assertIn("Temporary failure resolving a.example", words)

    def test_who_cannot_be_root_is_told_what_is_missing(self):
        files = {"bin/id": "#!/bin/bash\necho 1000\n", "bin/ctest": "#!/bin/bash\necho tests ran >&2\n"}
        text = (ROOT / "dev").read_text(encoding="utf-8").replace("command -v sudo", "command -v no-such-program")
        words = self.run_verb("test", there=self.everything(but="mesa-vulkan-drivers"), files={**files, "dev": text})[1].splitlines()
        self.assertIn("dev: not root, and no sudo; going on without: mesa-vulkan-drivers", words)
        self.assertIn("tests ran", words)

    def test_one_processor_gets_one_job(self):
        count = {"bin/nproc": "#!/bin/bash\necho 1\n", "bin/cmake": '#!/bin/bash\necho "cmake $*" >&2\n', "bin/ctest": '#!/bin/bash\necho "ctest $*" >&2\n'}
        words = self.run_verb("test", there=self.everything(), files=count)[1]
        self.assertRegex(words, r"compiles 4 files: about \d+ s on 1 processors")
        self.assertRegex(words, r"(?m)^cmake --build build/dev -j 1\b")
        self.assertRegex(words, r"(?m)^ctest --preset dev -j 1\b")

    def test_a_full_disk_is_said_where_a_verb_fails(self):
        df = "#!/bin/bash\nprintf 'Filesystem 1048576-blocks Used Available Capacity Mounted on\\n/dev/a 100 %s %s 1%% /\\n' $USED\n"
        for left, said in (("3", True), ("9000", False)):
            files = {"bin/df": df.replace("$USED", f"1 {left}"), "bin/cmake": "#!/bin/bash\nexit 1\n"}
            words = self.run_verb("build", there=self.everything(), files=files, status=1)[1]
            self.assertEqual("dev: the disk of / is full: 3 MB are left\n" in words, said, words)

    def test_a_disk_that_cannot_be_looked_at_changes_no_status(self):
        self.run_verb("build", there=self.everything(), files={"bin/df": "#!/bin/bash\nexit 1\n", "bin/cmake": "#!/bin/bash\nexit 8\n"}, status=8)

    def test_the_demo_installs_no_wheel(self):
        self.assertNotIn("wheel", self.run_verb("demo", files={"build/venv/bin/pip": "#!/bin/bash\nfalse\n"})[1])

    def test_bench_peers_goes_on_without_a_wheel(self):
        words = self.bench_peers('! grep -q "^jax==" "${!#}"')[1]
        self.assertEqual(re.findall(r"there is no wheel (\w+)==", words), ["jax"])
        self.assertIn("going on without some wheels\n", words)
        self.assertIn("ran with []", words)

    def test_wheels_have_a_version_and_a_hash(self):
        lines = [line for line in (ROOT / "tools/wheels.txt").read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
        self.assertRegex(lines[0], r"^\[\w+\] \S")
        for line in lines:
            self.assertRegex(line, r"^(\[\w+\] .*|[\w.-]+==[\w.]+( --hash=sha256:[0-9a-f]{64})+)$")

    def test_unknown_group_is_refused(self):
        result = dev("setup", "nonsense")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn('no group "nonsense"', result.stderr)


class LeftOutTest(unittest.TestCase):
    def test_what_cmake_leaves_out_is_said_in_one_way(self):
        """./dev check finds these lines: what is not built has no test that could be skipped."""
        files = subprocess.run(["git", "ls-files", "*CMakeLists.txt", "*.cmake"], cwd=ROOT, text=True, stdout=subprocess.PIPE, check=True).stdout.split()
        lines = [f"{file}: {words}" for file in files for words in re.findall(r'^ *message\(STATUS "(.*)"\)', (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)]
        self.assertGreater(len(lines), 10)
        other = [line for line in lines if ": Left out: " not in line]
        self.assertEqual([line.partition(": ")[0] for line in other], ["cmake/PintleRegistry.cmake"], other)


class FirstMinuteTest(unittest.TestCase):
    """tools/first_minute.sh where it cannot run: it says why and does not fail; ./dev nightly runs the rest of it."""

    def outcome(self, **stubs):
        with Tree() as tree:
            for name, text in stubs.items():
                tree[f"bin/{name}"] = f"#!/bin/bash\n{text}\n"
                (tree.root / "bin" / name).chmod(0o755)
            for name in ("bash", "dirname", "env"):
                (tree.root / "bin" / name).symlink_to(f"/usr/bin/{name}")
            return subprocess.run([ROOT / "tools/first_minute.sh"], env={"PATH": f"{tree.root}/bin"}, text=True, capture_output=True, check=False)

    def test_it_is_skipped_with_the_reason(self):
        for stubs, reason in (({"id": "echo 1000"}, "this is not root"),
                              ({"id": "echo 0"}, "mmdebstrap is not installed (./dev setup nightly)")):
            result = self.outcome(**stubs)
            self.assertEqual((result.returncode, result.stdout), (0, f"first minute: skipped: {reason}\n"), result.stderr)


class CheckTest(unittest.TestCase):
    """tools/check.sh with other steps than its own."""

    COMPILES = "compile() { echo '[1 of 2, 0.1 s] Building CXX object src/a.cpp.o'; }\nstep build compile"

    def outcome(self, steps, junit="", cache=("0 0", "99 1"), processor=7, judged="0"):
        """(exit code, output, passed commits) of a check that runs `steps` in a folder of its own, a checkout; cache=None: no ccache."""
        script = (ROOT / "tools/check.sh").read_text(encoding="utf-8")
        script = script.replace("\nrun_check\n", f"\n{steps}\n").replace("tools/count_tests.py", f"'{ROOT}/tools/count_tests.py'").replace("tools/judge.py", "judge.py")
        with Tree() as tree:
            tree["tools/packages.txt"] = "[build] a\n[package] b\n[docs] d\n[nightly] c\n"
            tree["junit.xml"] = f"<testsuite>{junit}</testsuite>"
            tree["ctest_passes"] = '#!/bin/sh\ncp junit.xml "$2"\n'
            tree["ctest_fails"] = '#!/bin/sh\ncp junit.xml "$2"\nexit 8\n'
            tree["judge.py"] = f"print({judged!r})\n"
            tree["change"] = "#!/bin/sh\necho more >>junit.xml\n"
            without = 'command() { [[ $2 != ccache ]] && builtin command "$@"; }\n' if cache is None else ""
            first, *rest = (dict(zip(("direct_cache_hit", "cache_miss"), text.split())) for text in cache or ("0 0", "0 0"))
            for name, counts in (("first", first), ("last", rest[-1])):
                tree[name] = "".join(f"{key}\t{value}\n" for key, value in counts.items())
            tree["bin/ccache"] = "#!/bin/sh\nif [ -e asked ]; then cat last; else touch asked; cat first; fi\n"
            for name in ("ctest_passes", "ctest_fails", "change", "bin/ccache"):
                (tree.root / name).chmod(0o755)
            for command in ("init -q", "add .", "-c user.name=a -c user.email=a@example.org commit -q -m a"):
                subprocess.run(["git", *command.split()], cwd=tree.root, check=True)
            head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=tree.root, text=True, stdout=subprocess.PIPE, check=True).stdout
            script = f"take_share() {{ :; }}\ntimes() {{ printf '0m0s 0m0s\n{processor // 60}m{processor % 60}.5s 0m0.2s\n'; }}\n{without}{script}"
            environment = {**os.environ, "PATH": f"{tree.root}/bin:{os.environ['PATH']}"}
            result = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=tree.root, env=environment, text=True, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, check=False)
            file = tree.root / "build/check/passed"
            commits = file.read_text(encoding="utf-8").replace(head, "HEAD\n") if file.exists() else ""
        return result.returncode, result.stdout, commits

    def test_it_installs_nothing_that_makes_packages_or_the_site(self):
        output = self.outcome("check_groups")[1].split()
        self.assertIn("nightly", output)
        self.assertFalse({"package", "docs"} & set(output))

    def assert_outcome(self, steps, junit, code, closing, **options):
        got, output, commits = self.outcome(steps, junit, **options)
        self.assertEqual(output.splitlines()[-1], closing, output)
        self.assertEqual(got, code, output)
        self.assertEqual(commits, "" if code else "HEAD\n")

    def test_steps_count_one_each(self):
        self.assert_outcome("step one true\nstep two true", "", 0, "2 passed, 0 failed, 0 skipped")

    def test_failing_step_does_not_stop_the_others(self):
        self.assert_outcome("step one false\nstep two true", "", 1, "1 passed, 1 failed, 0 skipped")

    def test_tests_count_themselves(self):
        self.assert_outcome("step_tests t dev ./ctest_passes", PASSED * 3, 0, "3 passed, 0 failed, 0 skipped")
        self.assert_outcome("step_tests t dev ./ctest_fails", PASSED * 3 + FAILED, 1, "3 passed, 1 failed, 0 skipped")

    def test_failure_outside_the_tests_counts(self):
        self.assert_outcome("step_tests t dev false", "", 1, "0 passed, 1 failed, 0 skipped")
        self.assert_outcome("step_tests t dev ./ctest_fails", PASSED, 1, "1 passed, 1 failed, 0 skipped")

    def test_no_test_at_all_is_a_failure(self):
        self.assert_outcome("step_tests t dev ./ctest_passes", "", 1, "0 passed, 1 failed, 0 skipped")

    def test_what_is_flaky_is_said_and_stops_nobody(self):
        code, output, commits = self.outcome("step_tests t dev ./ctest_fails", PASSED + FAILED, judged="flaky b: passed 2 of 2 alone\n1")
        self.assertEqual((code, commits), (0, "HEAD\n"), output)
        self.assertEqual(output.splitlines()[-1], "2 passed, 0 failed, 0 skipped")
        self.assertIn("flaky b: passed 2 of 2 alone", output.splitlines()[-8:])

    def test_what_is_not_forgiven_has_failed(self):
        self.assert_outcome("step_tests t dev ./ctest_fails", PASSED + FAILED * 2, 1, "2 passed, 1 failed, 0 skipped", judged="flaky b: passed\n1")

    def test_what_is_skipped_is_counted_and_named(self):
        code, output, _ = self.outcome('step one true\nskip fuzz "clang-19 is not there"')
        self.assertEqual(code, 0)
        self.assertRegex(output, r"(?m)^skipped fuzz +\d+ s +0 s  clang-19 is not there$")
        self.assertEqual(output.splitlines()[-1], "1 passed, 0 failed, 1 skipped")

    def test_the_table_has_seconds_tests_and_cache(self):
        code, output, _ = self.outcome("step_tests t dev ./ctest_passes", PASSED * 3)
        self.assertEqual(code, 0, output)
        self.assertRegex(output, r"(?m)^ok      t +\d+ s +0 s  3 passed, 0 failed, 0 skipped, 0 left")
        self.assertIn("7 s of processor time", output)
        self.assertIn("The cache had 99 % of 100 compilations.", output)

    def test_what_is_left_to_others_is_counted(self):
        line = "<system-out>4 passed, 0 failed, 0 skipped, 6 left</system-out>"
        steps = "leave() { mkdir -p build/dev; printf 'a\\nb\\n' >build/dev/left; ./ctest_passes \"$@\"; }\nstep_tests t dev leave"
        output = self.outcome(steps, f'<testcase name="a" status="run">{line}</testcase>')[1]
        self.assertRegex(output, r"(?m)^ok      t .* 4 passed, 0 failed, 0 skipped, 8 left")
        self.assertIn("8 tests are left to other commits and to ./dev nightly: tests/shares.txt.", output.splitlines())

    def test_a_warm_check_that_takes_long_fails(self):
        code, output, commits = self.outcome("step one true", processor=2401)
        self.assertEqual((code, commits), (1, ""))
        self.assertIn("FAILED: 2401 s of processor time are more than 2400 s. The cache had 99 % of 100 compilations.", output)
        self.assert_outcome("step one true", "", 0, "1 passed, 0 failed, 0 skipped", processor=2400)

    def test_a_cold_check_may_take_its_time(self):
        code, output, commits = self.outcome("step one true", processor=9999, cache=("100 0", "189 11"))
        self.assertEqual((code, commits), (0, "HEAD\n"), output)
        self.assertIn("The cache had 89 % of 100 compilations: this check was cold, and its time has no limit.", output)

    def closing(self, steps, **options):
        """(exit code, what is said of the time) of a check that takes long."""
        code, output, _ = self.outcome(steps, processor=9999, **options)
        return code, output.splitlines()[-3]

    def test_a_machine_without_a_cache_is_cold_and_says_so(self):
        self.assertEqual(self.closing(self.COMPILES, cache=None),
                         (0, "There is no ccache for 1 compilations: this check was cold, and its time has no limit."))

    def test_a_cache_that_was_not_asked_makes_a_check_cold(self):
        self.assertEqual(self.closing(self.COMPILES, cache=("5 5", "5 5")),
                         (0, "No cache was asked for 1 compilations: this check was cold, and its time has no limit."))

    def test_where_nothing_was_compiled_the_limit_holds(self):
        for cache in (("5 5", "5 5"), None):
            self.assertEqual(self.closing("step one true", cache=cache),
                             (1, "FAILED: 9999 s of processor time are more than 2400 s. Nothing was compiled."))
        self.assertIn("Nothing was compiled.", self.outcome("step one true", cache=("5 5", "5 5"))[1].splitlines())

    def test_no_variable_keeps_the_cache_from_being_asked(self):
        with mock.patch.dict(os.environ, CCACHE_DISABLE="1", CCACHE_RECACHE="1"):
            self.assertEqual(self.closing('step one test -z "${CCACHE_DISABLE-}${CCACHE_RECACHE-}"')[0], 1)
            self.assertEqual(self.outcome('step one test -z "${CCACHE_DISABLE-}${CCACHE_RECACHE-}"')[0], 0)

    def test_a_group_that_is_not_whole_is_skipped_with_what_is_missing(self):
        tools = "is_debian() { :; }\nmissing_packages() { [[ $1 == build ]] || echo mesa-vulkan-drivers; }\n"
        code, output, _ = self.outcome(f"{tools}step one true\nstep_groups")
        self.assertEqual(code, 0)
        self.assertRegex(output, r"(?m)^skipped group-nightly +\d+ s +0 s  not installed: mesa-vulkan-drivers$")
        self.assertEqual(output.splitlines()[-1], "1 passed, 0 failed, 1 skipped")

    def test_wheels_that_cannot_be_had_are_skipped_with_their_group(self):
        tools = "test_wheels=(slang intel)\nneed_wheels() { [[ $1 != intel ]]; }\n"
        output = self.outcome(f"{tools}step one true\nstep_wheels")[1]
        self.assertRegex(output, r"(?m)^skipped wheels-intel .* not all of this group of tools/wheels.txt can be had$")
        self.assertEqual(output.splitlines()[-1], "1 passed, 0 failed, 1 skipped")

    def test_without_clang_its_steps_are_skipped(self):
        tools = "clang_major=none\nbuild() { [[ $1 == tsan ]]; }\nstep_build() { step \"build-$1\" build \"$@\"; }\nstep_tests() { step \"$1\" true; }\n"
        output = self.outcome(f"{tools}step_sanitized")[1]
        for name in ("asan", "fuzz"):
            self.assertRegex(output, rf"(?m)^skipped {name} .* clang-none is not there$")
        self.assertEqual(output.splitlines()[-1], "2 passed, 0 failed, 2 skipped")

    def test_what_the_build_leaves_out_is_skipped_with_the_reason(self):
        log = "-- Backends: cpu\\n-- Left out: the backend vulkan, since a.h is not there (package b)\\n"
        output = self.outcome(f"mkdir -p build && printf -- '{log}' >build/dev.log\nstep one true\nstep_left_out")[1]
        self.assertRegex(output, r"(?m)^skipped left-out .* the backend vulkan, since a.h is not there \(package b\)$")
        self.assertEqual(output.splitlines()[-1], "1 passed, 0 failed, 1 skipped")

    def test_a_disk_that_takes_nothing_fails_the_check_with_its_table(self):
        code, output, commits = self.outcome("trap '' XFSZ\nulimit -f 0\nstep one echo words\nstep two true\nstep_tests t dev ./ctest_passes", PASSED)
        self.assertEqual((code, commits), (1, ""), output)
        self.assertRegex(output, r"(?m)^FAILED  one ")
        self.assertEqual(output.splitlines()[-1], "1 passed, 2 failed, 0 skipped")

    def test_a_pass_that_cannot_be_written_is_none(self):
        code, _, commits = self.outcome("step one true\ntrap '' XFSZ\nulimit -f 0")
        self.assertEqual((code != 0, commits), (True, ""))

    def test_a_tree_with_changes_is_no_commit_that_passed(self):
        self.assertEqual(self.outcome("step one ./change")[::2], (0, ""))


if __name__ == "__main__":
    unittest.main()
