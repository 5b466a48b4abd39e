// A child after fork is refused by every public function, whatever the parent's other threads hold at that moment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "door/table.h"

namespace pintle::door {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;

constexpr int children = 20;
constexpr unsigned bound = 60;  // seconds, of a child

/// Threads that are inside every lock now and then.
class Busy {
 public:
  explicit Busy(const Device& device) {
    for (int kind = 0; kind < 3; ++kind) threads_.emplace_back([this, device, kind] { run(device, kind); });
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  ~Busy() {
    is_over_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  void run(const Device& device, int kind) {
    Queue queue = must(device.create_queue());
    Pool pool = must(Pool::create(device));
    Group group = std::move(must(Group::threads(1)).front());
    Signal signal = must(Signal::create());
    std::array<std::uint32_t, 4> values{};
    while (!is_over_) {
      const Buffer buffer = must(device.allocate(DType::u32, {64}));
      const Point point = must(queue.submit(CommandList{}.fill(buffer, 1u)));
      if (kind == 0) must(point.then([](const Result<void>&) {}, 1s));
      if (kind == 1) must(point.wait());
      if (kind == 2) must(group.run(Collective::all_reduce(values, ReduceOp::sum)));
      must(queue.allocate(pool, DType::u32, {64}));
      static_cast<void>(signal.value());
    }
    must(queue.last().wait());
  }

  std::atomic<bool> is_over_{false};
  std::vector<std::thread> threads_;
};

/// What a child says through its pipe: the row that it is at, and those that answered wrongly.
struct Word {
  std::uint16_t row = 0;
  bool is_wrong = false;
};

[[noreturn]] void be_refused(Objects& objects, std::vector<Row>& rows, std::size_t first, int pipe) {
  ::alarm(bound);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t at = (first + i) % rows.size();
    Word word{static_cast<std::uint16_t>(at)};
    static_cast<void>(!::write(pipe, &word, sizeof word));
    const auto error = rows[at].call(objects);
    if (rows[at].kind == Kind::plain || (error && error->code() == Errc::unavailable)) continue;
    word.is_wrong = true;
    static_cast<void>(!::write(pipe, &word, sizeof word));
  }
  {
    const Objects end = std::move(objects);
  }
  ::_exit(0);
}

/// Names of rows that a child answered wrongly, or did not come back from.
std::vector<std::string> wrong_rows(Objects& objects, std::vector<Row>& rows, std::size_t first) {
  std::array<int, 2> pipe{};
  if (::pipe(pipe.data()) != 0) return {"there is no pipe"};
  const pid_t child = ::fork();
  if (child == 0) be_refused(objects, rows, first, pipe[1]);
  ::close(pipe[1]);
  std::vector<std::string> wrong;
  Word word, last;
  while (::read(pipe[0], &word, sizeof word) == sizeof word) {
    last = word;
    if (word.is_wrong) wrong.push_back(rows[word.row].name);
  }
  ::close(pipe[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) {
    wrong.push_back(rows[last.row].name + " or an end: " + ::strsignal(WTERMSIG(status)));
  }
  return wrong;
}

void expect_refusals(const char* id) {
  Objects objects = Objects::make(id);
  std::vector<Row> rows = all_rows();
  EXPECT_THAT(wrong_rows(objects, rows, 0), IsEmpty()) << "of a parent at rest";
  const Busy busy(objects.device);
  for (int child = 0; child < children; ++child) {
    std::this_thread::yield();
    EXPECT_THAT(wrong_rows(objects, rows, rows.size() * static_cast<std::size_t>(child) / children), IsEmpty())
        << "child " << child;
    if (testing::Test::HasFailure()) return;
  }
}

TEST(ForkedChild, IsRefusedByEveryFunction) { expect_refusals("cpu"); }

TEST(ForkedChild, IsRefusedByADeviceWithoutThreads) { expect_refusals("cpu?inline"); }

}  // namespace
}  // namespace pintle::door
