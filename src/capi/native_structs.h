// Structs of native objects, as C has them and as the library has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "capi/check.h"
#include "capi/structs.h"
#include "pintle/c/native.h"
#include "pintle/native/cpu.h"
#include "pintle/native/cuda.h"
#include "pintle/native/hip.h"
#include "pintle/native/opencl.h"
#include "pintle/native/pjrt.h"
#include "pintle/native/vulkan.h"

namespace pintle::capi {

// `fill` writes what follows the struct's head.

inline void fill(pintle_cpu_device& out, const cpu::CpuDevice& its) noexcept {
  out.threads = its.threads;
  out.quota = its.quota;
}
inline void fill(pintle_cpu_memory& out, const cpu::CpuMemory& its) noexcept { out.address = its.address; }
inline void fill(pintle_opencl_device& out, const opencl::OpenClDevice& its) noexcept {
  out.platform = its.platform;
  out.device = its.device;
  out.context = its.context;
}
inline void fill(pintle_opencl_queue& out, const opencl::OpenClQueue& its) noexcept { out.queue = its.queue; }
inline void fill(pintle_opencl_memory& out, const opencl::OpenClMemory& its) noexcept {
  out.memory = its.memory;
  out.address = its.address;
  out.offset = its.offset;
}
inline void fill(pintle_vulkan_device& out, const vulkan::VulkanDevice& its) noexcept {
  out.instance = its.instance;
  out.physical_device = its.physical_device;
  out.device = its.device;
  out.queue = its.queue;
  out.queue_family = its.queue_family;
  out.create_info = its.create_info;
  out.get_instance_proc_addr = reinterpret_cast<void (*)()>(its.get_instance_proc_addr);
}
inline void fill(pintle_vulkan_queue& out, const vulkan::VulkanQueue& its) noexcept {
  out.queue = its.queue;
  out.family = its.family;
}
inline void fill(pintle_vulkan_memory& out, const vulkan::VulkanMemory& its) noexcept {
  out.buffer = its.buffer;
  out.memory = its.memory;
  out.offset = its.offset;
  out.bytes = its.size;
  out.address = its.address;
}
inline void fill(pintle_cuda_device& out, const cuda::CudaDevice& its) noexcept {
  out.device = static_cast<std::uint32_t>(its.device);
  out.context = its.context;
}
inline void fill(pintle_cuda_queue& out, const cuda::CudaQueue& its) noexcept { out.stream = its.stream; }
inline void fill(pintle_cuda_memory& out, const cuda::CudaMemory& its) noexcept {
  out.address = its.address;
  out.host = its.host;
  out.device = static_cast<std::uint32_t>(its.device);
}
inline void fill(pintle_hip_device& out, const hip::HipDevice& its) noexcept {
  out.device = static_cast<std::uint32_t>(its.device);
}
inline void fill(pintle_hip_queue& out, const hip::HipQueue& its) noexcept { out.stream = its.stream; }
inline void fill(pintle_hip_memory& out, const hip::HipMemory& its) noexcept {
  out.address = its.address;
  out.host = its.host;
  out.device = static_cast<std::uint32_t>(its.device);
}
inline void fill(pintle_pjrt_device& out, const pjrt::PjrtDevice& its) noexcept {
  out.client = its.client;
  out.device = its.device;
}

[[nodiscard]] inline cpu::CpuDevice value_of(const pintle_cpu_device& in) noexcept { return {in.threads, in.quota}; }
[[nodiscard]] inline cpu::CpuMemory value_of(const pintle_cpu_memory& in) noexcept { return {in.address}; }
[[nodiscard]] inline opencl::OpenClDevice value_of(const pintle_opencl_device& in) noexcept {
  return {in.platform, in.device, in.context};
}
[[nodiscard]] inline opencl::OpenClQueue value_of(const pintle_opencl_queue& in) noexcept { return {in.queue}; }
[[nodiscard]] inline opencl::OpenClMemory value_of(const pintle_opencl_memory& in) noexcept {
  return {in.memory, in.address, in.offset};
}
[[nodiscard]] inline vulkan::VulkanDevice value_of(const pintle_vulkan_device& in) noexcept {
  return {.instance = in.instance,
          .physical_device = in.physical_device,
          .device = in.device,
          .queue = in.queue,
          .queue_family = in.queue_family,
          .create_info = in.create_info,
          .get_instance_proc_addr = reinterpret_cast<void*>(in.get_instance_proc_addr)};
}
[[nodiscard]] inline vulkan::VulkanQueue value_of(const pintle_vulkan_queue& in) noexcept {
  return {in.queue, in.family};
}
[[nodiscard]] inline vulkan::VulkanMemory value_of(const pintle_vulkan_memory& in) noexcept {
  return {in.buffer, in.memory, in.offset, in.bytes, in.address};
}
[[nodiscard]] inline cuda::CudaDevice value_of(const pintle_cuda_device& in) noexcept {
  return {static_cast<int>(in.device), in.context};
}
[[nodiscard]] inline cuda::CudaQueue value_of(const pintle_cuda_queue& in) noexcept { return {in.stream}; }
[[nodiscard]] inline cuda::CudaMemory value_of(const pintle_cuda_memory& in) noexcept {
  return {in.address, in.host, 0};
}
[[nodiscard]] inline hip::HipDevice value_of(const pintle_hip_device& in) noexcept {
  return {static_cast<int>(in.device)};
}
[[nodiscard]] inline hip::HipQueue value_of(const pintle_hip_queue& in) noexcept { return {in.stream}; }
[[nodiscard]] inline hip::HipMemory value_of(const pintle_hip_memory& in) noexcept { return {in.address, in.host, 0}; }
[[nodiscard]] inline pjrt::PjrtDevice value_of(const pintle_pjrt_device& in) noexcept { return {in.client, in.device}; }

/// A struct of C that begins with a pintle_native, and the library's of the same object.
template <class InC>
struct NativeStruct {
  using Its = decltype(value_of(std::declval<const InC&>()));
  static_assert(std::is_standard_layout_v<InC> && offsetof(InC, native) == 0);

