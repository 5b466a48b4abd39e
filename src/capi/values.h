// Structs of C as values of the library.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "capi/arrays.h"
#include "capi/objects.h"
#include "capi/structs.h"

namespace pintle::capi {

/// A part of a buffer: `dtype` 0 is the buffer's, `bytes` 0 reaches to its end. The range is checked.
[[nodiscard]] Result<BufferView> view_of(pintle_buffer buffer, std::uint32_t dtype, std::uint64_t offset,
                                         std::uint64_t bytes);
[[nodiscard]] Result<BufferView> view_of(const pintle_view* view);
[[nodiscard]] Result<Slot> slot_of(std::uint64_t index);
[[nodiscard]] Result<KernelArgument> argument_of(const pintle_argument& argument);
/// Makes the value at `out`, where there is none yet.
[[nodiscard]] Result<void> make_slot_value(const pintle_argument& argument, SlotValue* out);
[[nodiscard]] Result<Point> point_of(const pintle_point* point);
[[nodiscard]] Result<std::vector<Point>> points_of(const pintle_point* points, std::size_t count);
[[nodiscard]] Result<SubmitOptions> options_of(const pintle_submit_options* options);

/// The values of an array, in memory of the stack where they are few.
template <class Value, std::size_t few = 16>
class Converted {
  static_assert(std::is_trivially_destructible_v<Value>);

 public:
  Converted() noexcept {}  // NOLINT(modernize-use-equals-default): the memory is not touched
  Converted(const Converted&) = delete;
  Converted& operator=(const Converted&) = delete;

  /// `make_value(const Struct&, Value* out)` answers a Result<void>. Once for an object.
  template <class Struct, class Make>
  [[nodiscard, gnu::always_inline]] Result<void> fill(const Struct* first, std::size_t count, const char* type,
                                                      const Make& make_value) {
    if (count > few) {
      more_ = std::make_unique_for_overwrite<std::byte[]>(count * sizeof(Value));
      values_ = reinterpret_cast<Value*>(more_.get());
    }
    return for_each(first, count, type, [&](const Struct& one) -> Result<void> {
      PINTLE_TRY(make_value(one, values_ + count_));
      ++count_;
      return {};
    });
  }
  [[nodiscard]] std::span<const Value> values() const noexcept { return {values_, count_}; }

 private:
  alignas(Value) std::byte bytes_[few * sizeof(Value)];
  std::unique_ptr<std::byte[]> more_;
  Value* values_ = reinterpret_cast<Value*>(bytes_);
  std::size_t count_ = 0;
};

}  // namespace pintle::capi
