#include "backends/cuda/enqueue.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <variant>

namespace pintle::cuda {

using backend::Argument;

namespace {

/// The arguments of a launch as the driver wants them: the address of each. What a kernel takes in more bytes than were
/// given lies in a place of its own.
class Arguments {
 public:
  explicit Arguments(const Kernel& kernel) noexcept : kernel_(kernel) {}

  void add(std::span<const Argument> arguments) {
    for (const Argument& argument : arguments) {
      if (argument.kind != Argument::Kind::use) add(argument);
    }
  }
  [[nodiscard]] void** pointers() noexcept { return pointers_.data(); }
  [[nodiscard]] unsigned shared() const noexcept { return static_cast<unsigned>(shared_ + kernel_.shared); }

 private:
  using Place = std::array<std::byte, 64>;  // a vector of 16 f32, or of three with the place of four

  void add(const Argument& argument) {
    switch (argument.kind) {
      case Argument::Kind::buffer: return put(address_of(argument.range));
      case Argument::Kind::local:
        put(shared_);
        shared_ += shared_bytes(argument.range.size);
        return;
      case Argument::Kind::value: return put_value(argument.value, argument.range.size);
      default: return put_value(argument.scalar.bytes.data(), bytes_of(argument.dtype));
    }
  }
  void put(std::uint64_t word) {
    Place& place = places_[count_];
    std::memcpy(place.data(), &word, sizeof word);
    pointers_[count_++] = place.data();
  }
  /// The driver only reads it.
  void put_value(const std::byte* bytes, std::uint64_t size) {
    if (kernel_.sizes[count_] <= size) {
      pointers_[count_++] = const_cast<std::byte*>(bytes);
      return;
    }
    Place& place = places_[count_];
    place.fill(std::byte{0});
    std::copy_n(bytes, size, place.begin());
    pointers_[count_++] = place.data();
  }

  const Kernel& kernel_;
  std::size_t count_ = 0;
  std::uint64_t shared_ = 0;
  std::array<void*, Entry::max_parameters> pointers_;
  std::array<Place, Entry::max_parameters> places_;
};

}  // namespace

Result<void> Enqueue::all(const backend::Commands& list) {
  for (const backend::Command& command : list.commands) PINTLE_TRY(one(command, list));
  return {};
}

Result<void> Enqueue::one(const backend::Command& command, const backend::Commands& list) {
  if (const auto* const exec = std::get_if<backend::Exec>(&command.operation)) return launch(*exec, list);
  return std::visit(*this, command.operation);
}

Result<void> Enqueue::started(Status status, std::string_view call) {
  PINTLE_TRY(context_.check(status, call));
  ++batch_.commands;
  return {};
}

Result<Piece> Enqueue::stage(std::uint64_t size) {
  if (batch_.staged.size() == batch_.staged.capacity()) batch_.staged.reserve(2 * batch_.staged.size() + 1);
  PINTLE_ASSIGN(piece, pinned_.take({size, 1, Placement::host, "staging"}));
  batch_.staged.push_back(piece);
  return piece;
}

Result<void> Enqueue::operator()(const backend::Copy& copy) {
  return started(api().cuMemcpyDtoDAsync(address_of(copy.to), address_of(copy.from), copy.to.size, stream_),
                 "cuMemcpyDtoDAsync");
}

Result<void> Enqueue::operator()(const backend::Fill& fill) {
  const DevicePointer to = address_of(fill.to);
  const std::uint64_t count = fill.to.size / fill.pattern_size;
  const auto word = [&]<class Word>(Word value) {
    std::memcpy(&value, fill.pattern.bytes.data(), sizeof value);
    return value;
  };
  switch (fill.pattern_size) {
    case 1: return started(api().cuMemsetD8Async(to, word(std::uint8_t{0}), count, stream_), "cuMemsetD8Async");
    case 2: return started(api().cuMemsetD16Async(to, word(std::uint16_t{0}), count, stream_), "cuMemsetD16Async");
    case 4: return started(api().cuMemsetD32Async(to, word(0u), count, stream_), "cuMemsetD32Async");
    default: return fill_words(to, fill.to.size, fill.pattern);
  }
}

/// The driver fills with words of 32 bits at most. One of 64 is written once or a few times, and what is there is then
/// copied behind itself, twice as much each time.
Result<void> Enqueue::fill_words(DevicePointer to, std::uint64_t size, const backend::Scalar& pattern) {
  std::array<std::byte, 4096> words;
  constexpr std::size_t word = sizeof(std::uint64_t);
  for (std::size_t at = 0; at < words.size(); at += word) std::copy_n(pattern.bytes.begin(), word, words.begin() + at);
  std::uint64_t done = std::min<std::uint64_t>(size, words.size());
  PINTLE_TRY(write(to, std::span(words).first(done)));
  for (; done < size; done += std::min(done, size - done))
    PINTLE_TRY(
        started(api().cuMemcpyDtoDAsync(to + done, to, std::min(done, size - done), stream_), "cuMemcpyDtoDAsync"));
  return {};
}

/// The source of a copy must be pinned: the driver copies other memory at once, or waits for the stream.
Result<void> Enqueue::write(DevicePointer to, std::span<const std::byte> bytes) {
  PINTLE_ASSIGN(piece, stage(bytes.size()));
  if (!context_.host().enter()) return context_.cause();
  std::ranges::copy(bytes, piece.host());
  context_.host().leave();
  return started(api().cuMemcpyHtoDAsync(to, piece.host(), bytes.size(), stream_), "cuMemcpyHtoDAsync");
}

Result<void> Enqueue::operator()(const backend::Upload& upload) {
  return upload.to.size == 0 ? Result<void>() : write(address_of(upload.to), {upload.from.data, upload.to.size});
}

Result<void> Enqueue::operator()(const backend::Download& download) {
  if (download.from.size == 0) return {};
  PINTLE_ASSIGN(piece, stage(download.from.size));
  batch_.deliveries.push_back({download.to.data, piece.host(), download.from.size});
  return started(api().cuMemcpyDtoHAsync(piece.host(), address_of(download.from), download.from.size, stream_),
                 "cuMemcpyDtoHAsync");
}

Result<void> Enqueue::launch(const backend::Exec& exec, const backend::Commands& list) {
  const Kernel& kernel = Programs::at(exec.program).kernels[exec.entry];
  Arguments arguments(kernel);
  arguments.add(list.of(exec));
  const Grid& grid = exec.grid;
  const Grid& group = kernel.group;
  return started(api().cuLaunchKernel(kernel.function, grid.x, grid.y, grid.z, group.x, group.y, group.z,
                                      arguments.shared(), stream_, arguments.pointers(), nullptr),
                 "cuLaunchKernel");
}

}  // namespace pintle::cuda
