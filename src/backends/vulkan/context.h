// An open device as its parts share it: functions, VkQueues, and whether it is lost.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "backends/vulkan/physical.h"
#include "backends/vulkan/samplers.h"
#include "kit/host_access.h"
#include "kit/loss.h"
#include "pintle/native/vulkan.h"
#include "vendor/vulkan/instance.h"

namespace pintle::vulkan {

using vendor::vulkan::DeviceFunctions;
using vendor::vulkan::Instance;

/// One VkQueue, which several queues share.
struct Lane {
  Lane(VkQueue native, const Family& of) noexcept : queue(native), family(of) {}

  const VkQueue queue;
  const Family family;
  std::atomic<bool> is_shared{false};  ///< The user has the VkQueue, and may submit other work in between.
  std::mutex mutex;
};

/// Semaphores of timelines that ended, until the device closes. A batch can be finished before Mesa's submitting thread
/// lets go of the semaphores that it waited for: a semaphore that is destroyed sooner is used after its end.
/// Thread-safe.
class SpareSemaphores {
 public:
  struct Spare {
    VkSemaphore semaphore = VK_NULL_HANDLE;
    std::uint64_t value = 0;
  };
  /// Counts one more semaphore in use, so that giving it back needs no memory.
  void reserve_one();
  [[nodiscard]] std::optional<Spare> take() noexcept;
  void give_back(Spare spare) noexcept;

 private:
  std::mutex mutex_;
  std::size_t count_ = 0;  // semaphores in use are counted, too
  std::vector<Spare> spares_;
};

class Context final : private kit::Loss::Waits {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Context>> open(std::shared_ptr<const Instance> instance,
                                                             Physical physical, std::string id);
  /// Over a VkDevice that stays the caller's.
  [[nodiscard]] static Result<std::unique_ptr<Context>> wrap(std::shared_ptr<const Instance> instance,
                                                             Physical physical, std::string id,
                                                             const VulkanDevice& given);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context();

  [[nodiscard]] const Instance& instance() const noexcept { return *instance_; }
  [[nodiscard]] const Physical& physical() const noexcept { return physical_; }
  [[nodiscard]] VkDevice device() const noexcept { return device_; }
  [[nodiscard]] const std::string& id() const noexcept { return id_; }
  [[nodiscard]] Lane& lane(QueueKind kind) noexcept {
    return kind == QueueKind::copy && copy_ != nullptr ? *copy_ : *compute_;
  }
  /// The lane of a VkQueue that stays the caller's.
  [[nodiscard]] Result<Lane*> adopt(const VulkanQueue& given);
  [[nodiscard]] kit::HostAccess& host() noexcept { return host_; }
  [[nodiscard]] SpareSemaphores& spare_semaphores() noexcept { return spare_semaphores_; }
  [[nodiscard]] Result<VkSampler> sampler(const Sampler& wanted, Samplers::Border border);
  /// The queue families that memory is used from; with one family, it is used exclusively.
  [[nodiscard]] const std::vector<std::uint32_t>& families() const noexcept { return families_; }
  [[nodiscard]] bool has_addresses() const noexcept {
    return physical_.features.version_1_2.bufferDeviceAddress == VK_TRUE;
  }

  /// Success, or the error of a call. A lost device stays lost with its first cause. No lock of a lane is held.
  [[nodiscard]] Result<void> check(VkResult result, const char* call);
  [[nodiscard]] const std::shared_ptr<kit::Loss>& shared_loss() const noexcept { return loss_; }
  /// The first cause once the device is lost.
  [[nodiscard]] Result<void> alive() const { return loss_->check(); }
  /// The device counts as lost from now on, and touches no host memory any more. Returns the first cause.
  Error lose(const Error& error);
  /// The first cause. Waits until the thread that is losing the device has set it.
  [[nodiscard]] Error loss() { return loss_->lose(Error(Errc::internal, "The device is being lost.")); }
  /// Waits for all work, in finite time also where the device is lost. Afterwards it touches no host memory.
  void settle() noexcept;

  const DeviceFunctions& vk = functions_;

 private:
  Context(std::shared_ptr<const Instance> instance, Physical physical, std::string id)
      : instance_(std::move(instance)),
        physical_(std::move(physical)),
        id_(std::move(id)),
        loss_(std::make_shared<kit::Loss>(id_)) {
    loss_->add(*this);
  }
  void end_waits(const Error&) noexcept override;
  [[nodiscard]] Result<void> create_device();
  [[nodiscard]] Result<void> load_functions();
  [[nodiscard]] std::string fault_words() const;

  const std::shared_ptr<const Instance> instance_;
  const Physical physical_;
  const std::string id_;
  VkDevice device_ = nullptr;
  bool is_wrapped_ = false;
  DeviceFunctions functions_;
  std::mutex lanes_mutex_;
  std::deque<Lane> lanes_;
  Lane* compute_ = nullptr;
  Lane* copy_ = nullptr;
  std::vector<std::uint32_t> families_;
  kit::HostAccess host_;
  SpareSemaphores spare_semaphores_;
  Samplers samplers_;
  const std::shared_ptr<kit::Loss> loss_;
};

}  // namespace pintle::vulkan
