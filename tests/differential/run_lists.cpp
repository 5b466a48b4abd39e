// Lists out of commands.
#include <algorithm>
#include <stdexcept>
#include <thread>

#include "random.h"
#include "run.h"

namespace pintle::differential {

BufferView Run::view(const Window& window) const {
  const BufferView& whole = views_.at(window.buffer);
  if (window.first == 0 && 4ull * window.count == whole.size_bytes()) return whole;
  return expect(whole.slice(window.first, window.count), "slice");
}

BufferArgument Run::argument(const Window& window, int slot) const {
  if (slot >= 0) return Slot{static_cast<std::uint32_t>(slot)};
  return view(window);
}

Run::Words& Run::download(int number, std::uint32_t count) {
  Words& words = downloads_[number];
  words.assign(count, 0xcccccccc);
  return words;
}

std::shared_ptr<Token> Run::token(Words words) {
  auto made = std::make_shared<Token>(std::move(words));
  tokens_.push_back(made);
  return made;
}

CommandList Run::list(const std::vector<Command>& commands, int device, Sources& sources) {
  CommandList list;
  for (const Command& command : commands) add(list, command, device, sources);
  return list;
}

void Run::add(CommandList& list, const Command& command, int device, Sources& sources) {
  switch (command.op) {
    case Op::copy: list.copy(argument(command.to, command.slot_to), argument(command.from, command.slot_from)); return;
    case Op::fill: list.fill(argument(command.to, command.slot_to), command.a); return;
    case Op::add_to:
    case Op::affine:
    case Op::gather: return add_launch(list, command, device);
    case Op::to_image:
    case Op::from_image:
    case Op::paint: return add_image(list, command, device);
    case Op::call:
    case Op::pause:
    case Op::latch:
    case Op::blow: return add_call(list, command);
    case Op::barrier: list.barrier(); return;
    default:
      if (command.op == Op::download || command.op == Op::receive) download_devices_[command.host] = device;
      return add_host(list, command, sources);
  }
}

/// Whether the launch takes its buffers as texels: half of those that can.
bool Run::has_texels(const World::Machine& machine, const Command& command) const {
  if (machine.texel_alignment == 0 || command.slot_to >= 0 || command.slot_from >= 0) return false;
  const std::uint64_t offsets = view(command.from).offset_bytes() | view(command.to).offset_bytes();
  return command.to.count != 0 && command.to.count % 2 == 0 && offsets % machine.texel_alignment == 0;
}

void Run::add_launch(CommandList& list, const Command& command, int device) {
  const auto any = [](const BufferArgument& argument) {
    return std::holds_alternative<Slot>(argument) ? KernelArgument(std::get<Slot>(argument))
                                                  : KernelArgument(std::get<BufferView>(argument));
  };
  const KernelArgument to = any(argument(command.to, command.slot_to));
  const KernelArgument a = command.slot_a >= 0 ? KernelArgument(Slot{static_cast<std::uint32_t>(command.slot_a)})
                                               : KernelArgument(command.a);
  const Cover cover = Grid::cover(command.to.count);
  const World::Machine& machine = world_.at(device);
  if (command.op == Op::affine) {
    list.exec(machine.affine, cover, to, a, command.b, command.to.count);
    return;
  }
  if (command.op == Op::add_to && has_texels(machine, command)) {
    list.exec(machine.lift, cover, TexelBuffer{view(command.from), Texel::r32ui},
              TexelBuffer{view(command.to), Texel::r32ui}, a, command.to.count);
    return;
  }
  const KernelArgument from = any(argument(command.from, command.slot_from));
  list.exec(command.op == Op::add_to ? machine.add_to : machine.gather, cover, from, to, a, command.to.count);
}

ImagePart Run::part(const Window& window) const {
  const std::uint32_t width = image_views_.at(window.buffer).extent().width;
  const std::uint32_t x = window.first % width, y = window.first / width;
  if (x == 0 && window.count % width == 0) return {.y = y, .extent = {width, window.count / width}};
  return {.x = x, .y = y, .extent = {window.count, 1}};
}

void Run::add_image(CommandList& list, const Command& command, int device) {
  if (command.op == Op::to_image) {
    list.copy(image_views_.at(command.to.buffer), view(command.from), part(command.to));
  } else if (command.op == Op::from_image) {
    list.copy(view(command.to), image_views_.at(command.from.buffer), part(command.from));
  } else {
    const ImageView &to = image_views_.at(command.to.buffer), &from = image_views_.at(command.from.buffer);
    list.exec(world_.at(device).paint, Grid::cover(to.extent().width, to.extent().height), from, to, command.a);
  }
}

void Run::add_call(CommandList& list, const Command& command) {
  if (command.op == Op::pause) {
    list.call([us = command.a] { std::this_thread::sleep_for(std::chrono::microseconds(us)); });
    return;
  }
  if (command.op == Op::latch) {
    const auto latch = latches_[command.host] = std::make_shared<std::atomic<bool>>(false);
    list.call([latch] {
      while (!*latch) std::this_thread::yield();
    });
    return;
  }
  auto& record = calls_[command.host];
  if (record == nullptr) record = std::make_shared<CallRecord>();
  const bool throws = command.op == Op::blow;
  list.call([record, counter = counter_, throws, run = command.a, owner = token({})] {
    const std::uint64_t number = ++*counter;
    if (record->count == 0) record->first = number;
    if (++record->count == run + 1 && throws) throw std::runtime_error("The program throws.");
  });
}

void Run::add_host(CommandList& list, const Command& command, Sources& sources) {
  const std::uint32_t count = command.op == Op::download || command.op == Op::receive || command.op == Op::pull
                                  ? command.from.count
                                  : command.to.count;
  const auto slot = Slot{static_cast<std::uint32_t>(std::max(command.slot_host, 0))};
  if (command.op == Op::download && command.slot_host >= 0) {
    list.download(slot, view(command.from));
  } else if (command.op == Op::download) {
    list.download(download(command.host, count), view(command.from));
  } else if (command.op == Op::receive) {
    const auto bytes = std::as_writable_bytes(std::span(download(command.host, count)));
    list.download_retained(token({}), bytes, view(command.from));
  } else if (command.op == Op::pull) {
    list.download(std::span(blocks_.at(command.host)->words, count), view(command.from));
  } else if (command.op == Op::push) {
    const std::shared_ptr<Block>& block = blocks_.at(command.host);
    list.upload_retained(view(command.to), block, std::as_bytes(std::span(block->words, count)));
  } else if (command.slot_host >= 0) {
    list.upload(view(command.to), slot);
  } else {
    Words words(count);
    for (std::uint32_t i = 0; i < count; ++i) words[i] = pattern(static_cast<std::uint32_t>(command.host), i);
    if (command.op == Op::keep) {
      const auto owner = token(std::move(words));
      list.upload_retained(view(command.to), owner, std::as_bytes(std::span(owner->words)));
    } else {
      sources.words.push_back(std::make_unique<Words>(std::move(words)));
      list.upload(view(command.to), *sources.words.back());
    }
  }
}

}  // namespace pintle::differential
