// WebGPU in this process: the libraries that speak it, and objects that release themselves.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pintle/error.h"
#include "pintle/info.h"
#include "vendor/webgpu/table.h"

namespace pintle::webgpu {

namespace wg = vendor::webgpu;

/// A library that is open for ever, with its instance: implementations have threads of their own.
struct Implementation {
  wg::Table api;
  wg::Instance instance = nullptr;

  /// Whether it is wgpu-native, whose own functions are there.
  [[nodiscard]] bool polls_devices() const noexcept { return api.DevicePoll != nullptr; }
};

/// The libraries that PINTLE_WEBGPU names, or those that the loader finds by their usual names; opened once. A library
/// that is missing is an absence.
struct Implementations {
  std::vector<const Implementation*> all;
  std::vector<Absence> absences;
};
[[nodiscard]] const Implementations& implementations();

inline void release(const wg::Table& api, wg::Adapter one) noexcept { api.AdapterRelease(one); }
inline void release(const wg::Table& api, wg::Buffer one) noexcept { api.BufferRelease(one); }
inline void release(const wg::Table& api, wg::ShaderModule one) noexcept { api.ShaderModuleRelease(one); }
inline void release(const wg::Table& api, wg::BindGroupLayout one) noexcept { api.BindGroupLayoutRelease(one); }
inline void release(const wg::Table& api, wg::BindGroup one) noexcept { api.BindGroupRelease(one); }
inline void release(const wg::Table& api, wg::PipelineLayout one) noexcept { api.PipelineLayoutRelease(one); }
inline void release(const wg::Table& api, wg::ComputePipeline one) noexcept { api.ComputePipelineRelease(one); }
inline void release(const wg::Table& api, wg::CommandEncoder one) noexcept { api.CommandEncoderRelease(one); }
inline void release(const wg::Table& api, wg::ComputePass one) noexcept { api.ComputePassEncoderRelease(one); }
inline void release(const wg::Table& api, wg::CommandBuffer one) noexcept { api.CommandBufferRelease(one); }
inline void release(const wg::Table& api, wg::QuerySet one) noexcept { api.QuerySetRelease(one); }

/// One reference to an object.
template <class Handle>
class Owned {
 public:
  Owned() noexcept = default;
  Owned(const wg::Table& api, Handle handle) noexcept : api_(&api), handle_(handle) {}
  Owned(Owned&& other) noexcept : api_(other.api_), handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(api_, other.api_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() {
    if (handle_ != nullptr) release(*api_, handle_);
  }
  [[nodiscard]] Handle get() const noexcept { return handle_; }
  explicit operator bool() const noexcept { return handle_ != nullptr; }

 private:
  const wg::Table* api_ = nullptr;
  Handle handle_ = nullptr;
};

}  // namespace pintle::webgpu
