// Host memory that a device uses in place, and transfers to and from the same bytes.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <span>

#include "conformance/ways.h"

namespace pintle::conformance {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::size_t count = 16384;
constexpr std::uint32_t rounds = 40;  // any one may come out right by chance

/// Memory of the host, the buffer over it, and two others.
struct Imported {
  explicit Imported(Context& test) {
    test.require(Feature::host_import);
    test.require_bytes();
    buffer = need(test.device().import_host(values, {}, "imported"));
    from = test.allocate(DType::u32, count, "from");
    to = test.allocate(DType::u32, count, "to");
  }
  /// Every place holds zeros, but the bytes to be moved.
  void begin(Context& test, Queue& queue, std::uint32_t value) {
    std::ranges::fill(values, 0u);
    need(queue.submit(CommandList{}.fill(from, value).fill(to, 0u)));
    test.finish(queue.last());
  }
  void expect(Context& test, Queue& queue, std::uint32_t value) const {
    CHECK_EQ(test.read<std::uint32_t>(queue, to), Words(count, value));
  }

  struct Free {
    void operator()(std::uint32_t* memory) const noexcept { std::free(memory); }
  };
  std::unique_ptr<std::uint32_t, Free> memory{
      static_cast<std::uint32_t*>(std::aligned_alloc(65536, count * sizeof(std::uint32_t)))};
  std::span<std::uint32_t> values{memory.get(), count};
  Buffer buffer, from, to;
};

// A staged download reached the host after the device had read these bytes.
DEVICE_TEST(Import, DownloadIsBeforeWhatReadsItsBytesInTheList) {
  Imported imported(test);
  Queue queue = test.queue();
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    imported.begin(test, queue, round);
    need(queue.submit(CommandList{}.download(imported.values, imported.from).copy(imported.to, imported.buffer)));
    imported.expect(test, queue, round);
  }
}

DEVICE_TEST(Import, DownloadIsBeforeWhatReadsItsBytesOnAnotherQueue) {
  Imported imported(test);
  Queue first = test.queue(), second = test.queue();
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    imported.begin(test, first, round);
    const Point down = need(first.submit(CommandList{}.download(imported.values, imported.from)));
    need(second.submit(CommandList{}.copy(imported.to, imported.buffer), {.after = {down}}));
    imported.expect(test, second, round);
  }
}

DEVICE_TEST(Import, UploadIsAfterWhatWritesItsBytes) {
  Imported imported(test);
  Queue first = test.queue(), second = test.queue();
  const auto keeper = std::make_shared<int>();
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    imported.begin(test, first, round);
    const Point written = need(first.submit(CommandList{}.copy(imported.buffer, imported.from)));
    need(second.submit(CommandList{}.upload_retained(imported.to, keeper, std::as_bytes(imported.values)),
                       {.after = {written}}));
    imported.expect(test, second, round);
  }
}

}  // namespace
}  // namespace pintle::conformance
