// What a submission has borrowed is let go soon after its end, though the program makes no call: it may wait for that.
#include <algorithm>
#include <cstdlib>
#include <future>
#include <memory>

#include "conformance/ways.h"

namespace pintle::conformance {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::size_t count = 16384;

/// Something that is lent, and the caller who waits to get it back. For one owner and one wait.
class Lent {
 public:
  /// The owner that Pintle gets. Where a case fails, it may outlive this object.
  [[nodiscard]] std::shared_ptr<void> owner() const {
    return {back_.get(), [back = back_](void*) { back->set_value(); }};
  }
  /// Waits without any call of Pintle's.
  [[nodiscard]] bool comes_back() const { return back_->get_future().wait_for(patience) == std::future_status::ready; }

 private:
  std::shared_ptr<std::promise<void>> back_ = std::make_shared<std::promise<void>>();
};

/// Skips the case where nothing happens outside calls.
void require_progress(const Context& test) {
  if (test.is_driven()) test.not_applicable("work runs inside calls only");
}

DEVICE_TEST(LettingGo, OwnersOfUploads) {
  require_progress(test);
  Queue queue = test.queue();
  const Buffer buffer = test.allocate(DType::u32, count);
  const Words words(count, 5);
  Lent lent;
  need(queue.submit(CommandList{}.upload_retained(buffer, lent.owner(), std::as_bytes(std::span(words)))));
  CHECK(lent.comes_back());
}

DEVICE_TEST(LettingGo, OwnersOfDownloads) {
  require_progress(test);
  Queue queue = test.queue();
  const Buffer buffer = test.allocate(DType::u32, count);
  Words words(count);
  Lent lent;
  need(queue.submit(CommandList{}
                        .fill(buffer, 6u)
                        .download_retained(lent.owner(), std::as_writable_bytes(std::span(words)), buffer)));
  CHECK(lent.comes_back());
  if (test.executes()) CHECK_EQ(words, Words(count, 6));
}

DEVICE_TEST(LettingGo, CapturesOfHostCalls) {
  require_progress(test);
  test.require(Feature::host_call);
  Queue queue = test.queue();
  Lent lent;
  need(queue.submit(CommandList{}.call([owner = lent.owner()] {})));
  CHECK(lent.comes_back());
}

DEVICE_TEST(LettingGo, WhatARecordingHadThatWasDroppedInFlight) {
  require_progress(test);
  test.require(Feature::host_call);
  Queue queue = test.queue();
  Lent lent;
  {
    const Recording recording = need(test.device().record(CommandList{}.call([owner = lent.owner()] {})));
    need(queue.replay(recording));
  }
  CHECK(lent.comes_back());
}

DEVICE_TEST(LettingGo, KeepersOfImportsThatWereDroppedInFlight) {
  require_progress(test);
  test.require(Feature::host_import);
  Queue queue = test.queue();
  const Buffer buffer = test.allocate(DType::u32, count);
  const std::unique_ptr<std::uint32_t, decltype(&std::free)> memory(
      static_cast<std::uint32_t*>(std::aligned_alloc(65536, count * sizeof(std::uint32_t))), &std::free);
  Lent lent;
  {
    const std::span<std::uint32_t> words(memory.get(), count);
    const Buffer imported = need(test.device().import_host(words, lent.owner()));
    need(queue.submit(CommandList{}.copy(buffer, imported)));
  }
  CHECK(lent.comes_back());
}

DEVICE_TEST(LettingGo, WhatHeldWorkHad) {
  require_progress(test);
  Queue queue = test.queue();
  Signal gate = test.signal();
  const Buffer buffer = test.allocate(DType::u32, count);
  const Words words(count, 7);
  Lent lent;
  need(queue.submit(CommandList{}.upload_retained(buffer, lent.owner(), std::as_bytes(std::span(words))),
                    {.after = {test.at(gate, 1)}}));
  need(test.raise(gate, 1));
  CHECK(lent.comes_back());
}

DEVICE_TEST(LettingGo, WhatWorkHadThatFailedBeforeItsStart) {
  Queue queue = test.queue();
  Signal gate = test.signal();
  const Buffer buffer = test.allocate(DType::u32, count);
  const Words words(count, 8);
  Lent lent;
  need(queue.submit(CommandList{}.upload_retained(buffer, lent.owner(), std::as_bytes(std::span(words))),
                    {.after = {test.at(gate, 1)}}));
  need(gate.fail(Error(Errc::cancelled, "The caller gives up.")));
  CHECK(lent.comes_back());
}

// The thread that waits for the point finds the memory free, whoever has observed the end.
DEVICE_TEST(LettingGo, IsDoneWhenAWaitReturns) {
  Queue queue = test.queue();
  const Buffer buffer = test.allocate(DType::u32, 64);
  const Words words(64, 9);
  const std::uint64_t rounds = std::min<std::uint64_t>(200, ~test.first());
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const auto owner = std::make_shared<std::uint64_t>(round);
    test.finish(need(queue.submit(CommandList{}.upload_retained(buffer, owner, std::as_bytes(std::span(words))))));
    REQUIRE(owner.use_count() == 1);
  }
}

}  // namespace
}  // namespace pintle::conformance
