#include "pintle/queue.h"

#include <utility>

#include "base/contain.h"
#include "core/device/incarnation.h"
#include "core/door/describe.h"
#include "core/queue/crossings.h"
#include "core/queue/queue_state.h"
#include "core/queue/recording_state.h"
#include "pintle/resource.h"

namespace pintle {

Result<Point> Queue::start(CommandList&& list, SubmitOptions* options) {
  if (!state_) return core::empty_object("Queue");
  return base::contain("submitting", [&] {
    if (list.crossings_ != nullptr) return core::Crossings(state_, list).submit(options);
    return state_->submit(std::move(list), options);
  });
}

Result<Point> Queue::submit(CommandList list, SubmitOptions options) { return start(std::move(list), &options); }

Result<Point> Queue::start(const Recording& recording, std::span<const SlotValue> bindings, SubmitOptions* options) {
  if (!state_) return core::empty_object("Queue");
  if (!recording.state_) return core::empty_object("Recording");
  return base::contain("replaying", [&] { return state_->replay(*recording.state_, bindings, options); });
}

Result<Point> Queue::replay(const Recording& recording, std::span<const SlotValue> bindings, SubmitOptions options) {
  return start(recording, bindings, &options);
}

Result<Point> Queue::replay(const Recording& recording, std::span<const SlotValue> bindings) {
  return start(recording, bindings, nullptr);
}

Result<void> Queue::submit_and_wait(CommandList list, Timeout timeout) {
  SubmitOptions options{.timeout = timeout};
  PINTLE_ASSIGN(done, start(std::move(list), &options));
  return done.wait(timeout);
}

Result<Buffer> Queue::allocate(Resource& resource, DType dtype, const Shape& shape, const BufferOptions& options) {
  if (!state_) return core::empty_object("Queue");
  return base::contain("allocating a buffer",
                       [&] { return resource.allocate(*this, dtype, shape, std::move(options)); });
}

Result<void> Queue::free(Buffer buffer) {
  if (!state_) return core::empty_object("Queue");
  if (buffer.incarnation_ == nullptr) return core::empty_object("Buffer");
  if (buffer.incarnation_ != &state_->incarnation())
    return buffer.incarnation_->foreign(buffer.text(), state_->incarnation());
  return base::contain("freeing a buffer", [&]() -> Result<void> {
    state_->touch(buffer.view_.buffer_);
    return {};
  });
}

Result<Buffer> Queue::fork(const Buffer& buffer, std::string label) {
  if (!state_) return core::empty_object("Queue");
  if (buffer.incarnation_ == nullptr) return core::empty_object("Buffer");
  core::Incarnation& incarnation = state_->incarnation();
  if (buffer.incarnation_ != &incarnation) return buffer.incarnation_->foreign(buffer.text(), incarnation);
  return base::contain("forking a buffer", [&]() -> Result<Buffer> {
    PINTLE_TRY(incarnation.usable(text()));
    PINTLE_ASSIGN(fork, incarnation.fork(*state_, buffer.view_, label));
    if (fork) return *std::move(fork);
    PINTLE_ASSIGN(copy, incarnation.allocate(buffer.dtype(), buffer.shape(), {.label = std::move(label)}));
    PINTLE_TRY(submit(CommandList{}.copy(copy, buffer)));
    return std::move(copy);
  });
}

Result<Point> Queue::unshare(const Buffer& buffer) {
  if (!state_) return core::empty_object("Queue");
  if (buffer.incarnation_ == nullptr) return core::empty_object("Buffer");
  if (buffer.incarnation_ != &state_->incarnation())
    return buffer.incarnation_->foreign(buffer.text(), state_->incarnation());
  return base::contain("unsharing a buffer", [&] { return state_->unshare(buffer.view_.buffer_); });
}

Point Queue::last() const noexcept { return state_ ? state_->last() : Point(); }

std::string Queue::text() const { return state_ ? state_->text() : "[Queue]"; }

Result<void> Queue::fill_native(std::string_view type, void* out) const {
  if (!state_) return core::empty_object("Queue");
  auto& incarnation = state_->incarnation();
  PINTLE_TRY(incarnation.usable(text()));
  auto filled = incarnation.device().native(type, static_cast<std::uint64_t>(state_->id()), out);
  if (!filled) return incarnation.report(filled.error()).during(core::native_text(type, text()));
  return {};
}

Submission Queue::begin() { return Submission(*this); }

Submission Queue::wait(Point point) { return begin().wait(std::move(point)); }

Submission&& Submission::wait(Point point) {
  options_.wait.push_back(std::move(point));
  return std::move(*this);
}

Submission&& Submission::signal(Point point) {
  options_.signal.push_back(std::move(point));
  return std::move(*this);
}

Submission&& Submission::copy(const BufferArgument& to, const BufferArgument& from) {
  list_.copy(to, from);
  return std::move(*this);
}

Submission&& Submission::barrier() {
  list_.barrier();
  return std::move(*this);
}

Submission&& Submission::label(std::string_view text) {
  list_.label(text);
  return std::move(*this);
}

Result<Point> Submission::submit() { return queue_->submit(std::move(list_), std::move(options_)); }

std::size_t Recording::slots() const noexcept { return state_ ? state_->slots() : 0; }

std::string Recording::text() const { return state_ ? state_->text() : "[Recording]"; }

}  // namespace pintle
