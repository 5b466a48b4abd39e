#include "held_queue.h"

#include <chrono>
#include <utility>

#include "common/habits.h"

namespace pintle::hostile {
namespace {

VkSemaphore create_timeline(const Functions& driver, VkDevice device) {
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
  VkSemaphore made = VK_NULL_HANDLE;
  if (driver.CreateSemaphore(device, &info, nullptr, &made) != VK_SUCCESS)
    end_process("the driver below makes no timeline semaphore for a queue of the layer's");
  return made;
}

/// Half of all batches start at once.
void dawdle() {
  const std::uint64_t number = next_number();
  if (number % 2 != 0) std::this_thread::sleep_for(std::chrono::microseconds(number / 2 % 500));
}

}  // namespace

HeldQueue::HeldQueue(const Functions& driver, const Place& place)
    : driver_(driver), place_(place), done_(create_timeline(driver, place.device)), thread_([this] { serve(); }) {}

HeldQueue::~HeldQueue() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
  {
    const std::lock_guard lock(*place_.sending);
    static_cast<void>(driver_.QueueWaitIdle(place_.carrier));
  }
  driver_.DestroySemaphore(place_.device, done_, nullptr);
}

void HeldQueue::take(Batch batch) {
  {
    const std::lock_guard lock(mutex_);
    taken_.push_back(std::move(batch));
  }
  changed_.notify_all();
}

void HeldQueue::hold(bool is_to_be_held) {
  {
    const std::lock_guard lock(mutex_);
    is_held_ = is_to_be_held;
  }
  changed_.notify_all();
}

VkResult HeldQueue::wait_idle() {
  std::unique_lock lock(mutex_);
  const std::uint64_t last = sent_ + taken_.size();
  changed_.wait(lock, [&] { return sent_ >= last; });
  lock.unlock();
  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &done_;
  info.pValues = &last;
  return driver_.WaitSemaphores(place_.device, &info, ~std::uint64_t{0});
}

/// The first batch stays where it is while others come behind it.
void HeldQueue::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return is_ending_ || (!is_held_ && !taken_.empty()); });
    if (is_ending_) return;
    const Batch& first = taken_.front();
    lock.unlock();
    const bool may_start = are_reached(first.awaited);
    if (may_start) dawdle();
    lock.lock();
    if (!may_start || is_held_ || is_ending_) continue;
    send(first);
    taken_.pop_front();
    ++sent_;
    changed_.notify_all();
  }
}

/// False now and then, so that the thread sees whether the queue ends.
bool HeldQueue::are_reached(const Points& points) const {
  if (points.semaphores.empty()) return true;
  constexpr std::uint64_t longest = 2'000'000;  // ns
  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = static_cast<std::uint32_t>(points.semaphores.size());
  info.pSemaphores = points.semaphores.data();
  info.pValues = points.values.data();
  const VkResult answer = driver_.WaitSemaphores(place_.device, &info, longest);
  if (answer != VK_SUCCESS && answer != VK_TIMEOUT)
    end_process("the driver below does not wait for a batch of a queue of the layer's");
  return answer == VK_SUCCESS;
}

/// What the batch waits for is reached, so the driver is not told of it.
void HeldQueue::send(const Batch& batch) {
  Points signalled = batch.signalled;
  signalled.add(done_, sent_ + 1);
  VkTimelineSemaphoreSubmitInfo values{};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  values.signalSemaphoreValueCount = static_cast<std::uint32_t>(signalled.values.size());
  values.pSignalSemaphoreValues = signalled.values.data();
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &values;
  info.commandBufferCount = static_cast<std::uint32_t>(batch.commands.size());
  info.pCommandBuffers = batch.commands.data();
  info.signalSemaphoreCount = static_cast<std::uint32_t>(signalled.semaphores.size());
  info.pSignalSemaphores = signalled.semaphores.data();
  const std::lock_guard lock(*place_.sending);
  if (driver_.QueueSubmit(place_.carrier, 1, &info, batch.fence) != VK_SUCCESS)
    end_process("the driver below refuses a batch that a queue of the layer's has taken");
}

}  // namespace pintle::hostile
