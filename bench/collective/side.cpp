#include "bench/collective/side.h"

#include <chrono>
#include <cstring>
#include <utility>

namespace pintle::bench {
namespace {

class SideOfCalls final : public Side {
 public:
  SideOfCalls(std::unique_ptr<CollectiveMemory> memory, Call call)
      : memory_(std::move(memory)), call_(std::move(call)) {}

  Result<void> run(const BlockPlan& plan, std::span<double> samples) override {
    return time_calls(call_, plan, samples);
  }
  [[nodiscard]] std::vector<std::vector<float>> results() const override { return {memory_->to}; }

 private:
  std::unique_ptr<CollectiveMemory> memory_;
  Call call_;
};

}  // namespace

Result<void> time_calls(const Call& call, const BlockPlan& plan, std::span<double> samples) {
  using Watch = std::chrono::steady_clock;
  for (std::uint32_t i = 0; i < plan.warmups; ++i) PINTLE_TRY(call());
  for (double& sample : samples) {
    const auto start = Watch::now();
    for (std::uint32_t i = 0; i < plan.batch; ++i) PINTLE_TRY(call());
    sample = std::chrono::duration<double, std::micro>(Watch::now() - start).count() / plan.batch;
  }
  return {};
}

std::unique_ptr<Side> side_of_calls(std::unique_ptr<CollectiveMemory> memory, Call call) {
  return std::make_unique<SideOfCalls>(std::move(memory), std::move(call));
}

Sided theirs_memcpy(const Job& job, const CollectiveWork& work) {
  auto memory = std::make_unique<CollectiveMemory>(work, job.rank());
  CollectiveMemory& here = *memory;
  return side_of_calls(std::move(memory), [&here]() -> Result<void> {
    std::memcpy(here.to.data(), here.from.data(), here.to.size() * sizeof(float));
    return {};
  });
}

}  // namespace pintle::bench
