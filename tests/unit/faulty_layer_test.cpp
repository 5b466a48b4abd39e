#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "pintle/native/faulty.h"
#include "pintle/pintle.h"
#include "seam_support.h"

namespace pintle::layers {
std::unique_ptr<backend::Layer> create_faulty_layer();
}

namespace pintle::test {
namespace {

using backend::QueueId;
using layers::faulty_calls;
using layers::FaultyControl;
using layers::FaultyCounts;
using testing::HasSubstr;

std::unique_ptr<backend::Device> faulty(std::vector<Option> options = {}) {
  return must(layers::create_faulty_layer()->wrap(open_null(), options));
}

FaultyCounts counts(backend::Device& device) {
  FaultyCounts out;
  must(device.native(FaultyCounts::native_type, 0, &out));
  return out;
}

Result<void> arm(backend::Device& device, std::string_view call, std::uint64_t ordinal, Errc code) {
  FaultyControl control;
  must(device.native(FaultyControl::native_type, 0, &control));
  return control.arm(control.self, call, ordinal, code);
}

QueueId queue_of(backend::Device& device) { return must(device.create_queue({QueueKind::compute, 0, "test"})); }

TEST(FaultyLayer, NamesWhatItWraps) {
  const auto device = faulty();
  EXPECT_EQ(device->info().id, "faulty(null)");
  EXPECT_EQ(device->info().limits.max_in_flight, open_null()->info().limits.max_in_flight);
}

TEST(FaultyLayer, WithoutAPlanItOnlyCounts) {
  const auto device = faulty();
  const QueueId queue = queue_of(*device);
  const auto memory = must(device->allocate(sized(64)));
  device->release(memory);
  for (std::uint64_t i = 1; i <= 3; ++i) EXPECT_EQ(must(device->submit(queue, {}, {})), i);
  must(device->wait(queue, 3, soon()));
  EXPECT_EQ(must(device->reached(queue)), 3u);
  const FaultyCounts seen = counts(*device);
  EXPECT_EQ(seen.of("create_queue"), 1u);
  EXPECT_EQ(seen.of("allocate"), 1u);
  EXPECT_EQ(seen.of("release"), 1u);
  EXPECT_EQ(seen.of("submit"), 3u);
  EXPECT_EQ(seen.of("wait"), 1u);
  EXPECT_EQ(seen.of("reached"), 1u);
  EXPECT_EQ(seen.of("native"), 0u) << "looking does not count";
  EXPECT_EQ(seen.of("nonsense"), 0u);
}

TEST(FaultyLayer, FailsTheChosenCallOnce) {
  const auto device = faulty({{"call", "allocate"}, {"ordinal", "2"}, {"code", "out_of_memory"}});
  EXPECT_TRUE(device->allocate(sized(1)));
  const auto failed = device->allocate(sized(1));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), Errc::out_of_memory);
  EXPECT_EQ(failed.error().message(), "The call (allocate) number (2) of [faulty(null)] fails as planned.");
  EXPECT_EQ(failed.error().device(), "faulty(null)");
  EXPECT_TRUE(device->allocate(sized(1)));
  EXPECT_EQ(must(device->budget())[0].used, 2u) << "the failed call did not reach the device inside";
}

TEST(FaultyLayer, TimesAndForEver) {
  const auto twice = faulty({{"call", "budget"}, {"times", "2"}});
  EXPECT_EQ(twice->budget().error().code(), Errc::internal);
  EXPECT_FALSE(twice->budget());
  EXPECT_TRUE(twice->budget());
  const auto always = faulty({{"call", "budget"}, {"times", "0"}});
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(always->budget());
}

TEST(FaultyLayer, OptionsAreStrict) {
  const auto layer = layers::create_faulty_layer();
  const auto message = [&](std::vector<Option> options) {
    const auto wrapped = layer->wrap(open_null(), options);
    EXPECT_FALSE(wrapped);
    if (wrapped) return std::string();
    EXPECT_EQ(wrapped.error().code(), Errc::invalid_argument);
    return std::string(wrapped.error().message());
  };
  EXPECT_THAT(message({{"call", "dance"}}), HasSubstr("The value (\"dance\") of the option call of [faulty]"));
  EXPECT_THAT(message({{"call", "release"}}), HasSubstr("The call (release) does not answer (internal)"));
  EXPECT_THAT(
      message({{"call", "submit"}, {"code", "timeout"}}),
      HasSubstr("does not answer (timeout); it answers (device_lost, process_poisoned, internal, out_of_memory)."));
  EXPECT_THAT(message({{"call", "submit"}, {"ordinal", "0"}}), HasSubstr("at least 1"));
  EXPECT_THAT(message({{"call", "submit"}, {"code", "bad"}}), HasSubstr("the name of an error code"));
  EXPECT_EQ(message({{"times", "3"}}), "The option times of [faulty] needs the option call.");
  EXPECT_THAT(message({{"colour", "red"}}), HasSubstr("it has (call, ordinal, times, code, plan)."));
}

