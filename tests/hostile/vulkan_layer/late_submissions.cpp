// What the standard allows: a submission starts when the device likes. Each waits for a value of a timeline semaphore
// of ours, which comes a moment later.
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "common/hands.h"
#include "habit.h"
#include "questions.h"

namespace pintle::hostile {
namespace {

/// The values rise, so a later one opens the way for what waits for an earlier one.
struct Gate {
  VkSemaphore semaphore = VK_NULL_HANDLE;
  std::uint64_t asked = 0;
  std::uint64_t opened = 0;
};

/// A value to wait for.
struct Ticket {
  VkSemaphore semaphore = VK_NULL_HANDLE;
  std::uint64_t value = 0;
};

Functions next;
std::mutex mutex;
auto& gates = *new std::map<VkDevice, Gate>;  // the hands may look into it while the process ends
bool are_held = false;

VkSemaphore create_semaphore(VkDevice device) {
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
  VkSemaphore made = VK_NULL_HANDLE;
  return next.CreateSemaphore(device, &info, nullptr, &made) == VK_SUCCESS ? made : VkSemaphore{VK_NULL_HANDLE};
}

/// Empty where the driver makes no semaphore.
std::optional<Ticket> take_ticket(VkDevice device) {
  const std::lock_guard lock(mutex);
  Gate& gate = gates[device];
  if (gate.semaphore == VK_NULL_HANDLE) gate.semaphore = create_semaphore(device);
  if (gate.semaphore == VK_NULL_HANDLE) return std::nullopt;
  return Ticket{gate.semaphore, ++gate.asked};
}

void open(VkDevice device, Gate& gate, std::uint64_t value) {
  if (gate.opened >= value) return;
  gate.opened = value;
  const VkSemaphoreSignalInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, gate.semaphore, value};
  next.SignalSemaphore(device, &info);
}

void open(VkDevice device, std::uint64_t value) {
  const std::lock_guard lock(mutex);
  if (const auto found = gates.find(device); found != gates.end() && !are_held) open(device, found->second, value);
}

/// A batch that waits for a ticket, too. Only a chain that is empty or begins with the values of timelines is copied.
class LateBatch {
 public:
  LateBatch(const VkSubmitInfo& batch, const Ticket& ticket) : batch_(batch) {
    const auto* const given = static_cast<const VkTimelineSemaphoreSubmitInfo*>(batch.pNext);
    if (given != nullptr) values_ = *given;
    values_.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    if (batch.waitSemaphoreCount != 0) {
      semaphores_.assign(batch.pWaitSemaphores, batch.pWaitSemaphores + batch.waitSemaphoreCount);
      stages_.assign(batch.pWaitDstStageMask, batch.pWaitDstStageMask + batch.waitSemaphoreCount);
    }
    if (values_.waitSemaphoreValueCount != 0)
      awaited_.assign(values_.pWaitSemaphoreValues, values_.pWaitSemaphoreValues + values_.waitSemaphoreValueCount);
    awaited_.resize(semaphores_.size());
    if (values_.signalSemaphoreValueCount != 0)
      signalled_.assign(values_.pSignalSemaphoreValues,
                        values_.pSignalSemaphoreValues + values_.signalSemaphoreValueCount);
    signalled_.resize(batch.signalSemaphoreCount);
    semaphores_.push_back(ticket.semaphore);
    stages_.push_back(VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    awaited_.push_back(ticket.value);
  }

  [[nodiscard]] static bool is_possible(const VkSubmitInfo& batch) {
    const auto* const first = static_cast<const VkBaseInStructure*>(batch.pNext);
    return first == nullptr || first->sType == VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  }
  /// Valid as long as this object.
  [[nodiscard]] VkSubmitInfo info() {
    values_.waitSemaphoreValueCount = static_cast<std::uint32_t>(awaited_.size());
    values_.pWaitSemaphoreValues = awaited_.data();
    values_.signalSemaphoreValueCount = static_cast<std::uint32_t>(signalled_.size());
    values_.pSignalSemaphoreValues = signalled_.data();
    VkSubmitInfo late = batch_;
    late.pNext = &values_;
    late.waitSemaphoreCount = static_cast<std::uint32_t>(semaphores_.size());
    late.pWaitSemaphores = semaphores_.data();
    late.pWaitDstStageMask = stages_.data();
    return late;
  }

 private:
  const VkSubmitInfo& batch_;
  VkTimelineSemaphoreSubmitInfo values_{};
  std::vector<VkSemaphore> semaphores_;
  std::vector<VkPipelineStageFlags> stages_;
  std::vector<std::uint64_t> awaited_, signalled_;
};

/// The first batch is late; those behind it end after it.
VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, std::uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
  const VkDevice device = device_of(queue);
  const bool may_wait = count != 0 && device != nullptr && LateBatch::is_possible(infos[0]);
  const auto ticket = may_wait ? take_ticket(device) : std::nullopt;
  if (!ticket) return next.QueueSubmit(queue, count, infos, fence);
  LateBatch first(infos[0], *ticket);
  std::vector<VkSubmitInfo> batches(infos, infos + count);
  batches[0] = first.info();
  const VkResult answer = next.QueueSubmit(queue, count, batches.data(), fence);
  Hands::instance().later([device, value = ticket->value] { open(device, value); });
  return answer;
}

VKAPI_ATTR void VKAPI_CALL destroy(VkDevice device, const VkAllocationCallbacks* memory) {
  {
    const std::lock_guard lock(mutex);
    if (const auto found = gates.find(device); found != gates.end()) {
      next.DestroySemaphore(device, found->second.semaphore, nullptr);
      gates.erase(found);
    }
  }
  next.DestroyDevice(device, memory);
}

}  // namespace

void install_late_submissions(Functions& table) {
  next = table;
  table.QueueSubmit = &submit;
  table.DestroyDevice = &destroy;
}

}  // namespace pintle::hostile

void hostile_hold_submissions(bool are_to_be_held) {
  using namespace pintle::hostile;
  const std::lock_guard lock(mutex);
  are_held = are_to_be_held;
  if (are_held) return;
  for (auto& [device, gate] : gates) open(device, gate, gate.asked);
}
