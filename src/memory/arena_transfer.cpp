// feed and read: whole values between the host and an arena, with their dtype.
#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "base/door.h"
#include "base/inside.h"
#include "pintle/arena.h"
#include "pintle/queue.h"

namespace pintle::memory {
namespace {

/// Up to this size a copy in host memory costs less than a wait for the queue.
constexpr std::uint64_t most_staged = 256 << 10;

Error wrong(std::string sentence) { return {Errc::invalid_argument, std::move(sentence)}; }

using Bytes = std::span<const std::byte>;

}  // namespace

/// The transfer of one value. The value has a place in the arena, possibly of 0 bytes.
class Transfer {
 public:
  static Result<Transfer> of(Queue& queue, const Arena& arena, std::uint32_t id, const Timeout& timeout) {
    PINTLE_ASSIGN(value, Inside::placed(arena, id));
    return Transfer(queue, arena, id, value->size, timeout);
  }

  Result<Point> feed(Arena& arena, const Elements& from, const Convert* how) const;
  Result<void> read(const ReadRequest& request, const std::function<Target(std::uint64_t)>& make) const;

 private:
  Transfer(Queue& queue, const Arena& arena, std::uint32_t id, std::uint64_t size, const Timeout& timeout)
      : queue_(queue), arena_(arena), id_(id), size_(size), timeout_(timeout) {}

  [[nodiscard]] std::string text() const { return Inside::value_text(arena_, id_); }
  [[nodiscard]] DType dtype() const { return arena_.values()[id_].dtype; }

  [[nodiscard]] Result<void> check_dtype(const Elements& from, const Convert* how) const;
  [[nodiscard]] Result<void> check_count(Bytes from, const Convert* how) const;
  [[nodiscard]] Result<void> check_read(const ReadRequest& request) const;
  [[nodiscard]] Result<Point> stage(const BufferView& to, Bytes from, const Convert* how) const;
  [[nodiscard]] Result<Point> write(std::span<std::byte> to, const BufferView& view, Bytes from,
                                    const Convert* how) const;
  [[nodiscard]] Result<Point> reach_turn(const BufferView& view) const;
  [[nodiscard]] Result<void> download(const Target& to) const;

