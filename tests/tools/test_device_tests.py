"""tools/device_tests/run.sh on machines that are made up: what it says is what ran, whatever the programs do."""

import json
import os
import re
import shutil
import subprocess
import unittest

from test_support import conform, device
from tree import ROOT, Tree

import support

# The command, as its answers lie in the folder `answers`. A manifest or a list of vendors makes it list other devices.
PINTLE = """#!/bin/sh
answers=$(dirname "$0")/../answers
case "$1 $2" in
  "--version "*) echo "pintle 9" ;;
  "doctor --load")
    grep -qx "$3" "$answers/libraries" && exit
    IFS=:
    for folder in $LD_LIBRARY_PATH; do [ ! -e "$folder/$3" ] || exit 0; done
    exit 1 ;;
  "doctor "*) echo 'it says "hm" and \\ too' ;;
  "devices "*) cat "$answers/devices" "$answers/manifest${VK_DRIVER_FILES:+_found}" "$answers/vendors${OCL_ICD_VENDORS:+_found}" ;;
  "info "*) cat "$answers/info $2" ;;
  "conform "*) . "$answers/conform" ;;
esac
"""
BENCH = """#!/bin/sh
row='[\\n {\\n  "name": "%s",\\n  "unit": "ns",\\n  "p50": 12.5,\\n  "reference": {\\n   "p50": 10\\n  },\\n  "ratio": 1.25,\\n  "low": 1\\n }\\n]\\n'
printf "$row" "$1"
while [ $# -gt 1 ]; do shift; done
echo '{"rows": []}' >"$1"
"""
GPU = "vulkan  discrete_gpu  A \"GPU\"  vendor 1\n"
SOFTWARE = "vulkan  software  lavapipe  Mesa 1\n"
ONE_CARD = "cuda  discrete_gpu  A GPU  CUDA 13\nopencl:pocl  opencl:0  software  a processor\nopencl:nvidia  opencl:1  discrete_gpu  A GPU\n" + GPU
PASSES = "cat \"$answers/suite\"\n"


