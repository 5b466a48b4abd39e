#include "collective/queue/group_queue_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/quote.h"
#include "base/timeout.h"
#include "collective/fold/reduction.h"
#include "pintle/commands.h"

namespace pintle::collective {
namespace {

Error invalid(std::string message) { return {Errc::invalid_argument, std::move(message)}; }

Result<void> check_rank(const Collective& operation, std::uint32_t rank, std::uint32_t ranks) {
  if (operation_of(operation.kind) == Operation::none)
    return invalid(fmt::format("The kind of operation ({}) is none.", static_cast<unsigned>(operation.kind)));
  if (operation.rank >= ranks)
    return invalid(fmt::format("Rank ({}) is not below the ({}) ranks of the group.", operation.rank, ranks));
  if (operation_of(operation.kind) != Operation::send_recv || operation.rank != rank) return {};
  return invalid(fmt::format("Rank ({}) is the caller's own; it sends nothing to itself.", rank));
}

Result<void> check_points(std::span<const Point> points, std::string_view what) {
  for (const Point& point : points) {
    const auto reached = point.is_reached();
    const bool is_empty = !reached && reached.error().code() == Errc::invalid_argument && !point.signal().failure();
    if (is_empty) return reached.error().during(fmt::format("checking what the operation {}", what));
  }
  return {};
}

template <class Host>
Result<void> check_place(std::string_view name, const Host* host) {
  if (host == nullptr || host->bytes().empty()) return {};
  return invalid(fmt::format("{} is memory of the host: run the operation by Group::run.", name));
}

/// Sizes and dtypes of what is read and written; sets the part.
Result<void> measure(Task& task) {
  const PartCounts parts = task.parts;
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
  if (task.parts == PartCounts{1, 1}) return to == from;
  if (task.parts.from == 1) return from == to + rank * task.part;
  return task.parts.to == 1 && to == from + rank * task.part;
}

Result<void> check_overlap(const Task& task, std::uint32_t rank) {
  if (task.parts.to == 0 || task.parts.from == 0 || is_in_place(task, rank)) return {};
  if (auto error = overlap(task.to.bytes, task.from.bytes)) return *error;
  return {};
}

}  // namespace

Result<Operand> Operand::of(const DeviceElements* given) {
  const DeviceElements elements = given != nullptr ? *given : DeviceElements();
  BufferView window = elements.view;
  if (elements.buffer != nullptr) {
    PINTLE_ASSIGN(part, elements.view.slice(elements.first, elements.count));
    window = part;
  }
  PINTLE_ASSIGN(bytes, window.as(DType::u8, {window.size_bytes()}));
  Operand operand{bytes, {}, window.dtype()};
  if (elements.buffer == nullptr || operand.size() == 0) return operand;
  operand.is_sealed = elements.buffer->is_sealed();
  const auto mapped = elements.buffer->map();
  if (mapped) operand.mapped = mapped->subspan(window.offset_bytes(), operand.size());
  else if (mapped.error().code() != Errc::unsupported && mapped.error().code() != Errc::invalid_argument)
    return mapped.error();
  return operand;
}

Result<Task> Task::create(const Collective& operation, SubmitOptions options, std::uint32_t rank, std::uint32_t ranks) {
  PINTLE_TRY(check_rank(operation, rank, ranks));
  PINTLE_TRY(check_points(options.after, "waits for"));
  PINTLE_TRY(check_points(options.signal, "signals"));
  Task task;
  task.call = {.operation = operation_of(operation.kind),
               .op = operation.op,
               .algorithm = operation.algorithm,
               .root = operation.rank,
               .is_reproducible = operation.is_reproducible};
  task.operation = operation;
  task.operation.to = {};
  task.operation.from = {};
  task.side = operation.kind == Collective::Kind::recv ? Side::receives : Side::sends;
  task.parts = parts_of(task.call.operation, rank, ranks, operation.rank, task.side);
  if (task.parts.to != 0) PINTLE_TRY(check_place("to", operation.to.host()));
  if (task.parts.from != 0) PINTLE_TRY(check_place("from", operation.from.host()));
  if (task.parts.from != 0) {
    PINTLE_ASSIGN(from, Operand::of(operation.from.device()));
    task.from = from;
  }
  if (task.parts.to != 0) {
    PINTLE_ASSIGN(to, Operand::of(operation.to.device()));
    task.to = to;
    if (to.is_sealed) return invalid("Memory to be written is of a sealed buffer.");
  }
  PINTLE_TRY(measure(task));
  PINTLE_TRY(check_overlap(task, rank));
  if (folds(task.call.operation)) PINTLE_TRY(check_reduction(operation.op, task.call.dtype));
  PINTLE_TRY(base::check(options.timeout));
  task.after = std::move(options.after);
  task.signal = std::move(options.signal);
  task.label = std::move(options.label);
  task.timeout = options.timeout;
  return task;
}

std::string Task::text() const {
  const std::string call_text = collective::text(call);
  return label.empty() ? call_text : fmt::format("{} {}", call_text, base::quote(label));
}

}  // namespace pintle::collective
