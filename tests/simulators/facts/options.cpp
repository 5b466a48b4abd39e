#include "facts/options.h"

#include <charconv>
#include <string_view>

namespace facts {
namespace {

bool read_seconds(std::string_view text, std::chrono::seconds& to) {
  int count = 0;
  const auto [end, refused] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (refused != std::errc() || end != text.data() + text.size() || count < 1) return false;
  to = std::chrono::seconds(count);
  return true;
}

/// An option with a value.
bool read_pair(std::string_view name, const char* value, Options& options) {
  if (name == "--rule") options.rules.emplace_back(value);
  else if (name == "--code") options.code = value;
  else if (name == "--write-code") options.write_code = value;
  else if (name == "--deadline") return read_seconds(value, options.deadline);
  else if (name == "--seconds") return read_seconds(value, options.most);
  else return false;
  return true;
}

}  // namespace

std::optional<Options> read_options(int count, char** arguments) {
  Options options;
  for (int index = 1; index < count; ++index) {
    const std::string_view name = arguments[index];
    if (name == "--hip") options.vendor = Vendor::hip;
    else if (name == "--list") options.lists = true;
    else if (index + 1 == count || !read_pair(name, arguments[++index], options)) return std::nullopt;
  }
  for (const std::string& rule : options.rules) {
    if (find_rule(rule) == nullptr) return std::nullopt;
  }
  return options;
}

std::string line_of(const Rule& rule, Vendor vendor, const std::string& answer) {
  const std::string assumed = vendor == Vendor::hip ? "assumed, as CUDA's: " : "";
  return std::string(rule.name) + ": " + answer + "  # " + assumed + std::string(rule.where);
}

}  // namespace facts
