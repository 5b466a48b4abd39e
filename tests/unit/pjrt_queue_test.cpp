// A queue of the pjrt backend over a plug-in that is made up here: what it asks of the plug-in, and on which thread.
#include "backends/pjrt/queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <thread>

#include "seam_rig.h"

namespace pintle::test {
namespace {

namespace pj = vendor::pjrt;
using testing::HasSubstr;

/// What launches have asked for. All work is done when a call returns, and an error travels with the arrays.
struct Asked {
  std::vector<std::thread::id> launched_by{};
  int ends = 0;    ///< Events of executions.
  int arrays = 0;  ///< Events of arrays.
};
Asked asked;

struct Array {
  bool failed = false;
};
struct Coming {
  bool failed = false;
};

constexpr std::string_view words = "the sky has fallen";
constexpr std::array<std::int64_t, 1> four{4};
std::array types{pj::ElementType::f32};
std::array<std::size_t, 1> ranks{1};

/// Any handle that is never looked into.
template <class Handle>
Handle some() {
  static int object = 0;
  return reinterpret_cast<Handle>(&object);
}
Array& array_of(pj::Buffer buffer) { return *reinterpret_cast<Array*>(buffer); }
Coming& coming_of(pj::Event event) { return *reinterpret_cast<Coming*>(event); }
pj::Event coming(bool failed) { return reinterpret_cast<pj::Event>(new Coming{failed}); }

template <class Arguments>
pj::Error nothing(Arguments*) {
  return nullptr;
}

/// The executable is the kind of the program: "+" computes, "-" fails while it runs, "*" is refused.
char kinds[] = "+-*";
pj::Error compile(pj::ClientCompile* wanted) {
  const std::string_view code = wanted->program->code.view();
  const std::size_t kind = code.contains("stablehlo.subtract") ? 1 : code.contains("stablehlo.multiply") ? 2 : 0;
  wanted->executable = reinterpret_cast<pj::LoadedExecutable>(&kinds[kind]);
  return nullptr;
}

pj::Error execute(pj::LoadedExecutableExecute* wanted) {
  const char kind = *reinterpret_cast<char*>(wanted->executable);
  asked.launched_by.push_back(std::this_thread::get_id());
  if (kind == '*') return some<pj::Error>();
  const Deadline end = Clock::now() + std::chrono::microseconds(2);
  while (Clock::now() < end) continue;
  bool failed = kind == '-';
  for (std::size_t index = 0; index < wanted->argument_count; ++index)
    failed = failed || array_of(wanted->arguments[0][index]).failed;
  wanted->outputs[0][0] = reinterpret_cast<pj::Buffer>(new Array{failed});
  if (wanted->done == nullptr) return nullptr;
  ++asked.ends;
  *wanted->done = coming(failed);
  return nullptr;
}

pj::Table table() {
  pj::Table api;
  api.Error_Destroy = [](pj::ErrorDestroy*) {};
  api.Error_Message = [](pj::ErrorMessage* wanted) { wanted->message = words; };
  api.Error_GetCode = &nothing;
  api.Event_Destroy = [](pj::EventDestroy* wanted) -> pj::Error {
    delete &coming_of(wanted->event);
    return nullptr;
  };
  api.Event_IsReady = [](pj::EventIsReady* wanted) -> pj::Error {
    wanted->is_ready = true;
    return nullptr;
  };
  api.Event_Error = [](pj::EventError* wanted) {
    return coming_of(wanted->event).failed ? some<pj::Error>() : nullptr;
  };
  api.Client_Compile = &compile;
  api.Client_BufferFromHostBuffer = [](pj::ClientBufferFromHostBuffer* wanted) -> pj::Error {
    wanted->done_with_data = coming(false);
    wanted->buffer = reinterpret_cast<pj::Buffer>(new Array);
    return nullptr;
  };
  api.Executable_Destroy = &nothing;
  api.LoadedExecutable_Destroy = &nothing;
  api.LoadedExecutable_GetExecutable = [](pj::LoadedExecutableGetExecutable* wanted) -> pj::Error {
    wanted->executable = some<pj::Executable>();
    return nullptr;
  };
  api.LoadedExecutable_Execute = &execute;
  api.Buffer_Destroy = [](pj::BufferDestroy* wanted) -> pj::Error {
    delete &array_of(wanted->buffer);
    return nullptr;
  };
  api.Buffer_IsDeleted = &nothing;
  api.Buffer_ReadyEvent = [](pj::BufferReadyEvent* wanted) -> pj::Error {
    ++asked.arrays;
    wanted->event = coming(array_of(wanted->buffer).failed);
    return nullptr;
  };
  api.Executable_OutputElementTypes = [](pj::ExecutableOutputElementTypes* wanted) -> pj::Error {
    wanted->types = std::span<pj::ElementType>(types);
    return nullptr;
  };
  api.Executable_OutputDimensions = [](pj::ExecutableOutputDimensions* wanted) -> pj::Error {
    wanted->output_count = 1;
    wanted->dims = four.data();
    wanted->ranks = ranks.data();
    return nullptr;
  };
  return api;
}

constexpr std::string_view text = R"(
func.func @good(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = stablehlo.add %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @failing(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = stablehlo.subtract %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @refused(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = stablehlo.multiply %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
)";
enum Entries : std::uint32_t { good, failing, refused };

class PjrtQueueTest : public testing::Test {
 protected:
  void SetUp() override {
    asked = {};
    const std::vector<Entry> entries{must(Entry::parse("good(x: read_write f32[4])")),
                                     must(Entry::parse("failing(x: read_write f32[4])")),
                                     must(Entry::parse("refused(x: read_write f32[4])"))};
    program_ =
        programs_.add(must(pjrt::Program::load(client_, {"test", "stablehlo", base::bytes_in(text), entries, {}})));
    x_ = range_of(must(memory_.allocate(sized(16))), 0, 16);
    y_ = range_of(must(memory_.allocate(sized(16))), 0, 16);
  }

  [[nodiscard]] backend::Operation run(Entries entry, backend::Range range) {
    backend::Argument argument = buffer_argument(range);
    argument.access = Access::read_write;
    arguments_.push_back(argument);
    const auto first = static_cast<std::uint32_t>(arguments_.size() - 1);
    return backend::Exec{program_, entry, first, 1, {1, 1, 1}};
  }
  /// Runs the list to its end. The answer is why it failed.
  std::optional<Error> finish(std::vector<backend::Operation> operations) {
    List list(std::move(operations));
    list.arguments = std::exchange(arguments_, {});
    std::uint64_t serial = 0;
    must(queues_.table.with(queue_, [&](pjrt::Queue& queue) -> Result<void> {
      PINTLE_ASSIGN(taken, queue.submit({}, list));
      serial = taken;
      return queue.wait(serial, soon());
    }));
    return queues_.table.find(queue_)->take_verdict(serial);
  }
  /// Until single launches run on this thread: the backend knows how short they are.
  [[nodiscard]] bool warm_up() {
    for (int left = 1000; left > 0; --left) {
      if (finish({run(good, x_)})) return false;
      if (asked.launched_by.back() == std::this_thread::get_id()) return true;
    }
    return false;
  }

  const pjrt::Plugin plugin_{table(), "made_up.so", "made_up"};
  const pjrt::Session session_{&plugin_, some<pj::Client>(), "cpu", "1", {some<pj::Device>()}};
  const pjrt::Client client_{session_, 0, "pjrt:0"};
  pjrt::MemoryTable memory_{client_};
  pjrt::Programs programs_;
  pjrt::QueueContext queues_{client_, std::make_shared<kit::Loss>("pjrt:0")};
  backend::QueueId queue_ = pjrt::Queue::create(queues_, 0);
  backend::ProgramId program_{};
  backend::Range x_, y_;
  std::vector<backend::Argument> arguments_;
};

TEST_F(PjrtQueueTest, AChainAsksForTheEndOfItsLastLaunch) {
  EXPECT_FALSE(finish({run(good, x_), run(good, x_), run(good, x_), run(good, x_)}));
  EXPECT_EQ(asked.launched_by.size(), 4u);
  EXPECT_EQ(asked.ends, 1);
}

TEST_F(PjrtQueueTest, WhatTheNextLaunchDoesNotTakeIsAwaited) {
  EXPECT_FALSE(finish({run(good, x_), run(good, y_)}));
  EXPECT_EQ(asked.ends, 2);
  EXPECT_FALSE(finish({run(good, x_), backend::Fill{y_, scalar_of(1.f), 4, DType::f32}, run(good, x_)}));
  EXPECT_EQ(asked.ends, 4);
}

TEST_F(PjrtQueueTest, AnErrorInTheMiddleOfAChainFailsThePoint) {
  EXPECT_FALSE(finish({run(good, x_)}));
  EXPECT_FALSE(queues_.any_failed->load());
  const auto failed = finish({run(good, x_), run(failing, x_), run(good, x_), run(good, x_)});
  ASSERT_TRUE(failed);
  EXPECT_THAT(std::string(failed->message()), HasSubstr(words));
  EXPECT_EQ(asked.ends, 2);
  EXPECT_TRUE(queues_.any_failed->load());
  EXPECT_TRUE(finish({run(good, y_)})) << "the queue runs nothing more";
  EXPECT_EQ(asked.launched_by.size(), 5u);
}

TEST_F(PjrtQueueTest, BehindARefusedLaunchTheOneBeforeIsAwaited) {
  const auto failed = finish({run(good, x_), run(good, x_), run(refused, x_), run(good, x_)});
  ASSERT_TRUE(failed);
  EXPECT_THAT(failed->text(), HasSubstr("running Entry \"refused\""));
  EXPECT_EQ(asked.launched_by.size(), 3u);
  EXPECT_EQ(asked.ends, 0);
  EXPECT_EQ(asked.arrays, 1);
}

TEST_F(PjrtQueueTest, AChainOfShortLaunchesRunsOnTheSubmittingThread) {
  ASSERT_TRUE(warm_up());
  asked = {};
  std::vector<backend::Operation> chain;
  for (int count = 0; count < 50; ++count) chain.push_back(run(good, x_));
  EXPECT_FALSE(finish(std::move(chain)));
  EXPECT_EQ(asked.launched_by, std::vector(50, std::this_thread::get_id()));
}

TEST(PjrtRunTime, IsTheLessOfTheLastTwo) {
  using std::chrono::microseconds;
  pjrt::RunTime took;
  EXPECT_EQ(took.least(), pjrt::RunTime::unknown);
  EXPECT_TRUE(took.is_due());
  took.note(microseconds(3));
  EXPECT_EQ(took.least(), microseconds(3));
  took.note(microseconds(900));
  EXPECT_EQ(took.least(), microseconds(3)) << "one interruption says nothing";
  int timed = 0;
  for (int run = 0; run < 80; ++run) timed += took.is_due() ? 1 : 0;
  EXPECT_EQ(timed, 10);
  took.note(microseconds(800));
  EXPECT_EQ(took.least(), microseconds(800));
  EXPECT_TRUE(took.is_due()) << "each run, until they are short again";
  EXPECT_TRUE(took.is_due());
}

}  // namespace
}  // namespace pintle::test
