#include "spirv/module_writer.h"

namespace pintle::spirv {
namespace {

constexpr std::uint32_t op_type_void = 19;
constexpr std::uint32_t op_type_function = 33;
constexpr std::uint32_t op_constant_null = 46;
constexpr std::uint32_t op_function_parameter = 55;

bool is_type(std::uint32_t number) noexcept { return number >= op_type_void && number <= op_type_function; }

}  // namespace

ModuleWriter::ModuleWriter(Listing& listing) : listing_(listing) {
  for (const Line& line : listing.globals) {
    if (!is_type(line.op) || line.operands.empty()) continue;
    types_.emplace(Shape(line.op, {line.operands.begin() + 1, line.operands.end()}), line.at(0));
  }
}

std::uint32_t ModuleWriter::type(std::uint32_t number, std::vector<std::uint32_t> operands) {
  const auto [place, is_new] = types_.try_emplace(Shape(number, operands), 0);
  if (!is_new) return place->second;
  place->second = new_id();
  operands.insert(operands.begin(), place->second);
  listing_.globals.push_back({number, std::move(operands)});
  return place->second;
}

std::uint32_t ModuleWriter::structure(std::vector<std::uint32_t> members) {
  const std::uint32_t id = new_id();
  members.insert(members.begin(), id);
  listing_.globals.push_back({op::type_struct, std::move(members)});
  return id;
}

std::uint32_t ModuleWriter::constant(std::uint32_t value) {
  const std::uint32_t of = type_u32();
  const auto [place, is_new] = constants_.try_emplace(Shape(op::constant, {of, value}), 0);
  if (!is_new) return place->second;
  place->second = new_id();
  listing_.globals.push_back({op::constant, {of, place->second, value}});
  return place->second;
}

std::uint32_t ModuleWriter::constant64(std::uint32_t type, std::uint64_t value) {
  const std::uint32_t id = new_id();
  listing_.globals.push_back(
      {op::constant, {type, id, static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)}});
  return id;
}

std::uint32_t ModuleWriter::null_of(std::uint32_t type) {
  const auto [place, is_new] = constants_.try_emplace(Shape(op_constant_null, {type}), 0);
  if (!is_new) return place->second;
  place->second = new_id();
  listing_.globals.push_back({op_constant_null, {type, place->second}});
  return place->second;
}

std::uint32_t ModuleWriter::variable(std::uint32_t of, std::uint32_t storage_class) {
  const std::uint32_t pointer = type(op::type_pointer, {storage_class, of});
  const std::uint32_t id = new_id();
  listing_.globals.push_back({op::variable, {pointer, id, storage_class}});
  return id;
}

std::uint32_t ModuleWriter::make(std::uint32_t number, std::uint32_t type, std::vector<std::uint32_t> operands) {
  const std::uint32_t id = new_id();
  operands.insert(operands.begin(), {type, id});
  add(number, std::move(operands));
  return id;
}

std::uint32_t ModuleWriter::begin_function(std::uint32_t result, std::vector<std::uint32_t>& parameters) {
  std::vector<std::uint32_t> signature{result};
  signature.insert(signature.end(), parameters.begin(), parameters.end());
  const std::uint32_t of = type(op_type_function, std::move(signature));
  const std::uint32_t id = make(op::function, result, {0, of});
  for (std::uint32_t& parameter : parameters) parameter = make(op_function_parameter, parameter, {});
  return id;
}

void ModuleWriter::finish() {
  listing_.functions.insert(listing_.functions.end(), functions_.begin(), functions_.end());
}

}  // namespace pintle::spirv
