#include "backends/webgpu/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <variant>

namespace pintle::webgpu {
namespace {

using backend::Argument;

constexpr std::uint64_t word = 4;
constexpr std::uint64_t scratch_bytes = 16 << 20;

constexpr std::uint64_t down(std::uint64_t value, std::uint64_t unit) noexcept { return value / unit * unit; }
constexpr std::uint64_t up(std::uint64_t value, std::uint64_t unit) noexcept { return down(value + unit - 1, unit); }

/// The two words that a pattern makes of eight bytes, which begin at a multiple of eight; the range begins at `first`.
std::array<std::uint32_t, 2> words_of(const backend::Fill& fill, std::uint64_t first) noexcept {
  std::array<std::byte, 8> bytes{};
  for (std::uint64_t at = 0; at < bytes.size(); ++at) {
    const std::uint64_t behind = at + bytes.size() * fill.pattern_size - first % bytes.size();
    bytes[at] = fill.pattern.bytes[behind % fill.pattern_size];
  }
  std::array<std::uint32_t, 2> words{};
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

}  // namespace

Recorder::Place Recorder::place_of(const backend::Range& range) noexcept {
  const Allocation& allocation = Allocations::at(range.memory);
  return {allocation.buffer.get(), range.offset, allocation.whole};
}

Result<wg::CommandEncoder> Recorder::encoder() {
  is_first_ = false;
  if (encoder_) return encoder_.get();
  encoder_ = {api_, api_.DeviceCreateCommandEncoder(context_.device(), nullptr)};
  if (encoder_) return encoder_.get();
  return Error(Errc::out_of_memory, fmt::format("[{}] makes no encoder of commands.", context_.id()));
}

Result<wg::ComputePass> Recorder::pass() {
  if (pass_) return pass_.get();
  PINTLE_ASSIGN(encoder, this->encoder());
  pass_ = {api_, api_.CommandEncoderBeginComputePass(encoder, nullptr)};
  if (pass_) return pass_.get();
  return Error(Errc::out_of_memory, fmt::format("[{}] makes no compute pass.", context_.id()));
}

void Recorder::end_pass() noexcept {
  if (!pass_) return;
  api_.ComputePassEncoderEnd(pass_.get());
  pass_ = {};
  set_ = nullptr;
}

Result<void> Recorder::record(const backend::Commands& list) {
  list_ = &list;
  for (const backend::Command& command : list.commands) PINTLE_TRY(std::visit(*this, command.operation));
  return {};
}

Result<void> Recorder::finish() {
  end_pass();
  PINTLE_ASSIGN(encoder, this->encoder());
  flight_.commands = {api_, api_.CommandEncoderFinish(encoder, nullptr)};
  if (flight_.commands) return {};
  return Error(Errc::out_of_memory, fmt::format("[{}] makes no command buffer.", context_.id()));
}

Recorder::Window Recorder::window_of(const Place& place, std::uint64_t size) const noexcept {
  const std::uint64_t begin = down(place.offset, context_.abilities().limits.min_storage_alignment);
  const std::uint64_t end = up(place.offset + size, word);
  return {{place.buffer, begin, end - begin}, static_cast<std::uint32_t>(place.offset - begin)};
}

Result<void> Recorder::copy_words(const Place& to, const Place& from, std::uint64_t size) {
  end_pass();
  PINTLE_ASSIGN(encoder, this->encoder());
  api_.CommandEncoderCopyBufferToBuffer(encoder, from.buffer, from.offset, to.buffer, to.offset, size);
  return {};
}

/// Copies of WebGPU are of whole words, from one buffer to another.
Result<void> Recorder::copy(const Place& to, const Place& from, std::uint64_t size) {
  if (size == 0) return {};
  if (to.buffer == from.buffer) return copy_within(to, from, size);
  if (to.offset % word == 0 && from.offset % word == 0 && size % word == 0) return copy_words(to, from, size);
  for (std::uint64_t done = 0; done < size; done += OwnKernels::most_bytes) {
    const std::uint64_t part = std::min(size - done, OwnKernels::most_bytes);
    PINTLE_TRY(move({to.buffer, to.offset + done}, {from.buffer, from.offset + done}, part));
  }
  return {};
}

/// Through scratch memory, a part at a time.
Result<void> Recorder::copy_within(const Place& to, const Place& from, std::uint64_t size) {
  const std::uint64_t most = std::min(scratch_bytes, up(size, word) + word);
  PINTLE_ASSIGN(scratch, flight_.staging.take(Use::scratch, most, context_.abilities().limits.min_storage_alignment));
  for (std::uint64_t done = 0; done < size;) {
    const std::uint64_t lead = (from.offset + done) % word;
    const std::uint64_t part = std::min(size - done, most - word);
    const Place begin{from.buffer, from.offset + done - lead};
    PINTLE_TRY(copy_words(place_of(scratch), begin, up(lead + part, word)));
    PINTLE_TRY(copy({to.buffer, to.offset + done}, {scratch.buffer, scratch.offset + lead}, part));
    done += part;
  }
  return {};
}

Result<void> Recorder::move(const Place& to, const Place& from, std::uint64_t size) {
  const Window target = window_of(to, size), source = window_of(from, size);
  const std::array bound{source.bound, target.bound};
  const OwnKernels::Move arguments{target.first, static_cast<std::uint32_t>(size),
                                   static_cast<std::int32_t>(source.first)};
  return run_own(own_.move(), bound, arguments, up(size, word) / word + 1);
}

template <class Arguments>
Result<void> Recorder::run_own(Kernel& kernel, std::span<const Bound> bound, const Arguments& arguments,
                               std::uint64_t words) {
  const auto groups = static_cast<std::uint32_t>((words + OwnKernels::group - 1) / OwnKernels::group);
  return launch(kernel, bound, std::as_bytes(std::span(&arguments, 1)), {{groups, 1, 1}});
}

Result<void> Recorder::operator()(const backend::Copy& copied) {
  return copy(place_of(copied.to), place_of(copied.from), copied.to.size);
}

Result<void> Recorder::operator()(const backend::Fill& fill) {
  const Place to = place_of(fill.to);
  const bool is_zero = std::ranges::all_of(std::span(fill.pattern.bytes).first(fill.pattern_size),
                                           [](std::byte byte) { return byte == std::byte{0}; });
  if (fill.to.size == 0) return {};
  if (is_zero && to.offset % word == 0 && fill.to.size % word == 0) {
    end_pass();
    PINTLE_ASSIGN(encoder, this->encoder());
    api_.CommandEncoderClearBuffer(encoder, to.buffer, to.offset, fill.to.size);
    return {};
  }
  for (std::uint64_t done = 0; done < fill.to.size; done += OwnKernels::most_bytes) {
    const std::uint64_t part = std::min(fill.to.size - done, OwnKernels::most_bytes);
    const Window target = window_of({to.buffer, to.offset + done}, part);
    const auto [even, odd] = words_of(fill, target.first);
    const OwnKernels::Fill arguments{target.first, static_cast<std::uint32_t>(part), even, odd};
    PINTLE_TRY(run_own(own_.fill(), std::span(&target.bound, 1), arguments, up(part, word) / word + 1));
  }
  return {};
}

/// The bytes go straight into the buffer where they are whole words and nothing of the list comes before them.
Result<void> Recorder::operator()(const backend::Upload& upload) {
  const std::uint64_t size = upload.to.size;
  if (size == 0) return {};
  const Place to = place_of(upload.to);
  const bool is_whole = to.offset % word == 0 && size % word == 0;
  if (is_whole && is_first_) {
    flight_.staging.write({to.buffer, to.offset}, upload.from.data, size);
    return {};
  }
  const std::uint64_t alignment = is_whole ? word : context_.abilities().limits.min_storage_alignment;
  for (std::uint64_t done = 0; done < size; done += OwnKernels::most_bytes) {
    const std::uint64_t part = std::min(size - done, OwnKernels::most_bytes);
    PINTLE_ASSIGN(staged, flight_.staging.take(Use::upload, up(part, word), alignment));
    flight_.staging.write(staged, upload.from.data + done, part);
    PINTLE_TRY(copy({to.buffer, to.offset + done}, place_of(staged), part));
  }
  return {};
}

/// Whole words come home, and the host takes the bytes out of them.
Result<void> Recorder::operator()(const backend::Download& download) {
  const std::uint64_t size = download.from.size;
  if (size == 0) return {};
  const Place from = place_of(download.from);
  const std::uint64_t lead = from.offset % word;
  const std::uint64_t words = up(lead + size, word);
  PINTLE_ASSIGN(staged, flight_.staging.take(Use::download, words, 8));
  PINTLE_TRY(copy_words(place_of(staged), {from.buffer, from.offset - lead}, words));
  flight_.bring_home({staged.buffer, staged.offset + lead}, download.to.data, size);
  return {};
}

/// An empty pass behind everything before writes the time when it ends.
Result<void> Recorder::operator()(const backend::Timestamp& timestamp) {
  end_pass();
  PINTLE_ASSIGN(encoder, this->encoder());
  wg::QuerySetDescriptor one;
  one.count = 1;
  flight_.queries.emplace_back(api_, api_.DeviceCreateQuerySet(context_.device(), &one));
  const wg::QuerySet queries = flight_.queries.back().get();
  if (queries == nullptr) return Error(Errc::out_of_memory, fmt::format("[{}] makes no query.", context_.id()));
  wg::TimestampWrites writes;
  writes.queries = queries;
  writes.at_end = 0;
  wg::ComputePassDescriptor wanted;
  wanted.timestamps = &writes;
  pass_ = {api_, api_.CommandEncoderBeginComputePass(encoder, &wanted)};
  end_pass();
  constexpr std::uint64_t alignment = 256;  // of what a query is resolved to
  PINTLE_ASSIGN(resolved, flight_.staging.take(Use::query, sizeof(std::uint64_t), alignment));
  api_.CommandEncoderResolveQuerySet(encoder, queries, 0, 1, resolved.buffer, resolved.offset);
  return copy(place_of(timestamp.to), place_of(resolved), sizeof(std::uint64_t));
}

Result<void> Recorder::operator()(const backend::Exec& exec) { return this->exec(exec, {exec.grid, {}}); }

/// A small kernel clamps the counts first, into a place that no kernel of the user's reaches.
Result<void> Recorder::operator()(const backend::ExecIndirect& indirect) {
  constexpr std::uint64_t counts = 3 * sizeof(std::uint32_t);
  PINTLE_ASSIGN(grid, flight_.staging.take(Use::indirect, counts, context_.abilities().limits.min_storage_alignment));
  const Window source = window_of(place_of(indirect.grid_at), counts);
  const Grid& most = indirect.exec.grid;
  const std::array bound{source.bound, Bound{grid.buffer, grid.offset, counts}};
  const OwnKernels::Clamp arguments{static_cast<std::uint32_t>(source.first / word), most.x, most.y, most.z};
  PINTLE_TRY(run_own(own_.clamp(), bound, arguments, 1));
  return exec(indirect.exec, {most, grid});
}

/// The bytes that a binding has: whole words, and at least the first element of what the code declares.
Result<Recorder::Bound> Recorder::bind(const Kernel& kernel, std::size_t index, const backend::Range& range) const {
  Place place = place_of(range);
  const spirv::DescriptorNeeds& needs = kernel.needs[index];
  if (needs.least != 0 && range.size < needs.least) {
    return Error(
        Errc::invalid_argument,
        fmt::format("An argument has ({}) bytes, and the kernel's uniform block has ({}).", range.size, needs.least));
  }
  if (range.size == 0) place.offset = 0;  // a binding has at least one word
  const std::uint64_t first = up(std::max<std::uint64_t>(needs.first, word), word);
  const std::uint64_t size = needs.least != 0 ? needs.least : std::max(up(range.size, word), first);
  if (place.offset + size <= place.whole) return Bound{place.buffer, place.offset, up(size, word)};
  return Error(
      Errc::invalid_argument,
      fmt::format("An argument of ({}) bytes at offset ({}) is smaller than the first element that {} has at set "
                  "{}, binding {} ({} bytes), and its buffer has no more.",
                  range.size, range.offset, kernel.text, kernel.descriptors[index].set,
                  kernel.descriptors[index].binding, needs.first));
}

Result<void> Recorder::exec(const backend::Exec& exec, const Launch& launched) {
  Kernel& kernel = Programs::at(exec.program).kernel(exec.entry);
  std::vector<Bound> bound;
  bound.reserve(kernel.descriptors.size() + 1);
  std::array<std::byte, most_scalar_bytes + 16> scalars;
  std::memset(scalars.data(), 0, kernel.scalar_bytes);
  std::size_t scalar = 0;
  for (const Argument& argument : list_->of(exec)) {
    if (argument.kind == Argument::Kind::buffer) {
      PINTLE_ASSIGN(one, bind(kernel, bound.size(), argument.range));
      bound.push_back(one);
    } else if (argument.kind == Argument::Kind::scalar || argument.kind == Argument::Kind::value) {
      const spirv::ScalarPlace& place = kernel.scalars[scalar++];
      const bool is_scalar = argument.kind == Argument::Kind::scalar;
      std::memcpy(scalars.data() + place.offset, is_scalar ? argument.scalar.bytes.data() : argument.value, place.size);
    }
  }
  return launch(kernel, bound, std::span(scalars).first(kernel.scalar_bytes), launched);
}

/// Whether one buffer is bound for reading and for writing.
bool Recorder::shares_buffers(const Kernel& kernel, std::span<const Bound> bound) noexcept {
  for (std::size_t reader = 0; reader < kernel.descriptors.size(); ++reader) {
    if (!kernel.is_read_only[reader]) continue;
    for (std::size_t other = 0; other < kernel.descriptors.size(); ++other) {
      const bool writes =
          !kernel.is_read_only[other] && kernel.descriptors[other].kind == spirv::DescriptorKind::storage_buffer;
      if (writes && bound[other].buffer == bound[reader].buffer) return true;
    }
  }
  return false;
}

Result<void> Recorder::launch(Kernel& kernel, std::span<const Bound> given, std::span<const std::byte> scalars,
                              const Launch& launched) {
  PINTLE_ASSIGN(pipeline, kernel.pipeline(context_, shares_buffers(kernel, given)));
  std::vector<Bound> bound(given.begin(), given.end());
  if (kernel.scalar_source == spirv::ScalarSource::uniform) {
    const std::uint32_t alignment = context_.abilities().limits.min_uniform_alignment;
    PINTLE_ASSIGN(staged, flight_.staging.take(Use::uniform, kernel.scalar_bytes, alignment));
    flight_.staging.write_copy(staged, scalars);
    bound.push_back({staged.buffer, staged.offset, kernel.scalar_bytes});
  }
  PINTLE_ASSIGN(pass, this->pass());
  if (set_ != pipeline) api_.ComputePassEncoderSetPipeline(pass, pipeline->pipeline.get());
  if (set_ != pipeline || bound_ != bound) PINTLE_TRY(set_groups(pass, kernel, *pipeline, bound));
  set_ = pipeline;
  bound_ = std::move(bound);
  if (kernel.scalar_source == spirv::ScalarSource::push)
    api_.ComputePassEncoderSetImmediates(pass, 0, scalars.data(), scalars.size());
  if (launched.grid_at.buffer != nullptr)
    api_.ComputePassEncoderDispatchWorkgroupsIndirect(pass, launched.grid_at.buffer, launched.grid_at.offset);
  else api_.ComputePassEncoderDispatchWorkgroups(pass, launched.grid.x, launched.grid.y, launched.grid.z);
  return {};
}

Result<void> Recorder::set_groups(wg::ComputePass pass, const Kernel& kernel, const Pipeline& pipeline,
                                  std::span<const Bound> bound) {
  std::vector<wg::GroupEntry> entries;
  for (std::uint32_t group = 0; group < pipeline.groups.size(); ++group) {
    entries.clear();
    for (std::size_t index = 0; index < bound.size(); ++index) {
      const bool is_scalars = index == kernel.descriptors.size();
      const spirv::Descriptor& place = is_scalars ? kernel.scalar_block : kernel.descriptors[index];
      if (place.set != group) continue;
      wg::GroupEntry entry;
      entry.binding = place.binding;
      entry.buffer = bound[index].buffer;
      entry.offset = bound[index].offset;
      entry.size = bound[index].size;
      entries.push_back(entry);
    }
    wg::BindGroupDescriptor wanted;
    wanted.layout = pipeline.groups[group].get();
    wanted.count = entries.size();
    wanted.entries = entries.data();
    const Owned<wg::BindGroup> made(api_, api_.DeviceCreateBindGroup(context_.device(), &wanted));
    if (!made) return Error(Errc::out_of_memory, fmt::format("[{}] makes no group of bindings.", context_.id()));
    api_.ComputePassEncoderSetBindGroup(pass, group, made.get(), 0, nullptr);
  }
  return {};
}

}  // namespace pintle::webgpu
