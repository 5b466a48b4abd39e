#include "bench/peers/native/worker.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <string_view>
#include <thread>

#include "bench/peers/native/values.h"

namespace peers {
namespace {

using Clock = std::chrono::steady_clock;
using Microseconds = std::chrono::duration<double, std::micro>;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr auto idle_pause = std::chrono::milliseconds(2);
constexpr std::size_t least_samples = 3;

long resident_kib() {
  std::ifstream status("/proc/self/status");
  const std::string_view key = "VmRSS:";
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key)) return std::atol(line.c_str() + key.size());
  return 0;
}

std::string quoted(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') json += '\\';
    json += c == '\n' ? ' ' : c;
  }
  return json + '"';
}

void answer(const std::string& line) {
  std::puts(line.c_str());
  std::fflush(stdout);
}

/// How a part is called: what one call is, and how often it runs before the clock starts.
struct Part {
  std::function<void()> call;
  int warmups = 1;
  bool is_idle = false;  // the caller sleeps before each call
};

/// The parts of a peer, how often each was called, and the checks of what they computed.
class Worker {
 public:
  explicit Worker(Peer& peer) : peer_(peer), from_(make_x(transfer_floats)), to_(transfer_floats, -1.0F) {
    peer.prepare();
    add_launches();
    for (std::size_t i = 0; i < sizes.size(); ++i) add_saxpy(i);
    parts_["upload"] = {[this] { peer_.upload(from_); }};
    parts_["download"] = {[this] { peer_.download(to_); }};
  }

  void serve() {
    answer("{\"about\": " + quoted(peer_.about()) + ", \"rss_kib\": " + std::to_string(resident_kib()) + "}");
    for (std::string verb; std::cin >> verb && verb != "quit";) {
      try {
        answer(verb == "check" ? checked() : block());
      } catch (const std::exception& error) {
        answer("{\"error\": " + quoted(error.what()) + "}");
      }
    }
  }

 private:
  void add_launches() {
    const auto launch = [this] {
      peer_.launch();
      ++launches_;
    };
    parts_["launch"] = {launch, 50};
    parts_["launch_idle"] = {launch, 2, true};
    parts_["chain100"] = {[this] {
                            peer_.chain();
                            launches_ += chain_length;
                          },
                          5};
    if (!peer_.has_fresh()) return;
    parts_["launch_fresh"] = {[this] {
                                peer_.launch_fresh();
                                ++launches_;
                              },
                              50};
    parts_["chain100_fresh"] = {[this] {
                                  peer_.chain_fresh();
                                  launches_ += chain_length;
                                },
                                5};
  }

  void add_saxpy(std::size_t index) {
    peer_.add_saxpy(sizes[index].elements);
    parts_[sizes[index].part] = {[this, index] {
                                   peer_.saxpy(index);
                                   ++saxpys_[index];
                                 },
                                 index == 0 ? 5 : 1};
  }

  std::string block() {
    std::string name;
    long count = 0;
    double limit_ms = 0;
    std::cin >> name >> count >> limit_ms;
    const auto found = parts_.find(name);
    if (found == parts_.end()) return R"({"skip": "not in this peer"})";
    std::string line = "{\"us\": [";
    for (const double us : samples(found->second, count, limit_ms)) {
      if (line.back() != '[') line += ',';
      line += std::to_string(us);
    }
    return line + "]}";
  }

  static std::vector<double> samples(const Part& part, long count, double limit_ms) {
    std::vector<double> us;
    us.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < part.warmups; ++i) part.call();
    const auto begin = Clock::now();
    for (long i = 0; i < count; ++i) {
      if (part.is_idle) std::this_thread::sleep_for(idle_pause);
      const auto start = Clock::now();
      part.call();
      const auto end = Clock::now();
      us.push_back(Microseconds(end - start).count());
      if (us.size() >= least_samples && Milliseconds(end - begin).count() > limit_ms) break;
    }
    return us;
  }

  std::string checked() {
    check_counter(peer_.counter(), launches_);
    for (std::size_t i = 0; i < sizes.size(); ++i) check_y(peer_.y(i), saxpys_[i], sizes[i].part);
    to_.assign(to_.size(), -1.0F);
    peer_.upload(from_);
    peer_.download(to_);
    check_transfer(to_, from_);
    return R"({"ok": true})";
  }

  Peer& peer_;
  std::map<std::string, Part> parts_;
  long launches_ = 0;
  std::array<long, sizes.size()> saxpys_{};
  std::vector<float> from_;
  std::vector<float> to_;
};

}  // namespace

void report_first(std::span<const float> y) {
  check_y(y, 1, "first");
  answer("first-result " + std::to_string(resident_kib()));
}

int worker_main(int count, char** arguments, const Create& create) {
  try {
    std::span<char*> given(arguments + 1, static_cast<std::size_t>(count - 1));
    const bool is_cold = !given.empty() && std::string_view(given.back()) == "--cold";
    if (is_cold) given = given.first(given.size() - 1);
    const auto peer = create(given);
    if (is_cold) report_first(peer->first_y(first_elements));
    else Worker(*peer).serve();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

}  // namespace peers
