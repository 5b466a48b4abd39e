#include "pintle/queue.h"

#include <utility>

#include "base/inside.h"
#include "core/door/door.h"
#include "core/queue/crossings.h"
#include "core/queue/queue_state.h"
#include "core/queue/recording_state.h"
#include "pintle/resource.h"

namespace pintle {

using core::enter;

namespace {

inline Result<Point> point_of(const std::shared_ptr<core::QueueState>& queue, const Result<std::uint64_t>& value) {
  if (!value) [[unlikely]]
    return value.error();
  return core::SignalState::point(queue->timeline(), *value);
}

}  // namespace

Result<std::uint64_t> Queue::start(CommandList&& list, SubmitOptions* options) {
  auto value = enter(state_, "Queue", "submitting", [&] {
    if (!core::has_crossings(list)) return state_->submit(std::move(list), options);
    CommandList pieces = std::move(list);
    return core::Crossings(state_, pieces).submit(options);
  });
  if (!value) [[unlikely]]
    static_cast<void>(CommandList(std::move(list)));  // a list that is refused is gone, too
  return value;
}

Result<std::uint64_t> Queue::start(const Recording& recording, std::span<const SlotValue> bindings,
                                   SubmitOptions* options) {
  return enter(state_, "Queue", "replaying", [&]() -> Result<std::uint64_t> {
    if (!Inside::state(recording)) return core::empty_object("Recording");
    return state_->replay(*Inside::state(recording), bindings, options);
  });
}

Result<Point> Queue::submit(CommandList&& list) { return point_of(state_, start(std::move(list), nullptr)); }

Result<Point> Queue::submit(CommandList&& list, SubmitOptions options) {
  return point_of(state_, start(std::move(list), &options));
}

Result<Point> Queue::replay(const Recording& recording, std::span<const SlotValue> bindings, SubmitOptions options) {
  return point_of(state_, start(recording, bindings, &options));
}

Result<Point> Queue::replay(const Recording& recording, std::span<const SlotValue> bindings) {
  return point_of(state_, start(recording, bindings, nullptr));
}

Result<void> Queue::submit_and_wait(CommandList&& list, Timeout timeout) {
  CommandList mine = std::move(list);
  SubmitOptions options{.timeout = timeout};
  if (core::has_crossings(mine)) {
    PINTLE_ASSIGN(done, submit(std::move(mine), std::move(options)));
    return done.wait(timeout);
  }
  PINTLE_ASSIGN(value, enter(state_, "Queue", "submitting",
                             [&] { return state_->submit(std::move(mine), &options, core::Caller::waits); }));
  auto waited = core::SignalState::point(state_->timeline(), value).wait(timeout);
  if (!waited) state_->look_after(value);
  return waited;
}

Result<Buffer> Queue::allocate(const Resource& resource, DType dtype, const Shape& shape,
                               const BufferOptions& options) {
  return enter(state_, "Queue", "allocating a buffer",
               [&] { return resource.allocate(*this, dtype, shape, std::move(options)); });
}

/// Success for a buffer of the queue's device.
Result<void> Queue::check_own(const Buffer& buffer) const {
  if (Inside::table(buffer) == nullptr) return core::empty_object("Buffer");
  if (Inside::table(buffer) == &state_->table()) return {};
  return Inside::table(buffer)->life().foreign(buffer.text(), state_->life());
}

Result<void> Queue::free(Buffer buffer) {
  return enter(state_, "Queue", "freeing a buffer", [&]() -> Result<void> {
    PINTLE_TRY(check_own(buffer));
    return state_->touch(Inside::buffer(buffer.view()));
  });
}

Result<Buffer> Queue::fork(const Buffer& buffer, std::string label) {
  return enter(state_, "Queue", "forking a buffer", [&]() -> Result<Buffer> {
    PINTLE_TRY(check_own(buffer));
    PINTLE_TRY(state_->life().usable(text()));
    core::BufferTable& table = *Inside::table(buffer);
    PINTLE_ASSIGN(options, table.options_like(Inside::buffer(buffer.view()), std::move(label)));
    PINTLE_ASSIGN(copy, table.allocate(buffer.dtype(), buffer.shape(), options));
    PINTLE_ASSIGN(done, submit(CommandList{}.copy(copy, buffer)));
    table.note_formed(Inside::buffer(copy.view()), done);
    return std::move(copy);
  });
}

Result<void> Queue::check(const BufferView& view, Access access) const {
  return enter(state_, "Queue", "checking a view", [&] { return state_->check(view, access); });
}

Point Queue::last() const noexcept {
  return core::enter_or(state_, Point(), [&] { return state_->last(); });
}

std::string Queue::text() const noexcept {
  return core::enter_or(state_, std::string("[Queue]"), [&] { return state_->text(); });
}

Result<void> Queue::fill_native(std::string_view type, void* out) const {
  return enter(state_, "Queue", "asking for a native type", [&] {
    return core::fill_native(state_->life(), type, static_cast<std::uint64_t>(state_->id()), out, text());
  });
}

Result<void> core::read_elements(Queue& queue, const BufferView& from,
                                 const std::function<HostMemory(std::uint64_t bytes)>& make, Timeout timeout) {
  return enter("reading a buffer", [&]() -> Result<void> {
    HostMemory memory = make(from.size_bytes());
    CommandList list;
    list.download_retained(std::move(memory.owner), memory.bytes, from);
    return queue.submit_and_wait(std::move(list), timeout);
  });
}

Submission Queue::begin() noexcept { return Inside::make<Submission>(*this); }

Submission Queue::after(Point point) noexcept { return begin().after(std::move(point)); }

Submission&& Submission::add(std::vector<Point>& to, Point&& point) noexcept {
  const auto added = base::contain("building a submission", [&]() -> Result<void> {
    to.push_back(std::move(point));
    return {};
  });
  if (!added && !error_) error_ = added.error();
  return std::move(*this);
}

Submission&& Submission::after(Point point) noexcept { return add(options_.after, std::move(point)); }
Submission&& Submission::signal(Point point) noexcept { return add(options_.signal, std::move(point)); }

Result<Point> Submission::submit() {
  if (error_) return *error_;
  return queue_->submit(std::move(list_), std::move(options_));
}

std::size_t Recording::slots() const noexcept { return state_ ? state_->slots() : 0; }

std::string Recording::text() const noexcept {
  return core::enter_or(state_, std::string("[Recording]"), [&] { return state_->text(); });
}

}  // namespace pintle
