// What the layers share: which habits are on, chance by a seed, and the end of the process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pintle::hostile {

/// HOSTILE is a list of habits with commas; unset or empty, all usual ones are on.
[[nodiscard]] bool is_on(std::string_view habit, bool is_usual = true);

/// A number that depends on HOSTILE_SEED and on how many were asked for before.
[[nodiscard]] std::uint64_t next_number() noexcept;

/// Ends the process, as a driver that crashes does, after a line "hostile: TEXT." on standard error.
[[noreturn]] void end_process(const std::string& text);

}  // namespace pintle::hostile
