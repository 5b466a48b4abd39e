// CUDA: NVIDIA's driver and its run-time compiler.
#pragma once

#include <string>

#include "backends/cuda/platform.h"
#include "vendor/cuda/nvrtc.h"

namespace pintle::cuda {

class CudaPlatform final : public Platform {
 public:
  CudaPlatform() noexcept;

  [[nodiscard]] Result<const vendor::cuda::Driver*> loaded() const override;
  [[nodiscard]] const std::string& library() const noexcept override;
  [[nodiscard]] vendor::cuda::StatusRow row_of(Status status) const noexcept override {
    return vendor::cuda::row_of(status);
  }
  [[nodiscard]] std::string refusal_of(int version) const override;
  [[nodiscard]] std::string next_step(std::optional<Status> status) const override;
  void describe(FoundDevice& found, int version) const override;
  [[nodiscard]] std::string compiler_absence() const override;
  /// PTX, from the cache of compiled programs where it is there and the source includes no file.
  [[nodiscard]] Result<std::string> compile(const backend::ProgramImage& image,
                                            const FoundDevice& found) const override;
  [[nodiscard]] Result<Code> read(std::string image, const FoundDevice& found) const override;
  [[nodiscard]] std::string_view meaning_of(Status status) const noexcept override;
};

}  // namespace pintle::cuda
