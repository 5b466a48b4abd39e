// What a rank has called: in the form that travels with every message, and in the form that people read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "pintle/collective.h"

namespace pintle::collective {

enum class Operation : std::uint8_t {
  none = 0,
  all_reduce,
  reduce,
  reduce_scatter,
  all_gather,
  gather,
  scatter,
  broadcast,
  all_to_all,
  send_recv,
  barrier,
  set_up,  ///< Split and symmetric heaps, which compare sizes themselves.
};
[[nodiscard]] std::string_view name(Operation operation) noexcept;
/// `none` for a number that is no kind.
[[nodiscard]] Operation operation_of(Collective::Kind kind) noexcept;
[[nodiscard]] bool has_root(Operation operation) noexcept;
/// Whether the operation has an operator.
[[nodiscard]] bool folds(Operation operation) noexcept;

/// Every rank of an operation has the same call, word for word.
struct Call {
  std::uint64_t number = 0;  ///< From 1: counts operations of this group; for send and recv, between two ranks.
  std::uint64_t count = 0;   ///< Elements of a part: what one rank gives or gets.
  Operation operation = Operation::none;
  ReduceOp op = ReduceOp::sum;
  DType dtype = DType::u8;
  Algorithm algorithm = Algorithm::automatic;
  std::uint32_t root = 0;
  bool is_reproducible = false;

  friend bool operator==(const Call&, const Call&) noexcept = default;
};

/// Everything but number and count, in one word.
[[nodiscard]] std::uint64_t pack(const Call& call) noexcept;
/// Takes any words; a value that has no name prints as a number.
[[nodiscard]] Call unpack(std::uint64_t number, std::uint64_t count, std::uint64_t rest) noexcept;

/// `all_reduce 17 (sum, f32, 1024 elements, 4096 bytes)`.
[[nodiscard]] std::string text(const Call& call);

}  // namespace pintle::collective
