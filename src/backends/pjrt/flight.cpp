#include "backends/pjrt/flight.h"

#include <new>
#include <utility>

#include "base/contain.h"

namespace pintle::pjrt {

/// What the plug-in's callback carries.
struct Flight::Awaited {
  std::shared_ptr<Flight> flight;
  const pj::Table& api;

  static void come(pj::Error failed, void* state) {
    const std::unique_ptr<Awaited> self(static_cast<Awaited*>(state));
    if (failed != nullptr) {
      const auto told =
          base::contain("ending a launch", [&]() -> Result<void> { return error_of(self->api, failed, "the launch"); });
      self->flight->fail(told.error());
    }
    self->flight->end_one();
  }
};

/// A plug-in may run a program to its end before it returns: nothing is to be awaited then.
void Flight::await(const pj::Table& api, const Owned<pj::Event>& done) {
  pj::EventIsReady ready;
  ready.event = done.get();
  if (const auto asked = call(api, api.Event_IsReady, ready, "the end of a launch"); asked && ready.is_ready) {
    pj::EventError told;
    told.event = done.get();
    if (const auto ended = call(api, api.Event_Error, told, "the launch"); !ended) fail(ended.error());
    return;
  }
  auto state = std::make_unique<Awaited>(shared_from_this(), api);
  pj::EventOnReady wanted;
  wanted.event = done.get();
  wanted.callback = &Awaited::come;
  wanted.context = state.get();
  awaited_.fetch_add(1, std::memory_order_relaxed);
  if (const auto asked = call(api, api.Event_OnReady, wanted, "the end of a launch"); !asked) {
    fail(asked.error());
    end_one();
    return;
  }
  static_cast<void>(state.release());
}

void Flight::fail(const Error& error) {
  const std::lock_guard lock(mutex_);
  if (!error_) error_ = error;
}

void Flight::end_one() {
  if (awaited_.fetch_sub(1, std::memory_order_acq_rel) == 1) line_->over(shared_from_this());
}

/// Tells those who wait.
void Flight::end() noexcept {
  std::vector<kit::EventTold> told;
  {
    const std::lock_guard lock(mutex_);
    is_done_.store(true, std::memory_order_release);
    told.swap(told_);
  }
  for (const kit::EventTold& one : told) one.call(one.state, nullptr);
}

std::optional<Error> Line::begin() {
  is_running_.store(true);
  if (!has_failed_.load()) return std::nullopt;
  const std::lock_guard lock(mutex_);
  return failure_;
}

void Line::end() {
  is_running_.store(false);
  if (!has_failed_.load()) return;
  std::vector<std::shared_ptr<Flight>> failed;
  {
    const std::lock_guard lock(mutex_);
    failed.swap(failed_);
  }
  for (const auto& flight : failed) settle(flight);
}

std::optional<Error> Line::take_verdict(std::uint64_t serial) {
  const std::lock_guard lock(mutex_);
  auto found = verdicts_.extract(serial);
  if (found.empty()) return std::nullopt;
  return std::move(found.mapped());
}

/// All that the flight has started is over.
void Line::over(const std::shared_ptr<Flight>& flight) {
  if (flight->error_) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = flight->error_;
    if (flight->serial_) verdicts_.emplace(*flight->serial_, *flight->error_);
    any_failed_->store(true, std::memory_order_release);
    has_failed_.store(true);
    if (is_running_.load()) {
      failed_.push_back(flight);
      return;
    }
  }
  settle(flight);
}

void Line::settle(const std::shared_ptr<Flight>& flight) {
  flight->end();
  flights_.fetch_sub(1, std::memory_order_release);
}

bool FlightRules::tell(const Event& event, kit::EventTold told) const noexcept {
  const auto noted = base::contain("noting a wait", [&]() -> Result<bool> {
    const std::lock_guard lock(event->mutex_);
    if (event->is_done_.load(std::memory_order_acquire)) return false;
    event->told_.push_back(told);
    return true;
  });
  if (!noted) return false;
  if (!*noted) told.call(told.state, nullptr);
  return true;
}

std::shared_ptr<Flight> begin_flight(const std::shared_ptr<Line>& line, std::optional<std::uint64_t> serial) {
  auto flight = std::make_shared<Flight>(line, serial);
  line->count_one();
  return flight;
}

}  // namespace pintle::pjrt
