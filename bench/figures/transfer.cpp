// transfer_up and transfer_down: bytes one way, beside the same by hand. Where the API maps the device's memory, that
// is a memcpy of 64 MiB. Where it copies, there are several sizes, and memory of the host that is pinned, too.
#include <algorithm>
#include <iterator>
#include <utility>

#include "bench/figure.h"
#include "bench/match.h"

namespace pintle::bench {
namespace {

constexpr std::size_t mebibyte = 1 << 20;
constexpr std::uint32_t runs = 3;

enum class Host : unsigned char { pageable, pinned };
enum class Way : unsigned char { up, down };

/// One row.
struct Case {
  std::string_view name;
  std::string_view reference;
  Way way;
  Host host = Host::pageable;
  std::size_t bytes = 64 * mebibyte;
  std::optional<std::uint64_t> size{};  ///< For the row, where there are several.
  double at_least = 0.9;
};

Case mapped_case(Way way) {
  if (way == Way::up) return {"transfer_up", "memcpy to memory that the API maps", way};
  return {"transfer_down", "memcpy from memory that the API maps", way};
}

Case copied_case(Way way, Host host, std::size_t bytes, double at_least) {
  const bool is_pinned = host == Host::pinned;
  const std::string_view name = way == Way::up ? is_pinned ? "transfer_up_pinned" : "transfer_up"
                                : is_pinned    ? "transfer_down_pinned"
                                               : "transfer_down";
  const std::string_view reference =
      is_pinned ? "the API's copy, with pinned memory" : "the API's copy, with the program's memory";
  return {name, reference, way, host, bytes, bytes, at_least};
}

/// What a card of NVIDIA's should give: its driver copies memory that is not pinned by a thread of its own.
double reach_of(Way way, std::size_t bytes) {
  if (way == Way::down) return 1.2;
  return bytes >= 256 * mebibyte ? 2.3 : 1.8;
}

std::vector<Case> cases_of(const DeviceInfo& device, Way way) {
  if (!has_graphs(device.backend)) return {mapped_case(way)};
  const bool is_measured = device.backend == "cuda";
  std::vector<Case> cases;
  for (const std::size_t bytes : {16 * mebibyte, 64 * mebibyte, 256 * mebibyte})
    cases.push_back(copied_case(way, Host::pageable, bytes, is_measured ? reach_of(way, bytes) : 0.9));
  cases.push_back(copied_case(way, Host::pinned, 64 * mebibyte, is_measured ? 0.97 : 0.9));
  return cases;
}

/// No two pages alike.
void write_pattern(std::span<std::byte> to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<std::byte>(i * 2654435761u >> 13);
}

Result<void> check_pattern(std::span<const std::byte> found, std::string_view side) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] == static_cast<std::byte>(i * 2654435761u >> 13)) continue;
    return Error(Errc::internal, std::string("The bytes of ") + std::string(side) + " are not those that were moved.");
  }
  return {};
}

/// A recording, and what its replay binds.
struct Replay {
  Recording recording;
  std::vector<SlotValue> bindings{};

  Result<void> run(Queue& queue) const {
    PINTLE_ASSIGN(done, queue.replay(recording, bindings));
    return done.wait();
  }
};

/// Each side has bytes on the host and bytes on the device, and moves them both ways.
struct Transfer {
  Match& match;
  Buffer buffer{}, pinned{};
  std::vector<std::byte> ours_kept{}, theirs_kept{};  ///< Where nothing is pinned.
  std::span<std::byte> ours{}, theirs{};
  Replay up{}, down{};

  static Result<Transfer> open(Match& match, const Case& what);
  Result<void> run(Way way) { return (way == Way::up ? up : down).run(match.rig.queue); }
  Result<void> run_by_hand(Way way) {
    return way == Way::up ? match.direct->upload(theirs) : match.direct->download(theirs);
  }

 private:
  Result<void> take_pageable(std::size_t bytes);
  Result<void> take_pinned(std::size_t bytes);
};

Result<void> Transfer::take_pageable(std::size_t bytes) {
  ours_kept.resize(bytes);
  theirs_kept.resize(bytes);
  ours = ours_kept;
  theirs = theirs_kept;
  PINTLE_ASSIGN(recorded_up, match.rig.device.record(CommandList{}.upload(buffer, Slot{0})));
  PINTLE_ASSIGN(recorded_down, match.rig.device.record(CommandList{}.download(Slot{0}, buffer)));
  up = {std::move(recorded_up), {std::span<const std::byte>(ours)}};
  down = {std::move(recorded_down), {ours}};
  return {};
}

