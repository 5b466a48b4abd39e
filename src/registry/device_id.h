// The grammar of device ids.
//
//   id      = "best" | device | layer
//   device  = name [":" (word | ordinal)] [options]      cpu   vulkan:llvmpipe   cuda:5f3a-77   vulkan:1   cpu?inline
//   layer   = name "(" id ")" [options]                  faulty(cpu)?call=submit
//   options = "?" option {"&" option}                    option = key ["=" value]
//
// A name or key is a letter, then letters, digits and "_". A word is the beginning of a uuid, or of any word of the
// device's name or driver; it begins with a letter or digit, may also have "-", and is not made of digits alone. An
// ordinal, which shifts when a driver is installed, is decimal without leading zeros. A value is any text without
// control characters, "&", "(" and ")".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/error.h"

namespace pintle::registry {

struct IdOption {
  std::string key;
  std::string value;  // empty: only the key is given
  friend bool operator==(const IdOption&, const IdOption&) = default;
};

struct IdLayer {
  std::string name;
  std::vector<IdOption> options;
  friend bool operator==(const IdLayer&, const IdLayer&) = default;
};

/// A device id in its parts. All parts but the values of options are in lower case. Options are sorted by their keys.
struct DeviceId {
  static constexpr std::size_t max_length = 1024;
  static constexpr std::size_t max_layers = 16;

  std::vector<IdLayer> layers;  // outermost first
  std::string backend;          // or "best"
  std::optional<std::uint32_t> ordinal;
  std::string word;  // the beginning of a uuid, or of a word of a name or driver
  std::vector<IdOption> options;
  friend bool operator==(const DeviceId&, const DeviceId&) = default;

  /// `invalid_argument` names the column, the text there and what is expected.
  [[nodiscard]] static Result<DeviceId> parse(std::string_view text);
  /// The canonical text, which `parse` reads back.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool is_best() const noexcept { return backend == "best"; }
};

}  // namespace pintle::registry
