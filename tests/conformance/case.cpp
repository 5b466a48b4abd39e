#include "conformance/case.h"

#include <algorithm>
#include <vector>

namespace pintle::conformance {
namespace {

std::vector<Case>& list() {
  static std::vector<Case>& cases = *new std::vector<Case>;
  return cases;
}

}  // namespace

bool list_case(const Case& added) {
  std::vector<Case>& cases = list();
  cases.insert(std::ranges::upper_bound(cases, added.suite, {}, &Case::suite), added);
  return true;
}

std::span<const Case> all_cases() { return list(); }

bool matches(std::string_view pattern, std::string_view text) noexcept {
  if (pattern.empty()) return true;
  std::size_t p = 0, t = 0, star = std::string_view::npos, retry = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p, ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace pintle::conformance
