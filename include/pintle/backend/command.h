// The seam, first half: commands as plain values. A list is validated, resolved and given its barriers by core;
// a backend, a layer or a recording only reads it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "pintle/backend/range.h"
#include "pintle/entry.h"

namespace pintle::backend {

// Ids are chosen by the backend that made the object; zero is never one. Core knows nothing about their meaning.
enum class ProgramId : std::uint64_t { none = 0 };
enum class QueueId : std::uint64_t { none = 0 };
enum class RecordingId : std::uint64_t { none = 0 };

/// What a kernel gets: its parameters in order (buffer, scalar), then what it reaches by address (use).
struct Argument {
  enum class Kind : std::uint8_t { buffer = 1, scalar = 2, use = 3 };
  Kind kind = Kind::buffer;
  DType dtype = DType::u8;
  Access access = Access::read;
  std::uint32_t slot = no_slot;  ///< A scalar's slot; a buffer's is in its range.
  Range range;
  Scalar scalar;
  friend bool operator==(const Argument&, const Argument&) = default;
};

/// Host bytes that a command reads. They stay valid until the submission's serial is reached.
struct HostSource {
  const std::byte* data = nullptr;
  std::uint64_t size = 0;
  std::uint32_t slot = no_slot;
};

/// Host bytes that a command writes. They stay valid until the submission's serial is reached.
struct HostTarget {
  std::byte* data = nullptr;
  std::uint64_t size = 0;
  std::uint32_t slot = no_slot;
};

/// The ranges have one size and do not overlap.
struct Copy {
  Range to;
  Range from;
};

/// `pattern_size` is 1, 2, 4 or 8; offset and size are multiples of it.
struct Fill {
  Range to;
  Scalar pattern;
  std::uint32_t pattern_size = 1;
  DType dtype = DType::u8;  ///< The pattern's: what a buffer bound to a slot must have.
};

struct Upload {
  Range to;
  HostSource from;
};

struct Download {
  HostTarget to;
  Range from;
};

/// One launch. Arguments are `Commands::arguments[first_argument, first_argument + argument_count)`.
struct Exec {
  ProgramId program = ProgramId::none;
  std::uint32_t entry = 0;
  std::uint32_t first_argument = 0;
  std::uint32_t argument_count = 0;
  Grid grid;  ///< Work-groups, each at least 1 and within the limits.
};

/// A launch whose grid (three u32) is read from device memory when it runs; a count beyond `exec.grid` is clamped to
/// it, and a count of zero runs nothing.
struct ExecIndirect {
  Exec exec;
  Range grid_at;
};

/// Runs `call(state)` on some thread of the backend. It does not block and does not throw.
struct HostCall {
  void (*call)(void* state) = nullptr;
  void* state = nullptr;
};

/// Writes the device clock (u64 ticks) when everything before it in the list is done.
struct Timestamp {
  Range to;
};

/// What a slot holds in one replay.
using Binding = std::variant<Range, Scalar, HostSource, HostTarget>;

/// Runs a recording with bindings for its slots. Only in submissions, never inside a recording.
struct Replay {
  RecordingId recording = RecordingId::none;
  std::span<const Binding> bindings;
};

using Operation = std::variant<Copy, Fill, Upload, Download, Exec, ExecIndirect, HostCall, Timestamp, Replay>;

/// One command. Commands of a list behave as if run one after another; without `barrier_before` a command touches
/// nothing that an earlier one since the last barrier wrote, nor writes what such a one reads, so the two may overlap.
struct Command {
  Operation operation;
  const char* label = nullptr;  ///< Valid as long as the list.
  bool barrier_before = false;
};

/// A resolved list. Both spans, and all they point to, stay valid until the submission's serial is reached (for a
/// recording: until it is forgotten). Arguments that no command names are those of other lists.
struct Commands {
  std::span<const Command> commands;
  std::span<const Argument> arguments;

  [[nodiscard]] std::span<const Argument> of(const Exec& exec) const noexcept {
    return arguments.subspan(exec.first_argument, exec.argument_count);
  }
};

/// "copy", "fill", ... as traces and messages print it.
[[nodiscard]] constexpr const char* name(const Operation& operation) noexcept {
  constexpr std::array<const char*, std::variant_size_v<Operation>> names{
      "copy", "fill", "upload", "download", "exec", "exec_indirect", "host_call", "timestamp", "replay"};
  return names[operation.index()];
}

}  // namespace pintle::backend
