// feed: 64 MiB of f32 into an arena as f16, beside as much without a conversion.
#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "bench/figure.h"
#include "pintle/arena.h"
#include "pintle/device.h"
#include "pintle/queue.h"

namespace pintle::bench {
namespace {

constexpr std::size_t bytes = 64 << 20, count = bytes / 4;
constexpr std::uint32_t runs = 3;

/// One arena has both values, apart.
struct Feeding {
  Queue queue;
  Arena arena;
  std::uint32_t halves = 0, floats = 0;

  static Result<Feeding> open(const Device& device) {
    const PlannedValue small{"halves", bytes / 2, 1, Assignment::planned, 0, 0};
    const PlannedValue large{"floats", bytes, 1, Assignment::planned, 1, 0};
    PINTLE_ASSIGN(plan, Plan::create({small, large}, {bytes / 2, bytes}, 0));
    PINTLE_ASSIGN(ids, plan.ids("halves", "floats"));
    PINTLE_ASSIGN(queue, device.create_queue());
    PINTLE_ASSIGN(arena, Arena::create(device, std::move(plan),
                                       {{"halves", DType::f16, {count}}, {"floats", DType::f32, {count}}}));
    return Feeding{std::move(queue), std::move(arena), ids[0], ids[1]};
  }
};

/// Until the bytes are there.
template <class Once>
Result<void> block(Samples& samples, Once once) {
  const auto begin = BenchClock::now();
  for (std::uint32_t i = 0; i <= runs; ++i) {
    const auto start = BenchClock::now();
    PINTLE_ASSIGN(there, once());
    PINTLE_TRY(there.wait());
    if (i != 0) samples.push_back(nanoseconds_since(start) / 1e6);
    if (i != 0 && has_long_run(begin)) return {};
  }
  return {};
}

/// Values of both signs, none beyond f16.
std::vector<float> weights() {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i % 60013) / 1024.0f - 29.0f;
  return values;
}

Result<void> check(Feeding& feeding, const std::vector<float>& values) {
  std::vector<std::byte> expected(bytes / 2);
  PINTLE_TRY(convert(expected, std::as_bytes(std::span(values)), Convert::f32_to_f16));
  PINTLE_ASSIGN(halves, read<std::byte>(feeding.queue, feeding.arena, feeding.halves));
  PINTLE_ASSIGN(floats, read<float>(feeding.queue, feeding.arena, feeding.floats));
  if (halves == expected && floats == values) return {};
  return Error(Errc::internal, "The values in the arena are not those that were fed.");
}

}  // namespace

Rows feed(const BenchOptions& options) {
  const Subject subject{"feed", Unit::milliseconds, "feed without conversion", {Reach::Kind::ratio_at_most, 1.3}};
  PINTLE_ASSIGN(device, open(options.device));
  if (device.info().capability(Feature::execution).support == Support::absent)
    return one_skip(subject, options, "The device executes nothing.");
  PINTLE_ASSIGN(feeding, Feeding::open(device));
  const std::vector<float> values = weights();
  const auto converted = [&] {
    return pintle::feed(feeding.queue, feeding.arena, feeding.halves, values, Convert::f32_to_f16);
  };
  const auto plain = [&] { return pintle::feed(feeding.queue, feeding.arena, feeding.floats, values); };
  auto rows = one_row(
      subject, options, [&](Samples& samples) { return block(samples, converted); },
      [&](Samples& samples) { return block(samples, plain); });
  PINTLE_TRY(check(feeding, values));
  return rows;
}

}  // namespace pintle::bench
