// What the layers share: which habits are on, chance by a seed, and the end of the process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pintle::hostile {

/// HOSTILE is a list of habits with commas; unset or empty, all usual ones are on.
[[nodiscard]] bool is_on(std::string_view habit, bool is_usual = true);

/// Whether HOSTILE_NONSENSE is this one now: a test changes it in its own process.
[[nodiscard]] bool is_nonsense(std::string_view nonsense);

/// What chance begins from: HOSTILE_SEED, else the turn of the check, else 0.
[[nodiscard]] std::uint64_t first_seed();
/// A number that depends on the first seed and on how many were asked for before.
[[nodiscard]] std::uint64_t next_number() noexcept;

/// Ends the process, as a driver that crashes does, after a line "hostile: TEXT." on standard error.
[[noreturn]] void end_process(const std::string& text);

}  // namespace pintle::hostile
