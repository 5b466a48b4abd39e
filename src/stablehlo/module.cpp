#include "stablehlo/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/quote.h"
#include "stablehlo/declarations.h"

namespace pintle::stablehlo {
namespace {

/// What one entry needs of a text.
struct Reached {
  std::size_t entry = 0;
  std::set<std::size_t> functions{};
  std::set<std::string_view> aliases{};
};

/// By alias, as in the text: "!x".
using Filled = std::map<std::string_view, std::vector<std::uint64_t>>;

Reached reached_from(const Declarations& all, std::size_t entry) {
  Reached reached{entry, {entry}, {}};
  std::vector<const Uses*> left{&all.places[entry].uses};
  while (!left.empty()) {
    const Uses& uses = *left.back();
    left.pop_back();
    for (const Token& token : uses.functions) {
      const auto found = all.by_name.find(symbol_name(token.text));
      if (found != all.by_name.end() && reached.functions.insert(found->second).second)
        left.push_back(&all.places[found->second].uses);
    }
    for (const std::string_view name : uses.aliases) {
      const auto found = all.aliases.find(name);
      if (found != all.aliases.end() && reached.aliases.insert(name).second) left.push_back(&found->second.uses);
    }
  }
  return reached;
}

Result<Reached> reached_from(const Declarations& all, std::string_view entry) {
  const auto found = all.by_name.find(entry);
  if (found == all.by_name.end())
    return Error(Errc::not_found, fmt::format("The text has no function {}.", base::quote(entry)));
  return reached_from(all, found->second);
}

/// No size is open there but by an alias.
Result<void> check_closed(const Declarations& all, const Uses& uses) {
  if (uses.open.empty()) return {};
  return Error(
      Errc::invalid_argument,
      fmt::format("A side is open (\"?\") at {}. Only an alias has open sides, and its name begins with that of "
                  "a parameter: !x = tensor<?xf32>.",
                  place_of(all.text, uses.open.front())));
}

Result<Filled> fill(const Declarations& all, const Reached& reached, std::span<const Size> sizes) {
  for (const std::size_t function : reached.functions) PINTLE_TRY(check_closed(all, all.places[function].uses));
  Filled filled;
  for (const std::string_view name : reached.aliases) {
    const Alias& alias = all.aliases.at(name);
    if (alias.definition.empty()) PINTLE_TRY(check_closed(all, alias.uses));
    if (alias.definition != name || alias.uses.open.empty()) continue;
    PINTLE_ASSIGN(sides, sides_of(name.substr(1), alias.type, sizes));
    filled[name] = std::move(sides);
  }
  return filled;
}

TensorType filled_type(const Declarations& all, const Filled& filled, const Output& output) {
  TensorType type = output.type;
  if (output.alias.empty()) return type;
  const auto alias = all.aliases.find("!" + output.alias);
  const auto found = alias == all.aliases.end() ? filled.end() : filled.find(alias->second.definition);
  if (found != filled.end()) std::ranges::copy(found->second, type.sides.begin());
  return type;
}

/// Pieces of a text that others take the place of.
class Edits {
 public:
  void replace(const Span& span, std::string text) { all_.push_back({span, std::move(text)}); }
  void insert(std::size_t place, std::string text) { replace({place, place}, std::move(text)); }

  [[nodiscard]] std::string apply(std::string_view text) {
    std::ranges::sort(all_, {}, [](const Edit& edit) { return edit.span.begin; });
    std::string edited;
    std::size_t behind = 0;
    for (const auto& [span, replacement] : all_) {
      if (span.begin < behind) continue;  // in what is replaced
      edited += text.substr(behind, span.begin - behind);
      edited += replacement;
      behind = span.end;
    }
    return edited += text.substr(behind);
  }

 private:
  struct Edit {
    Span span;
    std::string text;
  };
  std::vector<Edit> all_;
};

Span span_of(const Token& token) noexcept { return {token.offset, token.end()}; }

/// The open sizes of the aliases, the names and who sees them; functions that are not reached go.
class Specializer {
 public:
  Specializer(const Declarations& all, const Reached& reached) noexcept
      : all_(all), reached_(reached), entry_(all.functions[reached.entry]) {}

  /// The entry takes the name of no other function, and a plug-in runs its body.
  [[nodiscard]] Result<void> check() const {
    if (!entry_.has_body)
      return Error(Errc::invalid_argument, fmt::format("The function {} has no body.", base::quote(entry_.name)));
    const auto main = all_.by_name.find("main");
    if (main == all_.by_name.end() || main->second == reached_.entry || !reached_.functions.contains(main->second))
      return {};
    return Error(Errc::invalid_argument, fmt::format("The function {} uses the function \"main\", whose name it has to "
                                                     "get itself. The other one needs another name.",
                                                     base::quote(entry_.name)));
  }

