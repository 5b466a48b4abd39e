// What every function checks of what it gets from C: pointers, sizes of structs, numbers that stand for a name.
#pragma once

#include <cstdint>
#include <string_view>

#include "pintle/c/status.h"
#include "pintle/deadline.h"
#include "pintle/error.h"

namespace pintle::capi {

[[nodiscard]] Error is_null(const char* what);
[[nodiscard]] Error wrong_size(std::string_view type, std::uint64_t size, std::uint64_t known);
[[nodiscard]] Error no_number(std::string_view what, std::int64_t number, std::int64_t last);

/// Success where the pointer is not null.
[[nodiscard]] inline Result<void> given(const void* pointer, const char* what) {
  if (pointer == nullptr) [[unlikely]]
    return is_null(what);
  return {};
}

/// A number from 1 to `last`, as an enumerator.
template <class Enum>
[[nodiscard]] Result<Enum> enumerator(std::uint32_t number, Enum last, const char* what) {
  if (number == 0 || number > static_cast<std::uint32_t>(last)) [[unlikely]]
    return no_number(what, number, static_cast<std::int64_t>(last));
  return static_cast<Enum>(number);
}

/// Success for an index of one of `count` things, which `what` names.
[[nodiscard]] Result<void> within(std::size_t index, std::size_t count, std::string_view what);

/// No more bytes than a struct of any version has: a larger size is garbage.
inline constexpr std::uint64_t largest_struct = 4096;

/// Success for a struct of `size` bytes, of which this version knows `known`, where what it does not know is zero.
[[nodiscard]] Result<void> readable(const void* struct_, std::uint64_t size, std::uint64_t known, const char* type);

/// Success where `struct_` has a size that this version can read: its own, or a longer one whose rest is zero.
template <class Struct>
[[nodiscard]] Result<void> readable(const Struct* struct_, const char* type) {
  if (struct_ == nullptr) [[unlikely]]
    return is_null(type);
  if (struct_->size == sizeof(Struct)) [[likely]]
    return {};
  return readable(struct_, struct_->size, sizeof(Struct), type);
}

/// The i-th of an array whose elements have the first one's size.
template <class Struct>
[[nodiscard]] const Struct* element(const Struct* first, std::size_t index) noexcept {
  return reinterpret_cast<const Struct*>(reinterpret_cast<const char*>(first) + index * first->size);
}

/// Whether a struct can be written: it may be longer than what this version knows.
template <class Struct>
[[nodiscard]] Result<void> writable(const Struct* struct_, const char* type) {
  if (struct_ == nullptr) [[unlikely]]
    return is_null(type);
  if (struct_->size < sizeof(Struct) || struct_->size > largest_struct)
    return wrong_size(type, struct_->size, sizeof(Struct));
  return {};
}

/// Nanoseconds, or PINTLE_TIMEOUT_DEFAULT.
[[nodiscard]] Result<Timeout> timeout_of(std::int64_t nanoseconds);

}  // namespace pintle::capi
