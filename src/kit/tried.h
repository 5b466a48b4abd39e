// What `pintle doctor --probe` has found out by a trial, in a process of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/kept_number.h"
#include "base/settings.h"

namespace pintle::kit {

/// What a trial has kept for the subject; empty where none was made.
[[nodiscard]] inline std::optional<std::uint64_t> tried(const std::string& subject) {
  const auto settings = base::settings();
  return settings ? base::kept_number(base::cache_folder(**settings), subject) : std::nullopt;
}

}  // namespace pintle::kit
