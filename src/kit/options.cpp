#include "kit/options.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "base/contain.h"
#include "base/quote.h"

namespace pintle::kit {
namespace {

using backend::Option;

Error unknown(std::string_view owner, std::string_view key, std::span<const OptionRule> rules) {
  if (rules.empty()) {
    return Error(Errc::invalid_argument,
                 fmt::format("[{}] has no option ({}); it takes none.", owner, base::quote(key)));
  }
  return Error(Errc::invalid_argument, fmt::format("[{}] has no option ({}); it has ({}).", owner, base::quote(key),
                                                   fmt::join(rules | std::views::transform(&OptionRule::key), ", ")));
}

Result<void> read_option(std::string_view owner, const Option& option, std::span<const OptionRule> rules) {
  const auto rule = std::ranges::find(rules, option.key, &OptionRule::key);
  if (rule == rules.end()) return unknown(owner, option.key, rules);
  if (rule->read(option.value)) return {};
  return Error(Errc::invalid_argument, fmt::format("The value ({}) of the option {} of [{}] is not {}.",
                                                   base::quote(option.value), rule->key, owner, rule->valid));
}

}  // namespace

Result<void> read_options(std::string_view owner, std::span<const Option> options, std::span<const OptionRule> rules) {
  return base::contain("reading options", [&]() -> Result<void> {
    for (std::size_t i = 0; i < options.size(); ++i) {
      if (std::ranges::find(options.first(i), options[i].key, &Option::key) != options.first(i).end()) {
        return Error(Errc::invalid_argument,
                     fmt::format("The option {} of [{}] is given twice.", base::quote(options[i].key), owner));
      }
      PINTLE_TRY(read_option(owner, options[i], rules));
    }
    return {};
  });
}

}  // namespace pintle::kit
