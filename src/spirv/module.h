// What a SPIR-V module says of itself: entry points, bindings, constants. This is a strict reader, not a validator:
// what it reads is consistent and within bounds. Only the driver's validation can tell whether the code is right.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pintle/error.h"
#include "spirv/block.h"
#include "spirv/kernel_code.h"

namespace pintle::spirv {

/// A variable that the host binds.
struct Binding {
  using Kind = DescriptorKind;
  std::uint32_t id = 0;
  std::string name;
  std::uint32_t set = 0;
  std::uint32_t binding = 0;
  std::uint32_t count = 1;  ///< Elements of an array of them; 0 where the module gives no number.
  Kind kind = Kind::other;
  std::string what{};       ///< In words: "a storage buffer", "a storage image".
  bool is_writable = true;  ///< False where the whole variable is decorated NonWritable.
  bool is_readable = true;  ///< False where an image or a texel buffer is decorated NonReadable.
  Block block{};
  ImageType image{};
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
  std::uint32_t operation = 0;  ///< The constant that an operation makes of other constants; 0: there is none.
};

struct EntryPoint {
  std::string name;
  std::uint32_t model = 0;                             ///< 5: GLCompute, 6: Kernel.
  std::optional<std::array<Dimension, 3>> group_size;  ///< Empty where the module gives no size.
  std::vector<std::uint32_t> interface;                ///< Ids; from version 1.4 on, every variable that is used.
  // Ids of variables, and of pointers on the way to them, also through functions that it calls.
  std::vector<std::uint32_t> written;  ///< It certainly stores to them, or has atomics on them.
  std::vector<std::uint32_t> read;     ///< It certainly loads from them, or has atomics on them.
  std::vector<std::uint32_t> used;     ///< Its code names them.
  std::vector<std::uint32_t> escaped;  ///< It may load from them or store to them in ways that are not followed.
  /// Variables of images, each with that of a sampler that reads it.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> combined;
};

/// A variable in the memory that the items of a work-group share.
struct Shared {
  std::uint32_t id = 0;
  std::uint32_t type = 0;
  std::optional<std::uint64_t>
      size;  ///< By the constants' defaults; empty where an operation decides that is not known.
};

struct Tables;

struct Module {
  std::span<const std::byte> code;  ///< The code of this module only.
  std::uint32_t version = 0;        ///< 0x00010500 for 1.5.
  std::vector<std::uint32_t> capabilities;
  std::vector<std::string> extensions;
  std::vector<EntryPoint> entries;
  std::vector<Binding> bindings;
  std::optional<Binding> push_constants;  ///< At no binding.
  std::vector<Shared> shared;
  std::vector<SpecConstant> constants;
  std::shared_ptr<const Tables> tables;  ///< What all of this was read from.
};

inline constexpr std::uint32_t compute_model = 5;
inline constexpr std::uint32_t kernel_model = 6;  ///< A kernel of OpenCL.

/// Reads one or more modules, one behind the other. `invalid_argument` names the word where they are cut short or
/// wrong. The modules refer to `code`.
[[nodiscard]] Result<std::vector<Module>> read_modules(std::span<const std::byte> code);

}  // namespace pintle::spirv