  const char* type;

  [[nodiscard]] Result<Out<InC>> writable(pintle_native* head) const {
    return capi::writable(reinterpret_cast<InC*>(head), type);
  }
  [[nodiscard]] Result<In<InC>> readable(const pintle_native* head) const {
    return capi::readable(reinterpret_cast<const InC*>(head), type);
  }
};

/// Calls `body` with the NativeStruct of the kind that the head says. Refuses a kind that is none, and a size that no
/// struct has.
template <class Body>
[[nodiscard]] Result<void> with_struct(const pintle_native* head, Body body) {
  PINTLE_TRY(given(head, "native"));
  if (!is_size<pintle_native>(head->size)) return wrong_size("pintle_native", head->size, {}, sizeof *head);
  switch (head->kind) {
    case PINTLE_NATIVE_CPU_DEVICE: return body(NativeStruct<pintle_cpu_device>{"pintle_cpu_device"});
    case PINTLE_NATIVE_CPU_MEMORY: return body(NativeStruct<pintle_cpu_memory>{"pintle_cpu_memory"});
    case PINTLE_NATIVE_OPENCL_DEVICE: return body(NativeStruct<pintle_opencl_device>{"pintle_opencl_device"});
    case PINTLE_NATIVE_OPENCL_QUEUE: return body(NativeStruct<pintle_opencl_queue>{"pintle_opencl_queue"});
    case PINTLE_NATIVE_OPENCL_MEMORY: return body(NativeStruct<pintle_opencl_memory>{"pintle_opencl_memory"});
    case PINTLE_NATIVE_VULKAN_DEVICE: return body(NativeStruct<pintle_vulkan_device>{"pintle_vulkan_device"});
    case PINTLE_NATIVE_VULKAN_QUEUE: return body(NativeStruct<pintle_vulkan_queue>{"pintle_vulkan_queue"});
    case PINTLE_NATIVE_VULKAN_MEMORY: return body(NativeStruct<pintle_vulkan_memory>{"pintle_vulkan_memory"});
    case PINTLE_NATIVE_CUDA_DEVICE: return body(NativeStruct<pintle_cuda_device>{"pintle_cuda_device"});
    case PINTLE_NATIVE_CUDA_QUEUE: return body(NativeStruct<pintle_cuda_queue>{"pintle_cuda_queue"});
    case PINTLE_NATIVE_CUDA_MEMORY: return body(NativeStruct<pintle_cuda_memory>{"pintle_cuda_memory"});
    case PINTLE_NATIVE_HIP_DEVICE: return body(NativeStruct<pintle_hip_device>{"pintle_hip_device"});
    case PINTLE_NATIVE_HIP_QUEUE: return body(NativeStruct<pintle_hip_queue>{"pintle_hip_queue"});
    case PINTLE_NATIVE_HIP_MEMORY: return body(NativeStruct<pintle_hip_memory>{"pintle_hip_memory"});
    case PINTLE_NATIVE_PJRT_DEVICE: return body(NativeStruct<pintle_pjrt_device>{"pintle_pjrt_device"});
    default: return no_number("kind of native object", head->kind, PINTLE_NATIVE_PJRT_DEVICE);
  }
}

}  // namespace pintle::capi
