// A rank's outcome inside a note. `agree` exchanges it, and other notes of a set-up carry it, too.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "collective/transport.h"
#include "pintle/error.h"

namespace pintle::collective {

/// The outcome takes the first bytes of a note; the bytes behind them are free for other things.
inline constexpr std::size_t outcome_size = 208;

void write_outcome(Note& note, const Result<void>& outcome) noexcept;
/// The error of the lowest rank whose note has one. Every reader gets the same error, and its message names the rank.
/// Other ranks may have written any bytes: a code that does not exist becomes `internal`, and a letter that cannot be
/// printed becomes "?".
[[nodiscard]] Result<void> read_outcomes(std::span<const Note> notes);

}  // namespace pintle::collective
