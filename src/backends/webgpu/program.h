// Loaded programs: compute pipelines for each entry point.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/webgpu/context.h"
#include "kit/owned_table.h"
#include "pintle/backend/driver.h"
#include "spirv/kernel.h"

namespace pintle::webgpu {

/// A pipeline and the groups that it binds, by number.
struct Pipeline {
  std::vector<Owned<wg::BindGroupLayout>> groups;
  Owned<wg::PipelineLayout> layout;
  Owned<wg::ComputePipeline> pipeline;
};

/// A value that an entry point's pipeline fixes.
struct PipelineConstant {
  std::string key;
  double value = 0;
};

/// One entry point. WebGPU refuses a launch in which one buffer is bound for reading and for writing, so that there is
/// a second pipeline, made when it is first needed, which binds every storage buffer for writing.
class Kernel : public spirv::KernelInterface {
 public:
  std::string text;  ///< "Entry "x" of [Program "y"]".
  std::string entry_point;
  std::vector<PipelineConstant> constants;
  std::vector<bool> is_read_only;  ///< By descriptor: a storage buffer that the code only reads.

  /// The caller has a Catch: failures come there.
  [[nodiscard]] Result<const Pipeline*> pipeline(const Context& context, bool writes_all);

 private:
  friend class Program;
  [[nodiscard]] Result<void> build(const Context& context, bool writes_all, Pipeline& made) const;
  [[nodiscard]] Result<void> create_groups(const Context& context, bool writes_all, Pipeline& made) const;

  std::shared_ptr<const Owned<wg::ShaderModule>> module_;
  std::string writing_text_;  // WGSL of which the second module is made
  Pipeline plain_;
  Pipeline writing_;
};

/// A ProgramId is its address.
class Program {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Program>> load(Context& context, const backend::ProgramImage& image);
  [[nodiscard]] Kernel& kernel(std::uint32_t entry) noexcept { return kernels_[entry]; }

 private:
  using Module = std::shared_ptr<const Owned<wg::ShaderModule>>;

  [[nodiscard]] Result<void> load_wgsl(Context& context, const backend::ProgramImage& image);
  [[nodiscard]] Result<void> load_spirv(Context& context, const backend::ProgramImage& image);
  [[nodiscard]] Result<void> check_subgroups(const Context& context, const backend::ProgramImage& image);
  [[nodiscard]] Result<void> build(Context& context);

  std::vector<Kernel> kernels_;  // in the order of the image's entries
};

using Programs = kit::OwnedTable<backend::ProgramId, Program>;

}  // namespace pintle::webgpu
