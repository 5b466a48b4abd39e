#include "kit/guarded.h"

#include <mutex>

#include "base/contain.h"
#include "kit/give_up.h"

namespace pintle::kit {
namespace {

/// Notes a device that is never destroyed, where leak checkers can reach it.
void leave(backend::Device* device) {
  static std::mutex& mutex = *new std::mutex;
  static auto& left = *new std::vector<backend::Device*>;
  const std::lock_guard lock(mutex);
  left.push_back(device);
}

}  // namespace

Guarded::~Guarded() {
  if (!loss_->is_given_up()) return;
  static_cast<void>(base::contain("leaving a device", [device = inner_.release()]() -> Result<void> {
    leave(device);
    return {};
  }));
}

template <class Body>
auto Guarded::guard(std::string_view what, Body body) noexcept {
  return base::contain(what, [&]() -> std::invoke_result_t<Body> {
    PINTLE_TRY(loss_->check());
    return body();
  });
}

Result<std::vector<Heap>> Guarded::budget() {
  return guard("asking for the memory budget", [&] { return inner_->budget(); });
}

Result<backend::MemoryId> Guarded::allocate(const backend::MemoryRequest& request) {
  return guard("allocating", [&] { return inner_->allocate(request); });
}

Result<backend::ProgramId> Guarded::load(const backend::ProgramImage& image) {
  return guard("loading a program", [&] { return inner_->load(image); });
}

Result<backend::QueueId> Guarded::create_queue(const backend::QueueRequest& request) {
  return guard("creating a queue", [&] { return inner_->create_queue(request); });
}

Result<std::uint64_t> Guarded::submit(backend::QueueId queue, std::span<const backend::QueuePoint> waits,
                                      const backend::Commands& commands) {
  return guard("submitting", [&] { return inner_->submit(queue, waits, commands); });
}

Result<std::uint64_t> Guarded::reached(backend::QueueId queue) {
  return guard("looking at a queue", [&] { return inner_->reached(queue); });
}

Result<void> Guarded::wait(backend::QueueId queue, std::uint64_t serial, Deadline deadline) {
  return guard("waiting", [&] { return inner_->wait(queue, serial, deadline); });
}

Result<void> Guarded::notify(backend::QueueId queue, std::uint64_t serial, backend::Notification notification) {
  return guard("asking for a notification", [&] { return inner_->notify(queue, serial, notification); });
}

Result<std::span<std::byte>> Guarded::map(backend::MemoryId memory) {
  return guard("mapping", [&] { return inner_->map(memory); });
}

Result<backend::RecordingId> Guarded::record(const backend::Commands& commands) {
  return guard("recording", [&] { return inner_->record(commands); });
}

Result<backend::Exported> Guarded::export_memory(backend::MemoryId memory) {
  return guard("exporting memory", [&] { return inner_->export_memory(memory); });
}

Result<backend::MemoryId> Guarded::import_memory(const backend::MemorySource& source) {
  return guard("importing memory", [&] { return inner_->import_memory(source); });
}

Result<backend::QueueId> Guarded::wrap_queue(const backend::NativeObject& queue, const backend::QueueRequest& request) {
  return guard("wrapping a queue", [&] { return inner_->wrap_queue(queue, request); });
}

Result<backend::ClockPair> Guarded::calibrate() {
  return guard("relating clocks", [&] { return inner_->calibrate(); });
}

Result<void> Guarded::native(std::string_view type, std::uint64_t object, void* out) {
  if (type == GiveUp::native_type) {
    return base::contain("giving up a device", [&]() -> Result<void> {
      static_cast<void>(loss_->give_up(static_cast<GiveUp*>(out)->cause));
      return {};
    });
  }
  return guard("asking for native access", [&] { return inner_->native(type, object, out); });
}

Result<void> Guarded::probe() {
  return guard("probing", [&] { return inner_->probe(); });
}

}  // namespace pintle::kit
