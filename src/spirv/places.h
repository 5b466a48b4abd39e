// Where the host binds what an entry point uses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pintle/error.h"
#include "spirv/kernel_code.h"
#include "spirv/module.h"

namespace pintle::spirv {

/// One descriptor, and the variables that see it. Several give the bytes of a buffer several types.
struct Place {
  Descriptor at;
  bool is_element = false;
  std::vector<const Binding*> variables;
};

/// "set 0, binding 1", and the element of an array.
[[nodiscard]] std::string text_of(const Place& place);

/// Whether the entry point uses a variable of the module, as far as the module tells.
[[nodiscard]] bool uses(const Module& module, const EntryPoint& entry, std::uint32_t variable);

/// The descriptors of an entry point by set, binding and element. The error's text follows the entry's name:
/// `unsupported` for what no signature can declare and for numbers beyond the limits, with both.
[[nodiscard]] Result<std::vector<Place>> find_places(const Module& module, const EntryPoint& entry,
                                                     const KernelLimits& limits);

}  // namespace pintle::spirv
