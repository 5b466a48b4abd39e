#!/usr/bin/env bash
# Runs the suite and the figures on this machine's GPU, from the folder that this file is in, and keeps what they say.
# It needs bash, coreutils, sed, awk, tar and a C library; what else is missing here lies in the folder `lent`.
set -euo pipefail

usage() {
  cat <<'END'
run.sh [--out FOLDER] [--device ID]... [--figures "NAME..."] [--filter GLOB] [--sweep] [--seconds N]
  --out      where results go, as DEVICE/DATE/; $OUT, else bench/results
  --device   what is tested; without it, all hardware, and where none is listed, what is done in software
  --figures  figures to measure; without it, those beside the API by hand
  --filter   only these cases of the suite: for a look, never a result that docs/support.md shows
  --sweep    also every call of the driver failed once, which takes minutes
  --seconds  when all ends, whatever is left to do; 300
Ends with 0 when all passed on hardware, 1 when anything failed or did not run, 2 for a wrong option, and with 3 when all
passed and nothing was hardware.
END
  exit 2
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
programs=$here/bin
work=$(mktemp -d)
home=${HOME:-$work}
trap 'rm -rf "$work"' EXIT
out=${OUT:-bench/results}
chosen=()
backends=$(sed -n 's/^backends: //p' "$here/VERSION" | tr , '\n' | tr -d ' ' | { grep -vx 'cpu\|null' || true; })
figures="launch recording_1000 chains transfer_up transfer_down first_result"
filter=
sweep=false
end=300
date=$(date -u +%Y-%m-%d)
ran=0
wrong=0
left_out=0
not_run=()
reserved=0
on_hardware=0

# Nothing is said where there is nothing to say.
say() { [[ -z $* ]] || printf '%s\n' "$*" | tee -a "$work/summary.txt"; }

read_options() {
  while [[ $# -gt 0 ]]; do
    [[ $1 == --sweep || $# -gt 1 ]] || usage >&2
    case $1 in
      --out) out=$2 ;;
      --device) chosen+=("$2") ;;
      --figures) figures=$2 ;;
      --filter) filter=$2 ;;
      --seconds) end=$2 ;;
      --sweep) sweep=true; shift; continue ;;
      *) usage >&2 ;;
    esac
    shift 2
  done
}

# at_most SECONDS COMMAND...: what does not end is killed; 124 or 137 say so.
at_most() { timeout -k 5 "$@" </dev/null; }

pintle() { at_most 60 "$programs/pintle" "$@"; }

# The programs, which travel pressed.
unpack_programs() {
  local xz=xz
  [[ -e $here/bin.tar.xz ]] || return 0
  command -v xz >/dev/null || xz=pressed_xz
  "$xz" -dc "$here/bin.tar.xz" | tar -C "$work" -x
  programs=$work/bin
}
pressed_xz() { LD_LIBRARY_PATH=$here/lent "$here/tools/xz" "$@"; }

# --- What this machine lacks ------------------------------------------------------------------------------------------

loads() { pintle doctor --load "$1" >/dev/null 2>&1; }

# Ours come behind the machine's own, one by one: a driver wants the libraries that it was installed with.
lend_libraries() {
  local folder library
  for folder in /usr/local/nvidia/lib64 /usr/local/nvidia/lib /usr/lib/wsl/lib; do
    [[ ! -d $folder ]] || export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$folder
  done
  mkdir "$work/lib"
  for library in "$here"/lent/*; do
    [[ ! -e $library ]] || loads "${library##*/}" || ln -s "$library" "$work/lib/"
  done
  [[ -z $(ls "$work/lib") ]] || export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$work/lib
}

# Folders of their own, and the compiler of GLSL behind the machine's.
offer_rest() {
  export HOME=$work XDG_CACHE_HOME=$work/cache PINTLE_CACHE_DIR=$work/cache/pintle PATH=$PATH:$here/tools
  mkdir -p "$PINTLE_CACHE_DIR"
}

