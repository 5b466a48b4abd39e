// Signals on their own: values, failures, waits, callbacks, descriptors.
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <limits>
#include <thread>

#include "suite.h"

namespace csuite {
namespace {

class Signal : public Suite {
 protected:
  static std::uint64_t value(pintle_signal signal) { return made<std::uint64_t>(pintle_signal_value, signal); }
  static void fail(pintle_signal signal) {
    ok(pintle_signal_fail, signal, pintle_status{PINTLE_CANCELLED}, "The experiment is called off.");
  }
  static void refused_wait(pintle_status status, std::initializer_list<std::string_view> words,
                           const pintle_point& point, std::int64_t timeout = moment) {
    refused(status, words, pintle_point_wait, &point, timeout);
  }
};

/// How often a callback was called, and with what last.
struct Heard {
  std::atomic<int> calls{0};
  std::atomic<pintle_status> status{-1};

  static void hear(void* data, pintle_status status, const pintle_error* failure) {
    auto& self = *static_cast<Heard*>(data);
    EXPECT_EQ(failure == nullptr, status == PINTLE_OK);
    self.status = status;
    ++self.calls;
  }
  void listen(const pintle_point& point, std::int64_t timeout = patience) {
    ok(pintle_point_then, &point, &Heard::hear, static_cast<void*>(this), timeout);
  }
};

TEST_P(Signal, StartsWhereItIsToldAndNeverGoesBack) {
  const auto counter =
      keep(made<pintle_signal>(pintle_signal_create, std::uint64_t{7}, "counter"), &pintle_signal_release);
  EXPECT_EQ(value(counter), 7u);
  EXPECT_TRUE(is_reached(at(counter, 7)));
  EXPECT_FALSE(is_reached(at(counter, 8)));
  ok(pintle_signal_set, counter, std::uint64_t{12});
  refused(PINTLE_INVALID_ARGUMENT, {"11", "12", "\"counter\""}, pintle_signal_set, counter, std::uint64_t{11});
  ok(pintle_signal_set, counter, std::uint64_t{12});
  auto options = sized<pintle_submit_options>();
  const pintle_point past = at(counter, 9);
  options.signal = &past;
  options.signal_count = 1;
  refused(PINTLE_INVALID_ARGUMENT, {"\"counter\""}, pintle_queue_submit, queue(), list(), &options, nullptr);
  EXPECT_EQ(value(counter), 12u);
}

TEST_P(Signal, OneValueMayBePromisedTwice) {
  const pintle_queue first = queue(), second = queue();
  const pintle_signal gate = signal(), done = signal();
  const pintle_point late = submit(first, list(), {at(gate, 1)}, {at(done, 1)});
  submit(second, list(), {}, {at(done, 1)});
  finish(at(done, 1));
  EXPECT_FALSE(is_reached(late));
  ok(pintle_signal_set, gate, std::uint64_t{1});
  finish(late);
  EXPECT_EQ(value(done), 1u);
}

/// A host call that ends when it is let go: at the latest with the case, also where that fails.
class Blocked {
 public:
  Blocked() noexcept { is_open = false; }
  Blocked(const Blocked&) = delete;
  Blocked& operator=(const Blocked&) = delete;
  ~Blocked() { let_go(); }
  static void let_go() noexcept { is_open = true; }
  static void wait(void*) {
    while (!is_open) std::this_thread::yield();
  }

