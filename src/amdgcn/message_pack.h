// Values in MessagePack, read one behind the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "pintle/error.h"

namespace pintle::amdgcn {

/// The libraries that read MessagePack call themselves for each level of a file, so that a file decides how much of the
/// thread's stack they take; Debian's for C++ needs Boost and exceptions besides. Here nothing calls itself, and no
/// count leads to more work than the bytes that are there. Errors are `build_failed` with the byte.
class MessagePack {
 public:
  explicit MessagePack(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

  Result<std::string_view> text();
  /// `build_failed` also for a number of more than 32 bits.
  Result<std::uint32_t> number();
  /// `read` reads a value of the list.
  template <class Read>
  Result<void> each(Read read) {
    PINTLE_ASSIGN(count, children(Kind::list));
    for (std::uint64_t left = count; left != 0; --left) PINTLE_TRY(read());
    return {};
  }
  /// `read` gets the key of a pair and reads its value.
  template <class Read>
  Result<void> each_pair(Read read) {
    PINTLE_ASSIGN(count, children(Kind::map));
    for (std::uint64_t left = count; left != 0; --left) {
      PINTLE_ASSIGN(key, text());
      PINTLE_TRY(read(key));
    }
    return {};
  }
  /// Passes a value with all that is in it.
  Result<void> skip();

 private:
  enum class Kind : std::uint8_t { number, text, list, map, other, none };
  /// How the values that begin with a byte go on: with a number of `width` bytes and, but for `number`, as many more
  /// bytes as it says, and `more`.
  struct Form {
    Kind kind;
    std::uint8_t width;
    std::uint8_t more;
  };
  /// What a value begins with.
  struct Item {
    Kind kind = Kind::none;
    std::uint64_t value = 0;  ///< The number, or how many values (of a map: pairs) follow.
    std::string_view text;
  };

  [[nodiscard]] static Form form_of(std::uint8_t code) noexcept;
  [[nodiscard]] Error wrong(std::string_view expected) const;
  Result<std::uint64_t> children(Kind kind);
  Result<Item> next();
  Result<Item> text_of(std::uint64_t size);
  Result<Item> counted(Kind kind, std::uint64_t count);
  Result<std::span<const std::byte>> take(std::uint64_t size);

  std::span<const std::byte> bytes_;
  std::uint64_t at_ = 0;   ///< Where the last value begins.
  std::uint64_t end_ = 0;  ///< Behind what is read.
};

}  // namespace pintle::amdgcn
