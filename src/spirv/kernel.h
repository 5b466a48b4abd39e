// The code of an image's entries, compared with the declarations.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "pintle/backend/driver.h"
#include "spirv/kernel_code.h"
#include "spirv/module.h"

namespace pintle::spirv {

/// Finds the code of an image's entries and checks it against the declarations.
class KernelMatcher {
 public:
  /// Whether the device can run the module. The error's text follows "Entry ... of [Program ...] ".
  using CheckModule = std::function<Result<void>(const Module& module)>;

  KernelMatcher(const backend::ProgramImage& image, const KernelLimits& limits, CheckModule check)
      : image_(image), limits_(limits), check_(std::move(check)), found_(image.constants.size()) {}

  /// Matches `entries` with the modules of `code`: an entry point of the same name, or, for one entry, "main".
  /// `invalid_argument` names what does not agree.
  [[nodiscard]] Result<void> add(std::span<const std::byte> code, std::span<const Entry> entries);
  /// The same for modules that are read already. Only their code is kept.
  [[nodiscard]] Result<void> add(std::span<const Module> modules, std::span<const Entry> entries);
  /// Returns all that was added. `invalid_argument` names a constant that no module has, and that is no side of a
  /// group.
  [[nodiscard]] Result<std::vector<KernelCode>> finish();

 private:
  [[nodiscard]] Result<KernelCode> match(const Module& module, const EntryPoint& entry, const Entry& declared);

  const backend::ProgramImage& image_;
  const KernelLimits limits_;
  const CheckModule check_;
  std::vector<bool> found_;  // by constant
  std::vector<KernelCode> kernels_;
};

}  // namespace pintle::spirv