 private:
  static inline std::atomic<bool> is_open{false};
};

// Work that is held for something else is not kept by the queue that promised first, once another has brought the
// value.
TEST_P(Signal, HeldWorkFollowsWhoeverBringsTheValue) {
  if (!on().calls_host) GTEST_SKIP() << "not applicable: no host calls";
  if (on().is_driven) GTEST_SKIP() << "not applicable: a host call cannot wait for the thread that submits";
  const Blocked blocked;
  const pintle_queue slow = queue("slow"), fast = queue("fast");
  const pintle_signal gate = signal(), brought = signal();
  const pintle_list waits = list();
  ok(pintle_list_call, waits, &Blocked::wait, nullptr);
  const pintle_point late = submit(slow, waits, {}, {at(brought, 1)});
  const pintle_point held = submit(queue(), list(), {at(brought, 1), at(gate, 1)});
  submit(fast, list(), {}, {at(brought, 2)});
  finish(at(brought, 2));
  ok(pintle_signal_set, gate, std::uint64_t{1});
  finish(held);
  EXPECT_FALSE(is_reached(late));
  Blocked::let_go();
  finish(late);
}

// A point names the signal, and a queue's timeline has as many handles as are asked for.
TEST_P(Signal, CopiesShareTheTimeline) {
  const pintle_signal counter = signal(), copy = counter;
  ok(pintle_signal_set, copy, std::uint64_t{3});
  EXPECT_EQ(value(counter), 3u);
  ok(pintle_signal_set, at(counter, 3).signal, std::uint64_t{4});
  EXPECT_EQ(value(copy), 4u);
  const pintle_queue queue = this->queue();
  const auto timeline = [&] { return keep(made<pintle_signal>(pintle_queue_timeline, queue), &pintle_signal_release); };
  const pintle_signal first = timeline(), second = timeline();
  finish(submit(queue, list()));
  EXPECT_NE(first.id, second.id);
  EXPECT_EQ(value(first), value(second));
  ok(pintle_signal_release, first);
  EXPECT_TRUE(is_reached(at(second, value(second))));
}

TEST_P(Signal, GoesToTheEndOfItsRange) {
  constexpr std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
  const auto end = keep(made<pintle_signal>(pintle_signal_create, last - 1, nullptr), &pintle_signal_release);
  const pintle_point held = submit(queue(), list(), {at(end, last)});
  refused_wait(PINTLE_TIMEOUT, {std::to_string(last), std::to_string(last - 1)}, at(end, last));
  ok(pintle_signal_set, end, last);
  finish(held);
}

TEST_P(Signal, TimeoutsAreWhatTheySay) {
  const pintle_signal quiet = signal("quiet");
  refused_wait(PINTLE_TIMEOUT, {"\"quiet\"", "7", "0"}, at(quiet, 7), 0);
  refused_wait(PINTLE_INVALID_ARGUMENT, {"-5"}, at(quiet, 1), -5);
  ok(pintle_signal_set, quiet, std::uint64_t{1});
  const pintle_point reached = at(quiet, 1);
  ok(pintle_point_wait, &reached, std::int64_t{PINTLE_TIMEOUT_INFINITE});
  ok(pintle_point_wait, &reached, std::int64_t{PINTLE_TIMEOUT_DEFAULT});
}

// The work goes on after a timeout.
TEST_P(Signal, TimeoutOfAQueueNamesTheOldestUnfinished) {
  const pintle_queue stuck = queue("stuck");
  const pintle_signal gate = signal("gate");
  const pintle_buffer words = buffer(PINTLE_U32, 4);
  submit(stuck, fill(words, 1), {at(gate, 1)}, {}, "the oldest");
  const pintle_point last = submit(stuck, fill(words, 2));
  refused_wait(PINTLE_TIMEOUT, {"[Queue", "\"stuck\"", std::to_string(last.value), "the oldest"}, last);
  ok(pintle_signal_set, gate, std::uint64_t{1});
  finish(last);
}

TEST_P(Signal, FailureReachesEveryWaiterAndOnlyTheFirstCounts) {
  const pintle_signal doomed = signal("doomed");
  ok(pintle_signal_set, doomed, std::uint64_t{2});
  fail(doomed);
  EXPECT_TRUE(is_reached(at(doomed, 2)));
  finish(at(doomed, 1));
  (void)call(pintle_signal_fail, doomed, pintle_status{PINTLE_IO}, "Something else.");
  refused_wait(PINTLE_CANCELLED, {"called off", "\"doomed\""}, at(doomed, 3));
  const pintle_point beyond = at(doomed, 3);
  std::uint32_t unused = 0;
  refused(PINTLE_CANCELLED, {"called off"}, pintle_point_is_reached, &beyond, &unused);
  refused(PINTLE_CANCELLED, {"called off"}, pintle_signal_set, doomed, std::uint64_t{3});
  EXPECT_EQ(value(doomed), 2u);
  const pintle_queue queue = this->queue();
  const pintle_point failed = submit(queue, list(), {at(doomed, 3)});
  refused_wait(PINTLE_CANCELLED, {"called off"}, failed, patience);
}

TEST_P(Signal, WaitsForAllAndForAny) {
  const pintle_signal a = signal(), b = signal("late");
  const Points both{at(a, 1), at(b, 2)};
  std::size_t index = 7;
  refused(PINTLE_TIMEOUT, {}, pintle_points_wait_any, both.data(), both.size(), moment, &index);
  ok(pintle_signal_set, a, std::uint64_t{1});
  refused(PINTLE_TIMEOUT, {"\"late\""}, pintle_points_wait_all, both.data(), both.size(), moment);
  ok(pintle_signal_set, b, std::uint64_t{2});
  ok(pintle_points_wait_all, both.data(), both.size(), patience);
  ok(pintle_points_wait_all, nullptr, std::size_t{0}, std::int64_t{0});
  refused(PINTLE_INVALID_ARGUMENT, {}, pintle_points_wait_any, nullptr, std::size_t{0}, std::int64_t{0}, &index);
  EXPECT_EQ(index, 7u);
}

TEST_P(Signal, WaitsTakeWorkOfTheDeviceAndTheFirstCause) {
  const pintle_signal gate = signal(), broken = signal();
  const Points points{submit(queue(), list(), {at(gate, 1)}), submit(queue(), list())};
  EXPECT_EQ(made<std::size_t>(pintle_points_wait_any, points.data(), points.size(), patience), 1u);
  ok(pintle_signal_set, gate, std::uint64_t{1});
  ok(pintle_points_wait_all, points.data(), points.size(), patience);
  fail(broken);
  const Points failing{at(signal(), 1), at(broken, 1)};
  std::size_t index = 0;
  refused(PINTLE_CANCELLED, {"called off"}, pintle_points_wait_all, failing.data(), failing.size(), patience);
  refused(PINTLE_CANCELLED, {"called off"}, pintle_points_wait_any, failing.data(), failing.size(), patience, &index);
}

TEST_P(Signal, CallbacksRunOnceWhenReachedAndLateOnesToo) {
  const pintle_signal counter = signal();
  Heard early, late;
  early.listen(at(counter, 2));
  ok(pintle_signal_set, counter, std::uint64_t{1});
  ok(pintle_device_poll, device());
  EXPECT_EQ(early.calls, 0);
  ok(pintle_signal_set, counter, std::uint64_t{2});
  EXPECT_TRUE(eventually([&] { return early.calls == 1; }));
  late.listen(at(counter, 1));
  EXPECT_TRUE(eventually([&] { return late.calls == 1; }));
  EXPECT_EQ(early.calls, 1);
  EXPECT_EQ(early.status, PINTLE_OK);
  EXPECT_EQ(late.status, PINTLE_OK);
}

TEST_P(Signal, CallbacksHearOfFailureDeadlineAndWork) {
  const pintle_signal failing = signal(), silent = signal();
  Heard failed, late, worked;
  failed.listen(at(failing, 1));
  late.listen(at(silent, 1), moment);
  worked.listen(submit(queue(), fill(buffer(PINTLE_U32, 4), 1)));
  fail(failing);
  EXPECT_TRUE(eventually([&] { return failed.calls == 1 && late.calls == 1 && worked.calls == 1; }));
  EXPECT_EQ(failed.status, PINTLE_CANCELLED);
  EXPECT_EQ(late.status, PINTLE_TIMEOUT);
  EXPECT_EQ(worked.status, PINTLE_OK);
}

/// What a callback does: it submits, and may not block.
struct Inside {
  pintle_queue queue;
  pintle_list list;
  pintle_point never;
  std::atomic<pintle_status> submitted{-1}, waited{-1}, waited_for_all{-1};
  std::atomic<bool> done{false};

