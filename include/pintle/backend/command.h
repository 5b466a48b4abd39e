// The seam, first half: commands as plain values. Core checks a list, resolves it and sets its barriers; a backend, a
// layer or a recording only reads it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <variant>

#include "pintle/backend/range.h"
#include "pintle/entry.h"
#include "pintle/sampler.h"
#include "pintle/texel.h"

namespace pintle::backend {

// The backend that made an object chooses its id; zero is no id. Core knows nothing about their meaning.
enum class ProgramId : std::uint64_t { none = 0 };
enum class QueueId : std::uint64_t { none = 0 };
enum class RecordingId : std::uint64_t { none = 0 };

/// One argument of a launch. The parameters of the kernel come first, in order, then the buffers that it reaches by
/// address (use).
struct Argument {
  /// `sampled`: an image and its sampler. `texel_buffer`: a buffer's range as texels. `null`: no buffer for an optional
  /// parameter, a null pointer; only where the device has `Feature::optional_buffers`.
  enum class Kind : std::uint8_t {
    buffer = 1,
    scalar = 2,
    use = 3,
    value = 4,
    local = 5,
    image = 6,
    sampler = 7,
    sampled = 8,
    texel_buffer = 9,
    null = 10
  };
  Kind kind = Kind::buffer;
  DType dtype = DType::u8;
  Access access = Access::read;
  std::uint8_t alignment_log2 = 0;   ///< The offset of a buffer in a slot is a multiple of 2 to the power of this.
  std::uint32_t slot = no_slot;      ///< A scalar's slot; a buffer's is in its range.
  Range range;                       ///< A value and local memory have `size` alone.
  Scalar scalar;                     ///< For samplers and texels: what `set` has put in.
  const std::byte* value = nullptr;  ///< The bytes of a value; valid as long as the list.
  friend bool operator==(const Argument&, const Argument&) = default;

  [[nodiscard]] bool is_image() const noexcept { return kind == Kind::image || kind == Kind::sampled; }
  [[nodiscard]] bool has_range() const noexcept {
    return kind == Kind::buffer || kind == Kind::use || kind == Kind::texel_buffer || is_image();
  }
  [[nodiscard]] Sampler sampler() const noexcept {
    Sampler sampler;
    std::memcpy(&sampler, scalar.bytes.data(), sizeof sampler);
    return sampler;
  }
  void set(const Sampler& sampler) noexcept { std::memcpy(scalar.bytes.data(), &sampler, sizeof sampler); }
  [[nodiscard]] Texel texel() const noexcept { return static_cast<Texel>(scalar.bytes[0]); }
  void set(Texel texel) noexcept { scalar.bytes[0] = static_cast<std::byte>(texel); }
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

/// Copies bytes. The ranges have one size and do not overlap.
struct Copy {
  Range to;
  Range from;
};

/// Repeats a pattern over a range. `pattern_size` is 1, 2, 4 or 8; offset and size are multiples of it.
struct Fill {
  Range to;
  Scalar pattern;
  std::uint32_t pattern_size = 1;
  DType dtype = DType::u8;  ///< The dtype of the pattern; a buffer bound to a slot must have it.
};

struct Upload {
  Range to;
  HostSource from;
};

struct Download {
  HostTarget to;
  Range from;
};

/// A part of an image, and where its rows lie from the beginning of a buffer's range. Core has filled in every number.
struct ImageTransfer {
  ImagePart part;
  Texel texel = Texel::rgba8;
};

/// The bytes from the first texel in the buffer to the end of the last.
[[nodiscard]] constexpr std::uint64_t bytes_of(const ImageTransfer& transfer) noexcept {
  const ImageExtent& extent = transfer.part.extent;
  return (extent.slices() - 1) * transfer.part.slice_bytes + (extent.height - 1) * transfer.part.row_bytes +
         std::uint64_t{extent.width} * pintle::bytes_of(transfer.texel);
}

/// Copies texels between a buffer and an image: one of the ranges is a whole image. `transfer` is valid as long as the
/// list.
struct CopyImage {
  Range to;
  Range from;
  const ImageTransfer* transfer = nullptr;
  bool is_to_image = true;
};

/// One launch. Arguments are `Commands::arguments[first_argument, first_argument + argument_count)`.
struct Exec {
  ProgramId program = ProgramId::none;
  std::uint32_t entry = 0;
  std::uint32_t first_argument = 0;
  std::uint32_t argument_count = 0;
  Grid grid;  ///< Work-groups, each at least 1 and within the limits.
};

/// A launch whose grid (three u32) the device reads from memory when it runs. A count beyond `exec.grid` is clamped to
/// it; a count of zero runs nothing.
struct ExecIndirect {
  Exec exec;
  Range grid_at;
};

/// Runs `call(state)` on some thread of the backend. The function does not block and does not throw.
struct HostCall {
  void (*call)(void* state) = nullptr;
  void* state = nullptr;
};

/// Writes the device clock (u64 ticks) when everything before it in the list is done.
struct Timestamp {
  Range to;
};

/// The value of a slot in one replay.
using Binding = std::variant<Range, Scalar, HostSource, HostTarget>;

/// Runs a recording with bindings for its slots. It occurs only in submissions, never inside a recording.
struct Replay {
  RecordingId recording = RecordingId::none;
  std::span<const Binding> bindings;
};

using Operation =
    std::variant<Copy, Fill, Upload, Download, Exec, ExecIndirect, HostCall, Timestamp, Replay, CopyImage>;

/// One command. The commands of a list behave as if run one after another. A command without `barrier_before` touches
/// no bytes that an earlier command since the last barrier wrote, and writes none that such a command reads, so the two
/// may overlap in time.
struct Command {
  Operation operation;
  const char* label = nullptr;  ///< Valid as long as the list.
  bool barrier_before = false;
};

/// A resolved list. Both spans, and all that they point to, stay valid until the submission's serial is reached (for a
/// recording: until it is forgotten). Arguments that no command names belong to other lists.
struct Commands {
  std::span<const Command> commands;
  std::span<const Argument> arguments;

  [[nodiscard]] std::span<const Argument> of(const Exec& exec) const noexcept {
    return arguments.subspan(exec.first_argument, exec.argument_count);
  }
};

/// The name of an operation, as traces and messages print it: "copy", "fill", ...
[[nodiscard]] constexpr const char* name(const Operation& operation) noexcept {
  constexpr std::array<const char*, std::variant_size_v<Operation>> names{
      "copy", "fill", "upload", "download", "exec", "exec_indirect", "host_call", "timestamp", "replay", "copy_image"};
  return names[operation.index()];
}

}  // namespace pintle::backend
