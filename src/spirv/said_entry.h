// A signature in the making, out of what an entry point's own code says.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "pintle/entry.h"
#include "pintle/error.h"
#include "spirv/declarations.h"
#include "spirv/module.h"
#include "spirv/places.h"

namespace pintle::spirv {

/// What a signature cannot say, or the code does not tell.
template <class... Values>
[[nodiscard]] Error not_told(fmt::format_string<Values...> sentence, Values&&... values) {
  return {Errc::invalid_argument, fmt::format(sentence, std::forward<Values>(values)...)};
}

/// Work-items of a group in one dimension, and the constant that can be given another value at load.
struct GroupSide {
  std::uint32_t size = 0;
  std::string name{};
};

/// The words of a signature.
struct SaidEntry {
  std::string name;
  Declarations bound;   ///< What the host binds, in its order.
  Declarations values;  ///< What comes by value, behind it.
  std::vector<GroupSide> group;
};

/// The entry that the words make. A name that several have, or that no signature takes, becomes another. The grammar
/// and the comparison with the code judge the entry. The error's text follows the entry's name.
[[nodiscard]] Result<Entry> entry_of(const Module& module, const EntryPoint& entry, SaidEntry said);

/// The dtype of a buffer's numbers; bytes where they are of several types, or where the variables that see it differ.
[[nodiscard]] DType dtype_of(const Place& place);
/// What the entry point does with what is bound at the place.
[[nodiscard]] Access access_of(const EntryPoint& entry, const Place& place);

}  // namespace pintle::spirv
