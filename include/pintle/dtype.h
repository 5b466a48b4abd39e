// Element types, values of them, and shapes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace pintle {

/// The type of one element. The numbers are stable.
enum class DType : std::uint8_t {
  boolean = 1,
  i8 = 2,
  i16 = 3,
  i32 = 4,
  i64 = 5,
  u8 = 6,
  u16 = 7,
  u32 = 8,
  u64 = 9,
  f16 = 10,
  bf16 = 11,
  f32 = 12,
  f64 = 13,
  f8_e4m3fn = 14,
  f8_e5m2 = 15,
  complex64 = 16,  ///< Two f32: real, imaginary.
};

/// False for a number that only a cast can make.
[[nodiscard]] constexpr bool is_dtype(DType dtype) noexcept {
  return dtype >= DType::boolean && dtype <= DType::complex64;
}
/// Bytes of one element; every DType has at least one.
[[nodiscard]] std::uint64_t bytes_of(DType dtype) noexcept;
/// The name in packs, ids and commands: "bool", "i8" ... "f8_e4m3fn", "complex64".
[[nodiscard]] std::string_view name(DType dtype) noexcept;
/// The dtype of a name; empty when there is none.
[[nodiscard]] std::optional<DType> parse_dtype(std::string_view name) noexcept;
/// Every dtype's name, separated by ", ", for messages; cut short where host memory runs out.
[[nodiscard]] std::string dtype_names() noexcept;

/// A complex number of two floats: std::complex<float>, or a type of another library with that layout.
template <class T>
concept Complex64 = sizeof(T) == 2 * sizeof(float) && std::is_same_v<typename T::value_type, float> &&
                    requires(const T& value) { value.real(), value.imag(); };

/// The DType of a C++ type; a type without one does not compile.
template <class T>
[[nodiscard]] consteval DType dtype_of() noexcept {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, bool>) return DType::boolean;
  else if constexpr (std::is_same_v<U, float>) return DType::f32;
  else if constexpr (std::is_same_v<U, double>) return DType::f64;
  else if constexpr (Complex64<U>) return DType::complex64;
  else {
    static_assert(std::is_integral_v<U> && sizeof(U) <= 8, "no DType stands for this type");
    constexpr auto index = sizeof(U) == 1 ? 0 : sizeof(U) == 2 ? 1 : sizeof(U) == 4 ? 2 : 3;
    return static_cast<DType>((std::is_signed_v<U> ? 2 : 6) + index);
  }
}

/// True for types that `dtype_of` accepts.
template <class T>
concept Element = Complex64<std::remove_cv_t<T>> || std::is_same_v<std::remove_cv_t<T>, float> ||
                  std::is_same_v<std::remove_cv_t<T>, double> || (std::is_integral_v<T> && sizeof(T) <= 8);

/// A value of at most eight bytes, stored as a kernel reads it.
struct Scalar {
  alignas(8) std::array<std::byte, 8> bytes{};
  friend bool operator==(const Scalar&, const Scalar&) = default;
};

/// A value of an element type, for a kernel's scalar parameter or for a constant.
struct ScalarValue {
  DType dtype = DType::u8;
  Scalar bytes;

  ScalarValue() noexcept = default;
  ScalarValue(DType type, const Scalar& value) noexcept : dtype(type), bytes(value) {}
  template <Element T>
  ScalarValue(T value) noexcept : dtype(dtype_of<T>()) {  // NOLINT(google-explicit-constructor)
    std::memcpy(bytes.bytes.data(), &value, sizeof value);
  }
  template <Element T>
  [[nodiscard]] static ScalarValue of(T value) noexcept {
    return value;
  }
};

/// Elements per dimension, outermost first. Rank 0 is one element. At most eight dimensions.
class Shape {
 public:
  static constexpr std::size_t max_rank = 8;

  Shape() noexcept = default;
  /// More than `max_rank` dimensions make a shape that no allocation accepts (`is_valid()` is false).
  Shape(std::initializer_list<std::uint64_t> dims) noexcept : Shape(std::span(dims.begin(), dims.size())) {}
  explicit Shape(std::span<const std::uint64_t> dims) noexcept : rank_(dims.size()) {
    for (std::size_t i = 0; is_valid() && i < rank_; ++i) dims_[i] = dims[i];
  }

  [[nodiscard]] bool is_valid() const noexcept { return rank_ <= max_rank; }
  [[nodiscard]] std::size_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::span<const std::uint64_t> dims() const noexcept { return {dims_.data(), is_valid() ? rank_ : 0}; }
  /// The number of elements; empty when it does not fit 64 bits.
  [[nodiscard]] std::optional<std::uint64_t> count() const noexcept;
  /// The dimensions as printed: "[1080,1920]"; "[...]" where host memory runs out.
  [[nodiscard]] std::string text() const noexcept;
  friend bool operator==(const Shape&, const Shape&) noexcept = default;

 private:
  std::array<std::uint64_t, max_rank> dims_{};
  std::size_t rank_ = 0;
};

/// The bytes of a whole shape; empty when they do not fit 64 bits.
[[nodiscard]] std::optional<std::uint64_t> checked_bytes(DType dtype, const Shape& shape) noexcept;

}  // namespace pintle
