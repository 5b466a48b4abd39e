// Forks: buffers that share their bytes until one of them is written.
#include <algorithm>
#include <utility>

#include "core/queue/queue_state.h"

namespace pintle::core {
namespace {

/// The last unfinished write of the buffer, if all of them are of `queue` and a backend has them.
struct LastWrite {
  bool is_known = true;
  std::uint64_t serial = 0;  // 0: none is unfinished
};

LastWrite last_write(const BufferRecord& record, std::uint64_t queue, const Clocks& clocks) {
  LastWrite last;
  for (const Stamp& stamp : record.stamps) {
    if (stamp.written == 0 || clocks.is_finished(stamp.queue, stamp.written)) continue;
    if (stamp.queue == queue) last.serial = stamp.written;
    last.is_known &= stamp.queue == queue && clocks.is_native(queue, stamp.written);
  }
  return last;
}

}  // namespace

// A fork has the bytes of this moment of this queue. Sharing says so only where every write to come is known to come
// after them: a write that is held, or is another queue's, may be ordered otherwise by points.
Result<std::optional<Buffer>> QueueState::fork(const BufferView& of, const std::string& label) {
  auto shared = std::make_shared<SharedBytes>();
  BufferRecord fork;
  fork.label = label;
  const Locked locked = life().lock();
  BufferRecord* record = table_->find(of.buffer_, locked);
  if (record == nullptr) return table_->stale(of.buffer_);
  if (record->is_lazy() || (record->is_pinned && !record->is_sealed)) return std::optional<Buffer>();
  const LastWrite last = last_write(*record, number_, table_->clocks(locked));
  if (!last.is_known) return std::optional<Buffer>();
  table_->reserve(locked);
  record = table_->find(of.buffer_, locked);
  if (record->shared == nullptr) {
    shared->owners = 1;
    shared->origin = std::move(record->origin);
    record->origin = {};
    record->shared = std::move(shared);
  }
  SharedBytes& bytes = *record->shared;
  ++bytes.owners;
  fork.formation = record->formation;
  if (last.serial != 0) fork.formation = bytes.formation = {number_, last.serial};
  if (bytes.formation.queue == 0) bytes.formation = record->formation;
  fork.memory = record->memory;
  fork.base = record->base;
  fork.size = record->size;
  fork.alignment = record->alignment;
  fork.placement = record->placement;
  fork.shared = record->shared;
  table_->note_special(locked);
  return std::optional<Buffer>(table_->keep(std::move(fork), of.dtype_, of.shape_, locked));
}

void QueueState::note_copy(std::uint64_t of, std::uint64_t copy, std::uint64_t serial) {
  const Locked locked = life().lock();
  if (table_->clocks(locked).is_finished(number_, serial)) return;
  table_->note_special(locked);
  if (BufferRecord* const record = table_->find(of, locked)) record->copied_by = {number_, serial};
  if (BufferRecord* const record = table_->find(copy, locked)) record->formation = {number_, serial};
}

}  // namespace pintle::core
