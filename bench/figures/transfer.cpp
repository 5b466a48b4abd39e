// transfer_up and transfer_down: 64 MiB one way, beside a memcpy to or from memory that the API maps.
#include <array>
#include <utility>

#include "bench/figure.h"
#include "bench/match.h"

namespace pintle::bench {
namespace {

constexpr std::size_t bytes = 64 << 20;
constexpr std::uint32_t runs = 3;

template <class Once>
Result<void> block(Samples& samples, Once once) {
  for (std::uint32_t i = 0; i <= runs; ++i) {
    const auto start = BenchClock::now();
    PINTLE_TRY(once());
    if (i != 0) samples.push_back(static_cast<double>(bytes) / nanoseconds_since(start));
  }
  return {};
}

using Memory = std::vector<std::byte>;

/// No two pages alike.
Memory pattern() {
  Memory memory(bytes);
  for (std::size_t i = 0; i < bytes; ++i) memory[i] = static_cast<std::byte>(i * 2654435761u >> 13);
  return memory;
}

Result<void> check(const Memory& found, const Memory& expected, std::string_view side) {
  if (found == expected) return {};
  return Error(Errc::internal, std::string("The bytes on ") + std::string(side) + " are not those that were moved.");
}

/// Both sides hold the same bytes on the device, which the host's memory of each gets or gives.
struct Transfer {
  Match match;
  Buffer buffer;
  Memory expected;

  static Result<Transfer> open(const BenchOptions& options) {
    PINTLE_ASSIGN(match, Match::open(options.device));
    Transfer transfer{std::move(match), {}, {}};
    if (!transfer.match.unfit.empty()) return transfer;
    PINTLE_ASSIGN(buffer, transfer.match.rig.device.allocate(DType::u8, {bytes}));
    transfer.buffer = std::move(buffer);
    PINTLE_TRY(transfer.match.direct->allocate(bytes));
    transfer.expected = pattern();
    return transfer;
  }

  Result<void> replay(const Recording& recording, const SlotValue& host) {
    const std::array<SlotValue, 1> bindings{host};
    PINTLE_ASSIGN(done, match.rig.queue.replay(recording, bindings));
    return done.wait();
  }
};

constexpr Reach nine_tenths{Reach::Kind::ratio_at_least, 0.9};

}  // namespace

Rows transfer_up(const BenchOptions& options) {
  const Subject subject{"transfer_up", Unit::gigabytes_per_second, "memcpy to memory that the API maps", nine_tenths};
  PINTLE_ASSIGN(transfer, Transfer::open(options));
  Match& match = transfer.match;
  if (!match.unfit.empty()) return one_skip(subject, options, match.unfit);
  PINTLE_ASSIGN(recording, match.rig.device.record(CommandList{}.upload(transfer.buffer, Slot{0})));
  const std::span<const std::byte> from = transfer.expected;
  auto rows = one_row(
      subject, options,
      [&](Samples& samples) { return block(samples, [&] { return transfer.replay(recording, from); }); },
      [&](Samples& samples) { return block(samples, [&] { return match.direct->upload(from); }); });
  Memory ours(bytes), reference(bytes);
  PINTLE_TRY(match.rig.queue.submit_and_wait(CommandList{}.download(ours, transfer.buffer)));
  PINTLE_TRY(match.direct->download(reference));
  PINTLE_TRY(check(ours, transfer.expected, "our buffer"));
  PINTLE_TRY(check(reference, transfer.expected, "the reference's buffer"));
  return rows;
}

Rows transfer_down(const BenchOptions& options) {
  const Subject subject{"transfer_down", Unit::gigabytes_per_second, "memcpy from memory that the API maps",
                        nine_tenths};
  PINTLE_ASSIGN(transfer, Transfer::open(options));
  Match& match = transfer.match;
  if (!match.unfit.empty()) return one_skip(subject, options, match.unfit);
  PINTLE_TRY(match.rig.queue.submit_and_wait(CommandList{}.upload(transfer.buffer, transfer.expected)));
  PINTLE_TRY(match.direct->upload(transfer.expected));
  PINTLE_ASSIGN(recording, match.rig.device.record(CommandList{}.download(Slot{0}, transfer.buffer)));
  Memory ours(bytes), reference(bytes);
  auto rows = one_row(
      subject, options,
      [&](Samples& samples) {
        return block(samples, [&] { return transfer.replay(recording, std::span<std::byte>(ours)); });
      },
      [&](Samples& samples) { return block(samples, [&] { return match.direct->download(reference); }); });
  PINTLE_TRY(check(ours, transfer.expected, "our side of the host"));
  PINTLE_TRY(check(reference, transfer.expected, "the reference's side of the host"));
  return rows;
}

}  // namespace pintle::bench