  Queue& queue_;
  const Arena& arena_;
  std::uint32_t id_;
  std::uint64_t size_;
  Timeout timeout_;
};

Result<void> Transfer::check_dtype(const Elements& from, const Convert* how) const {
  const DType wanted = how != nullptr ? how->from : dtype();
  if (how != nullptr && how->to != dtype()) {
    return wrong(fmt::format("Dtype ({}) that the conversion writes is not the dtype ({}) of {}.", name(how->to),
                             name(dtype()), text()));
  }
  if (!from.dtype()) return {};
  if (*from.dtype() != wanted && how != nullptr) {
    return wrong(fmt::format("Dtype ({}) of the host memory is not the dtype ({}) that the conversion reads.",
                             name(*from.dtype()), name(wanted)));
  }
  if (*from.dtype() != wanted) {
    return wrong(fmt::format("Dtype ({}) of the host memory is not the dtype ({}) of {}; name a conversion.",
                             name(*from.dtype()), name(wanted), text()));
  }
  if (from.element_size() == 1 || from.element_size() == bytes_of(wanted)) return {};
  return wrong(fmt::format("Size ({}) of an element on the host is not the size ({}) of {}.", from.element_size(),
                           bytes_of(wanted), name(wanted)));
}

/// Checks that there are exactly as many elements as the value has.
Result<void> Transfer::check_count(Bytes from, const Convert* how) const {
  if (how != nullptr) PINTLE_TRY(converted_bytes(0, *how));  // fails where there is no such conversion
  const DType on_host = how != nullptr ? how->from : dtype();
  const std::uint64_t size = bytes_of(on_host), count = size_ / bytes_of(dtype());
  if (from.size() % size == 0 && from.size() / size == count) return {};
  if (from.size() % size != 0) {
    return wrong(
        fmt::format("Size ({}) of the host memory is no multiple of the size ({}) of {}; {} has ({}) elements.",
                    from.size(), size, name(on_host), text(), count));
  }
  return wrong(fmt::format("Count ({}) of elements of {} on the host is not the count ({}) of elements of {}.",
                           from.size() / size, name(on_host), count, text()));
}

Result<Point> Transfer::feed(Arena& arena, const Elements& from, const Convert* how) const {
  PINTLE_TRY(check_dtype(from, how));
  PINTLE_TRY(check_count(from.bytes(), how));
  if (size_ == 0) return queue_.submit({}, {.timeout = timeout_});
  PINTLE_ASSIGN(view, arena_.view(id_));
  if (size_ <= most_staged) return stage(view, from.bytes(), how);
  Buffer& chunk = Inside::chunks(arena)[arena.plan().values()[id_].chunk];
  const auto mapped = chunk.map();
  if (!mapped && mapped.error().code() != Errc::unsupported) return mapped.error();
  if (!mapped) return stage(view, from.bytes(), how);
  const auto done = write(mapped->subspan(view.offset_bytes(), size_), view, from.bytes(), how);
  chunk.unmap();
  return done;
}

/// Uploads through host memory that the list owns.
Result<Point> Transfer::stage(const BufferView& to, Bytes from, const Convert* how) const {
  SubmitOptions options{.timeout = timeout_};
  if (how == nullptr) return queue_.submit(CommandList{}.upload(to, from), std::move(options));
  auto staged = std::make_shared_for_overwrite<std::byte[]>(size_);
  const std::span bytes(staged.get(), size_);
  PINTLE_TRY(convert(bytes, from, *how));
  return queue_.submit(CommandList{}.upload_retained(to, std::move(staged), bytes), std::move(options));
}

/// Writes straight into the arena's memory.
Result<Point> Transfer::write(std::span<std::byte> to, const BufferView& view, Bytes from, const Convert* how) const {
  PINTLE_ASSIGN(turn, reach_turn(view));
  if (how != nullptr) PINTLE_TRY(convert(to, from, *how));
  else std::memcpy(to.data(), from.data(), from.size());
  return std::move(turn);
}

/// Waits until everything submitted to the queue before is done. Refuses what any transfer would refuse.
Result<Point> Transfer::reach_turn(const BufferView& view) const {
  PINTLE_TRY(queue_.check(view, Access::write));
  Point turn = queue_.last();
  if (const auto reached = turn.wait(timeout_); !reached) return reached.error().during("waiting to write " + text());
  return turn;
}

Result<void> Transfer::check_read(const ReadRequest& request) const {
  const DType given = request.how != nullptr ? request.how->to : dtype();
  if (request.how != nullptr && request.how->from != dtype()) {
    return wrong(fmt::format("Dtype ({}) that the conversion reads is not the dtype ({}) of {}.",
                             name(request.how->from), name(dtype()), text()));
  }
  if (request.dtype && *request.dtype != given) {
    return wrong(request.how != nullptr
                     ? fmt::format("Dtype ({}) that is read is not the dtype ({}) that the conversion writes.",
                                   name(*request.dtype), name(given))
                     : fmt::format("Dtype ({}) that is read is not the dtype ({}) of {}; name a conversion.",
                                   name(*request.dtype), name(given), text()));
  }
  if (!request.dtype || request.element_size == bytes_of(given) || request.element_size == 1) return {};
  return wrong(fmt::format("Size ({}) of an element to read is not the size ({}) of {}.", request.element_size,
                           bytes_of(given), name(given)));
}

Result<void> Transfer::read(const ReadRequest& request, const std::function<Target(std::uint64_t)>& make) const {
  PINTLE_TRY(check_read(request));
  if (request.how == nullptr) return download(make(size_));
  PINTLE_ASSIGN(size, converted_bytes(size_, *request.how));
  const auto owner = std::make_shared<std::byte[]>(size_);  // zeros where the device executes nothing
  const Target staged{owner, {owner.get(), size_}};
  PINTLE_TRY(download(staged));
  return convert(make(size).bytes, staged.bytes, *request.how);
}

Result<void> Transfer::download(const Target& to) const {
  if (size_ == 0) return queue_.submit_and_wait({}, timeout_);
  PINTLE_ASSIGN(view, arena_.view(id_));
  return queue_.submit_and_wait(CommandList{}.download_retained(to.owner, to.bytes, view), timeout_);
}

Result<void> read_value(Queue& queue, const Arena& arena, const ReadRequest& request,
                        const std::function<Target(std::uint64_t)>& make, Timeout timeout) {
  return base::enter("reading a value", [&]() -> Result<void> {
    PINTLE_ASSIGN(transfer, Transfer::of(queue, arena, request.id, timeout));
    return transfer.read(request, make);
  });
}

namespace {

Result<Point> feed_value(Queue& queue, Arena& arena, std::uint32_t id, const Elements& from, const Convert* how,
                         const Timeout& timeout) {
  return base::enter("feeding a value", [&]() -> Result<Point> {
    PINTLE_ASSIGN(transfer, Transfer::of(queue, arena, id, timeout));
    return transfer.feed(arena, from, how);
  });
}

}  // namespace
}  // namespace pintle::memory

namespace pintle {

Result<Point> feed(Queue& queue, Arena& arena, std::uint32_t id, const Elements& from, Timeout timeout) {
  return memory::feed_value(queue, arena, id, from, nullptr, timeout);
}

Result<Point> feed(Queue& queue, Arena& arena, std::uint32_t id, const Elements& from, const Convert& how,
                   Timeout timeout) {
  return memory::feed_value(queue, arena, id, from, &how, timeout);
}

}  // namespace pintle
