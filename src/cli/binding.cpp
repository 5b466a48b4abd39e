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
    const auto before = std::ranges::find(arguments.begin(), at, at->name, &Argument::name);
    if (before != at) return refused(*known, fmt::format("is given twice with {}", option));
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

Result<Binding> bind_scalar(const Parameter& parameter, const InputArgument* input, const OutputArgument* output) {
  if (output) return refused(parameter, "is a scalar and cannot be an output");
  if (!input) return refused(parameter, fmt::format("has no value; give --arg {}=number", parameter.name));
  const auto value = parse_scalar(input->text, parameter.dtype);
  if (!value)
    return value.error().during(
        fmt::format("reading --arg {} for parameter [{}]", input->name, declaration(parameter)));
  return Binding{parameter, *value, std::nullopt, std::nullopt};
}

Result<io::Array> read_input(const Parameter& parameter, const InputArgument& input) {
  const auto reading = fmt::format("reading {} for parameter [{}]", base::quote(input.text), declaration(parameter));
  auto array = io::read_npy(input.text);
  if (!array) return array.error().during(reading);
  if (array->dtype == parameter.dtype) return array;
  return refused(parameter, fmt::format("takes {}, and {} holds {}", name(parameter.dtype), base::quote(input.text),
                                        name(array->dtype)));
}

Result<void> check_output(const Parameter& parameter, const OutputArgument& output) {
  if (!writes(parameter.access)) return refused(parameter, "is only read and cannot be an output");
  if (output.dtype != parameter.dtype) {
    return refused(parameter, fmt::format("writes {}, and --out {} says {}", name(parameter.dtype), output.name,
                                          name(output.dtype)));
  }
  return {};
}

Result<Binding> bind_buffer(const Parameter& parameter, const InputArgument* input, const OutputArgument* output) {
  Binding binding{parameter, std::nullopt, std::nullopt, std::nullopt};
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

}  // namespace

Result<std::vector<Binding>> bind_arguments(const Entry& entry, const std::vector<InputArgument>& inputs,
                                            const std::vector<OutputArgument>& outputs) {
  PINTLE_TRY(check_names(entry, inputs, "--arg"));
  PINTLE_TRY(check_names(entry, outputs, "--out"));
  PINTLE_TRY(check_files(outputs));
  std::vector<Binding> bindings;
  for (const Parameter& parameter : entry.parameters) {
    const auto* const input = find(inputs, parameter);
    const auto* const output = find(outputs, parameter);
    const bool scalar = parameter.kind == Parameter::Kind::scalar;
    PINTLE_ASSIGN(binding, scalar ? bind_scalar(parameter, input, output) : bind_buffer(parameter, input, output));
    bindings.push_back(std::move(binding));
  }
  return bindings;
}

}  // namespace pintle::cli
