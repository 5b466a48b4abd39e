// Structs of C as values of the library.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <vector>

#include "capi/arrays.h"
#include "capi/objects.h"

namespace pintle::capi {

/// A part of a buffer: `dtype` 0 is the buffer's, `bytes` 0 reaches to its end. The range is checked.
[[nodiscard]] Result<BufferView> view_of(pintle_buffer buffer, std::uint32_t dtype, std::uint64_t offset,
                                         std::uint64_t bytes);
[[nodiscard]] Result<BufferView> view_of(const pintle_view* view);
[[nodiscard]] Result<Slot> slot_of(std::uint64_t index);
/// `value` points to as many bytes as a Scalar has.
[[nodiscard]] Result<ScalarValue> scalar_of(std::uint32_t dtype, const void* value);
[[nodiscard]] Result<KernelArgument> argument_of(const pintle_argument& argument);
[[nodiscard]] Result<SlotValue> slot_value_of(const pintle_argument& argument);
[[nodiscard]] Result<Point> point_of(const pintle_point* point);
[[nodiscard]] Result<std::vector<Point>> points_of(const pintle_point* points, std::size_t count);
[[nodiscard]] Result<SubmitOptions> options_of(const pintle_submit_options* options);

/// The values of an array, in memory of the stack where they are few.
template <class Value, std::size_t few = 16>
class Converted {
 public:
  /// `convert(const Struct&)` answers a Result<Value>.
  template <class Struct, class Convert>
  [[nodiscard]] Result<void> fill(const Struct* first, std::size_t count, const char* type, Convert convert) {
    values_.reserve(count);
    return for_each(first, count, type, [&](const Struct& one) -> Result<void> {
      PINTLE_ASSIGN(value, convert(one));
      values_.push_back(std::move(value));
      return {};
    });
  }
  [[nodiscard]] std::span<const Value> values() const noexcept { return values_; }

 private:
  alignas(Value) std::byte bytes_[few * sizeof(Value)];
  std::pmr::monotonic_buffer_resource memory_{bytes_, sizeof bytes_};
  std::pmr::vector<Value> values_{&memory_};
};

}  // namespace pintle::capi
