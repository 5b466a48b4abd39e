// The bytes that the buffers of one launch are bound to, so that a layer can move them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pintle/backend/command.h"
#include "pintle/backend/driver.h"
#include "pintle/entry.h"
#include "pintle/error.h"

namespace pintle::kit {

/// What a layer remembers of a loaded program.
struct LoadedProgram {
  std::string name;
  std::vector<Entry> entries;

  /// `image`, whose entries have the alignments that the backend asked for.
  LoadedProgram(const backend::ProgramImage& image, std::span<const backend::Alignment> alignments);
};

/// Ranges of one memory that overlap, and all the bytes from the first to the last.
struct BindingGroup {
  backend::Range all;
  std::uint64_t alignment = 1;
  std::vector<std::uint32_t> arguments;  ///< Their numbers in the launch.
  bool is_written = false;
};

/// The groups of a launch's buffers. Memory that the kernel also reaches by address has to stay where it is, so its
/// ranges are in none. May throw std::bad_alloc.
[[nodiscard]] std::vector<BindingGroup> group_bindings(std::span<const backend::Argument> arguments,
                                                       const Entry& entry);

/// An access outside of a binding.
struct Trespass {
  std::string kernel;
  std::string parameter;
  const char* verb = "";    ///< "reads", "writes", "reads or writes".
  std::int64_t offset = 0;  ///< Bytes from the beginning of the binding.
  std::uint64_t size = 0;   ///< Bytes of the binding.
  std::string note{};       ///< A further sentence.
};
[[nodiscard]] Error error_of(const Trespass& trespass);

/// The trespass at `offset` bytes from the beginning of the group, by the argument whose binding is nearest.
[[nodiscard]] Trespass trespass_of(const LoadedProgram& program, const backend::Exec& exec,
                                   std::span<const backend::Argument> arguments, const BindingGroup& group,
                                   std::int64_t offset, const char* verb);

}  // namespace pintle::kit