# listed BACKEND: "ID KIND" of its devices; the only one of a backend has no ordinal, and an id by a name has the one by an ordinal
# behind it. Each backend is asked in a process of its own, since a driver may crash.
listed() {
  PINTLE_BACKENDS=$1 pintle devices 2>>"$work/log.txt" |
    awk -v b="$1" '$1 == b || index($1, b ":") == 1 {print $1, index($2, b ":") == 1 ? $3 : $2}' || true
}

hardware_of() { listed "$1" | awk '$2 ~ /gpu|accelerator/ {print $1}'; }

manifest_for() {
  printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "%s", "api_version": "1.3.0"}}\n' "$1" >"$work/$1.json"
  printf '%s' "$work/$1.json"
}

# A driver may be here without the manifest by which the loader finds it. What lists no hardware is not kept.
find_vulkan() {
  local manifest candidates=()
  [[ -z $(hardware_of vulkan) ]] || return 0
  for manifest in /usr/local/nvidia/share/vulkan/icd.d/*.json; do
    [[ ! -r $manifest ]] || candidates+=("$manifest")
  done
  for library in libGLX_nvidia.so.0 libEGL_nvidia.so.0; do
    ! loads "$library" || candidates+=("$(manifest_for "$library")")
  done
  for manifest in "${candidates[@]}"; do
    [[ -z $(VK_DRIVER_FILES=$manifest VK_ICD_FILENAMES=$manifest hardware_of vulkan) ]] || {
      export VK_DRIVER_FILES=$manifest VK_ICD_FILENAMES=$manifest
      say "vulkan: the manifest of the driver is $manifest"
      return
    }
  done
}

find_opencl() {
  [[ -z $(hardware_of opencl) ]] && loads libnvidia-opencl.so.1 || return 0
  mkdir -p "$work/vendors"
  echo libnvidia-opencl.so.1 >"$work/vendors/nvidia.icd"
  [[ -z $(OCL_ICD_VENDORS=$work/vendors hardware_of opencl) ]] || {
    export OCL_ICD_VENDORS=$work/vendors
    say "opencl: the driver libnvidia-opencl.so.1 was not registered"
  }
}

# compiler_folders: where a package of Python's or the toolkit of CUDA's would have the compiler. A Python of PATH is the one in use.
compiler_folders() {
  local folder folders
  IFS=: read -ra folders <<<"$PATH"
  for folder in "${folders[@]%/bin}" "$home/.local"; do
    printf '%s\n' "$folder"/lib/python3*/{site,dist}-packages/nvidia/*/lib
  done
  printf '%s\n' /usr/local/cuda*/lib64 /usr/local/cuda*/targets/*/lib
}

has_nvrtc() { loads libnvrtc.so.13 || loads libnvrtc.so.12 || loads libnvrtc.so; }

# CUDA's compiler is rarely among the loader's folders. It is nobody's to lend.
find_nvrtc() {
  local folder path
  loads libcuda.so.1 && ! has_nvrtc || return 0
  while read -r folder; do
    path=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$folder
    [[ -d $folder ]] || continue
    LD_LIBRARY_PATH=$path has_nvrtc || continue
    export LD_LIBRARY_PATH=$path
    say "cuda: the compiler libnvrtc is in $folder"
    return
  done < <(compiler_folders)
  say "cuda: there is no libnvrtc here: nothing in CUDA C is compiled, and what needs it is skipped"
}

# --- Running ----------------------------------------------------------------------------------------------------------

# A string of JSON from any text.
quoted() {
  local text
  text=$(tr -d '\000-\010\013-\037' <<<"$1")
  text=${text//\\/\\\\}
  text=${text//\"/\\\"}
  text=${text//$'\t'/ }
  printf '"%s"' "${text//$'\n'/\\n}"
}

# shared SECONDS LEAST: a limit of time where several devices share the run's.
shared() {
  local limit=$(($1 / ${#chosen[@]}))
  echo $((limit > $2 ? limit : $2))
}

# part DEVICE NAME SECONDS COMMAND...: runs it, with its output in $work/DEVICE.NAME.json, and notes how it ended.
part() {
  local device=$1 name=$2 limit=$3 start=$SECONDS code=0 status=passed why='' file=$work/$1.$2
  shift 3
  ((limit < end - SECONDS - reserved)) || limit=$((end - SECONDS - reserved))
  if ((limit < 5)); then
    status="not run" why="no time was left"
    not_run+=("$device $name")
  else
    PINTLE_BACKENDS=cpu,null,${device%%:*} at_most "$limit" "$@" >"$file.json" 2>"$file.log" || code=$?
    { printf '=== %s %s: %s\n' "$device" "$name" "$*"; cat "$file.log"; } >>"$work/log.txt"
    case $code in
      0) ;;
      77) status=skipped why=$(head -c 2000 "$file.log") ;;
      124 | 137) status="timed out" why="it did not end within $limit s" ;;
      *) status=failed why="exit code $code: $({ grep '^failed' "$file.log" || tail -n 3 "$file.log"; } | head -c 2000 || true)" ;;
    esac
  fi
  ran=$((ran + 1))
  case $status in
    passed) ;;
    skipped) left_out=$((left_out + 1)) ;;
    *) wrong=$((wrong + 1)) ;;
  esac
  say "$(printf '%-10s %-29s %-9s %4d s  %s' "$device" "$name" "$status" $((SECONDS - start)) "$(head -n 1 <<<"$why")")"
  say_numbers "$file.json"
  printf '%s{"device": "%s", "part": "%s", "status": "%s", "seconds": %d, "exit": %d, "why": %s}' "$(comma parts)" "$device" \
    "$name" "$status" $((SECONDS - start)) "$code" "$(quoted "$why")" >>"$work/parts"
}

# What a suite counted, and the rows of a figure, out of JSON as the programs indent it.
say_numbers() {
  [[ -s $1 ]] || return 0
  say "$(sed -n 's/^  "\(passed\|failed\|skipped\|gaps\)": \([0-9]*\),$/\2 \1/p' "$1" | paste -sd, | sed 's/,/, /g; s/^./           &/')"
  say "$(awk -F'": |,$' '
    /^  "name"/ {name = $2} /^  "unit"/ {unit = $2} /^  "p50"/ {ours = $2} /^   "p50"/ {theirs = $2}
    /^  "ratio"/ {printf "           %s: %.4g %s, reference %.4g, ratio %.3g\n", name, ours, unit, theirs, $2}
    /^  "skipped": "/ {printf "           %s is skipped: %s\n", name, $2}' "$1" | tr -d '"')"
}

# A comma, where the list in this file has begun.
comma() { [[ ! -s $work/$1 ]] || printf ',\n  '; }

run_suites() {
  local device=$1
  part "$device" info 60 "$programs/pintle" info "$device" --json
  part "$device" suite "$(shared 240 80)" "$programs/pintle" conform --device "$device" --filter "$filter" --json
  part "$device" near_the_end "$(shared 240 80)" env PINTLE_FIRST_SERIAL=18446744073709550615 \
    "$programs/pintle" conform --device "$device" --filter "$filter" --json
}

run_ends() {
  local program
  for program in "$programs"/clean_end_*; do
    part "$1" "${program##*/}" 60 "$program" "$1"
  done
}

