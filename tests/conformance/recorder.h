// Where the failures of the running case go.
#pragma once

#include <mutex>
#include <source_location>
#include <string>
#include <vector>

namespace pintle::conformance {

/// One case runs at a time; its checks may come from several threads.
class Recorder {
 public:
  [[nodiscard]] static Recorder& current() noexcept;

  void add(std::string message, std::source_location where) noexcept;
  /// What was recorded since the last call, one line each.
  [[nodiscard]] std::string take();

 private:
  static constexpr std::size_t most = 20;  // of one case; the rest is only counted

  std::mutex mutex_;
  std::vector<std::string> lines_;
  std::size_t count_ = 0;
};

}  // namespace pintle::conformance
