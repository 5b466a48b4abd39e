// The agreement of an entry point with a declared entry.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "pintle/entry.h"
#include "pintle/error.h"
#include "spirv/kernel_code.h"
#include "spirv/module.h"

namespace pintle::spirv {

/// An entry point, and the module that has it.
struct FoundEntry {
  const Module* module = nullptr;
  const EntryPoint* entry = nullptr;
};

/// The compute entry point with the name of `declared`, or, where the code has one entry, "main". Empty where there is
/// none.
[[nodiscard]] std::optional<FoundEntry> find_entry(std::span<const Module> modules, const Entry& declared,
                                                   std::size_t entries);

/// Compares the entry point with the declaration: group size, bindings, types, offsets, accesses and order. Fills the
/// interface and the group size of `kernel`. The error's text follows the entry's name: `invalid_argument` for what
/// does not agree, `unsupported` for more shared memory than the limit.
[[nodiscard]] Result<void> match_entry(const KernelLimits& limits, const Module& module, const EntryPoint& entry,
                                       const Entry& declared, KernelCode& kernel);

}  // namespace pintle::spirv
