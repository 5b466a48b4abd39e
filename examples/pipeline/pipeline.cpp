// Two devices work at once, a frame apart: the cpu squares, the other device adds. Two buffers go round, and signals
// say when each is full and empty again.
#include <array>
#include <vector>

#include "examples/example.h"

using namespace pintle;

constexpr std::uint32_t n = 1000, frames = 8;

int main(int count, char** arguments) {
  return example::run([&] {
    const ProgramPack pack = example::pack();
    Device device = example::device(count, arguments, pack), cpu = must(open("cpu", pack));
    Queue make = must(cpu.create_queue()), use = must(device.create_queue());
    const Kernel square = must(cpu.load(pack, "square")), add = must(device.load(pack, "add"));
    std::array<Buffer, 2> out, in;
    for (Buffer& buffer : out) buffer = must(cpu.allocate(DType::u32, {n}));
    for (Buffer& buffer : in) buffer = must(device.allocate(DType::u32, {n}));
    Signal full = must(Signal::create()), empty = must(Signal::create());
    must(empty.set(2));  // both buffers are
    std::array<std::vector<std::uint32_t>, frames> results;
    for (std::uint32_t frame = 1; frame <= frames; ++frame) {
      Buffer &from = out[frame % 2], &to = in[frame % 2];
      must(make.submit(CommandList{}.fill(from, frame).exec(square, Grid::cover(n), from, n),
                       {.after = {empty.at(frame)}, .signal = {full.at(frame)}}));
      results[frame - 1].resize(n);
      must(use.submit(
          CommandList{}.copy(to, from).exec(add, Grid::cover(n), to, 7u, n).download(std::span(results[frame - 1]), to),
          {.after = {full.at(frame)}, .signal = {empty.at(frame + 2)}}));
    }
    must(empty.wait(frames + 2));
    bool is_right = true;
    for (std::uint32_t frame = 1; frame <= frames; ++frame)
      is_right = is_right && results[frame - 1] == std::vector<std::uint32_t>(n, frame * frame + 7);
    return example::verdict(device, "what two devices made together", is_right);
  });
}