  void fill(const Filled& filled) {
    for (const auto& [name, sides] : filled) {
      const Alias& alias = all_.aliases.at(name);
      auto open = alias.uses.open.begin();
      for (std::size_t i = 0; i < sides.size(); ++i) {
        if (alias.type.sides[i]) continue;
        edits_.replace({*open, *open + 1}, fmt::format("{}", sides[i]));
        ++open;
      }
    }
  }

  void write_functions() {
    for (std::size_t i = 0; i < all_.functions.size(); ++i) {
      if (reached_.functions.contains(i)) write_function(i);
      else edits_.replace(all_.places[i].all, " ");  // what stands around it stays apart
    }
  }

  Result<void> donate(const Donation& donation) {
    if (donation.argument >= entry_.arguments.size() || donation.result >= entry_.results.size()) {
      return Error(Errc::invalid_argument,
                   fmt::format("Argument ({}) and result ({}) of the function {} are not below ({}) and ({}).",
                               donation.argument, donation.result, base::quote(entry_.name), entry_.arguments.size(),
                               entry_.results.size()));
    }
    const Argument& argument = entry_.arguments[donation.argument];
    if (argument.result) return {};
    const ArgumentPlace& place = all_.places[reached_.entry].arguments[donation.argument];
    const std::string attribute = fmt::format("tf.aliasing_output = {} : i32", donation.result);
    if (argument.is_donor) edits_.replace(place.donor, attribute);  // XLA refuses an argument that has both
    else edits_.insert(place.attribute, fmt::format("{}{}{}", place.before, attribute, place.behind));
    return {};
  }

  [[nodiscard]] std::string text() { return edits_.apply(all_.text); }

 private:
  void write_function(std::size_t index) {
    const FunctionPlace& place = all_.places[index];
    const bool is_entry = index == reached_.entry;
    const bool is_written = place.visibility.begin != place.visibility.end;
    if (is_written) edits_.replace(place.visibility, is_entry ? "public" : "private");
    else if (!is_entry) edits_.insert(place.visibility.begin, " private ");
    if (is_entry) rename(place.name);
    for (const Token& token : place.uses.functions) {
      if (symbol_name(token.text) == entry_.name) rename(token);
    }
  }

  void rename(const Token& token) {
    edits_.replace(span_of(token), token.text.starts_with("@\"") ? "@\"main\"" : "@main");
  }

  const Declarations& all_;
  const Reached& reached_;
  const Function& entry_;
  Edits edits_;
};

}  // namespace

Module::Module(std::shared_ptr<const Declarations> all) noexcept : all_(std::move(all)) {}

Result<Module> Module::read(std::string_view text) {
  PINTLE_ASSIGN(all, declarations_of(text));
  return Module(std::move(all));
}

const Function* Module::find(std::string_view name) const noexcept {
  const auto found = all_->by_name.find(name);
  return found == all_->by_name.end() ? nullptr : &all_->functions[found->second];
}

std::span<const Function> Module::functions() const noexcept { return all_->functions; }

bool Module::has_open_sizes(std::string_view entry) const {
  const auto reached = reached_from(*all_, entry);
  if (!reached) return false;
  const auto is_open = [](const Uses& uses) { return !uses.open.empty(); };
  return std::ranges::any_of(reached->functions, [&](std::size_t at) { return is_open(all_->places[at].uses); }) ||
         std::ranges::any_of(reached->aliases, [&](auto name) { return is_open(all_->aliases.at(name).uses); });
}

Result<std::string> Module::specialize(std::string_view entry, std::span<const Size> sizes,
                                       std::span<const Donation> donated) const {
  PINTLE_ASSIGN(reached, reached_from(*all_, entry));
  Specializer specializer(*all_, reached);
  PINTLE_TRY(specializer.check());
  PINTLE_ASSIGN(filled, fill(*all_, reached, sizes));
  specializer.fill(filled);
  specializer.write_functions();
  for (const Donation& donation : donated) PINTLE_TRY(specializer.donate(donation));
  return specializer.text();
}

Result<Function> Module::specialized(std::string_view entry, std::span<const Size> sizes) const {
  PINTLE_ASSIGN(reached, reached_from(*all_, entry));
  PINTLE_ASSIGN(filled, fill(*all_, reached, sizes));
  Function function = all_->functions[reached.entry];
  for (Argument& argument : function.arguments)
    argument.type = filled_type(*all_, filled, {argument.type, argument.alias});
  for (Output& output : function.results) output.type = filled_type(*all_, filled, output);
  return function;
}

bool is_bytecode(std::span<const std::byte> code) noexcept {
  constexpr std::array magic{std::byte{0x4d}, std::byte{0x4c}, std::byte{0xef}, std::byte{0x52}};
  return code.size() >= magic.size() && std::ranges::equal(code.first(magic.size()), magic);
}

}  // namespace pintle::stablehlo
