#include "generator.h"

#include <algorithm>
#include <array>
#include <utility>

namespace pintle::differential {
namespace {

struct Weight {
  Act act;
  std::uint32_t weight;
};

struct Kind {
  std::string_view name;
  std::array<Act, 4> acts;
};
constexpr std::array<Kind, 9> kinds{{
    {"fork", {Act::fork, Act::fork, Act::fork, Act::fork}},
    {"pool", {Act::make_pool, Act::allocate, Act::free_buffer, Act::drop_pool}},
    {"record", {Act::record, Act::replay, Act::drop_recording, Act::record}},
    {"image", {Act::make_image, Act::make_image, Act::make_image, Act::make_image}},
    {"fail", {Act::fail_signal, Act::fail_signal, Act::fail_signal, Act::fail_signal}},
    {"import", {Act::import_host, Act::map_file, Act::import_host, Act::map_file}},
    {"map", {Act::map_read, Act::map_write, Act::map_read, Act::map_write}},
    {"then", {Act::then, Act::then, Act::then, Act::then}},
    {"abandon", {Act::drop_queue, Act::drop_queue, Act::drop_queue, Act::drop_queue}},
}};

// How often each act is proposed. Most programs leave some out, so that the others meet more often.
constexpr std::array<Weight, 28> usual{{
    {Act::submit, 60},   {Act::make_queue, 2},  {Act::make_buffer, 6},    {Act::make_pool, 2},
    {Act::allocate, 10}, {Act::import_host, 2}, {Act::map_file, 1},       {Act::fork, 8},
    {Act::seal, 1},      {Act::drop_buffer, 4}, {Act::free_buffer, 6},    {Act::drop_queue, 2},
    {Act::drop_pool, 1}, {Act::make_signal, 3}, {Act::set_signal, 8},     {Act::fail_signal, 1},
    {Act::record, 5},    {Act::replay, 14},     {Act::drop_recording, 1}, {Act::wait, 8},
    {Act::wait_any, 3},  {Act::poll_shut, 6},   {Act::then, 3},           {Act::read, 6},
    {Act::map_read, 3},  {Act::open_latch, 6},  {Act::drop_device, 0},    {Act::make_image, 4},
}};

}  // namespace

Generator::Generator(std::uint64_t seed, std::vector<Ability> devices, GeneratorOptions options)
    : random_(seed), options_(options), model_(std::move(devices)) {}

bool Generator::propose(Step step) {
  if (!model_.apply(step)) return false;
  program_.push_back(std::move(step));
  outcomes_.push_back(model_.outcome());
  return true;
}

std::vector<Moment> Generator::lasts() {
  std::vector<Moment> all;
  for (const auto& [number, inner] : model_.nodes()) {
    const Order& order = model_.order();
    if (order.last(order.queue_of(inner)) == inner && !order.knows(inner)) all.push_back({.node = number});
  }
  return all;
}

bool Generator::propose_ordered(Step step) {
  if (!tidy_waits_ && propose(step)) return true;
  for (const Moment& last : lasts())
    if (model_.order().fate(model_.nodes().at(last.node)) == Fate::settled) step.moments.push_back(last);
  return propose(std::move(step));
}

void Generator::begin() {
  constexpr std::array<std::uint32_t, 8> counts{16, 64, 64, 256, 256, 1024, 1024, 4096};
  base_count_ = counts[random_.below(counts.size())];
  tidy_waits_ = random_.percent(20);
  weights_.assign(static_cast<std::size_t>(Act::drop_device) + 1, 0);
  for (const auto& [act, weight] : usual)
    weights_[static_cast<std::size_t>(act)] = act != Act::submit && random_.percent(35) ? 0 : weight;
  for (const Kind& kind : kinds)
    for (const Act act : kind.acts)
      if (!has(kind.name)) weights_[static_cast<std::size_t>(act)] = 0;
  if (random_.percent(3) && options_.closes_devices && has("close"))
    weights_[static_cast<std::size_t>(Act::drop_device)] = 2;
  op_weights_.assign(static_cast<std::size_t>(Op::barrier) + 1, 0);
  for (std::uint32_t& weight : op_weights_) weight = random_.percent(30) ? 0 : random_.from_to(1, 6);
  const std::uint32_t queues = random_.from_to(2, 5);
  for (std::uint32_t i = 0; i < queues; ++i) {
    const int device = i < model_.devices().size() ? static_cast<int>(i) : some_device();
    propose({.act = Act::make_queue, .device = device, .queue = fresh()});
  }
  for (std::uint32_t i = random_.from_to(1, 3); i != 0; --i) act_on(Act::make_signal);
  for (std::uint32_t i = random_.from_to(2, 5); i != 0; --i) make_buffer();
}

void Generator::act() {
  std::uint32_t all = 0;
  for (const std::uint32_t weight : weights_) all += weight;
  std::uint32_t left = random_.below(all);
  std::size_t act = 0;
  while (left >= weights_[act]) left -= weights_[act++];
  act_on(static_cast<Act>(act));
}

bool Generator::act_on(Act act) {
  switch (act) {
    case Act::make_queue:
      return model_.queues().size() < 10 && propose({.act = act, .device = some_device(), .queue = fresh()});
    case Act::make_buffer: return make_buffer();
    case Act::make_image: return make_image();
    case Act::make_pool: return make_pool();
    case Act::allocate: return allocate();
    case Act::import_host:
    case Act::map_file: return make_import();
    case Act::fork: return fork();
    case Act::seal: return propose({.act = act, .buffer = some_buffer(some_device(), true)});
    case Act::make_signal:
      tops_.push_back(0);
      if (!propose({.act = act, .signal = next_signal_++})) return false;
      if (random_.percent(50) && has("race")) signal_race(next_signal_ - 1);
      return true;
    case Act::set_signal: return set_signal();
    case Act::fail_signal: return fail_signal();
    case Act::submit:
      if (random_.percent(model_.devices()[0].refuses ? 20 : 8) && has("refuse")) return refuse();
      return random_.percent(12) && has("held") ? submit_held() : submit();
    case Act::record: return record();
    case Act::replay: return replay();
    case Act::wait:
    case Act::wait_any: return wait(act);
    case Act::poll_shut: return poll_shut();
    case Act::then: return then();
    case Act::read: return read();
    case Act::map_read:
    case Act::map_write: return map();
    case Act::drop_device: return propose({.act = act, .device = some_device()});
    default: return drop(act);
  }
}

std::uint32_t Generator::some_count() {
  if (random_.percent(70)) return base_count_;
  return random_.percent(50) ? random_.from_to(1, base_count_) : 64 * random_.from_to(1, 8);
}

bool Generator::make_buffer() {
  const int device = some_device();
  Step step{.act = Act::make_buffer, .device = device, .buffer = fresh(), .count = some_count()};
  step.lazy = random_.percent(20);
  step.on_host = ability(device).maps && random_.percent(30);
  const int buffer = step.buffer;
  const std::uint32_t count = step.count;
  if (!propose(std::move(step))) return false;
  const int queue = some_queue(device);
  if (queue < 0 || random_.percent(15)) return true;
  Step first{.act = Act::submit, .queue = queue, .node = fresh()};
  first.commands = {{.op = Op::upload, .to = {buffer, 0, count}, .host = fresh()}};
  return propose(std::move(first));
}

bool Generator::make_image() {
  const int device = some_device();
  Step step{.act = Act::make_image, .device = device, .buffer = fresh()};
  step.width = random_.percent(50) ? 8 : random_.from_to(1, 24);
  step.count = step.width * (random_.percent(50) ? 4 : random_.from_to(1, 9));
  return propose(std::move(step));
}

bool Generator::make_import() {
  const bool is_file = random_.percent(25);
  Step step{.act = is_file ? Act::map_file : Act::import_host, .device = some_device(), .buffer = fresh()};
  step.count = 1024 * random_.from_to(1, is_file ? 4 : 2);
  step.constant = is_file || random_.percent(30);
  step.value = is_file ? 77 : static_cast<std::uint32_t>(fresh());
  return propose(std::move(step));
}

bool Generator::fork() {
  const int device = some_device();
  const Step step{.act = Act::fork,
                  .queue = some_queue(device),
                  .buffer = fresh(),
                  .other = some_buffer(device, false),
                  .node = fresh()};
  if (!propose(step)) return false;
  // What forks are about: one of the two is written soon, or the original goes.
  const int queue = random_.percent(50) ? step.queue : some_queue(device);
  const std::uint32_t count = model_.buffers().at(step.buffer).count;
  Step next{.act = Act::submit, .queue = queue, .node = fresh()};
  const int written = random_.percent(50) ? step.buffer : step.other;
  if (queue < 0 || random_.percent(40)) return true;
  const std::uint32_t first = random_.percent(50) ? 0 : count / 2;
  next.commands = {{.op = Op::fill, .to = {written, first, count - first}, .a = random_.below(1000)}};
  if (random_.percent(40)) add_waits(next);
  propose_ordered(std::move(next));
  return true;
}

bool Generator::drop(Act act) {
  const int device = some_device();
  Step step{.act = act, .device = device, .queue = some_queue(device), .buffer = some_buffer(device, false)};
  if (act == Act::drop_buffer && random_.percent(30)) step.buffer = some_image(device);
  std::vector<int> numbers;
  if (act == Act::drop_pool)
    for (const auto& [number, of] : model_.pools()) numbers.push_back(number);
  if (act == Act::drop_recording)
    for (const auto& [number, recording] : model_.recordings())
      if (recording.alive) numbers.push_back(number);
  if (act == Act::open_latch) numbers.assign(model_.latches().begin(), model_.latches().end());
  const int number = some(numbers);
  if (act == Act::drop_pool) step.other = number;
  if (act == Act::drop_recording) step.recording = number;
  if (act == Act::open_latch) step.value = static_cast<std::uint32_t>(number);
  return propose(std::move(step));
}

// The end of a program: nothing waits for it any more.
void Generator::release() {
  const std::vector<int> closed(model_.latches().begin(), model_.latches().end());
  for (const int latch : closed) propose({.act = Act::open_latch, .value = static_cast<std::uint32_t>(latch)});
  for (int round = 0; round < 8 && !model_.is_complete(); ++round) {
    wait_known();
    for (int signal = 0; signal < next_signal_; ++signal) {
      const auto number = static_cast<std::size_t>(signal);
      const std::uint32_t value = std::max(tops_[number], model_.order().highest(model_.signals().at(signal)) + 1);
      if (!model_.order().has_signal_failed(model_.signals().at(signal)))
        propose({.act = Act::set_signal, .signal = signal, .value = value});
    }
  }
}

void Generator::finish() {
  release();
  Step all{.act = Act::wait, .moments = lasts()};
  if (random_.percent(50)) {  // nobody asks for what queues do that are gone
    std::erase_if(all.moments, [&](const Moment& moment) {
      const int queue = model_.order().queue_of(model_.nodes().at(moment.node));
      return std::ranges::any_of(model_.queues(),
                                 [&](const auto& known) { return known.second.order == queue && !known.second.alive; });
    });
  }
  if (!all.moments.empty()) propose(std::move(all));
  read_all();
}

void Generator::read_all() {
  for (int device = 0; device < static_cast<int>(model_.devices().size()); ++device) {
    int queue = some_queue(device);
    if (queue < 0) {
      queue = fresh();
      if (!propose({.act = Act::make_queue, .device = device, .queue = queue})) continue;
    }
    std::vector<std::pair<int, std::uint32_t>> alive, images;
    for (const auto& [number, buffer] : model_.buffers())
      if (buffer.alive && buffer.device == device)
        (buffer.width != 0 ? images : alive).emplace_back(number, buffer.count);
    for (const auto& [number, count] : images) {
      const int buffer = fresh();
      if (!propose({.act = Act::make_buffer, .device = device, .buffer = buffer, .count = count})) continue;
      Step look{.act = Act::submit, .queue = queue, .node = fresh()};
      look.commands = {{.op = Op::from_image, .to = {buffer, 0, count}, .from = {number, 0, count}}};
      if (propose(std::move(look))) alive.emplace_back(buffer, count);
    }
    for (const auto& [number, count] : alive)
      propose({.act = Act::read, .queue = queue, .node = fresh(), .bad = {number, 0, count}});
  }
}

Case Generator::make() {
  do {
    *this = Generator(random_.next(), model_.devices(), options_);
    begin();
    const std::uint32_t steps = random_.from_to(5, 45);
    for (std::uint32_t i = 0; i < steps; ++i) act();
    finish();
  } while (!model_.is_complete());
  return {.program = std::move(program_), .outcomes = std::move(outcomes_), .end = std::move(model_)};
}

}  // namespace pintle::differential
