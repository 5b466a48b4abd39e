// The processors that this process may use.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pintle::kit {

/// What the operating system allows.
struct HostCpus {
  std::uint32_t allowed = 1;    ///< Processors in the affinity mask.
  std::optional<double> quota;  ///< Processors that the cgroup allows, where it has a limit.

  /// At least 1. At most the allowed ones, the quota (rounded up), and `wanted` unless that is 0.
  [[nodiscard]] std::uint32_t threads(std::uint32_t wanted) const noexcept;
};
[[nodiscard]] HostCpus host_cpus();

/// The least CPU limit of this process's cgroup and those above it, versions 2 and 1; empty when there is none. `root`
/// stands for "/": it has proc/self/cgroup and sys/fs/cgroup.
[[nodiscard]] std::optional<double> cgroup_quota(const std::filesystem::path& root);

/// Reads "name : value" of the first processor in /proc/cpuinfo; empty when it is not there.
[[nodiscard]] std::string cpuinfo_field(const std::filesystem::path& root, std::string_view name);

/// Host memory, in bytes.
struct HostMemory {
  std::uint64_t total = 0;
  std::optional<std::uint64_t> available;
};
/// Reads proc/meminfo.
[[nodiscard]] HostMemory host_memory(const std::filesystem::path& root);

}  // namespace pintle::kit
