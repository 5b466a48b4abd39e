// An independent host for shaders: a module on a Vulkan driver, without any of Pintle. tests/foreign/kernels.py runs it
// in a child process.
//   host_vulkan DEVICE MODULE.spv PLANS FOLDER    prints {"index": 0, "ran": true} or {"index": 0, "refused": "why"}
//   for each plan
// What the validation layer says of a module is why the driver cannot run it.
#include <vulkan/vulkan.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "plans.h"

using Json = nlohmann::json;

namespace {

std::string complaint;  // the first error of the validation layer

void check(VkResult result, const char* what) {
  if (result != VK_SUCCESS) throw std::runtime_error(std::string(what) + " returned " + std::to_string(result));
}
#define CHECKED(call) check(call, #call)

VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                          const VkDebugUtilsMessengerCallbackDataEXT* data, void*) {
  if (complaint.empty()) complaint = data->pMessage;
  return VK_FALSE;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return text;
}

std::vector<char> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("There is no file " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// An instance and a device with every feature that shaders use and the driver has.
struct Driver {
  VkInstance instance{};
  VkPhysicalDevice physical{};
  VkDevice device{};
  VkQueue queue{};
  VkCommandPool pool{};
  std::uint32_t memory_type = 0;

  explicit Driver(const std::string& name) {
    make_instance();
    choose(name);
    make_device();
    choose_memory();
  }

 private:
  void make_instance() {
    VkDebugUtilsMessengerCreateInfoEXT messenger{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
    messenger.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
    messenger.pfnUserCallback = on_message;
    const VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
    std::uint32_t count = 0;
    vkEnumerateInstanceLayerProperties(&count, nullptr);
    std::vector<VkLayerProperties> layers(count);
    vkEnumerateInstanceLayerProperties(&count, layers.data());
    const char* layer = "VK_LAYER_KHRONOS_validation";
    const bool has_layer =
        std::ranges::any_of(layers, [&](const VkLayerProperties& one) { return !std::strcmp(one.layerName, layer); });
    const char* extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    VkInstanceCreateInfo info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    if (has_layer) {
      info.pNext = &messenger;
      info.enabledLayerCount = info.enabledExtensionCount = 1;
      info.ppEnabledLayerNames = &layer;
      info.ppEnabledExtensionNames = &extension;
    }
    CHECKED(vkCreateInstance(&info, nullptr, &instance));
    if (!has_layer) return;
    auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
        vkGetInstanceProcAddr(instance, "vkCreateDebugUtilsMessengerEXT"));
    VkDebugUtilsMessengerEXT kept{};
    CHECKED(create(instance, &messenger, nullptr, &kept));
  }

  void choose(const std::string& name) {
    std::uint32_t count = 0;
    CHECKED(vkEnumeratePhysicalDevices(instance, &count, nullptr));
    std::vector<VkPhysicalDevice> found(count);
    CHECKED(vkEnumeratePhysicalDevices(instance, &count, found.data()));
    for (VkPhysicalDevice one : found) {
      VkPhysicalDeviceProperties properties;
      vkGetPhysicalDeviceProperties(one, &properties);
      if (lower(properties.deviceName).find(lower(name)) != std::string::npos) physical = one;
    }
    if (!physical) throw std::runtime_error("There is no Vulkan device " + name);
  }

  [[nodiscard]] std::vector<const char*> extensions() const {
    std::uint32_t count = 0;
    vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr);
    std::vector<VkExtensionProperties> found(count);
    vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, found.data());
    std::vector<const char*> wanted;
    for (const char* one : {VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME, VK_KHR_SHADER_CLOCK_EXTENSION_NAME,
                            VK_KHR_SHADER_NON_SEMANTIC_INFO_EXTENSION_NAME})
      if (std::ranges::any_of(found, [&](const auto& has) { return !std::strcmp(has.extensionName, one); }))
        wanted.push_back(one);
    return wanted;
  }

  void make_device() {
    const std::vector<const char*> wanted = extensions();
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT floats{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT};
    VkPhysicalDeviceVulkan13Features third{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    VkPhysicalDeviceVulkan12Features second{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                            .pNext = &third};
    VkPhysicalDeviceVulkan11Features first{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                           .pNext = &second};
    VkPhysicalDeviceFeatures2 features{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &first};
    if (std::ranges::any_of(
            wanted, [](const char* one) { return !std::strcmp(one, VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME); }))
      third.pNext = &floats;
    vkGetPhysicalDeviceFeatures2(physical, &features);
    const float priority = 1;
    const VkDeviceQueueCreateInfo queues{
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                  .pNext = &features,
                                  .queueCreateInfoCount = 1,
                                  .pQueueCreateInfos = &queues,
                                  .enabledExtensionCount = static_cast<std::uint32_t>(wanted.size()),
                                  .ppEnabledExtensionNames = wanted.data()};
    CHECKED(vkCreateDevice(physical, &info, nullptr, &device));
    vkGetDeviceQueue(device, 0, 0, &queue);
    const VkCommandPoolCreateInfo of_pool{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    CHECKED(vkCreateCommandPool(device, &of_pool, nullptr, &pool));
  }

  void choose_memory() {
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(physical, &memory);
    const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i)
      if ((memory.memoryTypes[i].propertyFlags & wanted) == wanted) memory_type = i;
  }
};

