// Memory between pages that nobody may touch. A touch of such a page is noted, and the process goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "pintle/error.h"

namespace pintle::base {

/// Some bytes that end as near as their alignment allows to a page that nobody may touch; another such page is before
/// them. The first touch of a guard page, by any thread, is noted; then the pages on that side become memory that means
/// nothing, so that the code that went astray goes on. Bytes between the range and the guard pages have a pattern,
/// which tells writes there.
class GuardedRegion {
 public:
  /// Bytes of guard pages on each side: address space, not memory.
  static constexpr std::size_t guard_bytes = std::size_t{64} << 20;

  /// What has been noted. Offsets are in bytes from the beginning of the range.
  struct Touch {
    std::ptrdiff_t offset = 0;
    bool is_write = false;
  };

  /// The address of the range is `remainder` modulo `alignment`, a power of two, at most 4096. `out_of_memory` where
  /// the system gives no more, or too many regions exist.
  [[nodiscard]] static Result<GuardedRegion> create(std::size_t size, std::size_t alignment, std::size_t remainder);
  GuardedRegion(GuardedRegion&& other) noexcept;
  GuardedRegion& operator=(GuardedRegion&&) = delete;
  ~GuardedRegion();

  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return {data_, size_}; }
  /// All accessible bytes: whole pages around the range.
  [[nodiscard]] std::span<std::byte> pages() const noexcept;
  /// A write outside of the range, or else a read, as far as one was noted or the pattern has changed.
  [[nodiscard]] std::optional<Touch> touched() const noexcept;

 private:
  struct Place;
  struct Table;
  GuardedRegion(Place& place, std::byte* data, std::size_t size) noexcept : place_(&place), data_(data), size_(size) {}
  [[nodiscard]] std::optional<Touch> changed_pattern() const noexcept;

  static Table& table() noexcept;

  Place* place_;
  std::byte* data_;
  std::size_t size_;
};

}  // namespace pintle::base
