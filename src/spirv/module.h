// What a SPIR-V module says of itself: entry points, bindings, constants. This is a strict reader, not a validator:
// what it reads is consistent and within bounds. Only the driver's validation can tell whether the code is right.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pintle/error.h"

namespace pintle::spirv {

/// A member of a block, laid out as in memory.
struct Member {
  std::string name;  ///< Empty where the module has no names.
  std::uint64_t offset = 0;
  std::uint64_t size = 0;  ///< 0: an array without an end.
};

struct Block {
  std::vector<Member> members;
  std::uint64_t size = 0;  ///< The end of the last member.
};

/// A variable that the host binds.
struct Binding {
  enum class Kind : std::uint8_t { storage_buffer, uniform_block, other };
  std::uint32_t id = 0;
  std::string name;
  std::uint32_t set = 0;
  std::uint32_t binding = 0;
  Kind kind = Kind::other;
  bool is_writable = true;  ///< False where the whole variable is decorated NonWritable.
  Block block;
};

/// A specialisation constant that has a SpecId.
struct SpecConstant {
  enum class Kind : std::uint8_t { boolean, integer, unsigned_integer, floating };
  std::string name;
  std::uint32_t spec_id = 0;
  Kind kind = Kind::integer;
  std::uint32_t bits = 32;  ///< 1 for a boolean.
};

/// Work-items of a group in one dimension: a literal, or a specialisation constant and its default.
struct Dimension {
  std::uint32_t value = 0;
  std::optional<std::uint32_t> spec_id;
};

struct EntryPoint {
  std::string name;
  std::uint32_t model = 0;                             ///< 5: GLCompute, 6: Kernel.
  std::optional<std::array<Dimension, 3>> group_size;  ///< Empty where the module gives no size.
  std::vector<std::uint32_t> interface;                ///< Ids; from version 1.4 on, every variable that is used.
  std::vector<std::uint32_t> written;                  ///< Variables that it certainly stores to, or has atomics on.
};

struct Module {
  std::span<const std::byte> code;  ///< The code of this module only.
  std::uint32_t version = 0;        ///< 0x00010500 for 1.5.
  std::vector<std::uint32_t> capabilities;
  std::vector<EntryPoint> entries;
  std::vector<Binding> bindings;
  std::optional<Block> push_constants;
  std::vector<SpecConstant> constants;
};

inline constexpr std::uint32_t compute_model = 5;

/// Reads one or more modules, one behind the other. `invalid_argument` names the word where they are cut short or
/// wrong. The modules refer to `code`.
[[nodiscard]] Result<std::vector<Module>> read_modules(std::span<const std::byte> code);

}  // namespace pintle::spirv
