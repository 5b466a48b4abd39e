// What the seam promises about a list: each command alone, and the order between commands. One rule is checked at a
// time, in the simplest way that is right, and not in the way of core's.
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

/// An id as messages print it.
template <class Id>
[[nodiscard]] constexpr std::uint64_t number(Id id) noexcept {
  return static_cast<std::uint64_t>(id);
}

/// The objects that are alive on a device.
struct Known {
  Limits limits;
  std::map<backend::MemoryId, std::uint64_t> memories;  // sizes
  std::map<backend::ProgramId, std::vector<Entry>> programs;
  std::map<backend::RecordingId, backend::Commands> recordings;
};

/// The objects that a list needs until it is reached.
struct Used {
  std::set<backend::MemoryId> memories;
  std::set<backend::ProgramId> programs;
  std::set<backend::RecordingId> recordings;
};

enum class ListKind : std::uint8_t { submission, recording };

/// `internal` with the first rule that `list` breaks. A replay is checked as the commands that it runs. The memory of a
/// recording's slot is not known before, so order between slots is checked at replay. Quadratic in the length of the
/// list.
[[nodiscard]] Result<Used> check_list(const Known& known, const backend::Commands& list, ListKind kind);

}  // namespace pintle::kit
