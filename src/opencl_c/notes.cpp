#include "opencl_c/notes.h"

#include <algorithm>

#include "base/file.h"
#include "base/parse.h"

namespace pintle::opencl_c {
namespace {

/// The first line of what the code says.
constexpr std::string_view refusals_mark = "pintle refusals:\n";

/// Takes the text up to `separator` away, and the separator.
std::string_view take(std::string_view& text, char separator) {
  const auto end = std::min(text.find(separator), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

}  // namespace

std::vector<Refusal> refusals_in(std::span<const std::byte> code) {
  const std::string_view all = base::text_in(code);
  const auto at = all.find(refusals_mark);
  if (at == std::string_view::npos) return {};
  const std::string_view text = all.substr(at);
  return parse_refusals(text.substr(0, text.find('\0')));
}

std::vector<Refusal> parse_refusals(std::string_view text) {
  std::vector<Refusal> refusals;
  if (text.starts_with(refusals_mark)) text.remove_prefix(refusals_mark.size());
  while (!text.empty()) {
    std::string_view line = take(text, '\n');
    if (line.empty()) continue;
    const std::string_view entry = take(line, ' ');
    refusals.push_back({std::string(entry), std::string(line)});
  }
  return refusals;
}

std::vector<Need> parse_needs(std::string_view text) {
  std::vector<Need> needs;
  while (!text.empty()) {
    std::string_view line = take(text, '\n');
    const std::string_view entry = take(line, ' ');
    const auto parameter = base::parse_number<std::uint32_t>(take(line, ' '));
    const auto bytes = base::parse_number<std::uint32_t>(line);
    if (parameter && bytes) needs.push_back({std::string(entry), *parameter, *bytes});
  }
  return needs;
}

}  // namespace pintle::opencl_c
