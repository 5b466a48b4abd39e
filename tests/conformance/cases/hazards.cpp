// Commands of a list behave as if run one after another, whatever may overlap underneath.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>

#include "conformance/ways.h"

namespace pintle::conformance {
namespace {

using Words = std::vector<std::uint32_t>;

// Y14: read after write, write after read and write after write, each by byte range.
DEVICE_TEST(Hazard, ReadAfterWrite) {
  test.require_bytes();
  Queue queue = test.queue();
  const Kernel affine = test.kernel("affine"), add_to = test.kernel("add_to");
  const Buffer a = test.buffer(Words(5000, 1)), b = test.buffer(Words(5000, 0)), c = test.buffer(Words(5000, 0));
  need(queue.submit(CommandList{}
                        .exec(affine, Grid::cover(5000), a, 10u, 1u, 5000u)
                        .exec(add_to, Grid::cover(5000), a, b, 100u, 5000u)
                        .copy(c, b)));
  CHECK_EQ(test.read<std::uint32_t>(queue, c), Words(5000, 111));
}

DEVICE_TEST(Hazard, WriteAfterRead) {
  test.require_bytes();
  Queue queue = test.queue();
  const Buffer a = test.buffer(Words(5000, 1)), b = test.buffer(Words(5000, 0)), c = test.buffer(Words(5000, 7));
  need(queue.submit(
      CommandList{}.exec(test.kernel("add_to"), Grid::cover(5000), a, b, 1u, 5000u).copy(a, c).fill(c, 9u)));
  CHECK_EQ(test.read<std::uint32_t>(queue, b), Words(5000, 2));
  CHECK_EQ(test.read<std::uint32_t>(queue, a), Words(5000, 7));
}

DEVICE_TEST(Hazard, WriteAfterWrite) {
  test.require_bytes();
  Queue queue = test.queue();
  const Buffer a = test.buffer(Words(5000, 0)), ones = test.buffer(Words(5000, 1));
  need(queue.submit(CommandList{}
                        .fill(a, 5u)
                        .exec(test.kernel("add_to"), Grid::cover(5000), ones, a, 1u, 5000u)
                        .fill(need(a.slice(100, 50)), 6u)));
  Words expected(5000, 2);
  std::fill_n(expected.begin() + 100, 50, 6u);
  CHECK_EQ(test.read<std::uint32_t>(queue, a), expected);
}

// Ranges that touch by one byte only, from either side.
DEVICE_TEST(Hazard, RangesThatShareOneByte) {
  test.require_bytes();
  Queue queue = test.queue();
  for (int round = 0; round < 20; ++round) {
    const Buffer bytes = test.buffer(std::vector<std::uint8_t>(4096, 1));
    need(queue.submit(CommandList{}
                          .fill(need(bytes.slice(0, 2049)), std::uint8_t{2})
                          .fill(need(bytes.slice(2048, 2048)), std::uint8_t{3})
                          .copy(need(bytes.slice(0, 1)), need(bytes.slice(2048, 1)))
                          .fill(need(bytes.slice(2047, 2)), std::uint8_t{4})));
    std::vector<std::uint8_t> expected(4096, 3);
    std::fill_n(expected.begin(), 2048, std::uint8_t{2});
    expected[0] = 3;
    expected[2047] = expected[2048] = 4;
    CHECK_EQ(test.read<std::uint8_t>(queue, bytes), expected);
  }
}

/// A small generator: the same cases on every device and every run.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint32_t below(std::uint32_t limit) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 33) % limit;
  }

 private:
  std::uint64_t state_;
};

/// One random step on 128-word blocks of a few buffers: for the list and for the oracle on the host.
struct Step {
  enum class Kind : unsigned char { copy, fill, affine, add_to };
  Kind kind = Kind::copy;
  std::uint32_t to = 0, from = 0;  // blocks
  std::uint32_t value = 0;
};

constexpr std::uint32_t buffers = 3, blocks = 6, block = 128;  // a block is 512 bytes: aligned for every argument

std::vector<Step> random_steps(Dice& dice, std::size_t count) {
  std::vector<Step> steps(count);
  for (Step& step : steps) {
    step.kind = static_cast<Step::Kind>(dice.below(4));
    step.to = dice.below(buffers * blocks);
    do step.from = dice.below(buffers * blocks);
    while (step.from == step.to);
    step.value = dice.below(1000);
  }
  return steps;
}

