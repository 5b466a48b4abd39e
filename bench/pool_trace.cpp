#include "bench/pool_trace.h"

#include <algorithm>
#include <random>

namespace pintle::bench {
namespace {

constexpr std::uint64_t hidden = 1024, wide = 4096, element = 2;  // f16
constexpr std::uint64_t layers = 12;

/// Values by the places that are free.
class Writer {
 public:
  explicit Writer(PoolTrace& trace) : trace_(trace) {}

  std::uint32_t take(std::uint64_t bytes) {
    if (free_.empty()) free_.push_back(static_cast<std::uint32_t>(trace_.places++));
    const std::uint32_t place = free_.back();
    free_.pop_back();
    trace_.steps.push_back({place, bytes});
    return place;
  }
  void drop(std::uint32_t place) {
    trace_.steps.push_back({place, 0});
    free_.push_back(place);
  }

 private:
  PoolTrace& trace_;
  std::vector<std::uint32_t> free_;
};

/// Queries, keys and values, their scores, the mixed values; then the wide part. The residual lives on.
std::uint32_t layer(Writer& write, std::uint32_t residual, std::uint64_t tokens) {
  const std::uint32_t qkv = write.take(tokens * 3 * hidden * element);
  const std::uint32_t scores = write.take(tokens * tokens * 16 * element);
  const std::uint32_t mixed = write.take(tokens * hidden * element);
  write.drop(scores);
  write.drop(qkv);
  const std::uint32_t up = write.take(tokens * wide * element);
  write.drop(mixed);
  const std::uint32_t next = write.take(tokens * hidden * element);
  write.drop(up);
  write.drop(residual);
  return next;
}

}  // namespace

PoolTrace activations(std::uint64_t seed, std::size_t requests) {
  std::mt19937_64 random(seed);
  PoolTrace trace;
  Writer write(trace);
  for (std::size_t request = 0; request < requests; ++request) {
    const std::uint64_t tokens = 16 + random() % 497;
    std::uint32_t residual = write.take(tokens * hidden * element);
    for (std::uint64_t i = 0; i < layers; ++i) residual = layer(write, residual, tokens);
    write.drop(residual);
  }
  return trace;
}

}  // namespace pintle::bench
