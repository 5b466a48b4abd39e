#include "kit/guarded.h"

#include <fmt/format.h>

#include <mutex>
#include <span>
#include <variant>

#include "base/contain.h"
#include "kit/give_up.h"
#include "kit/kept_requests.h"

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

Guarded::Guarded(std::unique_ptr<backend::Device> inner, std::shared_ptr<Loss> loss, StepQueues& queues,
                 Driving driving, Waits waits)
    : inner_(std::move(inner)), loss_(std::move(loss)), driving_(driving), waits_(waits) {
  before_exit_.emplace(*this, queues);
  if (driving != Driving::never_waits) deputy_.emplace(inner_->info().id);
}

Guarded::~Guarded() {
  before_exit_.reset();
  if (loss_->is_given_up()) {
    static_cast<void>(base::contain("leaving a device", [device = inner_.release()]() -> Result<void> {
      leave(device);
      return {};
    }));
  } else if (deputy_) {
    deputy_->post([device = inner_.release()] { delete device; });
  }
}

template <class Body>
auto Guarded::guard(std::string_view what, Body body) noexcept {
  return base::contain(what, [&]() -> std::invoke_result_t<Body> {
    PINTLE_TRY(loss_->check());
    return body();
  });
}

/// Behind every release that was asked for.
Result<std::vector<Heap>> Guarded::budget() {
  return guard("asking for the memory budget", [&]() -> Result<std::vector<Heap>> {
    backend::Device* const inner = inner_.get();
    if (!may_wait()) return inner->budget();
    return ask(
        *deputy_, "asking for the memory budget", Timeout().deadline(), [inner] { return inner->budget(); },
        [](const auto&) {});
  });
}

Result<backend::MemoryId> Guarded::allocate(const backend::MemoryRequest& request) {
  return guard("allocating", [&]() -> Result<backend::MemoryId> {
    backend::Device* const inner = inner_.get();
    if (!may_wait()) return inner->allocate(request);
    return ask(
        *deputy_, fmt::format("allocating ({} bytes)", request.size), request.deadline,
        [inner, kept = KeptMemoryRequest(request)] { return inner->allocate(kept.request()); },
        [inner](backend::MemoryId memory) { inner->release(memory); });
  });
}

void Guarded::release(backend::MemoryId memory) noexcept {
  backend::Device* const inner = inner_.get();
  if (may_wait() || (waits_ != nullptr && waits_(memory))) deputy_->post([inner, memory] { inner->release(memory); });
  else inner->release(memory);
}

Result<backend::ProgramId> Guarded::load(const backend::ProgramImage& image) {
  return guard("loading a program", [&]() -> Result<backend::ProgramId> {
    backend::Device* const inner = inner_.get();
    if (!deputy_) return inner->load(image);
    const auto kept = std::make_shared<KeptProgramImage>(image);
    auto loaded = ask(
        *deputy_, fmt::format("loading [{}]", image.name), image.deadline,
        [inner, kept] { return inner->load(kept->image()); },
        [inner](backend::ProgramId program) { inner->unload(program); });
    if (loaded) kept->tell(image);
    return loaded;
  });
}

void Guarded::unload(backend::ProgramId program) noexcept {
  backend::Device* const inner = inner_.get();
  if (!may_wait()) inner->unload(program);
  else deputy_->post([inner, program] { inner->unload(program); });
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

/// A driver that refuses memory of the host may still have it from before: it is asked again behind what is to be
/// released.
Result<backend::MemoryId> Guarded::import_memory(const backend::MemorySource& source) {
  return guard("importing memory", [&]() -> Result<backend::MemoryId> {
    const auto* const bytes = std::get_if<std::span<std::byte>>(&source);
    const bool may_have_it = bytes != nullptr && waits_ != nullptr && deputy_->is_busy();
    backend::Device* const inner = inner_.get();
    auto imported = inner->import_memory(source);
    if (imported || !may_have_it || !imported.error().vendor()) return imported;
    return ask(
        *deputy_, "importing memory", Timeout().deadline(),
        [inner, bytes = *bytes] { return inner->import_memory(bytes); },
        [inner](backend::MemoryId memory) { inner->release(memory); });
  });
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
