// One enqueued operation: checked, with its memory found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collective/group/call.h"
#include "collective/queue/group_queue_cut.h"
#include "pintle/buffer.h"
#include "pintle/deadline.h"
#include "pintle/error.h"
#include "pintle/group_queue.h"
#include "pintle/signal.h"

namespace pintle::collective {

/// Memory of the device, as bytes.
struct Operand {
  BufferView bytes;             ///< As u8.
  std::span<std::byte> mapped;  ///< The same, where the host can reach it; else empty.
  DType dtype = DType::u8;
  bool is_sealed = false;  ///< Known for a buffer only; a view does not say.

  /// Maps what may be mapped.
  [[nodiscard]] static Result<Operand> of(const DeviceElements& elements);
  [[nodiscard]] std::uint64_t size() const noexcept { return bytes.size_bytes(); }
};

/// What was called, before it is known to be right.
struct Request {
  Operation operation = Operation::none;
  ReduceOp op = ReduceOp::sum;
  std::uint32_t root = 0;  ///< Or the other rank.
  Side side = Side::sends;
  const DeviceElements* to = nullptr;    ///< Null: none.
  const DeviceElements* from = nullptr;  ///< Null: none.
};

struct Task {
  Call call;
  Parts parts;
  Side side = Side::sends;
  std::uint64_t part = 0;  ///< Bytes of a part.
  Operand to;
  Operand from;
  std::vector<Point> wait;
  std::string label;
  Timeout timeout;
  bool is_held = false;  ///< A submission keeps the memory that is used in place.

  /// `invalid_argument` for sizes, dtypes, ranks, overlap and points that cannot be. Does not look at which device the
  /// memory belongs to.
  [[nodiscard]] static Result<Task> create(const Request& request, EnqueueOptions options, std::uint32_t rank,
                                           std::uint32_t ranks);
  /// `all_reduce 3 (sum, f32, 1024 elements, 4096 bytes) "gradients"`.
  [[nodiscard]] std::string text() const;
};

}  // namespace pintle::collective
