# ./dev check: every step is run, timed and counted, cheap ones first. A step that fails does not stop the others.
# shellcheck shell=bash

# What a check may take of the processors, in seconds of all that it starts, where the cache has nearly all that is compiled. No variable
# changes it: a check that takes longer is one that nobody waits for.
most_processor_seconds=2400
warm_percent=90  # of compilations that the cache has; below it a check says that it is cold, and does not fail for its time
logs=$PWD/build/check
commit=$(git rev-parse HEAD 2>/dev/null || true)
passed=0
failed=0
skipped=0
left=0
rows=()    # of the table; not in a file, since a disk may be full
judged=()  # what is said of tests that failed
unset CCACHE_DISABLE CCACHE_RECACHE  # a cache that is there is asked: what it has makes the limit hold
mkdir -p "$logs"
find "$logs" -mindepth 1 ! -name passed -delete

# count_processor: sets processor to the seconds of all children that have ended, user and system. A subshell would be told of its own.
count_processor() {
  times >"$logs/times" || true
  processor=$(awk 'NR == 2 { split($1, u, /[ms]/); split($2, s, /[ms]/); printf "%d", u[1] * 60 + u[2] + s[1] * 60 + s[2] }' "$logs/times" || true)
  processor=${processor:-0}
}

# cache_counts: HITS MISSES of ccache since ever.
cache_counts() {
  if ! command -v ccache >/dev/null; then printf '0 0\n'; return; fi
  ccache --print-stats | awk '/^(direct|preprocessed)_cache_hit/ { hits += $2 } /^cache_miss/ { misses += $2 } END { print hits + 0, misses + 0 }'
}

