// What a rank has called: as it travels with every message, and as people read it.
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
  set_up,  ///< split, symmetric heaps: sizes are their own business
};
[[nodiscard]] std::string_view name(Operation operation) noexcept;
/// `none` for a number that is no kind.
[[nodiscard]] Operation operation_of(Collective::Kind kind) noexcept;
[[nodiscard]] bool has_root(Operation operation) noexcept;
/// Whether it has an operator.
[[nodiscard]] bool folds(Operation operation) noexcept;

/// The same on every rank of an operation, word for word.
struct Call {
  std::uint64_t number = 0;  ///< The operation's in this group, from 1; for send and recv, between two ranks.
  std::uint64_t count = 0;   ///< Elements of a part: what one rank gives or gets.
  Operation operation = Operation::none;
  ReduceOp op = ReduceOp::sum;
  DType dtype = DType::u8;
  Algorithm algorithm = Algorithm::automatic;
  std::uint32_t root = 0;
  bool is_reproducible = false;

  friend bool operator==(const Call&, const Call&) noexcept = default;
};

/// All but number and count in a word.
[[nodiscard]] std::uint64_t pack(const Call& call) noexcept;
/// Whatever the words are; what has no name prints as a number.
[[nodiscard]] Call unpack(std::uint64_t number, std::uint64_t count, std::uint64_t rest) noexcept;

/// `all_reduce 17 (sum, f32, 1024 elements, 4096 bytes)`.
[[nodiscard]] std::string text(const Call& call);

}  // namespace pintle::collective
