#include "collective/queue/group_queue_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "pintle/group_queue.h"

namespace pintle::collective {
namespace {

/// Slots of the staging memory, for even and odd chunks.
std::size_t input_slot(std::uint64_t index) noexcept { return index % 2; }
std::size_t output_slot(std::uint64_t index) noexcept { return 2 + index % 2; }

Error different_sizes(const Task& task, std::size_t rank, std::uint64_t size, std::size_t other,
                      std::uint64_t other_size) {
  return {Errc::invalid_argument, fmt::format("Rank ({}) calls {} with parts of ({}) bytes, rank ({}) with ({}).", rank,
                                              task.text(), size, other, other_size)};
}

}  // namespace

Timeout time_until(Deadline deadline) noexcept {
  return deadline == Deadline::max() ? Timeout::infinite() : Timeout(deadline - Clock::now());
}

GroupQueueRun::GroupQueueRun(Group& group, Staging& staging, const Task& task, Deadline deadline,
                             std::vector<Point> at_end)
    : group_(group),
      staging_(staging),
      task_(task),
      cut_(task.call.operation, task.part, group.ranks(), GroupQueue::chunk_bytes),
      deadline_(deadline),
      at_end_(std::move(at_end)) {}

Timeout GroupQueueRun::remaining() const noexcept { return time_until(deadline_); }

Result<void> GroupQueueRun::run() {
  if (cut_.count() > 1) PINTLE_TRY(agree_on_size());
  PINTLE_TRY(pull(0));
  for (std::uint64_t index = 0; index < cut_.count(); ++index) PINTLE_TRY(step(index));
  for (auto& point : pushed_) PINTLE_TRY(await(point));
  return {};
}

/// Without this, ranks whose sizes differ would find out only where one has no more chunks, and would wait for each
/// other.
Result<void> GroupQueueRun::agree_on_size() {
  if (task_.call.operation == Operation::send_recv) return check_message_size();
  const std::uint64_t own = task_.part;
  std::vector<std::uint64_t> sizes(group_.ranks());
  PINTLE_TRY(group_.run(Collective::all_gather(sizes, std::span(&own, 1)), remaining()));
  const auto other = std::ranges::find_if(sizes, [&](std::uint64_t size) { return size != sizes[0]; });
  if (other == sizes.end()) return {};
  return different_sizes(task_, static_cast<std::size_t>(other - sizes.begin()), *other, 0, sizes[0]);
}

Result<void> GroupQueueRun::check_message_size() {
  std::uint64_t size = task_.part;
  const std::uint32_t other = task_.call.root;
  if (task_.side == Side::sends) return group_.run(Collective::send(std::span(&size, 1), other), remaining());
  PINTLE_TRY(group_.run(Collective::recv(std::span(&size, 1), other), remaining()));
  return size == task_.part ? Result<void>() : different_sizes(task_, other, size, group_.rank(), task_.part);
}

Result<void> GroupQueueRun::step(std::uint64_t index) {
  PINTLE_TRY(pull(index + 1));
  PINTLE_ASSIGN(from, input(index));
  PINTLE_ASSIGN(to, output(index));
  PINTLE_TRY(exchange(to, from));
  return store(index);
}

Result<void> GroupQueueRun::exchange(std::span<std::byte> to, std::span<std::byte> from) {
  Collective operation = task_.operation;
  operation.to = {task_.call.dtype, to};
  operation.from = {task_.call.dtype, from};
  if (operation.kind == Collective::Kind::broadcast && task_.parts.from != 0) operation.to = {task_.call.dtype, from};
  return group_.run(operation, remaining());
}

/// Lets the device begin to give a chunk, if there is such a chunk and the device has to give it.
Result<void> GroupQueueRun::pull(std::uint64_t index) {
  if (index >= cut_.count() || task_.parts.from == 0 || !task_.from.mapped.empty() || task_.part == 0) return {};
  PINTLE_ASSIGN(from, pieces(task_.from, task_.parts.from, cut_.at(index)));
  PINTLE_ASSIGN(point, staging_.pull(input_slot(index), from));
  pulled_[index % 2] = point;
  return {};
}

Result<std::span<std::byte>> GroupQueueRun::input(std::uint64_t index) {
  const Chunk chunk = cut_.at(index);
  const std::uint64_t parts = task_.parts.from;
  if (is_direct(task_.from, parts)) return direct(task_.from, parts, chunk);
  const auto bytes = staging_.bytes(input_slot(index)).first(parts * chunk.size);
  if (task_.from.mapped.empty()) PINTLE_TRY(await(pulled_[index % 2]));
  for (std::uint64_t part = 0; !task_.from.mapped.empty() && part < parts; ++part) {
    const auto source = task_.from.mapped.subspan(part * task_.part + chunk.offset, chunk.size);
    std::memcpy(bytes.data() + part * chunk.size, source.data(), chunk.size);
  }
  return bytes;
}

/// Where the ranks write a chunk. Waits until the device has taken the bytes that are still there.
Result<std::span<std::byte>> GroupQueueRun::output(std::uint64_t index) {
  const Chunk chunk = cut_.at(index);
  const std::uint64_t parts = task_.parts.to;
  if (is_direct(task_.to, parts)) return direct(task_.to, parts, chunk);
  PINTLE_TRY(await(pushed_[index % 2]));
  return staging_.bytes(output_slot(index)).first(parts * chunk.size);
}

/// Brings a chunk to where it belongs, or lets the device begin to bring it.
Result<void> GroupQueueRun::store(std::uint64_t index) {
  const Chunk chunk = cut_.at(index);
  const std::uint64_t parts = task_.parts.to;
  if (chunk.size == 0 || parts == 0 || is_direct(task_.to, parts)) return {};
  if (task_.to.mapped.empty()) {
    const bool is_last = index + 1 == cut_.count();
    PINTLE_ASSIGN(to, pieces(task_.to, parts, chunk));
    PINTLE_ASSIGN(point, staging_.push(output_slot(index), to, is_last ? at_end_ : std::vector<Point>{}));
    pushed_[index % 2] = point;
    has_signalled_ = is_last && !at_end_.empty();
    return {};
  }
  const auto bytes = staging_.bytes(output_slot(index));
  for (std::uint64_t part = 0; part < parts; ++part) {
    const auto target = task_.to.mapped.subspan(part * task_.part + chunk.offset, chunk.size);
    std::memcpy(target.data(), bytes.data() + part * chunk.size, chunk.size);
  }
  return {};
}

Result<void> GroupQueueRun::await(std::optional<Point>& point) const {
  if (!point) return {};
  PINTLE_TRY(point->wait(remaining()));
  point.reset();
  return {};
}

/// Whether the ranks work on the device's own memory: a chunk of all parts has to be one range of it.
bool GroupQueueRun::is_direct(const Operand& operand, std::uint64_t parts) const noexcept {
  return !operand.mapped.empty() && (parts == 1 || cut_.count() == 1);
}

std::span<std::byte> GroupQueueRun::direct(const Operand& operand, std::uint64_t parts, Chunk chunk) const noexcept {
  return operand.mapped.subspan(chunk.offset, parts * chunk.size);
}

Result<std::vector<StagedPiece>> GroupQueueRun::pieces(const Operand& operand, std::uint64_t parts, Chunk chunk) const {
  if (cut_.count() == 1) return std::vector<StagedPiece>{{operand.bytes, 0}};
  std::vector<StagedPiece> pieces;
  pieces.reserve(parts);
  for (std::uint64_t part = 0; part < parts; ++part) {
    PINTLE_ASSIGN(view, operand.bytes.slice(part * task_.part + chunk.offset, chunk.size));
    pieces.push_back({view, part * chunk.size});
  }
  return pieces;
}

}  // namespace pintle::collective
