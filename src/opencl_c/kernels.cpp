#include "opencl_c/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

#include "base/parse.h"
#include "base/quote.h"
#include "opencl_c/llvm_text.h"
#include "opencl_c/values.h"

namespace pintle::opencl_c {
namespace {

using base::OpenClArgument;
using Space = OpenClArgument::Space;

constexpr std::string_view head = " spir_kernel void @";
constexpr std::string_view name_letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

std::optional<std::uint32_t> number(std::string_view part) {
  return base::parse_number<std::uint32_t>(part.substr(part.rfind(' ') + 1));
}

Space space_of(std::optional<std::uint32_t> number) {
  constexpr std::array spaces{Space::by_value, Space::global, Space::constant, Space::local};
  return spaces[number && *number < spaces.size() ? *number : 0];
}

/// Follows the pointers of a function from its arguments to the loads and stores that use them.
class Uses {
 public:
  Uses(std::span<OpenClArgument> arguments, const Texts& parameters) : arguments_(arguments) {
    for (std::size_t index = 0; index < std::min(arguments.size(), parameters.size()); ++index) {
      if (const auto value = value_in(parameters[index]); !value.empty()) roots_.emplace(value, index);
    }
  }

  void read(std::string_view line) {
    line = trimmed(line);
    const auto equals = line.find(" = ");
    const bool has_result = line.starts_with('%') && equals != std::string_view::npos;
    const std::string_view result = has_result ? line.substr(0, equals) : std::string_view();
    if (has_result) line.remove_prefix(equals + 3);
    if (line.starts_with("tail ")) line.remove_prefix(5);
    const std::string_view word = line.substr(0, line.find(' '));
    const Texts parts = parts_of(line);
    if (parts.empty()) return;
    if (word == "getelementptr" && parts.size() > 1) derive(result, parts[1]);
    else if (word == "addrspacecast" || word == "bitcast") derive(result, line.substr(0, line.find(" to ")));
    else if (word == "load" && parts.size() > 1) mark(parts[1], &OpenClArgument::is_read);
    else if (word == "store" && parts.size() > 1) mark(parts[1], &OpenClArgument::is_written);
    else if (word == "atomicrmw" || word == "cmpxchg") mark_both(parts[0]);
    else if (word == "call") read_call(line);
  }

 private:
  void derive(std::string_view result, std::string_view operand) {
    const auto found = roots_.find(value_in(operand));
    if (found != roots_.end() && !result.empty()) roots_.emplace(result, found->second);
  }
  void mark(std::string_view operand, bool OpenClArgument::* what) {
    const auto found = roots_.find(value_in(operand));
    if (found != roots_.end()) arguments_[found->second].*what = true;
  }
  void mark_both(std::string_view operand) {
    mark(operand, &OpenClArgument::is_read);
    mark(operand, &OpenClArgument::is_written);
  }

  /// Built-in functions whose names say what they do: "_Z10atomic_incPU3AS1Vi", "_Z7vstore4Dv4_fmPU3AS1f".
  void read_call(std::string_view line) {
    const auto at = line.find('@'), open = line.find('(', at);
    if (at == std::string_view::npos || open == std::string_view::npos) return;
    const std::string_view called = line.substr(at + 1, open - at - 1);
    const auto says = [&](std::string_view word) { return called.find(word) != std::string_view::npos; };
    const std::size_t end = closing(line, open);
    if (end == std::string_view::npos) return;
    const bool stores = says("vstore") || says("atomic_store"), loads = says("vload") || says("atomic_load");
    const bool is_atomic = says("atom_") || says("atomic_");
    for (const std::string_view operand : parts_of(line.substr(open + 1, end - open - 1))) {
      if (stores || (called.starts_with("llvm.mem") && operand.data() == line.data() + open + 1))
        mark(operand, &OpenClArgument::is_written);
      else if (loads || called.starts_with("llvm.memcpy")) mark(operand, &OpenClArgument::is_read);
      else if (is_atomic && !says("init")) mark_both(operand);
    }
  }

