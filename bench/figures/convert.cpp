// convert: f32 to the narrow floating dtypes and back, 64 MiB of f32, in one thread.
#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "bench/figure.h"
#include "pintle/convert.h"

namespace pintle::bench {
namespace {

constexpr std::size_t bytes_of_f32 = 64 << 20, count = bytes_of_f32 / 4;
constexpr std::uint32_t runs = 3;

using Memory = std::vector<std::byte>;

/// `moved` bytes for each call of `once`.
template <class Once>
Result<void> block(Samples& samples, std::size_t moved, Once once) {
  for (std::uint32_t i = 0; i <= runs; ++i) {
    const auto start = BenchClock::now();
    PINTLE_TRY(once());
    if (i != 0) samples.push_back(static_cast<double>(moved) / nanoseconds_since(start));
  }
  return {};
}

/// Numbers of both signs between 2^-24 and 1, as weights are: few are subnormal in f16, more in fp8, none too large.
Memory weights() {
  Memory memory(bytes_of_f32);
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    const std::uint32_t word = (state & 0x80000000) | (103 + (state >> 8) % 24) << 23 | (state & 0x7fffff);
    std::memcpy(memory.data() + i * 4, &word, 4);
  }
  return memory;
}

/// What ran last is right: the element in the middle alone gives the same.
Result<void> check(const Memory& to, const Memory& from, const Convert& how) {
  const std::size_t from_size = bytes_of(how.from), to_size = bytes_of(how.to), middle = count / 2;
  Memory alone(to_size);
  PINTLE_TRY(convert(alone, std::span(from).subspan(middle * from_size, from_size), how));
  if (std::memcmp(alone.data(), to.data() + middle * to_size, to_size) == 0) return {};
  return Error(Errc::internal, fmt::format("Element ({}) of a conversion to {} is wrong.", middle, name(how.to)));
}

struct Conversion {
  Convert how;
  Memory from, to;

  static Result<Conversion> prepare(const Convert& how, const Memory& floats) {
    Conversion conversion{how, floats, Memory(count * bytes_of(how.to))};
    if (how.from == DType::f32) return conversion;
    conversion.from.resize(count * bytes_of(how.from));
    PINTLE_TRY(convert(conversion.from, floats, {DType::f32, how.from}));
    return conversion;
  }
  [[nodiscard]] std::size_t moved() const { return from.size() + to.size(); }
  Result<void> run() { return convert(to, from, how); }
};

/// Both directions of the memory count: what is read and what is written.
Result<Row> beside_memcpy(const Convert& how, const Memory& floats, const BenchOptions& options) {
  PINTLE_ASSIGN(conversion, Conversion::prepare(how, floats));
  const Memory copied(conversion.moved() / 2, std::byte{0x5a});
  Memory copy(copied.size());
  const auto memcpys = [&]() -> Result<void> {
    std::memcpy(copy.data(), copied.data(), copied.size());
    return {};
  };
  PINTLE_ASSIGN(measured, contest(
                              options.pairs,
                              [&](Samples& samples) {
                                return block(samples, conversion.moved(), [&] { return conversion.run(); });
                              },
                              [&](Samples& samples) { return block(samples, conversion.moved(), memcpys); }));
  PINTLE_TRY(check(conversion.to, conversion.from, how));
  if (copy != copied) return Error(Errc::internal, "A memcpy gave other bytes.");
  const std::string reference = fmt::format("memcpy as much, {} to {}", name(how.from), name(how.to));
  return make_row({"convert", Unit::gigabytes_per_second, reference, {Reach::Kind::ratio_at_least, 0.9}},
                  options.device, measured);
}

/// GB of f32 read in a second, beside the number that is asked for.
Result<Row> beside_goal(const Convert& how, const Memory& floats, const BenchOptions& options) {
  constexpr double goal = 4;
  PINTLE_ASSIGN(conversion, Conversion::prepare(how, floats));
  PINTLE_ASSIGN(measured,
                contest(
                    options.pairs,
                    [&](Samples& samples) { return block(samples, bytes_of_f32, [&] { return conversion.run(); }); },
                    [&](Samples& samples) -> Result<void> {
                      samples.push_back(goal);
                      return {};
                    }));
  PINTLE_TRY(check(conversion.to, conversion.from, how));
  const std::string reference = fmt::format("4 GB/s of f32, {} to {}", name(how.from), name(how.to));
  return make_row({"convert", Unit::gigabytes_per_second, reference, {Reach::Kind::ratio_at_least, 1}}, options.device,
                  measured);
}

}  // namespace

Rows convert_dtypes(const BenchOptions& options) {
  const Memory floats = weights();
  std::vector<Row> rows;
  const auto keep = [&](Row row) {
    if (options.on_row) options.on_row(row);
    rows.push_back(std::move(row));
  };
  for (const Convert& how : {Convert::f32_to_f16, Convert::f32_to_bf16, Convert::f16_to_f32}) {
    PINTLE_ASSIGN(row, beside_memcpy(how, floats, options));
    keep(std::move(row));
  }
  for (const Convert& how : {Convert::f32_to_f8_e4m3fn, Convert::f32_to_f8_e5m2}) {
    PINTLE_ASSIGN(row, beside_goal(how, floats, options));
    keep(std::move(row));
  }
  return rows;
}

}  // namespace pintle::bench
