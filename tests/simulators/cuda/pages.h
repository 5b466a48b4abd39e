// Pages of the process, for tests of memory that a device uses in place.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace pintle::test {

class Pages {
 public:
  static constexpr std::size_t size = 4096;

  /// Filled with the word.
  explicit Pages(std::size_t count, std::uint32_t word = 0)
      : bytes_(count * size),
        place_(::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    for (std::uint32_t& each : words()) each = word;
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() { ::munmap(place_, bytes_); }

  [[nodiscard]] std::span<std::byte> bytes() const { return {static_cast<std::byte*>(place_), bytes_}; }
  [[nodiscard]] std::span<std::uint32_t> words() const {
    return {static_cast<std::uint32_t*>(place_), bytes_ / sizeof(std::uint32_t)};
  }
  /// What the process may do with them from now on: PROT_READ.
  void allow(int rights) const { ::mprotect(place_, bytes_, rights); }

 private:
  const std::size_t bytes_;
  void* const place_;
};

}  // namespace pintle::test
