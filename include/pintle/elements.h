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

/// What the elements of a contiguous range are, const where they may only be read. `std::span` knows such a range, and
/// costs a translation unit a tenth of what `<ranges>` costs it.
template <class R>
using HostElement = typename decltype(std::span(std::declval<R&>()))::element_type;
/// The same without const.
template <class R>
using HostValue = std::remove_cv_t<HostElement<R>>;

/// A contiguous range of elements with a DType.
template <class R>
concept ElementRange = Element<HostValue<R>>;

/// A contiguous range of elements on the host; std::byte stands for bytes of any DType.
template <class R>
concept HostRange = ElementRange<R> || std::is_same_v<HostValue<R>, std::byte>;

/// Elements to be read: any contiguous range, under its own dtype. `Elements(DType::f16, codes)` names what C++ has no
/// type for. Plain bytes have no dtype: they are taken for what the call wants, and for u8 where it wants none.
class Elements {
 public:
  Elements() noexcept = default;  ///< None.
  template <HostRange R>
  Elements(const R& range) noexcept  // NOLINT(google-explicit-constructor)
      : Elements(std::as_bytes(std::span(range)), sizeof(HostValue<R>)) {
    using T = HostValue<R>;
    if constexpr (!std::is_same_v<T, std::byte>) dtype_ = dtype_of<T>();
  }
  /// The elements of `codes` are those of `dtype`, and as large; or they are bytes.
  template <HostRange R>
  Elements(DType dtype, const R& codes) noexcept : Elements(std::as_bytes(std::span(codes)), sizeof(HostValue<R>)) {
    dtype_ = dtype;
  }

  /// Empty for plain bytes.
  [[nodiscard]] std::optional<DType> dtype() const noexcept { return dtype_; }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }
  /// Bytes of an element of the range; 1 for bytes.
  [[nodiscard]] std::uint64_t element_size() const noexcept { return element_size_; }

 private:
  Elements(std::span<const std::byte> bytes, std::uint64_t element_size) noexcept
      : element_size_(element_size), bytes_(bytes) {}

  std::optional<DType> dtype_;
  std::uint64_t element_size_ = 1;
  std::span<const std::byte> bytes_;
};

/// Elements to be written, likewise; elements to be read wherever those are wanted.
class MutableElements {
 public:
  MutableElements() noexcept = default;  ///< None.
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
