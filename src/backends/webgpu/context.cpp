#include "backends/webgpu/context.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <thread>

#include "backends/webgpu/answer.h"
#include "base/log.h"
#include "kit/one_line.h"
#include "pintle/deadline.h"

namespace pintle::webgpu {
namespace {

using LossHolder = std::shared_ptr<kit::Loss>;

/// A device that its owner destroys is no loss. The holder is the callback's for ever: it may come late or never.
void have_lost(const wg::Device*, wg::LostReason reason, wg::StringView message, void* holder, void*) {
  if (reason == wg::LostReason::destroyed || reason == wg::LostReason::callback_cancelled) return;
  static_cast<void>(
      (*static_cast<LossHolder*>(holder))
          ->lose({Errc::device_lost, fmt::format("The device is lost: {}", kit::one_line(message.text()))}));
}

/// Scopes have no filter for every error: wgpu-native ends the process where it is asked for internal ones.
void have_failed(const wg::Device*, wg::ErrorType, wg::StringView message, void* uncaught, void*) {
  (*static_cast<std::shared_ptr<Uncaught>*>(uncaught))->note(kit::one_line(message.text()));
}

struct Popped {
  std::atomic<bool> has_come{false};
  wg::ErrorType type = wg::ErrorType::none;
  std::string message;

  static void take(std::uint32_t, wg::ErrorType type, wg::StringView message, void* popped, void*) {
    auto& self = *static_cast<Popped*>(popped);
    self.type = type;
    self.message = message.text();
    self.has_come.store(true, std::memory_order_release);
  }
};

constexpr std::array filters{wg::ErrorFilter::validation, wg::ErrorFilter::out_of_memory};
constexpr auto patience = std::chrono::seconds(10);

}  // namespace

Result<std::unique_ptr<Context>> Context::open(const FoundDevice& found) {
  std::unique_ptr<Context> context(new Context(found));
  PINTLE_TRY(context->create_device(found));
  return context;
}

Result<void> Context::create_device(const FoundDevice& found) {
  PINTLE_ASSIGN(adapter, adapter_of(*found.implementation, found.index));
  wg::DeviceDescriptor wanted;
  wanted.feature_count = abilities_.features.size();
  wanted.features = abilities_.features.data();
  wanted.limits = &abilities_.limits;
  wanted.lost.mode = wg::CallbackMode::allow_spontaneous;
  wanted.lost.call = &have_lost;
  wanted.lost.first = new LossHolder(loss_);
  wanted.error.call = &have_failed;
  wanted.error.first = new std::shared_ptr<Uncaught>(uncaught_);
  const auto opened = ask<wg::Device>(*found.implementation, [&](const wg::DeviceCallback& callback) {
    api.AdapterRequestDevice(adapter.get(), &wanted, callback);
  });
  if (!opened) {
    return Error(Errc::unavailable,
                 fmt::format("The adapter of [{}] gives no device: {}", id_, kit::one_line(opened.error().message())));
  }
  device_ = *opened;
  queue_ = api.DeviceGetQueue(device_);
  return {};
}

Context::~Context() {
  loss_->remove(*this);
  if (queue_ != nullptr) api.QueueRelease(queue_);
  if (device_ == nullptr) return;
  api.DeviceDestroy(device_);
  api.DeviceRelease(device_);
}

void Context::pump() noexcept {
  if (api.DevicePoll != nullptr) api.DevicePoll(device_, 0, nullptr);
  else api.InstanceProcessEvents(instance_);
}

Catch::Catch(Context& context) : context_(context), lock_(context.catching_) {
  if (const auto before = context_.uncaught_->take())
    base::log(LogLevel::warn, "webgpu", "A call fails on [{}]: {}", context_.id(), *before);
  go_on();
}

Catch::~Catch() {
  if (is_open_) static_cast<void>(pop());
}

void Catch::go_on() noexcept {
  is_open_ = true;
  for (const wg::ErrorFilter filter : filters) context_.api.DevicePushErrorScope(context_.device_, filter);
}

std::optional<Error> Catch::pop() {
  std::optional<Error> first;
  is_open_ = false;
  for (std::size_t index = 0; index < filters.size(); ++index) {
    const auto popped = std::make_shared<Popped>();
    wg::ScopeCallback callback;
    callback.mode = wg::CallbackMode::allow_spontaneous;
    callback.call = &Popped::take;
    callback.first = popped.get();
    context_.api.DevicePopErrorScope(context_.device_, callback);
    const Deadline until = Clock::now() + patience;
    while (!popped->has_come.load(std::memory_order_acquire) && Clock::now() < until) {
      context_.pump();
      std::this_thread::yield();
    }
    if (!popped->has_come.load(std::memory_order_acquire)) {
      static_cast<void>(new std::shared_ptr<Popped>(popped));  // the callback may still come
      first = Error(Errc::internal, "The device does not tell whether its calls have failed.");
    } else if (popped->type != wg::ErrorType::none) {
      const bool is_memory = popped->type == wg::ErrorType::out_of_memory;
      first = Error(is_memory ? Errc::out_of_memory : Errc::internal, popped->message);
    }
  }
  const std::optional<std::string> uncaught = context_.uncaught_->take();
  if (!first && uncaught) first = Error(Errc::internal, *uncaught);
  return first;
}

Result<void> Catch::check(std::string_view what) {
  const std::optional<Error> failed = pop();
  PINTLE_TRY(context_.alive());
  if (!failed) return {};
  return Error(failed->code(), fmt::format("The implementation refuses {} for [{}]: {}", what, context_.id(),
                                           kit::one_line(failed->message())));
}

}  // namespace pintle::webgpu
