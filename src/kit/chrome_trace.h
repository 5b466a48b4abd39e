// A file of Chrome trace events, which Perfetto and chrome://tracing open.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>

#include "pintle/deadline.h"

namespace pintle::kit {

/// A JSON string, with its quotes. Bytes that are not ASCII become "?".
[[nodiscard]] std::string json(std::string_view text);

/// Collects events and writes the file when the last device that uses it is gone. Thread-safe.
class ChromeTrace {
 public:
  explicit ChromeTrace(std::filesystem::path path) : path_(std::move(path)) {}
  ChromeTrace(const ChromeTrace&) = delete;
  ChromeTrace& operator=(const ChromeTrace&) = delete;
  ~ChromeTrace();

  /// A process in the viewer: one for each device that shares the file.
  [[nodiscard]] std::uint64_t add_process(std::string_view name);
  void name_track(std::uint64_t process, std::uint64_t track, std::string_view name);
  /// `arguments` is the text of a JSON object.
  void add_slice(std::uint64_t process, std::uint64_t track, std::string_view name, Deadline begin, Deadline end,
                 std::string_view arguments);

 private:
  static constexpr std::uint64_t most_events = 1 << 20;

  void add(const std::string& event);
  void name(std::string_view what, std::uint64_t process, std::uint64_t track, std::string_view name);

  const std::filesystem::path path_;
  const Deadline start_ = Clock::now();
  std::mutex mutex_;
  std::string events_;
  std::uint64_t count_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t processes_ = 0;
};

}  // namespace pintle::kit
