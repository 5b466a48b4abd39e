// "Did you mean": the known name that a misspelt name may stand for.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace pintle::base {

/// The name nearest to `text`. A letter added, left out or changed and two neighbours swapped count one each; at most a
/// third of the letters, or one, may differ. A name that contains the text, or that the text contains, is one letter
/// away. Case does not count. The first of several; empty where none is near.
[[nodiscard]] std::string_view nearest(std::string_view text, std::span<const std::string> names);
/// " Did you mean "best"?", or nothing where no name is near.
[[nodiscard]] std::string did_you_mean(std::string_view text, std::span<const std::string> names);

}  // namespace pintle::base
