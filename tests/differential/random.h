// Numbers that a seed decides, the same everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pintle::differential {

/// splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t next() noexcept {
    std::uint64_t value = (state_ += 0x9e3779b97f4a7c15u);
    value = (value ^ (value >> 30u)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27u)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31u);
  }
  /// In [0, limit); 0 for a limit of 0.
  std::uint32_t below(std::uint64_t limit) noexcept {
    return limit == 0 ? 0 : static_cast<std::uint32_t>(next() % limit);
  }
  std::uint32_t from_to(std::uint32_t first, std::uint32_t last) noexcept { return first + below(last - first + 1); }
  bool percent(std::uint32_t chance) noexcept { return below(100) < chance; }
  template <class T>
  T pick(std::span<const T> values) noexcept {
    return values[below(values.size())];
  }

 private:
  std::uint64_t state_;
};

/// Words of a host's memory: what an upload of this number brings.
inline std::uint32_t pattern(std::uint32_t number, std::uint32_t index) noexcept {
  return (number * 2654435761u) ^ (index * 40503u + 17u);
}

}  // namespace pintle::differential
