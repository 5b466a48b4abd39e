// HIP: AMD's runtime and its run-time compiler.
#pragma once

#include <string>

#include "backends/cuda/platform.h"

namespace pintle::hip {

using cuda::Code;
using cuda::FoundDevice;
using cuda::Status;

class HipPlatform final : public cuda::Platform {
 public:
  HipPlatform() noexcept;

  [[nodiscard]] Result<const vendor::cuda::Driver*> loaded() const override;
  [[nodiscard]] const std::string& library() const noexcept override;
  [[nodiscard]] vendor::cuda::StatusRow row_of(Status status) const noexcept override;
  [[nodiscard]] std::string_view name_of(std::string_view call) const noexcept override;
  [[nodiscard]] std::string refusal_of(int) const override { return {}; }  // an old one lacks functions
  [[nodiscard]] std::string next_step(std::optional<Status> status) const override;
  void describe(FoundDevice& found, int version) const override;
  [[nodiscard]] std::string compiler_absence() const override;
  /// A code object, from the cache of compiled programs where it is there and the source includes no file.
  [[nodiscard]] Result<std::string> compile(const backend::ProgramImage& image,
                                            const FoundDevice& found) const override;
  /// The part of the code that is for the device, and what its kernels take.
  [[nodiscard]] Result<Code> read(std::string image, const FoundDevice& found) const override;
  [[nodiscard]] std::string_view meaning_of(Status status) const noexcept override;
};

}  // namespace pintle::hip