  static void run(void* data, pintle_status, const pintle_error*) {
    auto& self = *static_cast<Inside*>(data);
    self.submitted = pintle_queue_submit(self.queue, self.list, nullptr, nullptr, nullptr);
    self.waited = pintle_point_wait(&self.never, patience, nullptr);
    self.waited_for_all = pintle_points_wait_all(&self.never, 1, patience, nullptr);
    self.done = true;
  }
};

TEST_P(Signal, CallbacksMaySubmitAndMayNotBlock) {
  const pintle_signal gate = signal(), never = signal("never");
  Inside inside{queue(), list(), at(never, 1)};
  const pintle_point open = at(gate, 1);
  ok(pintle_point_then, &open, &Inside::run, static_cast<void*>(&inside), patience);
  ok(pintle_signal_set, gate, std::uint64_t{1});
  EXPECT_TRUE(eventually([&] { return inside.done.load(); }));
  EXPECT_EQ(inside.submitted, PINTLE_OK);
  EXPECT_EQ(inside.waited, PINTLE_INVALID_ARGUMENT);
  EXPECT_EQ(inside.waited_for_all, PINTLE_INVALID_ARGUMENT);
  auto last = sized<pintle_point>();
  ok(pintle_queue_last, inside.queue, &last);
  finish(last);
}

TEST_P(Signal, DescriptorsBecomeReadable) {
  const auto is_readable = [](int descriptor) {
    pollfd waited{descriptor, POLLIN, 0};
    return poll(&waited, 1, 0) == 1;
  };
  const pintle_signal counter = signal(), failing = signal();
  const pintle_point one = at(counter, 1), beyond = at(failing, 1);
  const int reached = made<int>(pintle_point_eventfd, &one, patience);
  const int failed = made<int>(pintle_point_eventfd, &beyond, patience);
  EXPECT_FALSE(is_readable(reached));
  ok(pintle_signal_set, counter, std::uint64_t{1});
  fail(failing);
  EXPECT_TRUE(eventually([&] { return is_readable(reached) && is_readable(failed); }));
  close(reached);
  close(failed);
}

TEST_P(Signal, WaitersOfOtherThreadsAllWake) {
  const pintle_signal gate = signal(), failing = signal();
  std::atomic<int> woken{0}, told{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        const pintle_point open = at(gate, 1), beyond = at(failing, 1);
        woken += pintle_point_wait(&open, patience, nullptr) == PINTLE_OK;
        told += pintle_point_wait(&beyond, patience, nullptr) == PINTLE_CANCELLED;
      });
    }
    ok(pintle_signal_set, gate, std::uint64_t{1});
    fail(failing);
  }
  EXPECT_EQ(woken, 3);
  EXPECT_EQ(told, 3);
}

