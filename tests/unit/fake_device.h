// A backend whose work is finished when the test says so.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <vector>

#include "kit/give_up.h"
#include "pintle/backend/driver.h"

namespace pintle::fake {

/// Progress of its own, no notifications, no recordings: core has to watch. `finish` is the device's side.
class Device final : public backend::Device {
 public:
  struct Queue {
    std::uint64_t submitted = 0;
    std::uint64_t reached = 0;
    std::size_t waits = 0;  // of the last submission
  };

  Device() {
    info_.id = "fake";
    info_.backend = "fake";
    info_.formats = {"*"};
    info_.progress = Progress::own;
    info_.limits = {.max_allocation = 1 << 20,
                    .max_binding = 1 << 20,
                    .max_buffers = 8,
                    .max_scalar_bytes = 64,
                    .max_in_flight = 4};
  }

  const DeviceInfo& info() const noexcept override { return info_; }
  Result<std::vector<Heap>> budget() override { return std::vector<Heap>(); }
  Result<backend::MemoryId> allocate(const backend::MemoryRequest&) override {
    std::lock_guard lock(mutex_);
    return backend::MemoryId{++last_id_};
  }
  void release(backend::MemoryId memory) noexcept override {
    std::lock_guard lock(mutex_);
    released_.push_back(memory);
  }
  Result<backend::ProgramId> load(const backend::ProgramImage&) override { return backend::ProgramId{1}; }
  void unload(backend::ProgramId) noexcept override {}

  Result<backend::QueueId> create_queue(const backend::QueueRequest& request) override {
    std::lock_guard lock(mutex_);
    const auto id = backend::QueueId{++last_id_};
    queues_[id] = {request.first_serial, request.first_serial, 0};
    return id;
  }
  void destroy_queue(backend::QueueId queue) noexcept override {
    std::lock_guard lock(mutex_);
    destroyed_in_call_ |= waiting_[queue] != 0;
    queues_.erase(queue);
  }
  Result<std::uint64_t> submit(backend::QueueId queue, std::span<const backend::QueuePoint> waits,
                               const backend::Commands&) override {
    std::lock_guard lock(mutex_);
    if (error_) return *error_;
    queues_.at(queue).waits = waits.size();
    return queues_.at(queue).submitted += step_;
  }
  Result<std::uint64_t> reached(backend::QueueId queue) override {
    std::lock_guard lock(mutex_);
    if (error_) return *error_;
    return queues_.at(queue).reached;
  }
  Result<void> wait(backend::QueueId queue, std::uint64_t serial, Deadline deadline) override {
    std::unique_lock lock(mutex_);
    ++waiting_[queue];
    most_waiting_ = std::max(most_waiting_, ++all_waiting_);
    if (oversleeps_) deadline = Deadline::max();
    const auto done = [&] { return error_ || queues_.at(queue).reached >= serial; };
    const bool settled =
        deadline == Deadline::max() ? (changed_.wait(lock, done), true) : changed_.wait_until(lock, deadline, done);
    --waiting_[queue];
    --all_waiting_;
    if (error_) return *error_;
    return settled ? Result<void>() : Result<void>(Error(Errc::timeout, "The fake is late."));
  }
  Result<void> notify(backend::QueueId, std::uint64_t, backend::Notification) override {
    std::lock_guard lock(mutex_);
    return notify_error_;
  }
  Result<void> probe() override {
    std::unique_lock lock(mutex_);
    ++probes_;
    changed_.wait(lock, [&] { return !keeps_probes_; });
    return probe_answer_;
  }
  Result<void> native(std::string_view type, std::uint64_t object, void* out) override {
    if (type != kit::GiveUp::native_type) return backend::Device::native(type, object, out);
    lose(static_cast<kit::GiveUp*>(out)->cause);
    return {};
  }

  // The test's side.
  void answer_probes(const Result<void>& answer) {
    std::lock_guard lock(mutex_);
    probe_answer_ = answer;
  }
  /// Probes stay inside the driver.
  void keep_probes(bool is_on) {
    std::lock_guard lock(mutex_);
    keeps_probes_ = is_on;
    changed_.notify_all();
  }
  [[nodiscard]] std::size_t probes() {
    std::lock_guard lock(mutex_);
    return probes_;
  }
  void finish(std::uint64_t serial) {
    std::lock_guard lock(mutex_);
    for (auto& [id, queue] : queues_) queue.reached = std::max(queue.reached, std::min(serial, queue.submitted));
    changed_.notify_all();
  }
  /// As `finish`, of the queue that was made last.
  void finish_last(std::uint64_t serial) {
    std::lock_guard lock(mutex_);
    queues_.rbegin()->second.reached = serial;
    changed_.notify_all();
  }
  void lose(const Error& error) {
    std::lock_guard lock(mutex_);
    error_ = error;
    changed_.notify_all();
  }
  void fail_notify(const Error& error) {
    std::lock_guard lock(mutex_);
    notify_error_ = error;
  }
  /// Waits end when the work does, whatever their deadline.
  void oversleep() {
    std::lock_guard lock(mutex_);
    oversleeps_ = true;
  }
  [[nodiscard]] bool is_waited_for() {
    std::lock_guard lock(mutex_);
    return std::ranges::any_of(waiting_, [](const auto& queue) { return queue.second != 0; });
  }
  /// The most threads that were in `wait` at one time.
  [[nodiscard]] std::size_t most_waiting() {
    std::lock_guard lock(mutex_);
    return most_waiting_;
  }
  void skip_serials(std::uint64_t step) {
    std::lock_guard lock(mutex_);
    step_ = step;
  }
  [[nodiscard]] std::size_t released() {
    std::lock_guard lock(mutex_);
    return released_.size();
  }
  [[nodiscard]] std::size_t queues() {
    std::lock_guard lock(mutex_);
    return queues_.size();
  }
  [[nodiscard]] bool destroyed_in_call() {
    std::lock_guard lock(mutex_);
    return destroyed_in_call_;
  }
  [[nodiscard]] std::size_t native_waits() {
    std::lock_guard lock(mutex_);
    std::size_t waits = 0;
    for (const auto& [id, queue] : queues_) waits += queue.waits;
    return waits;
  }

 private:
  DeviceInfo info_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t last_id_ = 0;
  std::uint64_t step_ = 1;
  std::map<backend::QueueId, Queue> queues_;
  std::map<backend::QueueId, std::uint32_t> waiting_;
  std::size_t all_waiting_ = 0;
  std::size_t most_waiting_ = 0;
  std::vector<backend::MemoryId> released_;
  bool destroyed_in_call_ = false;
  bool oversleeps_ = false;
  std::optional<Error> error_;
  Result<void> notify_error_ = Error(Errc::unsupported, "The fake tells nobody.");
  Result<void> probe_answer_;
  bool keeps_probes_ = false;
  std::size_t probes_ = 0;
};

}  // namespace pintle::fake
