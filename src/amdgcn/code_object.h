// What an AMD GPU's code object says of its kernels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/error.h"

namespace pintle::amdgcn {

/// A kernel's parameter as its code takes it. Hidden ones, which the driver fills, are left out.
struct CodeParameter {
  std::uint32_t size = 0;
  std::uint32_t offset = 0;
  std::string kind;   ///< "by_value", "global_buffer", "dynamic_shared_pointer", "image".
  std::string space;  ///< A pointer's: "global", "local"; empty where the code does not say it.
  std::string name;   ///< Empty where the compiler was not asked for it, and so is the type.
  std::string type;

  /// A pointer to local memory, whose size a launch says.
  [[nodiscard]] bool is_local() const noexcept { return kind == "dynamic_shared_pointer" || space == "local"; }
  /// An image, a sampler, a pipe or a queue.
  [[nodiscard]] bool is_opaque() const noexcept {
    return kind == "image" || kind == "sampler" || kind == "pipe" || kind == "queue";
  }
};

struct CodeKernel {
  std::string name;  ///< As hipModuleGetFunction takes it.
  std::vector<CodeParameter> parameters;
  std::uint32_t argument_bytes = 0;                  ///< The size of all parameters, hidden ones among them.
  std::uint32_t local_bytes = 0;                     ///< Local memory that the kernel declares itself.
  std::uint32_t max_group_items = 0;                 ///< 0 where the code does not say it.
  std::array<std::uint32_t, 3> required_group = {};  ///< Zeros where the kernel runs in groups of any size.
};

struct CodeObject {
  std::string target;  ///< "gfx90a", "gfx90a:sramecc+:xnack-"; empty where the code does not say it (version 3).
  std::vector<CodeKernel> kernels;
};

/// The code that a device of `target` ("gfx90a:sramecc+:xnack-") runs, within `code`: all of a code object, or an entry
/// of a clang offload bundle; the entry for the very processor comes before one for its family. `build_failed` names
/// what the code is for instead, or what it is.
[[nodiscard]] Result<std::span<const std::byte>> code_for(std::span<const std::byte> code, std::string_view target);

/// Reads the metadata of a code object of version 3 or later. `build_failed` says what is wrong with it and where.
[[nodiscard]] Result<CodeObject> read_code_object(std::span<const std::byte> elf);

}  // namespace pintle::amdgcn
