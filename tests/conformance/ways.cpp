#include "conformance/ways.h"

#include <optional>
#include <utility>

namespace pintle::conformance {
namespace {

/// The operands as one way has them: buffers made and filled, scalars as they are.
class Bench {
 public:
  Bench(Context& test, std::span<const Operand> operands) : test_(test), queue_(test.queue("three ways")) {
    for (const Operand& operand : operands) add(operand);
  }

  [[nodiscard]] Queue& queue() noexcept { return queue_; }

  [[nodiscard]] std::vector<KernelArgument> arguments() const {
    std::vector<KernelArgument> all;
    for (const Place& place : places_) {
      if (place.buffer) all.emplace_back(*place.buffer);
      else all.emplace_back(place.scalar);
    }
    return all;
  }

  [[nodiscard]] std::vector<SlotValue> bindings() const {
    std::vector<SlotValue> all;
    for (const Place& place : places_) {
      if (place.buffer) all.emplace_back(*place.buffer);
      else all.emplace_back(place.scalar);
    }
    return all;
  }

  [[nodiscard]] Outputs outputs() {
    Outputs all;
    for (const Place& place : places_) {
      if (place.buffer) all.push_back(test_.bytes(queue_, *place.buffer));
      else all.emplace_back();
    }
    return all;
  }

 private:
  struct Place {
    std::optional<Buffer> buffer;
    ScalarValue scalar;
  };

  void add(const Operand& operand) {
    Place& place = places_.emplace_back();
    if (operand.kind == Operand::Kind::scalar) {
      place.scalar.dtype = operand.dtype;
      std::memcpy(place.scalar.bytes.bytes.data(), operand.bytes.data(), operand.bytes.size());
      return;
    }
    place.buffer = test_.allocate(operand.dtype, operand.bytes.size() / bytes_of(operand.dtype));
    need(queue_.submit(CommandList{}.upload(*place.buffer, operand.bytes)));
  }

  Context& test_;
  Queue queue_;
  std::vector<Place> places_;
};

Outputs submitted(Context& test, const Kernel& kernel, const Extent& extent, std::span<const Operand> operands) {
  Bench bench(test, operands);
  need(bench.queue().submit(CommandList{}.exec_with(kernel, extent, bench.arguments())));
  return bench.outputs();
}

Outputs recorded(Context& test, const Kernel& kernel, const Extent& extent, std::span<const Operand> operands) {
  Bench bench(test, operands);
  const Recording recording = need(test.device().record(CommandList{}.exec_with(kernel, extent, bench.arguments())));
  CHECK_EQ(recording.slots(), 0u);
  need(bench.queue().replay(recording));
  return bench.outputs();
}

Outputs through_slots(Context& test, const Kernel& kernel, const Extent& extent, std::span<const Operand> operands) {
  Bench bench(test, operands);
  std::vector<KernelArgument> slots;
  for (std::uint32_t i = 0; i < operands.size(); ++i) slots.emplace_back(Slot{i});
  const Recording recording = need(test.device().record(CommandList{}.exec_with(kernel, extent, slots)));
  CHECK_EQ(recording.slots(), operands.size());
  need(bench.queue().replay(recording, bench.bindings()));
  return bench.outputs();
}

}  // namespace

Outputs three_ways(Context& test, const Kernel& kernel, const Extent& extent, std::span<const Operand> operands) {
  Outputs first = submitted(test, kernel, extent, operands);
  const Outputs second = recorded(test, kernel, extent, operands);
  const Outputs third = through_slots(test, kernel, extent, operands);
  for (std::size_t i = 0; i < first.size(); ++i) {
    CHECK_EQ(second[i], first[i]);
    CHECK_EQ(third[i], first[i]);
  }
  return first;
}

}  // namespace pintle::conformance
