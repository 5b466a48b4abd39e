// A rank's outcome inside a note: what `agree` tells, and what rides on other notes of a set-up.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "collective/transport.h"
#include "pintle/error.h"

namespace pintle::collective {

/// The first bytes of a note; those behind them are free for other things.
inline constexpr std::size_t outcome_size = 208;

void write_outcome(Note& note, const Result<void>& outcome) noexcept;
/// The error of the lowest rank whose note has one, the same for every reader: the message names the rank. What others
/// wrote may be anything: a code that does not exist is `internal`, and what cannot be printed becomes "?".
[[nodiscard]] Result<void> read_outcomes(std::span<const Note> notes);

}  // namespace pintle::collective
