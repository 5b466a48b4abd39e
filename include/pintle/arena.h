// Arenas: device memory laid out by a plan. Whole values are fed and read with their dtype.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/buffer.h"
#include "pintle/convert.h"
#include "pintle/deadline.h"
#include "pintle/elements.h"
#include "pintle/fwd.h"
#include "pintle/info.h"
#include "pintle/placement.h"
#include "pintle/plan.h"
#include "pintle/signal.h"

namespace pintle {

/// The dtype and shape of a planned value. A plan knows bytes only.
struct ArenaValue {
  std::string name;
  DType dtype = DType::u8;
  Shape shape;
};

/// How the chunks of an arena are allocated.
struct ArenaOptions {
  std::string label{};  ///< In messages: `[Arena "step"]`.
  Placement placement = Placement::device;
};

/// The memory that an arena takes from a device.
struct ArenaRequirements {
  std::vector<std::uint64_t> chunks;  ///< Bytes of each allocation, as in the plan; an external value has none.
  std::uint64_t total = 0;            ///< Bytes of all chunks.
  std::uint64_t largest_chunk = 0;    ///< Bytes; 0 for a plan without chunks.
  std::uint64_t alignment = 1;        ///< Bytes, of each chunk: the largest that a value or a view of the device needs.
};

/// Owns device memory that a plan has laid out: one allocation for each chunk. Two values that are never in use at one
/// time may share bytes, so a value holds what was last written to it or to one that shares its bytes. A persistent
/// value shares with none, and keeps its contents. Destruction never blocks: views are `stale` from then on, and the
/// memory is freed when the last submission that uses it is reached. Move-only; a moved-from arena has no values. One
/// thread at a time calls `feed`; any thread may call `read` and the const members.
class Arena {
 public:
  Arena() noexcept = default;

  /// The memory that the plan takes from the device; nothing is allocated. `invalid_argument` for an empty device, and
  /// for a value whose alignment no allocation has (the limit is 4096 bytes).
  [[nodiscard]] static Result<ArenaRequirements> requirements(const Plan& plan, const Device& device);
  /// Checks that an arena of the plan can be made now; nothing is allocated. `unsupported` for a chunk beyond the
  /// device's largest allocation: plan with `PlanProblem::largest_chunk`. `out_of_memory` where the whole exceeds the
  /// free bytes of the roomiest heap in `Device::budget()`. `invalid_argument` as for `requirements`, and for an offset
  /// that is no multiple of `Limits::offset_alignment`. `create` may still answer `out_of_memory`: others may take the
  /// memory meanwhile, and a device with several heaps may allocate from a less roomy one.
  [[nodiscard]] static Result<void> can_fit(const Plan& plan, const Device& device);

  /// Allocates the chunks, with undefined contents. `values` gives dtypes and shapes, in any order; a planned value
  /// that is not among them is bytes (u8). Errors: `not_found` for a name that the plan does not have;
  /// `invalid_argument` as for `requirements`, for a name that occurs twice, for a dtype and shape whose bytes are not
  /// exactly the planned size, and for an offset that is no multiple of the dtype's size or, since kernels bind views,
  /// of `Limits::offset_alignment` (plan with that alignment); `unsupported` for a chunk beyond the device's largest
  /// allocation; `out_of_memory` where the device has none left. On an error, chunks that were allocated before are
  /// freed. A kernel binds a value beyond `Limits::max_binding` in slices only.
  [[nodiscard]] static Result<Arena> create(const Device& device, Plan plan, std::vector<ArenaValue> values = {},
                                            ArenaOptions options = {});

  [[nodiscard]] const Plan& plan() const noexcept { return plan_; }
  /// The dtype and shape of each value, in the plan's order.
  [[nodiscard]] std::span<const ArenaValue> values() const noexcept { return {values_.data(), values_.size()}; }
  /// The memory that was allocated.
  [[nodiscard]] const ArenaRequirements& requirements() const noexcept { return requirements_; }
  /// Its name in messages: `[Arena "step"]`.
  [[nodiscard]] std::string text() const noexcept;

  /// The id of a value, as in the plan. `not_found` for a name that the plan does not have, and for a value that is
  /// planned as external (or fused away into one) and has no bytes here; the message tells the two apart.
  [[nodiscard]] Result<std::uint32_t> id(std::string_view name) const;
  /// The value's bytes with its dtype and shape. Errors: `invalid_argument` for an id that is not below the number of
  /// values, and for a value of 0 bytes; `not_found` for an external value.
  [[nodiscard]] Result<BufferView> view(std::uint32_t id) const;

 private:
  friend class Inside;
  [[nodiscard]] std::string value_text(std::uint32_t id) const;
  /// The planned value with this id, which may have 0 bytes. Otherwise the errors are those of `view`.
  [[nodiscard]] Result<const PlannedValue*> placed(std::uint32_t id) const;