# count_compiled: the compilations of all steps, and of tests that build, as their logs say.
count_compiled() { cat "$logs"/*.log "$logs"/*.xml 2>/dev/null | grep -cE '\] Building (C|CXX) object' || true; }

# begin, then note RESULT NAME [WORDS...]: a line of the table for what was between them.
begin() {
  start=$SECONDS
  count_processor
  start_processor=$processor
  read -r start_hits start_misses < <(cache_counts)
}

note() {
  local line hits misses cache=""
  read -r hits misses < <(cache_counts)
  hits=$((hits - start_hits)) misses=$((misses - start_misses))
  ((hits + misses == 0)) || cache=" (cache: $hits of $((hits + misses)))"
  count_processor
  line=$(printf '%-7s %-15s %5d s %5d s  %s%s' "$1" "$2" $((SECONDS - start)) $((processor - start_processor)) "${*:3}" "$cache")
  printf '%s\n' "$line"
  rows+=("$line")
}

# Runs a command with its output in a log.
logged() {
  local name=$1
  shift
  "$@" >"$logs/$name.log" 2>&1 </dev/null
}

show_end() { tail -n 80 "$logs/$1.log" || true; }

# step NAME COMMAND...: counts as one.
step() {
  local name=$1
  shift
  begin
  if logged "$name" "$@"; then
    passed=$((passed + 1))
    note ok "$name"
  else
    show_end "$name"
    failed=$((failed + 1))
    note FAILED "$name" "$*"
  fi
}

# skip NAME WORDS...: what this check does not do here, and why; it counts as one.
skip() {
  begin
  skipped=$((skipped + 1))
  note skipped "$@"
}

# step_build PRESET [TARGET...]: false where that failed, so that nobody reads a hundred tests that were not built.
step_build() {
  local before=$failed
  step "build-$1" ./dev build "$@"
  [[ $failed == "$before" ]]
}

# step_tests NAME PRESET COMMAND...: counts each test of a command that takes ctest's arguments; a failure outside the tests counts too. What
# fails and then passes twice alone is flaky: it is said, and does not stop anybody. What other turns run is counted as left.
step_tests() {
  local name=$1 preset=$2 result=ok counts=(0 0 0 0) words forgiven
  shift 2
  begin
  take_share "$preset"
  rm -f "build/$preset/left"
  logged "$name" "$@" --output-junit "$logs/$name.xml" --test-output-size-passed 1000000 || result=FAILED
  [[ ! -f $logs/$name.xml ]] || read -r -a counts < <(python3 tools/count_tests.py "$logs/$name.xml") || counts=(0 1 0 0)
  if ((counts[1] != 0)); then
    words=$(python3 tools/judge.py "$logs/$name.xml" "$preset" "$logs") || words=0
    forgiven=${words##*$'\n'}
    if [[ $words == *$'\n'* ]]; then
      printf '%s\n' "${words%$'\n'*}"
      judged+=("${words%$'\n'*}")
    fi
    ((counts[0] += forgiven, counts[1] -= forgiven)) || true
    ((counts[1] != 0)) || result=ok
  fi
  [[ $result == ok || ${counts[1]} != 0 ]] || { show_end "$name"; counts[1]=1; }
  [[ $result == FAILED || ${counts[0]} != 0 ]] || { result=FAILED counts[1]=1; }
  passed=$((passed + counts[0]))
  failed=$((failed + counts[1]))
  skipped=$((skipped + counts[2]))
  [[ ! -f build/$preset/left ]] || counts[3]=$((counts[3] + $(wc -l <"build/$preset/left")))
  left=$((left + counts[3]))
  note "$result" "$name" "${counts[0]} passed, ${counts[1]} failed, ${counts[2]} skipped, ${counts[3]} left"
}

# Whether the package list can be installed where nothing is installed yet: apt's simulation with an empty status.
resolve_packages() {
  # shellcheck disable=SC2046  # a list of words
  apt-get -s -q -o Dir::State::status=/dev/null --no-install-recommends install $(packages)
}

check_packages() { resolve_packages || { as_root apt-get update -q && resolve_packages; }; }

on_debian_12() { [[ -r /etc/os-release ]] && grep -q '^VERSION_CODENAME=bookworm' /etc/os-release; }

step_packages() {
  if on_debian_12; then step packages check_packages
  else skip packages "this is not Debian 12"
  fi
}

# The groups of tools/packages.txt that a check is made with: it makes no package and no site.
check_groups() { sed -n 's/^\[\([a-z_]*\)\].*/\1/p' tools/packages.txt | grep -vxE 'package|docs'; }

# What could not be installed: where a group is not whole, this check runs less than others, and says of what.
step_groups() {
  local group missing
  is_debian || { skip packages "this is no Debian system: what is there is not known"; return 0; }
  while read -r group; do
    missing=$(missing_packages "$group")
    [[ -z $missing ]] || skip "group-$group" "not installed: $missing"
  done < <(check_groups)
}

# What the tests need of PyPI, before anything is compiled: a group that cannot be had is named, and its tests are skipped.
step_wheels() {
  local group
  for group in "${test_wheels[@]}"; do
    if ! logged "wheels-$group" need_wheels "$group"; then skip "wheels-$group" "not all of this group of tools/wheels.txt can be had"; fi
  done
}

# What the build of dev leaves out for lack of something: its tests are not there to be skipped.
step_left_out() {
  local line
  while read -r line; do skip left-out "$line"; done < <(sed -n 's/^-- Left out: //p' build/dev.log)
}

step_sanitized() {
  if ! command -v "clang-$clang_major" >/dev/null; then
    skip asan "clang-$clang_major is not there"
    skip fuzz "clang-$clang_major is not there"
  elif step_build asan; then
    step_tests test-asan asan run_tests asan
    step fuzz tools/fuzz.sh 10
  fi
  if step_build tsan; then step_tests test-tsan tsan run_tests tsan; fi
}

run_check() {
  # shellcheck disable=SC2046  # a list of words
  step setup need $(check_groups)
  offer_software_devices
  step_packages
  step_groups
  step_wheels
  step format ./dev fmt --check
  step layers ./dev layers
  step size ./dev size
  step flaky python3 tools/flaky.py
  if step_build dev; then
    step_left_out
    step_tests test-dev dev ./dev test
  fi
  step_build release bench || true
  step_build demo demo || true
  step_sanitized
}

# judge_time: whether the time is within its limit. It holds where the cache had what was compiled, and where nothing was.
judge_time() {
  local hits misses compiled percent=100 words="Nothing was compiled"
  read -r hits misses < <(cache_counts)
  hits=$((hits - first_hits)) misses=$((misses - first_misses))
  compiled=$(count_compiled)
  if ((hits + misses != 0)); then
    percent=$((100 * hits / (hits + misses)))
    words="The cache had $percent % of $((hits + misses)) compilations"
  elif ((compiled != 0)); then
    percent=0 words="No cache was asked for $compiled compilations"
    command -v ccache >/dev/null || words="There is no ccache for $compiled compilations"
  fi
  if ((percent < warm_percent)); then
    printf '%s: this check was cold, and its time has no limit.\n' "$words"
  elif ((processor > most_processor_seconds)); then
    failed=$((failed + 1))
    printf 'FAILED: %d s of processor time are more than %d s. %s.\n' "$processor" "$most_processor_seconds" "$words"
  else
    printf '%s.\n' "$words"
  fi
}

# The last lines: the table, the time, and the counts.
finish() {
  count_processor
  printf '\ndev check after %d s, %d s of processor time:\n' "$SECONDS" "$processor"
  printf '%-7s %-15s %7s %7s\n' "" step time processor
  printf '%s\n' "${rows[@]}" "${judged[@]}"
  judge_time
  printf '%d tests are left to other commits and to ./dev nightly: tests/shares.txt.\n' "$left"
  printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
  [[ $failed == 0 ]]
}

# record_pass: which commit passed, for those that move main. A tree with other changes is no commit.
record_pass() {
  [[ -n $commit && $commit == "$(git rev-parse HEAD)" && -z $(git status --porcelain --untracked-files=no) ]] || return 0
  printf '%s\n' "$commit" >>"$logs/passed"
}

read -r first_hits first_misses < <(cache_counts)
run_check
finish
record_pass
