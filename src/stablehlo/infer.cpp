#include "stablehlo/infer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/parse.h"
#include "base/quote.h"
#include "stablehlo/sizes.h"

namespace pintle::stablehlo {
namespace {

class Inference {
 public:
  explicit Inference(const Function& function) noexcept : function_(function) {}

  Result<Entry> infer() {
    for (const Argument& argument : function_.arguments) PINTLE_TRY(add(argument));
    PINTLE_TRY(add_results(function_.results.size()));
    PINTLE_TRY(check_sizes());
    return Entry::parse(fmt::format("{}({})", function_.name, fmt::join(parameters_, ", ")));
  }

 private:
  /// "%x" is x. A number alone is no name of a signature.
  Result<void> add(const Argument& argument) {
    const std::string name = base::is_identifier(argument.name) ? argument.name : "_" + argument.name;
    if (argument.name.empty() || !base::is_identifier(name)) return not_told("has an argument without a name");
    if (argument.result) PINTLE_TRY(add_results(*argument.result));
    if (argument.type.sides.empty() && !argument.result) {
      PINTLE_ASSIGN(type, element_of(argument.type));
      return put(name, type);
    }
    PINTLE_ASSIGN(type, type_of(argument.type));
    if (argument.result) ++results_;
    return put(name, fmt::format("{} {}", argument.result ? "read_write" : "read", type));
  }

  /// The results up to `end` are buffers that are only written.
  Result<void> add_results(std::size_t end) {
    if (end < results_ || end > function_.results.size())
      return not_told(
          fmt::format("gives its results ({}) to its arguments in another order", function_.results.size()));
    for (; results_ < end; ++results_) {
      const Output& output = function_.results[results_];
      PINTLE_ASSIGN(type, type_of(output.type));
      std::string name(parameter_of(output.alias));
      if (!base::is_identifier(name) || is_taken(name))
        name = results_ == 0 ? "result" : fmt::format("result{}", results_);
      PINTLE_TRY(put(name, "write " + type));
    }
    return {};
  }

  Result<void> put(const std::string& name, std::string_view type) {
    if (std::ranges::find(names_, name) != names_.end())
      return not_told(fmt::format("has two parameters called {}", base::quote(name)));
    names_.push_back(name);
    parameters_.push_back(fmt::format("{}: {}", name, type));
    return {};
  }

  /// Also by an argument that comes later.
  [[nodiscard]] bool is_taken(std::string_view name) const {
    return std::ranges::find(names_, name) != names_.end() ||
           std::ranges::find(function_.arguments, name, &Argument::name) != function_.arguments.end();
  }

  [[nodiscard]] static Result<std::string> element_of(const TensorType& type) {
    const auto dtype = dtype_of(type.element);
    if (dtype) return std::string(name(*dtype));
    return Error(Errc::unsupported,
                 fmt::format("has elements of {}, which no device takes", base::quote(type.element)));
  }

  /// Sides that are open are not in a signature: their sizes are the argument's.
  [[nodiscard]] static Result<std::string> type_of(const TensorType& type) {
    PINTLE_ASSIGN(element, element_of(type));
    if (type.open_sides() != 0) return element + "[]";
    std::vector<std::uint64_t> sides;
    for (const std::optional<std::uint64_t>& side : type.sides) sides.push_back(*side);
    if (sides.empty()) sides.push_back(1);
    return fmt::format("{}[{}]", element, fmt::join(sides, ","));
  }

  [[nodiscard]] Result<void> check_size(const TensorType& type, const std::string& alias) const {
    if (type.open_sides() == 0) return {};
    const std::string_view parameter = parameter_of(alias);
    if (std::ranges::find(names_, parameter) != names_.end()) return {};
    return not_told(
        fmt::format("leaves sizes open that are those of {}, which is no argument", base::quote(parameter)));
  }

  [[nodiscard]] Result<void> check_sizes() const {
    for (const Argument& argument : function_.arguments) PINTLE_TRY(check_size(argument.type, argument.alias));
    for (const Output& output : function_.results) PINTLE_TRY(check_size(output.type, output.alias));
    return {};
  }

  [[nodiscard]] static Error not_told(std::string what) { return {Errc::invalid_argument, std::move(what)}; }

  const Function& function_;
  std::size_t results_ = 0;  ///< That have a parameter.
  std::vector<std::string> names_;
  std::vector<std::string> parameters_;
};

}  // namespace

Result<Entry> infer(const Function& function) { return Inference(function).infer(); }

}  // namespace pintle::stablehlo
