// The types of arrays in a StableHLO text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/dtype.h"
#include "pintle/error.h"

namespace pintle::stablehlo {

/// `tensor<4x?xf32>`. An encoding is left out.
struct TensorType {
  std::string element{};                              ///< "f32", "complex<f32>"
  std::vector<std::optional<std::uint64_t>> sides{};  ///< Outermost first; empty where the text has "?".

  /// How many sides are empty.
  [[nodiscard]] std::size_t open_sides() const noexcept;
  friend bool operator==(const TensorType&, const TensorType&) = default;
};

/// Reads one type. `invalid_argument` says why it is no tensor with a rank.
[[nodiscard]] Result<TensorType> read_type(std::string_view text);

/// The dtype of an element; empty where Pintle has no such dtype.
[[nodiscard]] std::optional<DType> dtype_of(std::string_view element) noexcept;

}  // namespace pintle::stablehlo
