// For tests that drive the seam directly: a null device, lists, and a device whose answers a test changes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kit/forwarding.h"
#include "null_support.h"
#include "pintle/backend/driver.h"

namespace pintle::test {

using backend::Option;

inline backend::MemoryRequest sized(std::uint64_t bytes) { return {bytes, 1, Placement::device, {}}; }

/// Far enough that only a hang reaches it.
inline Deadline soon() { return Clock::now() + std::chrono::seconds(60); }

/// A list that owns what its spans point to.
struct List {
  std::vector<backend::Command> commands;
  std::vector<backend::Argument> arguments;

  List() = default;
  explicit List(std::vector<backend::Operation> operations) {
    for (backend::Operation& operation : operations) add(std::move(operation));
  }
  List& add(backend::Operation operation) {
    commands.push_back({std::move(operation), nullptr, false});
    return *this;
  }
  List& barrier() {
    commands.back().barrier_before = true;
    return *this;
  }
  List& label(const char* text) {
    commands.back().label = text;
    return *this;
  }
  operator backend::Commands() const { return {commands, arguments}; }  // NOLINT(google-explicit-constructor)
};

/// A host call that runs `function`, which outlives the list.
inline backend::HostCall call_of(std::function<void()>& function) {
  return {[](void* state) { (*static_cast<std::function<void()>*>(state))(); }, &function};
}

/// Forwards to a null device, unless a test put another answer in place of a call.
class Scripted final : public kit::Forwarding {
 public:
  struct Answers {
    std::function<Result<backend::MemoryId>(const backend::MemoryRequest&)> allocate;
    std::function<Result<std::uint64_t>(backend::QueueId, const backend::Commands&)> submit;
    std::function<Result<std::uint64_t>(backend::QueueId)> reached;
    std::function<Result<void>(backend::QueueId, std::uint64_t, Deadline)> wait;
    std::function<Result<void>(backend::QueueId, std::uint64_t, backend::Notification)> notify;
    std::function<Result<std::span<std::byte>>(backend::MemoryId)> map;
    std::function<Result<backend::RecordingId>(const backend::Commands&)> record;
    std::function<Result<backend::ClockPair>()> calibrate;
    std::function<Result<std::vector<Heap>>()> budget;
    std::function<void(backend::MemoryId)> release;
    std::function<void()> destroyed;
  };

  explicit Scripted(Answers answers) : Forwarding("scripted", open_null()), answers_(std::move(answers)) {}
  ~Scripted() override {
    if (answers_.destroyed) answers_.destroyed();
  }
  [[nodiscard]] DeviceInfo& editable_info() { return info_; }

  Result<std::vector<Heap>> budget() override { return answers_.budget ? answers_.budget() : Forwarding::budget(); }
  Result<backend::MemoryId> allocate(const backend::MemoryRequest& request) override {
    return answers_.allocate ? answers_.allocate(request) : Forwarding::allocate(request);
  }
  void release(backend::MemoryId memory) noexcept override {
    if (answers_.release) return answers_.release(memory);
    Forwarding::release(memory);
  }
  Result<std::uint64_t> submit(backend::QueueId queue, std::span<const backend::QueuePoint> waits,
                               const backend::Commands& commands) override {
    return answers_.submit ? answers_.submit(queue, commands) : Forwarding::submit(queue, waits, commands);
  }
  Result<std::uint64_t> reached(backend::QueueId queue) override {
    return answers_.reached ? answers_.reached(queue) : Forwarding::reached(queue);
  }
  Result<void> wait(backend::QueueId queue, std::uint64_t serial, Deadline deadline) override {
    return answers_.wait ? answers_.wait(queue, serial, deadline) : Forwarding::wait(queue, serial, deadline);
  }
  Result<void> notify(backend::QueueId queue, std::uint64_t serial, backend::Notification notification) override {
    return answers_.notify ? answers_.notify(queue, serial, notification)
                           : Forwarding::notify(queue, serial, notification);
  }
  Result<std::span<std::byte>> map(backend::MemoryId memory) override {
    return answers_.map ? answers_.map(memory) : Forwarding::map(memory);
  }
  Result<backend::RecordingId> record(const backend::Commands& commands) override {
    return answers_.record ? answers_.record(commands) : Forwarding::record(commands);
  }
  Result<backend::ClockPair> calibrate() override {
    return answers_.calibrate ? answers_.calibrate() : Forwarding::calibrate();
  }

 private:
  Answers answers_;
};

}  // namespace pintle::test
