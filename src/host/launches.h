// Launches with no barrier between them, as one loop over all their groups.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "host/launch.h"

namespace pintle::host {

class Launches {
 public:
  static constexpr std::size_t most = 16;

  /// Called at most `most` times.
  void add(const Launch& launch) noexcept {
    LoopCost* const own = &launch.kernel->cost;
    loop_.cost = count_ == 0 || loop_.cost == own ? own : nullptr;
    loop_.piece = std::max(loop_.piece, own->of(1));
    loop_.stack = std::max(loop_.stack, launch.kernel->stack);
    loop_.last += launch.groups();
    expected_ += launch.expected();
    launches_[count_] = launch;
    ends_[count_++] = loop_.last;
  }

  /// The loop over all groups, without a body.
  [[nodiscard]] const Loop& loop() const noexcept { return loop_; }
  [[nodiscard]] float expected() const noexcept { return expected_; }

  void operator()(std::uint64_t first, std::uint64_t last) const {
    const auto ends = std::span(ends_).first(count_);
    auto i = static_cast<std::size_t>(std::ranges::upper_bound(ends, first) - ends.begin());
    for (; first < last; ++i) {
      const std::uint64_t begin = i == 0 ? 0 : ends[i - 1], end = std::min(last, ends[i]);
      launches_[i](first - begin, end - begin);
      first = end;
    }
  }

 private:
  std::array<Launch, most> launches_;
  std::array<std::uint64_t, most> ends_;  // where the groups of each launch end among all groups
  std::size_t count_ = 0;
  float expected_ = 0;
  Loop loop_;
};

}  // namespace pintle::host
