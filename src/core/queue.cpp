#include "pintle/queue.h"

#include <utility>

#include "base/contain.h"
#include "core/crossings.h"
#include "core/describe.h"
#include "core/incarnation.h"
#include "core/queue_state.h"
#include "core/recording_state.h"

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
