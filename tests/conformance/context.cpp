#include "conformance/context.h"

#include <fmt/format.h>

#include <atomic>
#include <thread>
#include <utility>

namespace pintle::conformance {

Context::Context(Device device)
    : device_(std::move(device)), info_(device_.info()), kernels_(std::make_shared<LoadedKernels>()) {}

Result<void> Context::find_first() {
  PINTLE_ASSIGN(fresh, device_.create_queue());
  first_ = fresh.last().value();
  return {};
}

std::string Context::unique() {
  static std::atomic<std::uint64_t> next{1};
  return fmt::format("conformance{}", next.fetch_add(1));
}

void Context::require(Feature feature) const {
  const Capability capability = info_.capability(feature);
  if (capability.support != Support::absent) return;
  not_applicable(fmt::format("{} is absent: {}", pintle::name(feature), capability.detail));
}

void Context::require_groups() const {
  if (!has_groups()) not_applicable("a launch has one group on this device, and this case is about groups");
}

void Context::require_bytes() const {
  if (!executes()) not_applicable("not applicable: executes nothing");
}

Queue Context::queue(std::string label) const {
  return need(device_.create_queue({QueueKind::compute, std::move(label)}));
}

Signal Context::signal(std::string label) const { return need(Signal::create(first_, std::move(label))); }

Result<void> Context::wait(const Point& point, Duration limit) const {
  if (!is_driven()) return point.wait(limit);
  const Deadline deadline = deadline_after(Clock::now(), limit);
  for (;;) {
    PINTLE_TRY(device_.poll());
    PINTLE_ASSIGN(reached, point.is_reached());
    if (reached) return {};
    if (Clock::now() >= deadline) return Error(Errc::timeout, "Polling for a point takes too long.");
    std::this_thread::yield();
  }
}

void Context::finish(const Point& point, std::source_location where) const { need(wait(point), where); }

bool Context::eventually(const std::function<bool()>& holds) const {
  const Deadline deadline = deadline_after(Clock::now(), patience);
  while (!holds()) {
    if (Clock::now() >= deadline) return false;
    static_cast<void>(device_.poll());  // a loss is the condition's business
    std::this_thread::yield();
  }
  return true;
}

Buffer Context::allocate(DType dtype, std::uint64_t count, std::string label) const {
  return need(device_.allocate(dtype, Shape{count}, {.label = std::move(label)}));
}

void Context::write(const BufferView& to, std::span<const std::byte> bytes) const {
  Queue writer = queue("writer");
  finish(need(writer.submit(CommandList{}.upload(to, bytes))));
}

std::vector<std::byte> Context::bytes(Queue& queue, const BufferView& from) const {
  auto bytes = std::make_shared<std::vector<std::byte>>(from.size_bytes());
  finish(need(queue.submit(CommandList{}.download_retained(bytes, *bytes, from))));
  return *bytes;
}

Kernel Context::kernel(std::string_view entry) const {
  if (is_about_groups(entry)) require_groups();
  return need(kernels_->kernel(device_, entry));
}

}  // namespace pintle::conformance
