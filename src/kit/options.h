// The options of a device id ("cpu?inline", "null?memory=4096"), read strictly.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "pintle/backend/driver.h"
#include "pintle/error.h"

namespace pintle::kit {

/// One option that a driver or a layer knows.
struct OptionRule {
  std::string_view key;
  std::string_view valid;                      ///< For messages: "a number of bytes, at least 1".
  std::function<bool(std::string_view)> read;  ///< False when the value is not valid.
};

/// Gives each option to its rule. `invalid_argument` for an unknown option (naming the known ones), for an option given
/// twice, and for a value that its rule refuses. `owner` is the backend or layer that reads the options: "null".
[[nodiscard]] Result<void> read_options(std::string_view owner, std::span<const backend::Option> options,
                                        std::span<const OptionRule> rules);

}  // namespace pintle::kit
