#include "base/nearest.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/quote.h"

namespace pintle::base {
namespace {

/// No misspelt name is longer than this, and the work is the product of the lengths.
constexpr std::size_t longest_name = 100;

char lower(char letter) noexcept {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

/// The number of edits from `a` to `b`, row by row of the usual table.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

/// Whether one name contains the other: "--out" and "--output", "threads" and "cpu_threads".
bool is_part(std::string_view a, std::string_view b) {
  constexpr std::size_t shortest = 3;
  const auto same = [](char x, char y) { return lower(x) == lower(y); };
  const std::string_view part = a.size() < b.size() ? a : b, whole = a.size() < b.size() ? b : a;
  return part.size() >= shortest && part.size() < whole.size() && !std::ranges::search(whole, part, same).empty();
}

}  // namespace

std::string_view nearest(std::string_view text, std::span<const std::string> names) {
  std::string_view best;
  if (text.size() > longest_name) return best;
  std::size_t least = std::max<std::size_t>(text.size() / 3, 1) + 1;
  for (const std::string& name : names) {
    if (name.size() > longest_name) continue;
    const std::size_t edits = is_part(text, name) ? 1 : distance(text, name);
    if (edits >= least || edits >= name.size()) continue;
    least = edits;
    best = name;
  }
  return best;
}

std::string did_you_mean(std::string_view text, std::span<const std::string> names) {
  const std::string_view found = nearest(text, names);
  return found.empty() ? std::string() : " Did you mean " + quote(found) + "?";
}

}  // namespace pintle::base
