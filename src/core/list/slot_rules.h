// The demands that the slots of a frozen list make, and lists with their slots filled in.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pintle/backend/command.h"
#include "pintle/error.h"
#include "pintle/info.h"

namespace pintle::core {

/// What one use of a slot demands of its binding.
struct SlotRule {
  enum class Kind : std::uint8_t { buffer, scalar, source, target };
  std::uint32_t slot = 0;
  Kind kind = Kind::buffer;
  std::uint64_t size = 0;        // exact bytes; 0: any up to `most`
  std::uint64_t least = 0;       // bytes
  std::uint64_t most = 0;        // bytes; 0: no limit
  std::uint64_t multiple = 1;    // of the size, in bytes
  std::optional<DType> dtype{};  // of a kernel's argument or a fill
  std::uint64_t alignment = 1;   // of the offset, in bytes
};

/// A buffer that commands name outside slots, and what they do to it.
struct BufferUse {
  std::uint64_t buffer = 0;
  Access access = Access::read;
};

/// A buffer of a launch whose shape has sides that slots decide, by the places of the arguments in the list.
struct SlotShape {
  std::size_t buffer = 0;
  std::uint64_t known = 1;         // the product of the other sides, in bytes
  std::vector<std::size_t> sides;  // scalars
  std::string parameter;           // as messages have it
};

/// The two ranges of a copy, at least one in a slot: they must not overlap once bound.
struct SlotCopy {
  backend::Range to;
  backend::Range from;
};

/// What a list demands of its slots.
struct SlotDemands {
  std::vector<SlotRule> rules;  // those of operations, then those of arguments
  std::vector<SlotCopy> copies;
  std::vector<Access> accesses;  // by slot: what the list does to the buffer in it

  void add(const SlotRule& rule, Access access);
};

[[nodiscard]] SlotDemands slot_demands(std::span<const backend::Command> commands,
                                       std::span<const backend::Argument> arguments, const Limits& limits);
/// Every buffer that the commands name outside slots, once. It counts as written where any command writes it.
[[nodiscard]] std::vector<BufferUse> buffer_uses(std::span<const backend::Command> commands,
                                                 std::span<const backend::Argument> arguments);
/// Whether any command launches a kernel.
[[nodiscard]] bool has_launches(std::span<const backend::Command> commands) noexcept;

/// Checks kind, dtype, size and alignment.
[[nodiscard]] Result<void> check_rule(const SlotRule& rule, const backend::Binding& binding,
                                      std::optional<DType> dtype);
/// Checks that the buffer is as large as its shape is now.
[[nodiscard]] Result<void> check_shape(const SlotShape& shape, std::span<const backend::Argument> arguments,
                                       std::span<const backend::Binding> bindings);
[[nodiscard]] bool overlap(const backend::Range& a, const backend::Range& b) noexcept;
/// Puts every binding in its place.
void fill_slots(std::span<backend::Command> commands, std::span<backend::Argument> arguments,
                std::span<const backend::Binding> bindings);

}  // namespace pintle::core