// They have no deadline that would end the wait.
TEST_P(Signal, FailureWakesThreadsThatWait) {
  const pintle_signal doomed = signal();
  std::atomic<int> failed{0};
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t i = 1; i <= 4; ++i) {
      threads.emplace_back([&, i] {
        const pintle_point point = at(doomed, i);
        const Answer answer = call(pintle_point_wait, &point, std::int64_t{PINTLE_TIMEOUT_INFINITE});
        failed += answer.status == PINTLE_CANCELLED && answer.text.find("called off") != std::string::npos;
      });
    }
    fail(doomed);
  }
  EXPECT_EQ(failed, 4);
}

TEST_P(Signal, HandlesThatEndedAreRefused) {
  const auto gone = made<pintle_signal>(pintle_signal_create, std::uint64_t{0}, nullptr);
  const pintle_point point = at(gone, 1), empty = at({}, 1);
  ok(pintle_signal_release, gone);
  refused(PINTLE_STALE, {}, pintle_signal_set, gone, std::uint64_t{1});
  refused(PINTLE_STALE, {}, pintle_point_wait, &point, moment);
  refused(PINTLE_INVALID_ARGUMENT, {}, pintle_point_wait, &empty, moment);
  refused(PINTLE_INVALID_ARGUMENT, {}, pintle_point_then, &point, nullptr, nullptr, patience);
}

INSTANTIATE_TEST_SUITE_P(C, Signal, testing::ValuesIn(device_ids()), suffix);

}  // namespace
}  // namespace csuite
