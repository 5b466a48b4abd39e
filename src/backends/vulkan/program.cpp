#include "backends/vulkan/program.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/vulkan/glsl.h"
#include "base/file.h"
#include "base/quote.h"
#include "kit/code_cache.h"
#include "kit/left_out.h"
#include "kit/no_source.h"
#include "spirv/descriptors.h"
#include "spirv/glsl_source.h"

namespace pintle::vulkan {

using spirv::KernelCode;
using spirv::ScalarSource;

namespace {

/// What compiled pipelines depend on.
base::Digest key_of(const Context& context, std::span<const KernelCode> parts) {
  std::string all = "pipelines " + context.physical().driver_identity();
  for (const KernelCode& part : parts) {
    all += fmt::format("\n{} {} ", part.entry_point, part.code.size());
    all += base::text_in(part.code);
    for (const auto& value : part.specialization.values)
      all += fmt::format(" {}:{}+{}", value.spec_id, value.offset, value.size);
    all += base::text_in(part.specialization.data);
    all += fmt::format(" subgroup {}", part.subgroup_size);
  }
  return base::sha256(base::bytes_in(all));
}

/// A driver's objects that live for one call.
template <class Handle>
class Scoped {
 public:
  using Destroy = void(VKAPI_PTR*)(VkDevice, Handle, const VkAllocationCallbacks*);
  Scoped(VkDevice device, Destroy destroy) noexcept : device_(device), destroy_(destroy) {}
  Scoped(const Scoped&) = delete;
  Scoped& operator=(const Scoped&) = delete;
  ~Scoped() {
    if (handle != VK_NULL_HANDLE) destroy_(device_, handle, nullptr);
  }
  Handle handle = VK_NULL_HANDLE;

