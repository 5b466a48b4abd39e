#include "kit/call_rules.h"

#include <algorithm>
#include <bit>

namespace pintle::kit {

using backend::QueueId;
using backend::QueuePoint;

Result<void> CallRules::remove(QueueId id) {
  PINTLE_TRY(alive(queues_, id));
  const KnownQueue& queue = queues_.at(id);
  PINTLE_TRY(require(queue.reached == queue.submitted, "Queue ({}) goes having reached ({}) of ({}).", number(id),
                     queue.reached, queue.submitted));
  queues_.erase(id);
  return {};
}

Result<void> CallRules::check_queue(const backend::QueueRequest& request) {
  return require(request.kind == QueueKind::compute || request.kind == QueueKind::copy, "Queue kind ({}) is none.",
                 number(request.kind));
}

Result<void> CallRules::check_allocation(const backend::MemoryRequest& request) const {
  PINTLE_TRY(require(request.placement == Placement::device || request.placement == Placement::host,
                     "Placement ({}) is none.", number(request.placement)));
  PINTLE_TRY(require(request.size >= 1 && request.size <= known_.limits.max_allocation,
                     "Size ({}) is not from 1 to the limit ({}).", request.size, known_.limits.max_allocation));
  return require(std::has_single_bit(request.alignment) && request.alignment <= 4096,
                 "Alignment ({}) is not a power of two up to 4096.", request.alignment);
}

Result<void> CallRules::check_mapping(backend::MemoryId id, std::uint64_t mapped) const {
  PINTLE_TRY(alive(known_.memories, id));
  const std::uint64_t size = known_.memories.at(id);
  return require(mapped >= size, "({}) of the ({}) bytes of memory ({}) are mapped.", mapped, size, number(id));
}

Result<void> CallRules::check_recording(const backend::Commands& list) const {
  PINTLE_TRY(check_list(known_, list, ListKind::recording));
  return {};
}

Result<Used> CallRules::submitting(QueueId id, std::span<const QueuePoint> waits, const backend::Commands& list) {
  PINTLE_TRY(alive(queues_, id));
  std::uint64_t floor = 0;
  for (const QueuePoint& point : waits) PINTLE_TRY(asking(point, floor));
  KnownQueue& queue = queues_.at(id);
  PINTLE_TRY(require(queue.submitted - queue.reached < known_.limits.max_in_flight,
                     "Queue ({}) holds its limit of ({}) unfinished submissions.", number(id),
                     known_.limits.max_in_flight));
  auto used = check_list(known_, list, ListKind::submission);
  if (used) queue.limit = queue.submitted + 1;
  return used;
}

Result<void> CallRules::submitted(QueueId id, std::span<const QueuePoint> waits, const Used& used,
                                  std::uint64_t serial) {
  KnownQueue& queue = queues_.at(id);
  PINTLE_TRY(require(serial == queue.submitted + 1, "Serial ({}) follows ({}) on queue ({}).", serial, queue.submitted,
                     number(id)));
  queue.submitted = serial;
  for (const QueuePoint& point : waits) queue.waits.emplace_back(serial, point);
  for (const auto memory : used.memories) uses_[memory][id] = serial;
  for (const auto program : used.programs) uses_[program][id] = serial;
  for (const auto recording : used.recordings) uses_[recording][id] = serial;
  return {};
}

Result<void> CallRules::asking(const QueuePoint& point, std::uint64_t& floor) const {
  PINTLE_TRY(alive(queues_, point.queue));
  const KnownQueue& queue = queues_.at(point.queue);
  floor = std::max(queue.reached, queue.told);
  return require(point.serial <= queue.submitted, "Serial ({}) of queue ({}) is not submitted yet.", point.serial,
                 number(point.queue));
}

Result<void> CallRules::reached(QueueId id, std::uint64_t serial, std::uint64_t floor) {
  const auto found = queues_.find(id);
  if (found == queues_.end()) return {};  // destroyed while the question was under way
  KnownQueue& queue = found->second;
  PINTLE_TRY(require(serial >= floor && serial <= queue.limit,
                     "Serial ({}) reached by queue ({}) is not from ({}) to ({}).", serial, number(id), floor,
                     queue.limit));
  queue.reached = std::max(queue.reached, serial);
  for (; !queue.waits.empty() && queue.waits.front().first <= serial; queue.waits.pop_front())
    told(queue.waits.front().second);
  return {};
}

void CallRules::told(const QueuePoint& point) {
  const auto found = queues_.find(point.queue);
  if (found != queues_.end()) found->second.told = std::max(found->second.told, point.serial);
}

bool CallRules::is_reached(const QueuePoint& point) const {
  const auto found = queues_.find(point.queue);
  return found == queues_.end() || found->second.reached >= point.serial;
}

}  // namespace pintle::kit
