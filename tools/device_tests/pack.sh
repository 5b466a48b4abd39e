#!/usr/bin/env bash
# pack.sh PROGRAMS BUNDLE [--any-link]: fills the folder BUNDLE with what run.sh needs, the programs out of the folder PROGRAMS.
# Fails where a program needs a library that is not of glibc, and where the bundle is too large to travel, unless --any-link says that it stays on this
# machine.
set -euo pipefail

programs=$1
bundle=$2
any_link=${3:-}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
limit_mib=30  # two of them, with the tree, are less than the 64 MiB that may travel

# Loaders of drivers, what NVIDIA's drivers want of a desktop, and what the tools are linked with. Those that a library
# itself needs follow it.
lent=(libvulkan.so.1 libOpenCL.so.1 libGLdispatch.so.0 libX11.so.6 libXext.so.6 libstdc++.so.6 libgcc_s.so.1 liblzma.so.5)
of_glibc='^(libc|libm|libdl|libpthread|librt|ld-linux-x86-64|ld-linux-aarch64)\.so\.[0-9]+$'

fail() { printf 'device-tests: %s\n' "$*" >&2; exit 1; }

needed_by() { objdump -p "$1" | awk '$1 == "NEEDED" {print $2}'; }

place_of() { /sbin/ldconfig -p | awk -v name="$1" '$1 == name && !found++ {print $NF}'; }

copy_programs() {
  local name
  mkdir -p "$bundle/bin"
  for name in pintle bench bench_start bench_empty bench_first_result bench_first_result_direct fault_sweep faults differential cuda_facts; do
    cp "$programs/$name" "$bundle/bin/"
  done
  cp "$programs"/clean_end_* "$bundle/bin/"
  strip "$bundle"/bin/*
}

check_links() {
  local program others
  for program in "$bundle"/bin/*; do
    others=$(needed_by "$program" | { grep -Ev "$of_glibc" || true; } | xargs)
    [[ -z $others ]] || fail "$program needs $others"
  done
}

# lend LIBRARY: it and what it needs, before it.
lend() {
  local file name
  [[ ! $1 =~ $of_glibc && ! -e $bundle/lent/$1 ]] || return 0
  file=$(place_of "$1")
  [[ -n $file ]] || fail "$1 is not on this machine; ./dev setup"
  for name in $(needed_by "$file"); do lend "$name"; done
  cp -L "$file" "$bundle/lent/$1"
}

copy_rest() {
  local library
  mkdir -p "$bundle/lent" "$bundle/tools" "$bundle/facts"
  for library in "${lent[@]}"; do lend "$library"; done
  cp -L "$(command -v glslangValidator)" "$(command -v xz)" "$bundle/tools/"
  cp "$here/run.sh" "$bundle/"
  cp "$here/../../tests/simulators/facts/nvidia-h200.txt" "$bundle/facts/"
  "$bundle/bin/pintle" --version >"$bundle/VERSION"
  git -C "$here" diff --quiet HEAD 2>/dev/null || echo "with changes that are not committed" >>"$bundle/VERSION"
}

# The least C library that all of it starts with.
newest_symbols() { objdump -T "$bundle"/bin/* "$bundle"/tools/* | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1; }

# The programs have most of their code in common, which a dictionary as large as all of them finds.
press_programs() {
  tar -C "$bundle" -c bin | xz -T1 --lzma2=preset=2,dict=192MiB >"$bundle/bin.tar.xz"
  rm -r "$bundle/bin"
}

check_size() {
  local mib
  mib=$(du -sm "$bundle" | cut -f 1)
  ((mib < limit_mib)) || fail "$bundle has $mib MiB; the limit is $limit_mib."
  printf 'device-tests: %s has %s MiB and needs %s.\n' "$bundle" "$mib" "$symbols"
}

rm -rf "$bundle"
copy_programs
[[ $any_link == --any-link ]] || check_links
copy_rest
symbols=$(newest_symbols)
press_programs
[[ $any_link == --any-link ]] || check_size
