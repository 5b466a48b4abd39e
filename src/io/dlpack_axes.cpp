#include "io/dlpack_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "pintle/dtype.h"

namespace pintle::io {
namespace {

constexpr auto most_axes = static_cast<std::int32_t>(Shape::max_rank);

Error bad_tensor(std::string_view what) { return {Errc::invalid_argument, fmt::format("DLPack tensor {}.", what)}; }

/// The product of a number and a dimension; empty where it does not fit 63 bits and a sign.
std::optional<std::int64_t> product(std::int64_t number, std::int64_t dimension) noexcept {
  const bool is_negative = number < 0;
  const auto size = is_negative ? ~static_cast<std::uint64_t>(number) + 1 : static_cast<std::uint64_t>(number);
  const auto whole = base::checked_mul(size, static_cast<std::uint64_t>(dimension));
  if (!whole || *whole > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
  return is_negative ? -static_cast<std::int64_t>(*whole) : static_cast<std::int64_t>(*whole);
}

class Fewer {
 public:
  Fewer(DLTensor& tensor, DlpackAxes& axes) noexcept : tensor_(tensor), axes_(axes) {}

  Result<void> copy() {
    if (tensor_.shape == nullptr) return bad_tensor(fmt::format("has {} dimensions but no shape", tensor_.ndim));
    std::copy_n(tensor_.shape, tensor_.ndim, axes_.shape.begin());
    for (std::int32_t axis = 0; axis < tensor_.ndim; ++axis) {
      if (shape(axis) < 0) return bad_tensor(fmt::format("has a negative dimension {} ({})", axis, shape(axis)));
    }
    if (tensor_.strides != nullptr) std::copy_n(tensor_.strides, tensor_.ndim, axes_.strides.begin());
    else return in_c_order();
    return {};
  }

  /// Without an element, which dimensions there are decides nothing.
  [[nodiscard]] bool drop_if_empty() noexcept {
    if (std::ranges::find(axes_.shape.begin(), axes_.shape.begin() + tensor_.ndim, 0) ==
        axes_.shape.begin() + tensor_.ndim)
      return false;
    axes_.shape[0] = 0;
    axes_.strides[0] = 1;
    tensor_.ndim = 1;
    return true;
  }

  void drop_single() noexcept {
    for (std::int32_t axis = 0; axis < tensor_.ndim && tensor_.ndim > most_axes;) {
      if (shape(axis) == 1) remove(axis);
      else ++axis;
    }
  }

  void join_neighbours() noexcept {
    for (std::int32_t axis = 0; axis + 1 < tensor_.ndim && tensor_.ndim > most_axes;) {
      const auto count = product(shape(axis), shape(axis + 1));
      if (product(stride(axis + 1), shape(axis + 1)) == stride(axis) && count) {
        shape(axis + 1) = *count;
        remove(axis);
      } else {
        ++axis;
      }
    }
  }

 private:
  [[nodiscard]] std::int64_t& shape(std::int32_t axis) noexcept { return axes_.shape[static_cast<std::size_t>(axis)]; }
  [[nodiscard]] std::int64_t& stride(std::int32_t axis) noexcept {
    return axes_.strides[static_cast<std::size_t>(axis)];
  }

  Result<void> in_c_order() {
    std::int64_t step = 1;
    for (std::int32_t axis = tensor_.ndim; axis-- > 0;) {
      stride(axis) = step;
      const auto next = product(step, std::max<std::int64_t>(shape(axis), 1));
      if (!next) return bad_tensor("has more elements than 63 bits can count");
      step = *next;
    }
    return {};
  }

  void remove(std::int32_t axis) noexcept {
    const auto close_gap = [&](auto& numbers) {
      const auto first = numbers.begin() + axis;
      std::copy(first + 1, numbers.begin() + tensor_.ndim, first);
    };
    close_gap(axes_.shape);
    close_gap(axes_.strides);
    --tensor_.ndim;
  }

  DLTensor& tensor_;
  DlpackAxes& axes_;
};

}  // namespace

Result<DLTensor> with_fewer_axes(DLTensor tensor, DlpackAxes& axes) {
  const std::int32_t given = tensor.ndim;
  Fewer fewer(tensor, axes);
  PINTLE_TRY(fewer.copy());
  if (!fewer.drop_if_empty()) {
    fewer.drop_single();
    fewer.join_neighbours();
  }
  tensor.shape = axes.shape.data();
  tensor.strides = axes.strides.data();
  if (tensor.ndim <= most_axes) return tensor;
  return Error(Errc::unsupported,
               fmt::format("DLPack tensor has {} dimensions, {} where those without gaps between them are one, and the "
                           "limit of a shape is {}.",
                           given, tensor.ndim, most_axes));
}

}  // namespace pintle::io
