#include "base/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/contain.h"
#include "base/join_path.h"
#include "base/log.h"
#include "base/log_filter.h"
#include "base/made_once.h"
#include "base/nearest.h"
#include "base/parse.h"
#include "base/platform.h"
#include "base/quote.h"

namespace pintle::base {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t most_milliseconds = 24ull * 60 * 60 * 1000;
constexpr std::uint64_t most_mebibytes = 1ull << 20;
constexpr std::uint32_t most_threads = 1024;
constexpr std::uint32_t most_ranks = 1024;
constexpr std::uint32_t last_descriptor = 0x7fff'ffff;

/// One variable. `read` returns false for a value that is not valid.
struct Rule {
  std::string_view name, meaning, valid;
  bool (*read)(std::string_view text, Settings& settings);
  std::string (*print)(const Settings& settings);
};

template <class T>
bool assign(T& target, const std::optional<T>& value) {
  if (value) target = *value;
  return value.has_value();
}

bool read_log(std::string_view text, Settings& settings) {
  settings.log = text;
  return LogFilter::parse(text).has_value();
}

bool read_timeout(std::string_view text, Settings& settings) {
  const auto count = parse_number<std::uint64_t>(text, 1, most_milliseconds);
  if (count) settings.timeout = milliseconds(*count);
  return count.has_value();
}

template <std::string Settings::* Member>
bool read_folder(std::string_view text, Settings& settings) {
  settings.*Member = text;
  return text.empty() || std::filesystem::path(text).is_absolute();
}

bool read_cache_limit(std::string_view text, Settings& settings) {
  const auto count = parse_number<std::uint64_t>(text, 1, most_mebibytes);
  if (count) settings.cache_limit = *count << 20;
  return count.has_value();
}

/// Reads a number that may be absent; absent is not 0.
template <std::optional<std::uint32_t> Settings::* Member, std::uint32_t Least, std::uint32_t Most>
bool read_optional(std::string_view text, Settings& settings) {
  settings.*Member = parse_number<std::uint32_t>(text, Least, Most);
  return (settings.*Member).has_value();
}

template <std::optional<std::uint32_t> Settings::* Member>
std::string print_optional(const Settings& settings) {
  return settings.*Member ? fmt::to_string(*(settings.*Member)) : std::string();
}

template <std::string Settings::* Member>
bool read_text(std::string_view text, Settings& settings) {
  settings.*Member = text;
  return true;
}

template <bool Settings::* Member>
bool read_flag(std::string_view text, Settings& settings) {
  const auto number = parse_number<std::uint32_t>(text, 0, 1);
  if (number) settings.*Member = *number == 1;
  return number.has_value();
}

template <bool Settings::* Member>
std::string print_flag(const Settings& settings) {
  return settings.*Member ? "1" : "0";
}

const std::array<Rule, 20>& rules() {
  static constexpr std::array<Rule, 20> table{{
      {"PINTLE_LOG", "what is written to the log",
       "error, warn, info or debug, and category=level, separated by commas; empty for silence", read_log,
       [](const Settings& s) { return s.log; }},
      {"PINTLE_TIMEOUT_MS", "default deadline of every wait, in milliseconds", "1 to 86400000", read_timeout,
       [](const Settings& s) { return fmt::to_string(std::chrono::duration_cast<milliseconds>(s.timeout).count()); }},
      {"PINTLE_DEVICE", "the device that `best` is; empty takes the best hardware", "a device id, as `open` takes it",
       read_text<&Settings::device>, [](const Settings& s) { return s.device; }},
      {"PINTLE_BACKENDS", "backends that are looked at; empty takes all", "names of backends, separated by commas",
       read_text<&Settings::backends>, [](const Settings& s) { return s.backends; }},
      {"PINTLE_BACKEND_PATH", "folder of modules, which are backends outside of this library; empty looks for none",
       "an absolute path, or empty", read_folder<&Settings::backend_path>,
       [](const Settings& s) { return s.backend_path; }},
      {"PINTLE_CPU_THREADS", "worker threads of the cpu device; 0 takes what the cgroup and the affinity mask allow",
       "0 to 1024",
       [](std::string_view text, Settings& s) {
         return assign(s.cpu_threads, parse_number<std::uint32_t>(text, 0, most_threads));
       },
       [](const Settings& s) { return fmt::to_string(s.cpu_threads); }},
      {"PINTLE_CC", "C compiler for programs in the format c; empty tries cc, gcc and clang",
       "the path or the name of a C compiler", read_text<&Settings::cc>, [](const Settings& s) { return s.cc; }},
      {"PINTLE_WERROR", "whether a warning of the C compiler is an error; 0 writes it to the log", "0 or 1",
       read_flag<&Settings::warnings_are_errors>, print_flag<&Settings::warnings_are_errors>},
      {"PINTLE_SLANG",
       "Slang's compiler library for `pintle pack`; empty looks for libslang-compiler.so as the loader does",
       "the path of a libslang-compiler.so, or empty", read_text<&Settings::slang>,
       [](const Settings& s) { return s.slang; }},
      {"PINTLE_WEBGPU", "libraries that speak webgpu.h, for the backend webgpu; empty looks for the usual names",
       "paths, separated by colons, or empty", read_text<&Settings::webgpu>,
       [](const Settings& s) { return s.webgpu; }},
      {"PINTLE_PJRT_PLUGINS",
       "plug-ins of PJRT, for the backend pjrt; empty takes those of the virtual environment that is active",
       "paths, separated by colons, or empty", read_text<&Settings::pjrt_plugins>,
       [](const Settings& s) { return s.pjrt_plugins; }},
      {"PINTLE_CACHE_DIR", "folder of compiled programs; empty takes $XDG_CACHE_HOME/pintle or ~/.cache/pintle",
       "an absolute path, or empty", read_folder<&Settings::cache_dir>, [](const Settings& s) { return s.cache_dir; }},
      {"PINTLE_CACHE_MIB", "size of the cache above which its oldest entries go, in MiB", "1 to 1048576",
       read_cache_limit, [](const Settings& s) { return fmt::to_string(s.cache_limit >> 20); }},
      {"PINTLE_RANK", "this process's rank; pintle launch sets it", "0 to 1023",
       read_optional<&Settings::rank, 0, most_ranks - 1>, print_optional<&Settings::rank>},
      {"PINTLE_RANKS", "number of ranks; pintle launch sets it", "1 to 1024",
       read_optional<&Settings::ranks, 1, most_ranks>, print_optional<&Settings::ranks>},
      {"PINTLE_GROUP_MEMORY", "descriptor of the memory where the ranks meet; pintle launch sets it", "0 to 2147483647",
       read_optional<&Settings::group_memory, 0, last_descriptor>, print_optional<&Settings::group_memory>},
      {"PINTLE_MPI_PLUGIN", "the path of libpintle_mpi.so; empty looks beside the library, then beside the program",
       "a path, or empty", read_text<&Settings::mpi_plugin>, [](const Settings& s) { return s.mpi_plugin; }},
      {"PINTLE_OPENCL_C_PLUGIN",
       "the path of libpintle_opencl_c.so; empty looks beside the library, then beside the program", "a path, or empty",
       read_text<&Settings::opencl_c_plugin>, [](const Settings& s) { return s.opencl_c_plugin; }},
      {"PINTLE_MPI_SHARED",
       "whether ranks of one host share memory over mpi; 0 takes one-sided operations, as between hosts", "0 or 1",
       read_flag<&Settings::mpi_shared>, print_flag<&Settings::mpi_shared>},
      {"PINTLE_FIRST_SERIAL", "where every counter starts, for tests", "0 to 18446744073709551615",
       [](std::string_view text, Settings& s) { return assign(s.first_serial, parse_number<std::uint64_t>(text)); },
       [](const Settings& s) { return fmt::to_string(s.first_serial); }},
  }};
  return table;
}

constexpr std::string_view prefix = "PINTLE_";

std::string known_names() {
  std::string names;
  for (const Rule& rule : rules()) {
    if (!names.empty()) names += ", ";
    names += rule.name;
  }
  return names;
}

/// All names begin with the prefix, so only the rest is compared.
std::string meant_by(std::string_view unknown) {
  std::vector<std::string> names;
  for (const Rule& rule : rules()) names.emplace_back(rule.name.substr(prefix.size()));
  const std::string_view found = nearest(unknown.substr(prefix.size()), names);
  return found.empty() ? std::string() : fmt::format("{}{}", prefix, found);
}

/// Finds the first value of the name, as getenv does.
std::optional<std::string_view> find(std::span<const std::string> environment, std::string_view name) {
  for (const std::string_view text : environment) {
    if (text.starts_with(name) && text.substr(name.size()).starts_with('=')) return text.substr(name.size() + 1);
  }
  return std::nullopt;
}

std::vector<SettingRow> rows_of(std::span<const std::string> environment) {
  const Settings defaults;
  std::vector<SettingRow> rows;
  for (const Rule& rule : rules()) {
    const auto value = find(environment, rule.name);
    rows.push_back({rule.name, rule.meaning, rule.valid, value ? std::string(*value) : rule.print(defaults),
                    value ? "environment" : "default"});
  }
  return rows;
}

/// The contents of the process's environment, read once.
struct Reading {
  Result<Settings> settings;
  std::vector<SettingRow> rows;
  std::vector<std::string> unknown;

