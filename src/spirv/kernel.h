// The agreement of a kernel's SPIR-V with its declared entry, and how a host passes arguments: buffers at set 0 from
// binding 0 on; scalars as a C struct in push constants, or in a uniform block behind the buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "pintle/backend/driver.h"
#include "spirv/module.h"

namespace pintle::spirv {

/// How scalars reach a kernel.
enum class ScalarSource : std::uint8_t { none, push, uniform };

struct ScalarPlace {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
};

struct KernelInterface {
  std::uint32_t buffers = 0;
  std::vector<ScalarPlace> scalars;
  ScalarSource scalar_source = ScalarSource::none;
  std::uint32_t scalar_bytes = 0;
};

/// Values of specialisation constants, one behind the other.
struct Specialization {
  struct Value {
    std::uint32_t spec_id = 0;
    std::uint32_t offset = 0;
    std::size_t size = 0;
  };
  std::vector<Value> values;
  std::vector<std::byte> data;
};

/// One entry of an image with the code that serves it.
struct KernelCode {
  std::string text;  ///< "Entry "x" of [Program "y"]", for messages.
  std::vector<std::byte> code;
  std::string entry_point;
  KernelInterface interface;
  Specialization specialization;
};

/// Finds the code of an image's entries and checks it against the declarations.
class KernelMatcher {
 public:
  /// Whether the device can run the module. The error's text follows "Entry ... of [Program ...] ".
  using CheckModule = std::function<Result<void>(const Module& module)>;

  KernelMatcher(const backend::ProgramImage& image, std::uint32_t most_push_bytes, CheckModule check)
      : image_(image), most_push_bytes_(most_push_bytes), check_(std::move(check)), found_(image.constants.size()) {}

  /// Matches `entries` with the modules of `code`: an entry point of the same name, or, for one entry, "main".
  /// `invalid_argument` names what does not agree.
  [[nodiscard]] Result<void> add(std::span<const std::byte> code, std::span<const Entry> entries);
  /// Returns all that was added. `invalid_argument` names a constant that no module has.
  [[nodiscard]] Result<std::vector<KernelCode>> finish();

 private:
  [[nodiscard]] Result<KernelCode> match(const Module& module, const EntryPoint& entry, const Entry& declared);
  [[nodiscard]] Result<void> specialize(const Module& module, KernelCode& kernel);

  const backend::ProgramImage& image_;
  const std::uint32_t most_push_bytes_;
  const CheckModule check_;
  std::vector<bool> found_;  // by constant
  std::vector<KernelCode> kernels_;
};

}  // namespace pintle::spirv
