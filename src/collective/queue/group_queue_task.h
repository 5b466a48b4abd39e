// One enqueued operation: checked, with its memory found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collective/group/call.h"
#include "collective/group/parts.h"
#include "pintle/buffer.h"
#include "pintle/deadline.h"
#include "pintle/error.h"
#include "pintle/signal.h"
#include "pintle/submit_options.h"

namespace pintle::collective {

/// Memory of the device, as bytes.
struct Operand {
  BufferView bytes;             ///< As u8.
  std::span<std::byte> mapped;  ///< The same, where the host can reach it; else empty.
  DType dtype = DType::u8;
  bool is_sealed = false;  ///< Known for a buffer only; a view does not say.

  /// Maps what may be mapped. Null is no memory.
  [[nodiscard]] static Result<Operand> of(const DeviceElements* given);
  [[nodiscard]] std::uint64_t size() const noexcept { return bytes.size_bytes(); }
};

struct Task {
  Call call;
  Collective operation;  ///< As it was submitted, without its memory.
  PartCounts parts;
  Side side = Side::sends;
  std::uint64_t part = 0;  ///< Bytes of a part.
  Operand to;
  Operand from;
  std::vector<Point> after;
  std::vector<Point> signal;
  std::string label;
  Timeout timeout;
  bool is_held = false;  ///< A submission keeps the memory that is used in place.

  /// `invalid_argument` for sizes, dtypes, ranks, overlap and points that cannot be. Which device the memory is of is
  /// not looked at.
  [[nodiscard]] static Result<Task> create(const Collective& operation, SubmitOptions options, std::uint32_t rank,
                                           std::uint32_t ranks);
  /// `all_reduce 3 (sum, f32, 1024 elements, 4096 bytes) "gradients"`.
  [[nodiscard]] std::string text() const;
};

}  // namespace pintle::collective
