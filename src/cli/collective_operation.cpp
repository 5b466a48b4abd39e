#include "cli/collective_operation.h"

#include <algorithm>
#include <array>

namespace pintle::cli {
namespace {

constexpr std::array<OperationInfo, 10> operations{{
    {"all_reduce", true, false, false, true},
    {"reduce_scatter", true, false, true, true},
    {"all_gather", false, false, true, true},
    {"broadcast", false, true, false, false},
    {"reduce", true, true, false, false},
    {"gather", false, true, true, true},
    {"scatter", false, true, true, true},
    {"all_to_all", false, false, true, true},
    {"send_recv", false, false, false, false},
    {"barrier", false, false, false, false},
}};

}  // namespace

const OperationInfo& info(Operation operation) noexcept { return operations[static_cast<std::size_t>(operation)]; }

std::string_view name(Operation operation) noexcept { return info(operation).name; }

std::optional<Operation> parse_operation(std::string_view name) noexcept {
  const auto found = std::ranges::find(operations, name, &OperationInfo::name);
  if (found == operations.end()) return std::nullopt;
  return static_cast<Operation>(found - operations.begin());
}

std::string operation_names() {
  std::string names;
  for (const OperationInfo& operation : operations) {
    if (!names.empty()) names += ", ";
    names += operation.name;
  }
  return names;
}

}  // namespace pintle::cli