// Every call by name: the sweep relies on each row of the table being one that the layer really fails.
Result<void> make_call(backend::Device& device, std::string_view call, QueueId queue) {
  const auto answer = [](const auto& result) { return result ? Result<void>() : Result<void>(result.error()); };
  if (call == "budget") return answer(device.budget());
  if (call == "allocate") return answer(device.allocate(sized(1)));
  if (call == "load") return answer(device.load({}));
  if (call == "create_queue") return answer(device.create_queue({}));
  if (call == "submit") return answer(device.submit(queue, {}, {}));
  if (call == "reached") return answer(device.reached(queue));
  if (call == "wait") return answer(device.wait(queue, 0, soon()));
  if (call == "notify") return answer(device.notify(queue, 0, {[](void*) {}, nullptr}));
  if (call == "map") return answer(device.map(backend::MemoryId{1}));
  if (call == "record") return answer(device.record({}));
  if (call == "export_memory") return answer(device.export_memory(backend::MemoryId{1}));
  if (call == "import_memory") return answer(device.import_memory({}));
  if (call == "wrap_queue") return answer(device.wrap_queue({}, {}));
  if (call == "calibrate") return answer(device.calibrate());
  if (call == "native") return answer(device.native("x", 0, nullptr));
  if (call == "probe") return answer(device.probe());
  ADD_FAILURE() << "no way to make the call " << call;
  return {};
}

TEST(FaultyLayer, EveryCallAnswersEveryLegalCode) {
  int tried = 0;
  for (const auto& [call, codes] : faulty_calls) {
    for (const Errc code : codes) {
      if (call == "open") continue;
      const auto device = faulty();
      const QueueId queue = queue_of(*device);
      const std::uint64_t next = counts(*device).of(call) + 1;
      must(arm(*device, call, next, code));
      const auto failed = make_call(*device, call, queue);
      ASSERT_FALSE(failed) << call;
      EXPECT_EQ(failed.error().code(), code) << call;
      EXPECT_THAT(std::string(failed.error().message()), HasSubstr("fails as planned")) << call;
      ++tried;
    }
  }
  EXPECT_GT(tried, 60);
}

TEST(FaultyLayer, EveryCallIsCountedUnderItsName) {
  for (const auto& [call, codes] : faulty_calls) {
    if (call == "open" || codes.empty()) continue;
    const auto device = faulty();
    const QueueId queue = queue_of(*device);
    const FaultyCounts before = counts(*device);
    static_cast<void>(make_call(*device, call, queue).has_value());
    FaultyCounts expected = before;
    ++expected.counts[layers::faulty_index(call)];
    EXPECT_EQ(counts(*device).counts, expected.counts) << call;
  }
}

TEST(FaultyLayer, ArmingIsChecked) {
  const auto device = faulty();
  EXPECT_EQ(arm(*device, "dance", 1, Errc::internal).error().code(), Errc::invalid_argument);
  EXPECT_EQ(arm(*device, "release", 1, Errc::device_lost).error().code(), Errc::invalid_argument);
  EXPECT_EQ(arm(*device, "submit", 1, Errc::timeout).error().code(), Errc::invalid_argument);
  must(arm(*device, "allocate", 1, Errc::out_of_memory));
  must(arm(*device, "allocate", 0, Errc::out_of_memory));
  EXPECT_TRUE(device->allocate(sized(1))) << "0 disarms";
}

TEST(FaultyLayer, OpeningCanFail) {
  const auto layer = layers::create_faulty_layer();
  const std::vector<Option> options{{"call", "open"}, {"ordinal", "2"}, {"code", "unavailable"}};
  EXPECT_TRUE(layer->wrap(open_null(), options));
  const auto second = layer->wrap(open_null(), options);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), Errc::unavailable);
  EXPECT_TRUE(layer->wrap(open_null(), options));
}

TEST(FaultyLayer, APlanDoesNotFireAgainInTheNextGeneration) {
  const auto layer = layers::create_faulty_layer();
  const std::vector<Option> options{{"call", "allocate"}, {"code", "device_lost"}};
  auto first = must(layer->wrap(open_null(), options));
  EXPECT_FALSE(first->allocate(sized(1)));
  auto second = must(layer->wrap(open_null(), options));  // recovery opens before it drops
  EXPECT_TRUE(second->allocate(sized(1)));
  first.reset();
  second.reset();
  EXPECT_FALSE(must(layer->wrap(open_null(), options))->allocate(sized(1))) << "opened afresh, it starts afresh";
}

