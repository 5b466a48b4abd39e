#include "collective/window.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <thread>
#include <vector>

#include "pintle/must.h"

namespace pintle::collective {
namespace {

using Memory = std::array<std::uint64_t, 16>;

/// A window over given memory; null is out of reach.
class GivenWindow final : public Window {
 public:
  GivenWindow(std::uint32_t rank, std::vector<Memory*> memories) : Window(rank, sizeof(Memory), pieces_of(memories)) {}

 private:
  static std::vector<std::byte*> pieces_of(const std::vector<Memory*>& memories) {
    std::vector<std::byte*> pieces;
    for (Memory* const memory : memories) pieces.push_back(reinterpret_cast<std::byte*>(memory));
    return pieces;
  }
};

TEST(Window, KnowsItsPieces) {
  Memory a{}, b{};
  const GivenWindow window(1, {&a, &b});
  EXPECT_EQ(window.size(), sizeof(Memory));
  EXPECT_EQ(window.own(), reinterpret_cast<std::byte*>(&b));
  EXPECT_EQ(window.at(0), reinterpret_cast<std::byte*>(&a));
  EXPECT_TRUE(window.is_addressable());
}

TEST(Window, PutsAndGetsAnyRange) {
  Memory a{}, b{};
  GivenWindow window(0, {&a, &b});
  const std::array<std::byte, 5> sent{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}, std::byte{5}};
  must(window.put(1, 3, sent));
  must(window.flush());
  std::array<std::byte, 7> got;
  must(window.get(1, 2, got));
  EXPECT_EQ(got[0], std::byte{0});
  EXPECT_EQ(std::memcmp(got.data() + 1, sent.data(), sent.size()), 0);
  EXPECT_EQ(got[6], std::byte{0});
  EXPECT_EQ(a, Memory{});
  must(window.put(1, window.size(), {}));
  must(window.get(1, window.size(), {}));
}

TEST(Window, WordsAreStoredAndRaised) {
  Memory a{}, b{};
  GivenWindow window(0, {&a, &b});
  must(window.store(1, 16, 40));
  EXPECT_EQ(b[2], 40u);
  must(window.raise(1, 16, 42));
  EXPECT_EQ(b[2], 42u);
  must(window.raise(1, 16, 41));
  EXPECT_EQ(b[2], 42u) << "never down";
  must(window.raise(1, 16, ~std::uint64_t{0}));
  EXPECT_EQ(b[2], ~std::uint64_t{0});
  must(window.store(1, 16, 6));
  EXPECT_EQ(b[2], 6u) << "a store knows no order";
  must(window.store(0, 8, 9));
  EXPECT_EQ(window.word(8).load(), 9u);
}

TEST(Window, APieceOutOfReachIsAnErrorNotACrash) {
  Memory own{};
  GivenWindow window(0, {&own, nullptr});
  EXPECT_FALSE(window.is_addressable());
  EXPECT_EQ(window.at(1), nullptr);
  std::array<std::byte, 8> bytes{};
  EXPECT_EQ(window.put(1, 0, bytes).error().code(), Errc::internal);
  EXPECT_EQ(window.get(1, 0, bytes).error().code(), Errc::internal);
  EXPECT_EQ(window.store(1, 0, 1).error().code(), Errc::internal);
  EXPECT_EQ(window.raise(1, 0, 1).error().code(), Errc::internal);
  must(window.put(0, 0, bytes));
}

TEST(WindowConcurrency, AStoredWordIsThereAfterWhatWasPut) {
  Memory a{}, b{};
  GivenWindow from(0, {&a, &b}), to(1, {&a, &b});
  constexpr std::uint64_t rounds = 1000;
  std::thread sender([&] {
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      must(from.put(1, 8, std::as_bytes(std::span(&round, 1))));
      must(from.store(1, 0, round));
      while (from.word(0).load(std::memory_order_acquire) != round) std::this_thread::yield();
    }
  });
  std::uint64_t wrong = 0;
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    while (to.word(0).load(std::memory_order_acquire) != round) std::this_thread::yield();
    std::uint64_t got = 0;
    must(to.get(1, 8, std::as_writable_bytes(std::span(&got, 1))));
    if (got != round) ++wrong;
    must(to.store(0, 0, round));
  }
  sender.join();
  EXPECT_EQ(wrong, 0u);
}

TEST(WindowConcurrency, TheHighestStays) {
  Memory a{};
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      GivenWindow window(0, {&a});
      for (std::uint64_t i = 1; i <= 1000; ++i) {
        must(window.raise(0, 0, 4 * i + thread));
        EXPECT_GE(window.word(0).load(), 4 * i + thread);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(a[0], 4003u);
}

}  // namespace
}  // namespace pintle::collective