  std::string label_;
  Plan plan_;
  std::vector<ArenaValue> values_;
  ArenaRequirements requirements_;
  std::vector<Buffer> chunks_;
};

/// Writes a whole value: `feed(queue, arena, x, floats)`. The write is ordered as a submission to `queue`: after
/// everything submitted before, and before everything submitted next. The point is reached when the bytes are there.
/// Points order the work of other queues on the value. The caller may reuse its memory when the call returns. A value
/// of up to 256 KiB is staged in host memory, and so is any value where the host cannot address the arena: then the
/// call blocks only while the queue is full. A larger value goes straight into the arena's memory: then the call blocks
/// until everything submitted to `queue` before is done. `timeout` bounds both. On an error nothing is written. Errors:
/// `invalid_argument` for one element too many or too few, a dtype that is not the value's, an id out of range, and a
/// queue of another device; `not_found` for an external value; `timeout`; the failure of the queue.
Result<Point> feed(Queue& queue, Arena& arena, std::uint32_t id, const Elements& from, Timeout timeout = {});
/// Converts each element on the way, in the caller's thread: `feed(queue, arena, x, floats, Convert::f32_to_f16)`.
/// `how.from` must be the dtype of `from`, and `how.to` the value's. A value beyond the range under `Overflow::error`
/// is `invalid_argument`, and nothing is written. Otherwise as above.
Result<Point> feed(Queue& queue, Arena& arena, std::uint32_t id, const Elements& from, const Convert& how,
                   Timeout timeout = {});

/// The C++ types of elements that `read` returns; std::byte fits every dtype.
template <class T>
concept ReadElement = (Element<T> && !std::is_same_v<T, bool>) || std::is_same_v<T, std::byte>;

namespace memory {

/// Host memory that a read fills. `owner` keeps it until the device has written it.
struct Target {
  std::shared_ptr<void> owner;
  std::span<std::byte> bytes;
};

struct ReadRequest {
  std::uint32_t id = 0;
  std::optional<DType> dtype;      ///< The dtype that the caller wants; empty for bytes of any dtype.
  std::uint64_t element_size = 1;  ///< The size of the C++ type.
  const Convert* how = nullptr;
};

Result<void> read_value(Queue& queue, const Arena& arena, const ReadRequest& request,
                        const std::function<Target(std::uint64_t bytes)>& make, Timeout timeout);

template <class T>
Result<std::vector<T>> read_as(Queue& queue, const Arena& arena, const ReadRequest& request, Timeout timeout) {
  std::shared_ptr<std::vector<T>> values;
  const auto make = [&values](std::uint64_t bytes) -> Target {
    values = std::make_shared<std::vector<T>>(bytes / sizeof(T));
    return {values, std::as_writable_bytes(std::span(*values))};
  };
  PINTLE_TRY(read_value(queue, arena, request, make, timeout));
  return std::move(*values);
}

template <class T>
[[nodiscard]] consteval std::optional<DType> dtype_to_read() noexcept {
  if constexpr (std::is_same_v<T, std::byte>) return std::nullopt;
  else return dtype_of<T>();
}

}  // namespace memory

/// Returns a whole value as elements, as it is when everything submitted to `queue` before is done:
/// `read<float>(queue, arena, y)`. Blocks until then, or until `timeout`. The dtype must be T's; std::byte reads the
/// bytes of any dtype. Otherwise the errors are those of `feed`.
template <ReadElement T>
[[nodiscard]] Result<std::vector<T>> read(Queue& queue, const Arena& arena, std::uint32_t id, Timeout timeout = {}) {
  return memory::read_as<T>(queue, arena, {id, memory::dtype_to_read<T>(), sizeof(T), nullptr}, timeout);
}
/// Returns the codes of a dtype that C++ has no type for: `read<std::uint16_t>(queue, arena, y, DType::f16)`. The value
/// must have this dtype, and T its size.
template <ReadElement T>
[[nodiscard]] Result<std::vector<T>> read(Queue& queue, const Arena& arena, std::uint32_t id, DType dtype,
                                          Timeout timeout = {}) {
  return memory::read_as<T>(queue, arena, {id, dtype, sizeof(T), nullptr}, timeout);
}
/// Returns a whole value with each element converted on the host: `read<float>(queue, arena, y, Convert::f16_to_f32)`.
/// `how.from` must be the value's dtype, and `how.to` T's; std::byte takes the bytes of any dtype. A value beyond the
/// range under `Overflow::error` is `invalid_argument`.
template <ReadElement T>
[[nodiscard]] Result<std::vector<T>> read(Queue& queue, const Arena& arena, std::uint32_t id, const Convert& how,
                                          Timeout timeout = {}) {
  return memory::read_as<T>(queue, arena, {id, memory::dtype_to_read<T>(), sizeof(T), &how}, timeout);
}

}  // namespace pintle
