// The collective operations that are measured, by their names, and what each of them is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pintle::cli {

enum class Operation : unsigned char {
  all_reduce,
  reduce_scatter,
  all_gather,
  broadcast,
  reduce,
  gather,
  scatter,
  all_to_all,
  send_recv,  ///< Each rank sends to the next, and the last to rank 0.
  barrier,
};

/// What an operation is, for code that goes through its buffers.
struct OperationInfo {
  std::string_view name;
  bool folds;         ///< Has a reduction.
  bool has_root;      ///< Has a rank that gives or gets all.
  bool has_parts;     ///< The larger buffer has a part for each rank.
  bool moves_others;  ///< busbw counts the parts of the other ranks alone.
};

[[nodiscard]] const OperationInfo& info(Operation operation) noexcept;
[[nodiscard]] std::string_view name(Operation operation) noexcept;
[[nodiscard]] std::optional<Operation> parse_operation(std::string_view name) noexcept;
/// Every name, separated by ", ".
[[nodiscard]] std::string operation_names();

}  // namespace pintle::cli
