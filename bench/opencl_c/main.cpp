// OpenCL C on the cpu beside PoCL and beside loops with OpenMP: the same sources on the same data in one run, in turns.
// `bench_opencl_c [NAME]`; `bench_opencl_c compile`: a file of three kernels at load.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "bench/opencl_c/compile.h"
#include "bench/opencl_c/works.h"
#include "pintle/pintle.h"

using namespace pintle;
using bench::Work;

namespace {

using Values = std::vector<float>;
using Clock = std::chrono::steady_clock;

constexpr double most_difference = 2e-4;
constexpr auto least_time = std::chrono::seconds(2);
constexpr std::size_t least_rounds = 20;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// One work on one device.
class Place {
 public:
  Place(const char* id, const Work& work, const Values& in)
      : device_(must(open(id))), queue_(must(device_.create_queue())), work_(work) {
    const std::string source =
        "kernel void k(global const float* in, global float* out, int n) " + std::string(work.body);
    const std::string signature = "k(in: read f32[], out: read_write f32[], n: i32) group " + std::string(work.group);
    const std::string_view signatures[] = {signature};
    kernel_ = must(device_.load(must(ProgramPack::source("opencl_c", source, signatures)), "k"));
    in_ = must(device_.allocate_for(in)), out_ = must(device_.allocate_for(in));
    must(must(queue_.submit(CommandList{}.upload(in_, in).upload(out_, in))).wait());
  }

  double once() {
    const auto start = Clock::now();
    must(must(queue_.submit(CommandList{}.exec(kernel_, work_.groups, in_, out_, work_.n))).wait());
    return since(start);
  }
  Values result() { return must(read<float>(queue_, out_)); }

 private:
  Device device_;
  Queue queue_;
  const Work& work_;
  Kernel kernel_;
  Buffer in_, out_;
};

/// The work's loop with OpenMP, where there is one.
class Looped {
 public:
  Looped(const Work& work, const Values& in) : work_(work), in_(in), out_(in) {}
  double once() {
    const auto start = Clock::now();
    work_.loop(in_.data(), out_.data(), work_.n, work_.count);
    return since(start);
  }
  [[nodiscard]] const Values& result() const { return out_; }

 private:
  const Work& work_;
  Values in_, out_;
};

double at(std::vector<double> times, double part) {
  std::ranges::sort(times);
  return times[static_cast<std::size_t>(static_cast<double>(times.size() - 1) * part)];
}

double difference(const Values& a, const Values& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double apart = std::fabs(a[i] - b[i]) / (std::fabs(b[i]) + 1);
    worst = std::max(worst, std::isnan(apart) ? HUGE_VAL : apart);
  }
  return worst;
}

struct Ratios {
  double pocl = 0, open_mp = 0, worst = 0;
};

Ratios compare(const Work& work) {
  Values in(work.count);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>((i * 37 + 11) % 101);
  Place ours("cpu", work, in), theirs("opencl:pocl", work, in);
  Looped loop(work, in);
  ours.once(), theirs.once();
  if (work.loop != nullptr) loop.once();
  Ratios ratios{0, 0, difference(ours.result(), theirs.result())};
  if (work.loop != nullptr) ratios.worst = std::max(ratios.worst, difference(ours.result(), loop.result()));
  std::vector<double> mine, other, looped;
  const auto end = Clock::now() + least_time;
  while (mine.size() < least_rounds || Clock::now() < end) {
    mine.push_back(ours.once());
    other.push_back(theirs.once());
    if (work.loop != nullptr) looped.push_back(loop.once());
  }
  ratios.pocl = at(other, 0.5) / at(mine, 0.5);
  std::printf("%-16s %9.1f %9.1f %8.2fx %8.2fx", work.name, at(mine, 0.5) * 1e6, at(other, 0.5) * 1e6, ratios.pocl,
              at(other, 0.99) / at(mine, 0.99));
  if (work.loop == nullptr) {
    std::printf(" %9s %9s", "-", "-");
  } else {
    ratios.open_mp = at(looped, 0.5) / at(mine, 0.5);
    std::printf(" %9.1f %8.2fx", at(looped, 0.5) * 1e6, ratios.open_mp);
  }
  std::printf("  %.0e%s\n", ratios.worst, ratios.worst <= most_difference ? "" : "  WRONG");
  std::fflush(stdout);
  return ratios;
}

/// A geometric mean of ratios.
struct Mean {
  double sum = 0;
  int count = 0;
  void add(double ratio) { sum += std::log(ratio), ++count; }
  [[nodiscard]] double value() const { return std::exp(sum / std::max(count, 1)); }
};

int compare_all(const char* name) {
  std::printf("%-16s %9s %9s %9s %9s %9s %9s  %s\n", "kernel", "cpu us", "PoCL us", "PoCL/cpu", "p99", "OpenMP us",
              "OMP/cpu", "differs");
  Mean pocl, open_mp;
  bool is_right = true;
  for (const Work& work : bench::works()) {
    if (name != nullptr && std::strcmp(name, work.name) != 0) continue;
    const Ratios ratios = compare(work);
    pocl.add(ratios.pocl);
    if (work.loop != nullptr) open_mp.add(ratios.open_mp);
    is_right = is_right && ratios.worst <= most_difference;
  }
  std::printf("geometric mean: %.2fx PoCL (%d kernels), %.2fx OpenMP (%d loops)\n", pocl.value(), pocl.count,
              open_mp.value(), open_mp.count);
  return is_right ? 0 : 1;
}

/// Threads of OpenMP that spin after a loop would take the processors from the side that is measured next. Its runtime
/// reads the setting when the program starts.
void restart_with_passive_waits(char** words) {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  setenv("OMP_WAIT_POLICY", "passive", 1);
  execv("/proc/self/exe", words);
}

}  // namespace

int main(int count, char** words) try {
  const std::string_view word = count > 1 ? words[1] : "";
  if (word == "compile-once" && count == 4) return bench::compile_once(words[2], words[3]);
  restart_with_passive_waits(words);
  if (word == "compile") return bench::compile_in_turns(words[0]);
  return compare_all(count > 1 ? words[1] : nullptr);
} catch (const std::exception& error) {
  return std::puts(error.what()), 1;
}
