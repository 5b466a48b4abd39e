// The checks of `pintle doctor`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/output.h"
#include "pintle/error.h"

namespace pintle::cli {

enum class Verdict : std::uint8_t { ok, warn, fail };
[[nodiscard]] std::string_view name(Verdict verdict) noexcept;

/// One thing that was looked at.
struct Finding {
  std::string subject;
  Verdict verdict = Verdict::ok;
  std::string text;
  std::string next_step;  ///< Empty where nothing is to be done.
};
using Findings = std::vector<Finding>;

[[nodiscard]] Json to_json(const Finding& finding);
[[nodiscard]] Finding finding_of(const Json& row);

/// The PINTLE_* variables.
[[nodiscard]] Findings check_settings();
/// Each backend, in a process of its own: whether its devices open, or why it has none.
[[nodiscard]] Findings check_devices();
/// Checks all backends in this process; a broken driver may end the process.
[[nodiscard]] Findings check_devices_here();
/// The manifests of Vulkan's and OpenCL's drivers, and whether the libraries that they name can be loaded.
[[nodiscard]] Findings check_drivers();
/// Whether this user may open the devices below `root`/dev.
[[nodiscard]] Findings check_nodes(const std::string& root);
/// Loads a library: what `check_drivers` does in another process.
[[nodiscard]] Result<void> load_library(const std::string& path);
/// Whether a C program compiles and gives the right answer; what compiles OpenCL C for the cpu.
[[nodiscard]] Findings check_compiler();
/// Whether the folder of compiled programs can be used.
[[nodiscard]] Findings check_cache();
/// Whether the largest allocation of each device works, by trials in processes of their own. Where it does not, what
/// works is kept, and is the device's limit from now on.
[[nodiscard]] Findings check_allocations();
/// One such trial, which may end the process.
[[nodiscard]] Result<void> try_allocation(const std::string& id, std::uint64_t bytes);
/// Whether kernels may ask texel buffers how large they are, by a trial in a process of its own. What is seen is kept,
/// and decides whether PoCL's kernels that ask are refused.
[[nodiscard]] Findings check_questions();
/// That trial, which may end the process.
[[nodiscard]] Result<void> ask_texels(const std::string& id);
/// How many processors work for the cpu device.
[[nodiscard]] Findings check_threads();

}  // namespace pintle::cli
