#include "backends/vulkan/queue.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace pintle::vulkan {

using backend::Commands;
using backend::QueuePoint;

Result<std::shared_ptr<Queue>> Queue::create(Context& context, QueueTable& all, Lane& lane, const Request& request) {
  std::shared_ptr<Queue> queue(new Queue(context, all, lane, request));
  PINTLE_ASSIGN(timeline, Timeline::create(context));
  queue->timeline_ = std::move(timeline);
  return queue;
}

Queue::Queue(Context& context, QueueTable& all, Lane& lane, const Request& request)
    : context_(context),
      all_(all),
      lane_(lane),
      first_serial_(request.first_serial),
      steps_(all.steps_, request.id, request.first_serial, *this, kit::HostCopies::all) {
  free_.reserve(max_in_flight);
  started_.reserve(max_in_flight);
}

Result<std::uint64_t> Queue::submit(std::span<const QueuePoint> waits, const Commands& commands) {
  PINTLE_TRY(context_.alive());
  return steps_.submit(waits, commands);
}

Result<std::uint64_t> Queue::reached() {
  PINTLE_TRY(context_.alive());
  PINTLE_ASSIGN(value, timeline_->value());
  if (value > reported_.load(std::memory_order_acquire)) PINTLE_TRY(retire(value));
  return first_serial_ + reported_.load(std::memory_order_acquire);
}

Result<void> Queue::wait(std::uint64_t serial, Deadline deadline) {
  const std::uint64_t value = value_of(serial);
  if (reported_.load(std::memory_order_acquire) >= value) return context_.alive();
  PINTLE_TRY(timeline_->wait(value, deadline));
  return retire(value);
}

/// Called when the batches up to `value` are finished: delivers their downloads and frees their slots.
Result<void> Queue::retire(std::uint64_t value) {
  {
    const std::lock_guard lock(mutex_);
    bool delivered = true;
    while (!started_.empty() && started_.front()->value <= value) {
      if (delivered = started_.front()->deliver(); !delivered) break;
      started_.front()->reset();
      free_.push_back(std::move(started_.front()));
      started_.erase(started_.begin());
    }
    if (delivered) {
      steps_.reach(first_serial_ + value);
      if (value > reported_.load(std::memory_order_relaxed)) reported_.store(value, std::memory_order_release);
      return {};
    }
  }
  return context_.loss();
}

/// A family that only copies does not reset queries, and does not copy what they found.
bool Queue::is_step(const backend::Command& command) const noexcept {
  const bool is_time = std::holds_alternative<backend::Timestamp>(command.operation);
  return kit::is_for_host(command) && (!is_time || lane_.family.only_copies());
}

Result<void> Queue::start(const kit::StepQueue::Piece& piece) {
  return run({piece.waits, piece.serial}, [&](Recorder& recorder) -> Result<void> {
    return piece.commands.commands.empty() ? Result<void>() : recorder.record(piece.commands);
  });
}

template <class Record>
Result<void> Queue::run(const Batch& batch, Record record) {
  PINTLE_TRY(context_.alive());
  PINTLE_ASSIGN(slot, acquire());
  PINTLE_TRY(slot->begin());
  Recorder recorder(context_, *slot);
  PINTLE_TRY(record(recorder));
  PINTLE_TRY(context_.check(context_.vk.EndCommandBuffer(slot->commands()), "vkEndCommandBuffer"));
  return send(std::move(slot), batch);
}

Result<std::unique_ptr<Slot>> Queue::acquire() {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      std::unique_ptr<Slot> slot = std::move(free_.back());
      free_.pop_back();
      return slot;
    }
    free_.reserve(started_.size() + 1);  // so that retiring needs no memory
  }
  return Slot::create(context_, all_.staging_, lane_);
}

