// Proposals about pools: memory that one queue still uses when another asks for some.
#include "generator.h"

namespace pintle::differential {

bool Generator::make_pool() {
  Step step{.act = Act::make_pool, .device = some_device(), .other = fresh(), .count = base_count_};
  step.scrub = random_.percent(20);
  return propose(std::move(step));
}

bool Generator::allocate() {
  std::vector<int> pools;
  for (const auto& [number, device] : model_.pools()) pools.push_back(number);
  const int pool = some(pools);
  if (pool < 0) return make_pool();
  const int queue = some_queue(model_.pools().at(pool));
  if (queue < 0) return false;
  const int buffer = allocate_from(pool, queue, some_count());
  return buffer >= 0 && (random_.percent(70) || reuse(pool, queue, buffer));
}

// A buffer with something in it, as a rule.
int Generator::allocate_from(int pool, int queue, std::uint32_t count) {
  const Step step{
      .act = Act::allocate, .queue = queue, .buffer = fresh(), .other = pool, .node = fresh(), .count = count};
  if (!propose(step)) return -1;
  if (random_.percent(20)) return step.buffer;
  Step first{.act = Act::submit, .queue = queue, .node = fresh()};
  first.commands = {{.op = Op::upload, .to = {step.buffer, 0, count}, .host = fresh()}};
  if (random_.percent(40))
    first.commands[0] = {.op = Op::fill, .to = {step.buffer, 0, count}, .a = random_.below(1000)};
  propose(std::move(first));
  return step.buffer;
}

// The buffer's queue is slow and has it in use when it goes; another queue, behind that use or not, gets the next one.
bool Generator::reuse(int pool, int queue, int buffer) {
  const int device = model_.pools().at(pool), other = some_queue(device);
  const std::uint32_t count = model_.buffers().at(buffer).count;
  Step use{.act = Act::submit, .queue = queue, .node = fresh()};
  use.commands = {call_command(device), {.op = Op::fill, .to = {buffer, 0, count}, .a = random_.below(1000)}};
  if (ability(device).latches && random_.percent(30) && has("latch"))
    use.commands[0] = {.op = Op::latch, .host = fresh()};
  if (!propose(use)) return false;
  if (random_.percent(60)) {
    Step behind{.act = Act::submit, .queue = other, .node = fresh(), .moments = {{.node = use.node}}};
    if (ability(device).refuses && random_.percent(50)) behind.wrong = Wrong::backend;
    propose(std::move(behind));
  }
  if (random_.percent(50)) propose({.act = Act::submit, .queue = other, .node = fresh()});
  propose({.act = random_.percent(50) ? Act::free_buffer : Act::drop_buffer, .queue = queue, .buffer = buffer});
  return allocate_from(pool, other, count) >= 0;
}

}  // namespace pintle::differential
