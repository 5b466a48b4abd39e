// Structs of the caller, whatever version of the interface it was compiled with.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "capi/check.h"
#include "pintle/c/buffer.h"
#include "pintle/c/image.h"
#include "pintle/c/load.h"
#include "pintle/c/native.h"
#include "pintle/c/reflection.h"
#include "pintle/c/signal.h"

namespace pintle::capi {

/// The sizes that a struct had in versions with which a program may have been compiled. Each struct that has grown has
/// a line here (tests/capi/abi.py asks for it).
template <class Struct>
inline constexpr std::array<std::size_t, 0> earlier_sizes{};
template <>
inline constexpr std::array earlier_sizes<pintle_parameter_info>{offsetof(pintle_parameter_info, is_optional)};
template <>
inline constexpr std::array earlier_sizes<pintle_buffer_options>{offsetof(pintle_buffer_options, timeout)};
template <>
inline constexpr std::array earlier_sizes<pintle_image_options>{offsetof(pintle_image_options, timeout)};
template <>
inline constexpr std::array earlier_sizes<pintle_load_options>{offsetof(pintle_load_options, timeout)};
template <>
inline constexpr std::array earlier_sizes<pintle_cuda_memory>{offsetof(pintle_cuda_memory, device)};
template <>
inline constexpr std::array earlier_sizes<pintle_hip_memory>{offsetof(pintle_hip_memory, device)};

// What every function or submission takes, and what lies inside other structs, never grows (docs/compatibility.md).
static_assert(sizeof(pintle_error) == 88 && sizeof(pintle_point) == 24 && sizeof(pintle_view) == 32);

/// No more bytes than a struct of any version has: a larger size is garbage.
inline constexpr std::uint64_t largest_struct = 4096;

[[nodiscard]] Error wrong_size(std::string_view type, std::uint64_t size, std::span<const std::size_t> earlier,
                               std::uint64_t known);
/// An element of an array has another size than the first one.
[[nodiscard]] Error other_size(std::string_view type, std::size_t index, std::uint64_t size, std::uint64_t first);

/// Whether some version of the struct has this size: an earlier one, this one, or a later one.
template <class Struct>
[[nodiscard]] bool is_size(std::uint32_t size) noexcept {
  if (size >= sizeof(Struct)) return size <= largest_struct;
  return std::ranges::find(earlier_sizes<Struct>, size) != earlier_sizes<Struct>.end();
}

/// The size that the caller has written at the struct's beginning.
template <class Struct>
[[nodiscard]] std::uint32_t size_of(const Struct* its) noexcept {
  static_assert(std::is_standard_layout_v<Struct> && std::is_trivially_copyable_v<Struct>);
  std::uint32_t size;
  std::memcpy(&size, its, sizeof size);
  return size;
}

/// A struct that the caller has filled. One of an earlier version has zeros for what it lacks.
template <class Struct>
class In {
 public:
  explicit In(const Struct* its) noexcept : its_(its) {
    if (is_short()) std::memcpy(&whole_, its, size_of(its));
  }
  [[nodiscard]] const Struct& operator*() const noexcept { return is_short() ? whole_ : *its_; }
  [[nodiscard]] const Struct* operator->() const noexcept { return &**this; }

 private:
  [[nodiscard]] bool is_short() const noexcept { return size_of(its_) < sizeof(Struct); }

  const Struct* its_;
  Struct whole_{};
};

/// A struct of the caller's that a call fills. One of an earlier version gets what it has room for when this ends.
template <class Struct>
class Out {
 public:
  explicit Out(Struct* its) noexcept : its_(its) {
    if (is_short()) std::memcpy(&whole_, its, size_of(its));
  }
  Out(Out&& other) noexcept : its_(std::exchange(other.its_, nullptr)), whole_(other.whole_) {}
  Out& operator=(Out&&) = delete;
  ~Out() {
    if (its_ != nullptr && is_short()) std::memcpy(its_, &whole_, size_of(its_));
  }
  [[nodiscard]] Struct& operator*() noexcept { return is_short() ? whole_ : *its_; }
  [[nodiscard]] Struct* operator->() noexcept { return &**this; }

 private:
  [[nodiscard]] bool is_short() const noexcept { return size_of(its_) < sizeof(Struct); }

  Struct* its_;
  Struct whole_{};
};

/// Success where what is beyond the `known` of `size` bytes is zero.
[[nodiscard]] Result<void> check_rest(const void* its, std::uint64_t size, std::uint64_t known, const char* type);

/// The caller's struct. Refuses NULL, a size that no version has, and a longer struct that is not zero behind what this
/// version knows.
template <class Struct>
[[nodiscard]] Result<In<Struct>> readable(const Struct* its, const char* type) {
  if (its == nullptr) [[unlikely]]
    return is_null(type);
  const std::uint32_t size = size_of(its);
  if (!is_size<Struct>(size)) return wrong_size(type, size, earlier_sizes<Struct>, sizeof(Struct));
  if (size > sizeof(Struct)) PINTLE_TRY(check_rest(its, size, sizeof(Struct), type));
  return In<Struct>(its);
}

/// A struct that a call can fill: of an earlier version, of this one, or a longer one, whose rest stays as it is.
template <class Struct>
[[nodiscard]] Result<Out<Struct>> writable(Struct* its, const char* type) {
  if (its == nullptr) [[unlikely]]
    return is_null(type);
  if (!is_size<Struct>(size_of(its))) return wrong_size(type, size_of(its), earlier_sizes<Struct>, sizeof(Struct));
  return Out<Struct>(its);
}

/// The i-th of an array whose elements have the first one's size.
template <class Struct>
[[nodiscard]] Struct* element(Struct* first, std::size_t index) noexcept {
  using Byte = std::conditional_t<std::is_const_v<Struct>, const char, char>;
  return reinterpret_cast<Struct*>(reinterpret_cast<Byte*>(first) + index * size_of(first));
}

}  // namespace pintle::capi
