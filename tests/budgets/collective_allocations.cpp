// Allocations of small collectives, on every rank: none, whatever the operation and the algorithm, once each has run.
#include <array>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "budgets/all_allocations.h"
#include "collective/run_options.h"
#include "pintle/pintle.h"

namespace {

using namespace pintle;
using collective::run;
using collective::RunOptions;

constexpr std::size_t largest = 1024;  // floats
constexpr int rounds = 20;

/// A rank's memory: whole buffers have `ranks` parts of `count`.
struct Memory {
  std::vector<float> to, from;
  std::size_t count = 0;

  std::span<float> to_part() { return std::span(to).first(count); }
  std::span<float> from_part() { return std::span(from).first(count); }
  std::span<float> to_all(const Group& group) { return std::span(to).first(count * group.ranks()); }
  std::span<float> from_all(const Group& group) { return std::span(from).first(count * group.ranks()); }
};

struct Case {
  const char* name;
  Result<void> (*call)(Group&, Memory&, const RunOptions&);
};

constexpr std::array cases{
    Case{"all_reduce",
         [](Group& g, Memory& m, const RunOptions& o) {
           return run(g, Collective::all_reduce(m.to_part(), m.from_part(), ReduceOp::sum), o);
         }},
    Case{"reduce",
         [](Group& g, Memory& m, const RunOptions& o) {
           return run(g, Collective::reduce(m.to_part(), m.from_part(), ReduceOp::sum, 1), o);
         }},
    Case{"reduce_scatter",
         [](Group& g, Memory& m, const RunOptions& o) {
           return run(g, Collective::reduce_scatter(m.to_part(), m.from_all(g), ReduceOp::sum), o);
         }},
    Case{"all_gather",
         [](Group& g, Memory& m, const RunOptions& o) {
           return run(g, Collective::all_gather(m.to_all(g), m.from_part()), o);
         }},
    Case{"gather", [](Group& g, Memory& m,
                      const RunOptions& o) { return run(g, Collective::gather(m.to_all(g), m.from_part(), 1), o); }},
    Case{"scatter", [](Group& g, Memory& m,
                       const RunOptions& o) { return run(g, Collective::scatter(m.to_part(), m.from_all(g), 1), o); }},
    Case{"broadcast",
         [](Group& g, Memory& m, const RunOptions& o) { return run(g, Collective::broadcast(m.to_part(), 1), o); }},
    Case{"all_to_all",
         [](Group& g, Memory& m, const RunOptions& o) {
           return run(g, Collective::all_to_all(m.to_all(g), m.from_all(g)), o);
         }},
    Case{"barrier", [](Group& g, Memory&, const RunOptions& o) { return run(g, Collective::barrier(), o); }}};

constexpr std::array algorithms{Algorithm::automatic, Algorithm::direct, Algorithm::ring, Algorithm::halving_doubling,
                                Algorithm::tree};

/// One rank's part: what rank 0 counts is what all of them allocate between two barriers.
void take_part(Group& group, const Case& one, Algorithm algorithm, std::size_t count) {
  Memory memory{std::vector<float>(largest * group.ranks()), std::vector<float>(largest * group.ranks(), 1.0F), count};
  const auto run = [&] {
    for (int i = 0; i < rounds; ++i) must(one.call(group, memory, {.algorithm = algorithm}));
    must(group.run(Collective::barrier()));
  };
  run();
  if (group.rank() == 0) counting = true;
  must(group.run(Collective::barrier()));
  run();
  if (group.rank() == 0) counting = false;
  must(group.run(Collective::barrier()));
}

int measure(std::uint32_t ranks, const Case& one, Algorithm algorithm, std::size_t count) {
  auto groups = must(Group::threads(ranks));
  allocations = 0;
  std::vector<std::thread> threads;
  for (Group& group : groups) threads.emplace_back([&] { take_part(group, one, algorithm, count); });
  for (std::thread& thread : threads) thread.join();
  return allocations;
}

}  // namespace

int main() {
  int measured = 0, over = 0;
  for (const std::uint32_t ranks : {2u, 3u, 4u, 12u}) {
    for (const Case& one : cases) {
      for (const Algorithm algorithm : algorithms) {
        for (const std::size_t count : {std::size_t{2}, largest}) {
          const int found = measure(ranks, one, algorithm, count);
          ++measured;
          if (found == 0) continue;
          ++over;
          std::printf("%s, %s, %zu floats, %u ranks: %d allocations in %d rounds of all ranks\n", one.name,
                      std::string(name(algorithm)).c_str(), count, ranks, found, rounds);
        }
      }
    }
  }
  std::printf("%d of %d allocate; the budget is 0\n", over, measured);
  return counts() && over == 0 ? 0 : 1;
}
