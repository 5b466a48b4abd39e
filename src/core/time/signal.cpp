#include "pintle/signal.h"

#include <utility>

#include "base/inside.h"
#include "base/timeout.h"
#include "core/door/door.h"
#include "core/time/reactor.h"
#include "core/time/signal_state.h"

namespace pintle {

Point Signal::at(std::uint64_t value) const noexcept { return Inside::make<Point>(state_, value); }
Signal Point::signal() const noexcept { return Inside::make<Signal>(signal_); }

std::string Signal::text() const noexcept {
  return core::enter_or(state_, std::string("[Signal]"), [&] { return state_->text(); });
}

Result<bool> Point::is_reached() const {
  return core::enter(signal_, "Point", "asking for a point", [&]() -> Result<bool> {
    using Status = core::PointStatus;
    Status status = signal_->timeline().status(value_);
    if (status == Status::pending) {
      signal_->refresh();
      status = signal_->timeline().status(value_);
    }
    if (status == Status::failed) return signal_->failure();
    return status == Status::reached;
  });
}

Result<void> Point::wait(Timeout timeout) const {
  return core::enter(signal_, "Point", "waiting", [&]() -> Result<void> {
    const bool is_reached = signal_->timeline().status(value_) == core::PointStatus::reached;
    PINTLE_TRY(base::check(timeout));
    if (is_reached && !core::must_await(signal_->letting_go())) return {};
    const Deadline deadline = timeout.deadline();
    auto waited = signal_->wait(value_, deadline);
    if (waited || waited.error().code() != Errc::timeout) return waited;
    if (signal_->timeline().status(value_) == core::PointStatus::failed) return waited;
    return core::Reactor::instance().explain(base::with_default(waited.error(), timeout, deadline));
  });
}

Result<void> Point::then(std::function<void(const Result<void>&)> callback, Timeout timeout) const {
  return core::enter(signal_, "Point", "registering a callback", [&]() -> Result<void> {
    if (!callback) return core::invalid("The callback is empty.");
    PINTLE_TRY(base::check(timeout));
    return core::Reactor::instance().then(signal_, value_, std::move(callback), timeout);
  });
}

bool Point::Awaiter::await_suspend(std::coroutine_handle<> handle) {
  auto registered = point_.then([this, handle](const Result<void>& result) {
    result_ = result;
    handle.resume();
  });
  if (registered) return true;
  result_ = std::move(registered);
  return false;
}

Result<Signal> Signal::create(std::uint64_t initial, std::string label) {
  return core::enter("creating a signal", [&]() -> Result<Signal> {
    base::watch_forks();
    return Signal(std::make_shared<core::SignalState>(initial, std::move(label)));
  });
}

std::uint64_t Signal::value() const noexcept {
  return core::enter_or(state_, std::uint64_t{0}, [&] {
    state_->refresh();
    return state_->timeline().value();
  });
}

std::optional<Error> Signal::failure() const noexcept {
  return core::enter_or(state_, std::optional<Error>(), [&] {
    state_->refresh();
    return state_->timeline().failure();
  });
}

Result<void> Signal::set(std::uint64_t value) {
  return core::enter(state_, "Signal", "setting a signal", [&] { return state_->set(value); });
}

Result<void> Signal::fail(Error error) {
  return core::enter(state_, "Signal", "failing a signal", [&] { return state_->fail(std::move(error)); });
}

}  // namespace pintle