Result<void> Queue::send(std::unique_ptr<Slot> slot, const Batch& batch) {
  wait_semaphores_.clear();
  wait_values_.clear();
  wait_stages_.clear();
  for (const QueuePoint& point : batch.waits) {
    const std::shared_ptr<Queue> other = all_.find(point.queue);
    if (other == nullptr) continue;
    wait_semaphores_.push_back(other->timeline_->semaphore());
    wait_values_.push_back(other->timeline_->semaphore_value(other->value_of(point.serial)));
    wait_stages_.push_back(VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    slot->awaited.push_back(other->timeline_);
  }
  if (!batch.serial && pieces_ == nullptr) {
    PINTLE_ASSIGN(pieces, Timeline::create(context_));
    pieces_ = std::move(pieces);
  }
  slot->value = batch.serial ? value_of(*batch.serial) : submitted_ + 1;
  const Timeline& signal = batch.serial ? *timeline_ : *pieces_;
  const std::uint64_t value = batch.serial ? slot->value : piece_ + 1;
  PINTLE_TRY(context_.check(send_locked(std::move(slot), signal, value), "vkQueueSubmit"));
  (batch.serial ? submitted_ : piece_) = value;
  return {};
}

/// Keeps the slot before it sends: a thread that sees the value finds the slot.
VkResult Queue::send_locked(std::unique_ptr<Slot> slot, const Timeline& signal, std::uint64_t value) {
  const VkSemaphore signalled = signal.semaphore();
  const std::uint64_t signalled_value = signal.semaphore_value(value);
  VkTimelineSemaphoreSubmitInfo values{};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  values.waitSemaphoreValueCount = static_cast<std::uint32_t>(wait_values_.size());
  values.pWaitSemaphoreValues = wait_values_.data();
  values.signalSemaphoreValueCount = 1;
  values.pSignalSemaphoreValues = &signalled_value;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &values;
  info.waitSemaphoreCount = static_cast<std::uint32_t>(wait_semaphores_.size());
  info.pWaitSemaphores = wait_semaphores_.data();
  info.pWaitDstStageMask = wait_stages_.data();
  info.signalSemaphoreCount = 1;
  info.pSignalSemaphores = &signalled;
  const std::lock_guard lock(mutex_);
  started_.push_back(std::move(slot));
  const std::lock_guard lane_lock(lane_.mutex);
  Slot& last = *started_.back();
  std::array commands{VkCommandBuffer{}, last.commands()};
  VkResult answer = last.lay_out(commands[0]);
  info.commandBufferCount = commands[0] != nullptr ? 2 : 1;
  info.pCommandBuffers = commands[0] != nullptr ? commands.data() : &commands[1];
  if (answer == VK_SUCCESS) {
    answer = context_.vk.QueueSubmit(lane_.queue, 1, &info, VK_NULL_HANDLE);
    if (answer == VK_SUCCESS) return answer;
    last.undo_lay_out();
  }
  last.reset();
  free_.push_back(std::move(started_.back()));
  started_.pop_back();
  return answer;
}

Result<void> Queue::finish(Deadline deadline) {
  PINTLE_TRY(finish_pieces(deadline));
  return all_.deliver();
}

/// A signal comes after everything submitted before, so the last batch stands for all.
Result<void> Queue::finish_pieces(Deadline deadline) {
  if (pieces_ != nullptr) PINTLE_TRY(pieces_->wait(piece_, deadline));
  PINTLE_TRY(timeline_->wait(submitted_, deadline));
  PINTLE_TRY(retire(submitted_));
  const std::lock_guard lock(mutex_);
  for (const auto& slot : started_) {
    if (!slot->deliver()) return context_.loss();
  }
  return {};
}

Result<void> Queue::step(const backend::Command& command, const Commands& list) {
  if (const auto* called = std::get_if<backend::HostCall>(&command.operation)) return call(*called);
  if (const auto* indirect = std::get_if<backend::ExecIndirect>(&command.operation)) return launch(*indirect, list);
  if (!std::holds_alternative<backend::Timestamp>(command.operation)) return run_alone(command);
  PINTLE_ASSIGN(clock, create(context_, all_, context_.lane(QueueKind::compute), {all_.next_id(), 0}));
  PINTLE_TRY(clock->run_alone(command));
  return clock->finish_pieces(Deadline::max());
}

Result<void> Queue::run_alone(const backend::Command& command) {
  return run({}, [&](Recorder& recorder) { return recorder.record(Commands{std::span(&command, 1), {}}); });
}

Result<void> Queue::call(const backend::HostCall& called) {
  if (!context_.host().enter()) return context_.loss();
  called.call(called.state);
  context_.host().leave();
  return {};
}

Result<void> Queue::launch(const backend::ExecIndirect& indirect, const Commands& list) {
  PINTLE_ASSIGN(counts, read_grid(indirect.grid_at));
  const auto exec = kit::launch_of(indirect, counts);
  return exec ? run({}, [&](Recorder& recorder) { return recorder.record(*exec, list); }) : Result<void>();
}

/// Downloads the counts where the host cannot see the memory.
Result<kit::GridCounts> Queue::read_grid(const backend::Range& range) {
  kit::GridCounts counts{};
  const Allocation& allocation = Allocations::at(range.memory);
  if (allocation.block->mapped() != nullptr) {
    std::memcpy(counts.data(), allocation.block->mapped() + allocation.offset + range.offset, sizeof counts);
    return counts;
  }
  backend::Download download;
  download.from = range;
  download.from.size = sizeof counts;
  download.to = {reinterpret_cast<std::byte*>(counts.data()), sizeof counts, backend::no_slot};
  PINTLE_TRY(run_alone({download, nullptr, false}));
  PINTLE_TRY(finish_pieces(Deadline::max()));
  return counts;
}

Result<backend::QueueId> QueueTable::create(const backend::QueueRequest& request, Lane& lane) {
  const backend::QueueId id = next_id();
  PINTLE_ASSIGN(queue, Queue::create(context_, *this, lane, {id, request.first_serial}));
  add(id, std::move(queue));
  return id;
}

Result<void> QueueTable::deliver() {
  for (const auto& queue : all()) PINTLE_TRY(queue->reached());
  return {};
}

}  // namespace pintle::vulkan
