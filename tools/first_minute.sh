#!/usr/bin/env bash
# The first minute: ./dev demo on a bare Debian 12 in a folder of its own, from this machine's mirror, and what it took. Needs root and
# mmdebstrap; where one is not to be had, says so and ends well. Nothing of this machine but apt's settings gets in.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

skip() { printf 'first minute: skipped: %s\n' "$*"; exit 0; }
[[ $(id -u) == 0 ]] || skip "this is not root"
command -v mmdebstrap >/dev/null || skip "mmdebstrap is not installed (./dev setup nightly)"

work=$(mktemp -d "${TMPDIR:-/tmp}/first_minute.XXXXXX")
trap 'rm -rf "$work"' EXIT

# Where this machine's apt gets Debian from, and its settings, proxies among them.
sources=()
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
  [[ ! -s $file ]] || sources+=("$file")
done
apt-config dump | grep -E '^Acquire::(http|https|Check|Retries)' >"$work/apt.conf" || true

git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
  [[ ! -f $file ]] || printf '%s\0' "$file"
done | tar -C "$PWD" --null -T - -cf "$work/tree.tar"

cat >"$work/try" <<'END'
set -eu
root=$1 work=$2
mkdir "$root/pintle"
tar -C "$root/pintle" -xf "$work/tree.tar"
cp /etc/resolv.conf "$root/etc/resolv.conf"
rm -rf "$root"/var/lib/apt/lists/*
result=0
TIMEFORMAT='%R %U %S'
{ time chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root /pintle/dev demo >"$work/table" 2>"$work/words"; } 2>"$work/times" || result=$?
echo "$result" >"$work/result"
END

mmdebstrap --quiet --variant=apt --aptopt="$work/apt.conf" --customize-hook="bash $work/try \"\$1\" $work" --format=null bookworm /dev/null \
  "${sources[@]}" >"$work/log" 2>&1 || { tail -n 20 "$work/log"; skip "a bare Debian 12 cannot be made here"; }

read -r seconds user system <"$work/times"
result=$(<"$work/result")
grep -E '^(installing|installed|demo [0-9])' "$work/words" || true
cat "$work/table"
if [[ $result != 0 ]]; then
  tail -n 40 "$work/words"
  printf 'first minute: ./dev demo ends with %s after %s s\n' "$result" "$seconds"
  exit 1
fi
figure() { sed -nE "s/$1/\1/p" "$work/words" | head -n 1; }
printf 'first minute on %s processors (load %s): %s packages, %s MB; install %s s, compile %s s, all %s s to the table; processor time %s s + %s s of the system\n' \
  "$(nproc)" "$(cut -d' ' -f1 /proc/loadavg)" "$(figure '^installing ([0-9]+) packages.*')" "$(figure '^installing .*packages, ([0-9]+) MB.*')" \
  "$(figure '^demo 3.*\(([0-9]+) s for packages.*')" "$(figure '^demo 3.*, ([0-9]+) s for compiling.*')" "$seconds" "$user" "$system"
