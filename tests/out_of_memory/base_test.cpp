// What base does when memory runs out: `operator new` of this program fails on demand.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <optional>
#include <string>

#include "base/contain.h"
#include "base/log.h"
#include "pintle/entry.h"
#include "pintle/error.h"

namespace {

thread_local long left = -1;  // allocations that still succeed; negative: all

bool refused() noexcept {
  if (left < 0) return false;
  return left == 0 || --left < 0;
}

void* allocate(std::size_t size) noexcept { return refused() ? nullptr : std::malloc(size == 0 ? 1 : size); }

}  // namespace

// gcc sees the malloc inside operator new, and takes the free inside operator delete for a mismatch.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

void* operator new(std::size_t size) {
  if (void* const memory = allocate(size); memory != nullptr) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept { return allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t& /*tag*/) noexcept { std::free(memory); }

namespace pintle {
namespace {

/// While it lives, allocations fail after `count` more.
class Shortage {
 public:
  explicit Shortage(long count) noexcept { left = count; }
  Shortage(const Shortage&) = delete;
  Shortage& operator=(const Shortage&) = delete;
  ~Shortage() { left = -1; }
};

constexpr const char* sentence = "Binding size (256) is larger than the size (80) of [Buffer 12].";

TEST(OutOfMemory, AnErrorThatCannotBeMadeSaysSo) {
  std::string message = sentence;
  std::optional<Error> error;
  {
    const Shortage shortage(0);
    error.emplace(Errc::invalid_argument, std::move(message));
  }
  EXPECT_EQ(error->code(), Errc::out_of_memory);
  EXPECT_EQ(error->text(), "Memory ran out.");
  const Error copy = *error;
  error.reset();
  EXPECT_EQ(copy.code(), Errc::out_of_memory);
}

TEST(OutOfMemory, ContextThatCannotBeAddedLeavesTheCause) {
  const Error first(Errc::device_lost, sentence);
  for (long count = 0; count < 3; ++count) {
    std::string what = "submitting to a queue with quite a long name";
    std::optional<Error> longer;
    {
      const Shortage shortage(count);
      longer = first.during(std::move(what));
    }
    EXPECT_EQ(longer->code(), Errc::device_lost);
    EXPECT_TRUE(longer->same_origin(first));
    EXPECT_TRUE(longer->context().empty());
  }
}

/// Every allocation of the work fails once; only with enough does it succeed.
TEST(OutOfMemory, ReadingASignatureFailsCleanlyAtEveryAllocation) {
  constexpr const char* signature =
      "a_long_kernel_name(a_long_parameter_name: read f32[], another_long_name: write f32[]) group 16";
  long count = 0;
  while (true) {
    std::optional<Result<Entry>> entry;
    {
      const Shortage shortage(count);
      entry.emplace(Entry::parse(signature));
    }
    if (entry->has_value()) break;
    ASSERT_EQ(entry->error().code(), Errc::out_of_memory) << "at allocation " << count;
    ASSERT_LT(++count, 1000);
  }
  EXPECT_GT(count, 3);
}

TEST(OutOfMemory, AMessageIsDroppedWhenItCannotBeFormatted) {
  int calls = 0;
  set_log_callback([&](LogLevel, std::string_view, std::string_view) { ++calls; });
  const std::string words(4096, 'x');
  {
    const Shortage shortage(0);
    base::log(LogLevel::error, "core", "Words: {}.", words);
  }
  base::log(LogLevel::error, "core", "Words: {}.", words);
  set_log_callback({});
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace pintle
