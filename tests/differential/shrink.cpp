#include "shrink.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace pintle::differential {
namespace {

using Clock = std::chrono::steady_clock;

// Bytes, time or something else: a program that fails otherwise is another one.
std::string kind(const Failure& failure) {
  for (const std::string_view sign : {"are wrong", "timeout"})
    if (failure.what.find(sign) != std::string::npos) return std::string(sign);
  return failure.what.substr(0, failure.what.find_first_of("0123456789["));
}

class Shrinker {
 public:
  Shrinker(World& world, const Case& failing, const Failure& failure, double seconds)
      : world_(world),
        kind_(kind(failure)),
        best_(failing),
        end_(Clock::now() + std::chrono::milliseconds(static_cast<int>(seconds * 1000))) {}

  Case shrink() {
    for (bool better = true; better && Clock::now() < end_;) {
      better = false;
      for (std::size_t size = std::max<std::size_t>(best_.program.size() / 2, 1); size != 0; size /= 2)
        better = drop_runs(size) || better;
      better = drop_commands() || better;
    }
    return std::move(best_);
  }

 private:
  bool drop_runs(std::size_t size) {
    bool better = false;
    for (std::size_t at = best_.program.size(); at != 0 && Clock::now() < end_;) {
      at -= std::min(at, size);
      Program less = best_.program;
      const auto first = less.begin() + static_cast<std::ptrdiff_t>(std::min(at, less.size()));
      less.erase(first, first + static_cast<std::ptrdiff_t>(
                                    std::min<std::size_t>(size, static_cast<std::size_t>(less.end() - first))));
      better = keep(less) || better;
    }
    return better;
  }

  bool drop_commands() {
    bool better = false;
    for (std::size_t step = 0; step < best_.program.size(); ++step) {
      for (std::size_t at = best_.program[step].commands.size(); at-- != 0 && Clock::now() < end_;) {
        Program less = best_.program;
        if (step >= less.size() || at >= less[step].commands.size()) continue;
        less[step].commands.erase(less[step].commands.begin() + static_cast<std::ptrdiff_t>(at));
        better = keep(less) || better;
      }
    }
    return better;
  }

  bool keep(const Program& less) {
    auto judged = judge(less, world_.abilities());
    if (!judged) return false;
    constexpr int attempts = 3;
    for (int attempt = 0; attempt < attempts; ++attempt) {
      const auto failure = run(world_, *judged);
      if (!failure || kind(*failure) != kind_) continue;
      best_ = std::move(*judged);
      return true;
    }
    return false;
  }

  World& world_;
  std::string kind_;
  Case best_;
  Clock::time_point end_;
};

}  // namespace

Case shrink(World& world, const Case& failing, const Failure& failure, double seconds) {
  return Shrinker(world, failing, failure, seconds).shrink();
}

}  // namespace pintle::differential