struct Mapped {
  VkBuffer buffer{};
  char* bytes = nullptr;
  std::size_t size = 0;
};

Mapped buffer_of(const Driver& driver, const std::vector<char>& bytes) {
  Mapped made;
  made.size = bytes.size();
  const VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                .size = bytes.size(),
                                .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT};
  CHECKED(vkCreateBuffer(driver.device, &info, nullptr, &made.buffer));
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(driver.device, made.buffer, &needs);
  const VkMemoryAllocateInfo of_memory{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .allocationSize = needs.size,
                                       .memoryTypeIndex = driver.memory_type};
  VkDeviceMemory memory{};
  CHECKED(vkAllocateMemory(driver.device, &of_memory, nullptr, &memory));
  CHECKED(vkBindBufferMemory(driver.device, made.buffer, memory, 0));
  void* address = nullptr;
  CHECKED(vkMapMemory(driver.device, memory, 0, VK_WHOLE_SIZE, 0, &address));
  made.bytes = static_cast<char*>(address);
  std::memcpy(made.bytes, bytes.data(), bytes.size());
  return made;
}

/// One module as the plan binds it: {"bindings": [[set, binding, element, "storage" or "uniform", argument], ...],
/// "constants": [[id, value], ...]}.
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

  void bind(const Json& plan, const std::vector<Mapped>& buffers) {
    for (const Json& one : plan.at("bindings")) {
      const Mapped& buffer = buffers.at(one[4]);
      const VkDescriptorBufferInfo info{buffer.buffer, 0, VK_WHOLE_SIZE};
      const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                       .dstSet = descriptors_.at(one[0]),
                                       .dstBinding = one[1],
                                       .dstArrayElement = one[2],
                                       .descriptorCount = 1,
                                       .descriptorType = type_of(one),
                                       .pBufferInfo = &info};
      vkUpdateDescriptorSets(driver_.device, 1, &write, 0, nullptr);
    }
  }

  void run(const std::vector<std::uint32_t>& groups, const std::vector<char>& pushed) {
    const VkCommandBufferAllocateInfo of_commands{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                  .commandPool = driver_.pool,
                                                  .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                  .commandBufferCount = 1};
    VkCommandBuffer commands{};
    CHECKED(vkAllocateCommandBuffers(driver_.device, &of_commands, &commands));
    const VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    CHECKED(vkBeginCommandBuffer(commands, &begin));
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
    if (!descriptors_.empty())
      vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0,
                              static_cast<std::uint32_t>(descriptors_.size()), descriptors_.data(), 0, nullptr);
    if (!pushed.empty())
      vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, static_cast<std::uint32_t>(pushed.size()),
                         pushed.data());
    vkCmdDispatch(commands, groups.at(0), groups.at(1), groups.at(2));
    CHECKED(vkEndCommandBuffer(commands));
    const VkSubmitInfo submit{
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    CHECKED(vkQueueSubmit(driver_.queue, 1, &submit, VK_NULL_HANDLE));
    CHECKED(vkQueueWaitIdle(driver_.queue));
  }

 private:
  static VkDescriptorType type_of(const Json& one) {
    return one[3] == "uniform" ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
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
                                                  {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 64}};
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
  std::vector<Mapped> buffers(plan.at("arguments").size());
  for (std::size_t i = 0; i < buffers.size(); ++i)
    if (plan["kinds"][i] == "buffer") buffers[i] = buffer_of(driver, read_file(plan["arguments"][i]));
  pipeline.bind(plan, buffers);
  pipeline.run(plan.at("groups").get<std::vector<std::uint32_t>>(), pushed_of(plan));
  for (std::size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].bytes)
      std::ofstream(prefix + std::to_string(i), std::ios::binary)
          .write(buffers[i].bytes, static_cast<std::streamsize>(buffers[i].size));
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
