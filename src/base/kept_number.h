// Numbers that one process finds out, and later ones use: in the folder of compiled programs, and as private as these.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "pintle/error.h"

namespace pintle::base {

/// The number that was kept for `subject`, any text; empty where there is none that this user alone could have written.
/// Makes no folder.
[[nodiscard]] std::optional<std::uint64_t> kept_number(const std::filesystem::path& folder,
                                                       std::string_view subject) noexcept;
/// Keeps a number in place of an earlier one. `unavailable` for an empty path, and where others can write the folder.
[[nodiscard]] Result<void> keep_number(const std::filesystem::path& folder, std::string_view subject,
                                       std::uint64_t number);

/// Subjects of what a trial finds out of a device and its driver: the largest allocation that works, and whether
/// kernels may ask texel buffers questions (1) or better do not (0).
[[nodiscard]] inline std::string allocation_with(const std::string& backend, const std::string& name,
                                                 const std::string& driver) {
  return "largest allocation\n" + backend + " " + name + "\n" + driver;
}
[[nodiscard]] inline std::string texel_questions_with(const std::string& backend, const std::string& name,
                                                      const std::string& driver) {
  return "questions of texel buffers\n" + backend + " " + name + "\n" + driver;
}

}  // namespace pintle::base
