// What an implementation is asked for, and gives by a callback.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "backends/webgpu/api.h"
#include "pintle/deadline.h"

namespace pintle::webgpu {

/// Any thread that lets callbacks come may bring it, also when nobody waits any more.
template <class Handle>
struct Answer {
  std::atomic<bool> has_come{false};
  Handle handle = nullptr;
  std::string message;

  static void take(std::uint32_t status, Handle handle, wg::StringView message, void* answer, void*) {
    auto& self = *static_cast<Answer*>(answer);
    self.handle = status == wg::succeeded ? handle : nullptr;
    self.message = message.text();
    self.has_come.store(true, std::memory_order_release);
  }
};

/// Calls `request(callback)` and waits for the answer, ten seconds at most. `unavailable` has the implementation's
/// words.
template <class Handle, class Request>
[[nodiscard]] Result<Handle> ask(const Implementation& implementation, Request request) {
  const auto answer = std::make_shared<Answer<Handle>>();
  wg::Callback<std::uint32_t, Handle, wg::StringView> callback;
  callback.call = &Answer<Handle>::take;
  callback.first = answer.get();
  request(callback);
  const Deadline until = Clock::now() + std::chrono::seconds(10);
  while (!answer->has_come.load(std::memory_order_acquire)) {
    if (Clock::now() >= until) {
      static_cast<void>(new std::shared_ptr(answer));  // the callback may still come
      return Error(Errc::unavailable, "it does not answer.");
    }
    implementation.api.InstanceProcessEvents(implementation.instance);
    std::this_thread::yield();
  }
  if (answer->handle != nullptr) return answer->handle;
  return Error(Errc::unavailable, answer->message);
}

}  // namespace pintle::webgpu
