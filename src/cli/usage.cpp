#include "cli/usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/nearest.h"
#include "base/quote.h"

namespace pintle::cli {
namespace {

/// The command that was named last: words that are left over were meant for it.
const CLI::App& last_named(const CLI::App& app) {
  const auto named = app.get_subcommands();
  return named.empty() ? app : last_named(*named.front());
}

std::string called(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : called(*app.get_parent()) + " " + app.get_name();
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : app.get_options()) {
    if (option->get_group().empty()) continue;  // not for users
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_name().empty()) names.push_back(command->get_name());  // groups of options have none
  }
  return names;
}

std::string meant_by(const CLI::App& app, const std::string& word) {
  const bool is_option = word.starts_with('-');
  return base::did_you_mean(word.substr(0, word.find('=')), is_option ? option_names(app) : command_names(app));
}

}  // namespace

Style style_asked_by(std::span<const char* const> words) {
  for (const std::string_view word : words) {
    if (word == "--json") return Style::json;
    if (word == "--") break;  // the rest is another program's
  }
  return Style::text;
}

Error usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = last_named(app);
  std::string text = error.what();
  if (!text.ends_with('.')) text += '.';
  std::vector<std::string> seen;
  for (const std::string& word : app.remaining(true)) {
    if (std::ranges::find(seen, word) != seen.end()) continue;
    seen.push_back(word);
    if (const std::string meant = meant_by(command, word); !meant.empty())
      text += fmt::format(" {} is not known.{}", base::quote(word), meant);
  }
  return {Errc::invalid_argument, fmt::format("{} `{} --help` lists what there is.", text, called(command))};
}

}  // namespace pintle::cli
