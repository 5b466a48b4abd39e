// copy: 64 MiB to the device and back.
#include <array>
#include <cstring>
#include <utility>

#include "bench/figure.h"
#include "bench/rig.h"

namespace pintle::bench {
namespace {

constexpr std::size_t bytes = 64 << 20;
constexpr std::uint32_t runs = 3;

/// Both directions together.
double gigabytes_per_second(double nanoseconds) { return 2.0 * bytes / nanoseconds; }

template <class Once>
Result<void> block(Samples& samples, Once once) {
  for (std::uint32_t i = 0; i <= runs; ++i) {
    const auto start = BenchClock::now();
    PINTLE_TRY(once());
    if (i != 0) samples.push_back(gigabytes_per_second(nanoseconds_since(start)));
  }
  return {};
}

/// Host memory of one side, touched.
struct Host {
  std::vector<std::byte> from = std::vector<std::byte>(bytes, std::byte{0x5a});
  std::vector<std::byte> to = std::vector<std::byte>(bytes);

  [[nodiscard]] Result<void> check() const {
    if (from == to) return {};
    return Error(Errc::internal, "The bytes that came back from the device differ from those that went there.");
  }
};

}  // namespace

Rows copy(const BenchOptions& options) {
  const Subject subject{
      "copy", Unit::gigabytes_per_second, "two memcpys through a third buffer", {Reach::Kind::ratio_at_least, 0.95}};
  PINTLE_ASSIGN(rig, Rig::open(options.device));
  if (rig.device.info().capability(Feature::execution).support == Support::absent)
    return one_skip(subject, options, rig.unfit);
  PINTLE_ASSIGN(buffer, rig.device.allocate(DType::u8, {bytes}));
  PINTLE_ASSIGN(recording, rig.device.record(CommandList{}.upload(buffer, Slot{0}).download(Slot{1}, buffer)));
  Host ours, reference;
  std::vector<std::byte> third(bytes);
  const auto round_trip = [&]() -> Result<void> {
    const std::array<SlotValue, 2> bindings{std::span<const std::byte>(ours.from), std::span<std::byte>(ours.to)};
    PINTLE_ASSIGN(done, rig.queue.replay(recording, bindings));
    return done.wait();
  };
  const auto memcpys = [&]() -> Result<void> {
    std::memcpy(third.data(), reference.from.data(), bytes);
    std::memcpy(reference.to.data(), third.data(), bytes);
    return {};
  };
  auto rows = one_row(
      subject, options, [&](Samples& samples) { return block(samples, round_trip); },
      [&](Samples& samples) { return block(samples, memcpys); });
  PINTLE_TRY(ours.check());
  PINTLE_TRY(reference.check());
  return rows;
}

}  // namespace pintle::bench
