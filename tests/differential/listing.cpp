// Programs in words.
#include <fmt/format.h>

#include <array>
#include <string_view>

#include "step.h"

namespace pintle::differential {
namespace {

std::string text(const Window& window, int slot) {
  if (slot >= 0) return fmt::format("slot{}({})", slot, window.count);
  return fmt::format("b{}[{}..{})", window.buffer, window.first, window.first + window.count);
}

std::string text(const Moment& moment) {
  return moment.node >= 0 ? fmt::format("p{}", moment.node) : fmt::format("s{}@{}", moment.signal, moment.value);
}

std::string text(const Binding& binding) {
  if (binding.window.buffer >= 0) return text(binding.window, -1);
  return binding.host >= 0 ? fmt::format("host {}", binding.host) : fmt::format("{}", binding.scalar);
}

std::string text(const Promise& promise) { return fmt::format("s{}@{}", promise.signal, promise.value); }

template <class Range>
std::string listed(std::string_view word, const Range& range) {
  std::string all;
  for (const auto& value : range) all += (all.empty() ? fmt::format(" {} ", word) : ", ") + text(value);
  return all;
}

std::string body(const Step& step) {
  std::string all = listed("waits", step.moments) + listed("signals", step.promises) + listed("binds", step.bindings);
  for (const Command& command : step.commands) all += "\n      " + text(command);
  return all;
}

std::string_view name(Wrong wrong) {
  constexpr std::array<std::string_view, 10> names{
      "nothing",      "a buffer is gone", "a buffer is sealed",   "a slot in a list",    "two sizes",
      "a low signal", "own future",       "its queue has failed", "a slot is not bound", "the device refuses"};
  return names[static_cast<std::size_t>(wrong)];
}

std::string named(std::string_view verb, const Step& step) {
  return fmt::format("{}{}{}", verb,
                     step.wrong == Wrong::nothing ? "" : fmt::format(", refused since {}", name(step.wrong)),
                     body(step));
}

std::string made(const Step& step) {
  return fmt::format("b{} = d{}: {} elements{}{}{}", step.buffer, step.device, step.count, step.lazy ? ", lazy" : "",
                     step.on_host ? ", on the host" : "", step.constant ? ", constant" : "");
}

}  // namespace

std::string text(const Command& command) {
  const std::string to = text(command.to, command.slot_to), from = text(command.from, command.slot_from);
  const std::string a = command.slot_a >= 0 ? fmt::format("slot{}", command.slot_a) : fmt::format("{}", command.a);
  const std::string host =
      command.slot_host >= 0 ? fmt::format("slot{}", command.slot_host) : fmt::format("{}", command.host);
  switch (command.op) {
    case Op::copy: return fmt::format("copy {} from {}", to, from);
    case Op::fill: return fmt::format("fill {} with {}", to, a);
    case Op::add_to: return fmt::format("add_to {} from {}, {}", to, from, a);
    case Op::affine: return fmt::format("affine {} times {} plus {}", to, a, command.b);
    case Op::gather: return fmt::format("gather {} from {}, step {}", to, from, a);
    case Op::to_image: return fmt::format("copy image {} from {}", to, from);
    case Op::from_image: return fmt::format("copy {} from image {}", to, from);
    case Op::paint: return fmt::format("paint image {} from {}, {}", to, from, a);
    case Op::upload: return fmt::format("upload {} pattern {}", to, host);
    case Op::keep: return fmt::format("upload {} pattern {}, retained", to, host);
    case Op::download: return fmt::format("download {} from {}", host, from);
    case Op::receive: return fmt::format("download {} from {}, retained", host, from);
    case Op::pull: return fmt::format("download to the memory under b{} from {}", command.host, from);
    case Op::push: return fmt::format("upload {} from the memory under b{}", to, command.host);
    case Op::call: return fmt::format("call {}", command.host);
    case Op::pause: return fmt::format("call that takes {} us", command.a);
    case Op::latch: return fmt::format("call that waits for latch {}", command.host);
    case Op::blow: return fmt::format("call {} throws in run {}", command.host, command.a + 1);
    case Op::barrier: return "barrier";
  }
  return "?";
}

std::string text(const Step& step) {
  switch (step.act) {
    case Act::make_queue: return fmt::format("q{} = d{}.queue()", step.queue, step.device);
    case Act::make_buffer: return made(step);
    case Act::make_image: return made(step) + fmt::format(", an image in rows of {}", step.width);
    case Act::make_pool:
      return fmt::format("pool{} = d{}, block of {}{}", step.other, step.device, step.count,
                         step.scrub ? ", zeros" : "");
    case Act::allocate:
      return fmt::format("b{} = q{}.allocate(pool{}, {}), p{}", step.buffer, step.queue, step.other, step.count,
                         step.node);
    case Act::import_host: return made(step) + fmt::format(", over host memory of pattern {}", step.value);
    case Act::map_file: return made(step) + ", over a file";
    case Act::fork: return fmt::format("b{} = q{}.fork(b{}), p{}", step.buffer, step.queue, step.other, step.node);
    case Act::seal: return fmt::format("b{}.seal()", step.buffer);
    case Act::drop_buffer: return fmt::format("drop b{}", step.buffer);
    case Act::free_buffer: return fmt::format("q{}.free(b{})", step.queue, step.buffer);
    case Act::drop_queue: return fmt::format("drop q{}", step.queue);
    case Act::drop_pool: return fmt::format("drop pool{}", step.other);
    case Act::make_signal: return fmt::format("s{} = signal", step.signal);
    case Act::set_signal: return fmt::format("s{}.set({})", step.signal, step.value);
    case Act::fail_signal: return fmt::format("s{}.fail()", step.signal);
    case Act::submit: return named(fmt::format("p{} = q{}.submit", step.node, step.queue), step);
    case Act::record: return named(fmt::format("r{} = d{}.record", step.recording, step.device), step);
    case Act::replay: return named(fmt::format("p{} = q{}.replay(r{})", step.node, step.queue, step.recording), step);
    case Act::drop_recording: return fmt::format("drop r{}", step.recording);
    case Act::wait: return "wait_for" + listed("", step.moments);
    case Act::wait_any: return "wait_any" + listed("", step.moments);
    case Act::poll_shut: return "not reached:" + listed("", step.moments);
    case Act::then: return "then" + listed("", step.moments);
    case Act::read: return fmt::format("read {} by q{}, p{}", text(step.bad, -1), step.queue, step.node);
    case Act::map_read: return fmt::format("b{}.map_read()", step.buffer);
    case Act::map_write: return fmt::format("b{}.map(), pattern {}", step.buffer, step.value);
    case Act::open_latch: return fmt::format("open latch {}", step.value);
    case Act::drop_device: return fmt::format("drop d{}", step.device);
  }
  return "?";
}

}  // namespace pintle::differential