/// Ours is a buffer that is placed on the host.
Result<void> Transfer::take_pinned(std::size_t bytes) {
  PINTLE_ASSIGN(placed, match.rig.device.allocate(DType::u8, {bytes}, {.placement = Placement::host}));
  pinned = std::move(placed);
  PINTLE_ASSIGN(mapped, pinned.map());
  PINTLE_ASSIGN(allocated, match.direct->allocate_pinned(bytes));
  ours = mapped;
  theirs = allocated;
  PINTLE_ASSIGN(recorded_up, match.rig.device.record(CommandList{}.copy(buffer, pinned)));
  PINTLE_ASSIGN(recorded_down, match.rig.device.record(CommandList{}.copy(pinned, buffer)));
  up.recording = std::move(recorded_up);
  down.recording = std::move(recorded_down);
  return {};
}

Result<Transfer> Transfer::open(Match& match, const Case& what) {
  Transfer transfer{match};
  PINTLE_ASSIGN(buffer, match.rig.device.allocate(DType::u8, {what.bytes}));
  transfer.buffer = std::move(buffer);
  PINTLE_TRY(match.direct->allocate(what.bytes));
  PINTLE_TRY(what.host == Host::pinned ? transfer.take_pinned(what.bytes) : transfer.take_pageable(what.bytes));
  write_pattern(transfer.ours);
  write_pattern(transfer.theirs);
  return transfer;
}

template <class Once>
Result<void> block(Samples& samples, std::size_t bytes, Once once) {
  for (std::uint32_t i = 0; i <= runs; ++i) {
    const auto start = BenchClock::now();
    PINTLE_TRY(once());
    if (i != 0) samples.push_back(static_cast<double>(bytes) / nanoseconds_since(start));
  }
  return {};
}

void clear(Transfer& transfer) {
  std::ranges::fill(transfer.ours, std::byte{0});
  std::ranges::fill(transfer.theirs, std::byte{0});
}

Result<void> run_both(Transfer& transfer, Way way) {
  PINTLE_TRY(transfer.run(way));
  return transfer.run_by_hand(way);
}

/// What comes down must be what went up.
Rows measure(Match& match, const BenchOptions& options, const Case& what) {
  PINTLE_ASSIGN(transfer, Transfer::open(match, what));
  if (what.way == Way::down) {
    PINTLE_TRY(run_both(transfer, Way::up));
    clear(transfer);
  }
  const Subject subject{what.name,           Unit::gigabytes_per_second,
                        what.reference,      {Reach::Kind::ratio_at_least, what.at_least},
                        Difference::omitted, what.size};
  auto rows = one_row(
      subject, options,
      [&](Samples& samples) { return block(samples, what.bytes, [&] { return transfer.run(what.way); }); },
      [&](Samples& samples) { return block(samples, what.bytes, [&] { return transfer.run_by_hand(what.way); }); });
  if (what.way == Way::up) {
    clear(transfer);
    PINTLE_TRY(run_both(transfer, Way::down));
  }
  PINTLE_TRY(check_pattern(transfer.ours, "our side"));
  PINTLE_TRY(check_pattern(transfer.theirs, "the reference's side"));
  return rows;
}

Rows transfer(const BenchOptions& options, Way way) {
  PINTLE_ASSIGN(match, Match::open(options.device));
  const Case usual = mapped_case(way);
  const Subject subject{
      usual.name, Unit::gigabytes_per_second, usual.reference, {Reach::Kind::ratio_at_least, usual.at_least}};
  if (!match.unfit.empty()) return one_skip(subject, options, match.unfit);
  std::vector<Row> rows;
  for (const Case& what : cases_of(match.rig.device.info(), way)) {
    PINTLE_ASSIGN(more, measure(match, options, what));
    std::ranges::move(more, std::back_inserter(rows));
  }
  return rows;
}

}  // namespace

Rows transfer_up(const BenchOptions& options) { return transfer(options, Way::up); }

Rows transfer_down(const BenchOptions& options) { return transfer(options, Way::down); }

}  // namespace pintle::bench
