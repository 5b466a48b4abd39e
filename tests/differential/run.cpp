#include "run.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "pintle/native/faulty.h"
#include "random.h"

namespace pintle::differential {

Block::Block(std::uint32_t size)
    : words(static_cast<std::uint32_t*>(std::aligned_alloc(4096, 4ull * size))), count(size) {}
Block::~Block() { std::free(words); }

void fail(std::string what) { throw Failure{std::move(what), 0}; }

Point Run::point(const Moment& moment) const {
  if (moment.node >= 0) return points_.at(moment.node);
  return signals_.at(moment.signal).at(moment.value);
}

void Run::step(const Step& step, const Outcome& outcome) {
  switch (step.act) {
    case Act::make_queue:
    case Act::make_buffer:
    case Act::make_image:
    case Act::make_pool:
    case Act::allocate:
    case Act::fork:
    case Act::map_file: make(step); break;
    case Act::import_host: make_import(step); break;
    case Act::seal: expect(buffers_.at(step.buffer).seal(), "seal"); break;
    case Act::drop_buffer:
    case Act::free_buffer:
    case Act::drop_queue:
    case Act::drop_pool:
    case Act::drop_recording: drop(step); break;
    case Act::drop_device: drop_device(step.device); break;
    case Act::make_signal:
    case Act::set_signal:
    case Act::fail_signal: signal_step(step); break;
    case Act::submit:
    case Act::replay: step.wrong == Wrong::nothing ? submit(step) : refuse(step); break;
    case Act::record: record(step); break;
    case Act::wait: wait(step, outcome); break;
    case Act::wait_any: wait_any(step, outcome); break;
    case Act::poll_shut: poll_shut(step); break;
    case Act::then: then(step); break;
    case Act::read: read(step, outcome); break;
    case Act::map_read:
    case Act::map_write: map(step, outcome); break;
    case Act::open_latch: *latches_.at(static_cast<int>(step.value)) = true; break;
  }
  for (const int number : outcome.downloads) compare_download(number);
}

void Run::adopt_buffer(int number, Result<Buffer> made) {
  Buffer buffer = expect(std::move(made), "making buffer b" + std::to_string(number));
  views_[number] = buffer.view();
  buffers_.insert_or_assign(number, std::move(buffer));
}

void Run::make(const Step& step) {
  const std::string label = "b" + std::to_string(step.buffer);
  switch (step.act) {
    case Act::make_queue:
      queues_.emplace(
          step.queue,
          expect(world_.at(step.device).device.create_queue({.label = "q" + std::to_string(step.queue)}), "queue"));
      return;
    case Act::make_buffer: {
      BufferOptions options{.label = label};
      if (step.on_host) options.placement = Placement::host;
      if (step.lazy) options.allocation = Allocation::lazy;
      return adopt_buffer(step.buffer, world_.at(step.device).device.allocate(DType::u32, {step.count}, options));
    }
    case Act::make_image: {
      Image image =
          expect(world_.at(step.device)
                     .device.create_image({step.width, step.count / step.width}, Texel::r32ui, {.label = label}),
                 "making image " + label);
      image_views_[step.buffer] = image.view();
      images_.insert_or_assign(step.buffer, std::move(image));
      return;
    }
    case Act::make_pool: {
      PoolOptions options{.block = 4ull * std::max(step.count, 64u)};
      if (step.scrub) options.scrub = Scrub::zeros;
      pool_devices_[step.other] = step.device;
      pools_[step.other] = expect(Pool::create(world_.at(step.device).device, options), "pool");
      return;
    }
    case Act::allocate: {
      Queue& queue = queues_.at(step.queue);
      adopt_buffer(step.buffer, queue.allocate(pools_.at(step.other), DType::u32, {step.count}, {.label = label}));
      if (step.node >= 0) points_[step.node] = queue.last();
      return;
    }
    case Act::fork:
      adopt_buffer(step.buffer, queues_.at(step.queue).fork(buffers_.at(step.other), label));
      points_[step.node] = queues_.at(step.queue).last();
      return;
    default:
      return adopt_buffer(step.buffer,
                          world_.at(step.device).device.map_file(world_.file(), 0, DType::u32, {step.count}, label));
  }
}

void Run::make_import(const Step& step) {
  auto block = std::make_shared<Block>(step.count);
  for (std::uint32_t i = 0; i < step.count; ++i) block->words[i] = pattern(step.value, i);
  blocks_[step.buffer] = block;
  const Device& device = world_.at(step.device).device;
  const std::span<std::uint32_t> words(block->words, step.count);
  const std::span<const std::uint32_t> constants = words;
  auto keeper = token({});
  adopt_buffer(step.buffer, step.constant ? device.import_host(constants, keeper) : device.import_host(words, keeper));
}

void Run::drop(const Step& step) {
  switch (step.act) {
    case Act::drop_buffer:
      buffers_.erase(step.buffer);
      images_.erase(step.buffer);
      return;
    case Act::free_buffer: {
      auto gone = buffers_.extract(step.buffer);
      expect(queues_.at(step.queue).free(std::move(gone.mapped())), "free");
      return;
    }
    case Act::drop_queue: queues_.erase(step.queue); return;
    case Act::drop_pool: pools_.erase(step.other); return;
    default: recordings_.erase(step.recording); return;
  }
}

void Run::drop_device(int device) {
  std::erase_if(recordings_,
                [&](const auto& entry) { return case_.end.recordings().at(entry.first).device == device; });
  std::erase_if(buffers_, [&](const auto& entry) { return device_of_buffer(entry.first) == device; });
  std::erase_if(images_, [&](const auto& entry) { return device_of_buffer(entry.first) == device; });
  std::erase_if(queues_, [&](const auto& entry) { return device_of_queue(entry.first) == device; });
  std::erase_if(pools_, [&](const auto& entry) { return pool_devices_.at(entry.first) == device; });
  world_.close(device);
}

void Run::signal_step(const Step& step) {
  if (step.act == Act::make_signal) {
    signals_.emplace(step.signal, expect(Signal::create(0, "s" + std::to_string(step.signal)), "signal"));
  } else if (step.act == Act::set_signal) {
    expect(signals_.at(step.signal).set(step.value), "set");
  } else {
    expect(signals_.at(step.signal).fail(Error(Errc::cancelled, "The program fails it.")), "fail");
  }
}

SubmitOptions Run::options(const Step& step) {
  SubmitOptions made{.timeout = patience()};
  for (const Moment& moment : step.moments) made.after.push_back(point(moment));
  for (const Promise& promise : step.promises) made.signal.push_back(signals_.at(promise.signal).at(promise.value));
  if (step.wrong == Wrong::own_future) {
    const Point last = queues_.at(step.queue).last();
    made.after.push_back(last.signal().at(last.value() + 2));
  }
  return made;
}

Result<Point> Run::start(const Step& step) {
  Sources sources;
  SubmitOptions how = options(step);
  if (step.act == Act::replay) return start_replay(step, std::move(how));
  auto answer =
      queues_.at(step.queue).submit(list(step.commands, device_of_queue(step.queue), sources), std::move(how));
  for (const auto& words : sources.words) std::ranges::fill(*words, 0xeeeeeeee);
  return answer;
}

Result<Point> Run::start_replay(const Step& step, SubmitOptions how) {
  const std::vector<Command>& commands = case_.end.recordings().at(step.recording).commands;
  std::vector<SlotValue> values;
  for (const Binding& binding : step.bindings) {
    const int slot = static_cast<int>(values.size());
    const auto host = std::ranges::find(commands, slot, &Command::slot_host);
    if (binding.window.buffer >= 0) {
      values.emplace_back(view(binding.window));
    } else if (host == commands.end()) {
      values.emplace_back(binding.scalar);
    } else if (host->op == Op::download) {
      Words& words = download(binding.host, host->from.count);
      download_devices_[binding.host] = device_of_queue(step.queue);
      values.emplace_back(std::as_writable_bytes(std::span(words)));
    } else {
      Words& words = downloads_[-1 - binding.host];
      words.resize(host->to.count);
      for (std::uint32_t i = 0; i < host->to.count; ++i)
        words[i] = pattern(static_cast<std::uint32_t>(binding.host), i);
      values.emplace_back(std::as_bytes(std::span(words)));
    }
  }
  if (step.wrong == Wrong::few_bindings) values.pop_back();
  return queues_.at(step.queue).replay(recordings_.at(step.recording), values, std::move(how));
}

void Run::submit(const Step& step) { points_[step.node] = expect(start(step), "a submission"); }

void Run::refuse(const Step& step) {
  Queue& queue = queues_.at(step.queue);
  if (step.wrong == Wrong::backend) {
    const auto control =
        expect(world_.at(device_of_queue(step.queue)).device.native<layers::FaultyControl>(), "faulty");
    expect(control.arm(control.self, "submit", 1, Errc::out_of_memory), "arming");
  }
  const std::uint64_t before = queue.last().value();
  const auto answer = start(step);
  if (answer) fail("a submission that has to be refused is accepted");
  if (queue.last().value() != before) fail("a refused submission moves the queue's last point");
}

void Run::record(const Step& step) {
  Sources sources;
  auto made = world_.at(step.device).device.record(list(step.commands, step.device, sources));
  if (step.wrong != Wrong::nothing) {
    if (made) fail("a recording that has to be refused is made");
    return;
  }
  recordings_.insert_or_assign(step.recording, expect(std::move(made), "a recording"));
}

void Run::wait(const Step& step, const Outcome& outcome) {
  for (std::size_t i = 0; i < step.moments.size(); ++i) {
    const auto answer = point(step.moments[i]).wait(patience());
    if (outcome.failing[i] == 0) {
      expect(answer, "a wait");
    } else if (answer) {
      fail("a wait for something that fails succeeds");
    } else if (answer.error().code() != Errc::cancelled) {
      expect(answer, "a wait for something that is cancelled");
    }
  }
}

void Run::wait_any(const Step& step, const Outcome& outcome) {
  std::vector<Point> points;
  for (const Moment& moment : step.moments) points.push_back(point(moment));
  const std::size_t found = expect(pintle::wait_any(points, patience()), "wait_any");
  if (found >= points.size() || outcome.possible[found] == 0) fail("wait_any answers a moment that cannot be reached");
}

void Run::poll_shut(const Step& step) {
  for (const Moment& moment : step.moments) {
    if (expect(point(moment).is_reached(), "is_reached")) fail("a moment is reached too early");
    const auto answer = point(moment).wait(Duration::zero());
    if (answer) fail("a moment is waited for too early");
    if (answer.error().code() != Errc::timeout) expect(answer, "a wait of no time");
  }
}

void Run::then(const Step& step) {
  for (const Moment& moment : step.moments) {
    auto record = callbacks_.emplace_back(std::make_shared<CallbackRecord>());
    const auto note = [record](const Result<void>& result) {
      record->succeeded = result.has_value();
      ++record->count;
    };
    expect(point(moment).then(note, patience() * 2), "then");
  }
}

void Run::read(const Step& step, const Outcome& outcome) {
  Queue& queue = queues_.at(step.queue);
  const auto words = expect(pintle::read<std::uint32_t>(queue, view(step.bad), patience()), "read");
  points_[step.node] = queue.last();
  compare(outcome.cells, words, "b" + std::to_string(step.bad.buffer) + " as it is read",
          executes(device_of_queue(step.queue)));
}

void Run::map(const Step& step, const Outcome& outcome) {
  Buffer& buffer = buffers_.at(step.buffer);
  if (step.act == Act::map_read) {
    const auto bytes = expect(buffer.map_read(), "map_read");
    Words words(bytes.size() / 4);
    std::memcpy(words.data(), bytes.data(), bytes.size());
    compare(outcome.cells, words, "b" + std::to_string(step.buffer) + " as it is mapped", true);
  } else {
    const auto bytes = expect(buffer.map(), "map");
    for (std::uint32_t i = 0; i < bytes.size() / 4; ++i) {
      const std::uint32_t word = pattern(step.value, i);
      std::memcpy(bytes.data() + 4ull * i, &word, 4);
    }
  }
  buffer.unmap();
}

}  // namespace pintle::differential
