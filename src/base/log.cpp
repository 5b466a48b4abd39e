#include "base/log.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <string>
#include <utility>

#include "base/fork.h"
#include "base/immortal.h"
#include "base/log_filter.h"
#include "base/platform.h"
#include "base/terminal.h"

namespace pintle {
namespace {

constexpr std::array<std::pair<LogLevel, std::string_view>, 4> levels{{
    {LogLevel::error, "error"},
    {LogLevel::warn, "warn"},
    {LogLevel::info, "info"},
    {LogLevel::debug, "debug"},
}};

}  // namespace

std::string_view name(LogLevel level) noexcept {
  for (const auto& [known, text] : levels) {
    if (known == level) return text;
  }
  return "unknown";
}

std::optional<LogLevel> parse_log_level(std::string_view name) noexcept {
  for (const auto& [level, known] : levels) {
    if (known == name) return level;
  }
  return std::nullopt;
}

namespace base {
namespace {

constexpr Verbosity undecided = 255;
constinit std::atomic<Verbosity> threshold{undecided};
// A callback that logs would wait for itself, so its messages are dropped.
thread_local bool speaking = false;

struct Sink {
  std::mutex mutex;
  LogCallback callback;
  LogFilter filter;
};

Sink& sink() noexcept {
  static Immortal<Sink> sink;
  return sink.value;
}

void write_standard_error(LogLevel level, std::string_view category, std::string_view message) {
  const std::string shown = is_terminal(stderr) ? printable(message) : std::string(message);
  const std::string line = fmt::format("pintle {} [{}] {}\n", name(level), category, shown);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

// A bad value means silence here; `settings()` reports it to the caller that opens a device.
LogFilter filter_of_environment() {
  const char* text = variable("PINTLE_LOG");
  return text == nullptr ? LogFilter() : LogFilter::parse(text).value_or(LogFilter());
}

void install(Sink& sink, LogCallback callback, LogFilter filter) {
  threshold.store(filter.loudest(), std::memory_order_relaxed);
  std::swap(sink.callback, callback);
  sink.filter = std::move(filter);
}

Verbosity decide() noexcept {
  if (speaking) return 0;
  try {
    const std::scoped_lock lock(sink().mutex);
    if (threshold.load(std::memory_order_relaxed) == undecided) install(sink(), {}, filter_of_environment());
  } catch (...) {
    return 0;
  }
  return threshold.load(std::memory_order_relaxed);
}

class Speaking {
 public:
  Speaking() noexcept { speaking = true; }
  ~Speaking() { speaking = false; }
  Speaking(const Speaking&) = delete;
  Speaking& operator=(const Speaking&) = delete;
};

}  // namespace

bool log_enabled(LogLevel level) noexcept {
  Verbosity limit = threshold.load(std::memory_order_relaxed);
  if (limit == undecided) limit = decide();
  return verbosity_of(level) <= limit;
}

// In a forked child the lock may be held by a thread that only the parent has.
void log_message(LogLevel level, std::string_view category, std::string_view message) noexcept {
  if (!log_enabled(level) || speaking || in_forked_child()) return;
  try {
    const std::scoped_lock lock(sink().mutex);
    if (!sink().filter.admits(level, category)) return;
    const Speaking guard;
    if (sink().callback) {
      sink().callback(level, category, message);
    } else {
      write_standard_error(level, category, message);
    }
  } catch (...) {
    return;
  }
}

void log_formatted(LogLevel level, std::string_view category, fmt::string_view format, fmt::format_args args) noexcept {
  try {
    log_message(level, category, fmt::vformat(format, args));
  } catch (...) {
    return;
  }
}

}  // namespace base

void set_log_callback(LogCallback callback, LogLevel most_verbose) {
  if (base::speaking) return;
  base::Sink& sink = base::sink();
  const std::scoped_lock lock(sink.mutex);
  base::LogFilter filter = callback ? base::LogFilter(most_verbose) : base::filter_of_environment();
  base::install(sink, std::move(callback), std::move(filter));
}

}  // namespace pintle
