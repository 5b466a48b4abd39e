// The loader with one instance.
#pragma once

#include <memory>
#include <vector>

#include "backends/vulkan/physical.h"
#include "base/dylib.h"

namespace pintle::vulkan {

class Instance {
 public:
  /// `unavailable` says what was opened and what it answered.
  [[nodiscard]] static Result<std::unique_ptr<Instance>> create();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance();

  [[nodiscard]] const InstanceFunctions& functions() const noexcept { return vk_; }
  [[nodiscard]] VkInstance handle() const noexcept { return handle_; }
  /// In the loader's order.
  [[nodiscard]] Result<std::vector<Physical>> physical_devices() const;

 private:
  explicit Instance(base::Dylib loader) noexcept : loader_(std::move(loader)) {}
  [[nodiscard]] Result<void> create_handle(const vendor::vulkan::GlobalFunctions& vk);

  base::Dylib loader_;
  VkInstance handle_ = nullptr;
  InstanceFunctions vk_;
};

/// Where the loader looked for drivers, for messages.
[[nodiscard]] std::string driver_places();

}  // namespace pintle::vulkan
