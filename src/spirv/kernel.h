// The code of an image's entries, compared with the declarations.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
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
  /// Whether the program may do without the entry. The reason is the end of a sentence that begins with its name.
  using LeaveOut = std::function<bool(const std::string& entry, std::string reason)>;

  KernelMatcher(const backend::ProgramImage& image, const KernelLimits& limits, CheckModule check,
                LeaveOut leave_out = {})
      : image_(image),
        limits_(limits),
        check_(std::move(check)),
        leave_out_(std::move(leave_out)),
        found_(image.constants.size()) {}

  /// Matches `entries` with the modules of `code`: an entry point of the same name, or, for one entry, "main".
  /// `invalid_argument` names what does not agree.
  [[nodiscard]] Result<void> add(std::span<const std::byte> code, std::span<const Entry> entries);
  /// The same for modules that are read already. Only their code is kept.
  [[nodiscard]] Result<void> add(std::span<const Module> modules, std::span<const Entry> entries);
  /// Adds an entry that has no code, which is `missing` where the program cannot do without it.
  [[nodiscard]] Result<void> add_missing(const Entry& entry, const Error& missing);
  /// Returns all that was added; an entry that is left out has no code. `invalid_argument` names a constant that no
  /// module has, and that is no side of a group, where every entry has code.
  [[nodiscard]] Result<std::vector<KernelCode>> finish();

 private:
  [[nodiscard]] Result<KernelCode> match(const Module& module, const EntryPoint& entry, const Entry& declared);
  [[nodiscard]] bool leaves_out(const Entry& entry, std::string reason);

  const backend::ProgramImage& image_;
  const KernelLimits limits_;
  const CheckModule check_;
  const LeaveOut leave_out_;
  std::vector<bool> found_;  // by constant
  std::vector<KernelCode> kernels_;
};

}  // namespace pintle::spirv
