// What Python is measured beside: the same launches in C++. `reference PACK DEVICE` answers each line on stdin, the
// name of a figure, with a line of samples in nanoseconds.
#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "pintle/pintle.h"

using namespace pintle;

namespace {

constexpr std::uint32_t items = 1;
constexpr int burst = 100;
constexpr int bursts = 50;
constexpr int recorded = 100;

struct Rig {
  Device device;
  Queue queue;
  Kernel saxpy;
  Buffer x, y;
  Recording recording;

  static Rig open(const char* pack, const char* id);
  void launch() { must(queue.submit(CommandList{}.exec(saxpy, Grid::cover(items), 2.0f, x, y, items))); }
};

Rig Rig::open(const char* path, const char* id) {
  Device device = must(pintle::open(id));
  const std::vector<float> ones(256, 1);
  Kernel saxpy = must(device.load(must(ProgramPack::open(path)), "saxpy"));
  Buffer x = must(device.allocate_for(ones)), y = must(device.allocate_for(ones));
  CommandList list;
  for (int i = 0; i < recorded; ++i) list.exec(saxpy, Grid::cover(items), 2.0f, x, y, items);
  Recording recording = must(device.record(std::move(list)));
  Queue queue = must(device.create_queue());
  return {device, std::move(queue), saxpy, std::move(x), std::move(y), std::move(recording)};
}

/// A sample is the mean of `count` turns of `body`, which `end` follows untimed.
std::vector<double> samples_of(int samples, int count, const std::function<void()>& body,
                               const std::function<void()>& end) {
  std::vector<double> found;
  for (int i = 0; i <= samples; ++i) {
    const auto start = std::chrono::steady_clock::now();
    for (int j = 0; j < count; ++j) body();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    end();
    if (i != 0) found.push_back(took.count() / count);
  }
  return found;
}

std::vector<double> block(Rig& rig, const std::string& figure) {
  const auto wait = [&] { must(rig.queue.last().wait()); };
  const auto nothing = [] {};
  if (figure == "submit") return samples_of(bursts, burst, [&] { rig.launch(); }, wait);
  if (figure == "launch") return samples_of(bursts * burst, 1, [&] { rig.launch(), wait(); }, nothing);
  std::vector<double> replays = samples_of(bursts, 1, [&] { must(rig.queue.replay(rig.recording)), wait(); }, nothing);
  for (double& each : replays) each /= recorded;
  return replays;
}

}  // namespace

int main(int count, char** arguments) try {
  Rig rig = Rig::open(arguments[1], count > 2 ? arguments[2] : "cpu");
  for (std::string figure; std::getline(std::cin, figure);) {
    for (const double each : block(rig, figure)) std::printf("%.1f ", each);
    std::puts("");
    std::fflush(stdout);
  }
  return 0;
} catch (const Exception& error) {
  std::fputs(error.what(), stderr);
  return 1;
}
