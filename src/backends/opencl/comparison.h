// A kernel of a built program beside its declaration.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backends/opencl/api.h"
#include "backends/opencl/found_device.h"
#include "backends/opencl/images.h"
#include "pintle/entry.h"

namespace pintle::opencl {

/// An argument by value whose size the driver does not check.
struct UntoldSize {
  std::string type;  ///< The argument's, as the source has it.
  std::uint32_t bytes = 0;
  std::string refusal;  ///< What to say where the size is another.
};

/// What a kernel that agrees with its entry has beyond it.
struct Comparison {
  std::size_t arguments = 0;          ///< One more than the entry has parameters where the last is local memory.
  std::uint64_t own_local_bytes = 0;  ///< Local memory that the kernel declares itself.
  bool are_told = true;               ///< False where the driver tells the number of arguments and sizes alone.
  std::vector<UntoldSize> untold;
};

/// `invalid_argument`: "Entry "f" " and what of the kernel does not agree with it.
[[nodiscard]] Error mismatch(const Entry& entry, std::string_view what);

/// Compares the kernel with the entry: count, kinds, types, accesses and order of its arguments as far as the driver
/// tells them, the sizes of what comes by value, the group, and local memory. `invalid_argument` has both sides.
[[nodiscard]] Result<Comparison> compare(const Entry& entry, cl_kernel kernel, const FoundDevice& found,
                                         Images& images);

}  // namespace pintle::opencl
