/* A VkDevice, a VkQueue and a VkBuffer of the program's own, under Pintle's device, queue and buffer: on every physical
 * device. */
#include <string.h>
#include <vulkan/vulkan_core.h>

#include "pintle/c/load.h"
#include "pintle/c/native.h"
#include "vendors/kernel.h"

enum { most_devices = 16, bytes = word_count * sizeof(uint32_t) };

static const float priority = 1;

/* The structs stay where they are: Pintle reads them when it wraps the device. */
typedef struct made {
  VkInstance instance;
  VkPhysicalDevice physical;
  VkPhysicalDeviceVulkan12Features features;
  VkDeviceQueueCreateInfo queues;
  VkDeviceCreateInfo info;
  VkDevice device;
  VkQueue queue;
  VkBuffer buffer;
  VkDeviceMemory memory;
} made;

static void make_device(made* its) {
  its->features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  its->features.timelineSemaphore = VK_TRUE;
  its->queues.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  its->queues.queueCount = 1;
  its->queues.pQueuePriorities = &priority;
  its->info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  its->info.pNext = &its->features;
  its->info.queueCreateInfoCount = 1;
  its->info.pQueueCreateInfos = &its->queues;
  CHECK(vkCreateDevice(its->physical, &its->info, NULL, &its->device) == VK_SUCCESS);
  vkGetDeviceQueue(its->device, 0, 0, &its->queue);
}

/* The number of memory that the host sees. */
static uint32_t host_type(VkPhysicalDevice physical, uint32_t types) {
  const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkPhysicalDeviceMemoryProperties all;
  vkGetPhysicalDeviceMemoryProperties(physical, &all);
  for (uint32_t i = 0; i < all.memoryTypeCount; ++i) {
    if ((all.memoryTypes[i].propertyFlags & wanted) == wanted && (types & (1u << i)) != 0) return i;
  }
  CHECK(!"memory that the host sees");
  return 0;
}

static void make_buffer(made* its) {
  VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = bytes};
  VkMemoryAllocateInfo all = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  VkMemoryRequirements needs;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  CHECK(vkCreateBuffer(its->device, &info, NULL, &its->buffer) == VK_SUCCESS);
  vkGetBufferMemoryRequirements(its->device, its->buffer, &needs);
  all.allocationSize = needs.size;
  all.memoryTypeIndex = host_type(its->physical, needs.memoryTypeBits);
  CHECK(vkAllocateMemory(its->device, &all, NULL, &its->memory) == VK_SUCCESS);
  CHECK(vkBindBufferMemory(its->device, its->buffer, its->memory, 0) == VK_SUCCESS);
}

static uint32_t* mapped(const made* its) {
  void* data;
  CHECK(vkMapMemory(its->device, its->memory, 0, VK_WHOLE_SIZE, 0, &data) == VK_SUCCESS);
  return data;
}

static pintle_device wrap_device(made* its) {
  pintle_device device;
  pintle_vulkan_device mine = {.native = {sizeof mine, PINTLE_NATIVE_VULKAN_DEVICE}, .instance = its->instance};
  mine.physical_device = its->physical;
  mine.device = its->device;
  mine.queue = its->queue;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_device_wrap(&mine.native, &device, error)); /* without create_info */
  mine.create_info = &its->info;
  OK(pintle_device_wrap(&mine.native, &device, error));
  return device;
}

static pintle_queue wrap_queue(const made* its, pintle_device device) {
  pintle_queue queue;
  pintle_vulkan_queue on = {.native = {sizeof on, PINTLE_NATIVE_VULKAN_QUEUE}, .queue = its->queue, .family = 7};
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_queue_wrap(device, &on.native, NULL, &queue, error));
  on.family = 0;
  OK(pintle_queue_wrap(device, &on.native, NULL, &queue, error));
  on.queue = NULL;
  OK(pintle_queue_get_native(queue, &on.native, error));
  CHECK(on.queue == its->queue);
  return queue;
}

static pintle_buffer wrap_buffer(const made* its, pintle_device device) {
  const uint64_t dims = word_count, more = word_count + 1;
  pintle_buffer buffer;
  pintle_vulkan_memory over = {.native = {sizeof over, PINTLE_NATIVE_VULKAN_MEMORY}, .bytes = bytes};
  memcpy(&over.buffer, &its->buffer, sizeof its->buffer); /* a number or a pointer, by the platform */
  memcpy(&over.memory, &its->memory, sizeof its->memory);
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_wrap(device, &over.native, PINTLE_U32, 1, &more, NULL, &buffer, error));
  OK(pintle_buffer_wrap(device, &over.native, PINTLE_U32, 1, &dims, "theirs", &buffer, error));
  return buffer;
}

/* Whether there was a compiler for it. */
static int a_kernel_runs_on_what_the_program_has(made* its) {
  static const char code[] =
      "#version 450\n"
      "layout(local_size_x = 64) in;\n"
      "layout(std430, binding = 0) buffer Words { uint words[]; };\n"
      "layout(push_constant) uniform Scalars { uint added; };\n"
      "void main() { words[gl_GlobalInvocationID.x] += added; }\n";
  static uint32_t seen[word_count];
  uint32_t* const words = mapped(its);
  const pintle_device device = wrap_device(its);
  const pintle_queue queue = wrap_queue(its, device);
  const pintle_buffer buffer = wrap_buffer(its, device);
  pintle_kernel kernel;
  const int runs = loads(device, "glsl", code, sizeof code - 1, &kernel);
  if (runs) {
    for (int i = 0; i < word_count; ++i) words[i] = 40;
    add(queue, kernel, buffer, 2);
    expect_words(words, 42);
    read_buffer(queue, buffer, seen, sizeof seen);
    expect_words(seen, 42);
  }
  OK(pintle_buffer_release(buffer, error));
  OK(pintle_queue_release(queue, error));
  OK(pintle_device_wait_idle(device, PINTLE_TIMEOUT_DEFAULT, error));
  OK(pintle_device_release(device, error));
  CHECK(vkQueueWaitIdle(its->queue) == VK_SUCCESS); /* All of it is the program's still. */
  vkUnmapMemory(its->device, its->memory);
  return runs;
}

static int run_on(VkInstance instance, VkPhysicalDevice physical) {
  made its = {.instance = instance, .physical = physical};
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(physical, &properties);
  printf("%s\n", properties.deviceName);
  make_device(&its);
  make_buffer(&its);
  const int runs = a_kernel_runs_on_what_the_program_has(&its);
  vkDestroyBuffer(its.device, its.buffer, NULL);
  vkFreeMemory(its.device, its.memory, NULL);
  vkDestroyDevice(its.device, NULL);
  return runs;
}

int main(void) {
  const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
  const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
  VkInstance instance;
  VkPhysicalDevice physical[most_devices];
  uint32_t count = most_devices;
  int runs = 0;
  if (vkCreateInstance(&info, NULL, &instance) != VK_SUCCESS) {
    printf("skipped: this machine has no Vulkan driver\n");
    return skipped;
  }
  if (vkEnumeratePhysicalDevices(instance, &count, physical) < 0) count = 0;
  for (uint32_t i = 0; i < count; ++i) runs += run_on(instance, physical[i]);
  vkDestroyInstance(instance, NULL);
  if (runs == 0) printf("skipped: this machine has no Vulkan device that takes GLSL\n");
  return runs == 0 ? skipped : 0;
}
