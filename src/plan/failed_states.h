// States of the search that have no solution: a table of fixed size that forgets.
#pragma once

#include <cstdint>
#include <vector>

namespace pintle::plan {

/// 128 bits of the remaining work. Two different states have one key with a chance of about 2^-128 a pair.
class StateKey {
 public:
  explicit StateKey(std::uint64_t seed) noexcept { add(seed, 1); }

  void add_block(std::uint64_t block) noexcept { add(block, 2); }
  void add_floor(std::uint64_t section, std::uint64_t floor) noexcept { add(mix(section + 0x1000003) ^ floor, 3); }
  [[nodiscard]] std::uint64_t place() const noexcept { return low_; }
  friend bool operator==(const StateKey&, const StateKey&) = default;

 private:
  /// The finalizer of MurmurHash3, which is a bijection.
  [[nodiscard]] static std::uint64_t mix(std::uint64_t x) noexcept {
    x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdULL;
    x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ULL;
    return x ^ (x >> 33);
  }
  void add(std::uint64_t value, std::uint64_t kind) noexcept {
    low_ += mix(value + kind * 0x9e3779b97f4a7c15ULL);
    high_ ^= mix(mix(value ^ (kind << 56)) + 0x2545f4914f6cdd1dULL);
  }

  std::uint64_t low_ = 0;
  std::uint64_t high_ = 0;
};

class FailedStates {
 public:
  [[nodiscard]] bool contains(const StateKey& key) const noexcept {
    return !table_.empty() && table_[key.place() & (table_.size() - 1)] == key;
  }
  void insert(const StateKey& key) {
    if (++count_ > table_.size() / 2 && table_.size() < most) grow();
    table_[key.place() & (table_.size() - 1)] = key;
  }

 private:
  static constexpr std::size_t most = std::size_t{1} << 21;  // 32 MiB
  void grow() {
    std::vector<StateKey> larger(table_.empty() ? 1024 : 4 * table_.size(), StateKey(0));
    for (const StateKey& key : table_) larger[key.place() & (larger.size() - 1)] = key;
    table_.swap(larger);
  }

  std::vector<StateKey> table_;
  std::size_t count_ = 0;
};

}  // namespace pintle::plan
