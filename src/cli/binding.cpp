#include "cli/binding.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/quote.h"
#include "cli/describe.h"

namespace pintle::cli {
namespace {

std::string parameter_list(const Entry& entry) {
  std::string text;
  for (const Parameter& parameter : entry.parameters) text += (text.empty() ? "" : ", ") + declaration(parameter);
  return text.empty() ? "none" : text;
}

Error refused(const Parameter& parameter, std::string_view what) {
  return {Errc::invalid_argument, fmt::format("Parameter [{}] {}.", declaration(parameter), what)};
}

const std::string& member_of(const InputArgument& argument) { return argument.member; }
std::string member_of(const OutputArgument&) { return {}; }

/// Every name has to be a parameter, and none may be there twice.
template <class Argument>
Result<void> check_names(const Entry& entry, const std::vector<Argument>& arguments, std::string_view option) {
  for (auto at = arguments.begin(); at != arguments.end(); ++at) {
    const auto known = std::ranges::find(entry.parameters, at->name, &Parameter::name);
    if (known == entry.parameters.end()) {
      return Error(Errc::invalid_argument,
                   fmt::format("Name {} of {} is no parameter of entry {}; its parameters are {}.",
                               base::quote(at->name), option, base::quote(entry.name), parameter_list(entry)));
    }
    const auto is_same = [&](const Argument& other) {
      return other.name == at->name && member_of(other) == member_of(*at);
    };
    const auto before = std::ranges::find_if(arguments.begin(), at, is_same);
    if (before != at) return refused(*known, fmt::format("is given twice with {}", option));
  }
  return {};
}

/// Members are those of the struct that the parameter is.
Result<void> check_members(const Entry& entry, const std::vector<InputArgument>& inputs) {
  for (const InputArgument& input : inputs) {
    if (input.member.empty()) continue;
    const Parameter& parameter = *std::ranges::find(entry.parameters, input.name, &Parameter::name);
    if (std::ranges::find(parameter.members, input.member, &Member::name) == parameter.members.end())
      return refused(parameter, fmt::format("has no member {}", base::quote(input.member)));
  }
  return {};
}

Result<void> check_files(const std::vector<OutputArgument>& outputs) {
  for (auto at = outputs.begin(); at != outputs.end(); ++at) {
    const auto before = std::ranges::find(outputs.begin(), at, at->file, &OutputArgument::file);
    if (before != at) {
      return Error(Errc::invalid_argument, fmt::format("File {} is the output of two parameters ({} and {}).",
                                                       base::quote(at->file.string()), before->name, at->name));
    }
  }
  return {};
}

template <class Argument>
const Argument* find(const std::vector<Argument>& arguments, const Parameter& parameter) {
  const auto found = std::ranges::find(arguments, parameter.name, &Argument::name);
  return found == arguments.end() ? nullptr : &*found;
}

Result<Binding> bind_scalar(const Parameter& parameter, const InputArgument* input) {
  if (!input) return refused(parameter, fmt::format("has no value; give --arg {}=number", parameter.name));
  const auto value = parse_scalar(input->text, parameter.dtype);
  if (!value)
    return value.error().during(
        fmt::format("reading --arg {} for parameter [{}]", input->name, declaration(parameter)));
  return Binding{parameter, *value};
}

Result<std::uint64_t> elements_of(const Parameter& parameter, const InputArgument* input) {
  if (!input) return refused(parameter, fmt::format("has no size; give --arg {}=elements", parameter.name));
  const auto count = parse_count(input->text);
  if (!count) return count.error().during(fmt::format("reading --arg {}", input->name));
  return *count;
}

/// A file of any dtype with as many bytes.
Result<std::vector<std::byte>> read_value(const Parameter& parameter, const InputArgument& input) {
  const auto reading = fmt::format("reading {} for parameter [{}]", base::quote(input.text), declaration(parameter));
  auto array = io::read_npy(input.text);
  if (!array) return array.error().during(reading);
  if (array->bytes.size() == parameter.bytes) return std::move(array->bytes);
  return refused(parameter, fmt::format("takes {} bytes, and {} holds {}", parameter.bytes, base::quote(input.text),
                                        array->bytes.size()));
}

/// A vector's numbers, or a file.
Result<std::vector<std::byte>> whole_value(const Parameter& parameter, const InputArgument& input) {
  if (parameter.lanes == 1 || input.text.ends_with(".npy")) return read_value(parameter, input);
  auto bytes = parse_vector(input.text, parameter.dtype, parameter.lanes);
  if (!bytes) return bytes.error().during(fmt::format("reading --arg {}", input.name));
  return bytes;
}

/// Every member has a value; what is between them is zero.
Result<std::vector<std::byte>> of_members(const Parameter& parameter, const std::vector<InputArgument>& inputs) {
  std::vector<std::byte> bytes(parameter.bytes);
  for (const Member& member : parameter.members) {
    const auto input = std::ranges::find_if(
        inputs, [&](const InputArgument& one) { return one.name == parameter.name && one.member == member.name; });
    if (input == inputs.end())
      return refused(parameter, fmt::format("has no value for its member {}; give --arg {}.{}=number",
                                            base::quote(member.name), parameter.name, member.name));
    const auto numbers = parse_vector(input->text, member.dtype, member.lanes);
    if (!numbers) return numbers.error().during(fmt::format("reading --arg {}.{}", input->name, input->member));
    std::ranges::copy(*numbers, bytes.begin() + member.offset);
  }
  return bytes;
}

std::string hint_for(const Parameter& parameter) {
  if (parameter.lanes != 1) return fmt::format("--arg {}=1,2,...", parameter.name);
  if (!parameter.members.empty()) return fmt::format("--arg {}.{}=number", parameter.name, parameter.members[0].name);
  return fmt::format("--arg {}=file.npy", parameter.name);
}

Result<Binding> bind_value(const Parameter& parameter, const std::vector<InputArgument>& inputs) {
  const auto is_part = [&](const InputArgument& one) { return one.name == parameter.name && !one.member.empty(); };
  const auto is_whole = [&](const InputArgument& one) { return one.name == parameter.name && one.member.empty(); };
  const auto whole = std::ranges::find_if(inputs, is_whole);
  const bool has_parts = std::ranges::any_of(inputs, is_part);
  if (whole != inputs.end() && has_parts) return refused(parameter, "is given whole and by its members");
  if (whole == inputs.end() && !has_parts)
    return refused(parameter, fmt::format("has no value; give {}", hint_for(parameter)));
  auto bytes = has_parts ? of_members(parameter, inputs) : whole_value(parameter, *whole);
  if (!bytes) return bytes.error();
  Binding binding{parameter};
  binding.value = *std::move(bytes);
  return binding;
}

Result<Binding> bind_local(const Parameter& parameter, const InputArgument* input) {
  Binding binding{parameter};
  PINTLE_ASSIGN(elements, elements_of(parameter, input));
  binding.elements = elements;
  return binding;
}

/// A texel buffer's bytes may be of any dtype.
bool is_of(const Parameter& parameter, DType dtype) noexcept {
  return parameter.kind == Parameter::Kind::texel_buffer || dtype == parameter.dtype;
}

Result<io::Array> read_input(const Parameter& parameter, const InputArgument& input) {
  const auto reading = fmt::format("reading {} for parameter [{}]", base::quote(input.text), declaration(parameter));
  auto array = io::read_npy(input.text);
  if (!array) return array.error().during(reading);
  if (array->bytes.empty())
    return refused(parameter, fmt::format("takes at least one element, and {} has none (its shape is {})",
                                          base::quote(input.text), array->shape.text()));
  if (is_of(parameter, array->dtype)) return array;
  return refused(parameter, fmt::format("takes {}, and {} holds {}", name(parameter.dtype), base::quote(input.text),
                                        name(array->dtype)));
}

Result<void> check_output(const Parameter& parameter, const OutputArgument& output) {
  if (!writes(parameter.access)) return refused(parameter, "is only read and cannot be an output");
  if (!is_of(parameter, output.dtype)) {
    return refused(parameter, fmt::format("writes {}, and --out {} says {}", name(parameter.dtype), output.name,
                                          name(output.dtype)));
  }
  if (output.shape.count() != 0U) return {};
  return refused(parameter, fmt::format("takes at least one element, and {} would have none (its shape is {})",
                                        base::quote(output.file.string()), output.shape.text()));
}

Result<Binding> bind_buffer(const Parameter& parameter, const InputArgument* input, const OutputArgument* output) {
  Binding binding{parameter};
  binding.is_null = parameter.is_optional && !input && !output;
  if (binding.is_null) return binding;
  if (!input && !output) {
    const auto hint = writes(parameter.access)
                          ? fmt::format("--out {}={}[...]:file.npy", parameter.name, name(parameter.dtype))
                          : fmt::format("--arg {}=file.npy", parameter.name);
    return refused(parameter, fmt::format("has no value; give {}", hint));
  }
  if (output) {
    PINTLE_TRY(check_output(parameter, *output));
    binding.output = *output;
  }
  if (input) {
    PINTLE_ASSIGN(array, read_input(parameter, *input));
    if (output && array.shape != output->shape) {
      return refused(parameter, fmt::format("has the shape {} in {} and {} in --out", array.shape.text(),
                                            base::quote(input->text), output->shape.text()));
    }
    binding.input = std::move(array);
  }
  return binding;
}

Result<Binding> bind(const Parameter& parameter, const std::vector<InputArgument>& inputs, const InputArgument* input,
                     const OutputArgument* output) {
  const bool has_texels = parameter.kind == Parameter::Kind::texel_buffer;
  const bool is_buffer = has_texels || parameter.kind == Parameter::Kind::buffer;
  if (has_texels && !parameter.texel)
    return refused(parameter, "has no texel, which `pintle run` needs; declare one, as texel_buffer rgba32f");
  if (output && !is_buffer)
    return refused(parameter, parameter.kind == Parameter::Kind::scalar ? "is a scalar and cannot be an output"
                                                                        : "is no buffer and cannot be an output");
  switch (parameter.kind) {
    case Parameter::Kind::buffer:
    case Parameter::Kind::texel_buffer: return bind_buffer(parameter, input, output);
    case Parameter::Kind::scalar: return bind_scalar(parameter, input);
    case Parameter::Kind::value: return bind_value(parameter, inputs);
    case Parameter::Kind::image:
    case Parameter::Kind::sampler:
      return refused(parameter, "is an image or a sampler, which `pintle run` cannot make yet");
    case Parameter::Kind::local: break;
  }
  return bind_local(parameter, input);
}

}  // namespace

Result<std::vector<Binding>> bind_arguments(const Entry& entry, const std::vector<InputArgument>& inputs,
                                            const std::vector<OutputArgument>& outputs) {
  PINTLE_TRY(check_names(entry, inputs, "--arg"));
  PINTLE_TRY(check_names(entry, outputs, "--out"));
  PINTLE_TRY(check_members(entry, inputs));
  PINTLE_TRY(check_files(outputs));
  std::vector<Binding> bindings;
  for (const Parameter& parameter : entry.parameters) {
    const auto* const input = find(inputs, parameter);
    const auto* const output = find(outputs, parameter);
    PINTLE_ASSIGN(binding, bind(parameter, inputs, input, output));
    bindings.push_back(std::move(binding));
  }
  return bindings;
}

}  // namespace pintle::cli
