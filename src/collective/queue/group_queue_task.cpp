#include "collective/queue/group_queue_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/quote.h"
#include "collective/fold/reduction.h"
#include "pintle/commands.h"

namespace pintle::collective {
namespace {

Error invalid(std::string message) { return {Errc::invalid_argument, std::move(message)}; }

Result<void> check_rank(const Request& request, std::uint32_t rank, std::uint32_t ranks) {
  if (request.root >= ranks)
    return invalid(fmt::format("Rank ({}) is not below the ({}) ranks of the group.", request.root, ranks));
  if (request.operation != Operation::send_recv || request.root != rank) return {};
  return invalid(fmt::format("Rank ({}) is the caller's own; it sends nothing to itself.", rank));
}

Result<void> check_waits(std::span<const Point> points) {
  for (const Point& point : points) {
    const auto reached = point.is_reached();
    const bool is_empty = !reached && reached.error().code() == Errc::invalid_argument && !point.signal().failure();
    if (is_empty) return reached.error().during("checking what the operation waits for");
  }
  return {};
}

/// Sizes and dtypes of what is read and written; sets the part.
Result<void> measure(Task& task) {
  const Parts parts = task.parts;
  if (parts.from != 0 && parts.to != 0 && task.from.dtype != task.to.dtype) {
    return invalid(fmt::format("Dtype ({}) of what is written differs from the dtype ({}) of what is read.",
                               name(task.to.dtype), name(task.from.dtype)));
  }
  task.call.dtype = parts.from != 0 ? task.from.dtype : task.to.dtype;
  const auto& [operand, count] =
      parts.from == 1 || parts.to == 0 ? std::pair(task.from, parts.from) : std::pair(task.to, parts.to);
  if (count == 0) return {};
  task.part = operand.size() / count;
  task.call.count = task.part / bytes_of(task.call.dtype);
  const auto check = [&](std::string_view what, const Operand& side, std::uint64_t number) -> Result<void> {
    if (number == 0 || (task.part * number == side.size() && task.part % bytes_of(task.call.dtype) == 0)) return {};
    return invalid(fmt::format("Size ({}) of what is {} is not that of ({}) parts of ({}) bytes of {}.", side.size(),
                               what, number, task.part, name(task.call.dtype)));
  };
  PINTLE_TRY(check("read", task.from, parts.from));
  return check("written", task.to, parts.to);
}

/// The error of views of one buffer that overlap, as a command words it that takes no overlap.
std::optional<Error> overlap(const BufferView& to, const BufferView& from) {
  const std::uint64_t begin = std::max(to.offset_bytes(), from.offset_bytes());
  const std::uint64_t end = std::min(to.offset_bytes() + to.size_bytes(), from.offset_bytes() + from.size_bytes());
  if (begin >= end) return std::nullopt;
  const auto target = to.slice(begin - to.offset_bytes(), end - begin);
  const auto source = from.slice(begin - from.offset_bytes(), end - begin);
  if (!target || !source) return std::nullopt;
  return CommandList{}.copy(*target, *source).error();
}

/// Whether `to` and `from` share memory in the one way that is allowed: one is the other, or the caller's part of it.
bool is_in_place(const Task& task, std::uint32_t rank) noexcept {
  const std::uint64_t to = task.to.bytes.offset_bytes(), from = task.from.bytes.offset_bytes();
  if (task.parts == Parts{1, 1}) return to == from;
  if (task.parts.from == 1) return from == to + rank * task.part;
  return task.parts.to == 1 && to == from + rank * task.part;
}

Result<void> check_overlap(const Task& task, std::uint32_t rank) {
  if (task.parts.to == 0 || task.parts.from == 0 || is_in_place(task, rank)) return {};
  if (auto error = overlap(task.to.bytes, task.from.bytes)) return *error;
  return {};
}

}  // namespace

Result<Operand> Operand::of(const DeviceElements& elements) {
  BufferView window = elements.view_;
  if (elements.buffer_ != nullptr) {
    PINTLE_ASSIGN(part, elements.view_.slice(elements.first_, elements.count_));
    window = part;
  }
  PINTLE_ASSIGN(bytes, window.as(DType::u8, {window.size_bytes()}));
  Operand operand{bytes, {}, window.dtype()};
  if (elements.buffer_ == nullptr || operand.size() == 0) return operand;
  operand.is_sealed = elements.buffer_->is_sealed();
  const auto mapped = elements.buffer_->map();
  if (mapped) operand.mapped = mapped->subspan(window.offset_bytes(), operand.size());
  else if (mapped.error().code() != Errc::unsupported && mapped.error().code() != Errc::invalid_argument)
    return mapped.error();
  return operand;
}

Result<Task> Task::create(const Request& request, EnqueueOptions options, std::uint32_t rank, std::uint32_t ranks) {
  PINTLE_TRY(check_rank(request, rank, ranks));
  PINTLE_TRY(check_waits(options.wait));
  Task task;
  task.call = {.operation = request.operation,
               .op = request.op,
               .algorithm = options.algorithm,
               .root = request.root,
               .is_reproducible = options.is_reproducible};
  task.side = request.side;
  task.parts = parts_of(request.operation, rank, ranks, request.root, request.side);
  if (task.parts.from != 0) {
    PINTLE_ASSIGN(from, Operand::of(*request.from));
    task.from = from;
  }
  if (task.parts.to != 0) {
    PINTLE_ASSIGN(to, Operand::of(*request.to));
    task.to = to;
    if (to.is_sealed) return invalid("Memory to be written is of a sealed buffer.");
  }
  PINTLE_TRY(measure(task));
  PINTLE_TRY(check_overlap(task, rank));
  if (folds(request.operation)) PINTLE_TRY(check_reduction(request.op, task.call.dtype));
  task.wait = std::move(options.wait);
  task.label = std::move(options.label);
  task.timeout = options.timeout;
  return task;
}

std::string Task::text() const {
  const std::string call_text = collective::text(call);
  return label.empty() ? call_text : fmt::format("{} {}", call_text, base::quote(label));
}

}  // namespace pintle::collective
