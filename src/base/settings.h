// The PINTLE_* environment variables: one table, read once, strictly.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/error.h"

namespace pintle::base {

/// The effective settings. Defaults are here; settings.cpp has the table of names, meanings and parsers.
struct Settings {
  std::string log;                                              // PINTLE_LOG: "warn" or "warn,cpu=debug"
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);  // PINTLE_TIMEOUT_MS: the default deadline of every wait
  std::string device;                         // PINTLE_DEVICE: the id that `best` stands for; empty = the best hardware
  std::string backends;                       // PINTLE_BACKENDS: the backends to use, "cpu,vulkan"; empty = all
  std::string backend_path;                   // PINTLE_BACKEND_PATH: a folder of modules; empty = none
  std::uint32_t cpu_threads = 0;              // PINTLE_CPU_THREADS: 0 = what the cgroup and the affinity mask allow
  std::string cc;                             // PINTLE_CC: the C compiler for the `c` format; empty = cc, gcc, clang
  bool warnings_are_errors = false;           // PINTLE_WERROR: a warning of the C compiler is build_failed
  std::string slang;                          // PINTLE_SLANG: Slang's compiler library; empty = the loader looks
  std::string cache_dir;                      // PINTLE_CACHE_DIR: empty = $XDG_CACHE_HOME/pintle or ~/.cache/pintle
  std::uint64_t cache_limit = 256ull << 20;   // PINTLE_CACHE_MIB: the size at which the oldest entries go
  std::optional<std::uint32_t> rank;          // PINTLE_RANK: this process's place among the ranks of a job
  std::optional<std::uint32_t> ranks;         // PINTLE_RANKS: how many ranks there are
  std::optional<std::uint32_t> group_memory;  // PINTLE_GROUP_MEMORY: the descriptor of their shared memory
  std::string opencl_c_plugin;                // PINTLE_OPENCL_C_PLUGIN: empty looks beside the library
  std::string mpi_plugin;                     // PINTLE_MPI_PLUGIN: empty looks beside the library
  bool mpi_shared = true;                     // PINTLE_MPI_SHARED: ranks of one host share the memory of windows
  std::uint64_t first_serial = 0;             // PINTLE_FIRST_SERIAL: where every counter starts (tests near 2^64)
  std::string webgpu;                         // PINTLE_WEBGPU: libraries that speak webgpu.h; empty = the loader looks
  std::string pjrt_plugins;  // PINTLE_PJRT_PLUGINS: plug-ins of PJRT; empty = those of a virtual environment
};

/// The folder of compiled programs: PINTLE_CACHE_DIR, else $XDG_CACHE_HOME/pintle, else ~/.cache/pintle, as the
/// environment is now. Empty where the environment names no folder, and with raised rights.
[[nodiscard]] std::filesystem::path cache_folder(const Settings& settings);

/// One row of the table, for `pintle info` and the docs.
struct SettingRow {
  std::string_view name, meaning, valid;
  std::string value;        // effective
  std::string_view source;  // "default" or "environment"
};

/// The settings, read from the environment on first use. With raised rights they are the defaults. `invalid_argument`
/// names the variable, its value and the valid ones. An unknown PINTLE_* name is a warning in the log. Thread-safe.
[[nodiscard]] Result<const Settings*> settings();
/// Parses `environment` (NAME=value strings), as `settings` does once with the process's own. Does not log.
[[nodiscard]] Result<Settings> parse_settings(std::span<const std::string> environment);
/// The names in `environment` that start with PINTLE_ and are in no row of the table.
[[nodiscard]] std::vector<std::string> unknown_settings(std::span<const std::string> environment);
/// A sentence on one such name: it does nothing, and which name it may stand for.
[[nodiscard]] std::string words_on_unknown(std::string_view name);
/// Every row with its effective value. Never fails: an invalid value is shown unchanged.
[[nodiscard]] std::span<const SettingRow> setting_rows();

}  // namespace pintle::base
