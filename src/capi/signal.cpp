// Signals and points.
#include <sys/eventfd.h>
#include <unistd.h>

#include <fmt/format.h>
#include <cerrno>
#include <cstring>
#include <memory>

#include "capi/check.h"
#include "capi/enter.h"
#include "capi/objects.h"
#include "capi/structs.h"
#include "capi/values.h"

using namespace pintle;
using namespace pintle::capi;

namespace {

/// What a callback of C gets: a status, and an error that lives until it returns.
void call(void (*callback)(void*, pintle_status, const pintle_error*), void* data,
          const Result<void>& result) noexcept {
  if (result) {
    callback(data, PINTLE_OK, nullptr);
    return;
  }
  pintle_error failure PINTLE_ERROR_INIT;
  const pintle_status status = fail(&failure, result.error());
  callback(data, status, &failure);
  (void)pintle_error_free(&failure, nullptr);
}

/// A descriptor of the library's own, since the caller may close the other at any time.
class Descriptor {
 public:
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  [[nodiscard]] int number() const noexcept { return number_; }
  [[nodiscard]] int take() noexcept { return std::exchange(number_, -1); }
  void raise() const noexcept {
    const std::uint64_t one = 1;
    (void)!write(number_, &one, sizeof one);  // an eventfd takes it unless it is full, and then it is readable
  }

 private:
  int number_;
};

/// The signal of a queue's points is the queue's alone.
Result<void> check_own(const SignalObject& signal, const char* what) {
  if (!signal.is_of_queue) return {};
  return Error(Errc::invalid_argument, fmt::format("The timeline of {} {} its queue.", signal.signal.text(), what));
}

Error no_descriptor() {
  return {Errc::io, fmt::format("The operating system gives no eventfd: {}.", std::strerror(errno))};
}

}  // namespace

pintle_status pintle_signal_create(uint64_t initial, const char* label, pintle_signal* signal, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(signal, "signal"));
    PINTLE_ASSIGN(made, Signal::create(initial, label == nullptr ? "" : label));
    return make(signal, std::move(made), false);
  });
}

pintle_status pintle_signal_value(pintle_signal signal, uint64_t* value, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(value, "value"));
    PINTLE_ASSIGN(its, use(signal));
    *value = its->signal.value();
    return {};
  });
}

pintle_status pintle_signal_set(pintle_signal signal, uint64_t value, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(its, use(signal));
    PINTLE_TRY(check_own(*its, "is raised by"));
    return its->signal.set(value);
  });
}

pintle_status pintle_signal_fail(pintle_signal signal, pintle_status code, const char* message, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(message, "message"));
    if (code < 1) return no_number("status of a failure", code, PINTLE_INTERNAL);
    PINTLE_ASSIGN(errc, enumerator(static_cast<std::uint32_t>(code), Errc::internal, "status of a failure"));
    PINTLE_ASSIGN(its, use(signal));
    PINTLE_TRY(check_own(*its, "fails with"));
    return its->signal.fail(Error(errc, message));
  });
}

pintle_status pintle_signal_failure(pintle_signal signal, pintle_error* failure, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(failure, "failure"));
    if (!is_usable(*failure)) return wrong_size("pintle_error", failure->size, {}, sizeof *failure);
    if (failure == error) return Error(Errc::invalid_argument, "The error for the failure is that of the call itself.");
    PINTLE_ASSIGN(its, use(signal));
    if (const auto first = its->signal.failure()) (void)fail(failure, *first);
    else (void)pintle_error_free(failure, nullptr);
    return {};
  });
}

pintle_status pintle_signal_release(pintle_signal signal, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    {
      PINTLE_ASSIGN(its, use(signal));
      PINTLE_TRY(check_own(*its, "ends with"));
    }
    return release(signal);
  });
}

pintle_status pintle_point_is_reached(const pintle_point* point, uint32_t* is_reached, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(is_reached, "is_reached"));
    PINTLE_ASSIGN(its, point_of(point));
    PINTLE_ASSIGN(reached, its.is_reached());
    *is_reached = reached ? 1 : 0;
    return {};
  });
}

pintle_status pintle_point_wait(const pintle_point* point, int64_t timeout, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(bound, timeout_of(timeout));
    PINTLE_ASSIGN(its, point_of(point));
    return its.wait(bound);
  });
}

pintle_status pintle_point_then(const pintle_point* point,
                                void (*callback)(void* data, pintle_status status, const pintle_error* failure),
                                void* data, int64_t timeout, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(reinterpret_cast<const void*>(callback), "callback"));
    PINTLE_ASSIGN(bound, timeout_of(timeout));
    PINTLE_ASSIGN(its, point_of(point));
    return its.then([callback, data](const Result<void>& result) { call(callback, data, result); }, bound);
  });
}

pintle_status pintle_point_eventfd(const pintle_point* point, int64_t timeout, int* descriptor, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(descriptor, "descriptor"));
    PINTLE_ASSIGN(bound, timeout_of(timeout));
    PINTLE_ASSIGN(its, point_of(point));
    const auto ours = std::make_shared<Descriptor>(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (ours->number() < 0) return no_descriptor();
    Descriptor theirs(dup(ours->number()));
    if (theirs.number() < 0) return no_descriptor();
    PINTLE_TRY(its.then([ours](const Result<void>&) { ours->raise(); }, bound));
    *descriptor = theirs.take();
    return {};
  });
}

pintle_status pintle_points_wait_all(const pintle_point* points, size_t count, int64_t timeout, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(bound, timeout_of(timeout));
    PINTLE_ASSIGN(all, points_of(points, count));
    return wait_all(all, bound);
  });
}

pintle_status pintle_points_wait_any(const pintle_point* points, size_t count, int64_t timeout, size_t* index,
                                     pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(index, "index"));
    PINTLE_ASSIGN(bound, timeout_of(timeout));
    PINTLE_ASSIGN(all, points_of(points, count));
    PINTLE_ASSIGN(first, wait_any(all, bound));
    *index = first;
    return {};
  });
}
