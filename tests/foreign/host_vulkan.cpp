// An independent host for shaders: a module on a Vulkan driver, without any of Pintle. tests/foreign/kernels.py runs it
// in a child process.
//   host_vulkan DEVICE MODULE.spv PLANS FOLDER    prints {"index": 0, "ran": true} or {"index": 0, "refused": "why"}
//   for each plan
// What the validation layer says of a module is why the driver cannot run it.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "host_vulkan_images.h"
#include "plans.h"

using namespace pintle::foreign;
using Json = nlohmann::json;

namespace {

/// The buffer or the image of each argument that is one.
struct Memories {
  std::vector<Mapped> buffers;
  std::vector<Imaged> images;
};

Memories memories_of(const Driver& driver, const Json& plan) {
  const std::size_t count = plan.at("arguments").size();
  Memories made{std::vector<Mapped>(count), std::vector<Imaged>(count)};
  const auto bytes = [&](std::size_t at) { return read_file(plan["arguments"][at]); };
  for (std::size_t i = 0; i < count; ++i)
    if (plan["kinds"][i] == "buffer") made.buffers[i] = buffer_of(driver, bytes(i));
    else if (const Json& of = plan["images"][i]; !of.is_null())
      made.images[i] = image_of(driver, of, of.at("sampled"), bytes(i));
  return made;
}

/// One module as the plan binds it: {"bindings": [[set, binding, element, what, argument], ...],
/// "constants": [[id, value], ...]}, where `what` is storage, uniform, image or sampled.
class Pipeline {
 public:
  Pipeline(const Driver& driver, const std::vector<char>& code, const Json& plan) : driver_(driver) {
    for (const Json& one : plan.at("bindings")) {
      const std::size_t set = one[0];
      sets_.resize(std::max(sets_.size(), set + 1));
      auto& bindings = sets_[set];
      const auto is_same = [&](const VkDescriptorSetLayoutBinding& other) { return other.binding == one[1]; };
      if (const auto at = std::ranges::find_if(bindings, is_same); at != bindings.end()) {
        at->descriptorCount = std::max<std::uint32_t>(at->descriptorCount, one[2].get<std::uint32_t>() + 1);
        continue;
      }
      bindings.push_back({one[1], type_of(one), one[2].get<std::uint32_t>() + 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
    }
    make_layout(plan.value("push_size", 0U));
    make_pipeline(code, plan.at("entry"), plan.at("constants"));
    allocate_sets();
  }

  void bind(const Json& plan, const Memories& memories) {
    for (const Json& one : plan.at("bindings")) {
      const VkDescriptorBufferInfo of_buffer{memories.buffers.at(one[4]).buffer, 0, VK_WHOLE_SIZE};
      const Imaged& image = memories.images.at(one[4]);
      const VkDescriptorImageInfo of_image{image.sampler, image.view, VK_IMAGE_LAYOUT_GENERAL};
      const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                       .dstSet = descriptors_.at(one[0]),
                                       .dstBinding = one[1],
                                       .dstArrayElement = one[2],
                                       .descriptorCount = 1,
                                       .descriptorType = type_of(one),
                                       .pImageInfo = &of_image,
                                       .pBufferInfo = &of_buffer};
      vkUpdateDescriptorSets(driver_.device, 1, &write, 0, nullptr);
    }
  }

  void run(const std::vector<std::uint32_t>& groups, const std::vector<char>& pushed, const Memories& memories) {
    const VkCommandBufferAllocateInfo of_commands{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                  .commandPool = driver_.pool,
                                                  .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                  .commandBufferCount = 1};
    VkCommandBuffer commands{};
    CHECKED(vkAllocateCommandBuffers(driver_.device, &of_commands, &commands));
    const VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    CHECKED(vkBeginCommandBuffer(commands, &begin));
    for (const Imaged& one : memories.images)
      if (one.image) fill(commands, one);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
    if (!descriptors_.empty())
      vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0,
                              static_cast<std::uint32_t>(descriptors_.size()), descriptors_.data(), 0, nullptr);
    if (!pushed.empty())
      vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, static_cast<std::uint32_t>(pushed.size()),
                         pushed.data());
    vkCmdDispatch(commands, groups.at(0), groups.at(1), groups.at(2));
    for (const Imaged& one : memories.images)
      if (one.image) fetch(commands, one);
    CHECKED(vkEndCommandBuffer(commands));
    const VkSubmitInfo submit{
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    CHECKED(vkQueueSubmit(driver_.queue, 1, &submit, VK_NULL_HANDLE));
    CHECKED(vkQueueWaitIdle(driver_.queue));
  }

 private:
  static VkDescriptorType type_of(const Json& one) {
    if (one[3] == "uniform") return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
    if (one[3] == "image") return VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    if (one[3] == "sampled") return VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  }

