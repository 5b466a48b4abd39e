// What drivers refuse: gaps/<backend>.txt, each row with the case that shows the refusal.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/error.h"

namespace pintle::conformance {

struct Gap {
  std::string name;   ///< The case that fails.
  std::string probe;  ///< The case that passes because the driver refuses.
  std::string reason;
};

/// A file of the gaps folder, as the build found it.
struct GapFile {
  std::string_view backend;
  std::string_view text;
};
[[nodiscard]] std::span<const GapFile> gap_files();

/// Rows "Case.Name Probe.Name the reason"; '#' begins a comment. `invalid_argument` names the line.
[[nodiscard]] Result<std::vector<Gap>> parse_gaps(std::string_view backend, std::string_view text);
/// The gaps of one backend; none where it has no file.
[[nodiscard]] Result<std::vector<Gap>> gaps_of(std::string_view backend);

}  // namespace pintle::conformance
