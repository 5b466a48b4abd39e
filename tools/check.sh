# ./dev check: every step is run, timed and counted, cheap ones first. A step that fails does not stop the others.
# shellcheck shell=bash

export CI_SECONDS_PER_FUZZER=${CI_SECONDS_PER_FUZZER:-30}
logs=$PWD/build/check
passed=0
failed=0
skipped=0
mkdir -p "$logs"
rm -f "$logs"/*

# note RESULT NAME SECONDS [WORDS...]
note() {
  local line
  line=$(printf '%-6s %-16s %5d s  %s' "$1" "$2" "$3" "${*:4}")
  printf '%s\n' "$line"
  printf '%s\n' "$line" >>"$logs/summary"
}

# Runs a command with its output in a log.
logged() {
  local name=$1
  shift
  "$@" >"$logs/$name.log" 2>&1 </dev/null
}

show_end() { tail -n 80 "$logs/$1.log"; }

# step NAME COMMAND...: counts as one.
step() {
  local name=$1 start=$SECONDS
  shift
  if logged "$name" "$@"; then
    passed=$((passed + 1))
    note ok "$name" $((SECONDS - start))
  else
    show_end "$name"
    failed=$((failed + 1))
    note FAILED "$name" $((SECONDS - start)) "$*"
  fi
}

# step_build PRESET: false where that failed, so that nobody reads a hundred tests that were not built.
step_build() {
  local before=$failed
  step "build-$1" ./dev build "$1"
  [[ $failed == "$before" ]]
}

# step_tests NAME COMMAND...: counts each test of a command that takes ctest's arguments; a failure outside the tests counts too.
step_tests() {
  local name=$1 start=$SECONDS result=ok counts=(0 0 0)
  shift
  logged "$name" "$@" --output-junit "$logs/$name.xml" || result=FAILED
  [[ ! -f $logs/$name.xml ]] || read -r -a counts < <(python3 tools/count_tests.py "$logs/$name.xml")
  [[ $result == ok || ${counts[1]} != 0 ]] || { show_end "$name"; counts[1]=1; }
  [[ $result == FAILED || ${counts[0]} != 0 ]] || { result=FAILED counts[1]=1; }
  passed=$((passed + counts[0]))
  failed=$((failed + counts[1]))
  skipped=$((skipped + counts[2]))
  note "$result" "$name" $((SECONDS - start)) "${counts[0]} passed, ${counts[1]} failed, ${counts[2]} skipped"
}

# Whether the package list can be installed where nothing is installed yet: apt's simulation with an empty status.
resolve_packages() {
  # shellcheck disable=SC2046  # a list of words
  apt-get -s -q -o Dir::State::status=/dev/null --no-install-recommends install $(packages)
}

check_packages() { resolve_packages || { as_root apt-get update -q && resolve_packages; }; }

on_debian_12() { [[ -r /etc/os-release ]] && grep -q '^VERSION_CODENAME=bookworm' /etc/os-release; }

step_packages() {
  if on_debian_12; then
    step packages check_packages
  else
    skipped=$((skipped + 1))
    note skip packages 0 "this is not Debian 12"
  fi
}

run_check() {
  step setup ./dev setup
  offer_software_devices
  step_packages
  step format ./dev fmt --check
  step layers ./dev layers
  step size ./dev size
  step_tests test-dev ./dev test
  step build-release ./dev build release bench
  step build-demo ./dev build demo demo
  if step_build asan; then
    step_tests test-asan ctest --preset asan -LE nightly -j "$jobs"
    step fuzz tools/fuzz.sh "$CI_SECONDS_PER_FUZZER"
  fi
  if step_build tsan; then step_tests test-tsan ctest --preset tsan -LE nightly -j "$jobs"; fi
}

run_check
printf '\n%s after %d s:\n' "dev check" "$SECONDS"
cat "$logs/summary"
printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[[ $failed == 0 ]]
