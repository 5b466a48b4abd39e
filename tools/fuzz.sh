#!/usr/bin/env bash
# tools/fuzz.sh SECONDS: runs every fuzzer of the asan build for that long, two at a time. Seeds are in tests/fuzz/corpus/NAME.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=${1:-60}
folder=$PWD/build/asan/fuzz
export seconds folder

run_one() {
  local name=${1#fuzz_} seeds=()
  [[ ! -d tests/fuzz/corpus/$name ]] || seeds=("tests/fuzz/corpus/$name")
  mkdir -p "$folder/corpus/$name"
  "$folder/$1" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$folder/$name-" "$folder/corpus/$name" "${seeds[@]}" >"$folder/$name.log" 2>&1 || {
    tail -n 60 "$folder/$name.log"
    echo "fuzz_$name failed"
    return 1
  }
  echo "fuzz_$name: $(grep -o 'number_of_executed_units: [0-9]*' "$folder/$name.log")"
}
export -f run_one

mapfile -t fuzzers < <(find "$folder" -maxdepth 1 -name 'fuzz_*' -type f -executable -printf '%f\n' | sort)
[[ ${#fuzzers[@]} != 0 ]] || { echo "no fuzzers in $folder; ./dev build asan makes them"; exit 1; }
printf '%s\0' "${fuzzers[@]}" | xargs -0 -n 1 -P 2 bash -c 'set -euo pipefail; run_one "$1"' run_one
