// What reads as StableHLO gives texts for its functions that read again: @main is all that others see, it takes and
// gives as many arrays of the types that were said before, and no size is open.
#include "stablehlo/module.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

#include "stablehlo/declarations.h"

namespace {

using namespace pintle;

constexpr std::uint64_t shape[] = {3, 2, 4};

/// A size for the parameter of each argument's alias.
std::vector<stablehlo::Size> sizes_of(const stablehlo::Function& function) {
  std::vector<stablehlo::Size> sizes;
  for (const auto& argument : function.arguments) {
    const std::string_view alias = argument.alias;
    const std::size_t rank = argument.type.sides.size();
    sizes.push_back({stablehlo::parameter_of(alias), 24, std::span(shape).first(rank <= 3 ? rank : 0)});
  }
  return sizes;
}

/// A text that was made of a function, against the types that were said of it.
void check(std::string_view text, const stablehlo::Function& types) {
  const auto again = stablehlo::Module::read(text);
  const auto* const main = again ? again->find("main") : nullptr;
  if (main == nullptr || again->has_open_sizes("main")) std::abort();
  for (const auto& other : again->functions()) {
    if (other.is_private == (&other == main)) std::abort();
  }
  if (main->arguments.size() != types.arguments.size() || main->results.size() != types.results.size()) std::abort();
  for (std::size_t i = 0; i < main->arguments.size(); ++i) {
    const auto& type = types.arguments[i].type;
    const bool has_name = type.element.find('@') != std::string::npos;  // of a function that has another name now
    if (main->arguments[i].type != type && !has_name) std::abort();
  }
  if (!main->arguments.empty() && !main->results.empty() && !main->arguments[0].result) std::abort();
}

void specialize(const stablehlo::Module& module, const stablehlo::Function& function) {
  const auto sizes = sizes_of(function);
  std::vector<stablehlo::Donation> donated;
  if (!function.arguments.empty() && !function.results.empty()) donated.push_back({0, 0});
  const auto text = module.specialize(function.name, sizes, donated);
  const auto types = module.specialized(function.name, sizes);
  if (!text && text.error().code() != Errc::invalid_argument) std::abort();
  if (!text) return;
  if (!types) std::abort();
  check(*text, *types);
}

/// Whether what stands behind each function begins something of its own. A function goes where it is not needed, and a
/// `->` behind it would then continue the alias that stands before it.
bool is_apart(std::string_view text) {
  const auto all = stablehlo::declarations_of(text);
  return !all || std::ranges::all_of((*all)->places, [&](const stablehlo::FunctionPlace& place) {
    const auto next = stablehlo::Lexer(text.substr(place.all.end)).next();
    return !next || next->kind != stablehlo::Token::Kind::symbol || next->is("}");
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto module = stablehlo::Module::read(text);
  if (!module) {
    if (module.error().code() != Errc::invalid_argument) std::abort();
    return 0;
  }
  if (!is_apart(text)) return 0;
  for (const auto& function : module->functions()) {
    if (module->find(function.name) == &function) specialize(*module, function);
  }
  return 0;
}
