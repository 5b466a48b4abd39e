// How a waiter and a submitter find each other: the waiter links itself and then looks for a submission; the submitter
// publishes the submission and then looks for waiters. The one that sees the other has the device tell when it is done.
// Here core's timeline and the backends' host timeline work together as they do in the library.
#include "interleaving/core_timeline.h"
#include "kit/host_timeline.h"

namespace pintle::interleaving {
namespace {

using HostTimeline = kit::BasicHostTimeline<ModelSync>;

/// A signal as core has it, above one queue of a device.
struct Signal {
  explicit Signal(Stage& stage) : timeline(stage.make<Timeline>(0U)), device(stage.make<HostTimeline>(0U)) {}

  /// Has the device raise or fail the timeline when the submission is finished.
  void watch() {
    const auto told = [](void* state) { static_cast<Signal*>(state)->observe(); };
    static_cast<void>(device.notify(1, {told, this}));
  }
  void observe() {
    const auto reached = device.reached();
    if (reached) raise(timeline, *reached);
    if (!reached) fail(timeline, reached.error());
  }

  Timeline& timeline;
  HostTimeline& device;
};

// As SignalState::promise and SignalState::watch: promises lie under a mutex of their own.
struct PromisedSignal : Signal {
  using Signal::Signal;
  void submit() {
    {
      std::lock_guard lock(mutex);
      is_promised = true;
    }
    if (timeline.has_waiters(1)) watch();
  }
  void waiter_is_linked() {
    std::unique_lock lock(mutex);
    const bool promised = is_promised;
    lock.unlock();
    if (promised) watch();
  }

  ModelSync::Mutex mutex;
  bool is_promised = false;
};

// As QueueState::watch: an atomic says up to where the backend has the submissions.
struct QueueSignal : Signal {
  using Signal::Signal;
  void submit() {
    native.store(1);
    if (timeline.has_waiters(1)) watch();
  }
  void waiter_is_linked() {
    if (native.load() >= 1) watch();
  }

  ModelSync::Atomic<std::uint64_t> native{0};
};

template <class T>
Answer& waiting_thread(Stage& stage, T& signal) {
  auto& answer = stage.make<Answer>();
  stage.thread("waits",
               [&] { answer.give(stage, wait(stage, signal.timeline, 1, never, [&] { signal.waiter_is_linked(); })); });
  return answer;
}

template <class T>
void hand_over(Stage& stage) {
  auto& signal = stage.make<T>(stage);
  const Answer& answer = waiting_thread(stage, signal);
  stage.thread("submits and works", [&] {
    signal.submit();
    signal.device.advance(1);
  });
  stage.finally([&] {
    stage.check(answer.is(PointStatus::reached), Fault::wrong_answer, "The waiter does not get what was submitted.");
  });
}

// The backend has the submission before core publishes it, so its worker may be done at any time.
template <class T>
void hand_over_to_a_worker(Stage& stage) {
  auto& signal = stage.make<T>(stage);
  const Answer& answer = waiting_thread(stage, signal);
  stage.thread("submits", [&] { signal.submit(); });
  stage.thread("works", [&] { signal.device.advance(1); });
  stage.finally([&] {
    stage.check(answer.is(PointStatus::reached), Fault::wrong_answer, "The waiter does not get what was submitted.");
  });
}

template <class T>
void hand_over_and_lose(Stage& stage) {
  auto& signal = stage.make<T>(stage);
  const Answer& answer = waiting_thread(stage, signal);
  stage.thread("submits and is lost", [&] {
    signal.submit();
    signal.device.fail(Error(Errc::device_lost, "The device is gone."));
  });
  stage.finally(
      [&] { stage.check(answer.is(PointStatus::failed), Fault::wrong_answer, "The waiter does not get the loss."); });
}

const Registration registration = {
    {"hand_over_by_promise", hand_over<PromisedSignal>},
    {"hand_over_by_promise_to_a_worker", hand_over_to_a_worker<PromisedSignal>},
    {"hand_over_by_promise_and_lose", hand_over_and_lose<PromisedSignal>},
    {"hand_over_by_queue", hand_over<QueueSignal>},
    {"hand_over_by_queue_to_a_worker", hand_over_to_a_worker<QueueSignal>},
    {"hand_over_by_queue_and_lose", hand_over_and_lose<QueueSignal>},
};

}  // namespace
}  // namespace pintle::interleaving
