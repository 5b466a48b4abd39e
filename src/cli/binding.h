// Which value each parameter of an entry gets: strictly by name, nothing missing, nothing left over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "cli/arguments.h"
#include "io/npy.h"
#include "pintle/entry.h"
#include "pintle/error.h"

namespace pintle::cli {

/// The value of one parameter.
struct Binding {
  Parameter parameter;
  std::optional<ScalarValue> scalar{};     ///< For a scalar parameter.
  std::optional<io::Array> input{};        ///< What a buffer holds at the start; without an input, zeros.
  std::optional<OutputArgument> output{};  ///< Where a buffer goes at the end.
  std::vector<std::byte> value{};          ///< What comes by value.
  std::uint64_t elements = 0;              ///< Elements of scratch memory.
  bool is_null = false;                    ///< An optional buffer that is not given.

  [[nodiscard]] DType dtype() const noexcept { return output ? output->dtype : input->dtype; }
  [[nodiscard]] const Shape& shape() const noexcept { return output ? output->shape : input->shape; }
};

/// One binding per parameter, in order. Reads the input files. `invalid_argument` names the parameter and what it is
/// declared as.
[[nodiscard]] Result<std::vector<Binding>> bind_arguments(const Entry& entry, const std::vector<InputArgument>& inputs,
                                                          const std::vector<OutputArgument>& outputs);

}  // namespace pintle::cli
