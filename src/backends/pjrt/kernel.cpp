#include "backends/pjrt/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/file.h"
#include "base/quote.h"
#include "base/signature.h"

namespace pintle::pjrt {
namespace {

using backend::Argument;

/// Variants of one kernel that are kept; where sizes never come again, the memory of executables stays bounded.
constexpr std::size_t most_variants = 256;

bool is_written(const Parameter& parameter) noexcept {
  return parameter.kind == Parameter::Kind::buffer && parameter.access != Access::read;
}

bool is_read(const Parameter& parameter) noexcept {
  return parameter.kind == Parameter::Kind::scalar || parameter.access != Access::write;
}

std::string text_of(const backend::ProgramImage& image, const Entry& entry) {
  return fmt::format("Entry {} of [Program {}]", base::quote(entry.name), base::quote(image.name));
}

Error mismatch(const std::string& kernel, std::string words) {
  return {Errc::invalid_argument, fmt::format("{} {}.", kernel, words)};
}

/// A whole-array program takes numbers and arrays.
Result<void> check_kinds(const std::string& kernel, const Entry& entry) {
  for (const Parameter& parameter : entry.parameters) {
    const bool is_known = parameter.kind == Parameter::Kind::buffer || parameter.kind == Parameter::Kind::scalar;
    if (is_known && parameter.lanes == 1) continue;
    return Error(
        Errc::unsupported,
        fmt::format("{} has the parameter {}, which is neither a scalar nor a buffer of numbers: StableHLO has "
                    "no other.",
                    kernel, base::quote(parameter.name)));
  }
  return {};
}

/// Every parameter but those that are only written is an argument; with `all`, these are, too. Written ones are
/// results.
std::vector<Use> uses_of(const Entry& entry, bool all) {
  std::vector<Use> uses;
  std::uint32_t arguments = 0, results = 0;
  for (const Parameter& parameter : entry.parameters) {
    Use& use = uses.emplace_back();
    if (all || is_read(parameter)) use.argument = arguments++;
    if (is_written(parameter)) use.result = results++;
  }
  return uses;
}

std::string text_of(const stablehlo::TensorType& type) {
  std::string all = "tensor<";
  for (const auto& side : type.sides) all += (side ? std::to_string(*side) : std::string("?")) + 'x';
  return all + type.element + '>';
}

/// Whether a tensor of these sides may be a buffer of the declared shape: numbers are compared with numbers. A tensor
/// of rank 0 is one element. What is open on either side is compared with a launch's sizes.
bool may_have(std::span<const Side> shape, std::span<const std::optional<std::uint64_t>> sides) {
  const auto fits = [](const Side& side, const std::optional<std::uint64_t>& given) {
    return !side.scalar.empty() || !given || side.size == *given;
  };
  if (shape.empty()) return true;
  if (shape.size() == sides.size()) return std::ranges::equal(shape, sides, fits);
  const bool is_told = std::ranges::all_of(shape, [](const Side& side) { return side.scalar.empty(); }) &&
                       std::ranges::all_of(sides, [](const auto& side) { return side.has_value(); });
  const bool is_one = sides.empty() && std::ranges::all_of(shape, [](const Side& side) { return side.size == 1; });
  return !is_told || is_one;
}

/// Compares one argument or result with its parameter.
Result<void> check_type(const std::string& kernel, const Parameter& parameter, const stablehlo::TensorType& type,
                        std::string_view what) {
  const bool has_shape =
      parameter.kind == Parameter::Kind::buffer ? may_have(parameter.shape, type.sides) : type.sides.empty();
  if (stablehlo::dtype_of(type.element) == parameter.dtype && has_shape) return {};
  return mismatch(kernel, fmt::format("declares {} as {}; the {} in its code is {}", base::quote(parameter.name),
                                      base::type_text(parameter), what, text_of(type)));
}

Result<TensorType> tensor_type_of(const stablehlo::TensorType& type, const std::string& kernel) {
  TensorType made;
  if (const auto dtype = stablehlo::dtype_of(type.element)) made.element = element_of(*dtype);
  else return mismatch(kernel, fmt::format("has the type {}, whose elements Pintle does not have", text_of(type)));
  for (const auto& side : type.sides) made.sides.push_back(static_cast<std::int64_t>(side.value_or(0)));
  return made;
}

const Argument* argument_of(std::span<const Argument> arguments, std::size_t parameter) noexcept {
  return parameter < arguments.size() ? &arguments[parameter] : nullptr;
}

std::uint64_t number_of(const Argument& scalar) noexcept {
  std::uint64_t number = 0;
  std::memcpy(&number, scalar.scalar.bytes.data(), std::min(sizeof number, bytes_of(scalar.dtype)));
  return number;
}

}  // namespace

Result<std::unique_ptr<Kernel>> Kernel::match(const backend::ProgramImage& image, const Entry& entry,
                                              std::shared_ptr<const stablehlo::Module> module) {
  auto kernel = std::make_unique<Kernel>();
  kernel->text_ = text_of(image, entry);
  kernel->entry_ = entry;
  PINTLE_TRY(check_kinds(kernel->text_, entry));
  const stablehlo::Function& function = *module->find(entry.name);
  const auto read = static_cast<std::size_t>(std::ranges::count_if(entry.parameters, is_read));
  const auto written = static_cast<std::size_t>(std::ranges::count_if(entry.parameters, is_written));
  const bool takes_all = function.arguments.size() == entry.parameters.size();
  if ((!takes_all && function.arguments.size() != read) || function.results.size() != written) {
    return mismatch(
        kernel->text_,
        fmt::format("has ({}) arguments and ({}) results in its code; its signature has ({}) parameters, of "
                    "which ({}) are read and ({}) are written",
                    function.arguments.size(), function.results.size(), entry.parameters.size(), read, written));
  }
  kernel->uses_ = uses_of(entry, takes_all);
  for (std::size_t index = 0; index < entry.parameters.size(); ++index) {
    const Parameter& parameter = entry.parameters[index];
    const Use& use = kernel->uses_[index];
    if (use.argument)
      PINTLE_TRY(check_type(kernel->text_, parameter, function.arguments[*use.argument].type, "argument"));
    if (use.result) PINTLE_TRY(check_type(kernel->text_, parameter, function.results[*use.result].type, "result"));
  }
  kernel->is_fixed_ = !module->has_open_sizes(entry.name);
  kernel->module_ = std::move(module);
  kernel->scalars_.resize(entry.parameters.size());
  return kernel;
}

Result<std::unique_ptr<Kernel>> Kernel::opaque(const backend::ProgramImage& image, const Entry& entry,
                                               Code::Kind kind) {
  auto kernel = std::make_unique<Kernel>();
  kernel->text_ = text_of(image, entry);
  kernel->entry_ = entry;
  PINTLE_TRY(check_kinds(kernel->text_, entry));
  kernel->uses_ = uses_of(entry, false);
  kernel->code_ = {kind, std::string(base::text_in(image.code))};
  kernel->is_fixed_ = true;
  kernel->scalars_.resize(entry.parameters.size());
  return kernel;
}

/// The sides of a buffer's shape in this launch. Without arguments, those that the signature fixes.
template <class Each>
void Kernel::for_each_side(const Parameter& parameter, std::span<const Argument> arguments, Each each) const {
  for (const Side& side : parameter.shape) {
    const auto found = std::ranges::find(entry_.parameters, side.scalar, &Parameter::name);
    const Argument* const scalar =
        side.scalar.empty() ? nullptr
                            : argument_of(arguments, static_cast<std::size_t>(found - entry_.parameters.begin()));
    each(scalar != nullptr ? number_of(*scalar) : side.size);
  }
}

std::vector<std::uint64_t> Kernel::sides_of(const Parameter& parameter, std::span<const Argument> arguments) const {
  std::vector<std::uint64_t> sides;
  for_each_side(parameter, arguments, [&](std::uint64_t side) { sides.push_back(side); });
  return sides;
}

/// What the text of a variant depends on, number by number.
template <class Each>
void Kernel::for_each_size(std::span<const Argument> arguments, Each each) const {
  if (is_fixed_) return;
  for (std::size_t index = 0; index < entry_.parameters.size(); ++index) {
    const Parameter& parameter = entry_.parameters[index];
    if (parameter.kind != Parameter::Kind::buffer) continue;
    each(arguments[index].range.size / bytes_of(parameter.dtype));
    for_each_side(parameter, arguments, each);
  }
}

Kernel::Key Kernel::key_of(std::span<const Argument> arguments) const {
  Key key;
  for_each_size(arguments, [&](std::uint64_t size) { key.push_back(size); });
  return key;
}

bool Kernel::is_key(const Key& key, std::span<const Argument> arguments) const {
  std::size_t count = 0;
  bool is_same = true;
  for_each_size(arguments, [&](std::uint64_t size) {
    is_same = is_same && count < key.size() && key[count] == size;
    ++count;
  });
  return is_same && count == key.size();
}

/// Most launches have the sizes of the launch before.
SharedVariant Kernel::find(std::span<const Argument> arguments) {
  const std::lock_guard lock(mutex_);
  if (last_ == variants_.end() || !is_key(last_->first, arguments)) last_ = variants_.find(key_of(arguments));
  return last_ != variants_.end() ? last_->second : nullptr;
}

Result<SharedVariant> Kernel::variant(const Client& client, std::span<const Argument> arguments) {
  if (auto found = find(arguments)) return found;
  PINTLE_ASSIGN(made, make(client, arguments));
  const std::lock_guard lock(mutex_);
  if (variants_.size() >= most_variants) {
    variants_.clear();
    last_ = variants_.end();
  }
  last_ = variants_.emplace(key_of(arguments), made).first;
  return made;
}

Result<void> Kernel::compile(const Client& client) {
  PINTLE_TRY(variant(client, {}));
  return {};
}

Result<SharedVariant> Kernel::make(const Client& client, std::span<const Argument> arguments) const {
  return module_ != nullptr ? make_text(client, arguments) : make_opaque(client, arguments);
}

/// A result may take the memory of the argument that is the same buffer.
Result<SharedVariant> Kernel::make_text(const Client& client, std::span<const Argument> arguments) const {
  std::vector<std::vector<std::uint64_t>> sides;
  for (const Parameter& parameter : entry_.parameters) sides.push_back(sides_of(parameter, arguments));
  std::vector<stablehlo::Size> sizes;
  std::vector<stablehlo::Donation> donations;
  for (std::size_t index = 0; index < entry_.parameters.size(); ++index) {
    const Parameter& parameter = entry_.parameters[index];
    if (parameter.kind == Parameter::Kind::buffer && !is_fixed_) {
      sizes.push_back({parameter.name, arguments[index].range.size / bytes_of(parameter.dtype), sides[index]});
    }
    if (uses_[index].argument && uses_[index].result)
      donations.push_back({*uses_[index].argument, *uses_[index].result});
  }
  PINTLE_ASSIGN(function, module_->specialized(entry_.name, sizes));
  std::erase_if(donations, [&](const stablehlo::Donation& one) {
    return function.arguments[one.argument].type != function.results[one.result].type;
  });
  PINTLE_ASSIGN(text, module_->specialize(entry_.name, sizes, donations));
  PINTLE_ASSIGN(executable, Executable::make(client, {Code::Kind::mlir, std::move(text)}, text_));
  auto made = std::make_shared<Variant>();
  made->executable = std::move(executable);
  for (const Use& use : uses_) {
    const auto& type = use.argument ? function.arguments[*use.argument].type : function.results[*use.result].type;
    PINTLE_ASSIGN(parameter, tensor_type_of(type, text_));
    made->parameters.push_back(std::move(parameter));
    made->is_given_up.push_back(use.argument && use.result && type == function.results[*use.result].type);
  }
  return SharedVariant(std::move(made));
}

/// What is only written has the type of its result. Others have the signature's shape, since such code tells no types
/// of its arguments; the plug-in compares them at each launch.
Result<SharedVariant> Kernel::make_opaque(const Client& client, std::span<const Argument> arguments) const {
  auto made = std::make_shared<Variant>();
  PINTLE_ASSIGN(executable, Executable::make(client, code_, text_));
  const auto results = executable->results();
  const auto written = static_cast<std::size_t>(std::ranges::count_if(entry_.parameters, is_written));
  if (results.size() != written)
    return mismatch(
        text_, fmt::format("declares ({}) written parameters, and its code has ({}) results", written, results.size()));
  for (std::size_t index = 0; index < entry_.parameters.size(); ++index) {
    const Parameter& parameter = entry_.parameters[index];
    made->is_given_up.push_back(uses_[index].argument && uses_[index].result);
    if (uses_[index].result) {
      const TensorType& given = made->parameters.emplace_back(*results[*uses_[index].result]);
      const std::vector<std::optional<std::uint64_t>> sides(given.sides.begin(), given.sides.end());
      if (given.element == element_of(parameter.dtype) && may_have(parameter.shape, sides)) continue;
      return mismatch(text_, fmt::format("declares {} as {}; the result in its code is {}", base::quote(parameter.name),
                                         base::type_text(parameter), given.text()));
    }
    TensorType type{element_of(parameter.dtype), {}};
    for (const std::uint64_t side : sides_of(parameter, arguments))
      type.sides.push_back(static_cast<std::int64_t>(side));
    const bool is_told =
        parameter.kind == Parameter::Kind::scalar ||
        (!parameter.shape.empty() && std::ranges::all_of(type.sides, [](auto side) { return side > 0; }));
    if (!is_told)
      return mismatch(text_, fmt::format("needs a shape of numbers for {}: this form of code does not tell it",
                                         base::quote(parameter.name)));
    made->parameters.push_back(std::move(type));
  }
  made->executable = std::move(executable);
  return SharedVariant(std::move(made));
}

Result<SharedTensor> Kernel::scalar(const Client& client, std::size_t parameter, const Argument& argument,
                                    const TensorType& type) {
  {
    const std::lock_guard lock(mutex_);
    const Scalar& kept = scalars_[parameter];
    if (kept.tensor != nullptr && kept.value == argument.scalar) return kept.tensor;
  }
  PINTLE_ASSIGN(made, client.upload(type, argument.scalar.bytes.data()));
  const std::lock_guard lock(mutex_);
  scalars_[parameter] = {argument.scalar, made};
  return made;
}

}  // namespace pintle::pjrt
