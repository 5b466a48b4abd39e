#include "kit/forwarding.h"

#include <fmt/format.h>

#include <array>
#include <type_traits>
#include <utility>

#include "base/contain.h"

namespace pintle::kit {
namespace {

// Calls `before`, then forwards. A call that returns nothing is dropped where `before` refuses it.
auto pass(auto before, auto forward) noexcept -> decltype(forward()) {
  using Answer = decltype(forward());
  if constexpr (std::is_void_v<Answer>) {
    if (base::contain("entering a layer", before)) forward();
  } else {
    return base::contain("passing a call through a layer", [&]() -> Answer {
      PINTLE_TRY(before());
      return forward();
    });
  }
}

}  // namespace

std::string_view name(Call call) noexcept {
  static constexpr std::array<std::string_view, 21> names{
      "budget", "allocate",      "release",       "load",       "unload",    "create_queue", "destroy_queue",
      "submit", "reached",       "wait",          "notify",     "map",       "unmap",        "record",
      "forget", "export_memory", "import_memory", "wrap_queue", "calibrate", "native",       "probe"};
  return names[static_cast<std::size_t>(call)];
}

Forwarding::Forwarding(std::string_view layer, std::unique_ptr<backend::Device> inner)
    : inner_(std::move(inner)), info_(inner_->info()) {
  info_.id = fmt::format("{}({})", layer, info_.id);
}

Result<std::vector<Heap>> Forwarding::budget() {
  return pass([&] { return before(Call::budget); }, [&] { return inner_->budget(); });
}

Result<backend::MemoryId> Forwarding::allocate(const backend::MemoryRequest& request) {
  return pass([&] { return before(Call::allocate); }, [&] { return inner_->allocate(request); });
}

void Forwarding::release(backend::MemoryId memory) noexcept {
  return pass([&] { return before(Call::release); }, [&] { return inner_->release(memory); });
}

Result<backend::ProgramId> Forwarding::load(const backend::ProgramImage& image) {
  return pass([&] { return before(Call::load); }, [&] { return inner_->load(image); });
}

void Forwarding::unload(backend::ProgramId program) noexcept {
  return pass([&] { return before(Call::unload); }, [&] { return inner_->unload(program); });
}

Result<backend::QueueId> Forwarding::create_queue(const backend::QueueRequest& request) {
  return pass([&] { return before(Call::create_queue); }, [&] { return inner_->create_queue(request); });
}

void Forwarding::destroy_queue(backend::QueueId queue) noexcept {
  return pass([&] { return before(Call::destroy_queue); }, [&] { return inner_->destroy_queue(queue); });
}

Result<std::uint64_t> Forwarding::submit(backend::QueueId queue, std::span<const backend::QueuePoint> waits,
                                         const backend::Commands& commands) {
  return pass([&] { return before(Call::submit); }, [&] { return inner_->submit(queue, waits, commands); });
}

Result<std::uint64_t> Forwarding::reached(backend::QueueId queue) {
  return pass([&] { return before(Call::reached); }, [&] { return inner_->reached(queue); });
}

Result<void> Forwarding::wait(backend::QueueId queue, std::uint64_t serial, Deadline deadline) {
  return pass([&] { return before(Call::wait); }, [&] { return inner_->wait(queue, serial, deadline); });
}

Result<void> Forwarding::notify(backend::QueueId queue, std::uint64_t serial, backend::Notification notification) {
  return pass([&] { return before(Call::notify); }, [&] { return inner_->notify(queue, serial, notification); });
}

Result<std::span<std::byte>> Forwarding::map(backend::MemoryId memory) {
  return pass([&] { return before(Call::map); }, [&] { return inner_->map(memory); });
}

void Forwarding::unmap(backend::MemoryId memory) noexcept {
  return pass([&] { return before(Call::unmap); }, [&] { return inner_->unmap(memory); });
}

Result<backend::RecordingId> Forwarding::record(const backend::Commands& commands) {
  return pass([&] { return before(Call::record); }, [&] { return inner_->record(commands); });
}

void Forwarding::forget(backend::RecordingId recording) noexcept {
  return pass([&] { return before(Call::forget); }, [&] { return inner_->forget(recording); });
}

Result<backend::Exported> Forwarding::export_memory(backend::MemoryId memory) {
  return pass([&] { return before(Call::export_memory); }, [&] { return inner_->export_memory(memory); });
}

Result<backend::MemoryId> Forwarding::import_memory(const backend::MemorySource& source) {
  return pass([&] { return before(Call::import_memory); }, [&] { return inner_->import_memory(source); });
}

Result<backend::QueueId> Forwarding::wrap_queue(const backend::NativeObject& queue,
                                                const backend::QueueRequest& request) {
  return pass([&] { return before(Call::wrap_queue); }, [&] { return inner_->wrap_queue(queue, request); });
}

Result<backend::ClockPair> Forwarding::calibrate() {
  return pass([&] { return before(Call::calibrate); }, [&] { return inner_->calibrate(); });
}

Result<void> Forwarding::native(std::string_view type, std::uint64_t object, void* out) {
  return pass([&] { return before(Call::native); }, [&] { return inner_->native(type, object, out); });
}

Result<void> Forwarding::probe() {
  return pass([&] { return before(Call::probe); }, [&] { return inner_->probe(); });
}

}  // namespace pintle::kit
