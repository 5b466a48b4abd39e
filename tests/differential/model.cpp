#include "model.h"

#include <algorithm>
#include <utility>

namespace pintle::differential {

bool Model::has_device(int device) const {
  return device >= 0 && device < static_cast<int>(devices_.size()) && !is_gone(device);
}

const BufferState* Model::living(int buffer) const {
  const auto found = buffers_.find(buffer);
  return found == buffers_.end() || !found->second.alive || found->second.width != 0 ? nullptr : &found->second;
}

bool Model::takes(int queue) const {
  const auto found = queues_.find(queue);
  return found != queues_.end() && found->second.alive && order_.is_open(found->second.order);
}

Moment Model::inner(const Moment& moment) const {
  if (moment.node >= 0) return {.node = nodes_.at(moment.node)};
  return {.signal = signals_.at(moment.signal), .value = moment.value};
}

bool Model::knows_moments(const Step& step) const {
  for (const Moment& moment : step.moments)
    if (moment.node >= 0 ? !nodes_.contains(moment.node) : !signals_.contains(moment.signal)) return false;
  for (const Promise& promise : step.promises)
    if (!signals_.contains(promise.signal)) return false;
  return true;
}

Place Model::place(const Window& window) const {
  return {buffers_.at(window.buffer).storage, window.first, window.count};
}

Cells Model::cells(const Window& window) const { return bytes_.at(place(window)); }

bool Model::apply(const Step& step) {
  if (!knows_moments(step)) return false;
  const Order before = order_;
  outcome_ = {};
  order_.step();
  if (!perform(step)) {
    order_ = before;
    return false;
  }
  run_settled();
  look();
  const auto is_raced = [&](const Moment& moment) { return order_.is_raced(inner(moment)); };
  held_ = held_ || order_.has_pending() || std::ranges::any_of(step.moments, is_raced);
  if (step.act == Act::read) {
    outcome_.cells = cells(step.bad);
    outcome_.downloads.clear();
    look();
  }
  return true;
}

bool Model::perform(const Step& step) {
  switch (step.act) {
    case Act::make_queue: return make_queue(step);
    case Act::make_buffer: return make_buffer(step);
    case Act::make_image: return make_image(step);
    case Act::make_pool:
      if (!has_device(step.device) || pools_.contains(step.other)) return false;
      scrubs_[step.other] = static_cast<char>(step.scrub);
      return pools_.emplace(step.other, step.device).second;
    case Act::allocate: return allocate(step);
    case Act::import_host:
    case Act::map_file: return make_import(step);
    case Act::fork: return fork(step);
    case Act::seal: return seal(step);
    case Act::drop_buffer:
    case Act::free_buffer: return drop_buffer(step);
    case Act::drop_queue:
      if (!queues_.contains(step.queue) || !std::exchange(queues_.at(step.queue).alive, false)) return false;
      order_.end_queue(queues_.at(step.queue).order);
      return true;
    case Act::drop_pool: return drop_pool(step);
    case Act::make_signal:
    case Act::set_signal:
    case Act::fail_signal: return signal_step(step);
    case Act::submit: return step.wrong == Wrong::nothing ? submit(step) : refuse(step);
    case Act::record: return record(step);
    case Act::replay: return step.wrong == Wrong::nothing ? replay(step) : refuse(step);
    case Act::drop_recording:
      return recordings_.contains(step.recording) && std::exchange(recordings_.at(step.recording).alive, false);
    case Act::wait: return wait(step);
    case Act::wait_any: return wait_any(step);
    case Act::poll_shut: return poll_shut(step);
    case Act::then: callbacks_.insert(callbacks_.end(), step.moments.begin(), step.moments.end()); return true;
    case Act::read: return read(step);
    case Act::map_read:
    case Act::map_write: return map(step);
    case Act::open_latch:
      if (!latches_.contains(static_cast<int>(step.value)) || open_latches_.erase(static_cast<int>(step.value)) == 0)
        return false;
      order_.open_latch(latches_.at(static_cast<int>(step.value)));
      return true;
    case Act::drop_device: return drop_device(step);
  }
  return false;
}

bool Model::is_complete() const {
  return order_.has_all() && std::ranges::all_of(callbacks_, [&](const Moment& moment) {
           return order_.is_coming(inner(moment)) || order_.has_failed(inner(moment));
         });
}

bool Model::make_queue(const Step& step) {
  if (!has_device(step.device) || queues_.contains(step.queue) || queues_.size() + 1 >= Clock::places) return false;
  queues_[step.queue] = {step.device, order_.add_queue(), true};
  return true;
}

bool Model::make_buffer(const Step& step) {
  if (!has_device(step.device) || buffers_.contains(step.buffer) || step.count == 0) return false;
  if (step.on_host && !devices_[static_cast<std::size_t>(step.device)].maps) return false;
  buffers_[step.buffer] = {.storage = step.buffer, .device = step.device, .count = step.count, .on_host = step.on_host};
  bytes_.add(step.buffer, step.count);
  return true;
}

bool Model::make_image(const Step& step) {
  if (!has_device(step.device) || !devices_[static_cast<std::size_t>(step.device)].images) return false;
  if (buffers_.contains(step.buffer) || step.width == 0 || step.count == 0 || step.count % step.width != 0)
    return false;
  buffers_[step.buffer] = {.storage = step.buffer, .device = step.device, .count = step.count, .width = step.width};
  bytes_.add(step.buffer, step.count);
  return true;
}

bool Model::make_import(const Step& step) {
  if (!has_device(step.device) || !devices_[static_cast<std::size_t>(step.device)].imports) return false;
  if (buffers_.contains(step.buffer) || step.count == 0 || step.count % 1024 != 0) return false;
  buffers_[step.buffer] = {.storage = step.buffer,
                           .device = step.device,
                           .count = step.count,
                           .sealed = step.constant,
                           .imported = true,
                           .over_file = step.act == Act::map_file};
  bytes_.add(step.buffer, step.count);
  bytes_.write_pattern({step.buffer, 0, step.count}, step.value);
  return true;
}

bool Model::allocate(const Step& step) {
  const auto pool = pools_.find(step.other);
  if (pool == pools_.end() || !takes(step.queue) || buffers_.contains(step.buffer) || step.count == 0) return false;
  const QueueState& queue = queues_.at(step.queue);
  if (queue.device != pool->second) return false;
  BufferState made{.storage = step.buffer, .device = pool->second, .count = step.count, .pooled = true};
  bytes_.add(step.buffer, step.count);
  if (scrubs_.at(step.other) != 0) {
    if (!is_new_node(step.node)) return false;
    Entry entry{.uses = {{step.buffer, 0, step.count, true}}};
    const Deed zeros{.op = Op::fill, .to = {step.buffer, 0, step.count}};
    if (!enter_entry(step, entry, {.commands = {}, .deeds = {zeros}})) return false;
  }
  made.born = order_.birth(queue.order);
  buffers_[step.buffer] = made;
  return true;
}

// A copy of the whole, and what uses the new buffer comes after it.
bool Model::fork(const Step& step) {
  const BufferState* const parent = living(step.other);
  if (parent == nullptr || !takes(step.queue) || buffers_.contains(step.buffer)) return false;
  const QueueState& queue = queues_.at(step.queue);
  if (queue.device != parent->device) return false;
  const std::uint32_t count = parent->count;
  bytes_.add(step.buffer, count);
  buffers_[step.buffer] = {.storage = step.buffer, .device = queue.device, .count = count, .on_host = parent->on_host};
  if (!enter(step, {{.op = Op::copy, .to = {step.buffer, 0, count}, .from = {step.other, 0, count}}}, false)) {
    buffers_.erase(step.buffer);
    return false;
  }
  buffers_.at(step.buffer).forked_by = nodes_.at(step.node);
  return true;
}

// A device does not see what another does to host memory: the program that seals the memory says that it has ended.
bool Model::seal(const Step& step) {
  const BufferState* const buffer = living(step.buffer);
  if (buffer == nullptr) return false;
  if (buffer->imported && devices_.size() > 1 && !order_.may_touch({buffer->storage, 0, buffer->count, false}))
    return false;
  return buffers_.at(step.buffer).sealed = true;
}

bool Model::drop_buffer(const Step& step) {
  const auto found = buffers_.find(step.buffer);
  if (found == buffers_.end() || !found->second.alive) return false;
  BufferState& buffer = found->second;
  if (step.act == Act::free_buffer &&
      (buffer.width != 0 || !takes(step.queue) || queues_.at(step.queue).device != buffer.device))
    return false;
  buffer.alive = false;
  return true;
}

bool Model::drop_pool(const Step& step) {
  const auto pool = pools_.find(step.other);
  if (pool == pools_.end()) return false;
  pools_.erase(pool);
  return true;
}

bool Model::drop_device(const Step& step) {
  if (!has_device(step.device) || !order_.has_all()) return false;
  gone_[static_cast<std::size_t>(step.device)] = true;
  for (auto& [number, buffer] : buffers_)
    if (buffer.device == step.device) buffer.alive = false;
  for (auto& [number, queue] : queues_) {
    if (queue.device != step.device) continue;
    queue.alive = false;
    order_.end_queue(queue.order);
  }
  for (auto& [number, recording] : recordings_)
    if (recording.device == step.device) recording.alive = false;
  std::erase_if(pools_, [&](const auto& pool) { return pool.second == step.device; });
  return true;
}

bool Model::signal_step(const Step& step) {
  if (step.act == Act::make_signal) {
    if (signals_.contains(step.signal)) return false;
    signals_.emplace(step.signal, static_cast<int>(signals_.size()));
    order_.add_signal();
    return true;
  }
  const auto found = signals_.find(step.signal);
  if (found == signals_.end()) return false;
  return step.act == Act::set_signal ? order_.set(found->second, step.value) : order_.fail(found->second);
}

bool Model::wait(const Step& step) {
  for (const Moment& moment : step.moments) {
    const Moment there = inner(moment);
    outcome_.failing.push_back(static_cast<char>(order_.has_failed(there)));
    if (!order_.await(there)) return false;
  }
  return true;
}

bool Model::wait_any(const Step& step) {
  std::vector<Moment> moments;
  for (const Moment& moment : step.moments) {
    moments.push_back(inner(moment));
    outcome_.possible.push_back(static_cast<char>(order_.is_coming(moments.back())));
  }
  return order_.await_any(moments);
}

bool Model::poll_shut(const Step& step) {
  return std::ranges::all_of(step.moments, [&](const Moment& moment) { return order_.is_shut(inner(moment)); });
}

bool Model::map(const Step& step) {
  const BufferState* const buffer = living(step.buffer);
  if (buffer == nullptr || !buffer->on_host || (buffer->pooled && !order_.has_all())) return false;
  const bool writes = step.act == Act::map_write;
  if (writes && buffer->sealed) return false;
  if (!order_.may_touch({buffer->storage, 0, buffer->count, writes})) return false;
  const Window all{step.buffer, 0, buffer->count};
  if (writes) bytes_.write_pattern(place(all), step.value);
  else outcome_.cells = cells(all);
  return true;
}

std::optional<Cells> Model::host_block(int number) const {
  const BufferState& buffer = buffers_.at(number);
  if (!buffer.imported || !order_.may_touch({buffer.storage, 0, buffer.count, false})) return std::nullopt;
  return bytes_.at({buffer.storage, 0, buffer.count});
}

}  // namespace pintle::differential