 private:
  VkDevice device_;
  Destroy destroy_;
};

bool is_no_buffer(spirv::DescriptorKind kind) noexcept {
  using enum spirv::DescriptorKind;
  return kind == storage_image || kind == sampled_image || kind == sampler || kind == combined;
}

spirv::KernelLimits limits_of(const Physical& physical) {
  const VkPhysicalDeviceLimits& limits = physical.properties.limits;
  return {
      .push_bytes = limits.maxPushConstantsSize,
      .shared_bytes = limits.maxComputeSharedMemorySize,
      .uniform_bytes = limits.maxUniformBufferRange,
      .storage_buffers = std::min(limits.maxPerStageDescriptorStorageBuffers, limits.maxDescriptorSetStorageBuffers),
      .uniform_blocks = std::min(limits.maxPerStageDescriptorUniformBuffers, limits.maxDescriptorSetUniformBuffers),
      .storage_images = std::min(limits.maxPerStageDescriptorStorageImages, limits.maxDescriptorSetStorageImages),
      .sampled_images = std::min(limits.maxPerStageDescriptorSampledImages, limits.maxDescriptorSetSampledImages),
      .samplers = std::min(limits.maxPerStageDescriptorSamplers, limits.maxDescriptorSetSamplers),
      .resources = limits.maxPerStageResources,
      .sets = std::min(limits.maxBoundDescriptorSets, most_sets),
      .bindings = most_bindings};
}

/// The code of each entry of the image, checked against what is declared.
Result<std::vector<KernelCode>> read_image(const Physical& physical, const backend::ProgramImage& image) {
  const vendor::vulkan::Abilities abilities = physical.abilities();
  const auto check = [&](const spirv::Module& module) {
    return vendor::vulkan::check_spirv(abilities, module.version, module.capabilities, module.extensions);
  };
  spirv::KernelMatcher matcher(image, limits_of(physical), check, [&](const std::string& entry, std::string reason) {
    return kit::leave_out(image, entry, std::move(reason));
  });
  if (image.format == "spirv") {
    PINTLE_TRY(kit::refuse_source_options(image));
    PINTLE_TRY(matcher.add(image.code, image.entries));
  } else if (image.format == "glsl") {
    for (const Entry& entry : image.entries) {
      const auto code = compile_glsl(image, entry);
      if (!code && !spirv::lacks_main(code.error())) return code.error();
      PINTLE_TRY(code ? matcher.add(*code, std::span(&entry, 1)) : matcher.add_missing(entry, code.error()));
    }
  } else {
    return Error(Errc::unsupported,
                 fmt::format("Format {} of [Program {}] is none of the vulkan backend's (spirv, glsl).",
                             base::quote(image.format), base::quote(image.name)));
  }
  return matcher.finish();
}

/// A view that is a uniform block begins where the device lets one begin.
void ask_alignments(std::uint32_t bytes, std::span<const KernelCode> parts, const backend::ProgramImage& image) {
  if (image.alignments == nullptr) return;
  for (std::uint32_t entry = 0; entry < parts.size(); ++entry) {
    if (parts[entry].code.empty()) continue;
    std::size_t bound = 0;
    const auto& parameters = image.entries[entry].parameters;
    for (std::uint32_t index = 0; index < parameters.size(); ++index) {
      if (!spirv::is_bound(parameters[index])) continue;
      const bool is_uniform = parts[entry].interface.descriptors[bound++].kind == spirv::DescriptorKind::uniform_block;
      if (is_uniform) image.alignments->push_back({entry, index, bytes});
    }
  }
}

}  // namespace

VkDescriptorType type_of(spirv::DescriptorKind kind) noexcept {
  switch (kind) {
    case spirv::DescriptorKind::uniform_block: return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
    case spirv::DescriptorKind::storage_image: return VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    case spirv::DescriptorKind::sampled_image: return VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
    case spirv::DescriptorKind::sampler: return VK_DESCRIPTOR_TYPE_SAMPLER;
    case spirv::DescriptorKind::combined: return VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    case spirv::DescriptorKind::fetched_texels: return VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
    case spirv::DescriptorKind::stored_texels: return VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
    default: return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  }
}

LayoutTable::~LayoutTable() {
  for (const auto& [key, layout] : layouts_) {
    context_.vk.DestroyPipelineLayout(context_.device(), layout.pipeline, nullptr);
    for (const VkDescriptorSetLayout set : layout.sets)
      context_.vk.DestroyDescriptorSetLayout(context_.device(), set, nullptr);
  }
}

Result<const Layout*> LayoutTable::of(const spirv::KernelInterface& interface) {
  const Key key{interface.descriptors, interface.scalar_source, interface.scalar_block, interface.scalar_bytes};
  const std::lock_guard lock(mutex_);
  Layout& layout = layouts_[key];
  if (layout.pipeline == VK_NULL_HANDLE) PINTLE_TRY(create(interface, layout));
  return &layout;
}

/// Push descriptors serve one set. What is made stays where the next step fails, for the next try.
Result<void> LayoutTable::create(const spirv::KernelInterface& interface, Layout& layout) {
  std::map<std::uint32_t, Bindings> sets;
  const auto add = [&](const spirv::Descriptor& place) {
    Bindings& bindings = sets[place.set];
    const bool is_element = !bindings.empty() && bindings.back().binding == place.binding;
    if (is_element) ++bindings.back().descriptorCount;
    else bindings.push_back({place.binding, type_of(place.kind), 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
  };
  std::ranges::for_each(interface.descriptors, add);
  if (interface.scalar_source == ScalarSource::uniform) add(interface.scalar_block);
  const bool has_arrays = std::ranges::any_of(interface.descriptors, &spirv::Descriptor::element);
  layout.is_pushed = context_.vk.CmdPushDescriptorSetKHR != nullptr && sets.size() == 1 && !has_arrays &&
                     sets.begin()->second.size() <= context_.physical().max_push_descriptors;
  layout.used.clear();
  for (const auto& [number, bindings] : sets) layout.used.push_back(number);
  const std::size_t count = sets.empty() ? 1 : sets.rbegin()->first + std::size_t{1};
  for (auto number = static_cast<std::uint32_t>(layout.sets.size()); number < count; ++number) {
    VkDescriptorSetLayout set = VK_NULL_HANDLE;
    layout.sets.reserve(count);
    PINTLE_TRY(create_set(sets[number], layout.is_pushed && layout.used[0] == number, set));
    layout.sets.push_back(set);
  }
  const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, interface.scalar_bytes};
  VkPipelineLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = static_cast<std::uint32_t>(layout.sets.size());
  info.pSetLayouts = layout.sets.data();
  info.pushConstantRangeCount = interface.scalar_source == ScalarSource::push ? 1 : 0;
  info.pPushConstantRanges = &range;
  return context_.check(context_.vk.CreatePipelineLayout(context_.device(), &info, nullptr, &layout.pipeline),
                        "vkCreatePipelineLayout");
}

Result<void> LayoutTable::create_set(const Bindings& bindings, bool is_pushed, VkDescriptorSetLayout& set) {
  VkDescriptorSetLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  if (is_pushed) info.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR;
  info.bindingCount = static_cast<std::uint32_t>(bindings.size());
  info.pBindings = bindings.data();
  return context_.check(context_.vk.CreateDescriptorSetLayout(context_.device(), &info, nullptr, &set),
                        "vkCreateDescriptorSetLayout");
}

Program::~Program() {
  for (const Kernel& kernel : kernels_) context_.vk.DestroyPipeline(context_.device(), kernel.pipeline, nullptr);
}

Result<void> Program::build(LayoutTable& layouts, std::span<const KernelCode> parts) {
  for (const KernelCode& part : parts) {
    kernels_.emplace_back();  // of an entry that is left out: nobody launches it
    if (part.code.empty()) continue;
    PINTLE_ASSIGN(layout, layouts.of(part.interface));
    const bool has_images = std::ranges::any_of(part.interface.descriptors, is_no_buffer, &spirv::Descriptor::kind);
    kernels_.back() = {part.interface, VK_NULL_HANDLE, layout, has_images};
  }
  bool is_built = false;
  PINTLE_ASSIGN(cache, kit::CodeCache::of_settings());
  PINTLE_ASSIGN(data,
                cache.obtain_bytes(key_of(context_, parts), ".pipelines", [&]() -> Result<std::vector<std::byte>> {
                  std::vector<std::byte> compiled;
                  PINTLE_TRY(build_all(parts, {}, &compiled));
                  is_built = true;
                  return compiled;
                }));
  return is_built ? Result<void>() : build_all(parts, data, nullptr);
}

/// `cached` is what vkGetPipelineCacheData once returned; the driver checks it.
Result<void> Program::build_all(std::span<const KernelCode> parts, std::span<const std::byte> cached,
                                std::vector<std::byte>* compiled) {
  const DeviceFunctions& vk = context_.vk;
  Scoped<VkPipelineCache> cache(context_.device(), vk.DestroyPipelineCache);
  const VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, nullptr, 0, cached.size(),
                                       cached.data()};
  PINTLE_TRY(context_.check(vk.CreatePipelineCache(context_.device(), &info, nullptr, &cache.handle),
                            "vkCreatePipelineCache"));
  for (std::size_t index = 0; index < parts.size(); ++index) {
    if (parts[index].code.empty()) continue;
    PINTLE_ASSIGN(pipeline, build_one(parts[index], kernels_[index], cache.handle));
    kernels_[index].pipeline = pipeline;
  }
  if (compiled == nullptr) return {};
  std::size_t size = 0;
  PINTLE_TRY(context_.check(vk.GetPipelineCacheData(context_.device(), cache.handle, &size, nullptr),
                            "vkGetPipelineCacheData"));
  compiled->resize(size);
  return context_.check(vk.GetPipelineCacheData(context_.device(), cache.handle, &size, compiled->data()),
                        "vkGetPipelineCacheData");
}

Result<VkPipeline> Program::build_one(const KernelCode& part, const Kernel& kernel, VkPipelineCache cache) const {
  const DeviceFunctions& vk = context_.vk;
  std::vector<std::uint32_t> words(part.code.size() / sizeof(std::uint32_t));
  std::ranges::copy(part.code, std::as_writable_bytes(std::span(words)).begin());
  Scoped<VkShaderModule> module(context_.device(), vk.DestroyShaderModule);
  const VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, part.code.size(),
                                      words.data()};
  std::vector<VkSpecializationMapEntry> entries;
  for (const auto& value : part.specialization.values) entries.push_back({value.spec_id, value.offset, value.size});
  const VkSpecializationInfo constants{static_cast<std::uint32_t>(entries.size()), entries.data(),
                                       part.specialization.data.size(), part.specialization.data.data()};
  VkResult answer = vk.CreateShaderModule(context_.device(), &code, nullptr, &module.handle);
  VkPipeline pipeline = VK_NULL_HANDLE;
  if (answer == VK_SUCCESS) {
    VkComputePipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module.handle;
    info.stage.pName = part.entry_point.c_str();
    info.stage.pSpecializationInfo = constants.mapEntryCount != 0 ? &constants : nullptr;
    info.layout = kernel.layout->pipeline;
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup{
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, nullptr, part.subgroup_size};
    if (context_.physical().requires_subgroups && part.subgroup_size != 0) {
      info.stage.pNext = &subgroup;
      const bool is_full = context_.physical().features.version_1_3.computeFullSubgroups == VK_TRUE;
      if (is_full && part.group_x % part.subgroup_size == 0)
        info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
    }
    answer = vk.CreateComputePipelines(context_.device(), cache, 1, &info, nullptr, &pipeline);
  }
  if (const auto built = context_.check(answer, "vkCreateComputePipelines"); !built) {
    if (built.error().code() != Errc::internal) return built.error().during("building " + part.text);
    return Error(Errc::build_failed, fmt::format("{} is refused by the driver: {}", part.text, built.error().message()))
        .with_vendor(*built.error().vendor());
  }
  return pipeline;
}

Result<backend::ProgramId> ProgramTable::load(const backend::ProgramImage& image) {
  PINTLE_ASSIGN(parts, read_image(context_.physical(), image));
  const VkDeviceSize uniform = context_.physical().properties.limits.minUniformBufferOffsetAlignment;
  ask_alignments(static_cast<std::uint32_t>(uniform), parts, image);
  auto program = std::make_unique<Program>(context_);
  PINTLE_TRY(program->build(layouts_, parts));
  return programs_.add(std::move(program));
}

}  // namespace pintle::vulkan
