// Arenas: device memory laid out by a plan, and values that go in and come out with their dtype.
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

/// What lies at a planned value: a plan knows bytes only.
struct ArenaValue {
  std::string name;
  DType dtype = DType::u8;
  Shape shape;
};

struct ArenaOptions {
  std::string label{};
  Placement placement = Placement::device;
};

/// What an arena takes of a device.
struct ArenaRequirements {
  std::vector<std::uint64_t> chunks;  ///< Bytes of each allocation, as in the plan; external values are none of them.
  std::uint64_t total = 0;            ///< Bytes of all chunks.
  std::uint64_t largest_chunk = 0;    ///< Bytes; 0 for a plan without chunks.
  std::uint64_t alignment = 1;        ///< Bytes; of each chunk: the values' largest and the device's for views.
};

/// Owns device memory laid out by a plan: one allocation for each chunk. Values whose uses are apart may share bytes,
/// so a value holds what was last written to it or to one that shares its bytes; a persistent one holds it always.
/// Destruction never blocks: the memory is freed when the last submission using it is reached, and views are `stale`
/// from then on. Move-only; one that is moved from has no values. One thread at a time feeds it; its const members, and
/// `read`, may be called from any.
class Arena {
 public:
  Arena() noexcept = default;

  /// What the plan takes of the device, before anything is allocated. `invalid_argument` for an empty device, and for a
  /// value whose alignment no allocation has (4096 is the limit).
  [[nodiscard]] static Result<ArenaRequirements> requirements(const Plan& plan, const Device& device);
  /// Whether an arena of the plan can be made now. `unsupported` for a chunk beyond the device's largest allocation:
  /// plan with `PlanProblem::largest_chunk`. `out_of_memory` where the whole exceeds what the roomiest of the device's
  /// heaps has free, by `Device::budget()`. `invalid_argument` as for `create`. Others may take the memory meanwhile,
  /// and a device with several heaps may take from a less roomy one, so `create` may still answer `out_of_memory`.
  [[nodiscard]] static Result<void> can_fit(const Plan& plan, const Device& device);

  /// Allocates the chunks, with undefined contents. `values` say what lies where, in any order; a planned value that is
  /// not among them is bytes (u8). `not_found` for a name that the plan has not. `invalid_argument` for a name that is
  /// there twice; a dtype and shape whose bytes are not exactly the planned size; an offset that does not suit the
  /// dtype or, since kernels bind views, is no multiple of `Limits::offset_alignment`: plan with that alignment.
  /// `unsupported` for a chunk beyond the device's largest allocation, `out_of_memory` where there is none; chunks
  /// allocated until then are freed. A value beyond `Limits::max_binding` is bound in slices.
  [[nodiscard]] static Result<Arena> create(const Device& device, Plan plan, std::vector<ArenaValue> values = {},
                                            ArenaOptions options = {});

  [[nodiscard]] const Plan& plan() const noexcept { return plan_; }
  /// What lies at each value, in the plan's order.
  [[nodiscard]] std::span<const ArenaValue> values() const noexcept { return {values_.data(), values_.size()}; }
  /// What was allocated.
  [[nodiscard]] const ArenaRequirements& requirements() const noexcept { return requirements_; }
  /// As it appears in messages: `[Arena "step"]`.
  [[nodiscard]] std::string text() const noexcept;

  /// The id of a value, as in the plan. `not_found` where the plan has no such name, and for a value that is planned as
  /// external (or fused away into one), which has no bytes here; the words say which.
  [[nodiscard]] Result<std::uint32_t> id(std::string_view name) const;
  /// The value's bytes with its dtype and shape. `invalid_argument` for an id beyond the plan's values and for a value
  /// of 0 bytes, `not_found` for an external one.
  [[nodiscard]] Result<BufferView> view(std::uint32_t id) const;

 private:
  friend class Inside;
  [[nodiscard]] std::string value_text(std::uint32_t id) const;
  /// The value with this id, which has a place here.
  [[nodiscard]] Result<const PlannedValue*> placed(std::uint32_t id) const;

  std::string label_;
  Plan plan_;
  std::vector<ArenaValue> values_;
  ArenaRequirements requirements_;
  std::vector<Buffer> chunks_;
};

/// Writes a whole value: `feed(queue, arena, x, floats)`. Ordered as a submission to `queue`: after what was submitted
/// before, and before what is submitted next; the point says when the bytes are there. Work of other queues on the
/// value is ordered by points, as ever. The host's memory is free when the call returns. Values of up to 256 KiB, and
/// all where the host cannot address the arena, are staged in host memory: that blocks only while the queue is full.
/// Larger ones go straight into the arena's memory and block until everything submitted to `queue` before is done.
/// `timeout` bounds either. On an error nothing is written. `invalid_argument`: one element too many or too few, a
/// dtype that is not the value's, an id out of range, a queue of another device; `not_found` for an external value; the
/// queue's failure; `timeout`.
Result<Point> feed(Queue& queue, Arena& arena, std::uint32_t id, const Elements& from, Timeout timeout = {});
/// The same, and converts each element on the way, in the caller's thread: `feed(queue, arena, x, floats,
/// Convert::f32_to_f16)`. `how.from` must be the dtype of `from` and `how.to` the value's. A value beyond the range
/// under `Overflow::error` is `invalid_argument`, with nothing written.
Result<Point> feed(Queue& queue, Arena& arena, std::uint32_t id, const Elements& from, const Convert& how,
                   Timeout timeout = {});

/// Elements that `read` gives; std::byte fits every dtype.
template <class T>
concept ReadElement = (Element<T> && !std::is_same_v<T, bool>) || std::is_same_v<T, std::byte>;

namespace memory {

/// Host memory for what is read, kept by its owner until the device has written it.
struct Target {
  std::shared_ptr<void> owner;
  std::span<std::byte> bytes;
};

struct ReadRequest {
  std::uint32_t id = 0;
  std::optional<DType> dtype;      ///< What the elements are to be; empty for bytes of any.
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

/// A whole value as elements, when everything submitted to `queue` before is done: `read<float>(queue, arena, y)`. The
/// dtype must be T's; std::byte reads the bytes of any. Blocks until then or `timeout`. Otherwise as for `feed`.
template <ReadElement T>
[[nodiscard]] Result<std::vector<T>> read(Queue& queue, const Arena& arena, std::uint32_t id, Timeout timeout = {}) {
  return memory::read_as<T>(queue, arena, {id, memory::dtype_to_read<T>(), sizeof(T), nullptr}, timeout);
}
/// The codes of a dtype that C++ has no type for: `read<std::uint16_t>(queue, arena, y, DType::f16)`. The value has
/// this dtype, and T its size.
template <ReadElement T>
[[nodiscard]] Result<std::vector<T>> read(Queue& queue, const Arena& arena, std::uint32_t id, DType dtype,
                                          Timeout timeout = {}) {
  return memory::read_as<T>(queue, arena, {id, dtype, sizeof(T), nullptr}, timeout);
}
/// Converts each element on the host: `read<float>(queue, arena, y, Convert::f16_to_f32)`. `how.from` must be the
/// value's dtype and `how.to` T's; std::byte takes the bytes of any. A value beyond the range under `Overflow::error`
/// is `invalid_argument`.
template <ReadElement T>
[[nodiscard]] Result<std::vector<T>> read(Queue& queue, const Arena& arena, std::uint32_t id, const Convert& how,
                                          Timeout timeout = {}) {
  return memory::read_as<T>(queue, arena, {id, memory::dtype_to_read<T>(), sizeof(T), &how}, timeout);
}

}  // namespace pintle
