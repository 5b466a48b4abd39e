// "Did you mean": which of the names that there are a misspelt one may stand for.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace pintle::base {

/// The name that is the nearest to `text`: letters added, left out or changed, and neighbours swapped, count one each,
/// and at most a third of the letters, or one, may differ. A name in which the text stands whole, or that stands in the
/// text, is one letter away. Case does not count. The first of several; empty where none is near.
[[nodiscard]] std::string_view nearest(std::string_view text, std::span<const std::string> names);
/// " Did you mean "best"?", or nothing where no name is near.
[[nodiscard]] std::string did_you_mean(std::string_view text, std::span<const std::string> names);

}  // namespace pintle::base
