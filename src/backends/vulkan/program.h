// Loaded programs: a compute pipeline for each entry point.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "backends/vulkan/context.h"
#include "kit/owned_table.h"
#include "pintle/backend/driver.h"
#include "spirv/kernel.h"

namespace pintle::vulkan {

/// Shared by kernels with the same interface.
struct Layout {
  std::vector<VkDescriptorSetLayout> sets;  // by number
  std::vector<std::uint32_t> used;          // the numbers of those that are not empty
  bool is_pushed = false;  // one set, by commands; lavapipe reads zeros through pushed arrays, so never with one
  VkPipelineLayout pipeline = VK_NULL_HANDLE;
};

/// Thread-safe. Layouts live as long as the device.
class LayoutTable {
 public:
  explicit LayoutTable(Context& context) noexcept : context_(context) {}
  LayoutTable(const LayoutTable&) = delete;
  LayoutTable& operator=(const LayoutTable&) = delete;
  ~LayoutTable();
  [[nodiscard]] Result<const Layout*> of(const spirv::KernelInterface& interface);

 private:
  using Key = std::tuple<std::vector<spirv::Descriptor>, spirv::ScalarSource, spirv::Descriptor, std::uint32_t>;
  using Bindings = std::vector<VkDescriptorSetLayoutBinding>;
  [[nodiscard]] Result<void> create(const spirv::KernelInterface& interface, Layout& layout);
  [[nodiscard]] Result<void> create_set(const Bindings& bindings, bool is_pushed, VkDescriptorSetLayout& set);

  Context& context_;
  std::mutex mutex_;
  std::map<Key, Layout> layouts_;
};

/// How Vulkan calls that kind.
[[nodiscard]] VkDescriptorType type_of(spirv::DescriptorKind kind) noexcept;

struct Kernel : spirv::KernelInterface {
  VkPipeline pipeline = VK_NULL_HANDLE;
  const Layout* layout = nullptr;
  bool has_images = false;  // or samplers
};

/// A ProgramId is its address.
class Program {
 public:
  explicit Program(Context& context) noexcept : context_(context) {}
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  [[nodiscard]] const Kernel& kernel(std::uint32_t entry) const noexcept { return kernels_[entry]; }
  /// Makes the pipelines of `parts`, through the cache of compiled code.
  [[nodiscard]] Result<void> build(LayoutTable& layouts, std::span<const spirv::KernelCode> parts);

 private:
  [[nodiscard]] Result<void> build_all(std::span<const spirv::KernelCode> parts, std::span<const std::byte> cached,
                                       std::vector<std::byte>* compiled);
  [[nodiscard]] Result<VkPipeline> build_one(const spirv::KernelCode& part, const Kernel& kernel,
                                             VkPipelineCache cache) const;

  Context& context_;
  std::vector<Kernel> kernels_;  // in the order of the image's entries
};

using Programs = kit::OwnedTable<backend::ProgramId, Program>;

/// Thread-safe.
class ProgramTable {
 public:
  explicit ProgramTable(Context& context) : context_(context), layouts_(context) {}
  [[nodiscard]] Result<backend::ProgramId> load(const backend::ProgramImage& image);
  void unload(backend::ProgramId program) noexcept { programs_.remove(program); }

 private:
  Context& context_;
  LayoutTable layouts_;
  Programs programs_;
};

}  // namespace pintle::vulkan
