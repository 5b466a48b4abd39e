// A StableHLO text of several functions with open sizes, and the texts of one function each that plug-ins take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "pintle/error.h"
#include "stablehlo/function.h"
#include "stablehlo/sizes.h"

namespace pintle::stablehlo {

struct Declarations;

/// An argument whose memory a result takes.
struct Donation {
  std::uint32_t argument = 0;
  std::uint32_t result = 0;
};

/// Copies share the text.
class Module {
 public:
  /// Keeps a copy of the text. `invalid_argument` names line and column of a string or a bracket without an end, and of
  /// what is no function.
  [[nodiscard]] static Result<Module> read(std::string_view text);

  /// Null where there is none.
  [[nodiscard]] const Function* find(std::string_view name) const noexcept;
  [[nodiscard]] std::span<const Function> functions() const noexcept;
  /// Whether the text of `specialize` depends on sizes.
  [[nodiscard]] bool has_open_sizes(std::string_view entry) const;

  /// A text with the entry as the only public function, called @main, and with the functions whose names it uses, also
  /// through others. Aliases and what else stands outside of functions stay as they are, but open sizes are filled in.
  /// An argument of `donated` that names no result yet gets `tf.aliasing_output`, in the place of `jax.buffer_donor`.
  /// `not_found`: no such function. `invalid_argument` names the alias or the place of an open size that no parameter
  /// gives.
  [[nodiscard]] Result<std::string> specialize(std::string_view entry, std::span<const Size> sizes,
                                               std::span<const Donation> donated) const;
  /// The entry as it is in such a text, under its own name.
  [[nodiscard]] Result<Function> specialized(std::string_view entry, std::span<const Size> sizes) const;

 private:
  explicit Module(std::shared_ptr<const Declarations> all) noexcept;

  std::shared_ptr<const Declarations> all_;
};

/// True for MLIR's bytecode, which is no text.
[[nodiscard]] bool is_bytecode(std::span<const std::byte> code) noexcept;

}  // namespace pintle::stablehlo