  explicit Reading(std::span<const std::string> environment)
      : settings(made_once(parse_settings(environment))),
        rows(rows_of(environment)),
        unknown(unknown_settings(environment)) {}
};

const Reading& reading() {
  static const Reading& reading = *new Reading(environment());
  return reading;
}

/// Must not run while `reading()` is being made: the log's callback may ask for settings.
void warn_once(const Reading& reading) {
  static const bool warned = [&] {
    for (const std::string& name : reading.unknown) {
      log(LogLevel::warn, "settings", "{}", words_on_unknown(name));
    }
    return true;
  }();
  static_cast<void>(warned);
}

}  // namespace

Result<const Settings*> settings() {
  static constinit std::atomic<const Settings*> known{nullptr};  // a look that costs one load, since each wait asks
  if (const Settings* const its = known.load(std::memory_order_acquire)) return its;
  return contain("reading the settings", []() -> Result<const Settings*> {
    const Reading& once = reading();
    warn_once(once);
    if (!once.settings) return once.settings.error();
    known.store(&*once.settings, std::memory_order_release);
    return &*once.settings;
  });
}

std::filesystem::path cache_folder(const Settings& settings) {
  const auto absolute = [](const char* name) {
    const char* const value = variable(name);
    return value != nullptr && value[0] == '/' ? value : nullptr;
  };
  if (!settings.cache_dir.empty()) return settings.cache_dir;
  if (const char* const cache_home = absolute("XDG_CACHE_HOME")) return join_path(cache_home, "pintle");
  if (const char* const home = absolute("HOME")) return join_path(home, ".cache/pintle");
  return {};
}

Result<Settings> parse_settings(std::span<const std::string> environment) {
  return contain("reading the settings", [&]() -> Result<Settings> {
    Settings settings;
    for (const Rule& rule : rules()) {
      const auto value = find(environment, rule.name);
      if (!value || rule.read(*value, settings)) continue;
      return Error(Errc::invalid_argument, fmt::format("Value {} of variable {} is not valid; it takes {}.",
                                                       quote(*value), rule.name, rule.valid));
    }
    return settings;
  });
}

std::vector<std::string> unknown_settings(std::span<const std::string> environment) {
  std::vector<std::string> unknown;
  for (const std::string& text : environment) {
    const std::string name = text.substr(0, text.find('='));
    if (name.starts_with(prefix) && std::ranges::find(rules(), name, &Rule::name) == rules().end()) {
      unknown.push_back(name);
    }
  }
  return unknown;
}

std::string words_on_unknown(std::string_view name) {
  const std::string meant = meant_by(name);
  return fmt::format("Variable {} is unknown and does nothing{}", quote(name),
                     meant.empty() ? "; the known ones are " + known_names() + "." : ". Did you mean " + meant + "?");
}

std::span<const SettingRow> setting_rows() { return reading().rows; }

}  // namespace pintle::base
