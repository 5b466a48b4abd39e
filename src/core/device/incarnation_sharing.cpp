// Buffers that are more than their own memory: lazy, sealed, shared with forks.
#include <fmt/format.h>

#include <utility>

#include "core/device/incarnation.h"
#include "core/door/object_names.h"
#include "core/queue/flight.h"
#include "kit/accesses.h"

namespace pintle::core {

Error Incarnation::shared_refusal(std::uint64_t id) {
  return Error(Errc::invalid_argument,
               fmt::format("{} shares its bytes with a fork, so that they may move when one of the two is written; "
                           "`Queue::unshare` gives it bytes of its own.",
                           buffer_text_locked(id)));
}

Error Incarnation::sealed_refusal(std::uint64_t id) {
  return Error(Errc::invalid_argument, fmt::format("{} is sealed: nothing may write it.", buffer_text_locked(id)));
}

Result<void> Incarnation::materialize(BufferRecord& record) {
  PINTLE_ASSIGN(memory, allocate_memory({record.size, record.alignment, record.placement, record.label}));
  record.memory = memory;
  return {};
}

/// The last owner of shared bytes, behind all that used them, has them to itself.
void Incarnation::settle(BufferRecord& record) {
  record.origin = std::move(record.shared->origin);
  record.stamps.merge(record.shared->before);
  record.shared.reset();
}

/// Waits that the user cannot know of.
void Incarnation::wait_behind(const Stamps& stamps, Use& use) {
  for (const Stamp& stamp : stamps) {
    const auto queue = find_queue(stamp.queue);
    if (queue == nullptr || stamp.queue == use.stamp.queue || queue->is_finished(stamp.serial)) continue;
    use.flight.waits.push_back(SignalState::point(queue->timeline(), queue->accepted(stamp.serial)));
  }
}

Result<void> Incarnation::copy_apart(BufferRecord& record, std::uint64_t id, Use& use) {
  PINTLE_ASSIGN(memory, allocate_memory({record.size, record.alignment, record.placement, record.label}));
  use.flight.moved.push_back({id, record.memory, record.base, record.shared});
  const backend::Range to{memory, id, 0, record.size, backend::no_slot};
  const backend::Range from{record.memory, id, record.base, record.size, backend::no_slot};
  use.flight.copies.push_back({.operation = backend::Copy{to, from}});
  SharedBytes& shared = *record.shared;
  wait_behind(shared.before, use);
  shared.before.merge(record.stamps);
  shared.before.set(use.stamp.queue, use.stamp.serial);
  --shared.owners;
  record.memory = memory;
  record.base = 0;
  record.shared.reset();
  return {};
}

Result<void> Incarnation::unshare(std::uint64_t id, Use& use) {
  BufferRecord* const record = find_buffer(id);
  if (record == nullptr) return stale_buffer(id);
  if (record->is_lazy()) PINTLE_TRY(materialize(*record));
  record->stamps.set(use.stamp.queue, use.stamp.serial);
  if (record->shared == nullptr) return {};
  if (record->shared->owners > 1) return copy_apart(*record, id, use);
  use.flight.moved.push_back({id, record->memory, record->base, record->shared});
  wait_behind(record->shared->before, use);
  settle(*record);
  return {};
}

void Incarnation::undo(Flight& flight, Worklist& worklist) noexcept {
  for (Moved& moved : flight.moved) {
    BufferRecord* const record = find_buffer(moved.buffer);
    if (record->memory == moved.memory) {  // the last owner, which was to write in place
      moved.shared->origin = std::move(record->origin);
      record->origin = {};
    } else {
      worklist.later([self = shared_from_this(), memory = record->memory] {
        if (!self->is_lost()) self->device_->release(memory);
      });
      ++moved.shared->owners;
    }
    record->memory = moved.memory;
    record->base = moved.base;
    record->shared = std::move(moved.shared);
  }
  flight.moved.clear();
}

/// Before a command names the buffer's memory: gives it some, or some of its own, or refuses. Without a use, for a
/// recording, the memory must stay where it is.
Result<void> Incarnation::ready(BufferRecord& record, std::uint64_t id, Access access, Use* use) {
  if (record.is_sealed && writes(access)) return sealed_refusal(id);
  if (record.is_lazy()) return materialize(record);
  if (record.shared == nullptr) return {};
  if (use == nullptr) {
    if (record.is_sealed) return {};
    if (record.shared->owners > 1 || !is_finished(record.shared->before)) return shared_refusal(id);
    settle(record);
    return {};
  }
  return writes(access) ? unshare(id, *use) : Result<void>();
}

Result<void> Incarnation::prepare(CommandList& list, Use* use) {
  if (!has_specials_) return {};
  Result<void> answer;
  for (backend::Command& command : list.commands_) {
    kit::for_each_range(command, std::span(list.arguments_), [&](backend::Range& range, Access access) {
      if (range.slot != backend::no_slot || !answer) return;
      BufferRecord* const record = find_buffer(range.buffer);
      if (record != nullptr && record->is_special()) answer = ready(*record, range.buffer, access, use);
    });
    if (!answer) return answer;
  }
  return {};
}

Result<void> Incarnation::check_bound(std::uint64_t id, Access access) {
  BufferRecord* const record = find_buffer(id);
  if (record == nullptr) return stale_buffer(id);
  if (!record->is_special()) return {};
  if (record->shared != nullptr && !writes(access)) return {};
  return ready(*record, id, access, nullptr);
}

Result<void> Incarnation::seal(std::uint64_t id) {
  PINTLE_TRY(usable(buffer_text(id)));
  std::lock_guard lock(mutex_);
  BufferRecord* const record = find_buffer(id);
  if (record == nullptr) return stale_buffer(id);
  record->is_sealed = has_specials_ = true;
  return {};
}

Result<void> Incarnation::check_access(std::uint64_t id, Access access) {
  std::lock_guard lock(mutex_);
  const BufferRecord* const record = find_buffer(id);
  if (record == nullptr || !record->is_sealed || !writes(access)) return {};
  return sealed_refusal(id);
}

bool Incarnation::is_shared(std::uint64_t id) {
  std::lock_guard lock(mutex_);
  const BufferRecord* const record = find_buffer(id);
  return record != nullptr && record->shared != nullptr && !record->is_sealed;
}

bool Incarnation::is_sealed(std::uint64_t id) {
  std::lock_guard lock(mutex_);
  const BufferRecord* const record = find_buffer(id);
  return record != nullptr && record->is_sealed;
}

Result<std::optional<Buffer>> Incarnation::fork(const QueueState& queue, const BufferView& of,
                                                const std::string& label) {
  Worklist worklist;
  std::lock_guard lock(mutex_);
  BufferRecord* const record = find_buffer(of.buffer_);
  if (record == nullptr) return stale_buffer(of.buffer_);
  if (record->is_lazy()) {
    if (const auto made = materialize(*record); !made) return report_locked(made.error(), worklist);
  }
  if (record->is_pinned && !record->is_sealed) return std::optional<Buffer>();
  BufferRecord fork;
  fork.memory = record->memory;
  fork.base = record->base;
  fork.size = record->size;
  fork.alignment = record->alignment;
  fork.placement = record->placement;
  fork.label = label;
  if (record->shared == nullptr) {
    record->shared = std::make_shared<SharedBytes>(SharedBytes{1, std::move(record->origin), {}});
    record->origin = {};
  }
  record->shared->before.merge(record->stamps);
  record->shared->before.set(queue.number(), queue.last_serial());
  ++record->shared->owners;
  has_specials_ = true;
  fork.shared = record->shared;
  return std::optional<Buffer>(keep_buffer(std::move(fork), of.dtype_, of.shape_));
}

Result<backend::Range> Incarnation::place_of(std::uint64_t id) {
  PINTLE_TRY(usable(buffer_text(id)));
  std::lock_guard lock(mutex_);
  const BufferRecord* const record = find_buffer(id);
  if (record == nullptr) return stale_buffer(id);
  return backend::Range{record->memory, id, record->base, record->size, backend::no_slot};
}

Result<backend::Range> Incarnation::pin(std::uint64_t id, Access access) {
  PINTLE_TRY(usable(buffer_text(id)));
  Worklist worklist;
  std::lock_guard lock(mutex_);
  BufferRecord* const record = find_buffer(id);
  if (record == nullptr) return stale_buffer(id);
  if (record->is_special()) {
    if (const auto prepared = ready(*record, id, access, nullptr); !prepared)
      return report_locked(prepared.error(), worklist);
  }
  record->is_pinned = true;
  return backend::Range{record->memory, id, record->base, record->size, backend::no_slot};
}

Result<void> Incarnation::await_memory(std::uint64_t id, Deadline deadline) {
  Stamps before;
  {
    std::lock_guard lock(mutex_);
    const BufferRecord* const record = find_buffer(id);
    if (record == nullptr || record->source().chunk == nullptr) return {};
    before = record->source().chunk->stamps;
  }
  return wait_for(before, deadline);
}

Result<void> Incarnation::wait_for(const Stamps& stamps, Deadline deadline) {
  for (const Stamp& stamp : stamps) {
    std::shared_ptr<QueueState> queue;
    std::uint64_t serial = 0;
    {
      std::lock_guard lock(mutex_);
      if (is_finished(stamp)) continue;
      queue = find_queue(stamp.queue);
      serial = queue->accepted(stamp.serial);
    }
    PINTLE_TRY(queue->timeline()->wait(serial, deadline));
  }
  return {};
}

}  // namespace pintle::core