class RunTest(unittest.TestCase):
    def setUp(self):
        tree = Tree()
        self.addCleanup(tree.folder.cleanup)
        self.tree = tree
        for name, text in {"bin/pintle": PINTLE, "bin/bench": BENCH, "bin/clean_end_one": "#!/bin/sh\n", "bin/differential": "#!/bin/sh\n",
                           "bin/faults": "#!/bin/sh\n", "bin/cuda_facts": "#!/bin/sh\ncat \"$(dirname \"$0\")/../answers/facts\"\n",
                           "facts/nvidia-h200.txt": "# A card.\na.one: 700 701  # line 7\na.two: yes  # line 8\na.three: not measured  # not measured\n",
                           "lent/liblent.so.1": "",
                           "VERSION": "pintle 9\nbackends: cpu, cuda, null, opencl, vulkan\n"}.items():
            tree[f"bundle/{name}"] = text
        for name, text in {"devices": "cpu  cpu  a processor\n", "libraries": "", "manifest": "", "manifest_found": "", "vendors": "",
                           "vendors_found": "", "facts": "a.one: 700 701  # line 7\n", "conform": PASSES, "suite": json.dumps(conform(), indent=2)}.items():
            self.answer(name, text)
        shutil.copy(ROOT / "tools/device_tests/run.sh", tree.root / "bundle")
        for program in (tree.root / "bundle/bin").iterdir():
            program.chmod(0o755)

    def answer(self, name, text):
        self.tree[f"bundle/answers/{name}"] = text

    def here_is(self, listed, kind, **changes):
        self.answer("devices", listed)
        one = device("vulkan", **{"kind": kind, "name": "A \"GPU\"", **changes})
        self.answer("info vulkan", json.dumps({"device": one}, indent=2))

    def here_is_one_card(self):
        """Three backends have it; one of them has a device in software, too."""
        self.here_is(ONE_CARD, "discrete_gpu")
        for identity in ("cuda", "opencl:nvidia"):
            self.answer(f"info {identity}", json.dumps({"device": device(identity.split(":")[0], kind="discrete_gpu", name="A GPU")}, indent=2))

    def put_program(self, name, text):
        self.tree[f"bundle/bin/{name}"] = f"#!/bin/sh\n{text}\n"
        (self.tree.root / "bundle/bin" / name).chmod(0o755)

    def run_it(self, *arguments, code, path=()):
        """(what it says, result.json, its folder) of a run that must end with `code`, with folders of programs in front."""
        environment = {"PATH": ":".join([*map(str, path), os.environ["PATH"]]), "OUT": str(self.tree.root / "out")}
        done = subprocess.run([self.tree.root / "bundle/run.sh", "--figures", "launch", *arguments], env=environment, text=True, capture_output=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        paths = sorted((self.tree.root / "out").glob("*/*/result.json"))
        return (done.stdout, json.loads(paths[-1].read_text()), paths[-1].parent) if paths else (done.stderr, None, None)

    def status_of(self, result, name):
        return next(part["status"] for part in result["parts"] if part["part"] == name)

    def test_programs_that_are_pressed_are_unpacked(self):
        self.here_is(GPU, "discrete_gpu")
        bundle = self.tree.root / "bundle"
        # What the command answers lies beside it, where it is unpacked.
        shutil.move(bundle / "answers", bundle / "bin/answers")
        command = bundle / "bin/pintle"
        command.write_text(command.read_text().replace("/../answers", "/answers"))
        subprocess.run(["tar", "-C", bundle, "-cJf", bundle / "bin.tar.xz", "bin"], check=True)
        shutil.rmtree(bundle / "bin")
        _, result, _ = self.run_it(code=0)
        self.assertEqual(self.status_of(result, "suite"), "passed")

    def test_a_part_that_is_skipped_is_not_counted_as_passed(self):
        self.here_is(GPU, "discrete_gpu")
        self.put_program("faults", "[ \"$2\" != endless ] || { echo 'skipped: no language' >&2; exit 77; }")
        said, result, _ = self.run_it(code=0)
        self.assertEqual(self.status_of(result, "fault_endless"), "skipped")
        self.assertEqual(self.status_of(result, "fault_bad_store"), "passed")
        self.assertIn(f"{len(result['parts']) - 1} of {len(result['parts'])} parts passed, 1 skipped", said)

    def test_hardware_passes(self):
        self.here_is(GPU, "discrete_gpu")
        said, result, folder = self.run_it(code=0)
        self.assertEqual((result["status"], result["hardware_devices"], result["whole_suite"]), ("passed", 1, True))
        self.assertEqual({part["status"] for part in result["parts"]}, {"passed"})
        self.assertRegex(str(folder), r"/out/a-gpu/\d{4}-\d\d-\d\d$")
        self.assertIn("1 passed, 0 failed, 1 skipped, 1 gaps", said)
        self.assertIn("launch: 12.5 ns, reference 10, ratio 1.25", said)
        self.assertEqual(result["devices"][0]["figures"]["launch"][0]["name"], "launch")
        self.assertIn("vulkan.raw_launch", json.loads((folder / "figures.json").read_text()))

    def test_the_table_takes_hardware(self):
        self.here_is(GPU, "discrete_gpu")
        self.run_it(code=0)
        entries = support.hardware_entries(self.tree.root / "out")
        self.assertEqual([(e["title"], e["counts"]["passed"]) for e in entries], [('vulkan (A "GPU")', 1)])

    def test_software_is_called_software(self):
        self.here_is(SOFTWARE, "software")
        said, result, folder = self.run_it(code=3)
        self.assertEqual((result["status"], result["hardware_devices"], result["devices"][0]["hardware"]), ("no hardware", 0, False))
        self.assertIn("/out/software-a-gpu/", str(folder))
        self.assertIn("No hardware is listed here; software: vulkan.", said)
        self.assertEqual(support.hardware_entries(self.tree.root / "out"), [])

    def test_software_is_left_alone_beside_hardware(self):
        self.here_is(GPU + SOFTWARE.replace("vulkan", "vulkan:1"), "discrete_gpu")
        self.assertEqual([ran["id"] for ran in self.run_it(code=0)[1]["devices"]], ["vulkan"])

    def test_each_backend_of_a_card_is_tested(self):
        self.here_is_one_card()
        _, result, _ = self.run_it(code=0)
        self.assertEqual([ran["id"] for ran in result["devices"]], ["cuda", "opencl:nvidia", "vulkan"])
        self.assertEqual(result["hardware_devices"], 3)
        parts = {"info", "suite", "near_the_end", "clean_end_one", "random", "random_with_cpu", "figure_launch", "fault_out_of_memory",
                 "fault_endless", "fault_bad_store"}
        for identity in ("cuda", "opencl:nvidia", "vulkan"):
            own = parts | {"facts"} if identity == "cuda" else parts
            self.assertEqual({part["part"] for part in result["parts"] if part["device"] == identity}, own)

    def test_what_the_driver_does_is_kept_and_compared(self):
        self.here_is_one_card()
        said_here = "# A GPU, driver 13000\na.one: 700 716  # line 7\na.two: yes  # line 8\na.three: 1021  # not measured\na.four: not asked (why)  # line 9\n"
        self.answer("facts", said_here)
        said, result, folder = self.run_it(code=0)
        self.assertEqual(self.status_of(result, "facts"), "passed")
        self.assertIn("3 rules have an answer; 1 are not as on the NVIDIA H200", said)
        self.assertIn("a.one: 700 716 (the H200: 700 701)\n", said)
        self.assertEqual((folder / "facts-cuda.txt").read_text(), said_here)

    def test_facts_that_do_not_end_keep_what_they_said(self):
        self.here_is_one_card()
        self.put_program("cuda_facts", "echo 'a.one: 0  # line 7'; exit 9")
        said, result, folder = self.run_it(code=1)
        self.assertEqual(self.status_of(result, "facts"), "failed")
        self.assertIn("a.one: 0 (the H200: 700 701)\n", said)
        self.assertEqual((folder / "facts-cuda.txt").read_text(), "a.one: 0  # line 7\n")

    def test_faults_are_last_of_all_devices(self):
        self.here_is_one_card()
        names = [part["part"] for part in self.run_it(code=0)[1]["parts"]]
        self.assertEqual(names[-9:], 3 * ["fault_out_of_memory", "fault_endless", "fault_bad_store"])
        self.assertFalse([name for name in names[:-9] if name.startswith("fault_")])

    def test_devices_take_turns_at_a_figure(self):
        self.here_is_one_card()
        figures = [(part["part"], part["device"]) for part in self.run_it("--figures", "launch chains", code=0)[1]["parts"]
                   if part["part"].startswith("figure_")]
        self.assertEqual(figures, [(f"figure_{name}", each) for name in ("launch", "chains") for each in ("cuda", "opencl:nvidia", "vulkan")])

    def test_faults_keep_time_that_figures_would_take(self):
        self.here_is(GPU, "discrete_gpu")
        self.put_program("bench", "exec sleep 100")
        said, result, _ = self.run_it("--figures", "launch chains", "--seconds", "30", code=1)
        self.assertIn(self.status_of(result, "figure_launch"), ("timed out", "not run"))  # as much as a busy machine leaves
        self.assertEqual([self.status_of(result, name) for name in ("figure_chains", "fault_bad_store")], ["not run", "passed"])
        self.assertRegex(said, r"\nnot run, since no time was left: .*vulkan figure_chains\n")

    def test_compiler_of_cuda_is_looked_for(self):
        self.here_is_one_card()
        self.answer("libraries", "libcuda.so.1\n")
        self.tree["machine/lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc.so.13"] = ""
        self.tree["machine/bin/python3"] = ""
        self.answer("conform", "echo \"$LD_LIBRARY_PATH\" >&2\n" + PASSES)
        said, _, folder = self.run_it(code=0, path=[self.tree.root / "machine/bin"])
        place = str(self.tree.root / "machine/lib/python3.11/site-packages/nvidia/cu13/lib")
        self.assertIn(f"cuda: the compiler libnvrtc is in {place}\n", said)
        self.assertIn(f":{place}\n", (folder / "log.txt").read_text())

    def test_compiler_of_cuda_that_loads_is_left_where_it_is(self):
        self.here_is_one_card()
        self.answer("libraries", "libcuda.so.1\nlibnvrtc.so.12\n")
        self.assertNotIn("libnvrtc", self.run_it(code=0)[0])

    def test_machine_without_a_driver_of_cuda_needs_no_compiler(self):
        self.here_is(GPU, "discrete_gpu")
        self.assertNotIn("libnvrtc", self.run_it(code=0)[0])

    def test_device_that_is_named_is_tested(self):
        self.here_is(SOFTWARE, "software")
        self.answer("info vulkan:0", json.dumps({"device": device("vulkan", kind="discrete_gpu", name="A GPU")}, indent=2))
        self.assertEqual([(ran["id"], ran["hardware"]) for ran in self.run_it("--device", "vulkan:0", code=0)[1]["devices"]],
                         [("vulkan:0", True)])

    def test_nothing_to_test_fails(self):
        said, result, folder = self.run_it(code=1)
        self.assertEqual((result["status"], result["devices"], result["parts"]), ("failed", [], []))
        self.assertIn("software: none.", said)
        self.assertEqual(folder.parent.name, "none-listed")

    def test_failed_case_fails_and_is_named(self):
        self.here_is(GPU, "discrete_gpu")
        self.answer("conform", PASSES + "echo 'failed  Signal.Rises: it \"fell\" \\ down' >&2\nexit 1\n")
        said, result, _ = self.run_it(code=1)
        self.assertEqual((result["status"], self.status_of(result, "suite")), ("failed", "failed"))
        self.assertIn('Signal.Rises: it "fell" \\ down', said)

    def test_crash_is_told(self):
        self.here_is(GPU, "discrete_gpu")
        self.answer("conform", "kill -SEGV $$\n")
        result = self.run_it(code=1)[1]
        suite = next(part for part in result["parts"] if part["part"] == "suite")
        self.assertEqual((suite["status"], suite["exit"], result["devices"][0]["conform"]), ("failed", 139, None))

    def test_hang_is_ended_and_what_is_left_is_not_run(self):
        self.here_is(GPU, "discrete_gpu")
        self.answer("conform", "exec sleep 100\n")
        result = self.run_it("--seconds", "7", code=1)[1]
        self.assertEqual((self.status_of(result, "suite"), self.status_of(result, "figure_launch")), ("timed out", "not run"))

    def test_no_time_at_all(self):
        self.here_is(GPU, "discrete_gpu")
        _, result, folder = self.run_it("--seconds", "0", code=1)
        self.assertEqual({part["status"] for part in result["parts"]}, {"not run"})
        self.assertEqual((result["devices"][0]["info"], folder.parent.name), (None, "unknown"))

    def test_programs_that_do_not_start(self):
        self.tree["bundle/bin/pintle"] = "#!/bin/sh\necho 'version GLIBC_9 not found' >&2\nexit 1\n"
        said, result, _ = self.run_it(code=1)
        self.assertIn("The programs do not start here: version GLIBC_9 not found", said)
        self.assertEqual(result["machine"], "version GLIBC_9 not found")

    def test_driver_without_a_manifest_is_found(self):
        self.here_is("cpu  cpu  a processor\n", "discrete_gpu")
        self.answer("manifest_found", GPU)
        self.answer("libraries", "libEGL_nvidia.so.0\n")
        said, result, _ = self.run_it(code=0)
        self.assertIn("libEGL_nvidia.so.0.json", said)
        self.assertEqual(result["status"], "passed")

    def test_driver_of_opencl_that_is_not_registered_is_found(self):
        self.here_is("cpu  cpu  a processor\n", "discrete_gpu")
        self.answer("info opencl", (self.tree["bundle/answers/info vulkan"]))
        self.answer("vendors_found", GPU.replace("vulkan", "opencl"))
        self.answer("libraries", "libnvidia-opencl.so.1\n")
        self.assertEqual([ran["id"] for ran in self.run_it(code=0)[1]["devices"]], ["opencl"])

    def test_only_what_is_missing_is_lent(self):
        self.here_is(GPU, "discrete_gpu")
        self.assertIn("lent by the bundle: liblent.so.1\n", self.run_it(code=0)[1]["machine"])
        self.answer("libraries", "liblent.so.1\n")
        self.assertIn("lent by the bundle: \n", self.run_it(code=0)[1]["machine"])

    def test_runs_of_a_day_are_kept_apart(self):
        self.here_is(GPU, "discrete_gpu")
        folders = {self.run_it(code=0)[2].name for _ in range(2)}
        self.assertEqual(len(folders), 2)

    def test_part_of_the_suite_is_told(self):
        self.here_is(GPU, "discrete_gpu")
        self.assertFalse(self.run_it("--filter", "Signal.*", code=0)[1]["whole_suite"])
        self.assertEqual(support.hardware_entries(self.tree.root / "out"), [])

    def test_few_files_with_plain_names(self):
        self.here_is(GPU, "discrete_gpu")
        folder = self.run_it(code=0)[2]
        names = [path.name for path in folder.iterdir()]
        self.assertEqual(sorted(names), ["figures.json", "log.txt", "machine.txt", "result.json", "summary.txt"])
        self.assertTrue(re.fullmatch(r"[A-Za-z0-9._-]+", folder.parent.name))

    def test_wrong_option_is_refused(self):
        for arguments in (["--frobnicate", "1"], ["--out"]):
            self.assertIn("run.sh [--out FOLDER]", self.run_it(*arguments, code=2)[0])


if __name__ == "__main__":
    unittest.main()
