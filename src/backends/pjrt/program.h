// Loaded programs.
#pragma once

#include <memory>
#include <vector>

#include "backends/pjrt/kernel.h"
#include "kit/owned_table.h"

namespace pintle::pjrt {

/// A ProgramId is its address.
class Program {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Program>> load(const Client& client, const backend::ProgramImage& image);
  [[nodiscard]] Kernel& kernel(std::uint32_t entry) const noexcept { return *kernels_[entry]; }

 private:
  [[nodiscard]] Result<void> add_text(const backend::ProgramImage& image);
  [[nodiscard]] Result<void> add_opaque(const backend::ProgramImage& image, Code::Kind kind);

  std::vector<std::unique_ptr<Kernel>> kernels_;  // in the order of the image's entries; null: left out
};

using Programs = kit::OwnedTable<backend::ProgramId, Program>;

}  // namespace pintle::pjrt
