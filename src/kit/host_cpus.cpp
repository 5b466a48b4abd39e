#include "kit/host_cpus.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>

#include "base/bytes.h"
#include "base/file.h"
#include "base/join_path.h"
#include "base/made_once.h"
#include "base/parse.h"

namespace pintle::kit {
namespace {

using base::join_path;
using std::filesystem::path;

/// The text of the file; empty where it cannot be read. A stream would take a file for empty where memory runs out.
std::string text_of(const path& file) {
  const auto bytes = base::made_once(base::read_file(file));
  return bytes ? std::string(base::text_in(*bytes)) : std::string();
}

/// Removes the text up to the next `end`, and `end`, from the front. Returns the text before `end`.
std::string_view take_until(std::string_view& text, char end) noexcept {
  const std::size_t size = std::min(text.find(end), text.size());
  const std::string_view part = text.substr(0, size);
  text.remove_prefix(std::min(size + 1, text.size()));
  return part;
}

std::string_view take_word(std::string_view& text) noexcept {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return take_until(text, ' ');
}

std::string first_line(const path& file) {
  const std::string text = text_of(file);
  std::string_view rest = text;
  return std::string(take_until(rest, '\n'));
}

std::optional<double> ratio(std::string_view quota, std::string_view period) {
  const auto spent = base::parse_number<std::uint64_t>(quota, 1);
  const auto each = base::parse_number<std::uint64_t>(period, 1);
  if (!spent || !each) return std::nullopt;  // "max", or -1 in version 1
  return static_cast<double>(*spent) / static_cast<double>(*each);
}

/// Version 2: "max 100000" or "150000 100000".
std::optional<double> limit_v2(const path& group) {
  const std::string line = first_line(join_path(group, "cpu.max"));
  std::string_view words = line;
  const std::string_view quota = take_word(words);
  return ratio(quota, take_word(words));
}

std::optional<double> limit_v1(const path& group) {
  return ratio(first_line(join_path(group, "cpu.cfs_quota_us")), first_line(join_path(group, "cpu.cfs_period_us")));
}

/// The least limit of `group` and the groups above it, up to `top`.
std::optional<double> least_limit(const path& top, path group, std::optional<double> (*limit)(const path&)) {
  std::optional<double> least;
  while (true) {
    const auto here = limit(join_path(top, group.native()));
    if (here && (!least || *here < *least)) least = here;
    if (group.empty()) return least;
    group = group.parent_path();
  }
}

bool lists(std::string_view controllers, std::string_view name) {
  while (!controllers.empty()) {
    const auto comma = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, comma) == name) return true;
    controllers.remove_prefix(std::min(comma + 1, controllers.size()));
  }
  return false;
}

std::optional<double> limit_of(const path& root, std::string_view controllers, const path& group) {
  const path top = join_path(root, "sys/fs/cgroup");
  if (controllers.empty()) {
    const auto unified = least_limit(top, group, limit_v2);
    return unified ? unified : least_limit(join_path(top, "unified"), group, limit_v2);
  }
  if (!lists(controllers, "cpu")) return std::nullopt;
  // The folder has the names of all controllers of its hierarchy, or there is a link named "cpu".
  const auto named = least_limit(join_path(top, controllers), group, limit_v1);
  return named ? named : least_limit(join_path(top, "cpu"), group, limit_v1);
}

std::uint32_t affinity_count() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<std::uint32_t>(std::max(CPU_COUNT(&set), 1));
  return std::max(std::thread::hardware_concurrency(), 1u);  // there are more processors than the set has room for
}

/// "MemTotal:  24684092 kB" in bytes.
std::optional<std::uint64_t> meminfo_bytes(const path& root, std::string_view name) {
  const std::string text = text_of(join_path(root, "proc/meminfo"));
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view line = take_until(rest, '\n');
    if (take_until(line, ':') != name) continue;
    if (const auto kibibytes = base::parse_number<std::uint64_t>(take_word(line), 0, std::uint64_t{1} << 53))
      return *kibibytes << 10;
  }
  return std::nullopt;
}

}  // namespace

std::uint32_t HostCpus::threads(std::uint32_t wanted) const noexcept {
  std::uint32_t most = std::max(allowed, 1u);
  if (quota && *quota < most) most = static_cast<std::uint32_t>(std::max(std::ceil(*quota), 1.0));
  return wanted == 0 ? most : std::min(wanted, most);
}

HostCpus host_cpus() { return {affinity_count(), cgroup_quota("/")}; }

std::optional<double> cgroup_quota(const path& root) {
  const std::string text = text_of(join_path(root, "proc/self/cgroup"));
  std::optional<double> least;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = take_until(rest, '\n');  // "3:cpu,cpuacct:/slice" or "0::/slice"
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const auto limit = limit_of(root, controllers, path(line.substr(second + 1)).relative_path());
    if (limit && (!least || *limit < *least)) least = limit;
  }
  return least;
}

std::string cpuinfo_field(const path& root, std::string_view name) {
  const std::string text = text_of(join_path(root, "proc/cpuinfo"));
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = take_until(rest, '\n');
    const auto colon = line.find(':');
    if (colon == std::string::npos || !line.starts_with(name)) continue;
    if (line.find_first_not_of(" \t", name.size()) != colon) continue;
    const auto value = line.find_first_not_of(" \t", colon + 1);
    return std::string(value == std::string::npos ? std::string_view() : line.substr(value));
  }
  return {};
}

HostMemory host_memory(const path& root) {
  return {meminfo_bytes(root, "MemTotal").value_or(0), meminfo_bytes(root, "MemAvailable")};
}

}  // namespace pintle::kit