TEST(FaultyLayer, ANamedPlanLivesForEver) {
  const auto layer = layers::create_faulty_layer();
  const std::vector<Option> options{{"call", "allocate"}, {"plan", "mine"}},
      others{{"call", "allocate"}, {"plan", "other"}};
  EXPECT_FALSE(must(layer->wrap(open_null(), options))->allocate(sized(1)));
  EXPECT_TRUE(must(layer->wrap(open_null(), options))->allocate(sized(1)));
  EXPECT_FALSE(must(layer->wrap(open_null(), others))->allocate(sized(1)));
}

TEST(FaultyLayer, AfterALossEveryCallAnswersTheFirstCause) {
  for (const Errc code : {Errc::device_lost, Errc::process_poisoned}) {
    int released = 0;
    Scripted::Answers answers;
    answers.release = [&](backend::MemoryId) { ++released; };
    const auto device = must(layers::create_faulty_layer()->wrap(std::make_unique<Scripted>(answers), {}));
    const QueueId queue = queue_of(*device);
    const auto memory = must(device->allocate(sized(1)));
    must(arm(*device, "submit", 1, code));
    const auto lost = device->submit(queue, {}, {});
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().code(), code);
    for (const auto& [call, codes] : faulty_calls) {
      if (call == "open" || codes.empty()) continue;
      const auto later = make_call(*device, call, queue);
      ASSERT_FALSE(later) << call;
      EXPECT_TRUE(later.error().same_origin(lost.error())) << call;
    }
    const FaultyCounts before = counts(*device);
    device->release(memory);
    device->destroy_queue(queue);
    EXPECT_EQ(released, 0) << "a lost device is called no more";
    EXPECT_EQ(counts(*device).counts, before.counts);
  }
}

TEST(FaultyLayer, HostCallsDoNotRunOnALostDevice) {
  const auto device = faulty();
  const QueueId queue = queue_of(*device);
  int ran = 0;
  std::function<void()> call = [&] { ++ran; };
  const List list({call_of(call)});
  must(device->submit(queue, {}, list));
  must(device->wait(queue, 1, soon()));
  EXPECT_EQ(ran, 1);
  must(device->submit(queue, {}, list));
  must(arm(*device, "probe", 1, Errc::device_lost));
  EXPECT_EQ(device->probe().error().code(), Errc::device_lost);
  EXPECT_EQ(device->wait(queue, 2, soon()).error().code(), Errc::device_lost);
  EXPECT_EQ(ran, 1);
}

TEST(FaultyLayer, ALossWaitsForWorkInside) {
  std::uint64_t waited_for = 0;
  Scripted::Answers answers;
  answers.wait = [&](QueueId, std::uint64_t serial, Deadline) -> Result<void> {
    waited_for = serial;
    return {};
  };
  const auto device = must(layers::create_faulty_layer()->wrap(std::make_unique<Scripted>(answers), {}));
  const QueueId queue = queue_of(*device);
  must(device->submit(queue, {}, {}));
  must(device->submit(queue, {}, {}));
  must(arm(*device, "budget", 1, Errc::device_lost));
  EXPECT_FALSE(device->budget());
  EXPECT_EQ(waited_for, 2u) << "host memory may be freed as soon as the loss is known";
}

// A device inside whose notifications a test tells itself.
struct Teller {
  std::vector<backend::Notification> given;
  Scripted::Answers answers() {
    Scripted::Answers out;
    out.notify = [this](QueueId, std::uint64_t, backend::Notification notification) -> Result<void> {
      given.push_back(notification);
      return {};
    };
    return out;
  }
};

TEST(FaultyLayer, NotificationsAreToldOnceByTheDeviceOrByTheLoss) {
  Teller teller;
  std::array<std::atomic<int>, 2> told{};
  const auto tell = [](void* state) { ++*static_cast<std::atomic<int>*>(state); };
  {
    const auto device = must(layers::create_faulty_layer()->wrap(std::make_unique<Scripted>(teller.answers()), {}));
    const QueueId queue = queue_of(*device);
    must(device->submit(queue, {}, {}));
    for (auto& count : told) must(device->notify(queue, 1, {tell, &count}));
    teller.given[0].call(teller.given[0].state);
    EXPECT_EQ(told[0], 1);
    must(arm(*device, "budget", 1, Errc::device_lost));
    EXPECT_FALSE(device->budget());
    teller.given[1].call(teller.given[1].state);  // too late: the loss has told it, or is about to
  }
  EXPECT_EQ(told[0], 1);
  EXPECT_EQ(told[1], 1);
}

