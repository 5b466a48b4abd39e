// Host memory that one command writes and a later one reads is ordered like memory of the device, also where a driver
// reads the source of an upload as soon as it hears of it.
#include <array>
#include <memory>

#include "conformance/context.h"

namespace pintle::conformance {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t size = 1000;

std::span<const std::byte> source(const Words& words) { return std::as_bytes(std::span(words)); }

CommandList& upload(CommandList& list, const BufferView& to, const std::shared_ptr<Words>& words) {
  list.upload_retained(to, words, source(*words));
  return list;
}

/// Has each round write another number to `from`, and carry it to `to` by `carry(queue, words)`.
template <class Carry>
void check_carried(Context& test, Carry carry) {
  test.require_bytes();
  Queue queue = test.queue();
  const Buffer from = test.allocate(DType::u32, size), to = test.allocate(DType::u32, size);
  for (std::uint32_t round = 1; round <= 10; ++round) {
    need(queue.submit(CommandList{}.fill(from, round).fill(to, 77u)));
    const auto words = std::make_shared<Words>(size, 99u);
    carry(queue, from, to, words);
    CHECK_EQ(test.read<std::uint32_t>(queue, to), Words(size, round));
  }
}

DEVICE_TEST(HostOrder, UploadsSeeWhatTheirListDownloads) {
  check_carried(test, [](Queue& queue, const Buffer& from, const Buffer& to, const auto& words) {
    CommandList list;
    list.download(*words, from);
    need(queue.submit(std::move(upload(list, to, words))));
  });
}

DEVICE_TEST(HostOrder, UploadsSeeWhatAnEarlierListDownloads) {
  check_carried(test, [](Queue& queue, const Buffer& from, const Buffer& to, const auto& words) {
    need(queue.submit(CommandList{}.download(*words, from)));
    CommandList list;
    need(queue.submit(std::move(upload(list, to, words))));
  });
}

DEVICE_TEST(HostOrder, UploadsSeeWhatAnotherQueueDownloads) {
  test.require_bytes();
  Queue other = test.queue("other");
  check_carried(test, [&](Queue& queue, const Buffer& from, const Buffer& to, const auto& words) {
    const Point filled = queue.last();
    const Point downloaded = need(other.submit(CommandList{}.download(*words, from), {.after = {filled}}));
    CommandList list;
    need(queue.submit(std::move(upload(list, to, words)), {.after = {downloaded}}));
  });
}

DEVICE_TEST(HostOrder, UploadsSeeWhatHostCallsWrite) {
  test.require(Feature::host_call);
  check_carried(test, [](Queue& queue, const Buffer& from, const Buffer& to, const auto& words) {
    const auto seen = std::make_shared<Words>(size);
    CommandList list;
    list.download(*seen, from).call([words, seen] { *words = *seen; });
    need(queue.submit(std::move(upload(list, to, words))));
  });
}

DEVICE_TEST(HostOrder, ReplaysSeeWhatReplaysDownload) {
  test.require_bytes();
  Queue queue = test.queue();
  const Buffer from = test.allocate(DType::u32, size), to = test.allocate(DType::u32, size);
  const Recording down = need(test.device().record(CommandList{}.download(Slot{0}, from)));
  const Recording up = need(test.device().record(CommandList{}.upload(to, Slot{0}).fill(need(to.slice(0, 1)), 5u)));
  for (std::uint32_t round = 1; round <= 10; ++round) {
    Words words(size, 99), wanted(size, round);
    wanted[0] = 5;
    need(queue.submit(CommandList{}.fill(from, round).fill(to, 77u)));
    need(queue.replay(down, std::array<SlotValue, 1>{std::as_writable_bytes(std::span(words))}));
    test.finish(need(queue.replay(up, std::array<SlotValue, 1>{source(words)})));
    CHECK_EQ(test.read<std::uint32_t>(queue, to), wanted);
  }
}

// A list that also writes what it has read must not read what it has written.
DEVICE_TEST(HostOrder, DownloadsComeAfterTheUploadsBefore) {
  check_carried(test, [](Queue& queue, const Buffer& from, const Buffer& to, const auto& words) {
    need(queue.submit(CommandList{}.download(*words, from)));
    CommandList list;
    upload(list, to, words).fill(from, 1234u).download(*words, from);
    need(queue.submit(std::move(list)));
  });
}

}  // namespace
}  // namespace pintle::conformance
