#include "conformance/gaps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "conformance/case.h"

namespace pintle::conformance {
namespace {

// Gaps in these would make the device useless or unsafe.
constexpr std::array<std::string_view, 5> without_gaps{"Order", "Signal", "Copy", "Error", "Recording"};

std::string_view take_word(std::string_view& line) {
  const auto begin = std::min(line.find_first_not_of(' '), line.size());
  line.remove_prefix(begin);
  const auto word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

bool is_case(std::string_view name) {
  return std::ranges::any_of(all_cases(), [&](const Case& known) { return known.name() == name; });
}

Result<Gap> parse_row(std::string_view line) {
  const auto invalid = [&](std::string_view why) {
    return Error(Errc::invalid_argument, fmt::format("Row \"{}\" {}.", line, why));
  };
  std::string_view rest = line;
  Gap gap{std::string(take_word(rest)), std::string(take_word(rest)), {}};
  gap.reason = rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
  if (gap.reason.empty()) return invalid("has no reason");
  if (!is_case(gap.name) || !is_case(gap.probe)) return invalid("names a case that does not exist");
  if (gap.name == gap.probe) return invalid("names the same case as its probe");
  const std::string_view suite = std::string_view(gap.name).substr(0, gap.name.find('.'));
  if (std::ranges::find(without_gaps, suite) != without_gaps.end()) return invalid("is in a suite that allows no gap");
  return gap;
}

}  // namespace

Result<std::vector<Gap>> parse_gaps(std::string_view backend, std::string_view text) {
  std::vector<Gap> gaps;
  for (std::size_t number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line = line.substr(0, line.find('#'));
    if (line.find_first_not_of(' ') == std::string_view::npos) continue;
    auto gap = parse_row(line);
    if (!gap) return gap.error().during(fmt::format("reading line {} of gaps/{}.txt", number, backend));
    gaps.push_back(std::move(*gap));
  }
  return gaps;
}

Result<std::vector<Gap>> gaps_of(std::string_view backend) {
  const auto files = gap_files();
  const auto file = std::ranges::find(files, backend, &GapFile::backend);
  return file == files.end() ? Result<std::vector<Gap>>(std::vector<Gap>()) : parse_gaps(backend, file->text);
}

}  // namespace pintle::conformance
