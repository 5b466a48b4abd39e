// Types, constants and functions that are added to a module.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "spirv/listing.h"
#include "spirv/tables.h"

namespace pintle::spirv {

/// Adds to a listing. A type that may be there only once is found where it is there.
class ModuleWriter {
 public:
  explicit ModuleWriter(Listing& listing);

  [[nodiscard]] std::uint32_t new_id() noexcept { return listing_.new_id(); }
  [[nodiscard]] std::uint32_t type(std::uint32_t number, std::vector<std::uint32_t> operands);
  [[nodiscard]] std::uint32_t type_void() { return type(19, {}); }
  [[nodiscard]] std::uint32_t type_bool() { return type(op::type_bool, {}); }
  [[nodiscard]] std::uint32_t type_u32() { return type(op::type_int, {32, 0}); }
  [[nodiscard]] std::uint32_t constant(std::uint32_t value);
  /// A constant of an integer type of 64 bits.
  [[nodiscard]] std::uint32_t constant64(std::uint32_t type, std::uint64_t value);
  [[nodiscard]] std::uint32_t null_of(std::uint32_t type);
  /// A new variable outside of functions; its `type` is that of what it holds.
  [[nodiscard]] std::uint32_t variable(std::uint32_t type, std::uint32_t storage_class);
  /// A new struct.
  [[nodiscard]] std::uint32_t structure(std::vector<std::uint32_t> members);
  void add_head(std::uint32_t number, std::vector<std::uint32_t> operands) {
    listing_.head.push_back({number, std::move(operands)});
  }

  /// Adds an instruction to the new functions, which `finish` puts behind the others.
  void add(std::uint32_t number, std::vector<std::uint32_t> operands) {
    functions_.push_back({number, std::move(operands)});
  }
  /// Adds one with a result, and returns it.
  std::uint32_t make(std::uint32_t number, std::uint32_t type, std::vector<std::uint32_t> operands);
  /// Begins a function of these types; `parameters` become the ids of its parameters.
  std::uint32_t begin_function(std::uint32_t result, std::vector<std::uint32_t>& parameters);
  void finish();

 private:
  /// An instruction without its result.
  using Shape = std::pair<std::uint32_t, std::vector<std::uint32_t>>;

  Listing& listing_;
  std::map<Shape, std::uint32_t> types_;
  std::map<Shape, std::uint32_t> constants_;  // only those added here
  Lines functions_;
};

}  // namespace pintle::spirv