TEST(FaultyLayer, ARefusedNotificationIsNotTold) {
  std::atomic<int> told{0};
  {
    const auto device = faulty();  // null refuses
    const QueueId queue = queue_of(*device);
    const backend::Notification notification{[](void* state) { ++*static_cast<std::atomic<int>*>(state); }, &told};
    EXPECT_EQ(device->notify(queue, 0, notification).error().code(), Errc::unsupported);
    must(arm(*device, "budget", 1, Errc::device_lost));
    EXPECT_FALSE(device->budget());
  }
  EXPECT_EQ(told, 0);
}

TEST(FaultyLayerConcurrency, ABlockedWaitReturnsTheLoss) {
  std::atomic<int> blocked{0};
  Scripted::Answers answers;
  answers.wait = [&](QueueId, std::uint64_t, Deadline deadline) -> Result<void> {
    ++blocked;
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock(mutex);
    while (never.wait_until(lock, deadline) != std::cv_status::timeout) {
    }
    return Error(Errc::timeout, "The deadline passes.");
  };
  const auto device = must(layers::create_faulty_layer()->wrap(std::make_unique<Scripted>(answers), {}));
  const QueueId queue = queue_of(*device);
  std::optional<Error> first, second;
  const auto wait = [&](std::optional<Error>& out) { out = device->wait(queue, 1, Deadline::max()).error(); };
  std::thread one(wait, std::ref(first)), two(wait, std::ref(second));
  while (blocked < 2) std::this_thread::yield();
  must(arm(*device, "budget", 1, Errc::device_lost));
  const auto lost = device->budget();
  one.join();
  two.join();
  ASSERT_FALSE(lost);
  EXPECT_TRUE(first->same_origin(lost.error()));
  EXPECT_TRUE(second->same_origin(lost.error()));
}

// While the device is being lost its work is skipped, and so reached.
TEST(FaultyLayerConcurrency, WorkThatALossSkipsIsNotReached) {
  std::atomic<int> waits{0};
  std::atomic<bool> may_end{false};
  Scripted::Answers answers;
  answers.wait = [&](QueueId, std::uint64_t, Deadline) -> Result<void> {
    if (waits++ == 0) {  // the loss waits for work inside
      while (!may_end) std::this_thread::yield();
    }
    return {};
  };
  const auto device = must(layers::create_faulty_layer()->wrap(std::make_unique<Scripted>(answers), {}));
  const QueueId queue = queue_of(*device);
  must(device->submit(queue, {}, {}));
  must(arm(*device, "budget", 1, Errc::device_lost));
  std::thread losing([&] { EXPECT_FALSE(device->budget()); });
  while (waits < 1) std::this_thread::yield();
  std::thread waiting([&] { EXPECT_FALSE(device->wait(queue, 1, soon())); });
  std::thread asking([&] { EXPECT_FALSE(device->reached(queue)); });
  while (waits < 2) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // both have their answers from inside
  may_end = true;
  for (std::thread* const thread : {&losing, &waiting, &asking}) thread->join();
}

TEST(FaultyLayerConcurrency, OnlyOneCauseWins) {
  const auto device = faulty({{"call", "budget"}, {"times", "0"}, {"code", "device_lost"}});
  std::vector<std::optional<Error>> errors(4);
  std::vector<std::thread> threads;
  for (auto& error : errors) threads.emplace_back([&] { error = device->budget().error(); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& error : errors) EXPECT_TRUE(error->same_origin(*errors[0]));
}

TEST(FaultyLayer, TheTableIsSound) {
  for (const auto& [call, codes] : faulty_calls) {
    EXPECT_EQ(layers::legal_codes(call).size(), codes.size());
    EXPECT_EQ(faulty_calls[layers::faulty_index(call)].name, call);
  }
  EXPECT_TRUE(layers::legal_codes("release").empty());
  EXPECT_TRUE(layers::legal_codes("nonsense").empty());
  static_assert(layers::legal_codes("allocate").size() == 4);
}

// Which life of the device had no memory.
TEST(FaultyLayer, OutOfMemoryNamesTheGeneration) {
  const auto refuses = [](std::string_view call) {
    return must(open("faulty(cpu)?call=" + std::string(call) + "&ordinal=1&times=0&code=out_of_memory"));
  };
  const auto expect_named = [](const Device& device, const auto& refused) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Errc::out_of_memory);
    EXPECT_EQ(refused.error().device(), device.id());
    EXPECT_EQ(refused.error().generation(), device.generation());
  };
  const Device allocating = refuses("allocate"), creating = refuses("create_queue"), submitting = refuses("submit");
  expect_named(allocating, allocating.allocate(DType::u32, {4}));
  expect_named(creating, creating.create_queue());
  Queue queue = must(submitting.create_queue());
  expect_named(submitting, queue.submit(CommandList{}));
  Pool pool = must(Pool::create(allocating));
  Queue user = must(allocating.create_queue());
  expect_named(allocating, user.allocate(pool, DType::u32, {4}));
}

}  // namespace
}  // namespace pintle::test
