// The exact search: whether blocks on one line of time fit below a capacity.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "plan/model.h"

namespace pintle::plan {

/// The nodes and the time that a search may still spend. The clock is read now and then.
class Allowance {
 public:
  Allowance(std::optional<std::chrono::steady_clock::time_point> end, std::uint64_t nodes) noexcept
      : end_(end), nodes_(nodes) {}

  /// False when nothing is left.
  [[nodiscard]] bool spend() noexcept;
  [[nodiscard]] bool is_spent() const noexcept { return nodes_ == 0 || late_; }
  [[nodiscard]] std::uint64_t nodes() const noexcept { return nodes_; }
  /// An allowance of at most `nodes` from the rest. The caller takes what that spends off with `take`.
  [[nodiscard]] Allowance share(std::uint64_t nodes) const noexcept;
  void take(const Allowance& given, const Allowance& left) noexcept;

 private:
  static constexpr std::uint64_t between_looks = 256;
  std::optional<std::chrono::steady_clock::time_point> end_;
  std::uint64_t nodes_;
  bool late_ = false;
};

enum class Verdict : std::uint8_t { found, impossible, gave_up };

/// Which candidate of a decision is tried first.
enum class Preference : std::uint8_t { longest, largest, tallest, shortest };

/// A seed blurs the preference: every seed is another way through the same decisions.
struct Taste {
  Preference preference = Preference::longest;
  std::uint64_t seed = 0;
};

/// Finds offsets for the blocks, from `base` on and below `capacity`. No block is fixed. `offsets` is written when
/// found.
[[nodiscard]] Verdict search(const std::vector<Block>& blocks, std::uint32_t sections, std::uint64_t base,
                             std::uint64_t capacity, Taste taste, Allowance& allowance,
                             std::vector<std::uint64_t>& offsets);

}  // namespace pintle::plan