  void make_layout(std::uint32_t push_size) {
    layouts_.resize(sets_.size());
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      const VkDescriptorSetLayoutCreateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                 .bindingCount = static_cast<std::uint32_t>(sets_[i].size()),
                                                 .pBindings = sets_[i].data()};
      CHECKED(vkCreateDescriptorSetLayout(driver_.device, &info, nullptr, &layouts_[i]));
    }
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, push_size};
    const VkPipelineLayoutCreateInfo info{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                          .setLayoutCount = static_cast<std::uint32_t>(layouts_.size()),
                                          .pSetLayouts = layouts_.data(),
                                          .pushConstantRangeCount = push_size ? 1U : 0U,
                                          .pPushConstantRanges = &range};
    CHECKED(vkCreatePipelineLayout(driver_.device, &info, nullptr, &layout_));
  }

  void make_pipeline(const std::vector<char>& code, const std::string& entry, const Json& constants) {
    std::vector<std::uint32_t> words(code.size() / 4);
    std::memcpy(words.data(), code.data(), words.size() * 4);
    const VkShaderModuleCreateInfo of_module{
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = words.size() * 4, .pCode = words.data()};
    VkShaderModule module{};
    CHECKED(vkCreateShaderModule(driver_.device, &of_module, nullptr, &module));
    if (!complaint.empty()) throw std::runtime_error(complaint);
    std::vector<VkSpecializationMapEntry> places;
    std::vector<std::uint32_t> values;
    for (const Json& one : constants) {
      places.push_back(
          {one[0], static_cast<std::uint32_t>(values.size() * sizeof(std::uint32_t)), sizeof(std::uint32_t)});
      values.push_back(one[1]);
    }
    const VkSpecializationInfo special{static_cast<std::uint32_t>(places.size()), places.data(),
                                       values.size() * sizeof(std::uint32_t), values.data()};
    VkComputePipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = entry.c_str(),
                  .pSpecializationInfo = &special};
    info.layout = layout_;
    CHECKED(vkCreateComputePipelines(driver_.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_));
    if (!complaint.empty()) throw std::runtime_error(complaint);
  }

  void allocate_sets() {
    const std::vector<VkDescriptorPoolSize> sizes{{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 256},
                                                  {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 64},
                                                  {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 64},
                                                  {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 64}};
    const VkDescriptorPoolCreateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                          .maxSets = 16,
                                          .poolSizeCount = static_cast<std::uint32_t>(sizes.size()),
                                          .pPoolSizes = sizes.data()};
    VkDescriptorPool pool{};
    CHECKED(vkCreateDescriptorPool(driver_.device, &info, nullptr, &pool));
    descriptors_.resize(layouts_.size());
    const VkDescriptorSetAllocateInfo of_sets{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                              .descriptorPool = pool,
                                              .descriptorSetCount = static_cast<std::uint32_t>(layouts_.size()),
                                              .pSetLayouts = layouts_.data()};
    if (!layouts_.empty()) CHECKED(vkAllocateDescriptorSets(driver_.device, &of_sets, descriptors_.data()));
  }

  const Driver& driver_;
  std::vector<std::vector<VkDescriptorSetLayoutBinding>> sets_;
  std::vector<VkDescriptorSetLayout> layouts_;
  std::vector<VkDescriptorSet> descriptors_;
  VkPipelineLayout layout_{};
  VkPipeline pipeline_{};
};

/// The push constants: {"push": [[offset, argument], ...], "push_size": bytes}.
std::vector<char> pushed_of(const Json& plan) {
  std::vector<char> pushed(plan.value("push_size", 0U));
  for (const Json& one : plan.at("push")) {
    const std::vector<char> bytes = read_file(plan.at("arguments").at(one[1].get<std::size_t>()));
    const std::size_t offset = one[0];
    std::copy_n(bytes.begin(), std::min(bytes.size(), pushed.size() - offset),
                pushed.begin() + static_cast<std::ptrdiff_t>(offset));
  }
  return pushed;
}

void run(const Driver& driver, const std::vector<char>& code, const Json& plan, const std::string& prefix) {
  Pipeline pipeline(driver, code, plan);
  const Memories memories = memories_of(driver, plan);
  pipeline.bind(plan, memories);
  pipeline.run(plan.at("groups").get<std::vector<std::uint32_t>>(), pushed_of(plan), memories);
  for (std::size_t i = 0; i < memories.buffers.size(); ++i) {
    const Mapped& held = memories.images[i].image ? memories.images[i].texels : memories.buffers[i];
    if (held.bytes)
      std::ofstream(prefix + std::to_string(i), std::ios::binary)
          .write(held.bytes, static_cast<std::streamsize>(held.size));
  }
  if (!complaint.empty()) throw std::runtime_error(complaint);
}

}  // namespace

int main(int count, char** words) try {
  if (count != 5) return std::fputs("host_vulkan DEVICE MODULE.spv PLANS FOLDER\n", stderr), 2;
  const Driver driver(words[1]);
  const std::vector<char> code = read_file(words[2]);
  pintle::foreign::run_plans(words[3], words[4], [&](const Json& plan, const std::string& prefix) {
    complaint.clear();
    run(driver, code, plan, prefix);
  });
  return 0;
} catch (const std::exception& error) {
  return std::fputs(error.what(), stderr), 1;
}