  std::span<OpenClArgument> arguments_;
  std::map<std::string_view, std::size_t> roots_;  // from a value's name to the argument where it begins
};

/// What is neither a number nor an address.
bool is_handle(const OpenClArgument& argument) {
  using enum base::OpenClType::Kind;
  const auto kind = argument.parsed.kind;
  return kind == image || kind == sampler || kind == opaque;
}

std::optional<Access> access_of(std::string_view qualifier) {
  if (qualifier == "read_only") return Access::read;
  if (qualifier == "write_only") return Access::write;
  return qualifier == "read_write" ? std::optional(Access::read_write) : std::nullopt;
}

OpenClArgument argument_of(std::string_view name, std::string_view type, std::string_view base_type,
                           std::string_view qualifiers, Space space, std::string_view parameter) {
  OpenClArgument argument;
  argument.name = quoted(name);
  argument.type = quoted(type);
  argument.parsed = base::parse_opencl_type(quoted(base_type));
  argument.space = space;
  argument.is_const = qualifiers.find("const") != std::string_view::npos || space == Space::constant;
  const auto has = [&](std::string_view word) { return parameter.find(word) != std::string_view::npos; };
  argument.may_read = !has(" writeonly") && !has(" readnone");
  argument.may_write = !argument.is_const && !has(" readonly") && !has(" readnone");
  const bool is_record = has(" byval(");
  if (is_record) argument.parsed.kind = base::OpenClType::Kind::record;
  if (is_handle(argument)) argument.space = Space::by_value;
  return argument;
}

/// The bytes of "align 16" in a parameter.
std::uint32_t alignment_in(std::string_view parameter) {
  constexpr std::string_view before = " align ";
  const auto at = parameter.find(before);
  if (at == std::string_view::npos) return 1;
  const std::string_view rest = parameter.substr(at + before.size());
  return base::parse_number<std::uint32_t>(rest.substr(0, rest.find(' '))).value_or(1);
}

/// What debug information says of the arguments by value.
void read_values(const Metadata& metadata, std::string_view definition, const Texts& parameters, OpenClKernel& kernel) {
  const auto at = definition.find(" !dbg ");
  kernel.values.resize(kernel.arguments.size());
  if (at == std::string_view::npos) return;
  const std::string_view rest = definition.substr(at + 6);
  const LlvmRecord function = metadata.record(rest.substr(0, rest.find_first_of(" {")));
  const Texts types = metadata.list(metadata.record(function.field("type")).field("types"));
  if (types.size() != kernel.arguments.size() + 1) return;  // the first is the result's
  for (std::size_t index = 0; index < kernel.arguments.size(); ++index) {
    OpenClArgument& argument = kernel.arguments[index];
    if (argument.space != Space::by_value || is_handle(argument)) continue;
    auto& value = kernel.values[index];
    value = value_of(metadata, types[index + 1], alignment_in(parameters[index]));
    if (value && argument.parsed.kind != base::OpenClType::Kind::number && value->kind == Parameter::Kind::value)
      argument.bytes = value->bytes;
  }
}

Grid grid_of(const Texts& sizes) {
  return {number(sizes[0]).value_or(1), number(sizes[1]).value_or(1), number(sizes[2]).value_or(1)};
}

/// `text` begins at the kernel's name.
Result<OpenClKernel> kernel_at(std::string_view text, const Metadata& metadata) {
  OpenClKernel kernel{std::string(text.substr(0, text.find_first_not_of(name_letters))), {}, {}};
  const std::size_t open = text.find('('), close = closing(text, open), body = text.find("{\n", close);
  if (close == std::string_view::npos || body == std::string_view::npos)
    return Error(Errc::invalid_argument, fmt::format("Kernel {} has no body.", base::quote(kernel.name)));
  const Texts parameters = parts_of(text.substr(open + 1, close - open - 1));
  const std::string_view definition = text.substr(close, body - close);
  const Texts spaces = metadata.of(definition, "kernel_arg_addr_space"),
              types = metadata.of(definition, "kernel_arg_type"),
              bases = metadata.of(definition, "kernel_arg_base_type"),
              names = metadata.of(definition, "kernel_arg_name"),
              qualifiers = metadata.of(definition, "kernel_arg_type_qual"),
              accesses = metadata.of(definition, "kernel_arg_access_qual");
  const std::size_t count = spaces.size();
  if (types.size() != count || bases.size() != count || names.size() != count || qualifiers.size() != count ||
      accesses.size() != count || parameters.size() != count)
    return Error(Errc::invalid_argument, fmt::format("Kernel {} has ({}) arguments, and ({}) are described.",
                                                     base::quote(kernel.name), parameters.size(), count));
  for (std::size_t index = 0; index < count; ++index) {
    kernel.arguments.push_back(argument_of(names[index], types[index], bases[index], qualifiers[index],
                                           space_of(number(spaces[index])), parameters[index]));
    kernel.arguments.back().access = access_of(quoted(accesses[index]));
  }
  read_values(metadata, definition, parameters, kernel);
  Uses uses(kernel.arguments, parameters);
  const std::string_view rest = text.substr(body, text.find("\n}", body) - body);
  for (auto at = rest.find('\n'); at != std::string_view::npos; at = rest.find('\n', at + 1))
    uses.read(rest.substr(at + 1, rest.find('\n', at + 1) - at - 1));
  const Texts sizes = metadata.of(definition, "reqd_work_group_size");
  if (sizes.size() == 3) kernel.group = grid_of(sizes);
  const Texts subgroup = metadata.of(definition, "intel_reqd_sub_group_size");
  if (subgroup.size() == 1) kernel.subgroup = number(subgroup[0]).value_or(0);
  return kernel;
}

Error no_signature(const OpenClKernel& kernel, const OpenClArgument& argument, std::string_view why) {
  return {Errc::unsupported, fmt::format("Kernel {} has the argument {} ({} {}), {}.", base::quote(kernel.name),
                                         base::quote(argument.name), name(argument.space), argument.type, why)};
}

std::string text_of(const Grid& grid) { return fmt::format("{},{},{}", grid.x, grid.y, grid.z); }

/// A number or a vector by its type's name.
std::optional<Parameter> named_value(const base::OpenClType& type) {
  const auto dtype = type.kind == base::OpenClType::Kind::number ? base::dtype_of(type.number) : std::nullopt;
  if (!dtype) return std::nullopt;
  const std::string lanes = type.components == 1 ? "" : fmt::format("x{}", type.components);
  const auto entry = Entry::parse(fmt::format("f(value: {}{})", name(*dtype), lanes));
  return entry ? std::optional(entry->parameters[0]) : std::nullopt;
}

/// A pointer to what the program defines itself is one to bytes. What the code does counts more than what its
/// declaration promises.
Parameter pointer_of(const OpenClArgument& argument) {
  const base::OpenClType& type = argument.parsed;
  const auto dtype = type.kind == base::OpenClType::Kind::number ? base::dtype_of(type.number) : std::nullopt;
  Parameter parameter{argument.name, Parameter::Kind::buffer, dtype.value_or(DType::u8), Access::read};
  if (argument.space != Space::local && dtype && type.components == 3) {
    parameter.lanes = 3;
    parameter.alignment = 4 * static_cast<std::uint32_t>(bytes_of(parameter.dtype));
  }
  if (argument.space == Space::local) parameter.kind = Parameter::Kind::local;
  else if (argument.may_write || argument.is_written)
    parameter.access = argument.may_read || argument.is_read ? Access::read_write : Access::write;
  return parameter;
}

/// An image or a texel buffer of any texel, or a sampler.
Parameter handle_of(const OpenClArgument& argument) {
  const std::uint8_t dimensions = argument.parsed.dimensions;
  Parameter parameter{argument.name, dimensions == 1   ? Parameter::Kind::texel_buffer
                                     : dimensions == 0 ? Parameter::Kind::sampler
                                                       : Parameter::Kind::image};
  parameter.access = argument.access.value_or(Access::read);
  parameter.dimensions = dimensions == 1 ? 0 : dimensions;
  return parameter;
}

Result<Parameter> parameter_of(const OpenClKernel& kernel, std::size_t index) {
  const OpenClArgument& argument = kernel.arguments[index];
  if (argument.parsed.kind == base::OpenClType::Kind::opaque)
    return no_signature(kernel, argument, "which no signature can have");
  if (is_handle(argument)) return handle_of(argument);
  if (argument.is_const && argument.is_written)
    return no_signature(kernel, argument, "which is written although it is constant");
  if (argument.space != Space::by_value) return pointer_of(argument);
  auto parameter = named_value(argument.parsed);
  if (!parameter) parameter = kernel.values[index];
  if (!parameter) return no_signature(kernel, argument, "whose size is not told");
  parameter->name = argument.name;
  return *std::move(parameter);
}

}  // namespace

Result<std::vector<OpenClKernel>> kernels_in_llvm(std::string_view text) {
  const Metadata metadata(text);
  std::vector<OpenClKernel> kernels;
  for (auto at = text.find(head); at != std::string_view::npos; at = text.find(head, at + 1)) {
    if (!text.substr(text.rfind('\n', at) + 1).starts_with("define ")) continue;
    PINTLE_ASSIGN(kernel, kernel_at(text.substr(at + head.size()), metadata));
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

Result<Entry> infer(const OpenClKernel& kernel) {
  Entry entry{kernel.name, {}, kernel.group.value_or(Grid{64}), 0};
  entry.subgroup_size = kernel.subgroup;
  for (std::size_t index = 0; index < kernel.arguments.size(); ++index) {
    PINTLE_ASSIGN(parameter, parameter_of(kernel, index));
    if (!base::is_identifier(parameter.name)) parameter.name = fmt::format("p{}", entry.parameters.size());
    entry.parameters.push_back(std::move(parameter));
  }
  return entry;
}

std::optional<std::string> difference(const Entry& entry, const OpenClKernel& kernel) {
  if (auto wrong = base::difference(entry, kernel.arguments)) return wrong;
  for (std::size_t index = 0; index < std::min(entry.parameters.size(), kernel.values.size()); ++index) {
    if (!kernel.values[index]) continue;
    if (auto wrong = difference(entry.parameters[index], *kernel.values[index])) return wrong;
  }
  if (kernel.group && *kernel.group != entry.group_size)
    return fmt::format("is compiled for groups of ({}), but groups of ({}) are declared", text_of(*kernel.group),
                       text_of(entry.group_size));
  if (kernel.subgroup != 0 && kernel.subgroup != entry.subgroup_size)
    return fmt::format("is compiled for subgroups of ({}), but subgroups of ({}) are declared", kernel.subgroup,
                       entry.subgroup_size);
  return std::nullopt;
}

}  // namespace pintle::opencl_c