# Random programs on the device alone, and on it beside cpu.
run_random() {
  local seconds=1
  ! is_hardware "$1" || seconds=$(shared 20 1)
  part "$1" random 60 "$programs/differential" --device "$1" --seconds "$seconds"
  part "$1" random_with_cpu 60 "$programs/differential" --device "$1" --other cpu --seconds "$seconds"
}

# facts_in FILE: "name: value" of each rule that has an answer there.
facts_in() { sed -n '/^#/d; s/  # .*//; /: not measured$/d; /: not asked (/d; /^[^ ]*: /p' "$1" | sort; }

# What the driver does, rule by rule, and which rules are not as on the card that was measured: another card may have others, so
# that no difference is a failure.
run_facts() {
  local found=$work/$1.facts.json differing
  [[ ${1%%:*} == cuda ]] && is_hardware "$1" || return 0
  part "$1" facts 25 "$programs/cuda_facts" --deadline 4 --seconds 20
  [[ -s $found ]] || return 0
  facts_in "$found" >"$work/facts_here"
  facts_in "$here/facts/nvidia-h200.txt" >"$work/facts_there"
  differing=$(awk 'NR == FNR {at = index($0, ": "); known[substr($0, 1, at)] = $0; next}
    {name = substr($0, 1, index($0, ": "))} name in known && known[name] != $0 {print "           " $0 " (the H200: " substr(known[name], length(name) + 2) ")"}' \
    "$work/facts_there" "$work/facts_here")
  say "           $(wc -l <"$work/facts_here") rules have an answer; $(grep -c . <<<"$differing" || true) are not as on the NVIDIA H200 of 2026-11-27"
  say "$differing"
}

# Last of all: what a driver does behind a fault is nobody's promise. In software it would be the process that faults.
run_faults() {
  local fault
  is_hardware "$1" || return 0
  for fault in out_of_memory endless bad_store; do
    part "$1" "fault_$fault" 60 env PINTLE_TIMEOUT_MS=3000 "$programs/faults" "$1" "$fault"
  done
}

# run_figure FIGURE DEVICE
run_figure() {
  part "$2" "figure_$1" "$(shared 120 40)" "$programs/bench" "$1" --device "$2" --json --out "$work/$2.raw_$1"
}

# What is left of the time is the figures', but for this much: each device's faults.
reserve_for_faults() {
  local device
  for device in "${chosen[@]}"; do ! is_hardware "$device" || reserved=$((reserved + 20)); done
}

run_all() {
  local device figure
  for device in "${chosen[@]}"; do
    say "$(PINTLE_BACKENDS=${device%%:*} pintle devices 2>/dev/null | awk -v id="$device" '$1 == id')"
  done
  for device in "${chosen[@]}"; do run_suites "$device"; done
  reserve_for_faults
  for device in "${chosen[@]}"; do run_facts "$device"; run_ends "$device"; run_random "$device"; done
  for figure in $figures; do
    for device in "${chosen[@]}"; do run_figure "$figure" "$device"; done
  done
  reserved=0
  for device in "${chosen[@]}"; do run_faults "$device"; done
  [[ $sweep == true ]] || return 0
  for device in "${chosen[@]}"; do part "$device" fault_sweep 400 "$programs/fault_sweep" "faulty($device)"; done
}

choose_devices() {
  local backend
  [[ ${#chosen[@]} == 0 ]] || return 0
  mapfile -t chosen < <(for backend in $backends; do hardware_of "$backend"; done)
  [[ ${#chosen[@]} == 0 ]] || return 0
  mapfile -t chosen < <(for backend in $backends; do listed "$backend" | awk '{print $1}'; done)
  say "No hardware is listed here; software: ${chosen[*]:-none}."
}

# --- Writing ----------------------------------------------------------------------------------------------------------

# What a part printed, or null: a command that is killed prints nothing.
document() {
  if [[ -s $1 ]]; then cat "$1"; else printf null; fi
}

is_hardware() { grep -q '^    "kind": ".*\(gpu\|accelerator\)",$' "$work/$1.info.json" 2>/dev/null; }

figure_rows() {
  local figure separator=''
  for figure in $figures; do
    printf '%s"%s": ' "$separator" "$figure"
    document "$work/$1.figure_$figure.json"
    separator=', '
  done
}

device_result() {
  local hardware=false file=$work/$1
  ! is_hardware "$1" || { hardware=true; on_hardware=$((on_hardware + 1)); }
  {
    printf '%s{"id": "%s", "hardware": %s, "info": ' "$(comma devices)" "$1" "$hardware"
    document "$file.info.json"
    printf ', "conform": '
    document "$file.suite.json"
    printf ', "near_the_end": '
    document "$file.near_the_end.json"
    printf ', "figures": {'
    figure_rows "$1"
    printf '}}'
  } >>"$work/devices"
}

describe_machine() {
  uname -srm
  getconf GNU_LIBC_VERSION 2>/dev/null || true
  sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | sort | uniq -c
  cat /proc/driver/nvidia/version 2>/dev/null || true
  ! command -v nvidia-smi >/dev/null || at_most 60 nvidia-smi --format=csv \
    --query-gpu=name,driver_version,memory.total,clocks.max.sm,clocks.sm,power.draw || true
  printf 'lent by the bundle: %s\n' "$(ls -x -w 0 "$work/lib")"
  printf '\npintle devices\n'
  pintle devices 2>&1 || true
  printf '\npintle doctor\n'
  pintle doctor 2>&1 || true
}

slug_of() {
  local name
  name=$(sed -n '/^ \{4\}"name": /{s/^[^:]*: "\(.*\)",$/\1/p;q}' "$work/$1.info.json" 2>/dev/null || true)
  tr '[:upper:]' '[:lower:]' <<<"${name:-unknown}" | tr -c 'a-z0-9\n' - | tr -s - | sed 's/^-//; s/-$//'
}

# What is not known to be hardware is called software.
folder_name() {
  local name=none-listed
  [[ ${#chosen[@]} == 0 ]] || name=$(slug_of "${chosen[0]}")
  ((on_hardware > 0)) || [[ $name == none-listed || $name == unknown ]] || name=software-$name
  printf '%s' "$name"
}

# One word: what ran decides, and a failure decides first.
status_word() {
  if ((wrong > 0 || ran == 0)); then echo failed
  elif ((on_hardware == 0)); then echo "no hardware"
  else echo passed
  fi
}

free_folder() {
  local base=$out/$1/$date number=2 folder
  folder=$base
  while [[ -e $folder ]]; do folder=$base-$((number++)); done
  printf '%s' "$folder"
}

write_results() {
  local device folder status raw facts
  for device in "${chosen[@]}"; do device_result "$device"; done
  touch "$work/devices" "$work/parts"
  status=$(status_word)
  folder=$(free_folder "$(folder_name)")
  mkdir -p "$folder"
  {
    printf '{"status": "%s", "hardware_devices": %d, "date": "%s", "whole_suite": %s,\n' "$status" "$on_hardware" "$date" \
      "$([[ -z $filter ]] && echo true || echo false)"
    printf ' "bundle": %s,\n "machine": %s,\n' "$(quoted "$(cat "$here/VERSION")")" "$(quoted "$(cat "$work/machine.txt")")"
    printf ' "parts": [\n  %s],\n "devices": [%s]}\n' "$(cat "$work/parts")" "$(cat "$work/devices")"
  } >"$folder/result.json"
  {
    printf '{"note": "the raw data of each figure"'
    for raw in "$work"/*.raw_*; do
      [[ ! -s $raw ]] || { printf ',\n"%s": ' "${raw##*/}"; cat "$raw"; }
    done
    printf '}\n'
  } >"$folder/figures.json"
  ((${#not_run[@]} == 0)) || say "not run, since no time was left: $(printf '%s, ' "${not_run[@]}" | sed 's/, $//')"
  say "$status: $((ran - wrong - left_out)) of $ran parts passed, $left_out skipped; devices of hardware: $on_hardware; $SECONDS s; $folder"
  cp "$work/summary.txt" "$work/machine.txt" "$work/log.txt" "$folder/"
  for facts in "$work"/cuda*.facts.json; do [[ ! -s $facts ]] || cp "$facts" "$folder/facts-cuda.txt"; done
  [[ $status != failed ]] || exit 1
  [[ $status == passed ]] || exit 3
}

main() {
  read_options "$@"
  touch "$work/log.txt"
  unpack_programs
  say "device tests of $(head -n 1 "$here/VERSION"), $date"
  if ! "$programs/pintle" --version >/dev/null 2>"$work/machine.txt"; then
    say "The programs do not start here: $(cat "$work/machine.txt")"
  else
    lend_libraries
    offer_rest
    find_vulkan
    find_opencl
    find_nvrtc
    choose_devices
    describe_machine >"$work/machine.txt"
    run_all
  fi
  write_results
}

main "$@"