void run_on_host(const std::vector<Step>& steps, std::vector<Words>& memory) {
  const auto at = [&](std::uint32_t place) { return memory[place / blocks].begin() + place % blocks * block; };
  for (const Step& step : steps) {
    for (std::uint32_t i = 0; i < block; ++i) {
      std::uint32_t& to = at(step.to)[i];
      const std::uint32_t from = at(step.from)[i];
      switch (step.kind) {
        case Step::Kind::copy: to = from; break;
        case Step::Kind::fill: to = step.value; break;
        case Step::Kind::affine: to = to * 3 + step.value; break;
        case Step::Kind::add_to: to = from + step.value; break;
      }
    }
  }
}

using Argument = std::function<BufferArgument(std::uint32_t place)>;

CommandList build(Context& test, const std::vector<Step>& steps, const std::vector<Buffer>& memory) {
  const auto at = [&](std::uint32_t place) {
    return need(memory[place / blocks].slice(place % blocks * block, block));
  };
  const Kernel affine = test.kernel("affine"), add_to = test.kernel("add_to");
  CommandList list;
  for (const Step& step : steps) {
    switch (step.kind) {
      case Step::Kind::copy: list.copy(at(step.to), at(step.from)); break;
      case Step::Kind::fill: list.fill(at(step.to), step.value); break;
      case Step::Kind::affine: list.exec(affine, Grid::cover(block), at(step.to), 3u, step.value, block); break;
      case Step::Kind::add_to:
        list.exec(add_to, Grid::cover(block), at(step.from), at(step.to), step.value, block);
        break;
    }
  }
  return list;
}

DEVICE_TEST(Hazard, RandomListsEqualTheirSequentialRun) {
  test.require_bytes();
  Dice dice(42);
  Queue queue = test.queue();
  for (int round = 0; round < 15; ++round) {
    const std::vector<Step> steps = random_steps(dice, 60);
    std::vector<Words> expected(buffers, Words(blocks * block));
    std::vector<Buffer> submitted, replayed;
    for (std::uint32_t b = 0; b < buffers; ++b) {
      expected[b] = ramp<std::uint32_t>(blocks * block, b * 100000);
      submitted.push_back(test.buffer(expected[b]));
      replayed.push_back(test.buffer(expected[b]));
    }
    run_on_host(steps, expected);
    need(queue.submit(build(test, steps, submitted)));
    const Recording recording = need(test.device().record(build(test, steps, replayed)));
    need(queue.replay(recording));
    for (std::uint32_t b = 0; b < buffers; ++b) {
      CHECK_EQ(test.read<std::uint32_t>(queue, submitted[b]), expected[b]);
      CHECK_EQ(test.read<std::uint32_t>(queue, replayed[b]), expected[b]);
    }
  }
}

// Two slots may turn out to be one buffer: order holds whatever is bound.
DEVICE_TEST(Hazard, SlotsBoundToOneBufferKeepTheOrder) {
  test.require_bytes();
  Queue queue = test.queue();
  const Kernel affine = test.kernel("affine");
  const Recording recording = need(test.device().record(CommandList{}
                                                            .exec(affine, Grid::cover(3000), Slot{0}, 3u, 1u, 3000u)
                                                            .exec(affine, Grid::cover(3000), Slot{1}, 5u, 2u, 3000u)
                                                            .exec(affine, Grid::cover(3000), Slot{0}, 7u, 3u, 3000u)));
  const Buffer buffer = test.buffer(Words(3000, 1)), other = test.buffer(Words(3000, 1));
  need(queue.replay(recording, {buffer, buffer}));
  CHECK_EQ(test.read<std::uint32_t>(queue, buffer), Words(3000, ((1 * 3 + 1) * 5 + 2) * 7 + 3));
  need(queue.replay(recording, {other, buffer}));
  CHECK_EQ(test.read<std::uint32_t>(queue, other), Words(3000, (1 * 3 + 1) * 7 + 3));
}

DEVICE_TEST(Hazard, OneBufferMayBeSeveralArguments) {
  test.require_bytes();
  Queue queue = test.queue();
  const Buffer buffer = test.buffer(Words(256, 5));
  const BufferView low = need(buffer.slice(0, 64)), high = need(buffer.slice(128, 64));
  need(queue.submit(CommandList{}.exec(test.kernel("add_to"), Grid{1}, low, high, 1u, 64u)));
  CHECK_EQ(test.read<std::uint32_t>(queue, high), Words(64, 6));
}

}  // namespace
}  // namespace pintle::conformance
