// Elements in host memory, lent for a call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "pintle/dtype.h"

namespace pintle {

/// The element type of a contiguous range, const where the elements may only be read. `std::span` knows such a range,
/// and costs a translation unit a tenth of what `<ranges>` costs it.
template <class R>
using HostElement = typename decltype(std::span(std::declval<R&>()))::element_type;
/// The element type without const.
template <class R>
using HostValue = std::remove_cv_t<HostElement<R>>;

/// A contiguous range of elements with a DType.
template <class R>
concept ElementRange = Element<HostValue<R>>;

/// A contiguous range of elements on the host; std::byte stands for bytes of any DType.
template <class R>
concept HostRange = ElementRange<R> || std::is_same_v<HostValue<R>, std::byte>;

/// Elements that a call reads: any contiguous range, under its own dtype. `Elements(DType::f16, codes)` names a dtype
/// that C++ has no type for. Plain bytes have no dtype: the call takes them for the dtype that it wants, or for u8
/// where it wants none.
class Elements {
 public:
  Elements() noexcept = default;  ///< No elements.
  template <HostRange R>
  Elements(const R& range) noexcept  // NOLINT(google-explicit-constructor)
      : Elements(std::as_bytes(std::span(range)), sizeof(HostValue<R>)) {
    using T = HostValue<R>;
    if constexpr (!std::is_same_v<T, std::byte>) dtype_ = dtype_of<T>();
  }
  /// The elements of `codes` are codes of `dtype` and have its size, or are bytes.
  template <HostRange R>
  Elements(DType dtype, const R& codes) noexcept : Elements(std::as_bytes(std::span(codes)), sizeof(HostValue<R>)) {
    dtype_ = dtype;
  }

  /// The dtype; empty for plain bytes.
  [[nodiscard]] std::optional<DType> dtype() const noexcept { return dtype_; }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }
  /// The bytes of one element of the range; 1 for plain bytes.
  [[nodiscard]] std::uint64_t element_size() const noexcept { return element_size_; }

 private:
  Elements(std::span<const std::byte> bytes, std::uint64_t element_size) noexcept
      : element_size_(element_size), bytes_(bytes) {}

  std::optional<DType> dtype_;
  std::uint64_t element_size_ = 1;
  std::span<const std::byte> bytes_;
};

/// Elements that a call writes: any contiguous range, as for Elements. They convert to Elements, for calls that read.
class MutableElements {
 public:
  MutableElements() noexcept = default;  ///< No elements.
  template <HostRange R>
    requires(!std::is_const_v<HostElement<R>>)
  MutableElements(R&& range) noexcept  // NOLINT(google-explicit-constructor)
      : read_(range), bytes_(std::as_writable_bytes(std::span(range))) {}
  template <HostRange R>
    requires(!std::is_const_v<HostElement<R>>)
  MutableElements(DType dtype, R&& codes) noexcept
      : read_(dtype, codes), bytes_(std::as_writable_bytes(std::span(codes))) {}

  [[nodiscard]] std::optional<DType> dtype() const noexcept { return read_.dtype(); }
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::uint64_t element_size() const noexcept { return read_.element_size(); }
  operator const Elements&() const noexcept { return read_; }  // NOLINT(google-explicit-constructor)

 private:
  Elements read_;
  std::span<std::byte> bytes_;
};

}  // namespace pintle
