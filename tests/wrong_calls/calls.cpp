#include "calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>

namespace pintle::wrong_calls {
namespace {

constexpr std::size_t most_buffers = 12;
constexpr std::uint64_t longest = 1 << 14;  // elements; bytes of a transfer that does not fit its view
constexpr std::array dtypes{DType::u8, DType::u16, DType::u32, DType::f32, DType::u64};
constexpr std::array<std::string_view, 3> entries{"add_to", "affine", "gather"};

Error defect(std::string sentence) { return {Errc::internal, std::move(sentence)}; }

}  // namespace

Calls::Calls(Device device, const ProgramPack& pack, std::uint64_t seed, Counts& counts)
    : device_(std::move(device)), random_(seed), counts_(counts), queue_(must(device_.create_queue())) {
  const Program program = must(device_.load(pack));
  for (const std::string_view entry : entries) kernels_.push_back(must(program.kernel(entry)));
}

void Calls::allocate() {
  const std::uint64_t largest = device_.info().limits.max_allocation;
  std::uint64_t count = random_.below(longest);
  if (random_.percent(15)) count = random_.percent(50) ? 0 : largest + random_.next() % (~largest);
  const DType dtype = random_.pick(std::span<const DType>(dtypes));
  BufferOptions options;
  if (random_.percent(20)) options.placement = Placement::host;
  if (random_.percent(10)) options.alignment = random_.next();
  if (random_.percent(10)) options.allocation = Allocation::lazy;
  auto buffer = device_.allocate(dtype, {count}, options);
  if (!counts_.add(buffer)) return;
  views_.push_back(buffer->view());
  buffers_.push_back(*std::move(buffer));
  if (buffers_.size() > most_buffers) buffers_.erase(buffers_.begin());
  if (views_.size() > 2 * most_buffers) views_.erase(views_.begin());
}

/// Buffers that are in flight are let go, too.
void Calls::let_go() {
  if (!buffers_.empty()) buffers_.erase(buffers_.begin() + random_.below(buffers_.size()));
}

BufferView Calls::view() {
  if (views_.empty() || random_.percent(3)) return {};
  BufferView found = views_[random_.below(views_.size())];
  const std::uint64_t size = found.size_bytes() / bytes_of(found.dtype());
  if (random_.percent(50)) {
    const std::uint64_t first = random_.below(size + 2);
    const auto part = found.slice(first, random_.percent(90) ? random_.below(size - std::min(first, size) + 1) : size);
    if (counts_.add(part)) found = *part;
  }
  return found;
}

/// A view of at least so many u32, where there is one.
BufferView Calls::words(std::uint64_t count) {
  for (const Buffer& buffer : buffers_) {
    const auto as_words = buffer.view().as(DType::u32, {buffer.size_bytes() / sizeof(std::uint32_t)});
    if (as_words && buffer.size_bytes() >= count * sizeof(std::uint32_t)) return *as_words;
  }
  return view();
}

/// No groups, a few, or more than the device has. A grid just below the limit takes too long on a processor.
Grid Calls::grid() {
  const std::uint32_t most = device_.info().limits.max_grid.x;
  const auto side = [&]() -> std::uint32_t {
    if (random_.percent(80)) return random_.from_to(1, std::min(most, 40u));
    return random_.percent(50) ? 0 : most + 1 + random_.below(1000);
  };
  return random_.percent(70) ? Grid{side()} : Grid{side(), random_.from_to(0, 3), random_.from_to(0, 2)};
}

/// Items beyond n do nothing, so a right kernel stays within its arguments.
void Calls::add_launch(CommandList& list) {
  const std::size_t which = random_.below(kernels_.size());
  const BufferView from = random_.percent(80) ? words(1) : view(), to = random_.percent(80) ? words(8) : view();
  const std::uint64_t bytes = std::min(from.size_bytes(), to.size_bytes());
  const auto n = static_cast<std::uint32_t>(bytes / sizeof(std::uint32_t));
  std::vector<KernelArgument> arguments;
  if (which != 1) arguments.emplace_back(from);
  arguments.emplace_back(to);
  arguments.emplace_back(std::uint32_t{3});
  if (which == 1) arguments.emplace_back(std::uint32_t{5});
  arguments.emplace_back(n);
  if (random_.percent(15)) arguments[random_.below(arguments.size())] = KernelArgument(1.0);
  if (random_.percent(5)) arguments[random_.below(arguments.size())] = KernelArgument(nullptr);
  if (random_.percent(5)) arguments.emplace_back(Slot{random_.below(2000)});
  if (random_.percent(5)) arguments.pop_back();
  if (random_.percent(20)) list.exec_indirect_with(kernels_[which], words(3), grid(), arguments);
  else list.exec_with(kernels_[which], grid(), arguments);
}

void Calls::add_transfer(CommandList& list) {
  const BufferView there = view();
  const std::uint64_t size = random_.percent(85) ? there.size_bytes() : random_.below(longest);
  auto& bytes = host_.emplace_back(size);
  if (random_.percent(50)) list.upload(there, bytes);
  else list.download(bytes, there);
}

void Calls::add_command(CommandList& list) {
  switch (random_.below(8)) {
    case 0: list.copy(view(), view()); break;
    case 1: {
      const BufferView to = view();
      if (to.dtype() == DType::u32 || random_.percent(20)) list.fill(to, std::uint32_t{7});
      else list.fill(to, std::uint8_t{7});
      break;
    }
    case 2:
    case 3: add_transfer(list); break;
    case 4: list.timestamp(view()); break;
    case 5: random_.percent(50) ? list.holds(view()) : list.barrier(); break;
    default: add_launch(list);
  }
}

void Calls::submit() {
  CommandList list;
  for (std::uint32_t left = random_.from_to(0, 5); left != 0; --left) add_command(list);
  counts_.add(queue_.submit(std::move(list), {.timeout = std::chrono::seconds(20)}));
}

void Calls::replay() {
  if (recordings_.empty() || random_.percent(30)) {
    CommandList list;
    for (std::uint32_t left = random_.from_to(1, 4); left != 0; --left) add_command(list);
    if (random_.percent(60)) list.copy(Slot{0}, words(1));
    auto recording = device_.record(std::move(list));
    if (counts_.add(recording)) recordings_.push_back(*std::move(recording));
    return;
  }
  std::vector<SlotValue> values;
  for (std::uint32_t left = random_.below(3); left != 0; --left) {
    if (random_.percent(80)) values.emplace_back(view());
    else values.emplace_back(std::uint32_t{1});
  }
  counts_.add(queue_.replay(recordings_[random_.below(recordings_.size())], values));
}

void Calls::load_broken_text() {
  const auto pack = broken_text(device_.info(), random_);
  if (pack) counts_.add(device_.load(*pack));
}

Result<void> Calls::submit_right() {
  constexpr std::uint32_t count = 1000;
  std::vector<std::uint32_t> answer(count);
  PINTLE_ASSIGN(from, device_.allocate(DType::u32, {count}));
  PINTLE_ASSIGN(to, device_.allocate(DType::u32, {count}));
  CommandList list;
  list.fill(from, 5u).exec(kernels_[0], Grid::cover(count), from, to, 9u, count).download(std::span(answer), to);
  PINTLE_TRY(queue_.submit_and_wait(std::move(list), std::chrono::seconds(30)));
  const bool computes = device_.info().capability(Feature::execution).support != Support::absent;
  if (computes && answer != std::vector<std::uint32_t>(count, 14))
    return defect("A right submission gives other bytes.");
  return device_.health();
}

Result<void> Calls::run(int count) {
  for (int done = 0; done < count; ++done) {
    switch (random_.below(12)) {
      case 0:
      case 1:
      case 2: allocate(); break;
      case 3: let_go(); break;
      case 4:
      case 5: replay(); break;
      case 6: load_broken_text(); break;
      default: submit();
    }
  }
  auto right = submit_right();  // before the host memory that downloads were lent is let go
  if (right) return right;
  return right.error().during("submitting what is right behind what is wrong");
}

}  // namespace pintle::wrong_calls
