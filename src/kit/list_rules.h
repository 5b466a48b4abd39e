// What the seam promises about a list: each command on its own, and the order between them. Checked one rule at a time,
// in the simplest way that is right, independently of how core decides.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "pintle/backend/driver.h"

namespace pintle::kit {

/// Success where `holds`; otherwise `internal` with the sentence.
template <class... Values>
Result<void> require(bool holds, fmt::format_string<Values...> sentence, Values&&... values) {
  if (holds) return {};
  return Error(Errc::internal, fmt::format(sentence, std::forward<Values>(values)...));
}

/// As messages print an id.
template <class Id>
[[nodiscard]] constexpr std::uint64_t number(Id id) noexcept {
  return static_cast<std::uint64_t>(id);
}

/// What is alive on a device.
struct Known {
  Limits limits;
  std::map<backend::MemoryId, std::uint64_t> memories;  // sizes
  std::map<backend::ProgramId, std::vector<Entry>> programs;
  std::map<backend::RecordingId, backend::Commands> recordings;
};

/// What a list needs until it is reached.
struct Used {
  std::set<backend::MemoryId> memories;
  std::set<backend::ProgramId> programs;
  std::set<backend::RecordingId> recordings;
};

enum class ListKind : std::uint8_t { submission, recording };

/// `internal` with the first rule that `list` breaks. Replays are checked as what they run. Where a slot of a recording
/// points is not known before, so order between slots is checked at replay. Quadratic in the length of the list.
[[nodiscard]] Result<Used> check_list(const Known& known, const backend::Commands& list, ListKind kind);

}  // namespace pintle::kit
